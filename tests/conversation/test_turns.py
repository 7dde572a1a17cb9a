"""What a turn is made of: events in order, what is stored when, and how it ends."""

import asyncio
from pathlib import Path

import pytest
from tests.conversation.talks import done, hear, notices, say, talking

from everself.agent import Agent
from everself.conversation.events import Accepted, Done, Text
from everself.errors import ModelFailed
from everself.models.chat.protocol import ChatRequest, ModelTurn, ReplyEnd, ReplyText, UserTurn
from everself.testing.chat_model import FakeModel, Wait

# a whole agent a test
pytestmark = pytest.mark.slow


def test_a_turn_begins_with_accepted_and_ends_with_done(tmp_path: Path) -> None:
    with talking(tmp_path, "Good morning to you.") as (app, model):
        session = app.chat.begin()
        events = say(app, "Good morning", session)
        accepted = events[0]
        assert isinstance(accepted, Accepted)
        assert accepted.session == session.id
        assert [type(one) for one in events].count(Done) == 1
        assert (
            "".join(one.text for one in events if isinstance(one, Text)) == done(events).text == "Good morning to you."
        )
        assert done(events).why == "stop"
        said, reply = app.log.messages(session)
        assert (said.id, said.content, said.role) == (accepted.message, "Good morning", "user")
        assert (reply.id, reply.content, reply.role) == (done(events).message, "Good morning to you.", "assistant")
        assert model.requests[0].turns == (UserTurn("Good morning"),)


def test_a_message_is_durable_before_the_model_sees_it(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        seen: list[list[str]] = []

        def look(_: ChatRequest) -> str:
            seen.append([one.content for one in app.log.messages(session)])
            return "All right."

        app.chat.use(FakeModel(look))
        session = app.chat.begin()
        say(app, "I sail", session)
        assert seen == [["I sail"]]


def test_a_conversation_goes_on_in_another_process(tmp_path: Path) -> None:
    with talking(tmp_path, "Noted.") as (app, _):
        first = app.chat.begin()
        say(app, "I have two cats", first)
    with talking(tmp_path, "Two.") as (app, model):
        session = app.chat.begin(resume="last")
        assert session.id == first.id
        say(app, "How many?", session)
        assert model.requests[0].turns == (UserTurn("I have two cats"), ModelTurn("Noted."), UserTurn("How many?"))


def test_the_prefix_stays_the_same_over_a_conversation(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, model):
        session = app.chat.begin()
        for text in ("one", "two", "three"):
            say(app, text, session)
        assert len({one.prefix for one in model.requests}) == 1


def test_the_history_stays_as_it_was_sent(tmp_path: Path) -> None:
    """What was done with a message, and the question about it, stand in every later request as they stood in the first."""
    with talking(tmp_path, "Right.", "Which?", "Good.") as (app, model):
        Agent(app, fresh=False).remember("My sister is called Mira.")
        session = app.chat.begin()
        say(app, "No, my sister is called Mia, not Mira.", session)
        say(app, "No, that is wrong.", session)
        say(app, "Never mind.", session)
    first, second, third = model.requests
    corrected, unclear = first.turns[0], second.turns[2]
    assert isinstance(corrected, UserTurn)
    assert isinstance(unclear, UserTurn)
    assert (bool(corrected.done), bool(corrected.unclear)) == (True, False)
    assert (bool(unclear.done), bool(unclear.unclear)) == (False, True)
    assert third.turns[:4] == (*second.turns, ModelTurn("Which?"))
    assert second.turns[:2] == (*first.turns, ModelTurn("Right."))


def test_a_model_that_fails_leaves_the_message_and_the_next_turn_goes_on(tmp_path: Path) -> None:
    failed = ModelFailed("The vendor is overloaded.", reason="server", mend="Try again in a minute.")
    with talking(tmp_path, failed, "Here I am.") as (app, model):
        session = app.chat.begin()
        events = say(app, "Are you there?", session)
        assert done(events).why == "failed"
        assert done(events).message == ""
        assert "The model did not answer. The vendor is overloaded." in notices(events)
        assert done(say(app, "And now?", session)).text == "Here I am."
        assert model.requests[1].turns == (UserTurn("Are you there?"), UserTurn("And now?"))


def test_what_a_model_said_before_it_broke_off_is_kept(tmp_path: Path) -> None:
    with talking(tmp_path, ["Once upon", ModelFailed("The line is dead.", reason="network")]) as (app, _):
        session = app.chat.begin()
        events = say(app, "Tell me a story", session)
        assert (done(events).why, done(events).text) == ("failed", "Once upon")
        reply = app.log.messages(session)[-1]
        assert (reply.content, reply.meta["why"]) == ("Once upon", "failed")


def test_a_turn_that_is_cancelled_keeps_what_was_said(tmp_path: Path) -> None:
    with talking(tmp_path, ["Once upon", Wait()], "Yes?") as (app, _):
        session = app.chat.begin()

        async def stop() -> list[object]:
            events: list[object] = []
            async for event in app.chat.converse(session, "Tell me a story"):
                events.append(event)
                if isinstance(event, Text) and event.text == "upon":
                    assert app.chat.cancel(session)
            return events

        events = asyncio.run(stop())
        last = events[-1]
        assert isinstance(last, Done)
        assert (last.why, last.text) == ("cancelled", "Once upon")
        assert [one.content for one in app.log.messages(session)] == ["Tell me a story", "Once upon"]
        assert done(say(app, "Hello?", session)).text == "Yes?"


def test_whoever_stops_listening_stops_the_turn_and_loses_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, ["Once upon", Wait()]) as (app, _):
        session = app.chat.begin()

        async def leave() -> None:
            heard = asyncio.Event()
            said = ""

            async def listen() -> None:
                nonlocal said
                async for event in app.chat.converse(session, "Tell me a story"):
                    said += event.text if isinstance(event, Text) else ""
                    if said == "Once upon":
                        heard.set()

            task = asyncio.ensure_future(listen())
            await heard.wait()
            task.cancel()
            await asyncio.wait({task})
            assert task.cancelled()

        asyncio.run(leave())
        assert [one.content for one in app.log.messages(session)] == ["Tell me a story", "Once upon"]


