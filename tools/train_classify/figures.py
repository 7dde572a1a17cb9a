"""Calibration of log odds: their temperature, the threshold of an output, and its precision. Pure."""

from collections.abc import Mapping
from typing import Final

import numpy
from tools.train_classify.fit import Floats

_ROUNDS: Final = 40


def calibrate(odds: Floats, wanted: Floats, weight: Floats) -> float:
    """The temperature by which log odds must be divided, so that four of five outputs called 80 % likely are right."""

    def loss(temperature: float) -> float:
        margin = numpy.where(wanted > 0, odds, -odds) / temperature
        return float((weight * numpy.logaddexp(0.0, -margin)).sum())

    candidates = [0.4 * 1.08**step for step in range(_ROUNDS)]
    return min(candidates, key=loss)


def choose(odds: Floats, wanted: Floats, weight: Floats, precise: float) -> float:
    """The likelihood threshold of an output: the best F1 among those with sufficient precision."""
    likely = 1 / (1 + numpy.exp(-numpy.clip(odds, -60, 60)))
    best, found = -1.0, 0.5
    for step in range(10, 99):
        threshold = step / 100
        said = likely >= threshold
        right = float((weight * said * wanted).sum())
        precision = right / max(1e-9, float((weight * said).sum()))
        recall = right / max(1e-9, float((weight * wanted).sum()))
        value = 2 * precision * recall / max(1e-9, precision + recall)
        if precision >= precise and value > best:
            best, found = value, threshold
    return found


def measure(odds: Floats, wanted: Floats, threshold: float) -> dict[str, float]:
    said = 1 / (1 + numpy.exp(-numpy.clip(odds, -60, 60))) >= threshold
    right = float((said & (wanted > 0)).sum())
    return {
        "precision": right / max(1.0, float(said.sum())),
        "recall": right / max(1.0, float(wanted.sum())),
        "accuracy": float((said == (wanted > 0)).mean()),
    }


def summary(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
