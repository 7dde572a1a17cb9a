"""Which sentences of a message its writer states, and which text is only shown. Pure.

What is stated may become an entry of whoever said it. What is shown is like an import, whoever sent it: it stays with the conversation and
is evidence for nothing, until its writer asks to remember it.
"""

from typing import Final

from everself.classify import shown as forms
from everself.classify.openers import bare
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.statements import read_each
from everself.text.normalise import fold

_MARKS: Final = tuple(".!,;:。！，、；：—")
_ENDS: Final = " .!?。！？…,，、;；"


def stated(message: str) -> tuple[str, ...]:
    """The sentences that the speaker states, whole: negation and condition included. A wish to remember states what it names."""
    found: dict[str, None] = {}
    for sentence in read_each(message).of(*KEPT):
        if sentence.kind is SentenceKind.REMEMBER and not sentence.what:
            # "remember that" alone states nothing
            continue
        for words in (sentence.text, sentence.what):
            whole = " ".join(words.split())
            found |= {whole: None} if whole else {}
    return tuple(found)


def said(message: str) -> str:
    """The message without what its writer only shows, and without what programs put around it."""
    return forms.said(message)


def shown(message: str) -> str:
    """What the writer shows and does not say: quotations, fences, pasted pages, forwarded mail, what a question is about."""
    return forms.shown(message)


def is_stated(words: str, message: str) -> bool:
    """Whether the speaker states just this: one or several whole sentences of theirs, in their order and with nothing left out between."""
    sought = fold(words).strip(_ENDS)
    if not sought:
        return False
    found = stated(message)
    sentences = [fold(one).strip(_ENDS) for one in found]
    if sought in sentences or sought in (fold(_unopened(one)).strip(_ENDS) for one in found):
        return True
    return any(_goes(sought, sentences[start:]) for start in range(len(sentences)))


def _unopened(sentence: str) -> str:
    """Without a "No, " or "That's wrong: " before it, which only says that it corrects. "No one may" is none: no mark ends it there."""
    rest = bare(sentence)
    opener = sentence.strip()[: -len(rest)].rstrip() if rest else ""
    return rest if opener[-1:] in _MARKS else sentence


def _goes(sought: str, sentences: list[str]) -> bool:
    """Whether these are the next sentences, one after another."""
    rest = sought
    for sentence in sentences:
        if not sentence or not rest.startswith(sentence):
            return False
        rest = rest[len(sentence) :]
        if not rest:
            return True
        if rest[0] not in _ENDS:
            return False
        rest = rest.lstrip(_ENDS)
    return False
