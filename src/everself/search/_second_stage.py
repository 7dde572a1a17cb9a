"""Reorders the best candidates by the cosines of the better model and the sum of the first stage. Knows no weights."""

from typing import TYPE_CHECKING, Final

import numpy

from everself.search._features import in_front, lead, most_of
from everself.search.chunking.marks import Flag
from everself.search.index_file.protocol import IndexView

if TYPE_CHECKING:
    from everself.search.arrays import Bools, Floats, Numbers


# The columns of `measure_second`, in order.
SECOND: Final = (
    "second",  # cosine of the chunk by the better model
    "second_part",  # the best of its part of the document; for what is written down, its own
    "second_lead",  # the cosine beside the greatest
    "second_nearest",  # how far in front it is by the cosine
    "second_apart",  # by how much it is above the usual cosine of these
    "second_alone",  # … as far as no candidate has the words
)
# number of candidates to compare; the first stage is least certain about ranks 11 to 100
COMPARED: Final = 100
# below this share of vectors the order of the first stage is kept
_LEAST_KNOWN: Final = 0.5


def can_measure(view: IndexView, chunks: "Numbers") -> bool:
    """Whether enough of these chunks have a vector of the better model."""
    return bool(len(chunks)) and bool(view.has_second(chunks).mean() >= _LEAST_KNOWN)


def measure_second(view: IndexView, vector: "Floats", chunks: "Numbers", told: float) -> "Floats | None":
    """One row for each of these chunks; None if too few have a vector of the better model yet."""
    spoken = (view.columns["flags"][chunks] & Flag.SPOKEN) != 0
    return second_rows(view.second_cosines(vector, chunks), view.columns["group"][chunks], spoken, told)


def second_rows(cosines: "Floats", groups: "Numbers", spoken: "Bools", told: float) -> "Floats | None":
    known = ~numpy.isnan(cosines)
    if not len(cosines) or known.mean() < _LEAST_KNOWN:
        return None
    # a chunk without a vector gets the mean cosine
    own = numpy.where(known, cosines, cosines[known].mean()).astype(numpy.float32)
    part = numpy.where(spoken, most_of(groups, own), own)
    apart = (own - own.mean()) / (3 * max(float(own.std()), 1e-3))
    rows = [own, part, lead(own), in_front(own), apart, (1 - told) * apart]
    return numpy.stack(rows, axis=1).astype(numpy.float32)
