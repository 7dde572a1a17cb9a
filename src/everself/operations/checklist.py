"""HEARTBEAT.md, the checklist of the heartbeat. Needs no opened agent, so that `doctor` can read it."""

from typing import Final

from everself.text.markdown.blocks import Block, BlockKind, scan

CHECKLIST: Final = "HEARTBEAT.md"
_IDLE: Final = frozenset(
    {BlockKind.HEADING, BlockKind.COMMENT, BlockKind.FRONT_MATTER, BlockKind.BREAK, BlockKind.BLANK}
)


def has_work(data: bytes | None) -> bool:
    """Whether a checklist has open items. Headings, comments, empty items and ticked items do not count."""
    return data is not None and any(_is_work(data, block) for block in scan(data).blocks)


def _is_work(data: bytes, block: Block) -> bool:
    if block.kind in _IDLE:
        return False
    text = data[block.start : block.end].decode("utf-8", "replace")
    if block.kind is not BlockKind.LIST_ITEM:
        return bool(text.strip())
    _, _, words = text.strip().partition(" ")
    words = words.strip()
    if words.lower().startswith("[x]"):
        return False
    words = words.removeprefix("[ ]").removeprefix("[]").strip()
    return bool(words) and not (words.startswith("<!--") and words.endswith("-->"))
