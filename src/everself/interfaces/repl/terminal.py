"""A conversation at a terminal: replies stream, Ctrl-C stops one, Ctrl-D leaves after storing what matters.

What the first reply needs and is slow to load is loaded while the person types.
"""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Final, TextIO

from everself.conversation.reflex.model import NAME as REFLEX
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.interfaces.repl.commands import COMMANDS
from everself.interfaces.repl.dialog import Talk
from everself.interfaces.repl.keyboard import held_keys, mark_pastes
from everself.interfaces.repl.ritual import OFFER
from everself.interfaces.repl.screens import Terminal
from everself.models.chat.connections import kept_connections
from everself.search.recall import RecallRequest
from everself.text.normalise import one_line

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from everself.conversation.sessions.session import Session
    from everself.interfaces.repl.editor import Editor
    from everself.runtime import Runtime

_GREETING: Final = "Enter sends · Alt-Enter: new line · Ctrl-C stops a reply · Ctrl-D leaves · /help"
_EARLIER: Final = 200
_SESSIONS: Final = 12
# seconds without output after which a notice is shown
_SILENCE: Final = 1.0
# the same while a model reads: a local one may take a minute
_PATIENCE: Final = 4.0
_NAME: Final = 40
# smallest share of the window that is shown, because an empty one is not news
_WORTH_TELLING: Final = 0.005


class Streams(Frozen):
    """The terminal; `keys` and `picture` replace it for the editor if there is none."""

    out: TextIO = sys.stdout
    colour: bool = True
    keys: "Input | None" = None
    picture: "Output | None" = None


def talk_at_terminal(app: "Runtime", session: "Session", streams: Streams) -> bool:
    """Run until the person leaves. Returns whether their messages were stored. The person saw all other errors and went on or left."""

    async def sit() -> bool:
        async with kept_connections():
            return await _Sitting(app, session, streams).hold()

    return asyncio.run(sit())


class _Sitting:
    def __init__(self, app: "Runtime", session: "Session", streams: Streams) -> None:
        self._app = app
        self._session = session
        self._streams = streams
        self._screen = Terminal(streams.out, colour=streams.colour)
        self._talk: Talk | None = None
        self._model = ""
        self._who = ""

    async def hold(self) -> bool:
        from everself.interfaces.repl.editor import Editor

        warming = asyncio.ensure_future(asyncio.to_thread(self._warm))
        self._screen.note(_GREETING)
        if self._app.ritual.is_open():
            self._screen.note(OFFER)
        if self._session.said:
            began = self._session.started_at.astimezone(self._app.clock.zone).strftime("%Y-%m-%d %H:%M")
            self._screen.note(f"Going on with the conversation of {began}: {self._session.title}")
        editor = Editor(
            {name: one.summary for name, one in COMMANDS.items()},
            lambda: _said(self._app, _EARLIER),
            self._meter,
            colour=self._streams.colour,
            terminal=(self._streams.keys, self._streams.picture),
        )
        # by then the agent's name and model are known
        warming.add_done_callback(lambda _: editor.redraw())
        with held_keys(editor.put) if self._streams.keys is None else nullcontext():
            text = await self._next(editor)
            if text is not None and not (await asyncio.wait({warming}, timeout=_SILENCE))[0]:
                self._screen.note("· getting ready …")
            await warming
            return await self._hold(editor, text)

    async def _hold(self, editor: "Editor", text: str | None) -> bool:
        talk = Talk(self._app, self._app.chat, self._session, self._screen, editor.ask)
        self._talk = talk
        while text is not None:
            if text.strip():
                mark_pastes(self._streams.out)
                with _ctrl_c(lambda: talk.chat.cancel(talk.session)), self._patience(text):
                    await talk.hear(text)
                if text.startswith("/"):
                    self._screen.say(("",))
                    # the ritual may have changed the name
                    self._who = await asyncio.to_thread(_name_of, self._app)
            text = None if talk.left else await self._next(editor)
        return await talk.close()

    @contextmanager
    def _patience(self, text: str) -> Iterator[None]:
        """Show once that a model is awaited, if nothing is shown for a while after a message."""
        before = self._screen.shown

        def tell() -> None:
            if self._screen.shown == before:
                self._screen.note(f"· waiting for {one_line(self._model, _NAME)} … Ctrl-C stops it")

        is_said = not text.startswith("/") and self._model != REFLEX
        telling = asyncio.get_running_loop().call_later(_PATIENCE, tell) if is_said else None
        try:
            yield
        finally:
            if telling is not None:
                telling.cancel()

    async def _next(self, editor: "Editor") -> str | None:
        try:
            return await editor.read()
        except EOFError:
            return None

    def _warm(self) -> None:
        """Load what the first turn needs and is slow to load. Errors are ignored, because they recur in the turn and are reported there."""
        with suppress(EverselfError):
            self._who = _name_of(self._app)
            self._model = self._app.chat.model.name
            self._app.keep_index_fresh()
            if self._app.agent.search.enabled:
                self._app.recall.search(RecallRequest("hello", limit=1, recorded=False))

    def _meter(self) -> str:
        """The agent's name, the model, and the tokens and cost so far. The reflex costs nothing."""
        parts = [one_line(self._who or self._app.agent.id, _NAME), one_line(self._model, _NAME)]
        talk = self._talk
        if self._model == REFLEX:
            parts.append("no model, answers from memory")
        elif talk is not None:
            parts.append(f"{talk.tokens:,} tokens")
            if talk.last is not None and talk.last.filled >= _WORTH_TELLING:
                parts.append(f"context {talk.last.filled:.0%}")
            parts.append("price unknown" if talk.spent is None else f"${talk.spent:.4f}" if talk.spent else "$0")
        return " · ".join(filter(None, parts))


@contextmanager
def _ctrl_c(stop: Callable[[], object]) -> Iterator[None]:
    """While a reply runs, Ctrl-C stops only the reply."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def _said(app: "Runtime", limit: int) -> Iterator[str]:
    """The owner's messages in recent conversations, newest first, as stored, so that forgotten ones are missing."""
    for session in app.log.list(_SESSIONS):
        for message in reversed(app.log.messages(session)):
            if message.role == "user" and not message.person and limit > 0:
                limit -= 1
                yield message.content


def _name_of(app: "Runtime") -> str:
    """The agent's name; empty if it has only the default name."""
    from everself.identity.card import DEFAULT_NAME, IDENTITY_FILE, resolve

    card = resolve(app.loaded.config.ui, app.agent.identity, app.integrity.text(IDENTITY_FILE))
    return "" if card.name.value == DEFAULT_NAME else f"{card.emoji.value} {card.name.value}".strip()
