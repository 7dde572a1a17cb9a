"""Whose words a request holds: what the runtime stamps on what somebody wants to be remembered. Pure.

A model never says whose words something is. A whole sentence that a person states in the message that is being answered is that
person's. All else, a part of such a sentence included, is the agent's, or no better than what the conversation has read.
"""

from typing import Final

from everself.classify.coverage import adds_nothing, is_made_of
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
    """Whose words they are that the caller wants to be remembered. `source` is what the owner's own program says; a model's word is
    not asked."""
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
    """Whether whoever wrote the message states just these words in it: whole sentences, negation and condition included."""
    return is_stated(words, message) or _is_all(words, message)


def tells_of(words: str, message: str) -> bool:
    """Whether a model's words were made of what is stated in the message, and name nothing that it does not."""
    stated = [one.what or one.text for one in read_each(message).of(*KEPT)]
    return any(is_made_of(words, one) for one in stated) and adds_nothing(words, stated)


def asks_to_remember(message: str) -> bool:
    """Whether the person asks in this message for something to be remembered. A model that says so may have read it elsewhere."""
    return bool(read(message).of(SentenceKind.REMEMBER))


def is_wished(words: str, message: str) -> bool:
    """Whether a model's words tell what the person asks in this message to be remembered."""
    from everself.classify.coverage import untold

    wished = [one.what for one in read(message).of(SentenceKind.REMEMBER) if one.what]
    return any(not untold(one, (words,)) for one in wished)


def asks_to_forget(message: str) -> bool:
    """Whether the person asks in so many words for something to be forgotten."""
    return bool(read(message).of(SentenceKind.FORGET))


def _is_all(words: str, message: str) -> bool:
    """Whether these are all the words of a message that asks nothing and shows nothing: then nothing was cut out."""
    if fold(words).strip(_EDGES) != fold(message).strip(_EDGES) or shown(message).strip():
        return False
    return bool(message.strip()) and not read(message).of(SentenceKind.QUESTION)
