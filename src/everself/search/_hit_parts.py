"""What a hit's score is made of: a rank while the order is decided, all parts for a hit that is shown. Knows no documents.

Writing out the thirty parts of each of eighty hits, of which six are shown, would take a tenth of a search.
"""

from typing import TYPE_CHECKING, Final

from everself.search.similarity import COSINE
from everself.text.redaction import redact
from everself.values import Hit, ScorePart

if TYPE_CHECKING:
    from everself.search.ranking import Ranked

_RANK: Final = "rank"
# characters of a hit by TF-IDF
_CUT: Final = 300


def by_rank(rank: int) -> tuple[ScorePart, ...]:
    """Stands for the parts of that rank. Factors are appended to it."""
    return (ScorePart(_RANK, rank, "measured"),)


def rank_of(hit: Hit) -> int:
    return int(hit.parts[0].value)


def shown(hit: Hit, ranked: "Ranked", *, cut: bool) -> Hit:
    """The hit with all parts, redacted text (its beginning, if `cut`) and a score of at most 1, which factors can exceed."""
    text = redact(hit.text).text
    parts = (*_parts(ranked, rank_of(hit)), *hit.parts[1:])
    return hit._replace(score=min(1.0, hit.score), text=text[:_CUT] if cut else text, parts=parts)


def _parts(ranked: "Ranked", at: int) -> tuple[ScorePart, ...]:
    sums = (
        ScorePart(name, value) for name, value in zip(ranked.names, ranked.parts[at].tolist(), strict=True) if value
    )
    seen = () if ranked.cosines is None else (ScorePart(COSINE, float(ranked.cosines[at]), "measured"),)
    return (*sums, *seen)
