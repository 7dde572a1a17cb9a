"""Answers in every wire format, over a real socket: words, thoughts, calls and what was counted."""

import asyncio
import json
from base64 import b64encode
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from tests.models.chat.asking import KEY, NAMES, REQUEST, SEARCH, ask, model_at
from tests.models.chat.servers import WIRES, Asked, Call, Reply, Wire, say, serve

from everself.config.installation import install_command
from everself.errors import ModelFailed, RefusedByRule
from everself.models.call_switch import CALLS
from everself.models.chat._remote import StreamTimeouts
from everself.models.chat.factory import open_model
from everself.models.chat.protocol import (
    ChatRequest,
    Image,
    ModelTurn,
    ReplyText,
    ToolCall,
    ToolReturn,
    ToolTurn,
    UserTurn,
)

# the vendors' packages take seconds to import
pytestmark = pytest.mark.slow

# the packages of the others take a second each to read, which the quick run has not
_QUICK = ("openai", "ollama")
_CASES: list[Any] = [wire if wire in _QUICK else pytest.param(wire, marks=pytest.mark.slow) for wire in WIRES]
every_wire = pytest.mark.parametrize("wire", _CASES)

TWO = (Call("memory_search", '{"query": "home"}', "c1"), Call("memory_search", '{"query": "city"}', "c2"))
WORK = ChatRequest(
    "You are Mira.",
    "It is Monday.",
    (
        UserTurn("Where do I live?"),
        ModelTurn(
            "I look.", (ToolCall("c1", "memory_search", '{"query": '), ToolCall("c2", "memory_search", '{"query":"x"}'))
        ),
        ToolTurn(
            (
                ToolReturn("c1", "memory_search", "Arguments are broken.", failed=True),
                ToolReturn("c2", "memory_search", "Bern"),
            )
        ),
        UserTurn("And?", ("The city was corrected to Bern.",)),
    ),
    (SEARCH,),
)


@every_wire
def test_words_come_as_they_are_sent_and_the_end_comes_last(wire: Wire) -> None:
    with serve(wire, say("In ", "Bern, ", "東京ではなく。", usage=(200, 12, 150, 0))) as server:
        heard = ask(model_at(server))
    assert [piece for piece in heard.pieces if isinstance(piece, ReplyText)] == [
        ReplyText("In "),
        ReplyText("Bern, "),
        ReplyText("東京ではなく。"),
    ]
    assert heard.end.why == "stop"
    usage = heard.end.usage
    assert (usage.sent, usage.received, usage.cached, usage.told) == (200, 12, 150, True)


@every_wire
def test_calls_in_parallel_come_whole_and_in_order_after_the_words(wire: Wire) -> None:
    with serve(wire, Reply(text=("I look.",), calls=TWO)) as server:
        heard = ask(model_at(server))
    assert [(call.id, call.name, json.loads(call.arguments)) for call in heard.calls] == [
        ("c1", "memory_search", {"query": "home"}),
        ("c2", "memory_search", {"query": "city"}),
    ]
    assert heard.text == "I look."
    assert heard.end.why == "tools"


@pytest.mark.parametrize(
    "wire", ["ollama", *(pytest.param(wire, marks=pytest.mark.slow) for wire in ("anthropic", "gemini"))]
)
def test_thoughts_are_told_apart_from_words(wire: Wire) -> None:
    with serve(wire, Reply(text=("Bern.",), thinking="Where was it?")) as server:
        heard = ask(model_at(server))
    assert (heard.thinking, heard.text) == ("Where was it?", "Bern.")


@every_wire
def test_the_prefix_stands_first_and_stays_byte_for_byte_while_the_rest_changes(wire: Wire) -> None:
    with serve(wire, say("Yes.")) as server:
        model = model_at(server)
        ask(model)
        later = replace(REQUEST, delta="It is Tuesday.", turns=(*REQUEST.turns, ModelTurn("Yes."), UserTurn("Still?")))
        ask(model, later)
    assert [_instructions(asked) for asked in server.asked] == [REQUEST.prefix] * 2
    first, second = (asked.words for asked in server.asked)
    # the context of a turn stands behind the newest message, and nowhere else
    assert "It is Monday." not in second
    assert second.index("Yes.") < second.index("Still?") < second.index("It is Tuesday.")
    assert first.index("Where do I live?") < first.index("It is Monday.")
    # tools come before the instructions in what a vendor caches
    assert server.asked[0].body["tools"] == server.asked[1].body["tools"]


@every_wire
def test_turns_arrive_in_order_with_broken_arguments_failed_calls_and_what_was_done(wire: Wire) -> None:
    with serve(wire, say("Bern.")) as server:
        heard = ask(model_at(server), WORK)
    assert heard.text == "Bern."
    words = server.asked[0].words
    places = [
        words.index(part) for part in ("Where do I live?", "I look.", "Arguments are broken.", "And?", "corrected to")
    ]
    assert places == sorted(places)
    assert all(words.count(part) == 1 for part in ("Where do I live?", "I look.", "Arguments are broken.", "And?"))


