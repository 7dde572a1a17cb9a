"""One fact has one entry: what a model notes of a message is not written again, and a correction closes it with its copies."""

import asyncio
from pathlib import Path

import pytest
from tests.conversation.talks import hear, say, talking
from tests.conversation.tools.boxes import Box, living

from everself.agent import Agent
from everself.classify.statements import read_each
from everself.conversation.corrections import CorrectionHandler
from everself.conversation.resources import Acted
from everself.memory.writing import NewEntry
from everself.operations import notes
from everself.operations.caller import AT_TERMINAL
from everself.operations.changes import undo_change
from everself.operations.search import SearchRequest, search_memory
from everself.runtime import Runtime
from everself.testing.chat_model import call
from everself.testing.origins import origin_of
from everself.values import Entry

# a whole agent a test
pytestmark = pytest.mark.slow

STANDUP = "My standup is every day at 9:30."
NOTE = "Daily standup at 9:30."
PASTE = "look at this mail:\n\n> Dear all,\n> the garage closes on Friday. Please park elsewhere.\n> Regards, the house"


def entries(app: Runtime) -> list[Entry]:
    """What is remembered, closed or not, without the log of corrections."""
    return [one for one in app.memory.catalog.all() if one.path == "MEMORY.md" or one.path.startswith("memory/")]


def open_texts(app: Runtime) -> list[str]:
    return [one.text for one in entries(app) if not one.closed]


def wrote(*notes: str, **more: object) -> list[object]:
    return [call("memory_write", content=one, **more) for one in notes]


def converse(app: Runtime, *said: str) -> None:
    """One conversation to its end."""
    session = app.chat.begin()

    async def run() -> None:
        for text in said:
            await hear(app, text, session)
        await app.chat.close(session)

    asyncio.run(run())


def test_the_checkpoint_does_not_write_again_what_the_model_noted(tmp_path: Path) -> None:
    with talking(tmp_path, wrote(NOTE), "Noted.") as (app, _):
        converse(app, STANDUP)
        (entry,) = entries(app)
        said = app.log.search("every day at")[-1]
        assert (entry.text, entry.source, entry.lineage) == (NOTE, "agent", (f"msg:{said.id}",))
        assert said.content == STANDUP


def test_what_the_model_left_out_is_kept_in_the_owners_words(tmp_path: Path) -> None:
    with talking(tmp_path, wrote("Anna, the owner's sister, lives in Lyon."), "Noted.") as (app, _):
        converse(app, "My sister Anna lives in Lyon. I am allergic to penicillin.")
        assert {(one.source, one.text) for one in entries(app)} == {
            ("agent", "Anna, the owner's sister, lives in Lyon."),
            ("owner", "I am allergic to penicillin."),
        }


def test_a_note_that_says_otherwise_does_not_hide_what_was_said(tmp_path: Path) -> None:
    with talking(tmp_path, wrote("Daily standup at 8:15."), "Noted.") as (app, _):
        converse(app, STANDUP)
        assert STANDUP in open_texts(app)


def test_a_correction_leaves_exactly_one_open_entry(tmp_path: Path) -> None:
    with talking(tmp_path, wrote(NOTE), "Noted.", "All right.") as (app, _):
        converse(app, STANDUP, "No, the standup is at 9:45, not 9:30.")
        (now,) = open_texts(app)
        assert "9:45" in now
        assert [one.text for one in entries(app) if one.closed] == [NOTE]


