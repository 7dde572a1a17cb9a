"""The caller of an operation: their rights, scope and conversation. The interface sets it; a request cannot."""

from collections.abc import Callable
from enum import IntEnum
from typing import Final

from everself.errors import RefusedByRule
from everself.frozen import Frozen
from everself.memory.provenance import OWN
from everself.search.scopes import Scope, SessionKind


class Audience(IntEnum):
    """The lowest level of rights that an operation requires. Higher levels include the lower ones."""

    GUEST = 0
    AGENT = 1
    OWNER = 2
    OWNER_AT_TERMINAL = 3

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS: Final = {
    Audience.GUEST: "a guest of the agent",
    Audience.AGENT: "the agent or its owner",
    Audience.OWNER: "the owner",
    Audience.OWNER_AT_TERMINAL: "the owner at a terminal",
}


_OWNERS: Final = Scope(SessionKind.MAIN)
OWNERS_SESSIONS: Final = frozenset({SessionKind.MAIN, SessionKind.CRON, SessionKind.HEARTBEAT})


def nobody_agrees(_: object) -> None:
    raise RefusedByRule("Nothing was changed: no person is present to confirm it.", mend="Run it at a terminal.")


class Caller(Frozen):
    """The caller of an operation. `present`: a human sees the answer and can be asked. `channel` is the name of the interface.

    In a conversation, `session`, `message` and `said` are its id and the id and text of the message being answered; `by_owner`: the owner
    wrote it. `taint` is the least trusted source in the conversation. `unwatched`: a program calls, and no human sees the effects or the
    cost.
    """

    audience: Audience
    scope: Scope = _OWNERS
    session: str = ""
    message: str = ""
    said: str = ""
    by_owner: bool = False
    taint: str = OWN
    present: bool = False
    unwatched: bool = False
    channel: str = "cli"
    # shows a plan to a human; returns if they agree, otherwise raises
    agree: Callable[[object], None] = nobody_agrees

    def need(self, audience: Audience) -> None:
        """Raises RefusedByRule if the caller's rights are lower."""
        if self.audience < audience:
            raise RefusedByRule(f"Permission denied: only {audience.words} can do this.")

    @property
    def is_model(self) -> bool:
        """Whether a model words the request, so that its text is not a statement of the owner."""
        return self.audience < Audience.OWNER


AT_TERMINAL: Final = Caller(Audience.OWNER_AT_TERMINAL, by_owner=True, present=True)
