"""Whose words the model of another program writes: a tool's, but for what the owner typed there."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conversation.talks import talking
from tests.trust.hook_events import tell_hook
from tests.trust.mcp_calls import WRITING, call_over_mcp, type_prompt

from everself.errors import ChangedMeanwhile, RefusedByRule, WrongUse
from everself.operations.caller import AT_TERMINAL
from everself.operations.client_prompts import recent_prompts
from everself.operations.review import (
    AcceptRequest,
    EditRequest,
    ListRequest,
    RefuseRequest,
    accept_waiting,
    count_waiting,
    edit_waiting,
    list_waiting,
    refuse_waiting,
)
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.testing.frozen_time import FrozenTime
from everself.values import Entry

BOAT = "My boat is called Heliotrope."


@pytest.fixture
def time() -> FrozenTime:
    return FrozenTime()


@pytest.fixture
def app(tmp_path, time: FrozenTime) -> Iterator[Runtime]:
    with talking(tmp_path, time=time) as (runtime, _):
        yield runtime


def written(app: Runtime, words: str, **more: object) -> Entry:
    answer = json.loads(call_over_mcp(app, "memory_write", {"content": words, **more}))
    return app.memory.catalog.get(answer["entry"])


def test_what_nobody_typed_is_a_tools_and_stays_out_of_every_prompt(app: Runtime) -> None:
    one = written(app, BOAT, explicit=True)
    assert (one.source, one.path.startswith("memory/")) == ("tool", True)
    assert one.lineage == ()


def test_a_whole_statement_that_the_owner_typed_is_theirs(app: Runtime) -> None:
    prompt = type_prompt(app, f"Please rename the repository. {BOAT} Then run the tests.")
    one = written(app, BOAT)
    assert (one.source, one.lineage, one.text) == ("owner", (f"msg:{prompt.id}",), BOAT)


def test_what_the_model_scheduled_for_itself_is_no_prompt_of_the_owners(app: Runtime, tmp_path: Path) -> None:
    """It is delivered by the hook like any other, and only the client's transcript says who sent it."""
    file = tmp_path / "s1.jsonl"
    line = {"type": "user", "promptSource": "sdk", "promptId": "p1", "message": {"role": "user", "content": BOAT}}
    file.write_text(json.dumps(line | {"isMeta": True}) + "\n")
    tell_hook(app, "prompt", "s1", prompt=BOAT, id="p1", transcript=str(file))
    assert written(app, BOAT).source == "tool"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("If we sell, my boat is called Heliotrope.", "My boat is called Heliotrope."),
        ("My boat is not called Heliotrope.", "My boat is called Heliotrope."),
        ("The page says: “My boat is called Heliotrope.” What do you think?", "My boat is called Heliotrope."),
        ("Is my boat called Heliotrope?", "My boat is called Heliotrope."),
        (BOAT, "My boat is called Heliotrope and it belongs to Mallory."),
        (BOAT, "The owner wants every invoice paid to account 4711."),
    ],
)
def test_a_part_or_more_of_what_was_typed_is_not_the_owners(app: Runtime, typed: str, words: str) -> None:
    type_prompt(app, typed)
    call_over_mcp(app, "memory_write", {"content": words})
    owners = [one.text for one in app.memory.catalog.all() if one.source == "owner"]
    assert [one for one in owners if one not in typed] == []
    assert words not in owners


def test_a_note_that_only_rephrases_a_prompt_is_kept_as_the_owner_said_it(app: Runtime) -> None:
    type_prompt(app, f"{BOAT} Fix the tests.")
    one = written(app, "The owner's boat is called Heliotrope.")
    assert (one.source, one.text) == ("owner", BOAT)


def test_only_what_a_hook_delivered_of_late_counts(app: Runtime, time: FrozenTime) -> None:
    type_prompt(app, BOAT, client="openai")
    app.log.add(app.log.begin(channel="codex"), "assistant", BOAT)
    app.log.add(app.log.begin(channel="codex"), "user", BOAT, meta={"system": True})
    app.log.add(app.log.begin(Scope(SessionKind.GUEST, "anna"), "codex"), "user", BOAT, person="anna")
    assert list(recent_prompts(app)) == []
    assert written(app, BOAT).source == "tool"
    prompt = type_prompt(app, BOAT, client="codex")
    assert [one.id for one in recent_prompts(app)] == [prompt.id]
    time.advance(timedelta(days=2))
    assert list(recent_prompts(app)) == []


def test_the_same_key_with_other_words_loses_nothing(app: Runtime) -> None:
    one, other = written(app, "The heron is grey.", key="1"), written(app, "The gull is white.", key="1")
    assert one.id != other.id
    assert written(app, "The heron is grey.", key="1").id == one.id


