"""Plugs an agent's parts into its conversations: which model answers, what it may do, what happens to a message before it is answered."""

from dataclasses import replace
from typing import TYPE_CHECKING

from everself.app.assembling import facts_of, told_of
from everself.app.equipping import make_kit
from everself.app.heeding import Heeding
from everself.app.modelling import open_chat_model
from everself.app.reaching import open_reach
from everself.app.sessions import Room
from everself.classify.save_claims import claims_saving
from everself.conversation.conversation import Chat
from everself.conversation.parts import Alarm, Parts
from everself.conversation.threads import Aside
from everself.conversation.tools.own.selection import own_tools
from everself.conversation.tools.protocol import Written
from everself.errors import NotFound, WrongUse

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from everself.app.app import App
    from everself.conversation.context.assembler import Prompt
    from everself.conversation.context.request import Ask
    from everself.conversation.tools.own.kit import Report
    from everself.conversation.tools.protocol import Setting
    from everself.storage.state.searches import SearchRecord


def open_chat(app: "App") -> Chat:
    """Nothing of it is opened before it is used: a conversation begins with the first message, not with the prompt for it."""
    aside = Aside()

    def spawn(task: str, setting: "Setting") -> "Awaitable[Report]":
        from everself.conversation.subagents import Subagents

        return Subagents(app.chat.desk).send(task, setting)

    kit = make_kit(app, aside, spawn)
    parts = replace(gather(app), aside=aside, tools=lambda scope: own_tools(kit, scope))
    return Chat(replace(parts, outside=lambda scope: open_reach(app, scope)))


def gather(app: "App") -> Parts:
    def assemble(ask: "Ask") -> "Prompt":
        return app.assembler.assemble(ask)

    room = Room(app)
    return Parts(
        log=app.log,
        model=lambda: open_chat_model(app),
        assemble=assemble,
        facts=lambda channel, tools: facts_of(app, channel, tools),
        alarm=lambda: _alarm(app),
        act=Heeding(app),
        claims=claims_saving,
        keep=lambda setting: _keep(app, setting),
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
        generation=app.state.scrub.generation,
        unsay=lambda text: _unsaid(app, text),
    )


def _alarm(app: "App") -> Alarm:
    found = tuple(one for one in app.integrity.look() if not one.told)
    return Alarm(tuple(told_of(one) for one in found), lambda: app.integrity.tell(found))


def _keep(app: "App", setting: "Setting") -> tuple[Written, ...]:
    """Write down what the person stated and nobody has, as a checkpoint does; sub-agents and groups have no memory to write to."""
    book, made = app.memory.book, app.checkpoint.make(app.log.find(setting.session))
    found = [entry for name in made.entries if (entry := book.find(name)) is not None]
    return tuple(Written("remembered", one.text, one.reference, one.id) for one in found)


def _searched(app: "App", name: str) -> "SearchRecord | None":
    try:
        return app.state.searches.find(name) if name else None
    except (NotFound, WrongUse):
        return None


def _unsaid(app: "App", text: str) -> str:
    """A text without what was forgotten. Only hashes are left of that, so it is looked for in all that may stand for itself."""
    from everself.memory.forgetting.words import Words, candidates, runs

    book = app.memory.book
    return Words((), [one for one in {*candidates(text), *runs(text)} if one and book.is_buried(one)]).in_message(text)


def _first(app: "App", name: str) -> bool:
    key = f"told {name}"
    if app.state.get_meta(key):
        return False
    app.state.set_meta(key, app.clock.now().isoformat())
    return True
