"""What a message states: the whole sentences that its speaker says, negation and condition included. Pure."""

from typing import Final

from everself.patterns.reading import SentenceKind
from everself.text.normalise import fold

_EDGES: Final = " \t.,;:!?…\"'()[]。、，；：！？「」『』（）"
_STOPS: Final = ".!?。！？…"


def stated(message: str) -> tuple[str, ...]:
    """The sentences that the speaker states, whole. A wish to remember states what it names."""
    from everself.patterns.statements import read

    found: dict[str, None] = {}
    for one in read(message).of(SentenceKind.STATEMENT, SentenceKind.REMEMBER):
        found |= {words: None for words in (one.text, one.what) if words.strip()}
    return tuple(found)


def shown(message: str) -> str:
    """What the speaker shows and does not say: quoted lines and fenced blocks."""
    fenced = False
    found: list[str] = []
    for line in message.splitlines():
        fence = line.lstrip().startswith(("```", "~~~"))
        if fenced or fence or line.lstrip().startswith(">"):
            found.append(line)
        fenced = fenced != fence
    return "\n".join(found)


def is_stated(words: str, message: str) -> bool:
    """Whether the speaker states just this: one or several whole sentences of theirs, from the first word to the last."""
    sought = fold(words).strip(_EDGES)
    return bool(sought) and any(_is_run(sought, fold(one)) for one in stated(message))


def _is_run(sought: str, text: str) -> bool:
    """Whether these are whole sentences of a statement, which may have several."""
    at = text.find(sought)
    while at >= 0:
        before, after = text[:at].rstrip(), text[at + len(sought) :].lstrip()
        if (not before or before[-1] in _STOPS) and (not after or after[0] in _STOPS):
            return True
        at = text.find(sought, at + 1)
    return False
