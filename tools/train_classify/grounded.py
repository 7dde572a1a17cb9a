"""Train the judge of a message together with the known entries on tests/corpora/grounded and write the weights.

usage: python -m tools.train_classify.grounded [--check] [--out FILE]

Two steps: a head over the message and each entry, which decides which entries the message makes wrong, if any; and a
layer over the whole message with the results of the first step. Thresholds come from folds that share no person. The
heads of single messages (`weights.bin`) are used unchanged: they were not trained on these messages. Deterministic: the
same corpora and heads give the same file.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy
from numpy.typing import NDArray
from tools.train_classify.command import pack, run
from tools.train_classify.examples import CORPORA, rows
from tools.train_classify.figures import calibrate, choose, measure, summary
from tools.train_classify.fit import Floats, Plan, scores, stack
from tools.train_classify.fit import fit as logistic
from tools.train_classify.pairs import FOLDS, Batch, Head, fit, fold_of, held_out
from tools.train_classify.training import encoder

from everself.classify import model
from everself.classify.encoder import offering
from everself.classify.features import EMBEDDED, LAYOUT, shortened
from everself.classify.grounded import (
    OUTPUTS,
    PATH,
    VERSION,
    among,
    message_features,
    pair_features,
    said_of,
)
from everself.classify.wording import compared, words_of

PEOPLE: Final = "grounded/train/*.jsonl"
LAYER: Final = Plan(ridge=5.0, grams=0.001, steps=150)
# the scale of single numbers relative to an embedding, which has many
COUNTED: Final = 0.3
PAIRED: Final = 1.0
# the minimum precision of corrections
PRECISE: Final = 0.92
# the minimum precision of the entries closed because of a correction
CLOSED: Final = 0.92


@dataclass(frozen=True, slots=True)
class Case:
    """One message of one person, with the known entries."""

    person: str
    language: str
    known: tuple[str, ...]
    text: str
    before: str
    correction: bool
    explicit: bool
    keep: bool
    corrects: tuple[int, ...]


def sources() -> list[Path]:
    return [*sorted(CORPORA.glob(PEOPLE)), Path(model.PATH)]


def fingerprint() -> str:
    """The hash of the corpus and of the heads whose output is trained on."""
    hashed = hashlib.sha256()
    for path in sources():
        hashed.update(f"{path.name}\0".encode())
        hashed.update(hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()


def cases() -> Iterator[Case]:
    for path, row in rows(PEOPLE):
        for one in row["messages"]:
            yield Case(
                row["id"],
                path.stem,
                tuple(row["known"]),
                one["text"],
                one["before"],
                "correction" in one["acts"],
                one["explicit"],
                one["keep"],
                tuple(one["corrects"]),
            )


@dataclass(frozen=True, slots=True)
class Seen:
    said: Floats
    rows: Floats
    vectors: Floats


def read(found: Sequence[Case], embed: Callable[[Sequence[str]], NDArray[Any]]) -> list[Seen]:
    """The features of each case; embedded together, which is cheaper."""
    texts = dict.fromkeys(text for one in found for text in (one.text, one.before, *one.known) if text)
    texts |= dict.fromkeys(word for text in list(texts) for word in words_of(text))
    short = list(dict.fromkeys(map(shortened, texts)))
    held = dict(zip(short, embed(short), strict=True))

    def encode(asked: Sequence[str]) -> NDArray[Any]:
        new = [text for text in asked if text not in held]
        held.update(zip(new, embed(new), strict=True) if new else ())
        return numpy.stack([held[text] for text in asked])

    made = []
    with offering(encode):
        for one in found:
            vectors = numpy.zeros((2 + len(one.known), EMBEDDED))
            vectors[0] = held[shortened(one.text)]
            vectors[1] = held[shortened(one.before)] if one.before else 0
            vectors[2:] = [held[shortened(text)] for text in one.known]
            asked = [held[word] for word in words_of(one.text)]
            words = [compared(asked, [held[word] for word in words_of(text)]) for text in one.known]
            said = said_of(one.text)
            features = pair_features((one.text, one.before), said, one.known, vectors, words)
            made.append(Seen(said, features.astype(numpy.float32), vectors[:2]))
    return made


class Layer:
    """Logistic regression over whole messages: embeddings, and single numbers scaled down."""

    def __init__(self, table: Floats, begin: int) -> None:
        """`begin`: the index from which the entries' features (maximum and mean) are left out; 0: none."""
        plain = table.shape[1] - 2 * EMBEDDED
        self.mean, self.scale = numpy.zeros(table.shape[1]), numpy.ones(table.shape[1])
        self.mean[:plain] = table[:, :plain].mean(axis=0)
        self.scale[:plain] = COUNTED / (table[:, :plain].std(axis=0) + 1e-2)
        self.scale[:3] *= PAIRED / COUNTED
        self.scale[begin or plain : plain] = 0
        self._rows = stack([numpy.zeros(1, dtype=numpy.int64)] * len(table), (table - self.mean) * self.scale)

    def held_out(self, wanted: Floats, folds: NDArray[Any]) -> Floats:
        odds = numpy.zeros(len(wanted))
        for fold in range(FOLDS):
            inside, outside = numpy.flatnonzero(folds != fold), numpy.flatnonzero(folds == fold)
            learned = logistic(self._rows.of(inside), wanted[inside], numpy.ones(len(inside)), 1, LAYER)
            odds[outside] = scores(learned, self._rows.of(outside))
        return odds

    def fit(self, wanted: Floats, temperature: float) -> Head:
        learned = logistic(self._rows, wanted, numpy.ones(len(wanted)), 1, LAYER)
        weights = learned.dense * self.scale / temperature
        bias = (learned.bias + float(learned.grams[0])) / temperature
        return Head(weights, bias - float(self.mean @ weights))


