"""An agent with a scripted model, for the tests of its conversations."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from everself.agent import open_runtime
from everself.conversation.events import Done, Event, Notice
from everself.conversation.sessions.session import Session
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel, Step
from everself.testing.frozen_time import FrozenTime


@contextmanager
def talking(
    home: Path,
    *script: Step,
    model: FakeModel | None = None,
    host: Mapping[str, object] | None = None,
    time: FrozenTime | None = None,
    answered: bool = True,
    **settings: object,
) -> Iterator[tuple[Runtime, FakeModel]]:
    """An agent whose model says what the script says, in a home that may have been used before; by its own clock, or by that of a test.
    Not `answered`: it has no model."""
    folder = home / "e"
    folder.mkdir(exist_ok=True)
    defaults = {"memorySearch": {"provider": "none"}, **settings}
    (folder / "everself.json5").write_text(
        json.dumps({"agents": {"defaults": defaults}, "history": {"enabled": False}, **(host or {})})
    )
    fake = model or FakeModel(*script)
    with open_runtime(environ={"HOME": str(home), "EVERSELF_HOME": str(folder), "EVERSELF_KEYS": f"{home}/k"}) as app:
        if time is not None:
            app.clock = time.clock()
        if not Path(app.agent.workspace, "SOUL.md").exists():
            set_up(app)
        if answered:
            app.chat.use(fake)
        yield app, fake


def say(app: Runtime, text: str, session: Session | None = None, person: str = "") -> list[Event]:
    """The events of one turn."""
    return asyncio.run(hear(app, text, session or app.chat.begin(), person))


async def hear(app: Runtime, text: str, session: Session, person: str = "") -> list[Event]:
    return [event async for event in app.chat.converse(session, text, person)]


def done(events: Sequence[Event]) -> Done:
    last = events[-1]
    assert isinstance(last, Done)
    return last


def notices(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]
