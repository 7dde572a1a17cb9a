"""Decides how far down a ranking a search looks, which hits it keeps, and whether looking further can matter. Knows no documents.

Hits are read in stages of fixed sizes, and factors reorder hits within a stage only. So the number of requested hits decides how many
stages are read, but never the order.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from everself.frozen import Frozen
from everself.search.chunking.marks import SPEAKER
from everself.search.score_adjustments import COMPARED, CORE, CORRECTED, has_all
from everself.text.search import SearchQuery, TermKind
from everself.values import Hit

if TYPE_CHECKING:
    from everself.search.arrays import Bools, Numbers
    from everself.search.index_file.protocol import IndexView
    from everself.search.ranking import Ranked

_SIZES: Final = (80, 400)
# A weak hit with this score may be relevant. Below it only the nearest few are shown, even beside strong ones: in a small memory the
# answer may share no word with the question while another text has all of them.
_FAINT: Final = 0.03
_FEW: Final = 3
# number of hits that are checked for every word of the query
_LOOKED_AT: Final = 20
# age reduces a score by less than half
_AGED: Final = 0.5


class Threshold(Frozen):
    """`usual` is the score of a strong hit, `asked` the caller's minimum, `boost` the factor for a correction."""

    usual: float
    asked: float | None = None
    boost: float = CORRECTED


def stages(wanted: int) -> Iterator[tuple[int, int]]:
    """The first and last rank of each stage needed for `wanted` hits, with one spare hit for each."""
    first = 0
    for size in _SIZES:
        yield first, first + size
        first += size
        if 2 * wanted <= first:
            break


def above(
    hits: Sequence[Hit], sought: Sequence[tuple[str, ...]], threshold: Threshold, possible: Collection[str]
) -> tuple[list[Hit], list[tuple[Hit, str]]]:
    """The hits above the caller's threshold, and the others with the reason. If there is none, hits below the usual one follow, marked as
    weak.

    Age does not move a hit below the threshold, and an exact match or a hit with every word `sought` is never below it. `possible` are
    the references of the hits that may have every word: reading all of them to see takes an eighth of a search.
    """
    least = threshold.usual if threshold.asked is None else threshold.asked
    strong: list[Hit] = []
    weak: list[Hit] = []
    lost: list[tuple[Hit, str]] = []
    for hit in hits:
        factors = {part.name: part.value for part in hit.parts if part.kind == "factor"}
        score = hit.score / factors.get("age", 1.0)
        if score >= least or (
            threshold.asked is None
            and (
                "exact" in factors
                or (
                    possible
                    and len(strong) + len(weak) < _LOOKED_AT
                    and hit.reference in possible
                    and has_all(hit.text, sought)
                )
            )
        ):
            strong.append(hit)
        elif threshold.asked is None and (score >= _FAINT or len(weak) < _FEW):
            weak.append(hit._replace(weak=True))
        else:
            lost.append((hit, f"scored below {least:g}"))
    return [*strong, *weak], lost


def may_add(
    view: "IndexView",
    ranked: "Ranked",
    query: SearchQuery,
    sought: Sequence[tuple[str, ...]],
    hits: Sequence[Hit],
    threshold: Threshold,
    most: int,
) -> bool:
    """Whether the next stage can contain a hit that `above` would keep among the first `most` hits.

    It cannot if no score in it can be strong, and faint ones are below `_FAINT` or come after enough others.
    """
    if not len(ranked.chunks):
        return False
    # fewer would be compared with those of the next stage; equal texts become one
    texts = {hit.text: hit.score for hit in reversed(hits)}
    if len(texts) < COMPARED or query.phrases or any(term.kind is TermKind.WHOLE for term in query.terms):
        return True
    best = float(ranked.scores.max()) * CORE * max(1.0, threshold.boost)
    if threshold.asked is not None:
        return best >= threshold.asked
    if best >= threshold.usual or bool(may_have_all(view, ranked.chunks, sought).any()):
        return True
    faint = sum(score >= _FAINT for score in texts.values())
    # some of these may be strong because they have all words
    weak = sum(score < threshold.usual * _AGED for score in texts.values()) - _LOOKED_AT
    return faint < most and (best >= _FAINT or weak < _FEW)


def may_have_all(view: "IndexView", chunks: "Numbers", sought: Sequence[tuple[str, ...]]) -> "Bools":
    """The chunks that may contain every word: in their text, as their speaker, or in the previous turn, which is shown with a short
    answer."""
    import numpy

    from everself.search.matching import counts_at

    found = numpy.full(len(chunks), bool(sought))
    for word in sought:
        held = numpy.zeros(len(chunks), numpy.bool_)
        for term in (*word, *(SPEAKER + form for form in word)):
            rising, _ = view.postings(term)
            held |= (counts_at(rising, None, chunks) > 0) | (counts_at(rising, None, chunks - 1) > 0)
        found &= held
        if not found.any():
            break
    return found
