"""How far down a ranking a search looks, which hits it keeps, and whether looking further could change that. Knows no documents.

Hits are looked at in stages of fixed sizes, and factors reorder them within a stage only: how many are asked for decides how many
stages are looked at and never their order.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from everself.frozen import Frozen
from everself.search.chunking.marks import SPEAKER
from everself.search.score_adjustments import COMPARED, CORE, CORRECTED, has_all, telling_words
from everself.storage.state.searches import LeftOut
from everself.text.search import SearchQuery, TermKind
from everself.values import Hit

if TYPE_CHECKING:
    from everself.search.arrays import Bools, Numbers
    from everself.search.index_file.protocol import IndexView
    from everself.search.ranking import Ranked

_SIZES: Final = (80, 400)
# A weak hit that scores at least so much may be what was meant. Below it only the nearest few come, beside strong ones too: in a small
# memory the answer may share no word with the question while something else has all of them.
_FAINT: Final = 0.03
_FEW: Final = 3
# hits that are looked at for every word of the query
_LOOKED_AT: Final = 20
# age takes less than half of a score
_AGED: Final = 0.5


class Threshold(Frozen):
    """What is kept: `usual` is what a strong hit scores, `asked` what the caller wants at least, `boost` what a correction is worth."""

    usual: float
    asked: float | None = None
    boost: float = CORRECTED


def stages(wanted: int) -> Iterator[tuple[int, int]]:
    """The first and the last rank of each stage that has to be looked at for so many hits, and a spare one for each."""
    first = 0
    for size in _SIZES:
        yield first, first + size
        first += size
        if 2 * wanted <= first:
            break


def above(hits: Sequence[Hit], query: str, threshold: Threshold) -> tuple[list[Hit], list[LeftOut]]:
    """The hits above the caller's threshold. Where the caller set none, what is below the usual one comes after them, marked as weak.

    Age does not push anything below it, and what was named exactly or has every word of the query is never below it.
    """
    least = threshold.usual if threshold.asked is None else threshold.asked
    strong: list[Hit] = []
    weak: list[Hit] = []
    left: list[LeftOut] = []
    sought = telling_words(query)
    for hit in hits:
        factors = {part.name: part.value for part in hit.parts if part.kind == "factor"}
        score = hit.score / factors.get("age", 1.0)
        named = threshold.asked is None and (
            "exact" in factors or (len(strong) + len(weak) < _LOOKED_AT and has_all(hit.text, sought))
        )
        if score >= least or named:
            strong.append(hit)
        elif threshold.asked is None and (score >= _FAINT or len(weak) < _FEW):
            weak.append(hit._replace(weak=True))
        else:
            left.append(LeftOut(hit.entry, hit.path, f"scored below {least:g}"))
    return [*strong, *weak], left


def may_add(
    view: "IndexView",
    ranked: "Ranked",
    query: SearchQuery,
    words: str,
    hits: Sequence[Hit],
    threshold: Threshold,
    most: int,
) -> bool:
    """Whether something of the next stage could be kept, as `above` decides, among the `most` that are handed out of those hits and these.

    It cannot where nothing in it can be strong, and where what is faint is below `_FAINT` too or comes after enough others.
    """
    if not len(ranked.chunks):
        return False
    # fewer would be compared with the next stage's; equals become one
    texts = {hit.text: hit.score for hit in reversed(hits)}
    if len(texts) < COMPARED or query.phrases or any(term.kind is TermKind.WHOLE for term in query.terms):
        return True
    best = float(ranked.scores.max()) * CORE * max(1.0, threshold.boost)
    if threshold.asked is not None:
        return best >= threshold.asked
    sought = telling_words(words)
    if best >= threshold.usual or (sought and bool(may_have_all(view, ranked.chunks, sought).any())):
        return True
    faint = sum(score >= _FAINT for score in texts.values())
    # of those some may be strong because of their words
    weak = sum(score < threshold.usual * _AGED for score in texts.values()) - _LOOKED_AT
    return faint < most and (best >= _FAINT or weak < _FEW)


def may_have_all(view: "IndexView", chunks: "Numbers", sought: Sequence[tuple[str, ...]]) -> "Bools":
    """Which chunks the index does not rule out to have every word: itself, as the name of who speaks, or in the turn before it, which is
    shown with a short answer."""
    import numpy

    from everself.search.matching import counts_at

    found = numpy.ones(len(chunks), numpy.bool_)
    for word in sought:
        held = numpy.zeros(len(chunks), numpy.bool_)
        for term in (*word, *(SPEAKER + form for form in word)):
            rising, _ = view.postings(term)
            held |= (counts_at(rising, None, chunks) > 0) | (counts_at(rising, None, chunks - 1) > 0)
        found &= held
    return found
