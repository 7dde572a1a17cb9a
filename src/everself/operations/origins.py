"""Determines the source of words that should be remembered. Pure.

A model cannot state a source. A whole sentence that a person states in the answered message is theirs. Everything else, including a part of
such a sentence, is the agent's, or trusted no more than what the conversation has read.
"""

from typing import Final

from everself.classify.coverage import adds_nothing, is_made_of, untold
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.statements import read, read_each
from everself.memory.provenance import OWNER, concluded_in, named_by_owner, stated_by, stated_by_owner, taint_of
from everself.memory.statements import is_stated, shown
from everself.operations.caller import Caller
from everself.search.scopes import SessionKind
from everself.search.sharing import effective, speaker_of
from everself.text.normalise import fold
from everself.values import Origin

_EDGES: Final = " \t.,;:!?…\"'()[]。、，；：！？「」『』（）"


def origin_of(words: str, caller: Caller, source: str = OWNER) -> Origin:
    """The origin of the caller's words. `source` applies only to the owner's own programs, not to models."""
    if not caller.is_model:
        return stated_by_owner("terminal") if source == OWNER else named_by_owner(source)
    message = (f"msg:{caller.message}",) if caller.message else ()
    if states(caller.said, words):
        if caller.by_owner:
            return stated_by_owner("chat", *message)
        scope = effective(caller.scope)
        if scope.kind is SessionKind.GUEST and scope.person:
            return stated_by(scope.person, *message)
    return concluded_in(taint_of((caller.taint, speaker_of(caller.scope))), "chat", *message)


def states(message: str, words: str) -> bool:
    """Whether the message states exactly these words as whole sentences, including negation and conditions."""
    return is_stated(words, message) or _is_all(words, message)


def tells_of(words: str, message: str) -> bool:
    """Whether the words are derived from statements in the message and add no name or number."""
    stated = [one.what or one.text for one in read_each(message).of(*KEPT)]
    return any(is_made_of(words, one) for one in stated) and adds_nothing(words, stated)


def asks_to_remember(message: str) -> bool:
    """Whether the person asks in this message to remember something. A model's claim is not enough."""
    return bool(read(message).of(SentenceKind.REMEMBER))


def is_wished(words: str, message: str) -> bool:
    """Whether the words contain what the person asks in this message to remember."""
    wished = [one.what for one in read(message).of(SentenceKind.REMEMBER) if one.what]
    return any(not untold(one, (words,)) for one in wished)


def asks_to_forget(message: str) -> bool:
    """Whether the person explicitly asks to forget something."""
    return bool(read(message).of(SentenceKind.FORGET))


def _is_all(words: str, message: str) -> bool:
    """Whether the words are the whole message, and it contains neither a question nor quoted text."""
    if fold(words).strip(_EDGES) != fold(message).strip(_EDGES) or shown(message).strip():
        return False
    return bool(message.strip()) and not read(message).of(SentenceKind.QUESTION)
