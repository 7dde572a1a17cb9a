"""Fits weights of features with numpy only: which candidate is right, and how likely that is. Independent of search and of the sets.

Both losses are convex. If weights that must not be negative (features of which more is never worse) become negative,
the most negative one is set to zero and the others are fitted again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float32]
    Doubles = NDArray[numpy.float64]
    Numbers = NDArray[numpy.int64]

_HELD = 8
_ENOUGH = 1e-6
_ARMIJO = 1e-4
_SHORTEST = 1e-6
_ROUNDS = 16
_TINY = 1e-30


@dataclass(frozen=True, slots=True)
class Candidates:
    """Feature rows, question by question. `starts`: where each question begins, followed by the end; `pieces`: the
    piece of evidence of each row, -1 for none; `weights` and `owners`: the weight and the question of each piece.
    """

    rows: "Floats"
    starts: "Numbers"
    pieces: "Numbers"
    weights: "Doubles"
    owners: "Numbers"


def join(parts: "Sequence[tuple[Floats, Numbers, float]]") -> Candidates:
    """Concatenate questions, each given as its rows, the piece of evidence of each row (or -1), and its weight."""
    pieces, weights, owners = [], [], []
    for at, (_, own, weight) in enumerate(parts):
        names, numbers = numpy.unique(own[own >= 0], return_inverse=True)
        shifted = numpy.full(len(own), -1, numpy.int64)
        shifted[own >= 0] = numbers + len(weights)
        pieces.append(shifted)
        weights += [weight / len(names)] * len(names)
        owners += [at] * len(names)
    rows = numpy.concatenate([part[0] for part in parts]).astype(numpy.float32)
    starts = numpy.cumsum([0, *(len(part[0]) for part in parts)])
    total = numpy.array(weights, numpy.float64)
    return Candidates(rows, starts, numpy.concatenate(pieces), total / total.sum(), numpy.array(owners, numpy.int64))


def fit_order(candidates: Candidates, positive: "NDArray[numpy.bool_]", pull: float, steps: int) -> "Doubles":
    """Maximise the likelihood that every piece of evidence ranks above all rows that are not evidence."""
    scale = candidates.rows.std(axis=0) + 1e-6
    rows = (candidates.rows / scale).astype(numpy.float32)
    question = numpy.repeat(numpy.arange(len(candidates.starts) - 1), numpy.diff(candidates.starts))

    def loss(weights: "Doubles") -> "tuple[float, Doubles]":
        sums = (rows @ weights.astype(numpy.float32)).astype(numpy.float64)
        value, slope = _against_others(candidates, question, sums)
        gradient = (rows.T @ slope.astype(numpy.float32)).astype(numpy.float64)
        return value + pull * float(weights @ weights), gradient + 2 * pull * weights

    return _fit(loss, rows.shape[1], positive, steps) / scale


def _against_others(candidates: Candidates, question: "Numbers", sums: "Doubles") -> "tuple[float, Doubles]":
    starts, pieces = candidates.starts[:-1], candidates.pieces
    most = numpy.maximum.reduceat(sums, starts)
    odds = numpy.exp(sums - most[question])
    other = pieces < 0
    against = numpy.add.reduceat(numpy.where(other, odds, 0.0), starts)
    count = len(candidates.weights)
    mine = numpy.bincount(pieces[~other], weights=odds[~other], minlength=count) + _TINY
    both = against[candidates.owners] + mine
    value = float((candidates.weights * (numpy.log(both) - numpy.log(mine))).sum())
    shared = numpy.bincount(candidates.owners, weights=candidates.weights / both, minlength=len(starts))
    slope = numpy.where(other, odds * shared[question], 0.0)
    at = numpy.flatnonzero(~other)
    own = pieces[at]
    slope[at] = candidates.weights[own] * (odds[at] / both[own] - odds[at] / mine[own])
    return value, slope


def fit_likelihood(
    rows: "Floats", right: "Floats", weights: "Doubles", positive: "NDArray[numpy.bool_]", pull: float, steps: int
) -> "Doubles":
    """Logistic regression; the last weight is the constant."""
    scale = rows.std(axis=0) + 1e-6
    held = numpy.hstack([rows / scale, numpy.ones((len(rows), 1))])
    share = weights / weights.sum()
    pulled = numpy.append(numpy.full(rows.shape[1], pull), 0.0)

    def loss(fitted: "Doubles") -> "tuple[float, Doubles]":
        sums = held @ fitted
        value = float((share * (numpy.logaddexp(0.0, sums) - right * sums)).sum()) + float(pulled @ fitted**2)
        slope = share * (1 / (1 + numpy.exp(-sums)) - right)
        return value, held.T @ slope + 2 * pulled * fitted

    found = _fit(loss, held.shape[1], numpy.append(positive, False), steps)
    return found / numpy.append(scale, 1.0)


def _fit(
    loss: "Callable[[Doubles], tuple[float, Doubles]]", size: int, positive: "NDArray[numpy.bool_]", steps: int
) -> "Doubles":
    free = numpy.ones(size)
    found = numpy.zeros(size)
    for _ in range(_ROUNDS):

        def among(weights: "Doubles", free: "Doubles" = free) -> "tuple[float, Doubles]":
            value, gradient = loss(weights)
            return value, gradient * free

        found = _descend(among, found, steps)
        wrong = numpy.where(positive, found, 0.0)
        worst = int(wrong.argmin())
        if wrong[worst] >= 0:
            break
        free = free.copy()
        found = found.copy()
        free[worst] = found[worst] = 0.0
    return numpy.where(positive, numpy.maximum(found, 0.0), found)


def _descend(loss: "Callable[[Doubles], tuple[float, Doubles]]", start: "Doubles", steps: int) -> "Doubles":
    """L-BFGS."""
    weights, (value, gradient) = start, loss(start)
    moves: list[Doubles] = []
    changes: list[Doubles] = []
    for _ in range(steps):
        direction = -_inverse(gradient, moves, changes)
        length = 1.0
        while True:
            reached, slope = loss(weights + length * direction)
            if reached <= value + _ARMIJO * length * float(gradient @ direction) or length < _SHORTEST:
                break
            length /= 2
        move, change = length * direction, slope - gradient
        weights = weights + move
        done = abs(value - reached) < _ENOUGH
        value, gradient = reached, slope
        if done:
            break
        if float(move @ change) > 1e-10:
            moves, changes = [*moves, move][-_HELD:], [*changes, change][-_HELD:]
    return weights


def _inverse(gradient: "Doubles", moves: "Sequence[Doubles]", changes: "Sequence[Doubles]") -> "Doubles":
    found = gradient.copy()
    shares: list[float] = []
    for move, change in zip(reversed(moves), reversed(changes), strict=True):
        shares.append(float(move @ found) / float(change @ move))
        found -= shares[-1] * change
    if moves:
        found *= float(moves[-1] @ changes[-1]) / float(changes[-1] @ changes[-1])
    else:
        found /= max(1.0, float(numpy.abs(found).max()))
    for move, change, share in zip(moves, changes, reversed(shares), strict=True):
        found += (share - float(change @ found) / float(change @ move)) * move
    return found
