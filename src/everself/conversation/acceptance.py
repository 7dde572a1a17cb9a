"""Stores what begins a turn: a message, the results of a program's tools, or both. A message with an identity is stored once.

Knows neither prompts nor models.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from everself.conversation.resources import TurnOptions
from everself.conversation.sessions.heard import CLIENT, is_result, reply_after
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.session import Message, Session
from everself.errors import NotFound
from everself.frozen import Frozen
from everself.memory.provenance import TOOL
from everself.models.chat.protocol import ToolReturn
from everself.search.scopes import Scope
from everself.values import new_id

_NOBODY: Final = "message in this conversation that could be answered."


class Acceptance(Frozen):
    """`first` identifies the turn. `answered` is the message to reply to; if only results came in, it is an earlier one.

    `known`: the message was stored and acted on before. `instead` is the id of a reply to it that broke off; the next reply replaces it.
    """

    session: Session
    first: Message
    answered: Message
    known: bool = False
    instead: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether the turn began with tool results instead of a message."""
        return self.first.id != self.answered.id and self.first.role == "tool" and self.answered.seq < self.first.seq

    @property
    def by_program(self) -> bool:
        """Whether the message to reply to was written by a program, not by a person."""
        return bool(self.answered.meta.get("system"))


def identity_of(name: str, scope: Scope, channel: str) -> str:
    """The message id for a name chosen by a program. The hash includes person, project, kind of session and channel, so that equal names do
    not collide."""
    parts = ("said", channel, scope.kind.value, scope.person or "", scope.project or "", name)
    return _hashed(*parts)


def accept(log: SessionLog, session: Session, text: str, person: str, options: TurnOptions) -> Acceptance:
    """Store the message and the results; both are durable when this returns. Raises NotFound if there are results but no message to
    answer."""
    session = log.fresh(session)
    # images that come with results are those of the message being answered, shown again
    speaks = bool(text.strip() or (options.images and not options.results))
    known = log.message(options.identity) if options.identity else None
    first: Message | None = None
    messages = log.messages(session) if options.results else ()
    if options.results:
        # marked before the texts are stored, so that after a crash they are never found without their taint
        session = log.mark(session, taint=TOOL)
        named = "" if speaks else options.identity
        known_results = {str(one.meta.get("call", "")): one for one in messages if is_result(one)}
        stored = [
            known_results.get(one.id) or _add_result(log, session, one, named if not at else "")
            for at, one in enumerate(options.results)
        ]
        first = stored[0]
    if speaks:
        meta = _meta(log, options)
        answered = log.add(session, "user", text, person=person, meta=meta, identity=options.identity)
        first = answered
    else:
        said = [one for one in messages if one.role == "user"]
        if not said or first is None:
            raise NotFound(_NOBODY)
        answered = said[-1]
    instead = _broken_off(log.messages(session, first.seq)) if known is not None else ""
    return Acceptance(log.fresh(session), first, answered, known is not None, instead)


def _broken_off(after: Sequence[Message]) -> str:
    """The id of the last message of a reply that broke off, or empty. A step that called tools does not count, because its calls had
    effects."""
    reply = reply_after(after)
    if reply is None or reply.whole:
        return ""
    last = next(one for one in after if one.id == reply.message)
    return "" if last.meta.get("calls") else last.id


def _add_result(log: SessionLog, session: Session, result: ToolReturn, identity: str) -> Message:
    meta = {"call": result.id, "name": result.name, "failed": result.failed, "stamp": TOOL, "origin": CLIENT}
    once = identity or _hashed("result", session.id, result.id)
    return log.add(session, "tool", result.content, meta=meta, identity=once)


def _meta(log: SessionLog, options: TurnOptions) -> dict[str, object]:
    meta: dict[str, object] = {}
    if options.beside:
        meta["beside"] = list(options.beside)
    if options.images:
        meta["images"] = len(options.images)
    if options.by_program:
        meta["system"] = True
    if options.earlier:
        meta["before"] = log.digest_of_earlier(options.earlier)
    if options.answers:
        meta["results"] = list(options.answers)
    return meta


def _hashed(*parts: str) -> str:
    hashed = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return new_id(lambda size: hashed[:size])
