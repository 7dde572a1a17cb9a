"""Turns that run without a person: jobs, heartbeats, the start prompt and webhooks. Knows no schedule and no interface.

Their text never counts as the owner's words. The reply goes to the log of the day as the agent's own, trusted no more than what it was
shown. Nothing here blocks the event loop.
"""

from collections.abc import AsyncGenerator
from functools import cache
from importlib import resources
from typing import Final, Literal

from everself.conversation.events import Done, Event, Notice
from everself.conversation.resources import PLAIN_TURN, TurnOptions
from everself.conversation.sessions.session import Session
from everself.errors import ModelFailed
from everself.frozen import Frozen
from everself.memory.provenance import concluded_in
from everself.memory.writing import NewEntry
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.values import Tag

CATEGORY: Final = "heartbeat"
LONGEST_LOGGED: Final = 1_500
Prompt = Literal["heartbeat", "boot", "webhook"]
Kind = Literal[SessionKind.CRON, SessionKind.HEARTBEAT]


@cache
def prompt(name: Prompt) -> str:
    return resources.files("everself.operations").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


class UnattendedReply(Frozen):
    """The agent's reply; `taint` is that of the session at the end. `message` is empty if there was no reply."""

    text: str
    session: str
    message: str
    taint: str


def new_session(app: Runtime, kind: Kind, channel: str) -> Session:
    return app.chat.begin(Scope(kind), channel)


async def allow(app: Runtime, kind: Kind) -> None:
    """Raises ModelFailed (spend) if the budget is spent. Called first, so that the slot is skipped and does not fail."""
    await app.worker(lambda: app.spend_meter.allow(kind.value))


async def events_of(
    app: Runtime, session: Session, words: str, options: TurnOptions = PLAIN_TURN
) -> AsyncGenerator[Event, None]:
    """The events of the turn. The session is closed at the end in any case."""
    try:
        async for event in app.chat.converse(session, words, "", options):
            yield event
    finally:
        await app.chat.close(session)


async def say(app: Runtime, session: Session, words: str, options: TurnOptions = PLAIN_TURN) -> UnattendedReply:
    """Send a message and wait for the whole reply. Raises ModelFailed if there is none."""
    events = [event async for event in events_of(app, session, words, options)]
    return await reply_of(app, session, events)


async def reply_of(app: Runtime, session: Session, events: list[Event]) -> UnattendedReply:
    done = next(one for one in reversed(events) if isinstance(one, Done))
    if done.why in ("failed", "cancelled"):
        told = [one.text for one in events if isinstance(one, Notice) and one.level == "warning"]
        raise ModelFailed(told[-1] if told else f"The answer was {done.why}.")
    taint = (await app.worker(lambda: app.log.find(session.id))).taint
    return UnattendedReply(done.text.strip(), session.id, done.message, taint)


async def log_reply(app: Runtime, title: str, reply: UnattendedReply, key: str) -> None:
    """Write the reply to the log of the day, once per `key`."""
    more = f" … (everself sessions show {reply.session})" if len(reply.text) > LONGEST_LOGGED else ""
    lineage = (f"msg:{reply.message}",) if reply.message else ()
    entry = NewEntry(
        f"{title}: {reply.text[:LONGEST_LOGGED]}{more}",
        concluded_in(reply.taint, "job", *lineage),
        category=CATEGORY,
        tag=Tag.EVENT,
        key=key,
    )
    await app.worker(lambda: app.memory.remember(entry))
