"""The rows of the index find what they are for: the product is broken on purpose, and a row must say so."""

import json
from collections.abc import Sequence

import pytest
from tests.trust.rows import r10, r15
from tests.trust.rows.r09 import make_case, suffer
from tests.trust.rows.r10 import run_r10
from tests.trust.rows.r15 import DEGRADED, Run, Tally

from everself.errors import Damaged
from everself.search.index import Index
from everself.search.index_file import columns, postings, vectors
from everself.search.sync import sync as syncing
from everself.values import FileStat

pytestmark = [pytest.mark.trust, pytest.mark.timeout(1800)]

ROUNDS = 12


def _unchecked(_header: object, _table: int, _number: int, data: object, _expected: int) -> bytes:
    return data if isinstance(data, bytes) else b""


def test_an_index_that_believes_its_rows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def suffer_often() -> None:
        for _ in range(ROUNDS):
            suffer(case, "change_a_row", "closed")

    with make_case(1) as case:
        for module in (columns, postings, vectors):
            monkeypatch.setattr(module, "checked", _unchecked)
        with pytest.raises((AssertionError, ValueError, IndexError, Damaged)):
            suffer_often()


def test_an_index_that_knows_a_document_by_size_and_time_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def stamp(stat: FileStat) -> tuple[int, int, int, int, int]:
        return 0, 0, stat.size, stat.mtime_ns, 0

    monkeypatch.setattr(syncing, "stamp_of", stamp)
    monkeypatch.setattr(syncing, "GRAIN_NS", 0)
    # hands that leave size and time as they were
    same = {"edit_with_the_same_size": r10.edit_with_the_same_size}
    monkeypatch.setattr(r10, "HANDS", same)
    with pytest.raises(AssertionError, match="R10 seed"):
        run_r10(ROUNDS, 1)


def test_an_index_that_keeps_what_is_gone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(r10, "HANDS", {"delete": r10.delete, "create": r10.create})
    look = Index.view
    seen: list[object] = []

    def stale(index: Index, *, fresh: bool = True) -> object:
        """Looks at the files the first time only."""
        found = look(index, fresh=fresh and index not in seen)
        seen.append(index)
        return found

    monkeypatch.setattr(Index, "view", stale)
    with pytest.raises(AssertionError, match="R10 seed"):
        run_r10(ROUNDS, 1)


class _Crowd:
    """What a command said, made up."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def run(self, *_: str) -> Run:
        return self._run


def _run(**changes: object) -> Run:
    hits = [{"hit": {"path": "MEMORY.md"}}]
    out = json.dumps({"data": {"hits": hits, "notices": []}})
    told = {"code": DEGRADED, "out": out, "err": "Reading", "seconds": 30.0, "first_word": 2.0, "rss": 300}
    return Run(**(told | changes))  # type: ignore[arg-type] # fields by name


@pytest.mark.parametrize(
    ("changes", "complaint", "first"),
    [
        ({"code": -9}, "hung", False),
        ({"code": 1, "err": "Traceback"}, "ended with 1", False),
        ({"rss": 513}, "took 513 MB", False),
        ({"out": json.dumps({"data": {"hits": [{"hit": {"path": "SOUL.md"}}], "notices": []}})}, "SOUL.md", False),
        ({"out": "memory/other.md#L1"}, "memory/other.md", True),
        ({"out": "MEMORY.md#L1", "first_word": 29.0}, "not a word", True),
        ({"out": "MEMORY.md#L1", "err": "Done."}, "Done", True),
    ],
)
def test_a_command_that_does_not_bear_the_crowd_is_found(
    changes: dict[str, object], complaint: str, *, first: bool
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        r15.search(_Crowd(_run(**changes)), Tally(), "lighthouse", "MEMORY.md", first=first)  # type: ignore[arg-type] # a crowd of words


def test_a_search_that_says_nothing_of_what_it_did_not_read_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(_crowd: object, _tally: Tally, _query: str, _path: str, *, first: bool = False) -> str:
        return "Reading" if first else ""

    def nothing(_crowd: object) -> Sequence[str]:
        return {"memory/pipe.md"}  # type: ignore[return-value] # as the row makes it

    monkeypatch.setattr(r15, "search", silent)
    monkeypatch.setattr(r15.Crowd, "fill", nothing)
    with pytest.raises(AssertionError, match=r"R15 seed 1: nobody says that MEMORY.md was not read"):
        r15.run_r15(20, 1)
