"""Who asks for an operation: in which standing, for whom, from which conversation. An interface states it; no request can."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

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


@dataclass(frozen=True, slots=True)
class Caller:
    """`present`: a human sees the answer and can be asked. `session` and `message` name what was said in a conversation."""

    audience: Audience
    scope: Scope = _OWNERS
    session: str = ""
    message: str = ""
    present: bool = False


AT_TERMINAL: Final = Caller(Audience.OWNER_AT_TERMINAL, present=True)
