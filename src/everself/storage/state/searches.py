"""Rows of searches and their hits: the evidence for `why` and for promotion.

Does not search or judge hits; session kinds and modes are opaque names.
"""

import json
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Final, NamedTuple

from everself.errors import ChangedMeanwhile, Damaged, DiskError, NotFound, WrongUse
from everself.frozen import Frozen
from everself.storage.engine import Engine, Row, Value, Writer
from everself.storage.state._queries import load_queries
from everself.text.normalise import fold, without_surrogates
from everself.values import new_id

_SQL = load_queries("searches")
_PAGE: Final = 200
_CANDIDATES_SHOWN: Final = 10
_AFTER_ALL: Final = 2**63 - 1
# Seconds that an answer waits until its search is recorded. Another writer normally takes milliseconds.
_PATIENCE: Final = 0.3


class LeftOut(Frozen):
    """A match that was not returned, and the reason. `entry` is empty for a document outside the workspace."""

    entry: str
    path: str
    reason: str


class HitRecord(Frozen):
    """One hit, without its text. `parts`: named components of the score; no text of a query or document belongs there."""

    entry: str
    path: str
    first_line: int
    last_line: int
    score: float
    parts: tuple[tuple[str, float], ...] = ()


class SearchRecord(Frozen):
    """One search. `person`: who asked, empty for the owner; `tokens`: size of the answer; `hits`: best first."""

    at: datetime
    session: str
    session_kind: str
    mode: str
    query: str
    provider: str = ""
    tokens: int = 0
    notices: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    person: str = ""
    id: str = ""
    hits: tuple[HitRecord, ...] = ()


class EntryHits(Frozen):
    """How often an entry was found: the number of searches, the number of sessions, and the last day."""

    entry: str
    searches: int
    sessions: int
    last: date


class SearchDay(NamedTuple):
    """The number of searches on a day, and how many of them found nothing."""

    day: str
    searches: int
    missed: int


class Searches:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, search: SearchRecord, hits: Sequence[HitRecord]) -> str:
        """Store a search and return its id; empty if it could not be stored, which neither fails nor delays an answer.

        A power cut may lose the newest ones. Secrets and private passages of the query are not stored.
        """
        if search.at.tzinfo is None:
            raise WrongUse("The time of the search has no UTC offset.")
        if self._engine.read_only:
            return ""
        identity = search.id or new_id()
        search_row, hit_rows = _search_row(search, identity), [_hit_row(identity, *one) for one in enumerate(hits, 1)]

        def work(writer: Writer) -> None:
            writer.run(_SQL["add_search"], search_row)
            for row in hit_rows:
                writer.run(_SQL["add_hit"], row)

        return identity if _Attempt(self._engine, work).succeeds(_PATIENCE) else ""

    def find(self, name: str) -> SearchRecord:
        """Find a search, with its hits, by its id, a unique beginning of it, or `last` for the newest."""
        name = without_surrogates(name)
        if not name:
            raise WrongUse("Give the id of a search, the beginning of its id, or `last`.")
        found = self._engine.read(_SQL["get_search"], (name,))
        if not found and name == "last":
            found = self._engine.read(_SQL["newest_search"])
        if not found:
            asked: dict[str, Value] = {"prefix": name, "limit": _CANDIDATES_SHOWN + 1}
            found = self._engine.read(_SQL["searches_by_prefix"], asked)
        if not found:
            raise NotFound(f'search "{name}".')
        if len(found) > 1:
            shown = ", ".join(row[1] for row in found[:_CANDIDATES_SHOWN])
            more = " and more" if len(found) > _CANDIDATES_SHOWN else ""
            raise WrongUse(f'"{name}" is ambiguous: {shown}{more}.', mend="Give more characters of the id.")
        hits = self._engine.read(_SQL["hits"], (found[0][0],))
        return replace(self._to_record(found[0]), hits=tuple(self._to_hit(row) for row in hits))

    def list(
        self, limit: int = 50, *, session: str | None = None, query_contains: str | None = None
    ) -> tuple[SearchRecord, ...]:
        """The searches without their hits, newest first. `query_contains` ignores case."""
        wanted = fold(query_contains or "")
        found: list[SearchRecord] = []
        for row in self._newest_first(None if session is None else without_surrogates(session)):
            if len(found) >= limit:
                break
            if wanted in fold(row[7]):
                found.append(self._to_record(row))
        return tuple(found)

    def hits_of(self, entries: Sequence[str], since: date = date.min) -> dict[str, EntryHits]:
        """How often each of these entries was found since that day; entries never found are left out."""
        return _entry_hits(self._engine.read(_SQL["hits_of"], (json.dumps(list(entries)), since.isoformat())))

    def hits_since(self, since: date) -> dict[str, EntryHits]:
        """How often each entry was found since that day."""
        return _entry_hits(self._engine.read(_SQL["hits_since"], (since.isoformat(),)))

    def by_day(self, since: date, until: date) -> tuple[SearchDay, ...]:
        """The days from `since` to `until` that had searches, oldest first. A day is that of the clock that recorded the search."""
        asked = (since.isoformat(), until.isoformat())
        return tuple(SearchDay(*row) for row in self._engine.read(_SQL["searches_by_day"], asked))

    def _newest_first(self, session: str | None) -> Iterator[Row]:
        before = _AFTER_ALL
        while page := self._engine.read(_SQL["search_page"], {"before": before, "session": session, "limit": _PAGE}):
            yield from page
            before = page[-1][0]

    def _to_record(self, row: Row) -> SearchRecord:
        _, identity, at, session, kind, person, mode, query, provider, tokens, notices, left_out = row
        try:
            return SearchRecord(
                at=datetime.fromisoformat(at),
                session=session,
                session_kind=kind,
                mode=mode,
                query=query,
                provider=provider,
                tokens=tokens,
                notices=tuple(json.loads(notices)),
                left_out=tuple(LeftOut(*one) for one in json.loads(left_out)),
                person=person,
                id=identity,
            )
        except (TypeError, ValueError) as error:
            raise Damaged(f"{self._engine.path}: search {identity} cannot be read ({error}).") from error

    def _to_hit(self, row: Row) -> HitRecord:
        entry, path, first, last, score, parts = row
        try:
            return HitRecord(entry, path, first, last, score, tuple(json.loads(parts).items()))
        except (AttributeError, ValueError) as error:
            raise Damaged(f"{self._engine.path}: a hit in {path} cannot be read ({error}).") from error


