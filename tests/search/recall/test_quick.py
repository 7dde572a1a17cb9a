"""The quick ways of ranking give what the slow and plain ways give, on a store of random words."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy
import pytest
from tests.search.recall.world import Searchable, searchable

from everself.errors import Damaged
from everself.search._features import STEPS, _Beside, _Group
from everself.search.index import Index
from everself.search.index_file import view as viewing
from everself.search.matching import choose, counts_at, match, union
from everself.search.ranking import read_wording, run_share
from everself.search.recall import RecallRequest
from everself.testing.embedder import FakeEmbedder
from everself.text.search import fold_for_phrase, read_query

ENTRIES = 1_600

pytestmark = pytest.mark.slow
FILES = 8


def words(chance: Random, count: int) -> str:
    """Few words are everywhere, most are rare."""
    return " ".join(f"w{int(400 * chance.random() ** 3)}x" for _ in range(count))


def fill(world: Searchable) -> None:
    chance = Random(8)
    for number in range(FILES):
        lines = [words(chance, chance.randint(3, 12)) for _ in range(ENTRIES // FILES)]
        marks = [f"**{chance.choice(('Anna', 'Boris'))}:** {line}\n" if number % 2 else f"- {line}" for line in lines]
        if number % 2 == 0:
            marks[50:50] = ["", f"## {words(chance, 2)}", ""]
        world.write(f"memory/2024-03-{number + 1:02}.md", "\n".join(marks) + "\n")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searchable]:
    with searchable(tmp_path_factory.mktemp("quick"), FakeEmbedder(64)) as made:
        fill(made)
        made.index.sync()
        made.index.embed()
        yield made


QUESTIONS = [f"What did Anna say of {words(Random(seed), 6)}?" for seed in range(25)]


@pytest.mark.parametrize("question", QUESTIONS[:3])
def test_words_beside_candidates_are_counted_as_one_by_one(world: Searchable, question: str) -> None:
    view = world.index.view()
    matched = match(view, read_query(question))
    chunks = choose(view, matched, None)
    assert len(chunks) > 100
    beside, documents = _Beside(view, chunks), view.columns["document"]
    for one in matched:
        counts = beside.counts(one)
        for row, step in zip(counts, STEPS, strict=True):
            expected = [
                float(counts_at(one.chunks, one.counts, numpy.array([chunk + step], numpy.int32))[0])
                if 0 <= chunk + step < len(documents) and documents[chunk + step] == documents[chunk]
                else 0.0
                for chunk in chunks.tolist()
            ]
            assert row.tolist() == expected


def test_parts_of_documents_are_as_long_as_their_chunks_together(world: Searchable) -> None:
    view = world.index.view()
    group = _Group(view, numpy.arange(0, len(view.columns), 3, dtype=numpy.int32))
    lengths = view.columns["length"]
    assert group._lengths().tolist() == [
        float(lengths[first:last].astype(int).sum()) for first, last in zip(group.first, group.last, strict=True)
    ]
    alive = [int(row["length"]) for row in view.columns if row["flags"] & 1]
    assert view.living == len(alive)
    assert view.average_length == pytest.approx(sum(alive) / len(alive))


def test_lists_are_joined_without_doubles() -> None:
    chance = numpy.random.default_rng(1)
    lists = [chance.integers(0, 500, size).astype(numpy.int32) for size in (0, 1, 40, 300)]
    assert union(lists).tolist() == sorted({number for one in lists for number in one.tolist()})


def test_runs_of_words_are_the_longest_there_are() -> None:
    """Beside the plain definition: from each word on, as many of the query's words as stand in a row in the text."""
    chance = Random(3)
    for _ in range(300):
        query, text = words(chance, 9), words(chance, 30)
        if chance.random() < 0.5:
            text += " " + " ".join(query.split()[2:6])
        wording, said = read_wording(query), f" {' '.join(fold_for_phrase(text).split())} "
        at = total = 0
        while at < len(wording.words):
            length = 0
            while at + length < len(wording.words) and f" {' '.join(wording.words[at : at + length + 1])} " in said:
                length += 1
            total += max(0, length - 1) ** 2
            at += max(1, length)
        assert run_share(wording, text) == pytest.approx(total**0.5 / (len(wording.words) - 1))


def test_many_chunks_are_told_as_one_by_one(world: Searchable) -> None:
    view = world.index.view()
    numbers = [5, 3, 3, 900, 0, *range(700, 1_400)]
    assert view.chunks(numbers) == [view.chunks([number])[0] for number in numbers]
    assert view.chunks([]) == []
    with pytest.raises(Damaged):
        view.chunks([1, 10_000_000])


@pytest.mark.parametrize("exact_below", [20_000, 100])
def test_what_is_kept_in_memory_changes_no_answer(
    world: Searchable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exact_below: int
) -> None:
    monkeypatch.setattr(viewing, "EXACT_BELOW", exact_below)
    asked = RecallRequest("", limit=20, min_score=0.0)
    first = [world.search(question, asked) for question in QUESTIONS]
    assert all(len(found.hits) == 20 for found in first)
    assert [world.search(question, asked).hits for question in reversed(QUESTIONS)] == [
        found.hits for found in reversed(first)
    ]
    with searchable(tmp_path, FakeEmbedder(64)) as other:
        fill(other)
        index: Index = other.index
        index.sync()
        index.embed()
        for question, found in zip(QUESTIONS[::5], first[::5], strict=True):
            anew = other.search(question, asked)
            assert [(hit.reference, hit.text) for hit in anew.hits] == [(hit.reference, hit.text) for hit in found.hits]
            assert [hit.score for hit in anew.hits] == pytest.approx([hit.score for hit in found.hits], abs=1e-5)
