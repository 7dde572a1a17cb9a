"""The one place in which two short statements differ, if that is a number, a date or a name and everything else is the same. Pure.

Statements are aligned token by token; in scripts without blanks each character is a token. Knows no language except for the words of dates,
and does not judge which statement holds, because both may be true.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import takewhile
from typing import Final, Literal

from everself.text.dates import read_dates
from everself.text.normalise import fold, nfkc
from everself.text.search.quotes import quoted

Kind = Literal["number", "date", "name"]

# longer texts are not statements, and words they share say little
_LONGEST: Final = 300
# longest name in tokens, in scripts with blanks
_MOST_WORDS: Final = 3
# longest name in characters, in scripts without blanks; in scripts with blanks and no capitals, two words may be anything
_MOST_SIGNS: Final = 3
_LEAST_SHARED: Final = 2
# shared tokens required around a word of any kind
_LEAST_AROUND_A_WORD: Final = 3
_LEAST_NAME: Final = 2
# read_dates skips dates after the given day; no date is after this one
_LATE: Final = date(2999, 12, 31)
_ENDS: Final = ".!?…:;\n。！？"
_IN_NUMBERS: Final = ".,:/-"
_IN_WORDS: Final = "'’-_"
_WITHOUT_BLANKS: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"})
# inflections and particles are written in this script, names hardly ever
_GRAMMAR: Final = "HIRAGANA"


@dataclass(frozen=True, slots=True)
class Difference:
    """The text of each statement in the place where they differ."""

    kind: Kind
    one: str
    other: str
    # number of tokens that are the same
    shared: int = 0


@dataclass(frozen=True, slots=True)
class _Token:
    """`key` is what is compared; `script` is that of a token without upper and lower case, otherwise empty."""

    text: str
    key: str
    number: bool
    script: str
    initial: bool
    date: bool = False
    quoted: bool = False

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper() or self.text[:1].istitle()

    @property
    def lower(self) -> bool:
        return self.text.islower()


def find_difference(one: str, other: str) -> Difference | None:
    """The difference; None if the statements are the same, differ in more than one place, or in something other than a number, date or
    name."""
    mine, yours, shared = _align(one, other)
    kind = _kind(mine, yours, shared) if mine and yours else None
    # a date counts as one token, however many words it takes
    longer = 1 if kind == "date" else max(len(mine), len(yours))
    if kind is None or len(shared) < max(_LEAST_SHARED, longer):
        return None
    return Difference(kind, _words(mine), _words(yours), len(shared))


def differ_in_one_word(one: str, other: str) -> bool:
    """Whether they differ in one word of any kind, or as `find_difference` says. For callers that know that one of them is wrong."""
    mine, yours, shared = _align(one, other)
    single = len(mine) == len(yours) == 1 and len(shared) >= _LEAST_AROUND_A_WORD
    return single or find_difference(one, other) is not None


def differ_in_one_place(one: str, other: str) -> bool:
    """Whether they differ in a few words in one place, of any kind. For callers that know that the message names what is gone."""
    mine, yours, shared = _align(one, other)
    return bool(mine and yours) and max(len(mine), len(yours)) <= min(_MOST_WORDS, len(shared))


def _align(one: str, other: str) -> tuple[Sequence[_Token], Sequence[_Token], Sequence[_Token]]:
    """The tokens of each statement between the common beginning and the common end, and the tokens they share."""
    if max(len(one), len(other)) > _LONGEST:
        return (), (), ()
    ours, theirs = _read(one), _read(other)
    before = _common(ours, theirs)
    after = _common(ours[before:][::-1], theirs[before:][::-1])
    mine, yours = ours[before : len(ours) - after], theirs[before : len(theirs) - after]
    return mine, yours, (*ours[:before], *ours[len(ours) - after :])


def _common(ours: Sequence[_Token], theirs: Sequence[_Token]) -> int:
    pairs = zip(ours, theirs, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].key == pair[1].key, pairs))


def _kind(mine: Sequence[_Token], yours: Sequence[_Token], shared: Sequence[_Token]) -> Kind | None:
    both = (*mine, *yours)
    if all(one.date for one in both):
        return "date"
    if all(one.number for one in both):
        return "number"
    if all(one.quoted for one in both) or _are_capitalised(both, mine, yours, shared):
        return "name"
    scripts = {one.script for one in both}
    longest = _MOST_SIGNS if scripts <= _WITHOUT_BLANKS else 1
    if len(scripts) > 1 or scripts & {"", _GRAMMAR} or max(len(mine), len(yours)) > longest:
        return None
    return "name"


def _are_capitalised(
    both: Sequence[_Token], mine: Sequence[_Token], yours: Sequence[_Token], shared: Sequence[_Token]
) -> bool:
    """Whether the words are capitalised within a sentence that is not all in capitals, where capitals would mean nothing."""
    if max(len(mine), len(yours)) > _MOST_WORDS or not any(one.lower for one in shared):
        return False
    return all(one.capital and not one.initial and len(one.text) >= _LEAST_NAME for one in both)


def _words(tokens: Sequence[_Token]) -> str:
    blank = "" if all(one.script in _WITHOUT_BLANKS for one in tokens) else " "
    return blank.join(one.text for one in tokens)


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[_Token, ...]:
    tokens = list(_split(nfkc(text)))
    keys = [one.key for one in tokens]
    dated = {at for one in read_dates(text, _LATE) for at in _places(keys, one.words)}
    cited = {at for one in quoted(text) for at in _places(keys, one)}
    return tuple(replace(one, date=at in dated, quoted=at in cited) for at, one in enumerate(tokens))


def _places(keys: Sequence[str], words: str) -> Iterator[int]:
    """The indexes of these words among the tokens. In Korean a particle is attached to the last of them."""
    sought = [one.key for one in _split(nfkc(words))]
    for at in range(len(keys) - len(sought) + 1) if sought else ():
        found = keys[at : at + len(sought)]
        attached = not sought[-1].isascii() and found[-1].startswith(sought[-1])
        if found == sought or (attached and found[:-1] == sought[:-1]):
            yield from range(at, at + len(sought))


def _split(text: str) -> Iterator[_Token]:
    at, initial = 0, True
    while at < len(text):
        end = _end(text, at)
        if end == at:
            initial = initial or text[at] in _ENDS
            at += 1
            continue
        word = text[at:end]
        yield _Token(word, fold(word), _is_number(word), _script(word), initial)
        at, initial = end, False


def _end(text: str, at: int) -> int:
    """The end of the token that begins here; `at` itself if none does."""
    if text[at].isdecimal():
        return _run(text, at, str.isdecimal, _IN_NUMBERS)
    if not text[at].isalnum():
        return at
    if _script(text[at]) in _WITHOUT_BLANKS:
        return at + 1
    return _run(text, at, _is_of_a_word, _IN_WORDS)


def _run(text: str, at: int, belongs: Callable[[str], bool], joints: str) -> int:
    end = at
    while end < len(text):
        joint = text[end] in joints and end + 1 < len(text) and belongs(text[end + 1])
        if not belongs(text[end]) and not joint:
            break
        end += 1
    return end


def _is_of_a_word(char: str) -> bool:
    letter = char.isalpha() or unicodedata.category(char).startswith("M")
    return letter and _script(char) not in _WITHOUT_BLANKS


def _is_number(word: str) -> bool:
    return word[0].isdecimal() or all(unicodedata.numeric(char, None) is not None for char in word)


def _script(word: str) -> str:
    """The script of a word whose letters have no case; empty for all other words."""
    scripts = {
        unicodedata.name(char, "").partition(" ")[0].partition("-")[0]
        for char in word
        if not unicodedata.category(char).startswith("M")
    }
    caseless = all(unicodedata.category(char) in ("Lo", "Lm", "Mn", "Mc") for char in word)
    return scripts.pop() if caseless and len(scripts) == 1 else ""
