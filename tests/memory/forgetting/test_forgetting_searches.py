"""What was searched for is forgotten with what was found: the query, the hits, and what was left out."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.memory.forgetting.test_forgetting import CANARY, FACT, Mind

from everself.memory.forgetting.proof import Target
from everself.memory.writing import NewEntry
from everself.storage.state.searches import HitRecord, LeftOut, SearchRecord
from everself.testing.origins import origin_of
from everself.testing.workspaces import real_workspace
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.guards import standard_guards

KEPT = HitRecord("7K3QX9M2KEPT", "MEMORY.md", 1, 1, 0.5)


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with real_workspace(str(tmp_path), WorkspaceOptions(guards=standard_guards(), background=False)) as bench:
        yield Mind(bench, tmp_path)


def look(
    mind: Mind,
    query: str,
    *hits: HitRecord,
    left_out: tuple[LeftOut, ...] = (),
    session: str = "s1",
    person: str = "",
    day: int = 19,
) -> str:
    at = datetime(2026, 3, day, 9, tzinfo=UTC)
    notices = (f"Nothing else is like {query}",)
    asked = SearchRecord(at, session, "main", "default", query, notices=notices, left_out=left_out, person=person)
    identity = mind.bench.state.searches.record(asked, hits)
    assert identity
    return identity


def queries(mind: Mind) -> list[str]:
    return [one.query for one in mind.bench.state.searches.list()]


def hit(entry: str, path: str = "MEMORY.md") -> HitRecord:
    return HitRecord(entry, path, 3, 3, 0.9)


def test_a_query_that_says_the_forgotten_words_loses_them(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    name = look(mind, f"did I say {FACT.upper()} or not", KEPT, left_out=(LeftOut("", "x.md", f'like "{FACT}"'),))
    mind.workspace.close()
    plan = mind.forgetting.plan(Target(ids=(done.entry,)))
    assert ("searches", 3) in [(cut.path, cut.count) for cut in plan.quoted]
    proof = mind.forgetting.carry_out(plan)
    assert proof.gone
    assert mind.raw() == {}
    left = mind.bench.state.searches.find(name)
    assert left.query == "did I say [forgotten] or not"
    assert left.left_out[0].reason == 'like "[forgotten]"'
    assert left.hits == (KEPT,)


def test_whoever_asked_for_it_in_other_words_is_forgotten_too_and_other_hits_stay(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    found = look(mind, "what opens with KESTREL-4471?", KEPT, hit(done.entry))
    passed = look(mind, "codes like kestrel-4471", KEPT, left_out=(LeftOut(done.entry, "MEMORY.md", "too long"),))
    other = look(mind, "which tea?", KEPT)
    mind.workspace.close()
    plan = mind.forgetting.plan(Target(ids=(done.entry,)))
    assert ("searches", 2) in [(cut.path, cut.count) for cut in plan.quoted]
    proof = mind.forgetting.carry_out(plan)
    assert proof.gone
    assert mind.raw(CANARY) == {}
    assert mind.raw(CANARY.lower()) == {}
    searches = mind.bench.state.searches
    assert (searches.find(found).query, searches.find(found).hits) == ("[forgotten]", (KEPT,))
    assert (searches.find(passed).left_out, searches.find(passed).notices) == ((), ())
    assert searches.find(other).query == "which tea?"
    assert searches.hits_of([done.entry]) == {}
    assert {one.place: one.removed for one in proof.places}["searches"] == 2


def test_a_hit_on_another_entry_with_the_same_words_goes_as_well(mind: Mind) -> None:
    mind.write("memory/notes.md", f"- {FACT}\n")
    mind.write("memory/other.md", f"- {FACT}\n")
    one, twin = mind.catalog.all()
    look(mind, "KESTREL-4471?", hit(twin.id, twin.path))
    mind.workspace.close()
    proof = mind.forget(ids=(one.id,))
    assert proof.gone
    assert mind.raw() == {}
    assert mind.bench.state.searches.find("last").hits == ()


def test_words_that_stand_only_in_a_query_can_be_forgotten(mind: Mind) -> None:
    look(mind, FACT, KEPT)
    proof = mind.forget(words=FACT)
    assert proof.gone
    assert queries(mind) == ["[forgotten]"]
    assert mind.raw() == {}


def test_forgetting_a_session_takes_its_searches_whole(mind: Mind) -> None:
    look(mind, "KESTREL-4471", hit("7K3QX9M2GONE"))
    look(mind, "of another session", KEPT, session="s2")
    proof = mind.forget(session="s1")
    assert proof.gone
    assert queries(mind) == ["of another session"]
    assert mind.bench.state.searches.hits_of(["7K3QX9M2GONE"]) == {}
    assert mind.raw() == {}


def test_forgetting_days_takes_what_was_asked_on_them(mind: Mind) -> None:
    for day in (17, 18, 19):
        look(mind, f"asked on {day}", KEPT, day=day)
    mind.forget(since=date(2026, 3, 18), until=date(2026, 3, 18))
    assert queries(mind) == ["asked on 19", "asked on 17"]


def test_forgetting_a_person_takes_what_they_asked_and_every_hit_in_their_folder(mind: Mind) -> None:
    mind.write("users/max/memory/notes.md", f"- {FACT}\n")
    look(mind, "asked by max", KEPT, person="max", session="s2")
    look(mind, "kestrel-4471?", KEPT, hit("", "users/max/memory/notes.md"))
    look(mind, "and of maxine?", hit("7K3QX9M2MAXI", "users/maxine/memory/notes.md"))
    proof = mind.forget(person="max")
    assert proof.gone
    assert queries(mind) == ["and of maxine?", "[forgotten]"]
    assert mind.raw(CANARY) == mind.raw(CANARY.lower()) == {}


def test_a_crash_before_the_searches_were_cleaned_is_made_good(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    look(mind, "KESTREL-4471?", hit(done.entry), session="s2")
    look(mind, "all of this session", KEPT)
    mind.workspace.close()
    plan = mind.forgetting.plan(Target(ids=(done.entry,), session="s1"))

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(mind.bench.state.scrub), "drop_searches", die)
        with pytest.raises(Killed):
            mind.forgetting.carry_out(plan)
    assert len(queries(mind)) == 2
    (proof,) = mind.forgetting.resume()
    assert proof.gone
    assert queries(mind) == ["[forgotten]"]
    assert mind.raw() == {}


def test_the_proof_counts_a_search_that_still_names_what_is_forgotten(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    look(mind, "what opens it?", hit(done.entry))
    mind.workspace.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(mind.bench.state.scrub), "blank_searches", lambda *_: 0)
        proof = mind.forget(ids=(done.entry,))
    assert not proof.gone
    assert {one.place: one.left for one in proof.places}["database"] == 1
