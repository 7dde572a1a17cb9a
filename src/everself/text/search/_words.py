"""The index forms of a word, and the forms that a query searches for.

A word in a text is found by the same word in a query, whatever languages are detected. An English text contains the English stem, other
Latin text the word and its stem, and a query always asks for the word and its English stem. Other scripts identify their language for
each word.
"""

import unicodedata
from collections.abc import Iterator

from everself.text.normalise import LATIN_SPELLINGS
from everself.text.search._languages import ENGLISH, script_language, stem, stop_words

# a stem in a merely possible language must be long enough to be significant
_SHORTEST_GUESS = 3


def is_stop(word: str, language: str) -> bool:
    """Whether a word is a stop word, in the language of its script or in the given Latin one."""
    own = script_language(word)
    return word in stop_words(language if own is None else own)


def index_forms(word: str, language: str) -> tuple[str, ...]:
    """The terms of a word in a text whose Latin words are in `language`."""
    own = script_language(word)
    if own is not None:
        return tuple(dict.fromkeys((stem(word, own), *_plainer(word, own))))
    if word in stop_words(language):
        return (word,)
    forms = [stem(word, language)]
    if language != ENGLISH:
        forms.append(word)
    if not word.isascii():
        forms.append(stem(unaccented(word), ENGLISH))
    forms.extend(_numeral(word))
    return tuple(dict.fromkeys(forms))


def query_forms(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The terms to search for a word, itself first."""
    own = script_language(word)
    if own is not None:
        return tuple(dict.fromkeys((stem(word, own), *_plainer(word, own))))
    forms = [word, stem(word, ENGLISH)]
    if not word.isascii():
        plain = unaccented(word)
        forms += (plain, stem(plain, ENGLISH))
    for language in languages:
        guess = stem(word, language)
        if len(guess) >= _SHORTEST_GUESS:
            forms.append(guess)
    return tuple(dict.fromkeys(forms))


def unaccented(word: str) -> str:
    """A Latin, Greek, Arabic or Hebrew word without the marks that many people omit."""
    spelled = unicodedata.normalize("NFKD", word.translate(LATIN_SPELLINGS))
    return "".join(char for char in spelled if not unicodedata.combining(char)) or word


def _plainer(word: str, language: str) -> Iterator[str]:
    if word.isdecimal():
        yield "".join(str(unicodedata.decimal(char)) for char in word)
    elif language in ("ar", "fa", "el") or "\u0590" <= word[0] < "\u0600":
        plain = unaccented(word).replace("\u0640", "")
        if plain and plain != word:
            yield stem(plain, script_language(plain) or "")


def _numeral(word: str) -> Iterator[str]:
    """The seventh of a month is 07 in dates and 7 in sentences."""
    if word[0] == "0" and word.isdecimal():
        yield word.lstrip("0") or "0"
