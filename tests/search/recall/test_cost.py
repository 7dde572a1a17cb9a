"""How much a search does beside what it shows: counted, not timed."""

from collections.abc import Iterator
from random import Random

import numpy
import pytest
from tests.search.recall.world import Searchable, searchable

from everself.memory.catalog import Catalog
from everself.search import _features, _stages, score_adjustments
from everself.search.index_file import view as viewing
from everself.search.recall import RecallRequest
from everself.search.score_adjustments import COMPARED, _loss, diversify
from everself.testing.embedder import FakeEmbedder
from everself.text.search import fold_for_phrase
from everself.values import Hit

ENTRIES = 120


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searchable]:
    with searchable(tmp_path_factory.mktemp("cost"), FakeEmbedder(64)) as made:
        lines = [f"- The garden of number {at} has {at % 7} trees and word{at}x.\n" for at in range(ENTRIES)]
        lines[3] = "- ~~The garden of number 3 has a pond.~~\n"
        made.write("memory/2024-03-01.md", "".join(lines))
        made.index.sync()
        made.index.embed()
        yield made


def test_only_entries_that_are_shown_noted_or_closed_are_looked_up(
    world: Searchable, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    at = Catalog.at

    def counted(self: Catalog, places, held):  # type: ignore[no-untyped-def]
        asked.append(sum(map(len, places.values())))
        return at(self, places, held)

    monkeypatch.setattr(Catalog, "at", counted)
    found = world.search("Which garden has word17x?")
    assert found.hits[0].entry
    assert all(hit.entry for hit in found.hits)
    assert all(left.entry for left in found.left_out)
    assert sum(asked) <= len(found.hits) + 20
    asked.clear()
    world.search("the garden of number 3 with a pond")
    # the closed one, before the order is decided
    assert asked[0] == 1


def test_a_closed_entry_loses_score_and_is_told_as_closed(world: Searchable) -> None:
    found = world.search("the garden of number 3 with a pond", RecallRequest("", limit=100, min_score=0.0))
    closed = next(hit for hit in found.hits if "pond" in hit.text)
    assert closed.closed
    assert closed.entry
    assert "closed" in {part.name for part in closed.parts if part.kind == "factor"}


def test_each_hit_has_the_parts_of_its_own_rank(world: Searchable) -> None:
    found = world.search("Which garden has word17x?", RecallRequest("", limit=100, min_score=0.0))
    assert len(found.hits) > 50
    for hit in found.hits:
        assert {part.name for part in hit.parts} >= {"own", "meaning", "cosine", "age", "level"} - {"own", "level"}
        assert "rank" not in {part.name for part in hit.parts}
    sums = [sum(part.value for part in hit.parts if part.kind == "sum") for hit in found.hits]
    factors = [
        hit.score / numpy.prod([part.value for part in hit.parts if part.kind == "factor"]) for hit in found.hits
    ]
    # the score without its factors rises with the sum
    order = numpy.argsort(sums)
    assert (numpy.diff(numpy.array(factors)[order]) > -1e-4).all()


def test_texts_are_read_for_every_word_only_where_the_index_has_every_word(
    world: Searchable, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    has_all = score_adjustments.has_all

    def counted(text, sought):  # type: ignore[no-untyped-def]
        read.append(text)
        return has_all(text, sought)

    monkeypatch.setattr(_stages, "has_all", counted)
    world.search("Which garden has a submarine?")
    assert not read
    world.search("garden trees word17x")
    # its own, and the next: what stands before a short answer is shown with it
    assert len(read) <= 2


def test_all_vectors_are_compared_once_a_search(world: Searchable, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    scored = viewing.scored

    def counted(known, table, wanted, vector):  # type: ignore[no-untyped-def]
        compared.append(1)
        return scored(known, table, wanted, vector)

    monkeypatch.setattr(viewing, "scored", counted)
    world.search("Which garden has word23x?")
    assert len(compared) == 1


def test_who_speaks_in_a_role_is_looked_up_once_a_view(world: Searchable) -> None:
    view = world.index.view()
    chunks, spoken = numpy.arange(5, dtype=numpy.int32), numpy.zeros(5, numpy.float32)
    first = _features._roles(view, chunks, spoken)
    looked: list[str] = []
    view.postings = looked.append  # type: ignore[method-assign, assignment]
    again = _features._roles(view, chunks, spoken)
    del view.postings
    assert not looked
    assert {role: values.tolist() for role, values in first.items()} == {
        role: values.tolist() for role, values in again.items()
    }


def test_hits_are_diversified_as_by_comparing_every_pair() -> None:
    chance = Random(4)
    for _ in range(60):
        texts = [
            " ".join(chance.choice("abcdefghijkl") for _ in range(chance.randint(0, 8)))
            for _ in range(chance.choice((3, 30, COMPARED + 5)))
        ]
        hits = [Hit("a.md", at, at, round(chance.random(), 2), text) for at, text in enumerate(texts)]
        assert diversify(hits) == _plainly_diversified(hits)


def _plainly_diversified(hits: list[Hit]) -> list[Hit]:
    words = {hit.first_line: frozenset(fold_for_phrase(hit.text).split()) for hit in hits}
    waiting, chosen = hits[:COMPARED], list[Hit]()

    def alike(one: Hit, other: Hit) -> float:
        a, b = words[one.first_line], words[other.first_line]
        return len(a & b) / len(a | b) if a & b else 0.0

    while waiting:
        best = max(
            waiting,
            key=lambda hit: hit.score * (1 - _loss(max((alike(hit, one) for one in chosen), default=0.0))),
        )
        chosen.append(best)
        waiting.remove(best)
    return chosen + hits[COMPARED:]