def test_a_correction_closes_every_copy_made_of_the_same_message(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        session = app.log.begin()
        message = app.log.add(session, "user", STANDUP)
        made = [
            app.memory.remember(NewEntry(words, origin_of(source, f"msg:{message.id}"))).entry
            for source, words in (("owner", STANDUP), ("agent", NOTE), ("agent", "The owner has a dog called Bruno."))
        ]
        done = app.memory.correct(made[1], "The standup is at 9:45.", origin_of("owner"))
        assert set(done.closed) == {made[0], made[1]}
        assert len({app.memory.catalog.get(one).until for one in done.closed}) == 1
        assert set(open_texts(app)) == {"The standup is at 9:45.", "The owner has a dog called Bruno."}
        # one change set, which one undo takes back
        assert app.workspace.changes(1)[0].id == done.change


def test_the_whole_message_is_closed_in_the_same_change_and_one_undo_brings_all_back(tmp_path: Path) -> None:
    whole, chess = f"{STANDUP} The hall is booked.  On Fridays I play chess.", "On Fridays I play chess."
    with talking(tmp_path) as (app, _):
        message = app.log.add(app.log.begin(), "user", whole)
        named = [
            app.memory.remember(NewEntry(words, origin_of("owner", f"msg:{message.id}"))).entry
            for words in (STANDUP, "The hall is booked.", whole)
        ]
        done = app.memory.correct(named[0], "The standup is at 9:45.", origin_of("owner"), copies=named[1:2])
        assert set(open_texts(app)) == {"The standup is at 9:45.", chess}
        assert app.workspace.changes(1)[0].id == done.change
        assert undo_change(app.workspace, done.change).applied
        assert open_texts(app) == [STANDUP, "The hall is booked.", whole]


@pytest.mark.parametrize("explicit", [True, False])
def test_an_explicit_wish_gives_one_entry_in_the_core(tmp_path: Path, explicit: bool) -> None:
    note = "The spare key hangs behind the boiler at Ruud's."
    with talking(tmp_path, wrote(note, explicit=explicit), "Noted.") as (app, _):
        converse(app, "Please remember that the spare key hangs at Ruud's, behind his boiler.")
        assert [(one.path, one.text, one.source) for one in entries(app)] == [("MEMORY.md", note, "agent")]


def test_the_same_note_of_a_later_message_is_evidence_and_no_second_entry(tmp_path: Path) -> None:
    with talking(tmp_path, wrote(NOTE), "Noted.", wrote("Daily standup at 9:30"), "I know.") as (app, _):
        converse(app, STANDUP, "So the standup is daily at 9:30.")
        (entry,) = entries(app)
        assert (entry.text, len(entry.lineage), entry.source) == (NOTE, 2, "agent")
        assert entry.vouched


def test_beside_words_from_outside_the_owners_sentence_is_kept_instead_of_a_note(tmp_path: Path) -> None:
    script = ("I see.", wrote("Anna, the owner's sister, lives in Lyon."), "Noted.")
    with talking(tmp_path, *script) as (app, _):
        converse(app, PASTE, "My sister Anna lives in Lyon.")
        assert [(one.source, one.text) for one in entries(app)] == [("owner", "My sister Anna lives in Lyon.")]


def test_beside_words_from_outside_a_note_of_something_else_is_worth_no_more_than_those(tmp_path: Path) -> None:
    script = ("I see.", wrote("The owner has to park elsewhere on Friday."), "Noted.")
    with talking(tmp_path, *script) as (app, _):
        converse(app, PASTE, "My sister Anna lives in Lyon.")
        assert ("import", "The owner has to park elsewhere on Friday.") in {
            (one.source, one.text) for one in entries(app)
        }
        assert ("owner", "My sister Anna lives in Lyon.") in {(one.source, one.text) for one in entries(app)}


def test_a_note_that_tells_the_same_as_no_other_is_written_however_alike_the_head_finds_them(tmp_path: Path) -> None:
    made = (
        "The owner wants short answers without bullet points, because she reads on a phone with a glove on.",
        "Pim, the owner's peregrine, has a bumblefoot check at the vet on Thursday 2026-11-12 at 9:30.",
        "Ana beat Mia at chess.",
        "Mia beat Ana at chess.",
        "The owner moved from Oslo to Bergen.",
        "The owner moved from Bergen to Oslo.",
    )
    with talking(tmp_path, *(step for one in made for step in (wrote(one), "Noted."))) as (app, _):
        converse(app, *(f"{number}. turn, nothing to see" for number in range(len(made))))
        assert {one.text for one in entries(app) if one.source == "agent" and not one.closed} == set(made)


def test_what_the_model_leaves_out_of_a_clause_is_kept(tmp_path: Path) -> None:
    said = "My neighbour speaks Polish and a bit of Czech."
    with talking(tmp_path, wrote("The owner's neighbour speaks Polish."), "Noted.") as (app, _):
        converse(app, said)
        assert [(one.source, one.text) for one in entries(app)] == [
            ("agent", f"The owner's neighbour speaks Polish. (“{said}”)")
        ]


def test_a_note_quotes_only_the_clauses_that_it_leaves_out(tmp_path: Path) -> None:
    with talking(tmp_path, wrote("Jory has been the owner's apprentice since September."), "Noted.") as (app, _):
        converse(app, "Jory is my apprentice since September, he hates opera")
        (entry,) = entries(app)
        assert entry.text == "Jory has been the owner's apprentice since September. (“he hates opera”)"
        assert (entry.source, entry.vouched, len(entry.lineage)) == ("agent", True, 1)
        # the same note of a later message is known, quotation or not
        app.checkpoint.make(app.log.list()[0])
        assert [one.text for one in entries(app)] == [entry.text]


def test_a_correction_of_a_note_with_a_quotation_leaves_one_entry(tmp_path: Path) -> None:
    note = "Mustard, the owner's hawk, flies best at 590 grams."
    with talking(tmp_path, wrote(note), "Noted.", "All right.") as (app, _):
        converse(app, "My hawk Mustard flies best at 590 grams, at 590 she is a snob and a darling")
        (entry,) = entries(app)
        assert entry.text.startswith(f"{note} (“")
        converse(app, "No, Mustard flies best at 605 grams, not 590.")
        assert [one.id for one in entries(app) if one.closed] == [entry.id]
        (now,) = open_texts(app)
        assert "605" in now


def test_a_correction_finds_what_a_note_quotes_in_the_owners_words(tmp_path: Path) -> None:
    with talking(tmp_path, wrote("Mina plays the cello on Thursdays."), "Noted.", "All right.") as (app, _):
        converse(app, "I play the cello on Thursdays.", "No, I play the cello on Fridays.")
        (now,) = open_texts(app)
        assert "Fridays" in now


OLD_WAGE = "Jory, the owner's apprentice, is paid 14 an hour."


def corrected_beside(tmp_path: Path, known: tuple[str, ...], wrong: str, said: str) -> tuple[set[str], set[str], int]:
    """What is open and what is closed after a model that read a page corrects an entry; and how much waits for review."""
    with living(tmp_path) as app:
        made = {one: Agent(app, fresh=False).remember(one).entry for one in known}
        box = Box(app, said=said).tainted("web")
        box.get("memory_correct", old=made[wrong], new="It is 99 now, says the page.")
        found = [one for one in app.memory.catalog.all() if one.path == "MEMORY.md" or one.path.startswith("memory/")]
        assert not [one for one in found if "99" in one.text]
        left = ({one.text for one in found if not one.closed}, {one.text for one in found if one.closed})
        return *left, len(app.state.reviews.waiting())


def test_beside_words_from_outside_the_owners_own_sentence_takes_the_place_of_what_it_corrects(tmp_path: Path) -> None:
    known = (OLD_WAGE, "Jory has a driving licence.", "The owner pays 180 for the demo.")
    said = "No, that is wrong, Jory is paid 15.50 an hour."
    now, closed, waiting = corrected_beside(tmp_path, known, OLD_WAGE, said)
    assert closed == {OLD_WAGE}
    assert waiting == 0
    assert any("15.50" in one for one in now)
    assert {*known} - now == {OLD_WAGE}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        # the page chooses another entry than the one that the owner speaks of
        ("Jory has a driving licence.", "No, that is wrong, Jory is paid 15.50 an hour."),
        ("The owner pays 180 for the demo.", "No, that is wrong, Jory is paid 15.50 an hour."),
        # nothing is corrected, and nothing is stated
        (OLD_WAGE, "Jory broke a plate today."),
        (OLD_WAGE, "What is Jory paid an hour now?"),
    ],
)
def test_beside_words_from_outside_a_model_closes_nothing_else(tmp_path: Path, wrong: str, said: str) -> None:
    known = (OLD_WAGE, "Jory has a driving licence.", "The owner pays 180 for the demo.")
    _, closed, waiting = corrected_beside(tmp_path, known, wrong, said)
    assert closed == set()
    assert waiting == 1


