"""Decides whether one text adds nothing to another, so that dropping it loses nothing. Pure.

Stricter than similarity, for which "monthly" and "weekly" are nearly the same.
"""

from typing import Final

from everself.search.similarity import words_of
from everself.text.normalise import fold

# two words with a common beginning of this length are forms of one word
_STEM: Final = 5
_NEGATORS: Final = frozenset(
    [
        "not",
        "no",
        "never",
        "without",
        "none",
        "nothing",
        "nobody",
        "cannot",
        "stopped",
        "quit",
        "anymore",
        "nicht",
        "kein",
        "keine",
        "nie",
        "ohne",
    ]
)
_FILLING: Final = frozenset(["now", "current", "currently", "still", "again", "also", "really", "just", "actually"])
_DENSE_NEGATORS: Final = (
    "不",
    "没",
    "無",
    "无",
    "未",
    "别",
    "안 ",
    "못",
    "않",
    "없",
    "아니",
    "ない",
    "ません",
    "なく",
    "ず",
)
# characters that a sentence in these scripts may gain or lose without changing its meaning
_SMALL: Final = frozenset(
    "我你您他她的了是在有也就都很现在今年这那和与呢吧啊呀는은이가을를에의도로요다고해했합니데지게기저제나내우리지금그"
)

_NUMERALS: Final = frozenset("零〇一二三四五六七八九十百千万两")


def says_no_more(newer: str, older: str) -> bool:
    """Whether the older text holds all that the newer one says: its words, its numbers, and neither without the other's "not"."""
    one, other = fold(newer), fold(older)
    if one == other:
        return True
    if _negated(one) != _negated(other) or _numbers(one) != _numbers(other):
        return False
    if any(_is_dense(char) for char in one):
        return all(char in other or char in _SMALL or not _counts(char) for char in one)
    known = words_of(older)
    new = words_of(newer) - _FILLING
    return bool(new) and all(word in known or any(_kin(word, each) for each in known) for word in new)


def _kin(one: str, other: str) -> bool:
    size = min(len(one), len(other))
    return size >= _STEM and one[:_STEM] == other[:_STEM]


def _negated(text: str) -> bool:
    words = {word.strip(".,;:!?\"'()") for word in text.replace("’", "'").split()}
    latin = not _NEGATORS.isdisjoint(words) or any(word.endswith("n't") for word in words)
    return latin or any(mark in text for mark in _DENSE_NEGATORS)


def _numbers(text: str) -> list[str]:
    found: list[str] = [""]
    for char in text:
        if char.isdecimal() or char in _NUMERALS:
            found[-1] += char
        elif found[-1]:
            found.append("")
    return sorted(filter(None, found))


def _is_dense(char: str) -> bool:
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"


def _counts(char: str) -> bool:
    """Hiragana is grammar; everything else that is written may be what is meant."""
    return char.isalnum() and not "\u3040" <= char <= "\u309f"
