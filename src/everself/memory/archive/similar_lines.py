"""Finds lines with the same meaning: they share words, a learned classifier compares them, and different numbers exclude them. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from everself.classify.contradiction import contradicts
from everself.classify.pairs import say_same
from everself.text.normalise import fold
from everself.values import Entry, Tag

# limit of compared pairs; a word that more lines share is ignored
_MOST_PAIRS: Final = 5_000
_FREQUENT: Final = 40


def near_pairs(lines: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Pairs of lines that share at least half of their words and mean the same."""
    words = [frozenset(_bare(one.text).split()) | _pairs_of(one.text) for one in lines]
    holders: dict[str, list[int]] = defaultdict(list)
    for at, held in enumerate(words):
        for word in held:
            holders[word].append(at)
    looked: set[tuple[int, int]] = set()
    for word in sorted(holders):
        held_by = holders[word]
        for pair in combinations(held_by, 2) if len(held_by) <= _FREQUENT else ():
            if pair in looked:
                continue
            looked.add(pair)
            ours, theirs = words[pair[0]], words[pair[1]]
            if 2 * len(ours & theirs) >= len(ours | theirs) and _agree(lines[pair[0]], lines[pair[1]]):
                yield lines[pair[0]], lines[pair[1]]
            if len(looked) >= _MOST_PAIRS:
                return


def same_words(one: Entry, other: Entry) -> bool:
    """Whether two entries differ at most in case, punctuation and spacing."""
    return _bare(one.text) == _bare(other.text)


def _agree(one: Entry, other: Entry) -> bool:
    if Tag.CORRECTION in (one.tag, other.tag) or _numbers(one) != _numbers(other):
        return False
    if same_words(one, other):
        return True
    return say_same(one.text, other.text) and not contradicts(one.text, other.text)


def _bare(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in fold(text)).split())


def _pairs_of(text: str) -> frozenset[str]:
    """Pairs of characters, for scripts without spaces."""
    bare = _bare(text)
    return frozenset(bare[at : at + 2] for at, char in enumerate(bare) if ord(char) > 0x2E7F)


def _numbers(entry: Entry) -> list[str]:
    return [word for word in _bare(entry.text).split() if any(char.isdigit() for char in word)]
