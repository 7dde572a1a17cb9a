"""The order of hits depends on the query and on what is remembered, never on how many are asked for."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some
from tests.search.recall.world import Searchable, searchable

from everself.search._weights import load_model
from everself.search.recall import RecallRequest
from everself.search.similarity import COSINE
from everself.storage.state.searches import SearchRecord
from everself.testing.embedder import FakeEmbedder
from everself.testing.workspaces import real_workspace
from everself.values import Hit

WORDS = ("harbour", "lamp", "bread", "violin", "garden", "ticket", "winter", "kettle", "Anna", "boat")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searchable]:
    """Two hundred entries, some of them corrections, some closed, some less certain, of many days."""
    with searchable(Path(tmp_path_factory.mktemp("order"))) as made:
        for day in range(20):
            lines = []
            for at in range(10):
                first, second = WORDS[(day + at) % 10], WORDS[(day * 3 + at * 7) % 10]
                marks = ("", " tag=correction", " until=2025-01-05", " confidence=0.3")[(day * 7 + at * 3) % 4]
                name = f"7K3QX9M2{day:02}{at:02}"
                lines.append(f"- The {first} and the {second} of day {day}. <!-- everself: id={name}{marks} -->\n")
            made.write(f"memory/{(made.today - timedelta(days=9 * day)).isoformat()}.md", "".join(lines))
        yield made


def places(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.reference for hit in hits]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(query="lamp", limit=6, budget=90)
@example(query="lamp", limit=12, budget=200)
@example(query="lamp kettle", limit=2, budget=60)
@given(
    query=some.lists(some.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
    limit=some.integers(1, 200),
    budget=some.integers(20, 4_000),
)
def test_the_order_before_packing_does_not_depend_on_limit_or_budget(
    world: Searchable, query: str, limit: int, budget: int
) -> None:
    def found(request: RecallRequest) -> list[str]:
        return places(world.search(query, request).hits)

    every = found(RecallRequest("", limit=1_000, min_score=0.0, recorded=False, fresh=False))
    assert found(RecallRequest("", limit=limit, min_score=0.0, recorded=False, fresh=False)) == every[:limit]
    packed = found(RecallRequest("", budget=budget, min_score=0.0, recorded=False, fresh=False))
    # what does not fit is passed over, and nothing changes places
    assert packed == [place for place in every if place in set(packed)]


def test_every_hit_is_looked_up_alike_however_many_are_asked_for(world: Searchable) -> None:
    hits = world.search("harbour", RecallRequest("", limit=200, min_score=0.0, recorded=False)).hits
    assert len(hits) > 100
    assert all(hit.entry for hit in hits)


def test_confidence_does_not_rank(tmp_path: Path) -> None:
    with searchable(tmp_path) as made:
        made.write(
            "MEMORY.md",
            "# Memory\n\n- The tundra plan is due in May. <!-- everself: id=7K3QX9M2ABC1 confidence=0.1 -->\n"
            "- The tundra is cold, and somebody said that a plan may be due. <!-- everself: id=7K3QX9M2ABC2 -->\n",
        )
        hits = made.search("When is the tundra plan due?").hits
        assert hits[0].entry == "7K3QX9M2ABC1"
        assert "confidence" not in {part.name for hit in hits for part in hit.parts}


def test_what_is_below_the_threshold_comes_marked_and_last(tmp_path: Path) -> None:
    with searchable(tmp_path) as made:
        made.write("MEMORY.md", "# Memory\n\n- Writes Rust at work.\n- Grows rhubarb on the balcony.\n")
        nothing = made.search("giraffe").hits
        assert nothing
        assert all(hit.weak for hit in nothing)
        known = made.search("rhubarb on the balcony").hits
        assert not known[0].weak
        assert "rhubarb" in known[0].text
        assert [hit.weak for hit in known] == sorted(hit.weak for hit in known)


def test_what_hardly_fits_comes_after_all_that_fits_and_three_of_it_at_most(tmp_path: Path) -> None:
    with searchable(tmp_path) as made:
        made.write("memory/lamps.md", "".join(f"- Lamp {at} hangs in the hall.\n" for at in range(8)))
        made.write("memory/garden.md", "".join(f"- The rhubarb in bed {at} wants water.\n" for at in range(4)))
        hits = made.search("rhubarb", RecallRequest("", limit=20)).hits
        assert ["rhubarb" in hit.text for hit in hits] == [True] * 4 + [False] * 3
        assert [hit.weak for hit in hits] == [False] * 4 + [True] * 3
        assert len(made.search("rhubarb", RecallRequest("", limit=5)).hits) == 5


def test_a_caller_who_sets_a_threshold_gets_nothing_below_it(tmp_path: Path) -> None:
    with searchable(tmp_path) as made:
        made.write("MEMORY.md", "# Memory\n\n- Writes Rust at work.\n")
        assert not made.search("giraffe", RecallRequest("", min_score=0.3)).hits
        assert not any(hit.weak for hit in made.search("Rust", RecallRequest("", min_score=0.0)).hits)


def test_a_large_memory_without_any_of_the_words_shows_its_newest(tmp_path: Path) -> None:
    with searchable(tmp_path) as made:
        for day in range(13):
            when = made.today - timedelta(days=day)
            made.write(f"memory/{when.isoformat()}.md", "".join(f"- Lamp {at} of day {day}.\n" for at in range(100)))
        hits = made.search("giraffe").hits
        assert hits
        assert {hit.day for hit in hits} == {made.today}
        assert all(hit.weak for hit in hits)


def test_a_weak_hit_is_recorded_as_such_and_is_no_evidence_that_it_was_needed(tmp_path: Path) -> None:
    recorded: list[SearchRecord] = []
    with searchable(tmp_path / "searched", recorded=recorded) as made:
        made.write("MEMORY.md", "# Memory\n\n- Writes Rust at work.\n- Grows rhubarb on the balcony.\n")
        made.search("rhubarb on the balcony")
    strong, weak = recorded[0].hits
    with real_workspace(str(tmp_path / "kept")) as bench:
        assert bench.state.searches.record(recorded[0], [strong, weak])
        assert set(bench.state.searches.hits_of([strong.entry, weak.entry])) == {strong.entry}


def test_the_newer_of_two_that_say_the_same_comes_first(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        for days in (90, 1, 30):
            when = made.today - timedelta(days=days)
            made.write(f"memory/{when.isoformat()}.md", "- The kettle was mended.\n")
        made.index.sync()
        made.index.embed()
        found = made.search("When was the kettle mended?").hits[0]
        assert found.day == made.today - timedelta(days=1)


def test_a_correction_far_down_comes_first_however_few_are_asked_for(tmp_path: Path) -> None:
    with searchable(tmp_path) as made:
        made.write("MEMORY.md", "".join(f"- The lamp stands in room {at}.\n" for at in range(40)))
        made.write(
            "memory/2026-01-01.md",
            "- The lamp stands in the small hall. <!-- everself: id=7K3QX9M2ABC1 tag=correction -->\n",
        )
        for limit in (1, 3, 100):
            hits = made.search("lamp stands", RecallRequest("", limit=limit, min_score=0.0)).hits
            assert "hall" in hits[0].text, limit


@pytest.mark.parametrize("limit", [2, 12])
def test_the_record_of_a_correction_comes_after_the_entry_that_holds(tmp_path: Path, limit: int) -> None:
    with searchable(tmp_path) as made:
        record = "- **Said:** {}\n- **Right:** {}\n- **Trigger:** told directly (confidence high)\n- **Entries:** none → entry:{}\n"
        made.write("MEMORY.md", "- Choir is on Thursday at nine. <!-- everself: id=7K3QX9M2ABC1 tag=correction -->\n")
        said = record.format("Choir practice is on Monday.", "Choir is on Thursday at nine.", "7K3QX9M2ABC1")
        made.write("CORRECTIONS.md", f"# Corrections\n\n## [09:00:00] correction on 2026-03-02\n\n{said}")
        hits = made.search("when is choir practice on Monday", RecallRequest("", limit=limit, min_score=0.0)).hits
        assert [hit.path for hit in hits][:2] == ["MEMORY.md", "CORRECTIONS.md"]


def test_a_note_that_has_every_word_lifts_none_of_the_notes_beside_it(tmp_path: Path) -> None:
    """A question that was asked before may stand in the notes of its day."""
    with searchable(tmp_path, FakeEmbedder()) as made:
        asked = "anything else I normally do on a sunday that clashes at five"
        made.write("memory/2026-01-04.md", "- The MOT runs out in June.\n- Mother and I phone every sunday.\n")
        lamps = "".join(f"- Lamp {at} went out.\n" for at in range(12))
        made.write("memory/2026-01-05.md", f"- {asked}\n{lamps}")
        made.index.sync()
        made.index.embed()
        first, second = [hit.text for hit in made.search(asked, RecallRequest("", limit=20)).hits][:2]
        assert (first, second) == (asked, "Mother and I phone every sunday.")


def test_a_note_has_its_own_meaning_and_not_that_of_its_day(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        made.write("memory/2026-01-05.md", "- The kettle was mended.\n- Lamp one went out.\n- Rain, all day.\n")
        made.index.sync()
        made.index.embed()
        weight = load_model(meaning=True).order["part"]
        hits = made.search("The kettle was mended.", RecallRequest("", min_score=0.0)).hits
        assert len(hits) == 3
        for hit in hits:
            parts = {part.name: part.value for part in hit.parts}
            assert parts.get("part", 0.0) == pytest.approx(weight * parts[COSINE], abs=1e-4)
