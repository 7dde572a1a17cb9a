"""The keeper protocol: a keeper reads its context and proposes actions on entries, each with evidence. Values only.

A keeper never writes. The runner decides whether an action is allowed, and whether it is executed at once or waits for a human.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, Protocol

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.memory.provenance import restored
from everself.memory.writing import NewEntry, PageSpot
from everself.models.chat.protocol import JsonObject, Usage
from everself.values import Tag, digest

if TYPE_CHECKING:
    from everself.keepers.keeper_context import KeeperContext

KeeperLog = Literal["CONFLICTS.md", "COMPACTION_LOG.md"]
Archivable = Literal["days", "lines", "duplicates", "corrections", "souls"]


class Remember(Frozen):
    """Add an entry on the day it was said. Its source is lowered to what the evidence supports."""

    thought: NewEntry
    at: datetime | None = None


class Mention(Frozen):
    """The evidence messages repeat the entry."""

    entry: str


class CloseEntry(Frozen):
    """Close an entry; `by` is the entry that replaces it, if any."""

    entry: str
    by: str = ""


class Merge(Frozen):
    """Two entries say the same: one is counted as mentioned, the other closed in its favour."""

    keep: str
    drop: str


class MoveTo(Frozen):
    """Move an entry from a daily log to a page, under a heading."""

    entry: str
    path: str
    heading: str = ""


class ProposeLine(Frozen):
    """Add a line to `## Learned`, or remove one."""

    line: str
    remove: str = ""


class Note(Frozen):
    """A record in one of the logs that only Everself writes."""

    document: KeeperLog
    text: str


class Archive(Frozen):
    """Archive something. `names` are paths of days or earlier souls, or ids of lines (for two equal lines, the kept one first); `told` is
    the model's summary of each day: the day, the text, and the ids of its entries, comma-separated."""

    what: Archivable
    names: tuple[str, ...]
    told: tuple[tuple[str, str, str], ...] = ()


class Quarantine(Frozen):
    """Put an entry in quarantine until the owner has reviewed it."""

    entry: str
    why: str


class Correct(Frozen):
    """Replace an entry with a new text. Needs the owner's approval, or their own wording."""

    entry: str
    text: str


class Confirm(Frozen):
    """Mark corrections as embedded in CORRECTIONS.md."""

    entries: tuple[str, ...]


class Choice(Frozen):
    """One answer to a question, and its actions; none if it only settles the question."""

    label: str
    does: "tuple[KeeperAction, ...]" = ()


class Ask(Frozen):
    """A question for a human. `kind` is conflict, promotion, stale or question; the same `about` is asked once."""

    kind: str
    about: str
    words: str
    choices: tuple[Choice, ...] = ()


KeeperAction = (
    Remember
    | Mention
    | CloseEntry
    | Merge
    | MoveTo
    | ProposeLine
    | Note
    | Archive
    | Quarantine
    | Correct
    | Confirm
    | Ask
)
_KINDS: Final[dict[str, type]] = {
    "remember": Remember,
    "mention": Mention,
    "close": CloseEntry,
    "merge": Merge,
    "move": MoveTo,
    "soul": ProposeLine,
    "note": Note,
    "archive": Archive,
    "quarantine": Quarantine,
    "correct": Correct,
    "confirm": Confirm,
    "ask": Ask,
}
_NAMES: Final = {made: name for name, made in _KINDS.items()}


class Planned(Frozen):
    """An action with its evidence: references such as `msg:…`, `entry:…`, `file:…`. `sure` is the keeper's confidence; `review` always asks
    a human. With the same `key` it counts as the same action, whoever performs it. `words`: the words in its messages that it rests on, if
    a rule found them; the message may also quote other text."""

    operation: KeeperAction
    evidence: tuple[str, ...]
    reason: str
    sure: float = 1.0
    review: bool = False
    key: str = ""
    words: str = ""


class KeeperProposal(Frozen):
    """The actions of a keeper. `upto` is how far it read, in its own format; empty keeps the previous value."""

    operations: tuple[Planned, ...] = ()
    notes: tuple[str, ...] = ()
    upto: str = ""


class Progress(Frozen):
    """A keeper's progress: `done` of `total`."""

    done: int
    total: int
    what: str


Tell = Callable[[Progress], None]


class Keeper(Protocol):
    @property
    def name(self) -> str:
        """The name of its folder, such as memory-miner."""

    @property
    def title(self) -> str: ...

    @property
    def schedule(self) -> str:
        """The setting of CONFIG.md with its daily time; empty for a keeper that runs on demand."""

    async def propose(self, context: "KeeperContext", tell: Tell) -> KeeperProposal: ...


