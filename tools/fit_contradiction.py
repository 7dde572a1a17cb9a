"""Fits the weights of `everself.classify.contradiction._decision` on the open pairs and prints them.

Of the later pairs only those with an odd number are used; the even ones and the held third tell how good the fit is. Run it from the
repository: `PYTHONPATH=src python tools/fit_contradiction.py`. Knows no file but the corpus.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from everself.classify.contradiction._decision import stands
from everself.classify.contradiction._features import read_signals
from everself.classify.contradiction._rules import compare
from everself.classify.contradiction._statement import read_statement
from everself.classify.statements import language_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

CORPUS = Path("tests/corpora/conflicts")
LANGUAGES = ("en", "zh", "ko", "ja")
RIDGE = 0.5
# the later pairs were not seen while the words were chosen, so they count for more
LATER = 2.0
FOLDS = 8
# where precision and recall are both kept: a little above even chances, since a false alarm costs the owner a question
CAUTION = 0.3


def pairs(*, later: bool) -> list[tuple[str, str, bool]]:
    found: list[tuple[str, str, bool]] = []
    for language in LANGUAGES:
        path = CORPUS / "more" / f"{language}.jsonl" if later else CORPUS / f"{language}.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            odd = int(str(row["id"]).rpartition("-")[2]) % 2 == 1
            if row["held"] is False and (odd or not later):
                found.append((row["older"], row["newer"], row["label"] == "contradiction"))
    return found


def read(older: str, newer: str) -> tuple[dict[str, float], tuple[float, float]]:
    language = language_of(f"{older} {newer}")
    before, after = read_statement(older, language), read_statement(newer, language)
    ruled = compare(before, after)
    firm, loose = ruled.kind not in (None, "attribute"), ruled.kind == "attribute" and not stands(ruled)
    return read_signals(before, after), (float(firm), float(loose))


def fit(signals: "Numbers", meant: "Numbers", counts: "Numbers", ridge: float) -> "Numbers":
    """Newton's method; the last weight is the bias, which is not held small."""
    table = np.hstack([signals, np.ones((len(signals), 1))])
    hold = np.eye(table.shape[1]) * ridge
    hold[-1, -1] = 1e-6
    weights = np.zeros(table.shape[1])
    for _ in range(40):
        likely = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (counts * (likely - meant)) + hold @ weights
        bend = (table * (counts * likely * (1 - likely))[:, None]).T @ table + hold
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def main() -> None:
    first, later = pairs(later=False), pairs(later=True)
    read_all = [read(older, newer) for older, newer, _ in (*first, *later)]
    meant = np.array([float(label) for *_, label in (*first, *later)])
    ruled = np.array([found for _, found in read_all])
    names = sorted({name for signals, _ in read_all for name in signals})
    table = np.array([[signals.get(name, 0.0) for name in names] for signals, _ in read_all])
    counts = np.array([1.0] * len(first) + [LATER] * len(later))
    folds = np.random.RandomState(1).randint(0, FOLDS, len(table))
    scores = np.zeros(len(table))
    for fold in range(FOLDS):
        out = folds == fold
        weights = fit(table[~out], meant[~out], counts[~out], RIDGE)
        scores[out] = table[out] @ weights[:-1] + weights[-1]
    fresh = slice(len(first), None)
    both = np.hstack([scores[fresh][:, None], ruled[fresh]])
    scale, firm, loose, shift = fit(both, meant[fresh], np.ones(len(later)), RIDGE)
    weights = fit(table, meant, counts, RIDGE) * scale
    lines = "".join(f'        "{name}": {weight:.2f},\n' for name, weight in zip(names, weights, strict=False))
    sys.stdout.write(f"    {{\n{lines}    }}\n)\nBIAS: Final = {weights[-1] + shift - CAUTION:.2f}\n")
    sys.stdout.write(f"RULED: Final = {firm:.2f}\nRULED_LOOSELY: Final = {loose:.2f}\n")


if __name__ == "__main__":
    main()