@every_wire
def test_an_answer_of_a_given_shape_is_asked_for_in_the_vendors_way(wire: Wire) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    with serve(wire, say('{"city": ', '"Bern"}')) as server:
        heard = ask(model_at(server), replace(REQUEST, schema=schema, tools=()))
    assert json.loads(heard.text) == {"city": "Bern"}
    body = server.asked[0].body
    place = {
        "anthropic": ("output_config", "output_format"),
        "openai": ("response_format",),
        "responses": ("text",),
        "gemini": ("generationConfig",),
        "ollama": ("response_format",),
    }[wire]
    held = json.dumps([body.get(name) for name in place])
    assert '"city"' in held
    assert not body.get("tools")


@every_wire
def test_an_answer_of_a_given_shape_may_be_found_with_tools(wire: Wire) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    with serve(wire, say('{"city": ', '"Bern"}')) as server:
        heard = ask(model_at(server), replace(REQUEST, schema=schema))
    assert json.loads(heard.text) == {"city": "Bern"}
    sent = json.dumps(server.asked[-1].body)
    # where a vendor takes no schema beside tools, the model is asked in words
    assert "city" in sent
    assert "memory_search" in sent


@every_wire
def test_how_the_model_is_to_answer_reaches_the_vendor(wire: Wire) -> None:
    pixel = Image("image/png", b"\x89PNG")
    turns = (UserTurn("What is this?", images=(pixel,), beside=("<env>Linux</env>",)),)
    with serve(wire, say("A cat.")) as server:
        ask(
            model_at(server),
            replace(REQUEST, turns=turns, temperature=0.5, must_call=("memory_search",), max_tokens=30),
        )
    sent = json.dumps(server.asked[0].body)
    # Claude takes none from its fifth generation on
    assert ('"temperature": 0.5' in sent) is (wire != "anthropic")
    assert b64encode(pixel.data).decode() in sent
    assert "<env>Linux</env>" in sent
    assert "tool_choice" in sent or "functionCallingConfig" in sent


def test_what_a_vendor_does_not_know_is_left_out() -> None:
    chosen = replace(REQUEST, top_p=0.9, seed=7, parallel_tool_calls=False)
    known: dict[Wire, tuple[str, ...]] = {
        "openai": ('"top_p": 0.9', '"seed": 7', '"parallel_tool_calls": false'),
        "responses": ('"top_p": 0.9', '"parallel_tool_calls": false'),
        "gemini": ('"topP": 0.9', '"seed": 7'),
        "anthropic": ('"disable_parallel_tool_use": true',),
    }
    every = {one for ones in known.values() for one in ones}
    for wire, told in known.items():
        with serve(wire, say("Yes.")) as server:
            ask(model_at(server), chosen)
            sent = json.dumps(server.asked[0].body)
            ask(model_at(server), replace(chosen, tools=()))
            assert "parallel" not in json.dumps(server.asked[1].body)
        assert {one for one in every if one in sent} == set(told), wire


@pytest.mark.parametrize("wire", ["anthropic", "openai", "gemini", "ollama"])
def test_the_texts_at_which_an_answer_ends_reach_the_vendor(wire: Wire) -> None:
    with serve(wire, say("Yes.")) as server:
        ask(model_at(server), replace(REQUEST, stop=("STOP HERE",)))
    assert "STOP HERE" in json.dumps(server.asked[0].body)


def test_a_server_that_takes_no_schema_is_asked_in_words() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

    def script(asked: Asked) -> Reply:
        held = asked.body.get("response_format", {}).get("type") == "json_schema"
        return Reply(status=400, fault="rejected") if held else say('{"city": "Bern"}')

    with serve("openai", script=script) as server:
        heard = ask(model_at(server, name="mine/some-model"), replace(REQUEST, schema=schema))
    assert json.loads(heard.text) == {"city": "Bern"}
    assert len(server.asked) == 2
    assert '\\"city\\"' in server.asked[1].words


@pytest.mark.slow
def test_anthropic_gets_the_cache_point_behind_the_prefix_and_tells_what_was_stored() -> None:
    with serve("anthropic", say("Yes.", usage=(300, 9, 100, 150))) as server:
        heard = ask(model_at(server))
    system = server.asked[0].body["system"]
    assert [(part["text"], "cache_control" in part) for part in system] == [(REQUEST.prefix, True)]
    (said,) = server.asked[0].body["messages"]
    assert ["cache_control" in part for part in said["content"]] == [True, False]
    assert REQUEST.delta in said["content"][1]["text"]
    usage = heard.end.usage
    assert (usage.sent, usage.received, usage.cached, usage.stored) == (300, 9, 100, 150)


@pytest.mark.slow
def test_anthropic_caches_the_steps_of_a_turn_that_calls_tools() -> None:
    called = (
        ModelTurn("I look.", (ToolCall("c1", "memory_search", "{}"),)),
        ToolTurn((ToolReturn("c1", "memory_search", "Bern"),)),
    )
    with serve("anthropic", say("Bern.")) as server:
        ask(model_at(server), replace(REQUEST, turns=(*REQUEST.turns, *called)))
    said = server.asked[0].body["messages"]
    assert "cache_control" in said[-1]["content"][-1]
    assert "cache_control" in said[0]["content"][0]


