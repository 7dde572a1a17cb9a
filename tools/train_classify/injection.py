"""Train the head for prompt injection on tests/corpora and write it.

usage: python -m tools.train_classify.injection [--check] [--out FILE]

Attacks are those of `injection/` and `messages/`; everything else in the corpora is harmless. The held-out third of
`injection/` is not trained on: tests use it. Windows of harmless texts that look like an attack are added as further
examples. The threshold is chosen on harmless texts outside the training folds, and on pages of them, because a page has
many windows and one is enough for an alarm. Deterministic.
"""

import hashlib
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy
from numpy.typing import NDArray
from tools.train_classify.command import pack, run
from tools.train_classify.examples import CORPORA, SEALED, rows
from tools.train_classify.fit import Floats, Ints, Plan, Weights, fit, stack

from everself.classify.injection_head import BITS, PATH, VERSION, Tokens, buckets, tokens_of, window_odds, windows
from everself.text.unmasking import plain

FOLDS: Final = 3
ROUNDS: Final = 1
PLAN: Final = Plan(ridge=0.3, grams=8.0, steps=50)
# log odds from which a harmless window is added as an example
NEAR: Final = -1.5
# The share of harmless texts that may be called an attack; of pages made of such texts, none may be.
ALARMS: Final = 0.0015
PAGE: Final = 20
# The share of harmless texts with a weak sign, and the slope of its limit relative to the other one: the most at which
# the lists, cut to their half, and the head call no more of our own harmless texts an attack than the whole lists did.
WEAK: Final = 0.004
WEAK_SLOPE: Final = 0.25
_LONGEST: Final = 120
SOURCES: Final = (
    "injection/*.jsonl",
    "messages/open/*.jsonl",
    "triage/*.jsonl",
    "triage/more/*.jsonl",
    "reflex/*.jsonl",
    "reflex/*/*.jsonl",
    "conflicts/*.jsonl",
    "conflicts/more/*.jsonl",
    "everyday/*.jsonl",
    "provenance/legitimate/*.jsonl",
    "secrets/benign.jsonl",
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text. Texts with the same `group`, such as translations of each other, are in the same fold."""

    text: str
    attack: bool
    weight: float
    corpus: str
    group: str = ""


def texts() -> Iterator[Text]:
    for _, row in rows("injection/owner.jsonl"):
        if not row["held"]:
            yield Text(row["text"], False, 2.0, "owner")
    for _, row in rows("injection/updates.jsonl"):
        if not row["held"]:
            yield Text(row["text"], row["kind"] == "malicious", 2.0, "updates")
    for name in ("more", "written"):
        numbers: Counter[tuple[str, str, str]] = Counter()
        for _, row in rows(f"injection/{name}.jsonl"):
            numbers[(kind := (row["lang"], row["kind"], row["family"]))] += 1
            group = "" if row["lang"] == "en" else f"{name} {row['kind']} {row['family']} {numbers[kind]}"
            yield Text(row["text"], row["kind"] == "attack", 2.0, name, group)
    for _, row in rows("injection/prose.jsonl"):
        yield Text(row["text"], False, 1.0, "prose")
    for _, row in rows("messages/open/*.jsonl"):
        yield Text(row["text"], bool(row["injection"]), 1.0, "messages")
    for pattern in SOURCES[2:]:
        for _, row in rows(pattern):
            for name in ("text", "message", "older", "newer"):
                if name in row:
                    yield Text(row[name], False, 0.5, "harmless")


def sources() -> list[Path]:
    found = {path for pattern in SOURCES for path in CORPORA.glob(pattern) if SEALED not in path.parts}
    return sorted(found)


def fingerprint() -> str:
    hashed = hashlib.sha256()
    for path in sources():
        hashed.update(f"{path.relative_to(CORPORA).as_posix()}\0".encode())
        hashed.update(hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()


def features(tokens: Tokens, first: int = 0, last: int = _LONGEST) -> Ints:
    """The features of one window."""
    found = buckets(tokens.hashes[first:last])
    return numpy.concatenate([*found, numpy.zeros(0, dtype=numpy.int64)])


class Learner:
    """The texts as tokens; trains weights on parts of them."""

    def __init__(self, found: Sequence[Text]) -> None:
        self.texts = list({one.text: one for one in found if one.text.strip()}.values())
        self.tokens = [tokens_of(plain(one.text)) for one in self.texts]
        self.grams = [features(one) for one in self.tokens]
        self.fold = numpy.array([_fold(one.group or one.text) for one in self.texts])

    def learn(self, which: Ints) -> Weights:
        grams = [self.grams[at] for at in which]
        wanted = [float(self.texts[at].attack) for at in which]
        weight = [self.texts[at].weight for at in which]
        for step in range(ROUNDS + 1):
            made = fit(_rows(grams), numpy.array(wanted), numpy.array(weight), 1 << BITS, PLAN)
            if step == ROUNDS:
                break
            for at in which:
                if self.texts[at].attack:
                    continue
                odds, (first, last) = best(made, self.tokens[at])
                if odds > NEAR:
                    grams.append(features(self.tokens[at], first, last))
                    wanted.append(0.0)
                    weight.append(1.0)
        return made

    def held_out(self) -> Floats:
        """The log odds of each text's highest window, by weights that were not trained on the text."""
        odds = numpy.full(len(self.texts), -99.0)
        for fold in range(FOLDS):
            made = self.learn(numpy.flatnonzero(self.fold != fold))
            for at in numpy.flatnonzero(self.fold == fold):
                odds[at] = best(made, self.tokens[at])[0]
        return odds


def best(weights: Weights, tokens: Tokens) -> tuple[float, tuple[int, int]]:
    places = windows(tokens)
    if not len(places):
        return -99.0, (0, 0)
    odds = window_odds(tokens, places, weights.grams) + weights.bias
    first, last = places[int(odds.argmax())]
    return float(odds.max()), (int(first), int(last))


def _rows(grams: Sequence[Ints]) -> Any:
    # a text without tokens is treated as one with the first bucket
    return stack(
        [one if len(one) else numpy.zeros(1, dtype=numpy.int64) for one in grams], numpy.zeros((len(grams), 1))
    )


def _fold(text: str) -> int:
    words = "".join(char for char in text.casefold() if char.isalnum())
    return hashlib.sha256(words[:40].encode()).digest()[0] % FOLDS


def limits(odds: Floats, learner: Learner) -> tuple[float, float]:
    """The threshold of log odds for a text with one window, and its increase per e-fold of the number of windows."""
    harmless = numpy.array([not one.attack for one in learner.texts])
    limit = float(numpy.quantile(odds[harmless], 1 - ALARMS))
    counts = numpy.array([len(windows(one)) for one in learner.tokens])
    likeliest, sizes = [], []
    for corpus in dict.fromkeys(one.corpus for one in learner.texts):
        of = numpy.flatnonzero(harmless & numpy.array([one.corpus == corpus for one in learner.texts]))
        for start in range(0, len(of) - PAGE + 1, PAGE):
            page = of[start : start + PAGE]
            likeliest.append(odds[page].max())
            sizes.append(counts[page].sum())
    return limit, max(0.0, (float(max(likeliest)) - limit) / math.log(float(numpy.median(sizes))))


def train() -> bytes:
    learner = Learner(list(texts()))
    attack = numpy.array([one.attack for one in learner.texts])
    odds = learner.held_out()
    limit, slope = limits(odds, learner)
    grown = numpy.log([max(1, len(windows(one))) for one in learner.tokens])
    enough = limit + slope * grown
    weak = float(numpy.quantile((odds - WEAK_SLOPE * slope * grown)[~attack], 1 - WEAK))
    for name in dict.fromkeys(one.corpus for one in learner.texts):
        of = numpy.array([one.corpus == name for one in learner.texts])
        for kind, mask in (("attacks", of & attack), ("harmless", of & ~attack)):
            if mask.any():
                share = (odds[mask] >= enough[mask]).mean()
                print(f"{name}, {kind}: {mask.sum()} texts, called an attack: {share:.3f}", flush=True)
    print(f"from {limit:.2f} and {slope:.2f} for each e-fold of windows; a weak sign from {weak:.2f}", flush=True)
    weights = learner.learn(numpy.arange(len(learner.texts)))
    scale = float(numpy.abs(weights.grams).max()) / 127
    table: NDArray[numpy.int8] = numpy.round(weights.grams / scale).astype(numpy.int8)
    told = {"features": VERSION, "corpora": fingerprint(), "limit": limit, "limit slope": slope}
    told |= {"weak": weak, "weak slope": WEAK_SLOPE * slope}
    told |= {"bias": weights.bias, "scale": scale}
    return pack(told, {"table": table})


if __name__ == "__main__":
    sys.exit(run("tools.train_classify.injection", "Learn the head for prompt injection.", PATH, fingerprint, train))
