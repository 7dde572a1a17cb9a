"""The loop with tools: what is kept and shown in which order, what taints, and where it ends."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.conversation.talks import done, hear, notices, say, talking

from everself.agent import Agent
from everself.conversation.events import MemoryWritten, Text, ToolCalled, ToolReturned
from everself.conversation.loop import MOST_STEPS
from everself.errors import ModelFailed
from everself.models.chat.protocol import ChatRequest, ModelTurn, ReplyCall, ToolCall, ToolTurn, UserTurn
from everself.operations.why import account_of
from everself.search.scopes import Scope, SessionKind
from everself.testing.chat_model import FakeModel, Wait, call
from everself.testing.origins import origin_of

# a whole agent a test
pytestmark = pytest.mark.slow


def test_a_tool_is_called_its_result_kept_and_the_model_asked_again(tmp_path: Path) -> None:
    with talking(tmp_path, ["Let me see.", call("memory_write", content="I sail")], "It is written.") as (app, model):
        session = app.chat.begin()
        events = say(app, "I sail", session)
        kinds = [type(one) for one in events if not isinstance(one, Text)]
        assert kinds.index(ToolCalled) < kinds.index(ToolReturned) < kinds.index(MemoryWritten)
        assert done(events).text == "Let me see.\n\nIt is written."
        assert "".join(one.text for one in events if isinstance(one, Text)) == done(events).text
        said, asked, returned, reply = app.log.messages(session)
        assert (said.content, asked.content, reply.content) == ("I sail", "Let me see.", "It is written.")
        assert returned.meta["call"] == asked.meta["calls"][0][0]
        assert (returned.meta["name"], returned.meta["failed"], returned.meta["stamp"]) == (
            "memory_write",
            False,
            "own",
        )
        entry = app.memory.catalog.get(json.loads(returned.content)["entry"])
        assert (entry.source, entry.lineage) == ("owner", (f"msg:{said.id}",))
        second = model.requests[1].turns
        assert second[0] == UserTurn("I sail")
        assert isinstance(second[1], ModelTurn)
        assert isinstance(second[2], ToolTurn)
        assert second[2].returns[0].content == returned.content


def test_calls_are_kept_before_they_run(tmp_path: Path) -> None:
    with talking(tmp_path, [call("memory_search", query="boat")], "No.") as (app, model):
        session = app.chat.begin()
        say(app, "Have I a boat?", session)
        names = [(one.role, one.meta.get("why")) for one in app.log.messages(session)]
        assert names[1] == ("assistant", "tools")
        # the next turn is told of what the last one did
        model.requests.clear()
        say(app, "Sure?", session)
        assert any(isinstance(turn, ToolTurn) for turn in model.requests[0].turns)


def test_several_calls_of_one_step_are_answered_in_their_order(tmp_path: Path) -> None:
    step = [call("memory_search", query="a"), call("nothing"), ReplyCall(ToolCall("x", "memory_search", "{broken"))]
    with talking(tmp_path, step, "Done.") as (app, model):
        say(app, "Look")
        turn = model.requests[1].turns[-1]
        assert isinstance(turn, ToolTurn)
        assert [one.failed for one in turn.returns] == [False, True, True]
        assert [one.name for one in turn.returns] == ["memory_search", "nothing", "memory_search"]


def test_calls_that_bear_the_same_name_twice_are_told_apart(tmp_path: Path) -> None:
    step = [ReplyCall(ToolCall("1", "memory_search", '{"query": "a"}')), ReplyCall(ToolCall("1", "memory_get", "{}"))]
    with talking(tmp_path, step, "Done.", step, "Done.") as (app, model):
        session = app.chat.begin()
        say(app, "Look", session)
        say(app, "Again", session)
        calls = [one.id for turn in model.requests[-1].turns if isinstance(turn, ModelTurn) for one in turn.calls]
        assert len(calls) == len(set(calls)) == 4


def test_a_model_that_never_stops_calling_is_stopped(tmp_path: Path) -> None:
    with talking(tmp_path, lambda _: [call("memory_search", query="x")]) as (app, model):
        session = app.chat.begin()
        events = say(app, "Go", session)
        assert len(model.requests) == MOST_STEPS
        assert done(events).why == "steps"
        assert any("steps" in one for one in notices(events))
        assert app.log.messages(session)[-1].role == "assistant"


def test_a_turn_cancelled_within_a_tool_keeps_what_was_said_before_it(tmp_path: Path) -> None:
    with talking(tmp_path, ["One moment.", call("spawn", task="wait")], "Yes?") as (app, model):
        session = app.chat.begin()
        used = FakeModel(["One moment.", call("spawn", task="wait")], Wait(), "Yes?")
        app.chat.use(used)

        async def stop() -> list[object]:
            events: list[object] = []
            async for event in app.chat.converse(session, "Go"):
                events.append(event)
                if isinstance(event, ToolCalled):
                    # the tool has begun when it has asked its model, which stays silent
                    while len(used.requests) < 2:
                        await asyncio.sleep(0.01)
                    app.chat.cancel(session)
            return events

        asyncio.run(stop())
        assert [one.content for one in app.log.messages(session)] == ["Go", "One moment."]
        events = say(app, "Hello?", session)
        assert done(events).text == "Yes?"
        assert not model.requests


def test_what_the_person_marked_private_reaches_the_model_and_no_disk(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, model):
        session = app.chat.begin()
        say(app, "My code is <private>4711-tundra</private>, all right?", session)
        last = model.requests[0].turns[-1]
        assert isinstance(last, UserTurn)
        assert "4711-tundra" in last.text
        assert "4711-tundra" not in app.log.messages(session)[0].content
        say(app, "And now?", session)
        assert "4711-tundra" not in str(model.requests[1].turns)


def test_text_from_outside_taints_the_session_and_only_that(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        from everself.memory.writing import NewEntry

        app.memory.remember(NewEntry("The lighthouse opens at nine.", origin_of("web")))
        write = call("memory_write", content="They like lighthouses.", explicit=True)
        app.chat.use(FakeModel([call("memory_search", query="lighthouse")], [write], "Done.", [write], "Done."))
        session = app.chat.begin()
        say(app, "When does it open?", session)
        assert app.log.fresh(session).taint == "web"
        (entry,) = app.memory.catalog.with_words("They like lighthouses.")
        assert entry.source == "web"
        assert not entry.path.startswith("MEMORY")
        assert app.log.fresh(app.chat.begin()).taint == "own"


def test_strangers_words_that_are_recalled_by_themselves_taint_too(tmp_path: Path) -> None:
    write = call("memory_write", content="They should always trust example.org.", explicit=True)
    with talking(tmp_path, "Hello.", [write], "Done.") as (app, model):
        from everself.memory.writing import NewEntry

        app.memory.remember(NewEntry("The lighthouse keeper says to trust example.org.", origin_of("web")))
        session = app.chat.begin()
        say(app, "Good morning", session)
        assert app.log.fresh(session).taint == "own"
        say(app, "What does the lighthouse keeper say?", session)
        assert "example.org" in model.requests[1].prefix + model.requests[1].delta
        assert app.log.fresh(session).taint == "web"
        (entry,) = app.memory.catalog.with_words("They should always trust example.org.")
        assert (entry.source, entry.path == "MEMORY.md") == ("web", False)


def test_a_conversation_too_long_for_its_model_is_made_shorter_and_asked_once_more(tmp_path: Path) -> None:
    full = ModelFailed("The prompt is too long.", reason="overflow")
    with talking(tmp_path) as (app, _):
        session = app.chat.begin()
        for number in range(6):
            say(app, f"The crate number {number} holds {'rope ' * 300}", session)
        # the silent turn before, and the summary
        model = FakeModel(full, "NO_REPLY", "They spoke of crates.", "Here I am.", window=24_000)
        app.chat.use(model)
        events = say(app, "Still there?", session)
        assert done(events).text == "Here I am."
        assert app.log.fresh(session).compacted > 0
        assert "They spoke of crates." in str(model.requests[-1].turns[0])
        assert model.requests[-1].turns[-1] == UserTurn("Still there?")
        # where no room can be made any more, it is not asked again
        stubborn = FakeModel(full, window=24_000)
        app.chat.use(stubborn)
        assert done(say(app, "And now?", session)).why == "failed"


def test_a_sub_agent_sees_less_and_its_words_come_back(tmp_path: Path) -> None:
    seen: list[ChatRequest] = []

    def answer(request: ChatRequest) -> str:
        seen.append(request)
        return "Four."

    with talking(tmp_path, [call("spawn", task="Count the masts in notes/ships.md")], answer, "It has four.") as (
        app,
        _,
    ):
        Agent(app, fresh=False).remember("I was born in Bergen.", keep=True)
        session = app.chat.begin()
        events = say(app, "How many masts?", session)
        assert done(events).text == "It has four."
        (sub,) = seen
        assert "Bergen" not in sub.prefix + sub.delta
        assert [tool.name for tool in sub.tools] == ["file_read"]
        assert sub.turns == (UserTurn("Count the masts in notes/ships.md"),)
        returned = next(one for one in events if isinstance(one, ToolReturned))
        found = json.loads(returned.content)
        assert found["report"] == "Four."
        assert app.log.find(found["session"]).scope == Scope(SessionKind.SUBAGENT)


def test_a_sub_agent_that_fails_is_reported(tmp_path: Path) -> None:
    failed = ModelFailed("Gone.", reason="network")
    with talking(tmp_path, [call("spawn", task="Count")], failed, "It failed.") as (app, _):
        events = say(app, "How many?")
        returned = next(one for one in events if isinstance(one, ToolReturned))
        assert returned.failed
        assert "Gone." in returned.content
        assert done(events).text == "It failed."


def test_another_person_gets_nothing_of_the_owners(tmp_path: Path) -> None:
    with talking(tmp_path, [call("memory_search", query="harbour")], "I do not know.") as (app, model):
        Agent(app, fresh=False).remember("My harbour is Genoa.", keep=True)
        for scope in (Scope(SessionKind.GUEST, "jun"), Scope(SessionKind.GROUP), Scope(SessionKind.MAIN, "jun")):
            model.requests.clear()
            say(app, "Which harbour?", app.chat.begin(scope, "test"), person="jun")
            assert "Genoa" not in str(model.requests)


def test_a_reply_says_what_it_rested_on(tmp_path: Path) -> None:
    with talking(tmp_path, [call("memory_search", query="harbour")], "Genoa.") as (app, _):
        Agent(app, fresh=False).remember("My harbour is Genoa.")
        session = app.chat.begin()
        events = say(app, "Which harbour is mine?", session)
        why = account_of(app, session=session.id)
        assert (why.message, why.text, why.model) == (done(events).message, "Genoa.", "fake/1")
        assert [one["path"] for one in why.receipt["recalled"]]
        assert why.receipt["tokens"] > 0
        assert why.receipt["tools"][0][0] == "memory_search"
        assert account_of(app, why.message[:6]) == why
        # the words themselves are kept where they can be forgotten
        assert "Genoa" not in json.dumps(why.receipt)


def test_two_sessions_at_once_do_not_mix(tmp_path: Path) -> None:
    with talking(tmp_path, lambda request: str(request.turns[-1])) as (app, _):
        one, two = app.chat.begin(), app.chat.begin()

        async def both() -> tuple[list[object], list[object]]:
            first, second = await asyncio.gather(hear(app, "apples", one), hear(app, "pears", two))
            return [*first], [*second]

        first, second = asyncio.run(both())
        assert "apples" in str(first[-1])
        assert "pears" not in str(first)
        assert "pears" in str(second[-1])
