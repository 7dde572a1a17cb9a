"""Computes figures and their confidence intervals from the ranks of the evidence. Pure; independent of sets and systems."""

from collections.abc import Sequence
from math import log, log2
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Table = NDArray[numpy.float64]

# Ranks count from 1; None: not found.
Ranks = Sequence[int | None]
Figures = dict[str, float]

DEPTHS = (1, 5, 10)
SESSION_DEPTHS = (5, 10)
RESAMPLES = 1_000
SEED = 1
# Weights of a session's three best hits. Equal thirds and log-sum-exp were better in none of five conversations of
# LoCoMo, and the baselines gain by these weights as well.
SESSION_WEIGHTS = (0.5, 0.3, 0.2)
_SURE = 1e-6


def turn_figures(ranks: Ranks) -> Figures:
    """Figures for questions whose evidence is several turns."""
    figures: Figures = {}
    for depth in DEPTHS:
        share = _share(ranks, depth)
        figures[f"any@{depth}"] = float(share > 0)
        figures[f"all@{depth}"] = float(share == 1)
        figures[f"recall@{depth}"] = share
    return figures | {"mrr": _reciprocal(ranks), "ndcg@10": _ndcg(ranks, 10)}


def pool_figures(ranks: Ranks) -> Figures:
    """Figures for questions to a pool of turns or passages."""
    return {
        "hit@1": float(any(rank == 1 for rank in ranks)),
        "recall@10": _share(ranks, 10),
        "mrr": _reciprocal(ranks),
    }


def session_figures(order: Sequence[str], wanted: frozenset[str]) -> Figures:
    """Figures by session; `order`: the sessions, best first."""
    figures: Figures = {}
    for depth in SESSION_DEPTHS:
        found = wanted & set(order[:depth])
        figures[f"session_any@{depth}"] = float(bool(found))
        figures[f"session_all@{depth}"] = float(found == wanted)
    return figures


def session_order(hits: Sequence[tuple[str, float]], weights: Sequence[float] = SESSION_WEIGHTS) -> list[str]:
    """Rank sessions by the weighted mean of their best hits, given as (session, strength).

    A session with fewer hits than weights is padded with the weakest of all hits, because missing hits are no stronger.
    """
    if not hits:
        return []
    weakest = min(strength for _, strength in hits)
    best: dict[str, list[float]] = {}
    for session, strength in sorted(hits, key=lambda hit: -hit[1]):
        best.setdefault(session, []).append(strength)
    filler = [weakest] * len(weights)
    means = {
        session: sum(weight * one for weight, one in zip(weights, [*held, *filler], strict=False))
        for session, held in best.items()
    }
    return sorted(means, key=lambda session: -means[session])


def log_odds(score: float) -> float:
    """The log odds of a score between 0 and 1, on which means are more meaningful: near both ends a score moves little
    with the evidence.
    """
    held = min(1 - _SURE, max(_SURE, score))
    return log(held / (1 - held))


def intervals(values: "Table", seed: int = SEED) -> tuple["Table", "Table"]:
    """The bootstrap 95 % confidence interval of the mean of every column, by resampling the rows."""
    count = len(values)
    drawn = numpy.random.default_rng(seed).integers(0, count, (RESAMPLES, count))
    # count how often each row was drawn, so that one matrix product gives the means of all columns
    drawn += numpy.arange(RESAMPLES)[:, None] * count
    often = numpy.bincount(drawn.ravel(), minlength=RESAMPLES * count).reshape(RESAMPLES, count)
    low, high = numpy.percentile(often.astype(numpy.float64) @ values / count, (2.5, 97.5), axis=0)
    return low, high


def _share(ranks: Ranks, depth: int) -> float:
    return sum(rank is not None and rank <= depth for rank in ranks) / len(ranks)


def _reciprocal(ranks: Ranks) -> float:
    first = min((rank for rank in ranks if rank is not None), default=None)
    return 1 / first if first is not None else 0.0


def _ndcg(ranks: Ranks, depth: int) -> float:
    gained = sum(1 / log2(rank + 1) for rank in ranks if rank is not None and rank <= depth)
    ideal = sum(1 / log2(place + 1) for place in range(1, min(depth, len(ranks)) + 1))
    # two turns in one hit share its rank
    return min(1.0, gained / ideal)
