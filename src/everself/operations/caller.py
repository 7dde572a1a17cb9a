"""Who asks for an operation: in which standing, for whom, from which conversation. An interface states it; no request can."""

from collections.abc import Callable
from enum import IntEnum
from typing import Final

from everself.errors import RefusedByRule
from everself.frozen import Frozen
from everself.memory.provenance import OWN
from everself.search.scopes import Scope, SessionKind


class Audience(IntEnum):
    """The least standing that an operation asks for. Whoever stands higher may do what the lower may."""

    GUEST = 0
    AGENT = 1
    OWNER = 2
    OWNER_AT_TERMINAL = 3

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS: Final = {
    Audience.GUEST: "somebody who talks to the agent",
    Audience.AGENT: "the agent or its owner",
    Audience.OWNER: "the owner",
    Audience.OWNER_AT_TERMINAL: "the owner at a terminal",
}


_OWNERS: Final = Scope(SessionKind.MAIN)
OWNERS_SESSIONS: Final = frozenset({SessionKind.MAIN, SessionKind.CRON, SessionKind.HEARTBEAT})


def nobody_agrees(_: object) -> None:
    raise RefusedByRule("Nothing was changed: nobody is here to agree to it.", mend="Run it at a terminal.")


class Caller(Frozen):
    """Whoever asks. `present`: a human sees the answer and can be asked. `channel` is the name of the interface.

    In a conversation `session`, `message` and `said` are its id and the id and words of the message that is being answered; `by_owner`:
    the owner said it. `taint` is the least trusted source of what the conversation holds. `unwatched`: a program asks,
    and nobody is there who sees what it does or costs.
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
    # shows somebody what would happen; returns where they agree and raises where they do not
    agree: Callable[[object], None] = nobody_agrees

    def need(self, audience: Audience) -> None:
        """Raises RefusedByRule for whoever stands lower."""
        if self.audience < audience:
            raise RefusedByRule(f"Permission denied: only {audience.words} can do this.")

    @property
    def is_model(self) -> bool:
        """Whether a model words the request, so that nothing in it is anybody's statement by itself."""
        return self.audience < Audience.OWNER


AT_TERMINAL: Final = Caller(Audience.OWNER_AT_TERMINAL, by_owner=True, present=True)
