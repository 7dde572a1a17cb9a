"""The same questions without Everself: numpy over all vectors, and FTS5 over all texts. One thread, warm.

Neither reads files, checks hashes, applies a scope or knows entries; they are reference values for search.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import numpy
from numpy.typing import NDArray
from tools.bench_speed.directions import DIMENSIONS, Floats
from tools.bench_speed.searching import Times, times_of
from tools.bench_speed.store import Store, load_questions

from everself.text.search import TermKind, read_query

COUNT = 10
# candidates scored exactly per wanted result
RESCORED = 80
ASKED = 60
# seconds per measurement; with a million texts FTS5 takes seconds for one question
LONGEST = 30.0


@dataclass(frozen=True, slots=True)
class Raw:
    """Times of the raw libraries; None if the machine has too little memory."""

    scan: Times | None
    codes: Times | None
    # the share of the ten nearest vectors that the binary codes find
    codes_recall: float
    full_text: Times
    full_text_building: float


def measure(store: Store) -> Raw:
    questions, stub = load_questions(store.folder)
    asked = questions[-ASKED:]
    vectors = stub.embed(asked, purpose="query")
    scan = codes = None
    recall = 0.0
    if store.units * DIMENSIONS * 6 < _free_bytes():
        scan, codes, recall = _numpy(_table(store), vectors)
    begin = time.perf_counter()
    connection = _build(store)
    building = time.perf_counter() - begin
    return Raw(scan, codes, recall, _full_text(connection, asked), building)


def _table(store: Store) -> Floats:
    table = numpy.empty((store.units, DIMENSIONS), numpy.float32)
    at = 0
    for _, _, vectors in store.with_vectors():
        table[at : at + len(vectors)] = vectors
        at += len(vectors)
    return table


def _numpy(table: Floats, vectors: Floats) -> tuple[Times, Times, float]:
    # one column per 64-bit word, because numpy counts bits fastest in long runs
    codes = numpy.ascontiguousarray(numpy.packbits(table > 0, axis=1).view(numpy.uint64).T)
    exact, near, scans, counted = [], [], [], []
    for vector in vectors:
        begin = time.perf_counter()
        exact.append(_top(table @ vector))
        between = time.perf_counter()
        near.append(_by_codes(table, codes, vector))
        scans.append(between - begin)
        counted.append(time.perf_counter() - between)
    shares = [len(set(a.tolist()) & set(b.tolist())) / COUNT for a, b in zip(exact, near, strict=True)]
    return times_of(scans), times_of(counted), float(numpy.mean(shares))


def _by_codes(table: Floats, codes: NDArray[numpy.uint64], vector: Floats) -> NDArray[numpy.int64]:
    code = numpy.packbits(vector > 0).view(numpy.uint64)
    away = numpy.zeros(len(table), numpy.uint16)
    for words, word in zip(codes, code, strict=True):
        away += numpy.bitwise_count(words ^ word)
    chosen = numpy.argpartition(away, min(COUNT * RESCORED, len(away) - 1))[: COUNT * RESCORED]
    return chosen[_top(table[chosen] @ vector)]


def _top(scores: Floats) -> NDArray[numpy.int64]:
    best = numpy.argpartition(-scores, COUNT)[:COUNT]
    return best[numpy.argsort(-scores[best])]


def _build(store: Store) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE entries USING fts5(text, content='', tokenize='porter unicode61')")
    with connection:
        connection.executemany("INSERT INTO entries (rowid, text) VALUES (?, ?)", enumerate(_texts(store.folder)))
    return connection


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted((folder / "everself" / "workspace" / "memory").glob("*.md")):
        for line in path.read_text("utf-8").splitlines():
            if line.startswith(("- ", "**")):
                yield line


def _full_text(connection: apsw.Connection, questions: list[str]) -> Times:
    """Time FTS5 queries: the words of a question joined by OR without stop words, the ten best by FTS5's own rank."""
    spent: list[float] = []
    started = time.perf_counter()
    for question in questions:
        words = [term.surface for term in read_query(question).terms if term.kind is not TermKind.STOP]
        asked = " OR ".join(f'"{word}"' for word in words)
        begin = time.perf_counter()
        query = "SELECT rowid FROM entries WHERE entries MATCH ? ORDER BY rank LIMIT ?"
        connection.execute(query, (asked, COUNT)).fetchall()
        spent.append(time.perf_counter() - begin)
        if time.perf_counter() - started > LONGEST:
            break
    return times_of(spent)


def _free_bytes() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
