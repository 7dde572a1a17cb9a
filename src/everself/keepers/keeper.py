"""The keeper protocol: a keeper reads its context and proposes actions on entries, each with evidence. Values only.

A keeper never writes. Whether an operation is allowed, and whether it is done at once or waits for a human, the runner decides.
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
    """Somebody said it again, in the messages that are the evidence."""

    entry: str


class CloseEntry(Frozen):
    """Close an entry; `by` is the entry that replaces it, if any."""

    entry: str
    by: str = ""


class Merge(Frozen):
    """Two entries say the same: one is counted once more, the other closed in its favour."""

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
    """Put something away. `names` are the paths of days or earlier souls, or the ids of lines (of two that say the same, first the one
    that stays); `told` is what a model tells of each day: the day, the words, and the ids that they rest on, with commas between."""

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
    """One answer to a question, and what is done when it is given; nothing where it only settles the question."""

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
    """An operation with its evidence: references such as `msg:…`, `entry:…`, `file:…`. `sure` is how sure the keeper is; `review` puts it
    before a human in any case. A `key` makes it the same operation as one that somebody else may do, in whatever form. `words`: those of
    its messages that it rests on, where a rule found them; a message may show a text beside them."""

    operation: KeeperAction
    evidence: tuple[str, ...]
    reason: str
    sure: float = 1.0
    review: bool = False
    key: str = ""
    words: str = ""


class KeeperProposal(Frozen):
    """What a keeper would do. `upto` is how far it read, in its own words; where it is empty, what it was stays."""

    operations: tuple[Planned, ...] = ()
    notes: tuple[str, ...] = ()
    upto: str = ""


class Progress(Frozen):
    """How far a keeper is: `done` of `total` of something."""

    done: int
    total: int
    what: str


Tell = Callable[[Progress], None]


class Keeper(Protocol):
    @property
    def name(self) -> str:
        """As its folder is called: memory-miner."""

    @property
    def title(self) -> str: ...

    @property
    def schedule(self) -> str:
        """The setting of CONFIG.md that says when it runs; empty for one that is called when it is needed."""

    async def propose(self, context: "KeeperContext", tell: Tell) -> KeeperProposal: ...


class ActionResult(Frozen):
    """What became of a planned operation. `change` and `entry` are what it made, `review` the question it waits as, `why` the reason
    where it was refused. `already`: an earlier run did it. `words` describe the operation in a report."""

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
    """How an operation is called in rows and reports."""
    return _NAMES[type(operation)]


def key_of(planned: Planned) -> str:
    """What makes an operation the same one when it is proposed again: then it is not done again, even where the owner undid it."""
    operation = planned.operation
    if planned.key or (isinstance(operation, Remember) and operation.thought.key):
        return planned.key or (operation.thought.key if isinstance(operation, Remember) else "")
    match operation:
        case Remember(thought):
            said = [thought.text, *thought.lineage]
        case Mention(entry):
            # said again elsewhere it counts again
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
    """A planned operation as a question keeps it until a human answers."""
    return {
        "operation": _pack(planned.operation),
        "evidence": list(planned.evidence),
        "reason": planned.reason,
        "sure": planned.sure,
        "key": planned.key,
    }


def unpacked(payload: JsonObject) -> Planned:
    """What `packed` made, again. Damaged where it is none."""
    try:
        operation = _unpack(payload["operation"])
        evidence, sure = tuple(payload["evidence"]), float(payload["sure"])
        return Planned(operation, evidence, str(payload["reason"]), sure, key=str(payload.get("key", "")))
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"A question of a keeper cannot be read ({error}).", mend="everself doctor") from error


def choices_of(payload: JsonObject) -> tuple[Choice, ...]:
    """The answers that a kept question offers."""
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
            # a question that was asked by an older version has no origin, but what it is made of
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
    """Entries as evidence."""
    return tuple(f"entry:{one}" for one in entries)