def test_any_server_that_speaks_like_openai_gets_one_system_message_and_needs_no_key() -> None:
    from everself.config.sections import Provider

    with serve("openai", say("Yes.")) as server:
        model = open_model("box/tiny", (Provider("box", base_url=server.url),), StreamTimeouts(stall=5.0))
        heard = ask(model, replace(REQUEST, max_tokens=77))
    assert heard.text == "Yes."
    asked = server.asked[0]
    assert (asked.path, asked.body["model"], asked.body["max_tokens"]) == ("/v1/chat/completions", "tiny", 77)
    assert [message["role"] for message in asked.body["messages"]] == ["system", "user"]
    assert not model.paid


def test_tokens_are_estimated_where_the_vendor_counts_none() -> None:
    with serve("ollama", say("A short answer of seven words, perhaps.", usage=None)) as server:
        usage = ask(model_at(server)).end.usage
    assert not usage.told
    assert usage.sent > usage.received > 3


def test_the_key_travels_in_the_header_alone() -> None:
    with serve("openai", say("Yes.")) as server:
        ask(model_at(server))
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in server.asked[0].words + server.asked[0].path


@every_wire
def test_nothing_of_the_environment_travels_or_leads_elsewhere(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "AUTH_TOKEN", "ORG_ID", "PROJECT_ID"):
        for vendor in ("OPENAI", "ANTHROPIC", "GOOGLE", "GEMINI", "OLLAMA"):
            monkeypatch.setenv(f"{vendor}_{name}", "from-the-environment")
    for vendor in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{vendor}_CUSTOM_HEADERS", "X-Secret: from-the-environment")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serve(wire, say("Yes.")) as server:
        heard = ask(model_at(server))
    assert heard.text == "Yes."
    assert "from-the-environment" not in f"{server.asked[0].headers} {server.asked[0].path} {server.asked[0].words}"
    assert KEY in str(server.asked[0].headers)


@pytest.mark.parametrize(
    "wire", ["openai", *(pytest.param(w, marks=pytest.mark.slow) for w in ("responses", "gemini"))]
)
def test_without_a_key_nothing_leaves_and_the_mend_names_the_setting(wire: Wire) -> None:
    failure = ask(open_model(NAMES[wire], ())).failure
    section = {"responses": "openai"}.get(wire, wire)
    assert failure is not None
    assert (failure.reason, failure.mend) == ("auth", f"everself config set provider.{section}.apiKey KEY")


def test_a_missing_package_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pydantic_ai.models.openai", None)
    heard = ask(open_model(NAMES["openai"], ()))
    assert heard.failure is not None
    assert (heard.failure.reason, heard.failure.mend) == ("missing", install_command("models"))


def test_nothing_leaves_while_calls_are_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve("openai", say("Yes.")) as server:
        monkeypatch.setattr(CALLS, "allowed", False)
        with pytest.raises(RefusedByRule):
            ask(model_at(server))
    assert not server.asked


@every_wire
def test_who_stops_listening_closes_the_connection(wire: Wire) -> None:
    async def listen() -> str:
        async with aclosing(model_at(server).stream(REQUEST)) as stream:
            async for piece in stream:
                assert isinstance(piece, ReplyText)
                return piece.text
        return ""

    with serve(wire, Reply(text=("One", "two"), stall=1)) as server:
        assert asyncio.run(listen()) == "One"
        assert server.left.wait(300)


@every_wire
def test_cancelling_a_task_that_waits_closes_the_connection(wire: Wire) -> None:
    async def listen() -> None:
        async for _ in model_at(server).stream(REQUEST):
            begun.set()

    async def cancel() -> None:
        task = asyncio.create_task(listen())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with serve(wire, Reply(text=("One", "two"), stall=1)) as server:
        begun = asyncio.Event()
        asyncio.run(cancel())
        assert server.left.wait(300)
    assert len(server.asked) == 1


def test_a_model_serves_one_event_loop_after_another() -> None:
    with serve("openai", say("Yes.")) as server:
        model = model_at(server)
        assert [ask(model).text for _ in range(3)] == ["Yes."] * 3


def test_a_failure_never_shows_the_key() -> None:
    with serve("openai", Reply(status=400, fault="rejected")) as server:
        failure = ask(model_at(server)).failure
    assert isinstance(failure, ModelFailed)
    assert failure.__cause__ is None
    assert KEY not in f"{failure} {failure.mend}"


def _instructions(asked: Asked) -> str:
    """All instructions as one text, by the wire."""
    body = asked.body
    match asked.wire:
        case "anthropic":
            parts = [part["text"] for part in body["system"]]
        case "gemini":
            parts = [part["text"] for part in body["systemInstruction"]["parts"]]
        case "responses":
            parts = [body["instructions"]]
        case _:
            parts = [message["content"] for message in body["messages"] if message["role"] in ("system", "developer")]
    return "\n\n".join(parts)
