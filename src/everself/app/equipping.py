"""Plugs an agent's parts into its own tools, and says which tools a session of some scope may use."""

from typing import TYPE_CHECKING, Final

from everself.app.assembling import find_usable
from everself.app.promoting import promoting_of
from everself.conversation.threads import Aside
from everself.conversation.tools.own.kit import Kit
from everself.search.sharing import read_rules

# corrections that wait for the owner at once
MOST_ASKED: Final = 5

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from everself.app.app import App
    from everself.conversation.tools.own.kit import Report
    from everself.conversation.tools.protocol import Setting


def make_kit(
    app: "App", aside: Aside | None = None, spawn: "Callable[[str, Setting], Awaitable[Report]] | None" = None
) -> Kit:
    """What the own tools work with; nothing of it is opened before a tool is called."""
    return Kit(
        aside=aside or Aside(),
        memory=lambda: app.memory,
        workspace=lambda: app.workspace,
        find=lambda path: find_usable(app, path),
        growth=lambda: app.growth,
        forgetting=lambda: app.forgetting,
        recall=(lambda: app.recall) if app.agent.search.enabled else None,
        asks_to_forget=asks_to_forget,
        spawn=spawn,
        access=app.agent.subagent_access,
        rules=read_rules(app.agent.context.share),
        personas=(app.loaded.config.hooks.persona.file,),
        promoting=promoting_of(app),
        files=lambda: app.state.files,
        ask_correction=lambda entry, words, setting: ask_correction(app, entry, words, setting),
    )


def ask_correction(app: "App", entry: str, words: str, setting: "Setting") -> str:
    """Put a correction that a model worded before the owner; the question's id."""
    from everself.keepers.keeper import Correct, Planned

    evidence = (f"msg:{setting.message}", f"entry:{entry}")
    why = "It was suggested in a conversation; you did not say it in a sentence of your own."
    return app.keepers.ask(Planned(Correct(entry, words), evidence, why), "conversation", MOST_ASKED)


def asks_to_forget(message: str) -> bool:
    from everself.classify.sentence_kinds import SentenceKind
    from everself.classify.statements import read

    return bool(read(message).of(SentenceKind.FORGET))
