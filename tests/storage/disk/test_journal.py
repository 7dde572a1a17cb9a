"""Intents are whole or were never begun."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.errors import Damaged
from everself.storage.journal import Intent, Journal, Step, Survey, parse_intent, render_intent
from everself.storage.real_disk import RealFileSystem
from everself.values import ProvenanceRecord

BYTES = st.none() | st.binary(max_size=40)
STEPS = st.builds(Step, st.text(), st.none() | st.text(), BYTES, BYTES, st.integers(-1, 99), st.binary(max_size=9))
INTENTS = st.builds(
    Intent,
    id=st.text(),
    at=st.text(),
    author=st.text(),
    reason=st.text(),
    evidence=st.lists(st.text(), max_size=3).map(tuple),
    undoes=st.text(),
    steps=st.lists(STEPS, max_size=3).map(tuple),
    folders=st.lists(st.text(), max_size=3).map(tuple),
    provenance=st.lists(
        st.builds(
            ProvenanceRecord, st.text(), st.text(), st.text(), st.text(), st.lists(st.text(), max_size=2).map(tuple)
        ),
        max_size=2,
    ).map(tuple),
    key=st.text(),
)


def intent(identity: str) -> Intent:
    return Intent(identity, "2026-03-19T09:30:00+00:00", "owner", "test", (), "", (Step("a.md", None, None, b"x"),))


@given(INTENTS)
def test_rendering_and_parsing_are_inverse(one: Intent) -> None:
    assert parse_intent(render_intent(one)) == one


def test_any_missing_or_altered_byte_is_noticed() -> None:
    data = render_intent(intent("A"))
    for cut in range(len(data)):
        with pytest.raises(Damaged):
            parse_intent(data[:cut])
    for at in range(len(data)):
        with pytest.raises(Damaged):
            parse_intent(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])


def test_an_intent_goes_from_unfinished_to_waiting_to_nothing(tmp_path: Path) -> None:
    journal = Journal(RealFileSystem(str(tmp_path)))
    first, second = journal.begin(intent("A")), journal.begin(intent("B"))
    assert [filed.intent.id for filed in journal.unfinished()] == ["A", "B"]
    done = journal.finish(first)
    assert [filed.intent.id for filed in journal.waiting()] == ["A"]
    assert journal.unfinished() == [second]
    aborted = journal.abort(second)
    assert journal.unfinished() == [aborted]
    journal.forget(done)
    journal.forget(aborted)
    assert (journal.unfinished(), journal.waiting()) == ([], [])


def test_a_torn_intent_was_never_begun(tmp_path: Path) -> None:
    journal = Journal(RealFileSystem(str(tmp_path)))
    filed = journal.begin(intent("A"))
    path = tmp_path / filed.name
    path.write_bytes(path.read_bytes()[:-5])
    assert journal.unfinished() == []
    assert not path.exists()


def test_strangers_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "notes.txt").write_text("mine")
    journal = Journal(RealFileSystem(str(tmp_path)))
    journal.begin(intent("A"))
    assert len(journal.unfinished()) == 1
    assert (tmp_path / "journal" / "notes.txt").exists()


def test_one_look_serves_for_the_next_number_and_for_what_is_unfinished(tmp_path: Path) -> None:
    journal = Journal(RealFileSystem(str(tmp_path)))
    assert journal.survey() == Survey(0, 0, exists=False)
    first = journal.begin(intent("A"), journal.survey())
    assert journal.survey() == Survey(1, 1, exists=True)
    journal.finish(first)
    seen = journal.survey()
    assert seen == Survey(0, 1, exists=True)
    # whoever moves it into the history meanwhile takes no number away
    journal.forget(journal.waiting()[0])
    assert journal.begin(intent("B"), seen).name == "journal/00000002-B.intent"
