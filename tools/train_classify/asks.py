"""The head for what a question asks about the reflex itself: trained on tests/corpora/asks, against all other questions
and statements, and against typed messages that ask nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray
from tools.train_classify.examples import rows
from tools.train_classify.fit import Floats, Plan, fit, scores, stack
from tools.train_classify.training import calibrate, choose, measure

from everself.classify.asks import ASKS, BUCKETS, SCALE, buckets, terms_of

FOLDS: Final = 4
PARTS: Final = ("open", "more", "plain")
PLAN: Final = Plan(ridge=0.1, grams=2.0, steps=80)
# the weight of each of the many texts that are not such a question
OTHER: Final = 0.3
PRECISE: Final = 0.9
# a word in at least this many questions belongs to the phrasing, not to the subject
COMMON: Final = 4
# acts of a message that may be such a question
ASKING: Final = frozenset({"question", "task", "remember"})


def examples() -> Iterator[tuple[str, str, bool]]:
    """Text, what it asks ("" if it is not such a question), and whether it may ask who the owner is."""
    for _, row in rows("asks/*.jsonl"):
        yield row["text"], row["ask"], row["ask"] == "owner"
    for path, row in rows("reflex/*.jsonl", "reflex/*/*.jsonl"):
        # the first fact in each of these corpora is a name, and questions about it ask for the name
        names = row.get("about", "").endswith(("-001", "-s001"))
        yield row["text"], "", names and path.suffix == ".jsonl"
    for _, row in rows(*(f"pairs/{part}/answers-??.jsonl" for part in PARTS)):
        yield row["question"], "", False
    for _, row in rows(*(f"pairs/{part}/answers-sets-*.jsonl" for part in PARTS)):
        for text in row["memories"]:
            yield text, "", False
    for _, row in rows("messages/open/*.jsonl"):
        for part in row["acts"]:
            if part["act"] not in ASKING:
                yield part["span"], "", False


def learn(embed: Callable[[Sequence[str]], NDArray[Any]]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    found = list(dict.fromkeys(examples()))
    vectors = SCALE * embed([text for text, _, _ in found]).astype(numpy.float64)
    arrays: dict[str, NDArray[Any]] = {}
    told = {}
    for kind, dense in (("deep", vectors), ("light", numpy.zeros((len(found), 1)))):
        made, told[kind] = _learn(found, dense)
        arrays |= {f"asks.{kind}.{name}": one for name, one in made.items()}
    return arrays, told | {"frame": frame(found)}


def frame(found: list[tuple[str, str, bool]]) -> list[str]:
    """Words that such questions share, whatever their subject."""
    counts = Counter(term for text, ask, _ in found if ask for term in terms_of(text))
    return sorted(term for term, count in counts.items() if count >= COMMON)


def _learn(found: list[tuple[str, str, bool]], dense: Floats) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    table = stack([buckets(text) for text, _, _ in found], dense)
    ours = {row["text"] for _, row in rows("asks/*.jsonl")}
    folds = numpy.array([at % FOLDS for at in range(len(found))])
    weights, rest, biases, told = [], [], [], {}
    for ask in ASKS:
        which = numpy.array([at for at, one in enumerate(found) if not (ask == "owner" and one[2] and one[1] != ask)])
        wanted = numpy.array([float(found[at][1] == ask) for at in which])
        weight = numpy.array([1.0 if found[at][0] in ours else OTHER for at in which])
        odds = numpy.zeros(len(which))
        for fold in range(FOLDS):
            inside, outside = numpy.flatnonzero(folds[which] != fold), numpy.flatnonzero(folds[which] == fold)
            one = fit(table.of(which[inside]), wanted[inside], weight[inside], BUCKETS, PLAN)
            odds[outside] = scores(one, table.of(which[outside]))
        temperature = calibrate(odds, wanted, weight)
        threshold = choose(odds / temperature, wanted, weight, PRECISE)
        one = fit(table.of(which), wanted, weight, BUCKETS, PLAN)
        weights.append(one.grams / temperature)
        rest.append(one.dense / temperature)
        biases.append(one.bias / temperature)
        figures = measure(odds / temperature, wanted, threshold)
        told[ask] = {"sure": threshold} | {name: round(value, 4) for name, value in figures.items()}
    grams = numpy.stack(weights, axis=1)
    scale = numpy.maximum(1e-9, numpy.abs(grams).max(axis=0)) / 127
    return {
        "grams": numpy.round(grams / scale).astype(numpy.int8),
        "scale": scale.astype("<f4"),
        "dense": numpy.stack(rest, axis=1).astype("<f2"),
        "bias": numpy.array(biases, dtype="<f4"),
    }, told
