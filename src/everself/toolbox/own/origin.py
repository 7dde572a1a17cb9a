"""Where words come from: what the runtime stamps on what a model wants to remember, and on what it is shown of memory. Pure.

A model never says whose words something is. Those that stand in the message of a person are that person's; all others are the agent's,
or, once the conversation has read somebody else's, no better than those.
"""

from collections.abc import Iterable
from typing import Final

from everself.entries.trust import AGENT, OWNER, PERSON, TOOL, WEB
from everself.recall.scopes import SessionKind
from everself.recall.sharing import effective
from everself.text.normalise import fold
from everself.toolbox.tool import Setting, Stamp, worse

_EDGES: Final = " \t.,;:!?…\"'()[]。、，；：！？「」『』（）"


def source_of(words: str, setting: Setting) -> str:
    """The source of words that shall be remembered."""
    if stands_in(words, setting.said):
        if setting.by_owner:
            return OWNER
        scope = effective(setting.scope)
        if scope.kind is SessionKind.GUEST and scope.person:
            return f"{PERSON}{scope.person}"
    return setting.taint if setting.taint != "own" else AGENT


def stands_in(words: str, said: str) -> bool:
    """Whether these very words are part of what was said, from the beginning of a word to the end of one."""
    wanted, text = fold(words).strip(_EDGES), fold(said)
    if not wanted:
        return False
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not _joined(text[at - 1 : at], wanted[0]) and not _joined(wanted[-1], text[end : end + 1]):
            return True
        at = text.find(wanted, at + 1)
    return False


def stamp_of(sources: Iterable[str]) -> Stamp:
    """How what rests on these sources taints whoever reads it: strangers' words do, those of an import that the owner made do not."""
    found: Stamp = "own"
    for source in sources:
        if source == WEB:
            found = worse(found, "web")
        elif source == TOOL or source.startswith(PERSON):
            found = worse(found, "tool")
    return found


def _joined(one: str, other: str) -> bool:
    """Whether two characters are of one word. Scripts without blanks have no such boundaries."""
    return bool(one) and bool(other) and _is_letter(one) and _is_letter(other)


def _is_letter(char: str) -> bool:
    return char.isalnum() and ord(char) < 0x1100
