"""Adjusts a score by properties of the chunk: validity, corrections, tier and age. Pure.

Factors reorder hits. None of them removes a strong match: the score before age decides what is hidden.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from itertools import chain, combinations
from typing import Final

from everself.frozen import Frozen
from everself.search.similarity import overlap, words_of
from everself.text.dates import asks_for_now
from everself.text.redaction import redact
from everself.text.search import SearchQuery, TermKind, fold_for_phrase, index_terms
from everself.values import Hit, ScorePart, Tier

CORRECTED: Final = 1.5
CLOSED: Final = 0.5
CORE: Final = 1.02
# share of the score that age may take if enabled; otherwise age only breaks ties
_AGED: Final = 0.35
_TIE: Final = 0.005
# an exact match of a quoted phrase, hash or address gets at least this score
EXACT: Final = 0.6


class Ageing(Frozen):
    """The influence of age. Unless `enabled`, age only breaks ties."""

    today: date
    enabled: bool = False
    half_life_days: float = 30.0

    def weight(self, hit: Hit) -> float:
        """The weight of seed 1: halves with every half-life for dated working memory, 1 for everything else."""
        if hit.tier is not Tier.WORKING or hit.day is None:
            return 1.0
        days = max(0, (self.today - hit.day).days)
        return float(0.5 ** (days / self.half_life_days))


def asks_exactly(query: SearchQuery) -> bool:
    """Whether the query has anything that `is_exact` looks for."""
    return bool(query.phrases) or any(term.kind is TermKind.WHOLE for term in query.terms)


def is_exact(query: SearchQuery, text: str) -> bool:
    """Whether the text contains a quoted phrase of the query, or all its ids, addresses and versions."""
    if not asks_exactly(query):
        return False
    wholes = [term.surface for term in query.terms if term.kind is TermKind.WHOLE]
    folded = fold_for_phrase(text)
    return any(phrase in folded for phrase in query.phrases) or (
        bool(wholes) and all(whole in folded for whole in wholes)
    )


def telling_words(query: SearchQuery) -> list[tuple[str, ...]]:
    """The significant words of a query, each with all its forms."""
    kinds = (TermKind.STOP, TermKind.CHARACTER, TermKind.WHOLE)
    return [term.alternatives for term in query.terms if term.kind not in kinds]


def has_all(text: str, words: Sequence[tuple[str, ...]]) -> bool:
    held = index_terms(text).counts if words else {}
    found = bool(words) and all(any(form in held for form in word) for word in words)
    # text inside a redacted secret does not count; checked last, because redaction is slow
    return found and ((shown := redact(text).text) == text or has_all(shown, words))


def adjust(hit: Hit, ageing: Ageing, *, closed: bool, exact: bool, boost: float = 1.0) -> Hit:
    """The hit with its final score, and one part for each factor. `boost` is the factor for a correction."""
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


# similarity above which the second text loses score, and the maximum loss
_ALIKE: Final = 0.6
_PENALTY: Final = 0.3
# limit of hits for pairwise comparison
COMPARED: Final = 40
# Thresholds for placing the newer of two similar hits first: score ratio for questions about now and about the past, shared query words,
# shared words of both texts, and coverage of the query. Chosen so that no question of LongMemEval, LoCoMo, the Chinese and the Japanese
# set loses its first hit.
_NEAR: Final = 0.78
_TIED: Final = 0.99
_SAME_ASKED: Final = 0.3
_SAME_WORDS: Final = 0.08
_COVERED: Final = 0.6


def merge_equals(hits: Sequence[Hit]) -> tuple[list[Hit], list[tuple[Hit, str]]]:
    """Merge hits with the same text into the best one, which lists the other places; and the others, with the reason."""
    first: dict[str, int] = {}
    kept: list[Hit] = []
    lost: list[tuple[Hit, str]] = []
    for hit in hits:
        words = fold_for_phrase(hit.text)
        at = first.setdefault(words, len(kept))
        if at == len(kept):
            kept.append(hit)
        else:
            # ties have no order of their own
            kept[at] = kept[at]._replace(also=tuple(sorted((*kept[at].also, hit.reference))))
            lost.append((hit, f"says the same as {kept[at].reference}"))
    return kept, lost


def diversify(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, best first, with a penalty for hits that mostly repeat a better one."""
    near = list(hits[:COMPARED])
    alike = _similar([frozenset(fold_for_phrase(hit.text).split()) for hit in near])
    most = [0.0] * len(near)
    worth = [hit.score for hit in near]
    waiting = list(range(len(near)))
    chosen: list[Hit] = []
    while waiting:
        best = max(waiting, key=worth.__getitem__)
        chosen.append(near[best])
        waiting.remove(best)
        for at, similarity in alike.get(best, ()):
            most[at] = max(most[at], similarity)
            worth[at] = near[at].score * (1 - _loss(most[at]))
    return chosen + list(hits[COMPARED:])


def _similar(words: Sequence[frozenset[str]]) -> dict[int, list[tuple[int, float]]]:
    """For each text the others that are so similar to it that one of them loses score, with the similarity. Most texts have none."""
    counts = Counter(chain.from_iterable(words))
    lone = {word for word, count in counts.items() if count == 1}
    found: dict[int, list[tuple[int, float]]] = {}
    # a text that shares too few of its words with all others together is not compared with each of them
    sharing = [at for at, held in enumerate(words) if len(held - lone) > _ALIKE * len(held)]
    for one, other in combinations(sharing, 2):
        both = len(words[one] & words[other])
        similarity = both / (len(words[one]) + len(words[other]) - both)
        if similarity > _ALIKE:
            found.setdefault(one, []).append((other, similarity))
            found.setdefault(other, []).append((one, similarity))
    return found


def newest_first(hits: Sequence[Hit], query: str) -> list[Hit]:
    """Swap the first two hits if the second says the same on a later day with nearly the same score; for questions about the past, with
    an equal one."""
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
    """Place closed hits and records of corrections after the open entry that `instead` names for their reference: a correction often uses
    other words than the query. A record then says the same once more, and counts as much as what was closed. Only hits of the same stage
    are compared, so that the order does not depend on the limit."""
    found = list(hits)
    for gone in (hit for hit in hits if hit.reference in instead):
        beside = next((one for one in looked_up if gone.reference in one), ())
        at = found.index(gone)
        holds = (one for one in found[at:] if one.entry == instead[gone.reference] and not one.closed)
        right = next((one for one in holds if one.reference in beside), None)
        if right is not None:
            found.remove(right)
            raised = ScorePart("holds instead", gone.score / max(right.score, 1e-6), "factor")
            found.insert(at, right._replace(score=gone.score, weak=gone.weak, parts=(*right.parts, raised)))
        if not gone.entry and any(one.entry == instead[gone.reference] for one in found[: found.index(gone)]):
            _lower(found, gone, beside)
    return found


def _lower(found: list[Hit], record: Hit, beside: Collection[str]) -> None:
    """Move a record of a correction behind the better hits of its stage."""
    lowered = record._replace(
        score=record.score * CLOSED, parts=(*record.parts, ScorePart("told above", CLOSED, "factor"))
    )
    at = found.index(record)
    found.remove(record)
    better = (
        place
        for place, one in enumerate(found[at:], at + 1)
        if one.weak == record.weak and one.reference in beside and one.score > lowered.score
    )
    found.insert(max(better, default=at), lowered)


def _loss(alike: float) -> float:
    return _PENALTY * max(0.0, (alike - _ALIKE) / (1 - _ALIKE))