def lowest(likely: Floats, wanted: Floats, precise: float) -> float:
    """The lowest threshold with at least this precision."""
    order = numpy.argsort(-likely, kind="stable")
    precision = numpy.cumsum(wanted[order]) / numpy.arange(1, len(order) + 1)
    enough = numpy.flatnonzero(precision >= precise)
    return round(float(likely[order[enough[-1]]]), 4) if len(enough) else 0.99


def train(say: Callable[[str], None]) -> bytes:
    found = list(cases())
    seen = read(found, encoder())
    folds = numpy.array([fold_of(one.person) for one in found])
    right = [[at in one.corrects for at in range(len(one.known))] for one in found]
    batch = Batch([one.rows for one in seen], right)
    every = numpy.ones(len(found), dtype=bool)
    held = held_out(batch, folds, every)
    odds = [held[at, : len(one.known)] for at, one in enumerate(found)]
    table = numpy.stack(
        [
            message_features(one.text, it.said, it.rows, own, it.vectors)
            for one, it, own in zip(found, seen, odds, strict=True)
        ]
    )
    # for a correction the ranking of entries already uses their features; beside it they only add noise
    begin = 3 + len(seen[0].said) + LAYOUT
    heads, told = [], {}
    even = numpy.ones(len(found))
    for name in OUTPUTS:
        wanted = numpy.array([float(getattr(one, name)) for one in found])
        layer = Layer(table, begin if name == "correction" else 0)
        own = layer.held_out(wanted, folds)
        temperature = calibrate(own, wanted, even)
        own = own / temperature
        likely = 1 / (1 + numpy.exp(-own))
        best = choose(own, wanted, even, 0.0)
        sure = lowest(likely, wanted, PRECISE) if name == "correction" else best
        told[name] = {"sure": sure, "may": best} | measure(own, wanted, sure)
        heads.append(layer.fit(wanted, temperature))
        say(
            f"{name}: {summary(measure(own, wanted, sure))}, from {sure:.2f}; {summary(measure(own, wanted, best))}, from {best:.2f}"
        )
        if name == "correction":
            told["closes"] = closing(found, odds, likely >= sure, say)
            explicit = numpy.array([one.explicit for one in found])
            found_ones = [float((likely >= one)[explicit].mean()) for one in (sure, best)]
            say("explicit ones found: {:.3f}; from the lower one on {:.3f}".format(*found_ones))
            for language in sorted({one.language for one in found}):
                part = numpy.array([one.language == language for one in found])
                say(f"  {language}: {summary(measure(own[part], wanted[part], sure))}")
    pair = fit(batch)
    arrays = {
        "pair.weights": pair.weights.astype("<f4"),
        "pair.bias": numpy.array([pair.bias], dtype="<f4"),
        "layer.weights": numpy.stack([one.weights for one in heads], axis=1).astype("<f4"),
        "layer.bias": numpy.array([one.bias for one in heads], dtype="<f4"),
    }
    return pack({"features": VERSION, "corpora": fingerprint(), **told}, arrays)


def closing(
    found: Sequence[Case], odds: Sequence[Floats], said: NDArray[Any], say: Callable[[str], None]
) -> dict[str, float]:
    """The threshold of an entry's likelihood, relative to the other entries, for closing it."""
    share = numpy.concatenate([among(own) for own, one in zip(odds, said, strict=True) if one])
    wrong = numpy.array(
        [float(at in one.corrects) for one, it in zip(found, said, strict=True) if it for at in range(len(one.known))]
    )
    sure = lowest(share, wrong, CLOSED)
    closed = share >= sure
    figures = {
        "sure": sure,
        "precision": float(wrong[closed].mean()) if closed.any() else 0.0,
        "recall": float(closed[wrong > 0].mean()),
    }
    say(f"entries of these: {summary(figures)}")
    return figures


if __name__ == "__main__":
    learn = partial(train, partial(print, flush=True))
    sys.exit(
        run("tools.train_classify.grounded", "Learn what a message is to what is known.", PATH, fingerprint, learn)
    )