def test_what_else_a_person_said_in_a_sentence_that_is_corrected_stays(tmp_path: Path) -> None:
    both = "Wren is 7, Otis turned three in August."
    now, closed, _ = corrected_beside(tmp_path, (both,), both, "No, that was wrong, Wren is 8.")
    assert closed == {both}
    assert "Otis turned three in August." in now
    assert any("8" in one for one in now)


def test_a_sentence_that_says_more_besides_is_asked_about(tmp_path: Path) -> None:
    long = "My husband Jonas is a pastry chef in the old mill and gets up at 3:40 every working day."
    now, closed, waiting = corrected_beside(tmp_path, (long,), long, "No, that is wrong, Jonas gets up at 4:30.")
    assert (closed, waiting) == (set(), 1)
    assert long in now


def test_beside_words_from_outside_a_note_stays_that_tells_more_of_the_message_than_is_kept_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = "Anna, the owner's sister, lives in Lyon, and the lease of the shop runs until 2028-05-31."
    said = "My sister Anna lives in Lyon. The lease of the shop runs until 31 May 2028."
    # the second sentence is not held for a statement
    monkeypatch.setattr(notes, "read_each", lambda _: read_each("My sister Anna lives in Lyon."))
    monkeypatch.setattr(notes, "read", lambda _: read_each("My sister Anna lives in Lyon."))
    with talking(tmp_path, "I see.", wrote(note), "Noted.") as (app, _):
        session = app.chat.begin()
        say(app, PASTE, session)
        say(app, said, session)
        assert [(one.source, one.text) for one in entries(app)] == [
            ("owner", "My sister Anna lives in Lyon."),
            ("import", note),
        ]


