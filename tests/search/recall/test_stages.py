"""A search looks further down its ranking only where that could change what it hands out."""

from pathlib import Path
from random import Random

import pytest
from tests.search.recall.world import Searchable, searchable

from everself.search import recall
from everself.search.recall import RecallRequest, SearchResult
from everself.testing.embedder import FakeEmbedder

ENTRIES = 700
WORDS = (
    *(
        "tea",
        "boat",
        "garden",
        "rain",
        "anna",
        "bob",
        "coffee",
        "paint",
        "window",
        "spring",
        "train",
        "letter",
        "river",
    ),
    *("cake", "stone", "music"),
)
QUERIES = ("the window", "anna tea boat", "music in spring", "cake stone river letter", '"tea boat"', "number")
REQUESTS = (
    RecallRequest("", budget=1_500, limit=46),
    RecallRequest("", limit=90),
    RecallRequest("", limit=90, min_score=0.0),
    RecallRequest("", budget=3_000),
)


def outline(found: SearchResult) -> list[tuple[str, float, bool]]:
    return [(hit.reference, hit.score, hit.weak) for hit in found.hits]


def fill(made: Searchable, random: Random) -> None:
    days: dict[str, list[str]] = {}
    for at in range(ENTRIES):
        said = " ".join(random.choices(WORDS, weights=[4 ** (5 * -n / len(WORDS)) for n in range(len(WORDS))], k=6))
        days.setdefault(f"memory/2026-01-{at % 28 + 1:02}.md", []).append(f"- {said} number {at}.")
    for path, lines in days.items():
        made.write(path, "\n".join(lines) + "\n")
    made.index.view()
    made.index.embed()


@pytest.mark.slow
def test_what_is_handed_out_is_the_same_as_if_every_stage_had_been_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        fill(made, Random(seed))
        asked = [(query, request) for query in QUERIES for request in REQUESTS]
        short = [outline(made.search(*one)) for one in asked]
        monkeypatch.setattr(recall, "may_add", lambda *_: True)
        assert short == [outline(made.search(*one)) for one in asked]
        # and where it matters, it is looked at
        monkeypatch.setattr(recall, "may_add", lambda *_: False)
        assert short != [outline(made.search(*one)) for one in asked]


def test_where_the_first_stage_is_enough_nothing_else_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    looked: list[bool] = []
    asked = recall.may_add

    def note(*given: object) -> bool:
        looked.append(asked(*given))  # type: ignore[arg-type]  # handed on as they come
        return looked[-1]

    monkeypatch.setattr(recall, "may_add", note)
    with searchable(tmp_path, FakeEmbedder()) as made:
        fill(made, Random(seed))
        made.search("what is there to do today", RecallRequest("", budget=1_500, limit=46))
    assert looked == [False]
