"""Computes the content of each document before and after a change. Pure; the reader is passed in."""

from collections.abc import Callable
from dataclasses import dataclass, field

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.storage.paths import check_path
from everself.values import Append, Change, Conflict, Create, Edit, FileChange, Insert, Move, Remove, Replace, digest

Reader = Callable[[str], bytes | None]


class Resolved(Frozen):
    """One document of a change. `appended` is set if the change only appends to it."""

    file: FileChange
    appended: bytes | None = None
    header: bytes = b""


@dataclass(slots=True)
class _Plan:
    """The collected edits of one document."""

    before: bytes | None
    pieces: list[tuple[int, int, bytes]] = field(default_factory=list)
    appended: bytes = b""
    header: bytes = b""
    whole: bytes | None = None
    removed: bool = False


def resolve(change: Change, read: Reader) -> tuple[Resolved, ...] | Conflict:
    """The effect of the change on each document, or a conflict with the documents that differ from its base."""
    plans: dict[str, _Plan] = {}
    stale: list[str] = []

    def plan_of(path: str, base: str | None = None) -> _Plan:
        check_path(path)
        if path not in plans:
            plans[path] = _Plan(read(path))
        found = plans[path]
        if base is not None and (found.before is None or digest(found.before) != base):
            stale.append(path)
        return found

    for edit in change.edits:
        _gather(edit, plan_of, stale)
    if stale:
        return Conflict(tuple(dict.fromkeys(stale)))
    found = [_finish(path, plan) for path, plan in plans.items()]
    # text is written to its new place before it leaves the old one, so that it always exists somewhere
    return tuple(
        sorted((one for one in found if one.file.before != one.file.after), key=lambda one: one.file.after is None)
    )


def _gather(edit: Edit, plan_of: Callable[..., _Plan], stale: list[str]) -> None:
    match edit:
        case Append(path, data, header):
            plan = plan_of(path)
            plan.appended += data
            plan.header = plan.header or header
        case Insert(path, base, offset, data):
            plan_of(path, base).pieces.append((offset, offset, data))
        case Replace(path, base, start, end, data):
            plan_of(path, base).pieces.append((start, end, data))
        case Create(path, data):
            plan = plan_of(path)
            if plan.before is not None:
                stale.append(path)
            plan.whole = data
        case Move(path, base, to):
            source, target = plan_of(path, base), plan_of(to)
            if target.before is not None:
                stale.append(to)
            source.removed = True
            target.whole = source.before
        case Remove(path, base):
            plan_of(path, base).removed = True


def _finish(path: str, plan: _Plan) -> Resolved:
    if plan.removed:
        if plan.pieces or plan.appended or plan.whole is not None:
            raise WrongUse(f"A change cannot both remove and write {path}.")
        return Resolved(FileChange(path, plan.before, None))
    if plan.appended and not plan.pieces and plan.whole is None:
        start = plan.header if plan.before is None else plan.before
        return Resolved(FileChange(path, plan.before, start + plan.appended), plan.appended, plan.header)
    text = plan.whole if plan.whole is not None else (plan.before or b"")
    after = _splice(path, text, plan.pieces)
    if plan.appended:
        after += plan.appended
    return Resolved(FileChange(path, plan.before, after))


def _splice(path: str, text: bytes, pieces: list[tuple[int, int, bytes]]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for start, end, data in sorted(pieces, key=lambda piece: (piece[0], piece[1])):
        if start < at or end < start or end > len(text):
            raise WrongUse(f"The edits of {path} overlap or lie outside it.")
        parts += [text[at:start], data]
        at = end
    return b"".join([*parts, text[at:]])
