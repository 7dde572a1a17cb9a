"""The agent's own words are no candidates: notes of sessions, replies, and what a job told it. What people said is."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conversation.talks import hear, talking
from tests.operations.promotions import find_candidates, review_week

from everself.agent import Agent
from everself.conversation.reflex.model import Reflex
from everself.keepers.scheduler import NewJob
from everself.memory.provenance import AGENT
from everself.memory.writing import NewEntry
from everself.operations.jobs import perform
from everself.operations.promotion import PromoteRequest
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.testing.chat_model import call
from everself.testing.origins import origin_of

# many small steps with real files add up
pytestmark = pytest.mark.slow


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Runtime]:
    with talking(tmp_path) as (opened, _):
        opened.chat.use(Reflex())
        yield opened


def found(app: Runtime) -> list[str]:
    return [one.text for one in find_candidates(app, PromoteRequest())]


def told_by_a_job(app: Runtime, words: str) -> None:
    job = app.schedule.add(NewJob("nightly", "every", "1d", "message", words))
    perform(app, job, "2026-03-20T09:00:00")


def test_the_note_of_a_session_is_none(app: Runtime) -> None:
    async def talk() -> None:
        session = app.chat.begin()
        await hear(app, "Hello!", session)
        await hear(app, "How are you today?", session)
        app.log.add(session, "assistant", "I'll remember that. We decided on oak. Remember this: important!")
        await app.chat.renew(session)

    asyncio.run(talk())
    notes = [one for one in app.memory.catalog.all() if "decided on oak" in one.text]
    assert notes
    assert found(app) == []
    assert review_week(app).queued == ()


def test_a_summary_of_a_session_and_what_rests_on_a_reply_are_none(app: Runtime) -> None:
    session = app.log.begin()
    asked = app.log.add(session, "user", "What about the doors?")
    answered = app.log.add(session, "assistant", "We decided on oak.")
    for words, message, category in (
        ("We decided on oak, and that is important.", asked, "session"),
        ("We decided on oak doors.", answered, "note"),
    ):
        app.memory.remember(NewEntry(words, origin_of(AGENT, f"msg:{message.id}"), category))
    assert found(app) == []


def test_what_a_job_says_and_is_answered_is_none(app: Runtime) -> None:
    told_by_a_job(app, "Remember that the budget is important: we decided on oak.")
    said = [one for one in app.memory.catalog.all() if "oak" in one.text or one.category == "cron"]
    assert said
    assert found(app) == []


def test_what_a_model_writes_down_or_replies_during_a_job_is_none(tmp_path: Path) -> None:
    words = "Remember this: we decided on oak."
    with talking(tmp_path, [call("memory_write", content=words)], words) as (app, _):
        told_by_a_job(app, "Look at the notes.")
        assert [one.text for one in app.memory.catalog.all() if "oak" in one.text]
        assert found(app) == []


def test_what_the_owner_said_is_and_so_is_what_was_concluded_from_it(tmp_path: Path) -> None:
    concluded = "We decided on oak doors for the shed."
    with talking(tmp_path, [call("memory_write", content=concluded, tag="decision")], "Fine.") as (app, _):
        session = app.chat.begin(Scope(SessionKind.MAIN))
        asyncio.run(hear(app, "Oak it is, for the doors.", session))
        Agent(app, fresh=False).remember("We decided on slate.", tag="decision")
        assert sorted(found(app)) == [concluded, "We decided on slate."]
