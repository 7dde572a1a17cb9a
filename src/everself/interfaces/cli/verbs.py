"""Every verb of the Runtime, the faces that offer it, and the reason where one does not. Faces are tested against this table."""

from dataclasses import dataclass
from typing import Literal

Face = Literal["cli"]


@dataclass(frozen=True, slots=True)
class Verb:
    """`called` is module:name or module:Class.name.

    `offered` says under which name each face offers the verb, `withheld` why a face does not. `humans_only` is the reason why no
    face that a model can reach may ever offer it.
    """

    called: str
    offered: tuple[tuple[Face, str], ...] = ()
    withheld: tuple[tuple[Face, str], ...] = ()
    humans_only: str = ""


def _cli(called: str, command: str, humans_only: str = "") -> Verb:
    return Verb(called, offered=(("cli", command),), humans_only=humans_only)


_MEETS = "chat does it: /bootstrap"
_BY_A_HUMAN = "no model decides who the agent is"

VERBS: tuple[Verb, ...] = (
    _cli("everself.conversation.conversation:Chat.converse", "chat"),
    Verb("everself.identity.ritual:Ritual.is_open", withheld=(("cli", "chat offers the first conversation by it"),)),
    Verb("everself.identity.ritual:Ritual.preview", withheld=(("cli", _MEETS),)),
    Verb("everself.identity.ritual:Ritual.finish", withheld=(("cli", _MEETS),), humans_only=_BY_A_HUMAN),
    Verb("everself.operations.search:catch_up", withheld=(("cli", "memory search does it after it has answered"),)),
    Verb("everself.operations.jobs:is_anything_due", withheld=(("cli", "chat asks it at its begin and its end"),)),
    Verb("everself.operations.jobs:tell_news", withheld=(("cli", "chat begins with it"),)),
)
