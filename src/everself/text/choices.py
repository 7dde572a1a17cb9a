"""Parses a short answer that chooses one of several numbered options: "2", "the second one", "第二个". Pure.

The words are the spelled-out ordinals of Unicode's locale data (CLDR), up to four, because no more options are shown. An answer counts
only if it consists of a number and its article or suffix: "not the second" and "I have 2 cars" choose nothing.
"""

from typing import Final

from everself.text.dates import NUMBER_WORDS
from everself.text.normalise import fold

_ORDINALS: Final = {
    word: number
    for number, words in (
        (1, "first|1st|erste|ersten|erstes|première|premier|primero|primera|primeiro|第一|一つ目|첫|첫째"),
        (2, "second|2nd|zweite|zweiten|zweites|deuxième|segundo|segunda|第二|二つ目|두|둘째"),
        (3, "third|3rd|dritte|dritten|drittes|troisième|tercero|tercera|terceiro|第三|三つ目|세|셋째"),
        (4, "fourth|4th|vierte|vierten|viertes|quatrième|cuarto|cuarta|quarto|第四|四つ目|넷째"),
    )
    for word in map(fold, words.split("|"))
}
# words beside the number: articles, and words for the option itself
_BESIDE: Final = frozenset(
    fold(word)
    for words in ("the one number", "der die das den nummer nr", "le la numéro", "el lo número", "o a", "것 것은 것이")
    for word in words.split()
)
# polite endings of a sentence that is nothing else
_POLITE: Final = ("です", "이에요", "예요", "이요", "요", "입니다")
_LONGEST: Final = 30
_AROUND: Final = " .,!?:;()[]#。！、，？番号個个条條번째"


def read_choice(said: str, most: int) -> int:
    """The chosen number from 1; 0 if none or several are named, the number is too high, or the answer contains anything else."""
    if len(said) > _LONGEST:
        return 0
    words = [word for word in map(_bare, fold(said).split()) if word and word not in _BESIDE]
    number = _number(words[0]) if len(words) == 1 else 0
    return number if number <= most else 0


def _bare(word: str) -> str:
    word = word.strip(_AROUND)
    return next((word.removesuffix(end) for end in _POLITE if word.endswith(end)), word).strip(_AROUND)


def _number(word: str) -> int:
    if word.isdecimal():
        return int(word)
    # "a couple" is a quantity, not a choice
    return _ORDINALS.get(word, 0) or (0 if f"a {word}" in NUMBER_WORDS else int(NUMBER_WORDS.get(word, 0)))
