"""Finds the chunks that contain the words of a query, and selects candidates for scoring. Knows nothing of ranking.

Rare words select the candidates: with a million chunks a common word alone would select a hundred thousand.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy

from everself.frozen import Frozen
from everself.search.chunking.marks import SPEAKER, TITLE, Flag
from everself.search.index_file.protocol import IndexView
from everself.text.search import QueryTerm, SearchQuery, TermKind

if TYPE_CHECKING:
    from everself.search.arrays import Bools, Counts, Floats, Numbers


# BM25 parameters, measured on conversations: short chunks need little length normalisation
K1 = 1.2
B = 0.5
# Imaginary chunks without any of the words, added to every index: so a word in one of three entries weighs as much as in a larger index.
IMAGINED = 500
# limit of postings read for choosing candidates; beyond it only the rarest words are used
TOUCHED = 60_000
CHOSEN = 400
# below this number all chunks are scored
ALL_BELOW = 1_200
# the answer is often next to the words of the question
SPREAD = 150
NEAREST = 200
# number of chunks to score if nothing matches
NEWEST = 40
# a single Chinese character or a stop word has little weight
SLIGHT = {TermKind.CHARACTER: 0.25, TermKind.STOP: 0.1}
_RARE = 0.01


class Matched(Frozen):
    """A word of the query, its locations and its weight. `counts` belong to the sorted `chunks`."""

    term: QueryTerm
    chunks: "Numbers"
    counts: "Counts"
    speakers: "Numbers"
    titles: "Numbers"
    weight: float

    @property
    def name(self) -> bool:
        """Whether a speaker in these documents has this name."""
        return len(self.speakers) > 0


def match(view: IndexView, query: SearchQuery) -> tuple[Matched, ...]:
    """The words of a query with their postings. Stop words are used only if there are no others."""
    living = max(1, view.living)
    telling = [term for term in query.terms if term.kind not in SLIGHT]
    slight = [term for term in query.terms if term.kind is TermKind.CHARACTER]
    chosen = [*telling, *slight] if telling else slight or list(query.terms)
    found = [_look_up(view, term, living) for term in chosen]
    paired = {
        one for pair in found if pair.term.kind is TermKind.PAIR and len(pair.chunks) for one in pair.term.surface
    }
    return tuple(_alone(one, living) if one.term.surface not in paired else one for one in found)


def _alone(one: Matched, living: int) -> Matched:
    """A rare single character is a word of its own if no queried pair with it occurs, such as the name of a fish."""
    if one.term.kind is not TermKind.CHARACTER or not 0 < len(one.chunks) <= living * _RARE + 1:
        return one
    return replace(one, weight=one.weight / SLIGHT[TermKind.CHARACTER])


def _look_up(view: IndexView, term: QueryTerm, living: int) -> Matched:
    chunks, counts = _merge([view.postings(one) for one in term.alternatives])
    speakers, _ = _merge([view.postings(SPEAKER + one) for one in term.alternatives])
    titles, _ = _merge([view.postings(TITLE + one) for one in term.alternatives])
    frequency = max(len(chunks), len(titles))
    weight = float(numpy.log(1 + (living + IMAGINED - frequency + 0.5) / (frequency + 0.5)))
    return Matched(term, chunks, counts, speakers, titles, weight * SLIGHT.get(term.kind, 1.0))


def _merge(lists: "Sequence[tuple[Numbers, Counts]]") -> "tuple[Numbers, Counts]":
    """Join the postings of several spellings; a chunk gets the highest of their counts."""
    full = [one for one in lists if len(one[0])]
    if not full:
        return numpy.empty(0, numpy.int32), numpy.empty(0, numpy.uint8)
    if len(full) == 1:
        return full[0]
    chunks = numpy.concatenate([one[0] for one in full])
    counts = numpy.concatenate([one[1] for one in full])
    order = numpy.lexsort((-counts.astype(numpy.int16), chunks))
    chunks, counts = chunks[order], counts[order]
    first = numpy.ones(len(chunks), numpy.bool_)
    first[1:] = chunks[1:] != chunks[:-1]
    return chunks[first], counts[first]


def saturate(counts: "Floats", norms: "Floats") -> "Floats":
    """The BM25 factor of a word: rises with its count, falls with the `norm` of the chunk's length. At most K1 + 1."""
    factor: Floats = counts * (K1 + 1) / (counts + norms)
    return factor


def norm(lengths: "Floats", average: float, b: float = B) -> "Floats":
    """What the lengths of chunks count in `saturate`: the same for every word."""
    norms: Floats = K1 * (1 - b + b * lengths / average)
    return norms