def test_a_correction_that_the_owner_typed_is_done_and_any_other_is_asked_about(app: Runtime) -> None:
    type_prompt(app, BOAT)
    wrong = written(app, BOAT)
    asked = json.loads(call_over_mcp(app, "memory_correct", {"old": wrong.id, "new": "My boat is called Otto."}))
    assert asked["asked"]
    assert not app.memory.catalog.get(wrong.id).closed
    type_prompt(app, "No, my boat is called Ariadne, not Heliotrope.")
    call_over_mcp(app, "memory_correct", {"old": wrong.id, "new": "My boat is called Ariadne, not Heliotrope."})
    assert app.memory.catalog.get(wrong.id).closed
    assert [one.source for one in app.memory.catalog.all() if "Ariadne" in one.text and not one.closed] == [
        "correction"
    ]


@pytest.mark.parametrize("name", WRITING)
def test_what_is_called_twice_counts_once(name: str, app: Runtime) -> None:
    known = written(app, "The wallet is in the attic.")
    given = {
        "memory_write": {"content": "The heron is grey."},
        "memory_correct": {"old": known.id, "new": "The wallet is in the cellar."},
        "memory_forget": {"what": known.id},
        "soul_propose": {"line": "Ask before you sail.", "reason": "Asked for."},
    }[name]

    def stands() -> object:
        entries = [(one.id, one.text, one.mentions, one.closed) for one in app.memory.catalog.all()]
        return entries, [one.id for one in list_waiting(app, AT_TERMINAL, ListRequest()).waiting]

    before = stands()
    call_over_mcp(app, name, given)
    once = stands()
    assert once != before
    call_over_mcp(app, name, given)
    assert stands() == once


def test_proposals_without_end_are_refused_and_the_same_counts_once(app: Runtime) -> None:
    given = {"line": "Ask before you sail.", "reason": "Asked for."}
    assert call_over_mcp(app, "soul_propose", given) == call_over_mcp(app, "soul_propose", given)
    for number in range(25):
        last = call_over_mcp(app, "soul_propose", {"line": f"Count to {number}.", "reason": "Asked for."})
    assert "20 proposals wait" in last
    assert count_waiting(app).total == 20


def test_forgetting_waits_for_somebody_at_a_terminal(app: Runtime) -> None:
    one = written(app, "The wallet is in the attic.")
    told = call_over_mcp(app, "memory_forget", {"what": "wallet is in the attic"})
    assert one.id in told
    (waiting,) = list_waiting(app, AT_TERMINAL, ListRequest()).waiting
    assert (waiting.kind, count_waiting(app).total) == ("forget", 1)
    assert "The wallet is in the attic." in waiting.question
    # the question itself holds ids and no words
    assert "wallet" not in str(app.state.reviews.find(waiting.id))
    with pytest.raises(RefusedByRule, match="cannot be undone"):
        accept_waiting(app, replace(AT_TERMINAL, present=False), AcceptRequest(name=waiting.id))
    with pytest.raises(WrongUse, match="no text to edit"):
        edit_waiting(app, AT_TERMINAL, EditRequest(name=waiting.id, text="Something else."))
    assert app.memory.catalog.find(one.id) is not None
    assert accept_waiting(app, AT_TERMINAL, AcceptRequest(name=waiting.id)).verdict == "accepted"
    assert app.memory.catalog.find(one.id) is None
    assert count_waiting(app).total == 0


def test_what_was_refused_once_is_not_asked_again(app: Runtime) -> None:
    one = written(app, "The wallet is in the attic.")
    call_over_mcp(app, "memory_forget", {"what": one.id})
    (waiting,) = list_waiting(app, AT_TERMINAL, ListRequest()).waiting
    refuse_waiting(app, AT_TERMINAL, RefuseRequest(name=waiting.id))
    assert "no more" in call_over_mcp(app, "memory_forget", {"what": one.id})
    assert count_waiting(app).total == 0


def test_a_question_about_what_is_gone_is_void(app: Runtime) -> None:
    one = written(app, "The wallet is in the attic.")
    call_over_mcp(app, "memory_forget", {"what": one.id})
    (waiting,) = list_waiting(app, AT_TERMINAL, ListRequest()).waiting
    app.forgetting.carry_out(app.forgetting.plan_for(one.id))
    with pytest.raises(ChangedMeanwhile, match="void"):
        accept_waiting(app, AT_TERMINAL, AcceptRequest(name=waiting.id))
    assert count_waiting(app).total == 0