def test_a_note_is_not_dropped_for_the_owners_sentence_where_it_tells_more_of_the_message(tmp_path: Path) -> None:
    own = "My sister Anna lives in Lyon."
    note = "Anna, the owner's sister, lives in Lyon, and the lease of the shop runs until 2028-05-31."
    with talking(tmp_path, wrote(own), wrote(note), "Noted.") as (app, _):
        say(app, f"{own} The lease of the shop runs until 31 May 2028.")
        assert [(one.source, one.text) for one in entries(app)] == [("owner", own), ("agent", note)]


def test_beside_words_from_outside_a_wish_in_the_same_sentence_is_kept_as_it_was_said(tmp_path: Path) -> None:
    said = "the bike lock code is 8812, save that somewhere"
    script = ("I see.", wrote("The code of the owner's bike lock is 8812.", explicit=True), "Noted.")
    with talking(tmp_path, *script) as (app, _):
        converse(app, PASTE, said)
        assert [(one.source, one.path, one.text) for one in entries(app)] == [("owner", "MEMORY.md", said)]


def test_small_talk_stays_in_the_message_store_where_search_finds_it(tmp_path: Path) -> None:
    with talking(tmp_path, "Ha.") as (app, _):
        converse(app, "haha that was a good one", "My sister Anna lives in Lyon.")
        assert open_texts(app) == ["My sister Anna lives in Lyon."]
        assert not search_memory(app, AT_TERMINAL, SearchRequest(query="good one")).messages
        (found,) = search_memory(app, AT_TERMINAL, SearchRequest(query="good one", messages=True)).messages
        assert (found.role, found.text) == ("user", "haha that was a good one")


