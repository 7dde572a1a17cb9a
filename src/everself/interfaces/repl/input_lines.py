"""From lines to messages, where nobody edits: each line is one, unless it asks for more. Pure; knows no stream and no command.

A line that ends with a backslash goes on with the next. A line that begins with ``` opens a fence, and everything up to the line that
closes it is one message. Empty lines between messages are none.
"""

from collections.abc import Iterable, Iterator
from typing import Final

FENCE: Final = "```"
CONTINUED: Final = "\\"
_INDENT: Final = 3


def messages_of(lines: Iterable[str]) -> Iterator[str]:
    """The messages, each given as soon as its last line is read. What ends in the middle of one is a message too."""
    held: list[str] = []
    for line in lines:
        held.append(line.removesuffix("\n").removesuffix("\r"))
        if not goes_on(held):
            yield from _message(held)
            held = []
    yield from _message(held)


def goes_on(lines: list[str]) -> bool:
    """Whether the message these lines begin wants another one."""
    fenced = False
    for line in lines:
        if _is_fence(line):
            fenced = not fenced
    return fenced or (bool(lines) and lines[-1].endswith(CONTINUED))


def joined(lines: list[str]) -> str:
    """The lines as one text, without the backslashes that joined them; within a fence they belong to what is quoted."""
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
