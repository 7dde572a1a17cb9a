"""Reads a message: which of its sentences tell something worth keeping, which ask, greet, order or forget.

A lost statement is worse than a kept triviality, so of what somebody says, whatever nothing else claims is a statement; what they only
show (`shown.py`) is none. Statements in a row are one, because the second often says "he" or "it" of the first. Does not know what is
remembered already, nor who speaks.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from everself.classify.sentence_kinds import Language, Reading, Sentence, SentenceKind
from everself.classify.sentences import KEPT, breaths, judge, language_of, split
from everself.classify.shown import stretches
from everself.values import Tag

# Longer runs of statements are kept in several pieces, so that what is recalled stays readable.
LONGEST_PIECE: Final = 500

# what is asked to be remembered is not done
_MEANT: Final = frozenset({SentenceKind.ORDER, SentenceKind.FORGET, SentenceKind.REMEMBER})

_ASKED: Final = frozenset({SentenceKind.QUESTION, SentenceKind.ORDER, SentenceKind.FORGET})

_Spanned = tuple[int, int, Sentence]


def read(text: str) -> Reading:
    """Every sentence with its kind, in order and in time linear in the text."""
    return Reading(tuple(_asked(text, list(_joined(text, list(_each(text)))))))


def read_each(text: str) -> Reading:
    """The same, each sentence by itself."""
    return Reading(tuple(_asked(text, list(_each(text)))))


def _asked(text: str, found: list[_Spanned]) -> Iterator[Sentence]:
    """With what a wish to remember what follows names."""
    begin = next((one.start for one in stretches(text) if one.role == "asked"), len(text))
    for start, _, sentence in found:
        wished = start >= begin and sentence.kind is SentenceKind.STATEMENT
        yield replace(sentence, kind=SentenceKind.REMEMBER, what=sentence.text) if wished else sentence


def _each(text: str) -> Iterator[_Spanned]:
    own = language_of(text)
    for one in stretches(text):
        words = text[one.start : one.end]
        if one.role == "shown":
            yield one.start, one.end, Sentence(words, SentenceKind.OTHER, own)
        elif one.role in ("said", "asked"):
            for start, end in split(words):
                for first, sentence in _told(words[start:end], own):
                    if one.role == "asked" and sentence.kind in _MEANT:
                        sentence = replace(sentence, kind=SentenceKind.STATEMENT, what="")
                    at = one.start + start + first
                    if one.role == "said" and is_command(text, at):
                        sentence = replace(sentence, kind=SentenceKind.OTHER, what="")
                    yield at, at + len(sentence.text), sentence


def is_command(text: str, at: int = 0) -> bool:
    """Whether what stands there is in a line that begins with a slash: typed at a program, or a path, and never told about oneself."""
    return text[text.rfind("\n", 0, at) + 1 :].lstrip(" \t").startswith("/")


def _told(words: str, own: Language) -> Iterator[tuple[int, Sentence]]:
    """A sentence, or a statement and what is asked after it in the same breath."""
    whole = judge(words, own)
    if whole.kind in _ASKED:
        for at in breaths(words):
            told, asked = judge(words[:at].strip(), own), judge(words[at:], own)
            if told.kind is SentenceKind.STATEMENT and asked.kind in _ASKED:
                yield from ((0, told), (at, asked))
                return
    yield 0, whole


def _joined(text: str, found: list[_Spanned]) -> Iterator[_Spanned]:
    """Statements that follow each other in one paragraph made one. "Remember that" alone speaks of what came before it."""
    held: _Spanned | None = None
    for start, end, sentence in found:
        if held is not None and _belong(text, held, (start, end, sentence)):
            first, _, before = held
            explicit = SentenceKind.REMEMBER in (before.kind, sentence.kind)
            whole = text[first:end]
            kind = SentenceKind.REMEMBER if explicit else SentenceKind.STATEMENT
            tag = before.tag if before.tag is not Tag.KNOWLEDGE else sentence.tag
            what = _both(before, sentence) if explicit else ""
            held = (first, end, replace(before, text=whole, kind=kind, tag=tag, what=what))
            continue
        if held is not None:
            yield held
        held = (start, end, sentence)
    if held is not None:
        yield held


def _belong(text: str, before: _Spanned, after: _Spanned) -> bool:
    kinds = (before[2].kind, after[2].kind)
    if not KEPT.issuperset(kinds) or after[1] - before[0] > LONGEST_PIECE:
        return False
    if before[2].kind is SentenceKind.REMEMBER:
        return not before[2].what
    bare_wish = after[2].kind is SentenceKind.REMEMBER and not after[2].what
    return bare_wish or "\n" not in text[before[1] : after[0]]


def _both(before: Sentence, after: Sentence) -> str:
    said = [one.what or (one.text if one.kind is SentenceKind.STATEMENT else "") for one in (before, after)]
    return " ".join(filter(None, said))