def choose(
    view: IndexView,
    matched: Sequence[Matched],
    nearest: "Numbers | None",
    visible: "Bools | None" = None,
) -> "Numbers":
    """The sorted candidates: chunks with the rarest words, their neighbours, and the nearest vectors."""
    columns = view.columns
    alive = (columns["flags"] & Flag.ALIVE) != 0 if len(columns) <= ALL_BELOW else None
    if alive is not None:
        everything = numpy.flatnonzero(alive if visible is None else alive & visible)
        return everything.astype(numpy.int32)
    found: list[Numbers] = []
    touched = 0
    ranked = sorted(matched, key=lambda one: len(one.chunks) + len(one.titles))
    chosen: list[Matched] = []
    for one in ranked:
        size = len(one.chunks) + len(one.titles)
        if chosen and touched + size > TOUCHED:
            break
        chosen.append(one)
        touched += size
    if touched:
        best = _best(chosen, visible)
        beside = numpy.concatenate([best[:SPREAD] + step for step in (-2, -1, 1, 2)])
        found += [best, beside]
    if nearest is not None and len(nearest):
        found += [nearest, *(nearest[: SPREAD // 2] + step for step in (-1, 1))]
    if not found:
        return numpy.empty(0, numpy.int32)
    candidates = union(found)
    candidates = candidates[(candidates >= 0) & (candidates < len(columns))]
    candidates = candidates[(columns["flags"][candidates] & Flag.ALIVE) != 0]
    if visible is not None:
        candidates = candidates[visible[candidates]]
    chosen_chunks: Numbers = candidates.astype(numpy.int32)
    return chosen_chunks


def newest(view: IndexView, visible: "Bools | None" = None) -> "Numbers":
    """The sorted chunks of the latest days, for a query that matches nothing."""
    columns = view.columns
    alive = (columns["flags"] & Flag.ALIVE) != 0
    there = numpy.flatnonzero(alive if visible is None else alive & visible)
    order = numpy.lexsort((there, columns["day"][there]))
    return numpy.sort(there[order[-NEWEST:]]).astype(numpy.int32)


def _best(chosen: Sequence[Matched], visible: "Bools | None") -> "Numbers":
    """The chunks with the highest weight of these words, in themselves or their neighbours, best first."""
    chunks = union([part for one in chosen for part in (one.chunks, one.titles)])
    total = numpy.zeros(len(chunks), numpy.float32)
    for one in chosen:
        total[numpy.searchsorted(chunks, one.chunks)] += one.weight
        only = one.titles[~_among(one.titles, one.chunks)]
        total[numpy.searchsorted(chunks, only)] += one.weight * 0.7
    # a chunk gains from the words of adjacent chunks
    near = total.copy()
    adjacent = chunks[1:] - chunks[:-1] == 1
    near[1:][adjacent] += 0.5 * total[:-1][adjacent]
    near[:-1][adjacent] += 0.5 * total[1:][adjacent]
    if visible is not None:
        chunks, near = chunks[visible[chunks]], near[visible[chunks]]
    size = min(CHOSEN, len(chunks))
    part = numpy.argpartition(-near, size - 1)[:size] if size < len(chunks) else numpy.arange(len(chunks))
    # ties are ordered by document, newest last: a stable sort over numbers from the end
    order = part[numpy.lexsort((-chunks[part], -near[part]))]
    return chunks[order].astype(numpy.int32)


def union(lists: "Sequence[Numbers]") -> "Numbers":
    """The sorted union. Sorting is faster than numpy's hashing."""
    joined = numpy.concatenate(lists)
    joined.sort()
    first = numpy.ones(len(joined), numpy.bool_)
    numpy.not_equal(joined[1:], joined[:-1], out=first[1:])
    return joined[first]


def _among(some: "Numbers", all_of: "Numbers") -> "Bools":
    """Whether each of these is in a sorted array."""
    if not len(all_of):
        return numpy.zeros(len(some), numpy.bool_)
    at = numpy.minimum(numpy.searchsorted(all_of, some), len(all_of) - 1)
    among: Bools = all_of[at] == some
    return among


def counts_at(rising: "Numbers", counts: "Counts | None", wanted: "Numbers") -> "Floats":
    """The count of a word in each wanted chunk; without counts, 1 if it occurs."""
    if not len(rising):
        return numpy.zeros(wanted.shape, numpy.float32)
    at = numpy.minimum(numpy.searchsorted(rising, wanted), len(rising) - 1)
    hit = rising[at] == wanted
    found = hit if counts is None else numpy.where(hit, counts[at], 0)
    return found.astype(numpy.float32)
