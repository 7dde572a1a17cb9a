"""Combines lines into messages for input without an editor: each line is a message unless it asks for more. Pure; knows no stream and no
command.

A line that ends with a backslash continues on the next. A line that begins with ``` opens a fence, and everything up to the line that
closes it is one message. Empty lines between messages are ignored.
"""

from collections.abc import Iterable, Iterator
from typing import Final

FENCE: Final = "```"
CONTINUED: Final = "\\"
_INDENT: Final = 3


def messages_of(lines: Iterable[str]) -> Iterator[str]:
    """The messages, each yielded as soon as its last line is read. An unfinished message at the end is a message too."""
    held: list[str] = []
    for line in lines:
        held.append(line.removesuffix("\n").removesuffix("\r"))
        if not goes_on(held):
            yield from _message(held)
            held = []
    yield from _message(held)


def goes_on(lines: list[str]) -> bool:
    """Whether the message that these lines begin continues on another line."""
    fenced = False
    for line in lines:
        if _is_fence(line):
            fenced = not fenced
    return fenced or (bool(lines) and lines[-1].endswith(CONTINUED))


def joined(lines: list[str]) -> str:
    """The lines as one text, without the backslashes that joined them; within a fence backslashes belong to the text."""
    fenced = False
    kept = []
    for line in lines:
        fenced = fenced is not _is_fence(line)
        kept.append(line if fenced else line.removesuffix(CONTINUED))
    return "\n".join(kept)


def _is_fence(line: str) -> bool:
    return line.lstrip(" ").startswith(FENCE) and len(line) - len(line.lstrip(" ")) <= _INDENT


def _message(lines: list[str]) -> Iterator[str]:
    text = joined(lines)
    if text.strip():
        yield text
