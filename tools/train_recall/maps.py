"""Learns the projections of the local models (`everself.models.embedding.projection`) from the invented lives.

    python -m tools.train_recall.maps use [--lives tests/corpora/lives] [--out FILE] [--pull 30]

The means are those of all questions and turns that are learnt from, the turns of every language weighing the same. The maps start as
identity and take sixty small steps down a contrastive loss: a question against every turn of all lives in its language. They are pulled
back to identity; how strongly is chosen by the lives of `choose`. Written in eight bits.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
from tools.train_recall.lives import Life, load_lives

from everself.models.embedding.local import open_local
from everself.models.embedding.projection import FOLDER, project
from everself.search.chunking.terms import BESIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everself.models.embedding import Embedder

    Floats = NDArray[numpy.float32]

MODELS = {"use": "", "e5": "e5"}
TEMPERATURE = 0.07
STEPS = 60
RATE = 0.001
# weaker ones find more in lives and less in passages
PULLS = (10.0, 30.0, 60.0, 120.0)
DEPTH = 10
_FIRST_MOMENT, _SECOND_MOMENT = 0.9, 0.999
_BATCH = 128


@dataclass(frozen=True, slots=True)
class EmbeddedLife:
    life: Life
    questions: "Floats"
    turns: "Floats"


@dataclass(frozen=True, slots=True)
class Projection:
    """A mean and a map for questions, and for turns."""

    question_mean: "Floats"
    turn_mean: "Floats"
    question_map: "Floats"
    turn_map: "Floats"


def embed_life(life: Life, embedder: "Embedder") -> EmbeddedLife:
    turns = [f"{turn.speaker}: {turn.text}" for turn in life.turns]
    asked = [question.text for question in life.questions]
    return EmbeddedLife(life, _embed(embedder, asked, query=True), _embed(embedder, turns, query=False))


def _embed(embedder: "Embedder", texts: Sequence[str], *, query: bool) -> "Floats":
    parts = [
        embedder.embed(texts[at : at + _BATCH], purpose="query" if query else "document")
        for at in range(0, len(texts), _BATCH)
    ]
    rows = numpy.concatenate(parts).astype(numpy.float32)
    lengths: Floats = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths


def find_means(lives: Sequence[EmbeddedLife]) -> "tuple[Floats, Floats]":
    """The means of questions and turns; every language has the same weight."""
    by_language: dict[str, list[EmbeddedLife]] = {}
    for one in lives:
        by_language.setdefault(one.life.language, []).append(one)
    asked = [numpy.concatenate([one.questions for one in held]).mean(axis=0) for held in by_language.values()]
    said = [numpy.concatenate([one.turns for one in held]).mean(axis=0) for held in by_language.values()]
    return numpy.mean(asked, axis=0, dtype=numpy.float32), numpy.mean(said, axis=0, dtype=numpy.float32)


def in_context(turns: "Floats", life: Life) -> "Floats":
    """The vectors of turns as search computes them: mixed with those of adjacent turns in the session."""
    sessions = numpy.array([turn.session for turn in life.turns])
    same = (sessions[1:] == sessions[:-1])[:, None]
    mixed = turns.copy()
    mixed[1:] += BESIDE * same * turns[:-1]
    mixed[:-1] += BESIDE * same * turns[1:]
    lengths: Floats = numpy.linalg.norm(mixed, axis=1, keepdims=True)
    return mixed / lengths


def measure(lives: Sequence[EmbeddedLife], projection: Projection) -> tuple[float, float]:
    """Of the answerable questions: how often the first turn is evidence, and the share of the evidence among the first ten."""
    hits, shares = [], []
    for one in lives:
        asked = project(one.questions, (projection.question_mean, projection.question_map))
        said = in_context(project(one.turns, (projection.turn_mean, projection.turn_map)), one.life)
        order = numpy.argsort(-(asked @ said.T), axis=1, kind="stable")[:, :DEPTH]
        for question, top in zip(one.life.questions, order.tolist(), strict=True):
            if question.evidence:
                hits.append(top[0] in question.evidence)
                shares.append(len(set(top) & set(question.evidence)) / len(question.evidence))
    return float(numpy.mean(hits)), float(numpy.mean(shares))


class _Pool:
    """The questions and turns of all lives in one language, and which turn answers which question."""

    def __init__(self, lives: Sequence[EmbeddedLife], means: "tuple[Floats, Floats]") -> None:
        asked, said, answers = [], [], []
        first = 0
        for one in lives:
            rows = project(one.questions, (means[0], None))
            said.append(in_context(project(one.turns, (means[1], None)), one.life))
            for row, question in zip(rows, one.life.questions, strict=True):
                if question.evidence:
                    asked.append(row)
                    answers.append([first + turn for turn in question.evidence])
            first += len(one.turns)
        self.asked, self.said = numpy.stack(asked), numpy.concatenate(said)
        self.wanted = numpy.zeros((len(asked), first), numpy.float32)
        for row, turns in zip(self.wanted, answers, strict=True):
            row[turns] = 1 / len(turns)

    def gradients(self, question_map: "Floats", turn_map: "Floats") -> "tuple[Floats, Floats]":
        """The gradients of the contrastive loss, summed over the questions."""
        asked, asked_length = _directions(self.asked @ question_map)
        said, said_length = _directions(self.said @ turn_map)
        scores = asked @ said.T / TEMPERATURE
        shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        apart = (shares - self.wanted) / TEMPERATURE
        by_asked = _along(apart @ said, asked) / asked_length
        by_said = _along(apart.T @ asked, said) / said_length
        return self.asked.T @ by_asked, self.said.T @ by_said


def _directions(rows: "Floats") -> "tuple[Floats, Floats]":
    lengths: Floats = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths, lengths


def _along(slope: "Floats", directions: "Floats") -> "Floats":
    """A gradient without the component that would only change the length."""
    kept: Floats = slope - (slope * directions).sum(axis=1, keepdims=True) * directions
    return kept


def learn(lives: Sequence[EmbeddedLife], pull: float) -> Projection:
    means = find_means(lives)
    languages = dict.fromkeys(one.life.language for one in lives)
    pools = [_Pool([one for one in lives if one.life.language == language], means) for language in languages]
    count = sum(len(pool.asked) for pool in pools)
    identity = numpy.eye(len(means[0]), dtype=numpy.float32)
    maps = [identity.copy(), identity.copy()]
    moments = [(numpy.zeros_like(identity), numpy.zeros_like(identity)) for _ in maps]
    for step in range(1, STEPS + 1):
        found = [pool.gradients(maps[0], maps[1]) for pool in pools]
        for at, (now, (first, second)) in enumerate(zip(maps, moments, strict=True)):
            slope = sum(one[at] for one in found) / count + 2 * pull * (now - identity) / len(identity)
            first += (1 - _FIRST_MOMENT) * (slope - first)
            second += (1 - _SECOND_MOMENT) * (slope**2 - second)
            speed = first / (1 - _FIRST_MOMENT**step)
            now -= RATE * speed / (numpy.sqrt(second / (1 - _SECOND_MOMENT**step)) + 1e-8)
    return Projection(*means, *maps)


def save(path: Path, projection: Projection) -> None:
    arrays: dict[str, Floats] = {}
    for name, mean, matrix in (
        ("query", projection.question_mean, projection.question_map),
        ("document", projection.turn_mean, projection.turn_map),
    ):
        arrays[f"{name}_mean"] = mean.astype(numpy.float32)
        arrays |= {f"{name}_{part}": held for part, held in pack_map(matrix).items()}
    with path.open("wb") as file:
        numpy.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's stub takes its option for one of the arrays


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.train_recall.maps", description=__doc__)
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("--lives", type=Path, default=Path("tests/corpora/lives"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--pull", type=float, help="instead of the best on the lives of choose")
    asked = parser.parse_args(arguments)
    embedder = open_local(MODELS[asked.model], "", "")
    train = [embed_life(life, embedder) for life in load_lives(asked.lives, "train")]
    choose = [embed_life(life, embedder) for life in load_lives(asked.lives, "choose")]
    means = find_means(train)
    identity = numpy.eye(len(means[0]), dtype=numpy.float32)
    zero = numpy.zeros_like(means[0])
    print(f"{len(train)} lives to learn from, {len(choose)} to choose by; first right, found among ten")
    print("as they come   {:.3f} {:.3f}".format(*measure(choose, Projection(zero, zero, identity, identity))))
    print("centred        {:.3f} {:.3f}".format(*measure(choose, Projection(*means, identity, identity))))
    found: list[tuple[float, Projection]] = []
    for pull in PULLS if asked.pull is None else (asked.pull,):
        learnt = learn(train, pull)
        first, share = measure(choose, learnt)
        print(f"pull {pull:<9.0f} {first:.3f} {share:.3f}")
        found.append((first + share, learnt))
    save(asked.out or Path(FOLDER) / f"{asked.model}.npz", max(found, key=lambda one: one[0])[1])
    return 0


def pack_map(matrix: "Floats") -> "dict[str, NDArray[numpy.generic]]":
    """A map as its difference from identity in eight bits, with a scale for each row."""
    apart = matrix - numpy.eye(len(matrix), dtype=numpy.float32)
    scale = numpy.maximum(numpy.abs(apart).max(axis=1), 1e-12) / 127
    return {"map": numpy.rint(apart / scale[:, None]).astype(numpy.int8), "scale": scale.astype(numpy.float32)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
