"""Conversations that grow long, overflow, end or are killed: what was stated is in memory, and what must stand whole does."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.conversation.talks import done, notices, say, talking

from everself.agent import Agent
from everself.config.sections import Compaction
from everself.conversation.compaction import cut_at, limit_of
from everself.conversation.events import Accepted, Event, Notice
from everself.conversation.sessions.session import Session
from everself.errors import ModelFailed
from everself.models.chat.protocol import ChatRequest, ReplyText, ToolTurn, UserTurn
from everself.runtime import Runtime
from everself.testing.chat_model import Answer, FakeModel, call

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

LONG = "and so on and on " * 500


def settings(reserve: int = 20_000, soft: int = 4_000) -> Compaction:
    return Compaction(reserve_tokens=reserve, flush=True, soft_threshold=soft)


def texts(app: Runtime) -> list[str]:
    return [one.text for one in app.memory.catalog.all()]


def kinds(model: FakeModel) -> list[str]:
    """What each request was for."""
    found = []
    for one in model.requests:
        if one.prefix.startswith("You make a record"):
            found.append("summary")
        elif one.prefix.startswith("You write a note"):
            found.append("note")
        elif isinstance(one.turns[-1], UserTurn) and "NO_REPLY" in one.turns[-1].text:
            found.append("flush")
        else:
            found.append("turn")
    return found


def answering(request: ChatRequest) -> Answer:
    if request.prefix.startswith("You make a record"):
        return "A summary of what was said."
    if isinstance(request.turns[-1], UserTurn) and "NO_REPLY" in request.turns[-1].text:
        return "NO_REPLY"
    # in one piece: word by word would be thousands of events
    return ReplyText(f"I see. {LONG}")


def talk(app: Runtime, session: Session, lines: Sequence[str]) -> list[Event]:
    return [event for line in lines for event in say(app, line, session)]


@pytest.mark.parametrize(
    ("window", "limit"), [(200_000, 176_000), (128_000, 104_000), (32_000, 20_000), (8_000, 5_000), (80_000, 56_000)]
)
def test_the_limit_is_the_window_less_reserve_and_soft_threshold(window: int, limit: int) -> None:
    assert limit_of(window, settings()) == limit
    assert limit_of(window, settings(0, 0)) == window


def test_what_stays_begins_with_the_person_and_holds_the_message_that_is_being_answered(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        session = app.chat.begin()
        for _number in range(5):
            app.log.add(session, "user", "words " * 50)
            app.log.add(session, "assistant", "", meta={"calls": [["a", "b", "{}"]]})
            app.log.add(session, "tool", "result " * 50, meta={"call": "a"})
        app.log.add(session, "user", "words " * 50)
        messages = app.log.messages(session)
        assert cut_at(messages, 10) == 15
        assert cut_at(messages, 100_000) == 0
        cuts = {cut_at(messages, tokens) for tokens in range(0, 2_000, 20)}
        assert cuts == {0, 3, 6, 9, 12, 15}


@pytest.mark.slow
def test_near_the_limit_what_was_stated_is_kept_then_flushed_then_summarised(tmp_path: Path) -> None:
    with talking(tmp_path, model=FakeModel(answering, window=16_000)) as (app, model):
        session = app.chat.begin()
        events = talk(app, session, [f"My cousin number {number} is called Zora{number}." for number in range(10)])
        now = app.log.fresh(session)
        asked = kinds(model)
        assert now.compacted > 0
        assert now.summary == "A summary of what was said."
        assert asked.count("summary") == asked.count("flush") >= 2
        # in this order, once each, every time
        order = [one for one in asked if one != "turn"]
        assert order == ["flush", "summary"] * (len(order) // 2)
        assert any("became a summary" in text for text in notices(events))
        kept = " ".join(texts(app))
        cut = [one for one in app.log.messages(session) if one.role == "user" and one.seq <= now.compacted]
        assert len(cut) >= 5
        assert all(one.content.rstrip(".").rpartition(" ")[2] in kept for one in cut)
        last = [one for one in model.requests if kinds_of(one) == "turn"][-1]
        assert "A summary of what was said." in str(last.turns[0])
        assert last.turns[-1] == UserTurn("My cousin number 9 is called Zora9.")


def kinds_of(request: ChatRequest) -> str:
    model = FakeModel()
    model.requests = [request]
    return kinds(model)[0]


def test_soul_and_corrections_stand_whole_after_it(tmp_path: Path) -> None:
    with talking(tmp_path, model=FakeModel(answering, window=16_000)) as (app, model):
        Agent(app, fresh=False).remember("The harbour fee is 40 euros.")
        Agent(app, fresh=False).correct("The harbour fee is 40 euros.", "The harbour fee is 45 euros.")
        soul = Path(app.agent.workspace, "SOUL.md").read_text().strip()
        session = app.chat.begin()
        talk(app, session, [f"My cousin number {number} is called Zora{number}." for number in range(5)])
        assert app.log.fresh(session).compacted > 0
        last = model.requests[-1]
        assert soul in last.prefix
        assert "The harbour fee is 45 euros." in last.prefix + last.delta


def test_an_overflow_makes_room_and_the_message_is_answered_once(tmp_path: Path) -> None:
    full = ModelFailed("Too long.", reason="overflow")
    script = [ReplyText(f"One. {LONG}"), ReplyText(f"Two. {LONG}"), full, answering, answering, "At last."]
    with talking(tmp_path, *script) as (app, model):
        session = app.chat.begin()
        talk(app, session, ["I live in Oslo.", f"My dog is called Rex. {LONG * 3}"])
        events = say(app, "Are you there?", session)
        assert done(events).text == "At last."
        assert [one.content for one in app.log.messages(session) if one.role == "user"].count("Are you there?") == 1
        assert model.requests[-1].turns[-1] == UserTurn("Are you there?")
        assert any("Oslo" in text for text in texts(app))


def test_a_model_that_can_summarise_nothing_leaves_how_each_message_began(tmp_path: Path) -> None:
    def refusing(request: ChatRequest) -> str | ModelFailed:
        return "Yes." if kinds_of(request) == "turn" else ModelFailed("No.", reason="server")

    with talking(tmp_path, refusing) as (app, _):
        session = app.chat.begin()
        talk(app, session, ["I live in Oslo.", LONG * 10, "Go on."])
        made = asyncio.run(app.chat.compact(session))
        assert "User: I live in Oslo." in made.session.summary
        assert "The model could not write the summary" in made.notice


def test_what_the_flush_writes_is_the_agents_word(tmp_path: Path) -> None:
    def storing(request: ChatRequest) -> Answer:
        if kinds_of(request) == "flush":
            return call("memory_write", content="The person likes fjords more than lakes.")
        return "NO_REPLY" if isinstance(request.turns[-1], ToolTurn) else answering(request)

    with talking(tmp_path, storing) as (app, _):
        session = app.chat.begin()
        talk(app, session, ["I was at a fjord.", *["The day was long and the lake was cold."] * 60, "Go on."])
        asyncio.run(app.chat.compact(session))
        found = [one for one in app.memory.catalog.all() if "fjords more" in one.text]
        said = {f"msg:{one.id}" for one in app.log.messages(session) if one.role == "user"}
        assert [(one.source, len(one.lineage)) for one in found] == [("agent", 1)]
        assert set(found[0].lineage) <= said
        # neither its instruction nor its calls are part of the conversation
        assert [one.role for one in app.log.messages(session)] == ["user", "assistant"] * 62


@pytest.mark.slow
def test_a_huge_transcript_is_compacted_whatever_the_window(tmp_path: Path) -> None:
    with talking(tmp_path, model=FakeModel(answering, window=10_000_000)) as (app, model):
        session = app.chat.begin()
        app.log.add(session, "user", "I live in Oslo.")
        for _number in range(8):
            app.log.add(session, "assistant", "x" * 300_000)
            app.log.add(session, "user", "Go on.")
        say(app, "And now?", session)
        assert app.log.fresh(session).compacted > 0
        assert "summary" in kinds(model)
        assert any("Oslo" in text for text in texts(app))
        # one cycle is over: the next turn is an ordinary one
        before = len(model.requests)
        say(app, "And then?", session)
        assert kinds(model)[before:] == ["turn"]


def test_leaving_keeps_what_was_stated_and_a_kill_is_made_up_for_at_the_next_start(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        session = app.chat.begin()
        say(app, "I live in Oslo.", session)
        asyncio.run(app.chat.close(session))
        assert any("Oslo" in text for text in texts(app))
        say(app, "My dog is called Rex.", session)
        assert not any("Rex" in text for text in texts(app))
    with talking(tmp_path) as (app, _):
        events = say(app, "Hello")
        assert isinstance(events[0], Accepted)
        assert any("Rex" in text for text in texts(app))


def test_new_leaves_a_note_and_begins_anew(tmp_path: Path) -> None:
    def noting(request: ChatRequest) -> str:
        return "oslo move\nThey move to Oslo in May." if kinds_of(request) == "note" else "Fine."

    with talking(tmp_path, noting) as (app, model):
        session = app.chat.begin()
        talk(app, session, ["I move to Oslo in May.", "Is that far?"])
        renewed = asyncio.run(app.chat.renew(session))
        day = app.clock.today().isoformat()
        assert renewed.note == f"memory/{day}-oslo-move.md"
        text = Path(app.agent.workspace, renewed.note).read_text()
        assert text.startswith(f"# Session agent:main:main · {session.id} · cli · {day}")
        assert "They move to Oslo in May." in text
        assert renewed.session.id != session.id
        assert app.log.fresh(session).ended
        assert any("I move to Oslo in May." in one for one in texts(app))
        assert "User: Is that far?" in str(model.requests[-1].turns)


def test_without_a_model_that_helps_the_note_has_the_lines_and_the_hour(tmp_path: Path) -> None:
    def failing(request: ChatRequest) -> str | ModelFailed:
        return "Fine." if kinds_of(request) == "turn" else ModelFailed("No.", reason="server")

    with talking(tmp_path, failing) as (app, _):
        notes = []
        for _number in range(2):
            session = app.chat.begin()
            talk(app, session, ["I move to Oslo in May."])
            notes.append(asyncio.run(app.chat.renew(session)).note)
        stem = notes[0].removesuffix(".md")
        assert stem[-4:].isdigit()
        assert len(set(notes)) == 2
        text = Path(app.agent.workspace, notes[0]).read_text()
        assert "- User: I move to Oslo in May." in text
        assert "- Assistant: Fine." in text


def test_a_conversation_without_words_leaves_no_note(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        session = app.chat.begin()
        assert asyncio.run(app.chat.renew(session)).note == ""
        app.log.add(session, "user", "/help")
        assert asyncio.run(app.chat.renew(session)).note == ""
        assert not [one for one in Path(app.agent.workspace, "memory").iterdir() if one.suffix == ".md"]


def test_nothing_happens_where_nothing_could_go(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, model):
        session = app.chat.begin()
        say(app, "I live in Oslo.", session)
        made = asyncio.run(app.chat.compact(session))
        assert made.session.compacted == 0
        assert kinds(model) == ["turn"]
        assert not [one for one in say(app, "Go on.", session) if isinstance(one, Notice) and "summary" in one.text]


def test_a_correction_puts_right_what_stands_nowhere_but_in_the_conversation(tmp_path: Path) -> None:
    with talking(tmp_path, "I see.") as (app, _):
        session = app.chat.begin()
        talk(app, session, ["My sister lives in Bergen.", "No, my sister lives in Oslo, not Bergen."])
        asyncio.run(app.chat.close(session))
        held = [one for one in app.memory.catalog.all() if not one.closed and one.path != "CORRECTIONS.md"]
        assert [one.text for one in held if "sister" in one.text] == ["My sister lives in Oslo."]
