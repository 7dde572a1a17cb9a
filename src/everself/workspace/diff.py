"""A change as a unified diff. Pure."""

from collections.abc import Iterable
from difflib import unified_diff

from everself.values import FileChange

# a diff of more lines than this is a summary; difflib would take seconds
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
        # an empty document was made or removed
        lines = [f"--- {names[0]}\n", f"+++ {names[1]}\n"]
    return "".join(lines)