def test_what_was_kept_of_the_correction_already_takes_the_place_of_the_wrong_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the rules find nothing that is put right, and note what was said
    monkeypatch.setattr("everself.conversation.corrections.find_replaced", lambda *_: None)
    old = "Jory, the owner's apprentice, is paid 14 an hour."
    new = "Jory, the owner's apprentice, is paid 15.50 an hour since 2026-11-01."
    script = (wrote(old), "Noted.", [call("memory_correct", old=old, new=new)], "Done.")
    with talking(tmp_path, *script) as (app, _):
        converse(
            app,
            "jory is my apprentice and is paid 14 an hour",
            "wait no, that was wrong, since the 1st jory is on 15.50",
        )
        assert [(one.source, one.text) for one in entries(app) if not one.closed] == [
            ("owner", "wait no, that was wrong, since the 1st jory is on 15.50")
        ]


def test_a_value_alone_puts_a_note_of_the_agents_right_and_leaves_it_the_agents(tmp_path: Path) -> None:
    old = "Jory, the owner's apprentice, is paid 14 an hour."
    script = (wrote(old), "Jory is paid 14 an hour.", "All right.")
    with talking(tmp_path, *script) as (app, _):
        converse(app, "jory is my apprentice and is paid 14 an hour", "no, 15.50")
        assert [(one.source, one.text) for one in entries(app) if not one.closed] == [
            ("agent", "Jory, the owner's apprentice, is paid 15.50 an hour.")
        ]


def test_a_model_puts_right_in_its_own_words_what_the_owner_corrects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = "Fenna, the owner's daughter, flies home on 2026-12-19."
    new = "Fenna, the owner's daughter, comes home on 2026-12-22 (not the 19th)."
    script = (wrote(old), "Noted.", [call("memory_correct", old=old, new=new)], "Done.")
    # the rules find nothing that is put right, and ask nothing
    monkeypatch.setattr(CorrectionHandler, "act", lambda *_: Acted())
    with talking(tmp_path, *script) as (app, _):
        corrected = "fenna wrote, shes not coming the 19th after all. she lands 22 december now"
        converse(app, "fenna is our daughter and flies home 19 december", corrected)
        (now,) = [one for one in entries(app) if not one.closed]
        assert (now.text, now.source) == (new, "agent")
        assert "→" in Path(app.agent.workspace, "CORRECTIONS.md").read_text("utf-8")


def test_a_model_does_not_put_right_what_the_owner_did_not_say(tmp_path: Path) -> None:
    old = "Jory, the owner's apprentice, is paid 14 an hour."
    script = (wrote(old), "Noted.", [call("memory_correct", old=old, new="Jory is paid 99 an hour.")], "Done.")
    with talking(tmp_path, *script) as (app, _):
        session = app.chat.begin()
        say(app, "jory is my apprentice and gets 14 an hour from me", session)
        say(app, "how is the weather in Lyon?", session)
        assert old in open_texts(app)


def test_a_model_brings_no_number_into_a_correction_that_the_owner_did_not_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = "Jory, the owner's apprentice, is paid 14 an hour."
    script = (wrote(old), "Noted.", [call("memory_correct", old=old, new="Jory is paid 99 an hour.")], "Done.")
    monkeypatch.setattr(CorrectionHandler, "act", lambda *_: Acted())
    with talking(tmp_path, *script) as (app, _):
        converse(app, "jory is my apprentice and gets 14 an hour", "no that was wrong, since the 1st jory is on 15.50")
        assert open_texts(app) == ["Since the 1st jory is on 15.50"]
