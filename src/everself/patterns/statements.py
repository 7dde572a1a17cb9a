"""Reads a message: which of its sentences tell something worth keeping, which ask, greet, order or forget.

A lost statement is worse than a kept triviality, so what nothing else claims is a statement. Statements in a row are one, because
the second often says "he" or "it" of the first. Does not know what is remembered already, nor who speaks.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from everself.patterns.reading import Language, Reading, Sentence, SentenceKind
from everself.patterns.wording import folded, wording
from everself.text.normalise import without_surrogates
from everself.values import Tag

if TYPE_CHECKING:
    import re2

# What is longer was pasted: then only what speaks of the person is theirs to keep, and only so much of it.
PASTED_CHARACTERS: Final = 4_000
PASTED_LINES: Final = 40
MOST_OF_A_PASTE: Final = 20
# a person's own words stand before what they paste, or after it
_BEFORE_A_PASTE: Final = 100
_AFTER_A_PASTE: Final = 50
# Longer runs of statements are kept in several pieces, so that what is recalled stays readable.
LONGEST_PIECE: Final = 500
# longer sentences are judged by their beginning and end
_JUDGED: Final = 1_000
_FEWEST_LETTERS: Final = 3
_FEWEST_WORDS: Final = 2
_FEWEST_DENSE: Final = 4

_TAGS: Final = (
    ("correction", Tag.CORRECTION),
    ("decision", Tag.DECISION),
    ("skill", Tag.SKILL),
    ("event", Tag.EVENT),
)
_KEPT: Final = frozenset({SentenceKind.STATEMENT, SentenceKind.REMEMBER})


def read(text: str) -> Reading:
    """Every sentence with its kind, in order and in time linear in the text."""
    own = language_of(text)
    pasted = len(text) > PASTED_CHARACTERS or text.count("\n") > PASTED_LINES
    places = list(_sentences(without_surrogates(text)))
    found: list[_Spanned] = []
    kept = 0
    for number, (start, end, fenced) in enumerate(places):
        words = text[start:end]
        inside = pasted and _BEFORE_A_PASTE <= number < len(places) - _AFTER_A_PASTE
        sentence = Sentence(words, SentenceKind.OTHER, own) if fenced or inside else _judge(words, own)
        if pasted and sentence.kind in _KEPT:
            if kept == MOST_OF_A_PASTE or not _is_own(sentence):
                sentence = Sentence(words, SentenceKind.OTHER, sentence.language)
            else:
                kept += 1
        found.append((start, end, sentence))
    return Reading(tuple(one for _, _, one in _joined(text, found)))


_Spanned = tuple[int, int, Sentence]


def _is_own(sentence: Sentence) -> bool:
    """Whether it speaks of whoever says it, or was asked to be kept."""
    explicit = sentence.kind is SentenceKind.REMEMBER
    return explicit or wording(sentence.language, "self").within(folded(sentence.text[:_JUDGED]))


def language_of(text: str) -> Language:
    """By its letters: kana is Japanese, hangul Korean, other Han Chinese; the rest is read as English."""
    if text.isascii():
        return "en"
    found = _letters().findall(without_surrogates(text[:PASTED_CHARACTERS]))
    kana = sum(one[0] != "" for one in found)
    hangul = sum(one[1] != "" for one in found)
    han = sum(one[2] != "" for one in found)
    latin = sum(one[3] != "" for one in found)
    if hangul and hangul >= kana and 3 * hangul >= latin:
        return "ko"
    if kana and 4 * (kana + han) >= latin:
        return "ja"
    return "zh" if han and 4 * han >= latin else "en"


@lru_cache(maxsize=1)
def _letters() -> "re2._Regexp":
    import re2

    # a Latin word weighs as much as one character of a script without blanks
    return re2.compile(r"([\p{Hiragana}\p{Katakana}ー])|(\p{Hangul})|(\p{Han})|([\p{Latin}0-9']+)")


@lru_cache(maxsize=1)
def _ends() -> "re2._Regexp":
    import re2

    # closing quotes and pictures belong to the sentence before them
    return re2.compile(r"\n+|[。！？!?]+[”’」』）)\"'\pS]*\s*|[.…]+[”’)\"']*(?:\s+|$)")


@lru_cache(maxsize=1)
def _abbreviated() -> "re2._Regexp":
    import re2

    return re2.compile(
        r"(?i)(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e|approx|ca|inc|ltd|jr|sr|\p{L}|\d+)\.$"
    )


def _sentences(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where each sentence stands, without the blanks around it, and whether it lies in a block of code."""
    fenced = False
    start = 0
    for found in _ends().finditer(text):
        mark = found.group().strip()
        line_ends = "\n" in found.group()
        if (
            not line_ends
            and mark == "."
            and _abbreviated().search(text[max(start, found.start() - 12) : found.start() + 1])
        ):
            continue
        if (
            mark
            and mark[0] in "!?"
            and found.end() < len(text)
            and not found.group()[-1].isspace()
            and text[found.end()].isascii()
        ):
            # inside an address or a name, as in a?b=c
            continue
        yield from _trimmed(text, start, found.end(), fenced)
        if text[start : found.end()].lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        start = found.end()
    yield from _trimmed(text, start, len(text), fenced)


