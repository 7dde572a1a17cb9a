"""Rows of questions for a human (besides proposals), of keeper runs, and of texts released from quarantine. Not their meaning."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from everself.errors import NotFound, WrongUse
from everself.frozen import Frozen
from everself.storage.engine import Engine, Row
from everself.storage.state._queries import load_queries

_SQL = load_queries("keepers")

ReviewStatus = Literal["waiting", "accepted", "edited", "refused", "expired"]


class Review(Frozen):
    """A question. `about` identifies its subject, so that it is asked only once; `payload` belongs to its author."""

    id: str
    at: str
    kind: str
    author: str
    about: str
    payload: Mapping[str, Any]
    evidence: tuple[str, ...] = ()
    status: ReviewStatus = "waiting"
    decided_at: str = ""
    change: str = ""


class KeeperRun(Frozen):
    """`upto`: how far the keeper has read, in its own format."""

    id: str
    keeper: str
    at: str
    seconds: float
    applied: int
    queued: int
    refused: int
    upto: str = ""
    notes: tuple[str, ...] = ()


class Reviews:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, review: Review) -> bool:
        """Store a question. Returns False if it was asked before, whatever the answer was."""
        one = review
        texts = (json.dumps(dict(one.payload), ensure_ascii=False), json.dumps(one.evidence))
        values = (one.id, one.at, one.kind, one.author, one.about, *texts)
        return bool(self._engine.write(lambda writer: writer.run(_SQL["add_review"], values)))

    def waiting(self, kind: str = "", limit: int = 500) -> list[Review]:
        """Unanswered questions, oldest first."""
        return self.every("waiting", kind, limit)

    def every(self, status: ReviewStatus | Literal[""] = "", kind: str = "", limit: int = 500) -> list[Review]:
        """All questions with this status and kind, oldest first."""
        return [_review(row) for row in self._engine.read(_SQL["reviews"], (status, kind, limit))]

    def waiting_after(self, row: int, limit: int) -> list[tuple[int, Review]]:
        """Unanswered questions after a row number, oldest first, each with its own row number."""
        return [(int(found[0]), _review(found[1:])) for found in self._engine.read(_SQL["waiting_after"], (row, limit))]

    def waiting_named(self, beginning: str) -> list[Review]:
        """Unanswered questions whose id begins with `beginning`."""
        return [_review(row) for row in self._engine.read(_SQL["waiting_named"], (beginning,))]

    def count_waiting(self) -> int:
        return int(self._engine.read(_SQL["count_waiting"])[0][0])

    def about(self, kind: str, about: str) -> Review | None:
        found = self._engine.read(_SQL["review_about"], (kind, about))
        return _review(found[0]) if found else None

    def count(self, kind: str, day: str) -> int:
        """The number of questions of this kind asked on a day, answered or not."""
        return int(self._engine.read(_SQL["count_reviews"], (kind, day))[0][0])

    def find(self, name: str) -> Review:
        """Find a question by its id or a unique beginning of it."""
        found = [_review(row) for row in self._engine.read(_SQL["find_reviews"], (name.upper(),))] if name else []
        if not found:
            raise NotFound(f'review "{name[:40]}".', mend="everself review")
        if len(found) > 1 and found[0].id != name.upper():
            raise WrongUse(f'"{name[:40]}" is ambiguous: {", ".join(one.id for one in found)}.')
        return found[0]

    def decide(self, identity: str, status: ReviewStatus, at: str, change: str = "") -> bool:
        """Store the answer. Returns False if the question was answered before."""
        values = (identity, status, at, change)
        return bool(self._engine.write(lambda writer: writer.run(_SQL["decide_review"], values)))

    def reopen(self, identity: str) -> bool:
        """Take a refusal back. Returns False if the question was not refused."""
        return bool(self._engine.write(lambda writer: writer.run(_SQL["reopen_review"], (identity,))))

    def drop_refusal(self, kind: str, about: str) -> bool:
        """Forget that something which waits by itself was refused, so that it waits again. Returns False if it was not refused."""
        return bool(self._engine.write(lambda writer: writer.run(_SQL["drop_refusal"], (kind, about))))

    def note_run(self, run: KeeperRun) -> None:
        values = (run.id, run.keeper, run.at, run.seconds, run.applied, run.queued, run.refused, run.upto)
        notes = json.dumps(run.notes, ensure_ascii=False)
        self._engine.write(lambda writer: writer.run(_SQL["add_run"], (*values, notes)))

    def runs(self, keeper: str = "", limit: int = 50) -> list[KeeperRun]:
        """The keeper's runs (empty: of all keepers), newest first."""
        found = self._engine.read(_SQL["runs"], (keeper, limit))
        return [replace(KeeperRun(*row[:8]), notes=tuple(json.loads(row[8]))) for row in found]

    def release(self, text_mac: str, at: str) -> None:
        self._engine.write(lambda writer: writer.run(_SQL["release"], (text_mac, at)))

    def is_released(self, text_mac: str) -> bool:
        return bool(self._engine.read(_SQL["is_released"], (text_mac,)))


def _review(row: Row) -> Review:
    identity, at, kind, author, about, payload, evidence, status, decided_at, change = row
    rests_on = tuple(json.loads(evidence))
    return Review(identity, at, kind, author, about, json.loads(payload), rests_on, status, decided_at, change)
