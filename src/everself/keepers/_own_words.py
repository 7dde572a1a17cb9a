"""Removes from a message what its writer did not write: framed data, tool output, pasted pages, quoted lines. Pure."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENS: Final = "⟦data "
_ENDS: Final = "⟦end "
_BLOCKS: Final = ("untrusted", "external", "recalled", "memory", "tool_result", "tool-result", "webpage", "document")


def own_words(text: str) -> str:
    """The lines that stand outside of every such block. A block that is never closed reaches to the end."""
    return "\n".join(_outside(text))


def _outside(text: str) -> "Iterator[str]":
    framed, block = False, ""
    for line in text.splitlines():
        bare = line.strip()
        if framed or _OPENS in bare:
            framed = _ENDS not in bare
        elif block or (block := _opened(bare)):
            block = "" if f"</{block}" in bare.casefold() else block
        elif not bare.startswith(">"):
            yield line


def _opened(line: str) -> str:
    """The name of the block that a line begins."""
    folded = line.casefold()
    return next((name for name in _BLOCKS if folded.startswith(f"<{name}")), "")