def _trimmed(text: str, start: int, end: int, fenced: bool) -> Iterator[tuple[int, int, bool]]:
    words = text[start:end]
    bare = words.strip()
    if bare:
        first = start + words.index(bare)
        yield first, first + len(bare), fenced or bare.startswith(("```", "~~~"))


def _judge(words: str, own: Language) -> Sentence:
    language = language_of(words)
    if language == "zh" and own == "ja":
        language = own
    plain = folded(words if len(words) <= _JUDGED else f"{words[: _JUDGED // 2]} {words[-_JUDGED // 2 :]}")

    def says(kind: str) -> bool:
        return wording(language, kind).within(plain)

    def made(kind: SentenceKind, what: str = "") -> Sentence:
        return Sentence(words, kind, language, _tag(plain, language) if kind in _KEPT else Tag.KNOWLEDGE, what)

    if not any(char.isalnum() for char in words) or says("waved") or says("small"):
        return made(SentenceKind.OTHER)
    if says("greeting"):
        return made(SentenceKind.GREETING)
    if says("thanks"):
        return made(SentenceKind.THANKS)
    if not says("not-remember"):
        meant = wording(language, "remember").meant(plain)
        if meant is not None:
            return made(SentenceKind.REMEMBER, _meant(words, meant))
    if not says("not-forget"):
        meant = wording(language, "forget").meant(plain)
        if meant is not None:
            return made(SentenceKind.FORGET, _meant(words, meant))
    if _asks(plain, language):
        return made(SentenceKind.QUESTION)
    if says("order") and not says("standing"):
        return made(SentenceKind.ORDER)
    return made(SentenceKind.STATEMENT if _says_something(words, language) else SentenceKind.OTHER)


def _meant(words: str, span: tuple[int, int]) -> str:
    return words[span[0] : span[1]].strip(" ,;:、，。") if len(words) <= _JUDGED else words


def _asks(plain: str, language: Language) -> bool:
    if not wording(language, "question").within(plain):
        return False
    # a question mark leaves no doubt
    return plain.rstrip(" \"')]」』）").endswith(("?", "？")) or not wording(language, "not-question").within(plain)


def _says_something(words: str, language: Language) -> bool:
    letters = sum(char.isalnum() for char in words[:_JUDGED])
    if any(char.isdecimal() for char in words[:_JUDGED]):
        return letters >= _FEWEST_LETTERS
    if len(words[:_JUDGED].split()) >= _FEWEST_WORDS:
        return letters >= _FEWEST_LETTERS
    return language != "en" and letters >= _FEWEST_DENSE


def _tag(plain: str, language: Language) -> Tag:
    return next((tag for kind, tag in _TAGS if wording(language, kind).within(plain)), Tag.KNOWLEDGE)


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
    if not _KEPT.issuperset(kinds) or after[1] - before[0] > LONGEST_PIECE:
        return False
    if before[2].kind is SentenceKind.REMEMBER:
        return not before[2].what
    bare_wish = after[2].kind is SentenceKind.REMEMBER and not after[2].what
    return bare_wish or "\n" not in text[before[1] : after[0]]


def _both(before: Sentence, after: Sentence) -> str:
    said = [one.what or (one.text if one.kind is SentenceKind.STATEMENT else "") for one in (before, after)]
    return " ".join(filter(None, said))