class ActionResult(Frozen):
    """The result of a planned action. `change` and `entry` are what it created, `review` its open question, `why` the reason for a refusal.
    `already`: an earlier run did it. `words` describe the action in a report."""

    planned: Planned
    change: str = ""
    entry: str = ""
    review: str = ""
    why: str = ""
    already: bool = False
    words: str = ""


class RunReport(Frozen):
    keeper: str
    at: datetime
    applied: tuple[ActionResult, ...] = ()
    queued: tuple[ActionResult, ...] = ()
    refused: tuple[ActionResult, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    upto: str = ""
    dry_run: bool = False

    @property
    def changed(self) -> bool:
        return bool(self.applied or self.queued)


def kind_of(operation: KeeperAction) -> str:
    """The name of an action in rows and reports."""
    return _NAMES[type(operation)]


def key_of(planned: Planned) -> str:
    """The identity of an action: a repeated proposal is not executed again, even if the owner undid it."""
    operation = planned.operation
    if planned.key or (isinstance(operation, Remember) and operation.thought.key):
        return planned.key or (operation.thought.key if isinstance(operation, Remember) else "")
    match operation:
        case Remember(thought):
            said = [thought.text, *thought.lineage]
        case Mention(entry):
            # another mention counts again
            said = [entry, *sorted(planned.evidence)]
        case Ask(kind, about):
            said = [kind, about]
        case ProposeLine(line, remove):
            said = [line, remove]
        case Quarantine(entry):
            said = [entry]
        case _:
            said = [str(value) for value in asdict(operation).values()]
    return f"keeper {kind_of(operation)} {digest(json.dumps(said, ensure_ascii=False).encode('utf-8', 'replace'))[:32]}"


def packed(planned: Planned) -> dict[str, object]:
    """A planned action as JSON, stored with a question."""
    return {
        "operation": _pack(planned.operation),
        "evidence": list(planned.evidence),
        "reason": planned.reason,
        "sure": planned.sure,
        "key": planned.key,
    }


def unpacked(payload: JsonObject) -> Planned:
    """Inverse of `packed`. Raises Damaged for invalid data."""
    try:
        operation = _unpack(payload["operation"])
        evidence, sure = tuple(payload["evidence"]), float(payload["sure"])
        return Planned(operation, evidence, str(payload["reason"]), sure, key=str(payload.get("key", "")))
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"A question of a keeper cannot be read ({error}).", mend="everself doctor") from error


def choices_of(payload: JsonObject) -> tuple[Choice, ...]:
    """The answers of a stored question."""
    operation = unpacked(payload).operation
    return operation.choices if isinstance(operation, Ask) else ()


def _pack(operation: KeeperAction) -> dict[str, object]:
    if isinstance(operation, Ask):
        choices = [{"label": one.label, "does": [_pack(each) for each in one.does]} for one in operation.choices]
        said = {"kind": operation.kind, "about": operation.about, "words": operation.words, "choices": choices}
        return {"is": "ask", **said}
    values = asdict(operation)
    if isinstance(operation, Remember):
        values["at"] = operation.at.isoformat() if operation.at is not None else ""
    return {"is": kind_of(operation), **values}


def _unpack(found: JsonObject) -> KeeperAction:
    values = {key: value for key, value in found.items() if key != "is"}
    match found["is"]:
        case "ask":
            choices = [Choice(one["label"], tuple(map(_unpack, one["does"]))) for one in values["choices"]]
            return Ask(values["kind"], values["about"], values["words"], tuple(choices))
        case "remember":
            thought = dict(values["thought"])
            spot = thought.pop("spot", None)
            # questions stored by an older version have no origin, so it is derived from their content
            told = thought.pop("origin", None) or {"source": thought.pop("source"), "lineage": thought.pop("lineage")}
            origin = restored(told["source"], told.get("door", "keeper"), tuple(told["lineage"]))
            thought |= {"tag": Tag(thought["tag"]), "origin": origin}
            made = NewEntry(**thought, spot=PageSpot(**spot) if spot else None)
            return Remember(made, datetime.fromisoformat(values["at"]) if values["at"] else None)
        case "archive":
            return Archive(values["what"], tuple(values["names"]), tuple(tuple(one) for one in values["told"]))
        case "confirm":
            return Confirm(tuple(values["entries"]))
        case str(name) if name in _KINDS:
            made_of: KeeperAction = _KINDS[name](**values)
            return made_of
    raise ValueError(f"unknown action {found['is']!r}")


def referenced(entries: Sequence[str]) -> tuple[str, ...]:
    """References to entries as evidence."""
    return tuple(f"entry:{one}" for one in entries)
