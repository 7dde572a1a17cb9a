"""Detects the language of a word, its stop words, and its Snowball stem.

Non-Latin scripts identify their language; for Latin text, the small words of the whole text do. Knows nothing of terms. Stemmers and
lists are loaded on first use.
"""

from functools import cache
from pathlib import Path
from typing import Protocol

ENGLISH = "en"
# the order decides ties
LATIN = (ENGLISH, "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no")
_DENSE = ("zh", "ja", "ko")
# by path: importing importlib.resources takes ten milliseconds
_LISTS = Path(__file__).parent / "stop_words"

# the codes by which PyStemmer knows its stemmers
_STEMMED = frozenset(
    ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "ru", "el", "ar", "fa", "hy", "hi", "ta"]
)
# letters of few languages; each counts half as much as a small word
_TELLING = {
    "de": frozenset("äöü"),
    "fr": frozenset("çéêèàù"),
    "es": frozenset("ñéíóá"),
    "it": frozenset("èàùòì"),
    "pt": frozenset("ãõçêíóá"),
    "sv": frozenset("äöå"),
    "da": frozenset("åøæ"),
    "no": frozenset("åøæ"),
}
_SMALL_WORD, _TELLING_LETTER = 2, 1
# one letter is not enough: an English note may contain "café"
_EVIDENCE = 2

_NOT_RUSSIAN = frozenset("іїєґўђћџљњјѓќѕ")
_PERSIAN = frozenset("پچژگیک")
_NO_LANGUAGE = ""


class Stemmer(Protocol):
    """The method of PyStemmer that we use."""

    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 the name is PyStemmer's


@cache
def _stemmer(language: str) -> Stemmer:
    import Stemmer as Snowball  # type: ignore[import-not-found]  # the package has no types

    # no cache in PyStemmer, because we have our own; thread-safe, because it never releases the GIL
    stemmer: Stemmer = Snowball.Stemmer(language, 0)
    return stemmer


def stem(word: str, language: str) -> str:
    """The stem of a folded word; the word itself if there is no stemmer or the stem would be empty."""
    return (_stemmer(language).stemWord(word) or word) if language in _STEMMED else word


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language; empty if there is no list."""
    if language not in LATIN and language not in ("ru", *_DENSE):
        return frozenset()
    return frozenset((_LISTS / f"{language}.txt").read_text("utf-8").split())


@cache
def dense_stop_words() -> frozenset[str]:
    """Particles and question words of Chinese, Japanese and Korean, of one or two characters."""
    return frozenset().union(*map(stop_words, _DENSE))


def script_language(word: str) -> str | None:
    """The language of a word's script; None for Latin, empty for scripts of several languages or without a stemmer."""
    if word.isascii():
        return None
    first = next((char for char in word if char.isalpha()), word[0])
    code = ord(first)
    if code < 0x370 or 0x1E00 <= code < 0x1F00:
        return None
    if code < 0x400 or 0x1F00 <= code < 0x2000:
        return "el"
    if code < 0x530:
        return _NO_LANGUAGE if _NOT_RUSSIAN.intersection(word) else "ru"
    if 0x600 <= code < 0x780:
        return "fa" if _PERSIAN.intersection(word) else "ar"
    for start, end, language in ((0x530, 0x590, "hy"), (0x900, 0x980, "hi"), (0xB80, 0xC00, "ta")):
        if start <= code < end:
            return language
    return _NO_LANGUAGE


Votes = tuple[tuple[str, int], ...]


@cache
def _small_words() -> dict[str, Votes]:
    votes: dict[str, list[tuple[str, int]]] = {}
    for language in LATIN:
        for word in stop_words(language):
            votes.setdefault(word, []).append((language, _SMALL_WORD))
    return {word: tuple(found) for word, found in votes.items()}


def votes(word: str) -> Votes:
    """The Latin languages that a folded word indicates, with weights."""
    known = _small_words().get(word)
    if known is not None or word.isascii():
        return known or ()
    return tuple((one, _TELLING_LETTER) for one, letters in _TELLING.items() if not letters.isdisjoint(word))


# bits per language in a packed sum: enough for sixteen megabytes of small words
_FIELD = 32
_LARGEST = (1 << _FIELD) - 1
_SHIFTS = {language: at * _FIELD for at, language in enumerate(LATIN)}


def pack(cast: Votes) -> int:
    """Votes packed in one number, so that they can be added."""
    return sum(weight << _SHIFTS[language] for language, weight in cast)


def elect(total: int) -> str:
    """The Latin language of a text by the sum of its packed votes; English unless another one has clearly more."""
    scores = _scores(total)
    most = max(scores)
    return ENGLISH if most < _EVIDENCE else LATIN[scores.index(most)]


def plausible(total: int) -> tuple[str, ...]:
    """The languages that a short question may be in: its own and English, or any if no word gives evidence."""
    if max(_scores(total)) < _EVIDENCE:
        return LATIN
    return tuple(dict.fromkeys((elect(total), ENGLISH)))


def _scores(total: int) -> list[int]:
    return [total >> shift & _LARGEST for shift in _SHIFTS.values()]
