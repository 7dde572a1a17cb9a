"""A conversation line by line, for pipes and scripts: messages from one stream, replies to another. Knows no terminal."""

import asyncio
from collections.abc import Iterator
from typing import TextIO

from everself.conversation.sessions.session import Session
from everself.errors import Interrupted
from everself.interfaces.repl.dialog import Talk
from everself.interfaces.repl.input_lines import messages_of
from everself.interfaces.repl.ritual import OFFER
from everself.interfaces.repl.screens import Plain
from everself.runtime import Runtime


def talk_in_lines(app: Runtime, session: Session, streams: tuple[TextIO, TextIO, TextIO]) -> bool:
    """Run from the first line to the last, or to /quit. Returns whether everything worked. `streams` are input, replies, and notices."""
    source, out, err = streams
    screen = Plain(out, err)
    lines = _lines(source)
    messages = messages_of(lines)

    async def ask(question: str) -> str | None:
        screen.say((question,))
        return next(lines, None)

    talk = Talk(app, app.chat, session, screen, ask)
    # one loop for all turns, but lines are read outside of it, where Ctrl-C has its usual effect
    with asyncio.Runner() as runner:
        try:
            for message in messages:
                runner.run(talk.hear(message))
                if talk.last is not None and talk.last.why == "cancelled":
                    raise Interrupted
                if talk.left:
                    break
        finally:
            runner.run(talk.close())
    if talk.last is not None and app.ritual.offer():
        screen.say((OFFER,))
    return not talk.failed


def _lines(source: TextIO) -> Iterator[str]:
    """Read line by line. Iterating over the stream would read ahead, but an answer to a question is the next line."""
    while line := source.readline():
        yield line
