"""Both sets of heads, trained output by output: features, labels, weights, temperature and threshold.

Thresholds and temperatures come from folds: every example is judged by weights that were trained neither on it nor on
the same text in another corpus.
"""

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy
from numpy.typing import NDArray
from tools.train_classify.examples import Example
from tools.train_classify.figures import calibrate, choose, measure, summary
from tools.train_classify.fit import Floats, Ints, Plan, Rows, Weights, fit, scores, stack
from tools.train_classify.heads import ACTS, OUTPUTS

from everself.classify.features import GRAMS, buckets, expanded, features_of, shortened

FOLDS: Final = 3
# directions of the embedding whose products are additional features
AXES: Final = 40
DEEP: Final = (*ACTS, "keep", "strong")
KINDS: Final[Mapping[str, tuple[str, ...]]] = {"deep": DEEP, "light": OUTPUTS}
# buckets of n-grams: without the embedding there are fewer useful ones
SIZES: Final[Mapping[str, int]] = {"deep": GRAMS, "light": GRAMS // 2}
PLAN: Final = Plan(ridge=2.0, grams=8.0)
# The minimum precision of an output on the folds. All others balance both kinds of error.
PRECISE: Final = {"correction": 0.93, "claim": 0.9, "forget": 0.92, "remember": 0.85}


@dataclass(frozen=True, slots=True)
class Learned:
    """The heads of one kind, and the results of each on the folds."""

    outputs: tuple[str, ...]
    weights: tuple[Weights, ...]
    thresholds: tuple[float, ...]
    possible: tuple[float, ...]
    figures: tuple[Mapping[str, float], ...]
    # log odds of all examples by weights not trained on them, one column per output
    held: Floats


class Table:
    """The features of all examples."""

    def __init__(self, examples: Sequence[Example], embed: Callable[[Sequence[str]], NDArray[Any]]) -> None:
        self.examples = examples
        self.found = [features_of(one.text) for one in examples]
        self._layout = numpy.stack([one.layout for one in self.found])
        texts = list(dict.fromkeys(shortened(one.text) for one in examples))
        vectors = dict(zip(texts, embed(texts), strict=True))
        embedded = numpy.stack([vectors[shortened(one.text)] for one in examples])
        self.mean, self.axes = _axes(embedded)
        self._embedded = expanded(embedded, self.mean, self.axes)
        self.fold = numpy.array([_fold(one) for one in examples])

    def rows(self, kind: str) -> Rows:
        dense = numpy.concatenate([self._layout, self._embedded], axis=1) if kind == "deep" else self._layout
        return stack([buckets(one.grams, SIZES[kind]) for one in self.found], dense)

    def labels(self, output: str) -> tuple[Ints, Floats, Floats]:
        """The examples with a label for an output, their labels, and their weights."""
        which = numpy.array([at for at, one in enumerate(self.examples) if output in one.labels], dtype=numpy.int64)
        wanted = numpy.array([float(self.examples[at].labels[output]) for at in which])
        weight = numpy.array([self.examples[at].weight for at in which])
        return which, wanted, weight


def _axes(embedded: NDArray[Any]) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32]]:
    """The principal directions of the corpora's embeddings, scaled so that the variance along each is one."""
    mean = embedded.mean(axis=0)
    spread = numpy.cov((embedded - mean).astype(numpy.float64), rowvar=False)
    sizes, found = numpy.linalg.eigh(spread)
    best = numpy.argsort(sizes)[::-1][:AXES]
    # either sign is valid; a fixed choice makes training reproducible
    signs = numpy.sign(found[numpy.abs(found[:, best]).argmax(axis=0), best])
    axes = found[:, best] * signs / numpy.sqrt(sizes[best])
    return mean.astype(numpy.float32), axes.astype(numpy.float32)


def _fold(example: Example) -> int:
    """The fold of an example; the same for equal words in different corpora."""
    words = "".join(char for char in (example.group or example.text).casefold() if char.isalnum())
    return hashlib.sha256(words[:40].encode()).digest()[0] % FOLDS


def learn(table: Table, kind: str, say: Callable[[str], None]) -> Learned:
    rows = table.rows(kind)
    found: list[Weights] = []
    thresholds: list[float] = []
    possible: list[float] = []
    figures: list[Mapping[str, float]] = []
    odds: list[Floats] = []
    written = numpy.array([one.corpus == "messages" for one in table.examples])
    for output in KINDS[kind]:
        which, wanted, weight = table.labels(output)
        every = _held_out(rows, table, (which, wanted, weight), SIZES[kind])
        held = every[which]
        temperature = calibrate(held, wanted, weight)
        # if typed messages are available, only they determine the threshold
        judged = written[which] if wanted[written[which]].any() else numpy.ones(len(which), dtype=bool)
        seen = held[judged] / temperature, wanted[judged], weight[judged]
        thresholds.append(choose(*seen, PRECISE.get(output, 0.0)))
        possible.append(choose(*seen, 0.0))
        figures.append(measure(seen[0], seen[1], thresholds[-1]))
        weights = fit(rows.of(which), wanted, weight, SIZES[kind], PLAN)
        found.append(Weights(weights.grams / temperature, weights.dense / temperature, weights.bias / temperature))
        odds.append(every / temperature)
        say(f"{kind} {output}: {len(which)} examples, {summary(figures[-1])}, from {thresholds[-1]:.2f}")
    held_out = numpy.stack(odds, axis=1)
    return Learned(KINDS[kind], tuple(found), tuple(thresholds), tuple(possible), tuple(figures), held_out)


def _held_out(rows: Rows, table: Table, labels: tuple[Ints, Floats, Floats], size: int) -> Floats:
    """The log odds of all examples, labelled or not, each by weights not trained on it."""
    which, wanted, weight = labels
    folds = table.fold[which]
    held = numpy.zeros(len(rows))
    for fold in range(FOLDS):
        inside, outside = numpy.flatnonzero(folds != fold), numpy.flatnonzero(table.fold == fold)
        weights = fit(rows.of(which[inside]), wanted[inside], weight[inside], size, PLAN)
        held[outside] = scores(weights, rows.of(outside))
    return held


def arrays(kind: str, learned: Learned) -> dict[str, NDArray[Any]]:
    """The shipped form: n-gram weights in eight bits with one scale per output, the others in sixteen."""
    grams = numpy.stack([one.grams for one in learned.weights], axis=1)
    scale = numpy.maximum(1e-9, numpy.abs(grams).max(axis=0)) / 127
    return {
        f"{kind}.grams": numpy.round(grams / scale).astype(numpy.int8),
        f"{kind}.scale": scale.astype("<f4"),
        f"{kind}.dense": numpy.stack([one.dense for one in learned.weights], axis=1).astype("<f2"),
        f"{kind}.bias": numpy.array([one.bias for one in learned.weights], dtype="<f4"),
    }


def encoder() -> Callable[[Sequence[str]], NDArray[Any]]:
    """The bundled encoder, prepared in a folder of its own."""
    from everself.models.embedding.local import open_local

    folder = Path(tempfile.gettempdir()) / "everself-train-classify"
    folder.mkdir(exist_ok=True)
    opened = open_local("use", "", str(folder))

    def embed(texts: Sequence[str]) -> NDArray[Any]:
        parts = [opened.embed(texts[at : at + 512]) for at in range(0, len(texts), 512)]
        return numpy.concatenate(parts)

    return embed
