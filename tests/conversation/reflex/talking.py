"""A conversation with the reflex through a whole agent: real files, real recall, the real loop."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from everself.agent import open_runtime
from everself.conversation.events import Text
from everself.operations.setup import set_up
from everself.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    reply: str


def agent(home: str) -> Runtime:
    return open_runtime(environ={"HOME": home, "EVERSELF_HOME": f"{home}/e", "EVERSELF_KEYS": f"{home}/k"})


def talk(home: str, messages: Sequence[str], *, meaning: bool = False) -> list[Said]:
    """Says these things in a session of their own, and gives what was replied to each. `meaning`: with vectors of all that is known."""
    with agent(home) as app:
        set_up(app)
        if meaning:
            app.index.sync()
            app.index.embed()
        return asyncio.run(converse(app, messages))


async def converse(app: Runtime, messages: Sequence[str]) -> list[Said]:
    session = app.chat.begin()
    said = []
    for message in messages:
        pieces = [event.text async for event in app.chat.converse(session, message) if isinstance(event, Text)]
        said.append(Said(message, "".join(pieces)))
    return said
