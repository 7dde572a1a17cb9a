"""The better model's vectors put the first hundred in order once more, where they are there."""

from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from tests.search.recall.world import Searchable, searchable

from everself.search._second_stage import COMPARED, SECOND, second_rows
from everself.search.recall import RecallRequest
from everself.testing.embedder import FakeEmbedder

QUESTION = "Which automobile does Ines drive?"
ANSWER = "Her old Skoda starts badly in the morning."


class Better(FakeEmbedder):
    """Knows that a Skoda is an automobile; knows nothing else."""

    def __init__(self) -> None:
        super().__init__(model="better/1")

    def _row(self, text: str):  # type: ignore[no-untyped-def]
        row = numpy.zeros(64, numpy.float32)
        row[0 if "Skoda" in text or "automobile" in text else 1] = 1.0
        return row


def fill(made: Searchable, count: int = 30) -> None:
    for at in range(count):
        made.write(f"memory/note-{at:02d}.md", f"- Lamp {at} hangs in the hall.\n")
    made.write("memory/other.md", f"- {ANSWER}\n")
    made.index.sync()
    made.index.embed()


def place(made: Searchable) -> int:
    hits = made.search(QUESTION, RecallRequest("", limit=40, min_score=0.0)).hits
    return [hit.text for hit in hits].index(ANSWER)


def test_what_only_the_better_model_understands_comes_first_once_it_has_vectors(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder(), second=Better()) as made:
        fill(made)
        assert place(made) > 0
        made.index.embed_second()
        assert place(made) == 0
        hit = made.search(QUESTION).hits[0]
        assert {part.name for part in hit.parts} & set(SECOND)
        sums = [part.value for part in hit.parts if part.kind == "sum"]
        assert sum(sums) == pytest.approx(sum(sums[:-1]) + sums[-1])


def test_a_better_model_that_fails_costs_nothing_but_itself(tmp_path: Path) -> None:
    better = Better()
    with searchable(tmp_path, FakeEmbedder(), second=better) as made:
        fill(made)
        before = [hit.reference for hit in made.search(QUESTION).hits]
        made.index.embed_second()
        better.fail("network")
        found = made.search(QUESTION)
        assert [hit.reference for hit in found.hits] == before
        assert found.hits


def test_the_order_with_it_does_not_depend_on_how_many_are_asked_for(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder(), second=Better()) as made:
        fill(made, COMPARED + 40)
        made.index.embed_second()
        whole = made.search(QUESTION, RecallRequest("", limit=60, min_score=0.0)).hits
        for limit in (1, 6, 13, 45):
            few = made.search(QUESTION, RecallRequest("", limit=limit, min_score=0.0)).hits
            assert [hit.reference for hit in few] == [hit.reference for hit in whole[:limit]]


def test_the_seeds_plain_rankings_do_without_it(tmp_path: Path) -> None:
    from everself.config.sections import Ranking

    better = Better()
    with searchable(tmp_path, FakeEmbedder(), second=better) as made:
        fill(made)
        made.index.embed_second()
        better.calls.clear()
        for ranking in (Ranking.TFIDF, Ranking.HYBRID):
            made.search(QUESTION, replace(RecallRequest(""), ranking=ranking))
        assert better.calls == []


def test_few_vectors_leave_the_first_stage_as_it_is_and_a_missing_one_is_neither_near_nor_far() -> None:
    groups, spoken = numpy.arange(4, dtype=numpy.int32), numpy.ones(4, numpy.bool_)
    none = numpy.float32(numpy.nan)
    assert second_rows(numpy.array([0.9, none, none, none], numpy.float32), groups, spoken, 0.0) is None
    rows = second_rows(numpy.array([0.9, 0.1, none, 0.5], numpy.float32), groups, spoken, 0.0)
    assert rows is not None
    assert rows[:, 0].tolist() == pytest.approx([0.9, 0.1, 0.5, 0.5])
    assert second_rows(numpy.empty(0, numpy.float32), groups[:0], spoken[:0], 0.0) is None


def test_a_turn_shares_the_best_of_its_part_and_a_note_stands_alone() -> None:
    cosines = numpy.array([0.9, 0.1, 0.8, 0.2], numpy.float32)
    groups = numpy.array([0, 0, 2, 2], numpy.int32)
    rows = second_rows(cosines, groups, numpy.array([True, True, False, False]), 0.0)
    assert rows is not None
    assert rows[:, SECOND.index("second_part")].tolist() == pytest.approx([0.9, 0.9, 0.8, 0.2])
