"""The texts of the memory tool: listings, numbered lines, and edits. Pure.

The wording is that of Anthropic's own implementation, with which models were trained. Only line feeds end lines.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from everself.operations.memory_tool.paths import CommandFailed
from everself.text.redaction import redact

MOST_LINES: Final = 999_999
_WIDTH: Final = 6
_AROUND: Final = 2
_DEEP: Final = 2
_UNITS: Final = "BKMG"


def size_text(size: int) -> str:
    unit = min((size.bit_length() - 1) // 10, len(_UNITS) - 1) if size else 0
    scaled = size / 1024**unit
    return f"{int(scaled)}{_UNITS[unit]}" if scaled == int(scaled) else f"{scaled:.1f}{_UNITS[unit]}"


def listing(path: str, sizes: Mapping[str, int], top: int) -> str:
    """A listing of a folder, two levels deep. `sizes` are by relative path, folders end with a slash; `top` is the folder's own size."""
    deep = [one for one in sizes if one.rstrip("/").count("/") < _DEEP]
    # sorted by parts, so that a folder is directly followed by its contents
    deep.sort(key=lambda one: one.rstrip("/").split("/"))
    lines = [f"{size_text(top)}\t{path}", *(f"{size_text(sizes[one])}\t{path}/{one}" for one in deep)]
    head = f"Here're the files and directories up to {_DEEP} levels deep in {path}, excluding hidden items:"
    return "\n".join((head, *lines))


def content(path: str, text: str, view_range: tuple[int, ...] | None) -> tuple[str, int, int]:
    """A file with numbered lines, and the first and last line shown."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise CommandFailed(f"File {path} exceeds maximum line limit of {MOST_LINES:,} lines.")
    first, last = 1, len(lines)
    if view_range is not None and len(view_range) == 2:
        first = max(1, view_range[0])
        last = len(lines) if view_range[1] == -1 else min(len(lines), max(0, view_range[1]))
    # redact the whole text: some secrets are recognised by neighbouring lines
    shown = redact(text).text.split("\n")
    shown = shown if len(shown) == len(lines) else [redact(line).text for line in lines]
    numbered = numbered_lines(shown[first - 1 : last], first)
    return f"Here's the content of {path} with line numbers:\n{numbered}", first, last


def numbered_lines(lines: Iterable[str], first: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def replaced(path: str, text: str, old: str, new: str) -> str:
    """The text with the only occurrence of `old` replaced."""
    if not old or old not in text:
        raise CommandFailed(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    at, lines = text.find(old), []
    start = at
    while start >= 0:
        lines.append(str(text.count("\n", 0, start) + 1))
        start = text.find(old, start + 1)
    # like Anthropic's: overlapping matches count as one occurrence
    if text.count(old) > 1:
        raise CommandFailed(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {', '.join(lines)}. "
            "Please ensure it is unique"
        )
    return text[:at] + new + text[at + len(old) :]


def snippet(before: str, after: str, old: str) -> tuple[str, int, int]:
    """The lines around the replaced place, and the first and last of them."""
    changed = before.count("\n", 0, before.find(old))
    lines = after.split("\n")
    first = max(0, changed - _AROUND)
    near = redact("\n".join(lines[first : changed + _AROUND + 1])).text.split("\n")
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return f"{head}\n{numbered_lines(near, first + 1)}", first + 1, first + len(near)


def inserted(text: str, after_line: int | None, words: str) -> str:
    """The text with words inserted after that line; it ends with a line feed."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if after_line is None or not 0 <= after_line <= len(lines):
        raise CommandFailed(
            f"Invalid `insert_line` parameter: {after_line}. It should be within the range [0, {len(lines)}]."
        )
    lines.insert(after_line, words.removesuffix("\n"))
    made = "\n".join(lines)
    return made if made.endswith("\n") else f"{made}\n"
