"""Why a reply says what it says, and who taught a belief: after every kind of reply, and back to the first message."""

import asyncio
from datetime import UTC
from pathlib import Path

import pytest
from tests.conversation.talks import say, talking

from everself.agent import Agent
from everself.errors import ModelFailed, NotFound
from everself.interfaces.rendering.view import Look, view_of
from everself.memory.promotion.moves import Pick, apply_moves
from everself.memory.writing import NewEntry
from everself.models.chat.protocol import ChatRequest, ToolTurn
from everself.operations.caller import AT_TERMINAL
from everself.operations.changes import undo_change
from everself.operations.registry import get_operation
from everself.operations.why import Origins, WhyRequest, account_of, explain_reply, origins_of
from everself.runtime import Runtime
from everself.testing.chat_model import Answer, call
from everself.testing.origins import origin_of
from everself.values import Author

# a whole agent a test
pytestmark = pytest.mark.slow

HISTORY = {"history": {"enabled": True}}


def shown(found: object, *flags: str, chat: bool = False) -> str:
    return "\n".join(map(str, view_of(get_operation("why")).lines(found, Look(UTC, frozenset(flags), chat=chat))))


def test_a_reply_is_told_in_words_first_and_offers_to_fix_and_forget(tmp_path: Path) -> None:
    with talking(tmp_path, "Genoa.") as (app, _):
        entry = Agent(app, fresh=False).remember("My harbour is Genoa.").entry
        session = app.chat.begin()
        say(app, "Which harbour is mine?", session)
        told = shown(account_of(app), chat=True)
        assert "You said:   Which harbour is mine?" in told
        assert "1  My harbour is Genoa." in told
        assert f"/fix {entry}" in told
        assert f"/forget {entry}" in told
        assert "tokens" not in told
        assert "#L" not in told
        numbers = shown(account_of(app), "verbose")
        assert "tokens" in numbers
        assert "#L" in numbers
        assert f"everself memory correct {entry}" in numbers


def test_a_record_of_a_correction_is_told_without_its_bookkeeping(tmp_path: Path) -> None:
    with talking(tmp_path, "Genoa.") as (app, _):
        agent = Agent(app, fresh=False)
        agent.correct(agent.remember("My harbour is Pisa.").entry, "My harbour is Genoa.")
        say(app, "Which harbour is mine?", app.chat.begin())
        told = shown(account_of(app))
        assert "“My harbour is Pisa.” was corrected to “My harbour is Genoa.”" in told
        assert "Re-embedded" not in told
        assert "Trigger" not in told


def test_every_kind_of_reply_has_an_answer(tmp_path: Path) -> None:
    def script(request: ChatRequest) -> Answer:
        last = request.turns[-1]
        if "Please fail" in str(last):
            return ModelFailed("The key is not taken.")
        return (
            [call("memory_search", query="x")] if "tool" in str(last) and not isinstance(last, ToolTurn) else "A reply."
        )

    with talking(tmp_path, script) as (app, _):
        with pytest.raises(NotFound):
            account_of(app)
        session = app.chat.begin()
        say(app, "Just talk.", session)
        assert account_of(app, session=session.id).text == "A reply."
        say(app, "Use a tool.", session)
        used = account_of(app, session=session.id)
        assert (used.text, [one[0] for one in used.receipt["tools"]]) == ("A reply.", ["memory_search"])
        say(app, "Please fail.", session)
        none = account_of(app, session=session.id)
        assert (none.message, none.asked, none.why) == ("", "Please fail.", "none")
        assert "got no reply" in shown(none)
        # who has just begun anew asks about what was said before
        assert account_of(app, session=app.chat.begin().id) == none
        # by its id, whatever came after it
        assert account_of(app, used.message[:8], session.id) == used
        with pytest.raises(NotFound):
            account_of(app, "NOSUCHREPLY")


def test_a_reply_without_a_model_rests_on_what_it_quotes(tmp_path: Path) -> None:
    with talking(tmp_path, answered=False) as (app, _):
        agent = Agent(app, fresh=False)
        agent.remember("I work nights on Tuesdays.")
        entry = agent.remember("My harbour is Genoa, and my boat is called Stella.").entry
        session = app.chat.begin()
        say(app, "Which harbour is mine?", session)
        told = shown(account_of(app), chat=True)
        assert "It quotes these memories:\n  1  My harbour is Genoa" in told
        assert f"/forget {entry}" in told
        assert "nights" not in told
        # a reply that only names an entry offers to fix it, and one that quotes nothing rests on nothing
        say(app, "Forget that my boat is called Stella.", session)
        assert [one.entry for one in account_of(app).based_on] == [entry]
        say(app, "Thank you!", session)
        thanks = account_of(app)
        assert (thanks.based_on, "It quotes no memory." in shown(thanks)) == ((), True)


