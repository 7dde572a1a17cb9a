"""Shows a conversation: event by event on a terminal, or only the replies in a pipe.

All output to the person goes through here; control characters in it are made visible, whoever wrote the text. Knows no agent.
"""

import json
import os
from collections.abc import Iterable
from typing import Final, Protocol, TextIO

from everself.conversation.events import Done, Event, MemoryWritten, Notice, Text, Thinking, ToolCalled, ToolReturned
from everself.conversation.tools.protocol import Written
from everself.errors import EverselfError
from everself.interfaces.repl.markdown import DIM, RESET, Marking, wrapped
from everself.text.normalise import one_line
from everself.text.visible import visible

# the effect of these tools is shown by what they wrote
_TELL_BY_DEED: Final = frozenset(
    {"memory_write", "memory_correct", "memory_forget", "file_write", "file_edit", "soul_propose"}
)
# what other tools do, in words
_DOES: Final = {
    "memory_search": "searches memory for:",
    "memory_get": "reads",
    "memory_promote": "looks for notes that should last",
    "file_read": "reads",
    "spawn": "hands on:",
}
# a missing document is a valid result; a model tries several
_LOOKS_UP: Final = "memory_get"
_STOPPED: Final = "Stopped. What was said so far is kept."
_SHOWN: Final = 60
_WIDTH: Final = 80
_LEAST: Final = 20


class Screen(Protocol):
    # whether places, line numbers and scores are shown
    verbose: bool

    def show(self, event: Event) -> None:
        """Show one event of a turn."""

    def say(self, lines: Iterable[str]) -> None:
        """Show the answer of a command."""

    def note(self, text: str) -> None:
        """Show a remark that is not part of the conversation."""

    def trouble(self, error: EverselfError) -> None: ...


