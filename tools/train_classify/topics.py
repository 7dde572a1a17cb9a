"""Train the topics of sentences on tests/corpora and write the weights.

usage: python -m tools.train_classify.topics [--check] [--out FILE]

`topics/written.jsonl` was written by hand, `topics/phrases.jsonl` combined from phrases; statements of the other
corpora have none of the topics. Thresholds come from folds. Deterministic.
"""

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy
from tools.train_classify.command import pack, run
from tools.train_classify.examples import CORPORA, rows
from tools.train_classify.fit import Floats, Plan, fit, scores, stack
from tools.train_classify.training import calibrate, choose, measure, summary

from everself.classify.features import VERSION
from everself.classify.openers import lead_of
from everself.classify.topics import BITS, PATH, TOPICS, features

FOLDS: Final = 3
PLAN: Final = Plan(ridge=0.5, grams=6.0, steps=60)
# the minimum precision of topics on which the agent acts without asking
PRECISE: Final = {"opener": 0.98, "tool": 0.9, "welcome": 0.85, "ability": 0.85}
SOURCES: Final = (
    "topics/*.jsonl",
    "everyday/*.jsonl",
    "conflicts/*.jsonl",
    "triage/*.jsonl",
    "provenance/legitimate/*.jsonl",
)
_EDGES: Final = " ,，、:：;；!！.。-"


@dataclass(frozen=True, slots=True)
class Line:
    """`topics`: its known topics; topics in `unknown` are not trained on."""

    text: str
    topics: frozenset[str]
    weight: float
    written: bool = False
    unknown: frozenset[str] = frozenset()


def lines() -> Iterator[Line]:
    for _, row in rows("topics/written.jsonl"):
        yield Line(row["text"], frozenset({row["topic"]} - {""}), 3.0, written=True)
    for _, row in rows("topics/phrases.jsonl"):
        # at run time an opener is judged without the comma after it
        text = row["text"].strip(_EDGES) if row["topic"] == "opener" else row["text"]
        yield Line(text, frozenset({row["topic"]} - {""}), 0.7)
    # Statements have no labels for these kinds, but certainly do not praise an agent or open a correction.
    kinds = frozenset(TOPICS[:8])
    for _, row in rows("everyday/*.jsonl"):
        yield Line(row["text"], frozenset(), 0.3, unknown=kinds - {"explicit", "architecture", "legal"})
    for _, row in rows("conflicts/*.jsonl", "provenance/legitimate/*.jsonl"):
        text = row.get("older") or row["message"]
        yield Line(text, frozenset(), 0.3, unknown=kinds - {"explicit", "legal"})
        lead = lead_of(text).strip(_EDGES)
        if lead:
            yield Line(lead, frozenset(), 1.0, unknown=kinds)
    for _, row in rows("triage/*.jsonl"):
        if row["label"] != "correction":
            yield Line(row["text"], frozenset(), 0.3, unknown=kinds | {"tool", "welcome", "ability"})


def sources() -> list[Path]:
    return sorted({path for pattern in SOURCES for path in CORPORA.glob(pattern)})


def fingerprint() -> str:
    hashed = hashlib.sha256()
    for path in sources():
        hashed.update(f"{path.relative_to(CORPORA).as_posix()}\0".encode())
        hashed.update(hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()


def train() -> bytes:
    found = list({(one.text, one.topics): one for one in lines() if one.text.strip()}.values())
    every = stack([features(one.text) for one in found], numpy.zeros((len(found), 1)))
    folds = numpy.array([hashlib.sha256(one.text.encode()).digest()[0] % FOLDS for one in found])
    tables, biases, thresholds = [], [], []
    for topic in TOPICS:
        which = numpy.array([at for at, one in enumerate(found) if topic not in one.unknown])
        wanted = numpy.array([float(topic in found[at].topics) for at in which])
        weight = numpy.array([found[at].weight for at in which])
        rows_of, held = every.of(which), numpy.zeros(len(which))
        for fold in range(FOLDS):
            inside, outside = (numpy.flatnonzero(part) for part in (folds[which] != fold, folds[which] == fold))
            made = fit(rows_of.of(inside), wanted[inside], weight[inside], 1 << BITS, PLAN)
            held[outside] = scores(made, rows_of.of(outside))
        temperature = calibrate(held, wanted, weight)
        threshold = choose(held / temperature, wanted, weight, PRECISE.get(topic, 0.0))
        made = fit(rows_of, wanted, weight, 1 << BITS, PLAN)
        tables.append(made.grams / temperature)
        biases.append(made.bias / temperature)
        thresholds.append(threshold)
        written = numpy.array([found[at].written for at in which])
        told = summary(measure(held / temperature, wanted, threshold))
        by_hand = summary(measure(held[written] / temperature, wanted[written], threshold))
        print(
            f"{topic}: {int(wanted.sum())} of {len(which)}, {told}, from {threshold:.2f}; written: {by_hand}",
            flush=True,
        )
    table: Floats = numpy.stack(tables, axis=1)
    scale = numpy.maximum(1e-9, numpy.abs(table).max(axis=0)) / 127
    arrays = {
        "table": numpy.round(table / scale).astype(numpy.int8),
        "scale": scale.astype("<f4"),
        "bias": numpy.array(biases, dtype="<f4"),
    }
    return pack({"features": VERSION, "corpora": fingerprint(), "thresholds": thresholds}, arrays)


if __name__ == "__main__":
    sys.exit(run("tools.train_classify.topics", "Learn what sentences are about.", PATH, fingerprint, train))
