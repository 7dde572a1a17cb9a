"""Adjusts a score by what the chunk is: validity, corrections, tier and age. Pure.

Factors reorder. None of them takes a strong match out of an answer: what is hidden is decided by the score before age.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Final

from everself.frozen import Frozen
from everself.search.similarity import overlap, words_of
from everself.storage.state.searches import LeftOut
from everself.text.dates import asks_for_now
from everself.text.redaction import redact
from everself.text.search import SearchQuery, TermKind, fold_for_phrase, index_terms, read_query
from everself.values import Hit, ScorePart, Tier

CORRECTED: Final = 1.5
CLOSED: Final = 0.5
CORE: Final = 1.02
# score that age may take where it is enabled; where it is not, age only breaks ties
_AGED: Final = 0.35
_TIE: Final = 0.005
# an exact match of a quoted phrase, hash or address gets at least this score
EXACT: Final = 0.6


class Ageing(Frozen):
    """How old may count. Without `enabled` age only breaks ties."""

    today: date
    enabled: bool = False
    half_life_days: float = 30.0

    def weight(self, hit: Hit) -> float:
        """Seed 1's weight: halves in every half-life for dated working memory, 1 for everything else."""
        if hit.tier is not Tier.WORKING or hit.day is None:
            return 1.0
        days = max(0, (self.today - hit.day).days)
        return float(0.5 ** (days / self.half_life_days))


def is_exact(query: SearchQuery, text: str) -> bool:
    """Whether a phrase in quotes stands there, or every id, address and version that was asked for."""
    wholes = [term.surface for term in query.terms if term.kind is TermKind.WHOLE]
    if not wholes and not query.phrases:
        return False
    folded = fold_for_phrase(text)
    return any(phrase in folded for phrase in query.phrases) or (
        bool(wholes) and all(whole in folded for whole in wholes)
    )


def telling_words(query: str) -> list[tuple[str, ...]]:
    """The words of a query that say something, each with all its forms."""
    kinds = (TermKind.STOP, TermKind.CHARACTER, TermKind.WHOLE)
    return [term.alternatives for term in read_query(query).terms if term.kind not in kinds]


def has_all(text: str, words: Sequence[tuple[str, ...]]) -> bool:
    held = index_terms(text).counts if words else {}
    found = bool(words) and all(any(form in held for form in word) for word in words)
    # text inside a redacted secret does not count; secrets are looked for last, because that takes longest
    return found and ((shown := redact(text).text) == text or has_all(shown, words))


def adjust(hit: Hit, ageing: Ageing, *, closed: bool, exact: bool, boost: float = 1.0) -> Hit:
    """The hit with its score in the end, and one part for each thing that changed it. `boost` is what a correction is worth."""
    score = hit.score
    parts = list(hit.parts)

    def factor(name: str, value: float) -> None:
        nonlocal score
        score *= value
        parts.append(ScorePart(name, value, "factor"))

    if exact:
        raised = EXACT + (1 - EXACT) * score
        factor("exact", raised / max(score, 1e-6))
    if boost != 1.0:
        factor("correction", boost)
    if closed:
        factor("closed", CLOSED)
    if hit.tier is Tier.CORE:
        factor("core memory", CORE)
    weight = ageing.weight(hit)
    share = _AGED if ageing.enabled else _TIE
    factor("age", 1 - share + share * weight)
    return hit._replace(score=score, parts=tuple(parts))


# similarity above which the second text loses score, and how much it loses at most
_ALIKE: Final = 0.6
_PENALTY: Final = 0.3
# limit of hits for pairwise comparison
COMPARED: Final = 40
# The newer of two that say the same: so near in score; so many common words, of those asked for and of all; and so much of what the
# first has of the question. Chosen so that no question of LongMemEval, LoCoMo, the Chinese and the Japanese set loses its first hit.
_NEAR: Final = 0.78
_TIED: Final = 0.99
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
            # what ties comes in no order of its own
            kept[at] = kept[at]._replace(also=tuple(sorted((*kept[at].also, hit.reference))))
            left.append(LeftOut(hit.entry, hit.path, f"says the same as {kept[at].reference}"))
    return kept, left


def diversify(hits: Sequence[Hit]) -> list[Hit]:
    """Best first, where a hit that mostly repeats a better one comes later."""
    near = list(hits[:COMPARED])
    words = [frozenset(fold_for_phrase(hit.text).split()) for hit in near]
    alike = [0.0] * len(near)
    waiting = list(range(len(near)))
    chosen: list[Hit] = []
    while waiting:
        best = max(waiting, key=lambda at: near[at].score * (1 - _loss(alike[at])))
        chosen.append(near[best])
        waiting.remove(best)
        for at in waiting:
            both = len(words[at] & words[best])
            # most share nothing
            if both:
                alike[at] = max(alike[at], both / (len(words[at]) + len(words[best]) - both))
    return chosen + list(hits[COMPARED:])


def newest_first(hits: Sequence[Hit], query: str) -> list[Hit]:
    """The second before the first if it says the same of a later day, nearly as well; or as well, where a question asks how things were."""
    found = list(hits)
    if len(found) < 2:
        return found
    best, other = found[:2]
    near = _NEAR if asks_for_now(query) else _TIED
    if best.day is None or other.day is None or other.day <= best.day or other.score < near * best.score:
        return found
    asked, ours, theirs = words_of(query), words_of(best.text), words_of(other.text)
    if len(asked & theirs) < _COVERED * len(asked & ours):
        return found
    if overlap(asked & ours, asked & theirs) >= _SAME_ASKED and overlap(ours, theirs) >= _SAME_WORDS:
        found[:2] = [other, best]
    return found


def replaced_last(hits: Sequence[Hit], instead: Mapping[str, str], looked_up: Sequence[Collection[str]]) -> list[Hit]:
    """What no longer holds comes after what holds `instead` of it: a correction is often said in other words than what it corrects, and
    a query in the old words. Only among hits that are always looked up together: the order may not depend on how many are wanted."""
    found = list(hits)
    for gone in (hit for hit in hits if hit.entry in instead):
        beside = next((one for one in looked_up if gone.reference in one), ())
        at = found.index(gone)
        right = next((one for one in found[at:] if one.entry == instead[gone.entry] and one.reference in beside), None)
        if right is not None:
            found.remove(right)
            raised = ScorePart("holds instead", gone.score / max(right.score, 1e-6), "factor")
            found.insert(at, right._replace(score=gone.score, weak=gone.weak, parts=(*right.parts, raised)))
    return found


def _loss(alike: float) -> float:
    return _PENALTY * max(0.0, (alike - _ALIKE) / (1 - _ALIKE))