class Plain:
    """Replies and answers go to `out`, everything else to `err`, so that a pipe contains only the conversation."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self.verbose = False
        self._out = out
        self._err = err
        self._said = False
        self._within = False
        self._broken = False

    def show(self, event: Event) -> None:
        match event:
            case Text(text):
                self._part()
                self._write(visible(text))
            case MemoryWritten(written) if self.verbose:
                self.note(f"{written.deed}: {written.words}  {written.path}")
            case Notice(text=text, mend=mend):
                self.note(_with_mend(text, mend))
            case Done(why=why):
                self._end()
                if why == "cancelled":
                    self.note(_STOPPED)
            case _:
                pass

    def say(self, lines: Iterable[str]) -> None:
        self._part()
        for line in lines:
            self._write(f"{visible(line)}\n")
        self._end()

    def note(self, text: str) -> None:
        self._end_line()
        self._out.flush()
        self._err.write(f"Note: {visible(text)}\n")
        self._err.flush()

    def trouble(self, error: EverselfError) -> None:
        self._end()
        self._err.write(f"{visible(str(error))}\n" + (f"→ {visible(error.mend)}\n" if error.mend else ""))
        self._err.flush()

    def _part(self) -> None:
        """Write an empty line between two replies."""
        if not self._within and self._said:
            self._out.write("\n")
        self._within = self._said = True

    def _write(self, text: str) -> None:
        if text:
            self._out.write(text)
            self._broken = not text.endswith("\n")
            self._out.flush()

    def _end_line(self) -> None:
        if self._broken:
            self._out.write("\n")
            self._broken = False

    def _end(self) -> None:
        self._end_line()
        self._within = False
        self._out.flush()


def _with_mend(text: str, mend: str) -> str:
    return f"{text} → {mend}" if mend else text


class Terminal:
    """Streams Markdown; tool calls and stored memories are shown in dim lines in between."""

    def __init__(self, out: TextIO, *, colour: bool = True) -> None:
        self.verbose = False
        self._out = out
        self._colour = colour
        self._marking = Marking(lambda: width_of(out))
        self._thinking = False
        # whether the last line is a remark that is not part of the conversation
        self._beside = False
        # number of writes, so that a caller can detect whether anything was shown
        self.shown = 0
        # tool names and memory confirmations that were shown in this turn
        self._used: set[str] = set()

    def show(self, event: Event) -> None:
        match event:
            case Text(text):
                # below a remark, the empty line between two steps of a reply is dropped
                text = text.lstrip("\n") if self._beside else text
                self._beside = self._beside and not text
                self._write(self._marking.feed(text))
            case Thinking() if not self._thinking:
                self._thinking = True
                self._quiet("· thinks")
            case ToolCalled(name=name, arguments=arguments) if name not in _TELL_BY_DEED | self._used:
                # shown once a turn, which is enough to see what is going on
                self._used.add(name)
                does = name if self.verbose else _DOES.get(name, name)
                self._quiet(f"· {one_line(does, _SHOWN)} {gist(arguments)}".rstrip())
            case ToolReturned(name=name, content=content, failed=True) if self.verbose or name != _LOOKS_UP:
                self._quiet(f"· {self._failure(name, content)}")
            case MemoryWritten(written, told):
                line = self._confirmed(written)
                if self.verbose or not (told or line in self._used):
                    self._used.add(line)
                    self._quiet(line)
            case Notice(text=text, level=level, mend=mend):
                mark = "!" if level == "warning" else "·"
                self._quiet(f"{mark} {_with_mend(text, mend)}")
            case Done(why=why):
                self._finish(why)
            case _:
                pass

    def say(self, lines: Iterable[str]) -> None:
        self._write(self._marking.end())
        for line in lines:
            self._write(f"{wrapped(line, width_of(self._out))}\n")

    def note(self, text: str) -> None:
        self._quiet(text)

    def trouble(self, error: EverselfError) -> None:
        self._write(self._marking.end())
        self._quiet(f"! {error}")
        if error.mend:
            self._quiet(f"  → {error.mend}")

    def _failure(self, name: str, content: str) -> str:
        """A result with candidates is a question to the person, which the reply asks; the hint in it is for the model."""
        told = "" if self.verbose else _hint_of(content).partition(":")[0]
        return f"{told}." if told else f"{one_line(name, _SHOWN)} failed: {gist(content)}"

    def _confirmed(self, written: Written) -> str:
        """The confirmation of a write, with its path in verbose mode."""
        head, place = f"✓ {written.deed}: ", f"  {one_line(written.path, _SHOWN)}" if self.verbose else ""
        room = max(width_of(self._out) - len(head) - len(place), _LEAST)
        return f"{head}{one_line(written.words, room)}{place}"

    def _finish(self, why: str) -> None:
        self._write(self._marking.end())
        if why == "cancelled":
            self._quiet(f"! {_STOPPED}")
        self._write("\n")
        self._thinking = self._beside = False
        self._used.clear()

    def _quiet(self, line: str) -> None:
        self._write(f"{self._marking.end()}{DIM}{wrapped(line, width_of(self._out))}{RESET}\n")
        self._beside = True

    def _write(self, text: str) -> None:
        self.shown += bool(text)
        self._out.write(text if self._colour else _without_looks(text))
        self._out.flush()


def width_of(out: TextIO) -> int:
    """The width of the terminal, read from the terminal itself, because the environment was set when the shell began."""
    try:
        return os.get_terminal_size(out.fileno()).columns or _WIDTH
    except (OSError, ValueError):
        return _WIDTH


def _hint_of(text: str) -> str:
    try:
        read = json.loads(text)
    except ValueError:
        return ""
    return str(read.get("hint", "")) if isinstance(read, dict) else ""


def gist(text: str) -> str:
    """The first words of a call's arguments or result: enough to see what is going on."""
    try:
        read = json.loads(text)
    except ValueError:
        return one_line(text, _SHOWN)
    if isinstance(read, dict):
        words = next((value for value in read.values() if isinstance(value, str) and value), "")
        return one_line(words, _SHOWN)
    return one_line(str(read), _SHOWN)


def _without_looks(text: str) -> str:
    return "".join(part.partition("m")[2] if at else part for at, part in enumerate(text.split("\x1b[")))
