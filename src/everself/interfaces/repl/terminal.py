"""A conversation at a terminal: replies stream, Ctrl-C stops one, Ctrl-D leaves after what matters was kept.

What the first reply needs and takes a while to load is loaded while the person types.
"""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TextIO

from everself.conversation.reflex.model import NAME as REFLEX
from everself.errors import EverselfError
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
# seconds that somebody waits without a word
_SILENCE: Final = 1.0
# the same while a model reads: one on this machine may take a minute
_PATIENCE: Final = 4.0
_NAME: Final = 40
# of the window: nobody needs to know that it is empty
_WORTH_TELLING: Final = 0.005


@dataclass(frozen=True, slots=True)
class Streams:
    """The terminal; `keys` and `picture` take its place for the editor where there is none."""

    out: TextIO = sys.stdout
    colour: bool = True
    keys: "Input | None" = None
    picture: "Output | None" = None


def talk_at_terminal(app: "Runtime", session: "Session", streams: Streams) -> bool:
    """Until the person leaves; whether what they said was kept. What went wrong in between they saw, and went on or left."""

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
        # by then it is known who answers
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
                    # the ritual gives it a name
                    self._who = await asyncio.to_thread(_name_of, self._app)
            text = None if talk.left else await self._next(editor)
        return await talk.close()

    @contextmanager
    def _patience(self, text: str) -> Iterator[None]:
        """Print one line about waiting for the model, if a message gets no response for a while."""
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
        """What the first turn needs and takes a while to load. What goes wrong here goes wrong again there, and is told."""
        with suppress(EverselfError):
            self._who = _name_of(self._app)
            self._model = self._app.chat.model.name
            self._app.keep_index_fresh()
            if self._app.agent.search.enabled:
                self._app.recall.search(RecallRequest("hello", limit=1, recorded=False))

    def _meter(self) -> str:
        """Who answers, by which model, and what it took so far. A model that is none takes nothing."""
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
    """While a reply comes, Ctrl-C stops the reply and nothing else."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def _said(app: "Runtime", limit: int) -> Iterator[str]:
    """What the owner said in the conversations of late, the newest first, as it is kept: what was forgotten is not there."""
    for session in app.log.list(_SESSIONS):
        for message in reversed(app.log.messages(session)):
            if message.role == "user" and not message.person and limit > 0:
                limit -= 1
                yield message.content


def _name_of(app: "Runtime") -> str:
    """What the agent is called; nothing where nobody gave it a name."""
    from everself.identity.card import DEFAULT_NAME, IDENTITY_FILE, resolve

    card = resolve(app.loaded.config.ui, app.agent.identity, app.integrity.text(IDENTITY_FILE))
    return "" if card.name.value == DEFAULT_NAME else f"{card.emoji.value} {card.name.value}".strip()
