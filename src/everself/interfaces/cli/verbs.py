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


_VERIFIES = "soul verify does it, with what it is told to do"
_MEETS = "chat does it: /bootstrap"
_BY_A_HUMAN = "no model decides who the agent is"
_A_HUMANS_WORD = "what waits for a human is not decided by a model"

VERBS: tuple[Verb, ...] = (
    _cli("everself.conversation.conversation:Chat.converse", "chat"),
    _cli("everself.operations.ask:ask", "ask"),
    Verb("everself.identity.ritual:Ritual.is_open", withheld=(("cli", "chat offers the first conversation by it"),)),
    Verb("everself.identity.ritual:Ritual.preview", withheld=(("cli", _MEETS),)),
    Verb("everself.identity.ritual:Ritual.finish", withheld=(("cli", _MEETS),), humans_only=_BY_A_HUMAN),
    _cli("everself.operations.doctor:examine", "doctor"),
    _cli("everself.operations.identity:show_identity", "identity"),
    Verb("everself.operations.identity:list_personas", withheld=(("cli", "identity --personas does it"),)),
    _cli("everself.operations.soul:show_soul", "soul show"),
    _cli("everself.operations.soul:list_souls", "soul history"),
    _cli("everself.operations.digest:digest_growth", "soul digest"),
    _cli("everself.operations.soul:compare_souls", "soul diff"),
    _cli("everself.operations.soul:approve_soul", "soul approve", _BY_A_HUMAN),
    _cli("everself.operations.soul:refuse_soul", "soul refuse", _BY_A_HUMAN),
    _cli("everself.operations.soul:roll_back_soul", "soul rollback", _BY_A_HUMAN),
    _cli("everself.operations.soul:check_soul", "soul test"),
    Verb("everself.operations.integrity:look_outside", withheld=(("cli", _VERIFIES),)),
    Verb("everself.operations.integrity:accept_outside", withheld=(("cli", _VERIFIES),), humans_only=_BY_A_HUMAN),
    Verb("everself.operations.integrity:undo_outside", withheld=(("cli", _VERIFIES),), humans_only=_BY_A_HUMAN),
    _cli("everself.operations.integrity:verify_identity", "soul verify"),
    Verb("everself.operations.search:catch_up", withheld=(("cli", "memory search does it after it has answered"),)),
    _cli("everself.operations.context:show_context", "context"),
    _cli("everself.operations.sessions:list_sessions", "sessions list"),
    _cli("everself.operations.sessions:show_session", "sessions show"),
    _cli("everself.operations.sessions:search_messages", "sessions search"),
    _cli(
        "everself.operations.sessions:export_session", "sessions export", "a transcript holds everything that was said"
    ),
    Verb("everself.operations.sessions:plan_deletion", withheld=(("cli", "sessions delete --dry-run does it"),)),
    _cli("everself.operations.sessions:delete_session", "sessions delete", "what is deleted is gone"),
    _cli("everself.operations.sessions:simulate_compaction", "simulate-compaction"),
    Verb("everself.operations.jobs:is_anything_due", withheld=(("cli", "chat asks it at its begin and its end"),)),
    Verb("everself.operations.jobs:tell_news", withheld=(("cli", "chat begins with it"),)),
    _cli("everself.operations.review:list_waiting", "review list", "what was kept from a model is not shown to one"),
    Verb("everself.operations.review:find_waiting", withheld=(("cli", "review shows each with it"),)),
    _cli("everself.operations.review:accept_waiting", "review accept", _A_HUMANS_WORD),
    _cli("everself.operations.review:edit_waiting", "review edit", _A_HUMANS_WORD),
    _cli("everself.operations.review:refuse_waiting", "review refuse", _A_HUMANS_WORD),
)
