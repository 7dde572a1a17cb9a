"""Plugs an agent's parts into its conversations: which model answers, what it may do, what happens to a message before it is answered."""

from typing import TYPE_CHECKING

from everself.app.assembling import facts_of, told_of
from everself.app.modelling import open_chat_model
from everself.app.sessions import Room
from everself.chat.chat import Chat
from everself.chat.parts import Alarm, Parts
from everself.errors import NotFound, WrongUse

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.context.asking import Ask
    from everself.context.assembly import Prompt
    from everself.store.searches import SearchRecord


def open_chat(app: "App") -> Chat:
    """Nothing of it is opened before it is used: a conversation begins with the first message, not with the prompt for it."""
    return Chat(gather(app))


def gather(app: "App") -> Parts:
    def assemble(ask: "Ask") -> "Prompt":
        return app.assembler.assemble(ask)

    room = Room(app)
    return Parts(
        log=app.log,
        clock=app.clock,
        model=lambda: open_chat_model(app),
        assemble=assemble,
        facts=lambda channel, tools: facts_of(app, channel, tools),
        alarm=lambda: _alarm(app),
        searched=lambda name: _searched(app, name),
        allow=app.charger.allow,
        charge=app.charger.charge,
        first=lambda name: _first(app, name),
        near=room.near,
        heavy=room.heavy,
        compact=room.compact,
        checkpoint=room.checkpoint,
        recover=room.recover,
        note=room.note,
    )


def _alarm(app: "App") -> Alarm:
    found = tuple(one for one in app.integrity.look() if not one.told)
    return Alarm(tuple(told_of(one) for one in found), lambda: app.integrity.tell(found))


def _searched(app: "App", name: str) -> "SearchRecord | None":
    try:
        return app.state.searches.find(name) if name else None
    except (NotFound, WrongUse):
        return None


def _first(app: "App", name: str) -> bool:
    key = f"told {name}"
    if app.state.get_meta(key):
        return False
    app.state.set_meta(key, app.clock.now().isoformat())
    return True
