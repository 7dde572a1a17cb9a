"""The growth digest as an operation: what the soul learned or gave up lately, why, and in whose words."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

from everself.errors import EverselfError
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Option, operation
from everself.text.normalise import one_line
from everself.workspace.learned import SOUL, changed_lines

if TYPE_CHECKING:
    from everself.runtime import Runtime
    from everself.storage.state.proposals import Proposal
    from everself.values import ChangeRecord

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRequest:
    days: Annotated[int, Option("How far back.", "N", ge=1, le=36_500)] = 7


@operation(
    "soul.digest",
    audience=Audience.OWNER,
    effect="read",
    examples=(
        ("everself soul digest", "what grew in the last week, why, and in whose words"),
        ("everself soul digest --days 30", "in the last month"),
    ),
)
def digest_growth(app: "Runtime", _: Caller, request: DigestRequest) -> Digest:
    """Tell what the soul learned or gave up lately, and what waits for your yes."""
    days = request.days
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
