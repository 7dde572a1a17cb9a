"""Adjusts a score by what the chunk is: validity, corrections, confidence, tier and age. Pure.

Factors reorder. None of them takes a strong match out of an answer: what is hidden is decided by the score before age.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

from everself.text.search import SearchQuery, TermKind, fold_for_phrase
from everself.values import Entry, Hit, ScorePart, Tier

CORRECTED: Final = 1.5
CLOSED: Final = 0.5
CORE: Final = 1.02
# an entry of low confidence loses a fifth of its score, but stays ahead of much worse matches
_DOUBT: Final = 0.2
_USUAL_CONFIDENCE: Final = 0.95
# score that age may take where it is enabled; where it is not, age only breaks ties
_AGED: Final = 0.35
_TIE: Final = 0.005
# an exact match of a quoted phrase, hash or address gets at least this score
EXACT: Final = 0.6


@dataclass(frozen=True, slots=True)
class Ageing:
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


def adjust(hit: Hit, ageing: Ageing, *, entry: Entry | None, confidence: float, exact: bool, boost: float = 1.0) -> Hit:
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
    if entry is not None:
        if entry.closed:
            factor("closed", CLOSED)
        if confidence != _USUAL_CONFIDENCE:
            factor("confidence", 1 - _DOUBT + _DOUBT * min(1.0, confidence / _USUAL_CONFIDENCE))
    if hit.tier is Tier.CORE:
        factor("core memory", CORE)
    weight = ageing.weight(hit)
    share = _AGED if ageing.enabled else _TIE
    factor("age", 1 - share + share * weight)
    return hit._replace(score=score, parts=tuple(parts))