def test_a_reply_is_named_by_any_message_of_its_turn_and_never_by_chance(tmp_path: Path) -> None:
    with talking(tmp_path, answered=False) as (app, _):
        Agent(app, fresh=False).remember("My harbour is Genoa.")
        session = app.chat.begin()
        say(app, "Which harbour is mine?", session)
        reply = account_of(app)
        assert all(account_of(app, one.id) == reply for one in app.log.messages(session.id))
        assert account_of(app, "last") == reply
        with pytest.raises(NotFound):
            account_of(app, reply.message[:1])


def test_what_a_message_left_in_memory_is_told_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(tmp_path, [call("memory_write", content="My dog is called Mo.")], "Noted.") as (app, _):
        session = app.chat.begin()
        say(app, "My dog is called Mo.", session)
        # the web page asks under each reply: rows are asked, and not every entry is made
        monkeypatch.setattr(type(app.memory.catalog), "all", lambda _: pytest.fail("every entry was read"))
        assert [one.text for one in account_of(app).wrote] == ["My dog is called Mo."]
        assert "Remembered from your message:" in shown(account_of(app))


def taught(app: Runtime) -> tuple[str, str]:
    """The id of an entry that a message taught, and of that message."""
    session = app.chat.begin()
    say(app, "My sister Ana moves to Porto in March.", session)
    asyncio.run(app.chat.close(session))
    (entry,) = [one for one in app.memory.catalog.all() if "Ana" in one.text]
    message = next(one.removeprefix("msg:") for one in entry.lineage if one.startswith("msg:"))
    return entry.id, message


def test_a_belief_is_followed_to_the_message_that_taught_it_and_taken_back(tmp_path: Path) -> None:
    with talking(tmp_path, "All right.", host=HISTORY) as (app, _):
        Agent(app, fresh=False).remember("My dog is called Mo.")
        entry, message = taught(app)
        Agent(app, fresh=False).remember("I like tea.")
        derived = app.memory.remember(
            NewEntry("The owner has family in Portugal.", origin_of("owner", f"entry:{entry}"))
        ).entry
        Agent(app, fresh=False).remember("I like coffee.")
        found = origins_of(app, "moves to porto")
        assert found.taught is not None
        assert (found.taught.message, found.taught.text) == (message, "My sister Ana moves to Porto in March.")
        assert [one.entry for one in found.derived] == [derived]
        # the same from what was derived, by its id
        back = explain_reply(app, AT_TERMINAL, WhyRequest(bisect=derived))
        assert isinstance(back, Origins)
        assert (back.first.entry, back.path, back.taught) == (entry, (derived, entry), found.taught)
        assert explain_reply(app, AT_TERMINAL, WhyRequest(reply=derived)) == back
        told = shown(back)
        assert told.index(f"everself undo {back.belief.change}") < told.index(f"everself undo {found.belief.change}")
        # what is named takes back just that
        for change in (back.belief.change, found.belief.change):
            assert undo_change(app.workspace, change).applied
        assert [one.text for one in app.memory.catalog.all()] == [
            "My dog is called Mo.",
            "I like tea.",
            "I like coffee.",
        ]


def test_a_correction_is_followed_to_the_sentence_that_corrected(tmp_path: Path) -> None:
    with talking(tmp_path, "All right.", host=HISTORY) as (app, _):
        wrong = Agent(app, fresh=False).remember("My sister is called Mira").entry
        session = app.chat.begin()
        say(app, "No, my sister is called Mia, not Mira", session)
        found = origins_of(app, "called mia")
        assert found.taught is not None
        assert (found.taught.text, found.taught.session) == ("No, my sister is called Mia, not Mira", session.id)
        assert [one.entry for one in found.replaced] == [wrong]
        assert undo_change(app.workspace, found.first.change).applied
        assert not app.memory.catalog.get(wrong).closed


def test_an_entry_that_moved_is_followed_to_where_it_was_written(tmp_path: Path) -> None:
    with talking(tmp_path, "All right.", host=HISTORY) as (app, _):
        entry, _ = taught(app)
        born = origins_of(app, entry).first.change
        day = app.memory.catalog.get(entry).path
        apply_moves(app.memory, [Pick(entry, "MEMORY.md")], Author.OWNER)
        assert app.memory.catalog.get(entry).path != day
        assert origins_of(app, entry).first.change == born


def test_what_a_person_wrote_into_the_file_was_taught_by_no_message_and_no_change(tmp_path: Path) -> None:
    with talking(tmp_path, "All right.", host=HISTORY) as (app, _):
        Agent(app, fresh=False).remember("I like tea.", keep=True)
        path = Path(app.agent.workspace, "MEMORY.md")
        path.write_text(f"{path.read_text('utf-8')}\n- My boat is called Vela.\n", "utf-8")
        Agent(app, fresh=False).remember("I like coffee.", keep=True)
        found = origins_of(app, "Vela")
        assert (found.taught, found.first.change) == (None, "")
        assert "No change of the history wrote it" in shown(found)
        with pytest.raises(NotFound):
            origins_of(app, "an elephant on the roof")
