"""Train the weights of everself.classify on tests/corpora and write them.

usage: python -m tools.train_classify [--check] [--out FILE]

--check trains nothing: it reports whether the weights were trained on the present corpora.
"""

import sys
from typing import Any

from numpy.typing import NDArray
from tools.train_classify.command import pack, run
from tools.train_classify.examples import Example, examples, fingerprint
from tools.train_classify.figures import summary
from tools.train_classify.training import DEEP, KINDS, Learned, Table, arrays, encoder, learn
from tools.train_classify.whole import Layer, learn_whole, messages, pieces

from everself.classify.features import VERSION
from everself.classify.messages import WHOLE
from everself.classify.model import PATH


def train() -> bytes:
    found = examples()
    whole = messages(found)
    known = {one.text for one in found}
    # a message's sentences share its fold, so that neither is judged by weights trained on the other
    parts = {part: one.group for one in whole for part in pieces(one) if part not in known}
    table = Table([*found, *(Example(part, "pieces", {}, group=group) for part, group in parts.items())], encoder())
    at = {one.text: number for number, one in reversed(list(enumerate(table.examples)))}
    folds = table.fold[[at[one.text] for one in whole]]
    told: dict[str, object] = {"features": VERSION, "corpora": fingerprint()}
    made: dict[str, NDArray[Any]] = {"axes.mean": table.mean, "axes.basis": table.axes}
    heads: dict[str, object] = {}
    layers: dict[str, object] = {}
    for kind in KINDS:
        learned = learn(table, kind, lambda line: print(line, flush=True))
        made |= arrays(kind, learned)
        heads[kind] = {"outputs": learned.outputs, **_told(learned)}
        seen = len(DEEP)
        odds = {text: learned.held[number, :seen] for text, number in at.items()}
        layer = learn_whole(whole, odds, folds, f"whole.{kind}")
        made |= layer.arrays
        layers[kind] = {"inputs": learned.outputs[:seen], **_told(layer)}
        for name, figures, threshold in zip(WHOLE, layer.figures, layer.thresholds, strict=True):
            print(f"{kind} message {name}: {summary(figures)}, from {threshold:.2f}", flush=True)
    return pack({**told, "heads": heads, "whole": layers}, made)


def _told(learned: Learned | Layer) -> dict[str, object]:
    figures = [{name: round(value, 4) for name, value in one.items()} for one in learned.figures]
    return {"thresholds": learned.thresholds, "possible": learned.possible, "figures": figures}


if __name__ == "__main__":
    sys.exit(run("tools.train_classify", "Learn the weights of classify.", PATH, fingerprint, train))
