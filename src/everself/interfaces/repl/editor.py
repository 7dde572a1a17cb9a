"""The input line: keys, completion of commands, history, and the toolbar below. Knows prompt_toolkit, and no agent.

Enter sends. Alt-Enter and Ctrl-J begin a new line, and so does Enter after a backslash or within a fence, as in a pipe; Enter on an empty
line always sends. Pasted text is one message, however many lines it has. Ctrl-C discards what was typed; Ctrl-D on an empty line leaves.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import History, ThreadedHistory
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from everself.interfaces.repl.input_lines import goes_on, joined

PROMPT: Final = "› "
_CONTINUATION: Final = "  "
_STYLE: Final = {
    "prompt": "bold",
    "bottom-toolbar": "noreverse",
    "bottom-toolbar.text": "noreverse italic",
}


class Editor:
    """`earlier` returns earlier messages, newest first, and may be slow. `below` is called whenever the line is drawn."""

    def __init__(
        self,
        commands: Mapping[str, str],
        earlier: Callable[[], Iterable[str]],
        below: Callable[[], str],
        *,
        colour: bool = True,
        terminal: tuple[Input | None, Output | None] = (None, None),
    ) -> None:
        self._below = below
        source, target = terminal
        self._session: PromptSession[str] = PromptSession(
            multiline=True,
            completer=Commands(commands),
            complete_while_typing=True,
            reserve_space_for_menu=6,
            history=ThreadedHistory(_Said(earlier)),
            key_bindings=_keys(),
            bottom_toolbar=lambda: [("class:bottom-toolbar", self._below())],
            prompt_continuation=_CONTINUATION,
            style=Style.from_dict(_STYLE),
            color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
            include_default_pygments_style=False,
            interrupt_exception=EOFError,
            input=source,
            output=target,
        )

    def redraw(self) -> None:
        self._session.app.invalidate()

    def put(self, keys: str) -> None:
        """Insert keys that were pressed before anything read them, in front of later ones."""
        pressed: list[KeyPress] = []
        parser = Vt100Parser(pressed.append)
        parser.feed(keys)
        parser.flush()
        store_typeahead(self._session.input, pressed)

    async def read(self) -> str:
        """Read a message. Raises EOFError when the person leaves."""
        text = await self._session.prompt_async([("class:prompt", PROMPT)])
        return joined(text.strip("\n").split("\n"))

    async def ask(self, question: str) -> str | None:
        """Read an answer, which is not added to the history; None if the person stops."""
        asking: PromptSession[str] = PromptSession(
            input=self._session.input,
            output=self._session.output,
            style=Style.from_dict(_STYLE),
            interrupt_exception=EOFError,
        )
        try:
            return await asking.prompt_async(f"{question} ")
        except EOFError:
            return None


class _Said(History):
    """Messages of earlier conversations, read from the store, so that a forgotten one is missing here too."""

    def __init__(self, earlier: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self._earlier = earlier

    def load_history_strings(self) -> Iterable[str]:
        return self._earlier()

    def store_string(self, string: str) -> None:
        """Do nothing, because the conversation stores the message."""


class Commands(Completer):
    """Completes the name of a command at the beginning of a message."""

    def __init__(self, commands: Mapping[str, str]) -> None:
        self._commands = commands

    def get_completions(self, document: Document, _: CompleteEvent) -> Iterator[Completion]:
        typed = document.text
        if not typed.startswith("/") or typed != document.text_before_cursor or " " in typed or "\n" in typed:
            return
        for name, summary in self._commands.items():
            if name.startswith(typed):
                yield Completion(name, -len(typed), display_meta=summary)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        lines = buffer.text.split("\n")
        # an empty line always sends, so that nobody is locked in by a fence that never closes
        if buffer.document.is_cursor_at_the_end and lines[-1].strip() and goes_on(lines):
            buffer.newline(copy_margin=False)
        else:
            buffer.validate_and_handle()

    @keys.add("c-c")
    def throw_away(event: KeyPressEvent) -> None:
        event.current_buffer.reset()

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return keys
