"""Plans a change that undoes an earlier one and keeps everything that happened since. Pure."""

from collections.abc import Callable

from everself.errors import RefusedByRule
from everself.values import (
    Append,
    Author,
    Change,
    ChangeRecord,
    Conflict,
    Create,
    Edit,
    FileChange,
    Remove,
    Replace,
    digest,
)
from everself.workspace.layout import Kind, place
from everself.workspace.merge import merge


def plan_undo(
    record: ChangeRecord,
    files: tuple[FileChange, ...],
    read: Callable[[str], bytes | None],
    author: Author = Author.OWNER,
) -> Change | Conflict:
    """The change that undoes `record`, or a conflict with the documents in which later edits changed the same lines."""
    if record.forgotten:
        raise RefusedByRule(f"Change {record.id} contains something that was forgotten, so it cannot be undone.")
    edits: list[Edit] = []
    stuck: list[str] = []
    for file in files:
        # earlier versions of the soul stay: undo does not delete the soul's history
        if file.before is None and place(file.path).kind is Kind.SOUL_HISTORY:
            continue
        now = read(file.path)
        try:
            edit = edit_between(file.path, now, _taken_back(file, now))
        except _Stuck:
            stuck.append(file.path)
            continue
        if edit is not None:
            edits.append(edit)
    if stuck:
        return Conflict(tuple(stuck))
    return Change(
        author, f"undo {record.id}: {record.reason}", tuple(edits), (f"change:{record.id}",), undoes=record.id
    )


class _Stuck(Exception):
    """Somebody has changed the same lines since."""


def _taken_back(file: FileChange, now: bytes | None) -> bytes | None:
    if now in (file.after, file.before):
        return file.before
    if now is None or file.after is None:
        raise _Stuck
    # others wrote into a document that the change created, so its title line stays
    before = file.before if file.before is not None else _title(file.after)
    result = merge(file.after, now, before)
    if result is None:
        raise _Stuck
    return result


def _title(data: bytes) -> bytes:
    first = data.partition(b"\n")[0] + b"\n"
    return first if first.startswith(b"# ") and data.startswith(first) else b""


def edit_between(path: str, now: bytes | None, wanted: bytes | None) -> Edit | None:
    """The smallest single edit from one content to the other; None if they are equal."""
    if now == wanted:
        return None
    if wanted is None:
        return Remove(path, digest(now or b""))
    if now is None:
        return Create(path, wanted)
    if wanted.startswith(now):
        return Append(path, wanted[len(now) :])
    shorter = min(len(now), len(wanted))
    start = _common(now, wanted, shorter)
    end = _common(now[::-1], wanted[::-1], shorter - start)
    return Replace(path, digest(now), start, len(now) - end, wanted[start : len(wanted) - end])


def _common(one: bytes, other: bytes, most: int) -> int:
    """The number of leading bytes that two texts share, by bisection, because Python compares slices fast."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
