"""The section `## Learned` of SOUL.md, the only one that keepers may change. Pure; grants no permission."""

from everself.frozen import Frozen
from everself.text.markdown.blocks import scan
from everself.text.markdown.edit import append_item, apply_splice, lead_in, newline
from everself.text.markdown.sections import sections
from everself.workspace.merge import common_ends, differences

SOUL = "SOUL.md"
LEARNED = "Learned"
_LEVEL = 2
# above this number of lines, all count as changed
_MOST_LINES = 4_000


class SoulParts(Frozen):
    """A soul in three parts. `above` ends with the heading `## Learned`; without that section it is the whole text."""

    above: bytes
    learned: bytes
    below: bytes
    found: bool = True


def split_soul(data: bytes) -> SoulParts:
    for section in sections(scan(data)):
        if section.level == _LEVEL and section.title == LEARNED:
            return SoulParts(data[: section.body], data[section.body : section.end], data[section.end :])
    return SoulParts(data, b"", b"", found=False)


def same_core(before: bytes, after: bytes) -> bool:
    """Whether two souls differ only in `## Learned`. A missing section may be added at the end."""
    one, other = split_soul(before), split_soul(after)
    if not one.found and other.found:
        return other.above == _opened(before) and not other.below
    ended = b"" if one.learned or one.above.endswith((b"\n", b"\r")) else newline(before)
    # compared separately: joined they could hide a line that moved from below to above
    return other.below == one.below and other.above in (one.above, one.above + ended)


def with_line(data: bytes, line: str) -> bytes:
    """The soul with one more item at the end of `## Learned`."""
    parts = split_soul(data)
    if not parts.found:
        parts = split_soul(_opened(data))
    # separately, so that no other section of that name matches
    own = b"## " + LEARNED.encode() + newline(data)
    section = own + parts.learned
    grown = apply_splice(section, append_item(scan(section), LEARNED, line.encode()))[len(own) :]
    if parts.below and not grown.endswith((b"\n\n", b"\r\n\r\n", b"\r\r")):
        grown += newline(data)
    return parts.above + grown + parts.below


def changed_lines(before: bytes, after: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The removed and the added lines, without blank ones."""
    old, new = before.splitlines(), after.splitlines()
    head, tail = common_ends(old, new)
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(old) + len(new) > _MOST_LINES:
        return _said(old), _said(new)
    parts = differences(old, new)
    gone = [line for _, start, end, _, _ in parts for line in old[start:end]]
    come = [line for _, _, _, start, end in parts for line in new[start:end]]
    return _said(gone), _said(come)


def _said(lines: list[bytes]) -> tuple[str, ...]:
    return tuple(line.strip().decode("utf-8", "replace") for line in lines if line.strip())


def _opened(data: bytes) -> bytes:
    return data + lead_in(scan(data)) + b"## " + LEARNED.encode() + newline(data)
