"""What was searched for and what was found: the evidence behind `why` and behind promotion.

Knows rows. Knows nothing of how a search is done, nor what a good hit is; session kinds and modes are names to it.
"""

import json
import math
import threading
from collections.abc import Callable, Iterator, Sequence
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
# Seconds that an answer waits for its record. Another writer is normally done in milliseconds.
_PATIENCE: Final = 0.3


class LeftOut(Frozen):
    """Something that matched and was not handed out, and why. `entry` is empty where the document is not ours."""

    entry: str
    path: str
    reason: str


class HitRecord(Frozen):
    """One hit, without its words. `parts` names the parts of its score; nothing of a query or a text belongs there."""

    entry: str
    path: str
    first_line: int
    last_line: int
    score: float
    parts: tuple[tuple[str, float], ...] = ()


class SearchRecord(Frozen):
    """One search. `person` is who asked, empty for the owner; `tokens` what the answer cost; `hits` the best first."""

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
    """How often an entry was found: in how many searches, of how many sessions, and on which day last."""

    entry: str
    searches: int
    sessions: int
    last: date


class SearchDay(NamedTuple):
    """How many searches a day had, and how many of them found nothing."""

    day: str
    searches: int
    missed: int


class Searches:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, search: SearchRecord, hits: Sequence[HitRecord]) -> str:
        """Its id; empty when it could not be recorded, which an answer neither fails by nor waits for.

        A power cut may lose the last ones. Secrets and private passages of the query are not stored.
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
        """The search of that id, of the only id that begins so, or the newest for `last`; with its hits."""
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
        """Newest first, without their hits. Words of the query are compared whatever their case."""
        wanted = fold(query_contains or "")
        found: list[SearchRecord] = []
        for row in self._newest_first(None if session is None else without_surrogates(session)):
            if len(found) >= limit:
                break
            if wanted in fold(row[7]):
                found.append(self._to_record(row))
        return tuple(found)

    def hits_of(self, entries: Sequence[str], since: date = date.min) -> dict[str, EntryHits]:
        """How often each of these entries was found on that day or later; those that never were are left out."""
        asked = (json.dumps(list(entries)), since.isoformat())
        return {
            entry: EntryHits(entry, searches, sessions, date.fromisoformat(day))
            for entry, searches, sessions, day in self._engine.read(_SQL["hits_of"], asked)
        }

    def by_day(self, since: date, until: date) -> tuple[SearchDay, ...]:
        """Of the days from `since` to `until` that had any, the oldest first. Days are those of the clock that each was recorded by."""
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


class _Attempt:
    """A write that is given up when its turn does not come in time: then it has not happened, and will not."""

    def __init__(self, engine: Engine, work: Callable[[Writer], None]) -> None:
        self._engine = engine
        self._work = work
        # the first to take it decides: the writer that it is written, the waiter that it is not
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
    # cleaned once each: most share one reason
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
    """SQLite keeps no NaN, and JSON no infinity."""
    return float(number) if math.isfinite(number) else 0.0
