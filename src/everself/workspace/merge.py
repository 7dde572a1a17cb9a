"""Merges a change into a text that somebody else changed as well.

The usual three-way merge calls two adjacent insertions a conflict, and logs that grow at their end consist of adjacent
insertions. This merge keeps both. Lines that both sides changed are a conflict.
"""

from collections.abc import Iterable
from difflib import SequenceMatcher, unified_diff

from everself.values import FileChange

# above this number of lines only a summary is shown; difflib would take seconds
MOST_LINES = 20_000


def render_diff(files: Iterable[FileChange]) -> str:
    return "".join(_one(file) for file in files)


def _one(file: FileChange) -> str:
    names = [
        f"a/{file.path}" if file.before is not None else "/dev/null",
        f"b/{file.path}" if file.after is not None else "/dev/null",
    ]
    if any(side and b"\0" in side for side in (file.before, file.after)):
        return f"--- {names[0]}\n+++ {names[1]}\n(binary: {len(file.before or b'')} → {len(file.after or b'')} bytes)\n"
    old, new = (
        (side or b"").decode("utf-8", "replace").splitlines(keepends=True) for side in (file.before, file.after)
    )
    if len(old) + len(new) > MOST_LINES:
        return f"--- {names[0]}\n+++ {names[1]}\n({len(old)} → {len(new)} lines: too many to show)\n"
    lines = [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(old, new, names[0], names[1])
    ]
    if not lines:
        # an empty document was created or removed
        lines = [f"--- {names[0]}\n", f"+++ {names[1]}\n"]
    return "".join(lines)


def merge(base: bytes, theirs: bytes, ours: bytes) -> bytes | None:
    """Apply the differences from `base` to `ours` to `theirs`; None if both changed the same lines."""
    if theirs == base:
        return ours
    if ours in (base, theirs):
        return theirs
    before, wanted, current = (text.splitlines(keepends=True) for text in (base, ours, theirs))
    place = _places(before, current)
    result = list(current)
    # from the end to the beginning, so that earlier positions stay valid
    for tag, start, end, new_start, new_end in reversed(differences(before, wanted)):
        new = wanted[new_start:new_end]
        if tag == "insert":
            at = _insertion_point(place, start, len(before), len(current))
            if at is None:
                return None
            result[at:at] = new
            continue
        spots = [place.get(line) for line in range(start, end)]
        first = spots[0]
        if first is None or spots != list(range(first, first + len(spots))):
            return None
        result[first : first + len(spots)] = new
    return b"".join(result)


def differences(one: list[bytes], other: list[bytes]) -> list[tuple[str, int, int, int, int]]:
    """Opcodes without the equal ones. Common lines at both ends are cut off first, because the matcher is quadratic."""
    head, tail = common_ends(one, other)
    middle = SequenceMatcher(None, one[head : len(one) - tail], other[head : len(other) - tail], autojunk=False)
    return [
        (tag, i1 + head, i2 + head, j1 + head, j2 + head)
        for tag, i1, i2, j1, j2 in middle.get_opcodes()
        if tag != "equal"
    ]


def _places(one: list[bytes], other: list[bytes]) -> dict[int, int]:
    """The position of each unchanged line of one text in the other."""
    head, tail = common_ends(one, other)
    place = {line: line for line in range(head)}
    place |= {len(one) - 1 - back: len(other) - 1 - back for back in range(tail)}
    middle = SequenceMatcher(None, one[head : len(one) - tail], other[head : len(other) - tail], autojunk=False)
    for block in middle.get_matching_blocks():
        # a blank line is not an anchor: unless a line next to it stayed, it does not tell the position
        if not any(line.strip() for line in one[head + block.a : head + block.a + block.size]):
            continue
        for step in range(block.size):
            place[head + block.a + step] = head + block.b + step
    return place


def common_ends(one: list[bytes], other: list[bytes]) -> tuple[int, int]:
    """The number of lines that two texts share at their beginning and at their end."""
    shorter = min(len(one), len(other))
    head = 0
    while head < shorter and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shorter - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    return head, tail


def _insertion_point(place: dict[int, int], at: int, length: int, current: int) -> int | None:
    """The position in the current text of an insertion before line `at` of the base; None if it is unknown."""
    if at > 0 and at - 1 in place:
        return place[at - 1] + 1
    if at < length and at in place:
        return place[at]
    if at == 0:
        return 0
    return current if at == length else None
