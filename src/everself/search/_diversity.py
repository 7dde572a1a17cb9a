"""Removes duplicates from the hits: equal texts become one, similar ones are demoted, and what holds now comes first. Pure."""

from collections.abc import Sequence
from typing import Final

from everself.search.similarity import overlap, words_of
from everself.storage.state.searches import LeftOut
from everself.text.dates import asks_for_now
from everself.text.search import fold_for_phrase
from everself.values import Hit

# similarity above which the second text loses score, and how much it loses at most
_ALIKE: Final = 0.6
_PENALTY: Final = 0.3
# limit of hits for pairwise comparison
_COMPARED: Final = 40
# The newer of two that say the same: so near in score; so many common words, of those asked for and of all; and so much of what the
# first has of the question. Chosen so that no question of LongMemEval, LoCoMo, the Chinese and the Japanese set loses its first hit.
_NEAR: Final = 0.78
_TIE: Final = 0.99
_SAME_ASKED: Final = 0.3
_SAME_WORDS: Final = 0.08
_COVERED: Final = 0.6


def merge_equals(hits: Sequence[Hit]) -> tuple[list[Hit], list[LeftOut]]:
    """Hits with the same words become the best of them, which names the other places."""
    first: dict[str, int] = {}
    kept: list[Hit] = []
    left: list[LeftOut] = []
    for hit in hits:
        words = fold_for_phrase(hit.text)
        at = first.setdefault(words, len(kept))
        if at == len(kept):
            kept.append(hit)
        else:
            kept[at] = kept[at]._replace(also=(*kept[at].also, hit.reference))
            left.append(LeftOut(hit.entry, hit.path, f"says the same as {kept[at].reference}"))
    return kept, left


def diversify(hits: Sequence[Hit]) -> list[Hit]:
    """Best first, where a hit that mostly repeats a better one comes later."""
    near = list(hits[:_COMPARED])
    words = [frozenset(fold_for_phrase(hit.text).split()) for hit in near]
    alike = [0.0] * len(near)
    waiting = list(range(len(near)))
    chosen: list[Hit] = []
    while waiting:
        best = max(waiting, key=lambda at: near[at].score * (1 - _loss(alike[at])))
        chosen.append(near[best])
        waiting.remove(best)
        for at in waiting:
            alike[at] = max(alike[at], len(words[at] & words[best]) / max(1, len(words[at] | words[best])))
    return chosen + list(hits[_COMPARED:])


def newest_first(hits: Sequence[Hit], query: str) -> list[Hit]:
    """The second before the first if it says the same of a later day, nearly as well; or as well, where a question asks how things were."""
    found = list(hits)
    if len(found) < 2:
        return found
    best, other = found[:2]
    near = _NEAR if asks_for_now(query) else _TIE
    if best.day is None or other.day is None or other.day <= best.day or other.score < near * best.score:
        return found
    asked, ours, theirs = words_of(query), words_of(best.text), words_of(other.text)
    if len(asked & theirs) < _COVERED * len(asked & ours):
        return found
    if overlap(asked & ours, asked & theirs) >= _SAME_ASKED and overlap(ours, theirs) >= _SAME_WORDS:
        found[:2] = [other, best]
    return found


def _loss(alike: float) -> float:
    return _PENALTY * max(0.0, (alike - _ALIKE) / (1 - _ALIKE))