def test_an_answer_that_was_cut_off_says_so(tmp_path: Path) -> None:
    with talking(tmp_path, [ReplyText("It began"), ReplyEnd(why="length")]) as (app, _):
        events = say(app, "Tell me everything")
        assert done(events).why == "length"
        assert any("cut off" in one for one in notices(events))


def test_two_messages_at_once_are_answered_one_after_the_other(tmp_path: Path) -> None:
    with talking(tmp_path, ["One.", Wait(0.05)], "Two.") as (app, model):
        session = app.chat.begin()

        async def both() -> None:
            await asyncio.gather(hear(app, "first", session), hear(app, "second", session))

        asyncio.run(both())
        assert [one.content for one in app.log.messages(session)] == ["first", "One.", "second", "Two."]
        assert len(model.requests) == 2


def test_a_turn_that_is_cancelled_at_once_ends_well_and_what_waits_goes_on(tmp_path: Path) -> None:
    with talking(tmp_path, "Here.") as (app, _):
        session = app.chat.begin()

        async def hurry(steps: int) -> list[object]:
            first = asyncio.ensure_future(hear(app, "first", session))
            second = asyncio.ensure_future(hear(app, "second", session))
            for _ in range(steps):
                await asyncio.sleep(0)
            app.chat.cancel(session)
            return [(await first)[-1], (await second)[-1]]

        # at every moment of the first turn's beginning
        for steps in range(1, 12):
            ends = asyncio.run(hurry(steps))
            assert [one.why for one in ends if isinstance(one, Done)] == ["cancelled", "stop"], steps
        said = [one.content for one in app.log.messages(session) if one.role == "user"]
        assert said.count("second") == 11


def test_a_message_that_cannot_fit_is_said_to_be_too_long(tmp_path: Path) -> None:
    with talking(tmp_path, model=FakeModel("Hm.", window=16_000)) as (app, _):
        session = app.chat.begin()
        events = say(app, "rope " * 30_000, session)
        assert done(events).why == "failed"
        assert any("The message is too long" in one for one in notices(events))
        assert len(app.log.messages(session)) == 1
        # the next turn makes room by itself
        assert done(say(app, "And this?", session)).text == "Hm."


def test_a_soul_changed_outside_is_told_once(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        session = app.chat.begin()
        assert not notices(say(app, "hello", session))
        soul = Path(app.agent.workspace, "SOUL.md")
        soul.write_text(soul.read_text() + "\nYou sail.\n")
        assert [one for one in notices(say(app, "hello", session)) if "Changed outside Everself: SOUL.md" in one]
        assert not notices(say(app, "hello", session))
        soul.write_text(soul.read_text() + "\nYou fly.\n")
        assert [one for one in notices(say(app, "hello", session)) if "Changed outside Everself: SOUL.md" in one]
