"""Which operation is offered by which page, and why the others are not. A test compares it with the operations that there are."""

from typing import Final

_FILES: Final = "It works on a file or a folder of this machine, which a page cannot see."
_PROCESS: Final = "It starts or ends the process that serves the page, which would go away under it."
_MODEL: Final = "It is a tool of a model; a person does the same in another way."
_SECRET: Final = "It makes or shows a secret, which is shown at a terminal once and never sent to a browser."

# page → operations
OFFERED: Final[dict[str, tuple[str, ...]]] = {
    "chat": (
        *("chat.say", "sessions.list", "sessions.show", "sessions.search", "sessions.delete", "why"),
        *("ritual.show", "ritual.finish"),
    ),
    "memory": (
        *("memory.search", "memory.list", "memory.show", "memory.get", "memory.why", "memory.add", "memory.edit"),
        *("memory.correct", "memory.supersede", "memory.promote", "memory.release", "memory.vouch", "memory.forget"),
        *("memory.bank.list", "memory.bank.show", "memory.bank.add", "memory.contents", "log", "show", "undo"),
    ),
    "soul": (
        *("soul.show", "soul.history", "soul.approve", "soul.refuse", "soul.rollback", "soul.test"),
        *("soul.digest", "soul.verify", "identity"),
    ),
    "review": ("review.list", "review.count", "review.accept", "review.edit", "review.refuse"),
    "context": ("context", "simulate-compaction"),
    "health": (
        *(
            "doctor",
            "memory.trends",
            "memory.status",
            "memory.index",
            "memory.rebuild",
            "memory.eval",
            "memory.compact",
            "spend",
        ),
        *("cron.list", "cron.show", "cron.history", "cron.run", "cron.enable", "cron.disable", "cron.add", "cron.rm"),
        *("keepers.list", "keepers.run", "keepers.history", "gateway.status", "gateway.logs"),
    ),
    "settings": (
        *("config.show", "config.get", "config.set", "config.unset", "model.list", "model.use", "model.test"),
        *("agents.list", "agents.show", "agents.add", "agents.remove", "gateway.token.list", "gateway.token.rm"),
        *("gateway.hook.list", "gateway.hook.rm", "gateway.sign-out"),
    ),
}
WITHHELD: Final[dict[str, str]] = {
    "ask": "Chat asks the same, and keeps the conversation.",
    "connect": _FILES,
    "disconnect": _FILES,
    "client.event": "Only a coding agent tells what happens in it, with everself hook.",
    "backup": _FILES,
    "restore": _FILES,
    "memory.export": _FILES,
    "memory.import": _FILES,
    "sessions.export": _FILES,
    "setup": _FILES,
    "setup.offers": "It looks for programs of whoever sits at the terminal, for everself setup.",
    "config.path": _FILES,
    "file.read": _MODEL,
    "file.write": _MODEL,
    "file.edit": _MODEL,
    "tool.memory": _MODEL,
    "soul.propose": "A person edits SOUL.md; the page then shows what changed, to take it over or to put it back.",
    "soul.diff": "The page of an earlier version shows what differs from the soul of today.",
    "gateway.stop": _PROCESS,
    "gateway.install": _PROCESS,
    "gateway.token.add": _SECRET,
    "gateway.token.rotate": _SECRET,
    "gateway.hook.add": _SECRET,
    "gateway.hook.rotate": _SECRET,
    "gateway.sign-in": _SECRET,
    "client.context": "It is for programs that begin a conversation; Context shows the same.",
    "cron.tick": "The gateway runs what is due by itself.",
}


def page_of(operation: str) -> str:
    """The page that offers it; empty where none does."""
    return next((page for page, names in OFFERED.items() if operation in names), "")
