"""Logistic regression over sparse and dense features, one binary output at a time, by L-BFGS in numpy. Deterministic:
the same examples give the same weights.

Handles numbers only.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

Floats = NDArray[numpy.floating[Any]]
Ints = NDArray[numpy.int64]

_REMEMBERED = 10
_ENOUGH = 1e-4
_HALVINGS = 20
_DECREASE = 1e-4


@dataclass(frozen=True, slots=True)
class Rows:
    """The n-grams of all examples, concatenated; `starts`: where each example begins, followed by the end of the last."""

    grams: Ints
    starts: Ints
    dense: Floats

    def __len__(self) -> int:
        return len(self.dense)

    def of(self, which: Ints) -> "Rows":
        sizes = numpy.diff(self.starts)[which]
        starts = numpy.concatenate([[0], numpy.cumsum(sizes)]).astype(numpy.int64)
        places = numpy.arange(starts[-1]) + numpy.repeat(self.starts[which] - starts[:-1], sizes)
        return Rows(self.grams[places], starts, self.dense[which])


def stack(parts: list[Ints], dense: Floats) -> Rows:
    starts = numpy.concatenate([[0], numpy.cumsum([len(part) for part in parts])]).astype(numpy.int64)
    grams = numpy.concatenate([*parts, numpy.zeros(0, dtype=numpy.int64)]).astype(numpy.int64)
    return Rows(grams, starts, dense)


@dataclass(frozen=True, slots=True)
class Weights:
    grams: Floats
    dense: Floats
    bias: float


@dataclass(frozen=True, slots=True)
class Plan:
    """`ridge`: regularisation towards zero; `grams`: the weight of a text's n-grams relative to its dense features."""

    ridge: float = 0.3
    grams: float = 2.0
    steps: int = 40


def scores(weights: Weights, rows: Rows) -> Floats:
    """The log odds of every example."""
    return numpy.asarray(
        _summed(weights.grams, rows) + rows.dense @ weights.dense.astype(rows.dense.dtype) + weights.bias
    )


def _sizes(rows: Rows) -> Floats:
    return numpy.sqrt(numpy.maximum(1, numpy.diff(rows.starts)))


def _summed(weights: Floats, rows: Rows) -> Floats:
    """The mean weight of each example's n-grams, times the square root of their number."""
    total = numpy.add.reduceat(weights[rows.grams], rows.starts[:-1])
    return numpy.asarray(total / _sizes(rows))


class _Loss:
    """The loss as a function of all weights in one vector: n-grams, dense features, bias."""

    def __init__(self, rows: Rows, wanted: Floats, weight: Floats, grams: int, plan: Plan) -> None:
        self._rows, self._wanted, self._weight, self._grams, self._plan = rows, wanted, weight, grams, plan
        self._sizes = _sizes(rows)
        self._counts = numpy.diff(rows.starts)

    def of(self, point: Floats) -> tuple[float, Floats]:
        plan, rows = self._plan, self._rows
        grams, dense, bias = point[: self._grams], point[self._grams : -1], point[-1]
        odds = plan.grams * _summed(grams, rows) + rows.dense @ dense.astype(rows.dense.dtype) + bias
        margin = numpy.where(self._wanted > 0, odds, -odds)
        value = float((self._weight * numpy.logaddexp(0.0, -margin)).sum())
        value += plan.ridge / 2 * float(point[:-1] @ point[:-1])
        error = (1 / (1 + numpy.exp(-numpy.clip(odds, -60, 60))) - self._wanted) * self._weight
        slope = numpy.empty_like(point)
        spread = numpy.repeat(error / self._sizes, self._counts)
        slope[: self._grams] = plan.grams * numpy.bincount(rows.grams, weights=spread, minlength=self._grams)
        slope[self._grams : -1] = error.astype(rows.dense.dtype) @ rows.dense
        slope[-1] = error.sum()
        slope[:-1] += plan.ridge * point[:-1]
        return value, slope


class Sloped(Protocol):
    def of(self, point: Floats) -> tuple[float, Floats]: ...


def fit(rows: Rows, wanted: Floats, weight: Floats, grams: int, plan: Plan) -> Weights:
    """Train one output. `wanted`: 0 or 1; `weight`: of each example."""
    loss = _Loss(rows, wanted, weight, grams, plan)
    point = numpy.zeros(grams + rows.dense.shape[1] + 1)
    share = (float((wanted * weight).sum()) + 1) / (float(weight.sum()) + 2)
    point[-1] = numpy.log(share / (1 - share))
    point = descend(loss, point, plan.steps)
    return Weights(plan.grams * point[:grams], point[grams:-1], float(point[-1]))


def descend(loss: Sloped, point: Floats, steps: int) -> Floats:
    value, slope = loss.of(point)
    moves: list[tuple[Floats, Floats, float]] = []
    for _ in range(steps):
        direction = _direction(slope, moves)
        steep = float(direction @ slope)
        size = 1.0 if moves else min(1.0, 1 / float(numpy.abs(slope).sum()))
        for _ in range(_HALVINGS):
            after = point + size * direction
            reached, turned = loss.of(after)
            if reached <= value + _DECREASE * size * steep:
                break
            size /= 2
        else:
            return point
        move, change = after - point, turned - slope
        if float(move @ change) > 0:
            moves = [*moves[1 - _REMEMBERED :], (move, change, 1 / float(move @ change))]
        done = (value - reached) <= _ENOUGH * max(1.0, abs(value))
        point, value, slope = after, reached, turned
        if done:
            break
    return point


def _direction(slope: Floats, moves: list[tuple[Floats, Floats, float]]) -> Floats:
    """The L-BFGS direction: the gradient, corrected by its changes in the last steps."""
    found = -slope
    shares = []
    for move, change, inverse in reversed(moves):
        share = inverse * float(move @ found)
        shares.append(share)
        found = found - share * change
    if moves:
        move, change, inverse = moves[-1]
        found = found * (1 / (inverse * float(change @ change)))
    for (move, change, inverse), share in zip(moves, reversed(shares), strict=True):
        found = found + (share - inverse * float(change @ found)) * move
    return found
