"""Searches as evidence: what is kept comes back, and an answer never fails or waits because of its record."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everself.errors import Damaged, NotFound, WrongUse
from everself.storage.state.database import State, open_state
from everself.storage.state.searches import EntryHits, HitRecord, LeftOut, SearchRecord

KEY = b"k" * 32
START = datetime(2026, 3, 1, 23, 30, tzinfo=timezone(timedelta(hours=9)))
TEA = HitRecord("7K3QX9M2ABCD", "MEMORY.md", 3, 4, 0.75, (("text", 0.5), ("vector", 0.25)))
WALK = HitRecord("7K3QX9M2WALK", "memory/2026-03-01.md", 9, 9, 0.5)


def search(query: str = "which tea?", session: str = "s1", at: datetime = START) -> SearchRecord:
    return SearchRecord(at, session, "main", "default", query)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with open_state(str(tmp_path / "state.db"), KEY) as opened:
        yield opened


def test_a_search_comes_back_as_it_was_and_outlives_the_process(state: State) -> None:
    asked = SearchRecord(
        at=START,
        session="telegram:5",
        session_kind="guest",
        mode="hybrid",
        query="어떤 차?",
        provider="local",
        tokens=412,
        notices=("Words only: the embedder timed out.",),
        left_out=(LeftOut("7K3QX9M2LEFT", "MEMORY.md", "over the budget"),),
        person="max",
    )
    identity = state.searches.record(asked, [TEA, WALK])
    state.close()
    with open_state(state.engine.path, KEY) as again:
        assert again.searches.find(identity) == replace(asked, id=identity, hits=(TEA, WALK))


def test_a_search_is_found_by_its_id_its_beginning_and_as_the_last(state: State) -> None:
    names = [state.searches.record(replace(search(), id=name), []) for name in ("7KAAAAAAAAAA", "7KBBBBBBBBBB")]
    assert names == ["7KAAAAAAAAAA", "7KBBBBBBBBBB"]
    assert state.searches.find("7KAAAAAAAAAA").id == "7KAAAAAAAAAA"
    assert state.searches.find("7kb").id == "7KBBBBBBBBBB"
    assert state.searches.find("last").id == "7KBBBBBBBBBB"
    with pytest.raises(WrongUse, match="7KBBBBBBBBBB, 7KAAAAAAAAAA"):
        state.searches.find("7K")
    for nothing in ("8", "7K%", "7KAAAAAAAAAAA", "\ud800"):
        with pytest.raises(NotFound):
            state.searches.find(nothing)
    with pytest.raises(WrongUse):
        state.searches.find("")


def test_before_the_first_search_there_is_no_last_one(state: State) -> None:
    with pytest.raises(NotFound):
        state.searches.find("last")
    assert state.searches.list() == ()


def test_the_list_is_newest_first_and_narrowed_by_session_and_words(state: State) -> None:
    for number in range(450):
        query = "Die GRÖSSE der Küche" if number % 200 == 0 else f"query {number}"
        state.searches.record(search(query, f"s{number % 2}"), [TEA])
    assert [one.query for one in state.searches.list(3)] == ["query 449", "query 448", "query 447"]
    assert [one.query for one in state.searches.list(2, session="s0")] == ["query 448", "query 446"]
    assert len(state.searches.list(50, query_contains="größe der")) == 3
    assert len(state.searches.list(2, query_contains="GRÖSSE")) == 2
    assert state.searches.list(50, session="s1", query_contains="größe") == ()
    assert len(state.searches.list(10_000)) == 450
    assert state.searches.list(0) == ()


def test_hits_of_an_entry_count_searches_sessions_and_the_human_day(state: State) -> None:
    # a long entry can be hit twice by one search
    state.searches.record(search(), [TEA, replace(TEA, first_line=5, last_line=5), WALK])
    state.searches.record(search(at=START + timedelta(hours=1)), [TEA])
    state.searches.record(search(session="s2", at=START - timedelta(days=40)), [TEA])
    found = state.searches.hits_of([TEA.entry, WALK.entry, "7K3QX9M2NONE"])
    assert found == {
        TEA.entry: EntryHits(TEA.entry, 3, 2, date(2026, 3, 2)),
        WALK.entry: EntryHits(WALK.entry, 1, 1, date(2026, 3, 1)),
    }
    assert state.searches.hits_of([TEA.entry], since=date(2026, 3, 1))[TEA.entry].sessions == 1
    assert state.searches.hits_of([]) == {}


def test_a_secret_in_a_query_and_a_private_passage_are_not_stored(state: State) -> None:
    key = "sk-ant-api03-" + "Ab3_" * 23 + "xyzAA"
    state.searches.record(search(f"is {key} still good? <private>for the clinic</private>"), [])
    stored = state.searches.find("last").query
    assert key not in stored
    assert "clinic" not in stored
    assert "still good?" in stored


def test_odd_numbers_and_broken_characters_do_not_keep_a_search_from_being_recorded(state: State) -> None:
    odd = replace(TEA, score=float("nan"), parts=(("text", float("inf")),), path="memory/\udcff.md")
    asked = replace(search("half \ud83d a pair", "\udc80"), left_out=(LeftOut("", "\udcff", "\udcff"),))
    assert state.searches.record(asked, [odd])
    (hit,) = state.searches.find("last").hits
    assert (hit.score, hit.parts) == (0.0, (("text", 0.0),))


def test_a_time_without_an_offset_is_wrong_use(state: State) -> None:
    with pytest.raises(WrongUse):
        state.searches.record(search(at=datetime(2026, 3, 1)), [])


def test_while_another_writes_an_answer_does_not_wait_and_nothing_is_recorded_later(state: State) -> None:
    rival = apsw.Connection(state.engine.path)
    rival.execute("BEGIN IMMEDIATE")
    assert state.searches.record(search("while busy"), [TEA]) == ""
    rival.execute("ROLLBACK")
    rival.close()
    # the writer works in order: what was given up has had its turn by now
    state.set_meta("after", "")
    assert state.searches.list() == ()
    assert state.searches.record(search("then"), [TEA])


def test_a_short_write_of_another_is_waited_for(state: State) -> None:
    rival = apsw.Connection(state.engine.path)
    rival.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.02, lambda: rival.execute("ROLLBACK"))
    timer.start()
    assert state.searches.record(search(), [TEA])
    timer.join()
    rival.close()


def test_a_full_disk_loses_the_record_and_not_the_answer(state: State) -> None:
    state.engine.write(lambda writer: writer.rows("PRAGMA max_page_count=10"))
    assert state.searches.record(search("x" * 100_000), [TEA]) == ""
    assert state.searches.list() == ()


def test_every_failing_call_of_the_disk_loses_the_record_whole(tmp_path: Path, faulty_vfs) -> None:
    with open_state(str(tmp_path / "state.db"), KEY, vfs=faulty_vfs.name, exclusive=True) as state:
        kept = 0
        for nth in range(1, 40):
            faulty_vfs.fail_from = faulty_vfs.calls + nth
            recorded = state.searches.record(search("x" * 9000), [TEA, WALK])
            faulty_vfs.fail_from = 0
            kept += bool(recorded)
            assert len(state.searches.list()) == kept
            assert state.engine.read("SELECT count(*) FROM search_hits") == [(2 * kept,)]
            if recorded:
                break
        assert kept == 1
        assert nth > 2


def test_where_nothing_may_be_written_searches_are_read_and_not_recorded(state: State) -> None:
    state.searches.record(search(), [TEA])
    with open_state(state.engine.path, KEY, read_only=True) as reader:
        assert reader.searches.record(search("more"), [TEA]) == ""
        assert reader.searches.find("last").query == "which tea?"


def test_a_row_that_makes_no_sense_is_damaged(state: State) -> None:
    state.searches.record(search(), [TEA])
    state.engine.write(lambda writer: writer.run("UPDATE searches SET left_out = '[1]'"))
    with pytest.raises(Damaged):
        state.searches.find("last")


TEXTS = st.text(st.characters(), max_size=40)


@settings(max_examples=40)
@given(query=TEXTS, session=TEXTS, notice=TEXTS, name=TEXTS, score=st.floats())
def test_whatever_is_recorded_can_be_read(tmp_path_factory, query, session, notice, name, score) -> None:  # type: ignore[no-untyped-def]
    with open_state(str(tmp_path_factory.getbasetemp() / "any.db"), KEY) as state:
        asked = replace(search(query, session), notices=(notice,), left_out=(LeftOut("", name, notice),))
        identity = state.searches.record(asked, [replace(TEA, path=name, score=score, parts=((name, score),))])
        assert state.searches.find(identity).hits[0].first_line == 3
