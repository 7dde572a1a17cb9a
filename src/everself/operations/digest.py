"""The growth digest: what the soul learned or gave up lately, why, and in whose words. Reads only; knows no face."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from everself.errors import EverselfError, WrongUse
from everself.text.normalise import one_line
from everself.workspace.learned import SOUL, changed_lines

if TYPE_CHECKING:
    from everself.runtime import Runtime
    from everself.storage.state.proposals import Proposal
    from everself.values import ChangeRecord

LONGEST: Final = 36_500
_MOST: Final = 1_000
_SHOWN: Final = 160
_OPENING: Final = "soul: "


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a step rests on. `words` are those of the entry, empty where it is none or is gone."""

    reference: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the soul, or a proposal that waits: then `change` is empty and `proposal` names it."""

    at: datetime
    who: str
    reason: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    change: str = ""
    proposal: str = ""


@dataclass(frozen=True, slots=True)
class Digest:
    days: int
    grown: tuple[Step, ...]
    waiting: tuple[Step, ...]


def digest_growth(app: "Runtime", days: int = 7) -> Digest:
    """What became of the soul in so many days, the newest first, and what waits for a human."""
    if not 1 <= days <= LONGEST:
        raise WrongUse(f"A digest is of 1 to {LONGEST} days.")
    since = app.clock.now() - timedelta(days=days)
    grown = tuple(_grown(app, one) for one in app.workspace.changes(_MOST, SOUL) if one.at >= since)
    return Digest(days, grown, tuple(_waiting(app, one) for one in app.growth.open()))


def _grown(app: "Runtime", record: "ChangeRecord") -> Step:
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    try:
        _, files = app.workspace.record(record.id)
        for one in files:
            if one.path == SOUL:
                removed, added = changed_lines(one.before or b"", one.after or b"")
    except EverselfError:
        # what was forgotten of it is not told
        pass
    reason = record.reason.removeprefix(_OPENING)
    return Step(
        record.at, record.author.value, reason, added, removed, _evidence(app, record.evidence), change=record.id
    )


def _waiting(app: "Runtime", proposal: "Proposal") -> Step:
    base = app.growth.versions.with_hash(proposal.base) or app.growth.versions.soul() or b""
    removed, added = changed_lines(base, proposal.content.encode())
    at = datetime.fromisoformat(proposal.at)
    evidence = _evidence(app, proposal.evidence)
    return Step(at, proposal.author, proposal.reason, added, removed, evidence, proposal=proposal.id)


def _evidence(app: "Runtime", references: tuple[str, ...]) -> tuple[Evidence, ...]:
    found = []
    for reference in references:
        kind, _, name = reference.partition(":")
        entry = app.memory.catalog.find(name) if kind == "entry" else None
        found.append(Evidence(reference, one_line(entry.text, _SHOWN) if entry is not None else ""))
    return tuple(found)
