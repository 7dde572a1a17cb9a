"""Candidates: by what they say in the last days, or because several sessions found them; and never what came from outside unasked."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.memory.minds import Mind, open_mind

from everself.memory import catalog
from everself.memory._row_form import believed
from everself.memory.promotion.candidates import Candidate, CandidateQuery, candidates, explain
from everself.memory.provenance import AGENT, OWNER, WEB
from everself.memory.quarantine import quarantine
from everself.memory.selection import undated_entries
from everself.memory.writing import NewEntry
from everself.storage.state.entries import EntryRow
from everself.storage.state.searches import HitRecord, SearchRecord
from everself.testing.origins import origin_of
from everself.values import Applied, Author, Change, Create, Entry, Tier


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as made:
        yield made


def write(mind: Mind, path: str, text: str) -> None:
    outcome = mind.bench.workspace.apply(Change(Author.HAND, "saved", (Create(path, text.encode()),)))
    assert isinstance(outcome, Applied)


def look(mind: Mind, asked: CandidateQuery | None = None) -> tuple[Candidate, ...]:
    return candidates(mind.memory, mind.bench.state, asked)


def texts(found: tuple[Candidate, ...]) -> list[str]:
    return [one.entry.text for one in found]


def note(mind: Mind, days_ago: int, text: str) -> str:
    day = (mind.memory.clock.today() - timedelta(days=days_ago)).isoformat()
    write(mind, f"memory/{day}.md", f"# Log\n\n- {text}\n")
    return next(one.id for one in mind.catalog.all() if one.text == text)


def find_in(mind: Mind, entry: str, *sessions: str, days_ago: int = 0) -> None:
    at = mind.memory.clock.now() - timedelta(days=days_ago)
    for session in sessions:
        search = SearchRecord(at, session, "main", "hybrid", "soup")
        assert mind.bench.state.searches.record(search, [HitRecord(entry, "memory/x.md", 1, 1, 0.5)])


def test_the_last_days_are_looked_at_and_the_surest_comes_first(mind: Mind) -> None:
    note(mind, 1, "We decided on oak.")
    note(mind, 3, "Remember this: the key is with Ann.")
    note(mind, 2, "Had soup.")
    note(mind, 9, "The trademark is registered.")
    assert texts(look(mind)) == ["Remember this: the key is with Ann.", "We decided on oak."]
    assert len(look(mind, CandidateQuery(days=30))) == 3
    assert texts(look(mind, CandidateQuery(least=0.7))) == ["Remember this: the key is with Ann."]


def test_each_goes_to_the_page_of_its_kind(mind: Mind) -> None:
    note(mind, 1, "We decided on oak.")
    note(mind, 3, "Remember this: the key is with Ann.")
    assert [(one.category, one.target) for one in look(mind)] == [
        ("explicit", "MEMORY.md"),
        ("decision", "memory/decisions.md"),
    ]


def test_three_sessions_make_a_candidate_and_three_searches_of_one_do_not(mind: Mind) -> None:
    often, once = note(mind, 20, "Had soup."), note(mind, 21, "Had bread.")
    find_in(mind, often, "one", "two", "three")
    find_in(mind, once, "one", "one", "one", "one")
    (found,) = look(mind)
    assert (found.entry.id, found.category, found.sessions) == (often, "recalled", 3)
    assert (found.confidence, found.target) == (0.4, "MEMORY.md")
    assert "3 sessions" in found.reasons[0]


def test_sessions_of_long_ago_do_not_count_and_how_many_is_a_setting(mind: Mind) -> None:
    entry = note(mind, 40, "Had soup.")
    find_in(mind, entry, "one", "two", days_ago=1)
    find_in(mind, entry, "three", days_ago=35)
    assert look(mind) == ()
    assert texts(look(mind, CandidateQuery(within=40))) == ["Had soup."]
    assert texts(look(mind, CandidateQuery(sessions=2))) == ["Had soup."]


def test_frequency_alone_leaves_the_rest_out(mind: Mind) -> None:
    often = note(mind, 20, "We decided on oak.")
    once = note(mind, 1, "We decided on elm.")
    find_in(mind, often, "one", "two", "three")
    (found,) = look(mind, CandidateQuery(frequent=True))
    assert (found.entry.id, found.category) == (often, "decision")
    assert found.confidence > explain(mind.memory, mind.bench.state.searches, once).confidence


def test_what_no_longer_holds_what_rests_on_it_and_what_is_kept_apart_are_none(mind: Mind) -> None:
    base = mind.memory.remember(NewEntry("We decided on oak.", origin_of(OWNER)))
    mind.memory.remember(NewEntry("We agreed on oak doors.", origin_of(AGENT, f"entry:{base.entry}")))
    quarantine(mind.memory, NewEntry("We decided on gold.", origin_of(WEB)), "suspicious")
    assert len(look(mind)) == 2
    mind.memory.correct(base.entry, "We decided on elm.", origin_of("owner"))
    assert look(mind) == ()


def test_core_memory_archives_and_transcripts_are_none(mind: Mind) -> None:
    write(mind, "memory/plans.md", "# Plans\n\n- We decided on oak.\n")
    write(mind, "Archive/Chronicles/2026-March.md", "# March\n\nWe decided on oak.\n")
    day = mind.memory.clock.today().isoformat()
    write(mind, f"memory/{day}-talk.md", "# Talk\n\nuser: we decided on oak\nassistant: noted\nuser: good\n")
    assert look(mind) == ()


def test_who_may_decide_is_told_with_the_reason(mind: Mind) -> None:
    mind.memory.remember(NewEntry("We decided on oak.", origin_of(OWNER)))
    page = mind.memory.remember(NewEntry("We decided on gold.", origin_of(WEB)))
    derived = mind.memory.remember(NewEntry("We decided on silver.", origin_of(AGENT, f"entry:{page.entry}")))
    note(mind, 1, "We decided on elm.")
    may = {one.entry.text: (one.standing.may, one.standing.weakest) for one in look(mind)}
    assert may == {"We decided on oak.": ("free", "owner"), "We decided on elm.": ("confirm", "hand")}
    # what came from outside is none, and who names it is told why
    for one in (page.entry, derived.entry):
        standing = explain(mind.memory, mind.bench.state.searches, one).standing
        assert (standing.may, standing.weakest) == ("held", "web")


@pytest.mark.parametrize(
    "line",
    [
        "Assistant: I'll remember that the key is with Ann.",
        "**User:** Remember this: the key is with Ann.",
        "> human: remember that we decided on oak",
    ],
)
def test_a_line_of_a_talk_is_none_wherever_it_stands(mind: Mind, line: str) -> None:
    note(mind, 1, line)
    day = mind.memory.clock.today().isoformat()
    write(mind, f"memory/{day}-talk.md", f"# Talk\n\n- {line}\n- And more.\n")
    assert look(mind) == ()


def test_what_the_agent_concluded_needs_the_owners_word_as_evidence(mind: Mind) -> None:
    told = mind.memory.remember(NewEntry("The doors are oak.", origin_of(OWNER)))
    mind.memory.remember(NewEntry("We decided on silver.", origin_of(AGENT)))
    mind.memory.remember(NewEntry("We decided on copper.", origin_of(AGENT, "msg:0000000000AA")))
    mind.memory.remember(NewEntry("We decided on oak doors.", origin_of(AGENT, f"entry:{told.entry}")))
    assert texts(look(mind)) == ["We decided on oak doors."]


def test_what_moves_with_its_section_is_no_candidate_of_its_own(mind: Mind) -> None:
    day = mind.memory.clock.today().isoformat()
    write(mind, f"memory/{day}-talk.md", "# Talk\n\n## Oak\n\nWe decided on oak.\n\n- Ann agreed to it\n")
    (found,) = look(mind)
    assert (found.entry.text, len(found.along)) == ("We decided on oak.", 1)


def test_one_that_is_named_is_explained_whatever_it_is_worth(mind: Mind) -> None:
    found = explain(mind.memory, mind.bench.state.searches, note(mind, 50, "Had soup."))
    assert (found.category, found.confidence, found.reasons, found.target) == ("recalled", 0.0, (), "MEMORY.md")


def test_only_entries_of_the_days_asked_about_are_read(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    recent = {note(mind, ago, f"We decided on {wood}.") for ago, wood in ((0, "oak"), (6, "ash"))}
    old = [note(mind, ago, f"We decided on {wood}.") for ago, wood in ((7, "elm"), (8, "fir"), (400, "yew"))]
    find_in(mind, old[2], "one", "two", "three")
    find_in(mind, "7K3QX9M2GONE", "one", "two", "three")
    read: set[str] = set()

    def note_row(row: EntryRow, *rest: Any) -> Entry:
        read.add(row.id)
        return believed(row, *rest)

    monkeypatch.setattr(catalog, "believed", note_row)
    assert {one.entry.id for one in look(mind)} == read == {*recent, old[2]}
    assert {one.entry.id for one in look(mind, CandidateQuery(days=8))} == {*recent, old[0], old[2]}


def test_what_belongs_to_no_known_day_counts_as_recent(mind: Mind) -> None:
    note(mind, 30, "We decided on oak.")
    write(mind, "users/bob/memory/archive/old.md", "# Old\n\n- We decided on ash.\n")
    archived = next(one.id for one in mind.catalog.all() if one.text == "We decided on ash.")
    mind.bench.state.entries.date({archived: ("", "")})
    assert mind.catalog.get(archived).day is None
    assert [one.id for one in undated_entries(mind.memory, Tier.WORKING)] == [archived]
    assert [one.entry.id for one in look(mind, CandidateQuery(least=0.0))] == [archived]