def _entry_hits(rows: Iterable[Row]) -> dict[str, EntryHits]:
    return {str(row[0]): EntryHits(row[0], row[1], row[2], date.fromisoformat(row[3])) for row in rows}


class _Attempt:
    """A write that is abandoned if its turn does not come in time; it then never happens."""

    def __init__(self, engine: Engine, work: Callable[[Writer], None]) -> None:
        self._engine = engine
        self._work = work
        # the first to acquire it decides: the writer to write, or the waiter to abandon
        self._decided = threading.Lock()

    def succeeds(self, patience: float) -> bool:
        try:
            job = self._engine.begin_write(self._write)
            if not job.ends_within(patience) and self._decided.acquire(blocking=False):
                return False
            return job.wait()
        except (ChangedMeanwhile, DiskError, Damaged, NotFound):
            return False

    def _write(self, writer: Writer) -> bool:
        if not self._decided.acquire(blocking=False):
            return False
        self._work(writer)
        return True


def _search_row(search: SearchRecord, identity: str) -> tuple[Value, ...]:
    # each reason is cleaned once, because most are equal
    reasons = {reason: _bare(reason) for reason in {one.reason for one in search.left_out}}
    left_out = [[one.entry, one.path, reasons[one.reason]] for one in search.left_out]
    return (
        identity,
        search.at.isoformat(),
        without_surrogates(search.session),
        search.session_kind,
        without_surrogates(search.person),
        search.mode,
        _bare(search.query),
        search.provider,
        search.tokens,
        _json([_bare(one) for one in search.notices]),
        _json(left_out),
    )


def _hit_row(identity: str, rank: int, hit: HitRecord) -> tuple[Value, ...]:
    parts = {name: _finite(value) for name, value in hit.parts}
    path = without_surrogates(hit.path)
    return identity, rank, hit.entry, path, hit.first_line, hit.last_line, _finite(hit.score), _json(parts)


def _bare(text: str) -> str:
    from everself.text.redaction import redact, strip_private

    return without_surrogates(redact(strip_private(text)).text)


def _json(value: object) -> str:
    return without_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _finite(number: float) -> float:
    """Replace NaN and infinity by 0: SQLite stores no NaN, and JSON no infinity."""
    return float(number) if math.isfinite(number) else 0.0
