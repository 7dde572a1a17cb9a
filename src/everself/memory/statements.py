"""Splits a message into sentences that its writer states and text that is only shown. Pure.

A stated sentence may become an entry of the speaker. Shown text is treated like an import: it stays in the conversation and is no
evidence, unless the writer asks to remember it.
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
    """The sentences that the speaker states, whole, with negations and conditions. A wish to remember states its object."""
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
    """The message without shown text and without text that programs put around it."""
    return forms.said(message)


def shown(message: str) -> str:
    """The shown text: quotations, fences, pasted pages, forwarded mail, the object of a question."""
    return forms.shown(message)


def is_stated(words: str, message: str) -> bool:
    """Whether the speaker states exactly these words: one or more consecutive whole sentences."""
    sought = fold(words).strip(_ENDS)
    if not sought:
        return False
    found = stated(message)
    sentences = [fold(one).strip(_ENDS) for one in found]
    if sought in sentences or sought in (fold(_unopened(one)).strip(_ENDS) for one in found):
        return True
    return any(_goes(sought, sentences[start:]) for start in range(len(sentences)))


def _unopened(sentence: str) -> str:
    """The sentence without an opener such as "No, " or "That's wrong: ". "No one may" has none, because no mark follows it."""
    rest = bare(sentence)
    opener = sentence.strip()[: -len(rest)].rstrip() if rest else ""
    return rest if opener[-1:] in _MARKS else sentence


def _goes(sought: str, sentences: list[str]) -> bool:
    """Whether the text consists of these sentences in order."""
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
