"""Where words come from: what the runtime stamps on what a model wants to remember, and on what it is shown of memory. Pure.

A model never says whose words something is. A whole sentence that a person states in the message that is being answered is that
person's. All else, a part of such a sentence included, is the agent's, or no better than what the conversation has read.
"""

from typing import Final

from everself.classify.sentence_kinds import SentenceKind
from everself.classify.statements import read
from everself.conversation.tools.protocol import ToolContext
from everself.memory.provenance import concluded_in, stated_by, stated_by_owner, taint_of
from everself.memory.statements import is_stated, shown
from everself.search.scopes import SessionKind
from everself.search.sharing import effective, speaker_of
from everself.text.normalise import fold
from everself.values import Origin

_EDGES: Final = " \t.,;:!?…\"'()[]。、，；：！？「」『』（）"


def origin_of(words: str, setting: ToolContext) -> Origin:
    """Whose words they are that a model wants to be remembered."""
    message = f"msg:{setting.message}"
    if is_stated(words, setting.said) or _is_all(words, setting.said):
        if setting.by_owner:
            return stated_by_owner("chat", message)
        scope = effective(setting.scope)
        if scope.kind is SessionKind.GUEST and scope.person:
            return stated_by(scope.person, message)
    return concluded_in(taint_of((setting.taint, speaker_of(setting.scope))), "chat", message)


def asks_to_remember(message: str) -> bool:
    """Whether the person asks in this message for something to be remembered. A model that says so may have read it elsewhere."""
    return bool(read(message).of(SentenceKind.REMEMBER))


def _is_all(words: str, message: str) -> bool:
    """Whether these are all the words of a message that asks nothing and shows nothing: then nothing was cut out."""
    if fold(words).strip(_EDGES) != fold(message).strip(_EDGES) or shown(message).strip():
        return False
    return bool(message.strip()) and not read(message).of(SentenceKind.QUESTION)
