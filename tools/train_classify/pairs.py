"""Learn the heads for two texts from tests/corpora and write them.

usage: python -m tools.train_classify.pairs [--check] [--out FILE]

A question and the memories of its set are one example: one of them answers, or none does. Thresholds come from folds in which a question is
judged by weights that saw nothing of its set. Nothing random: the same corpora give the same file.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy
from numpy.typing import NDArray
from tools.train_classify import asks
from tools.train_classify.examples import CORPORA, SEALED, rows
from tools.train_classify.training import calibrate, encoder

from everself.classify.features import EMBEDDED, shortened
from everself.classify.pairs import CROWD, PATH, VERSION, answer_features, padded, same_features
from everself.classify.weights import pack, unpack

Floats = NDArray[numpy.float64]
Embed = Callable[[Sequence[str]], NDArray[Any]]

FOLDS: Final = 3
FEW: Final = 2
EVERY: Final = 2
# other people's sentences of each language that stand beside what is known
BESIDE: Final = 3
RIDGE: Final = 0.01
STEPS: Final = 150
# of what nobody told, so much may be answered without reserve; somewhat less than is promised
INVENTED: Final = 0.025
# of what is found, so much is shown at least as the nearest
SHOWN: Final = {"deep": 0.99, "light": 0.9}
# of what is called the same so much is so; of what contradicts or only looks alike so little is called so
PRECISE: Final = 0.95
MISTAKEN: Final = 0.01
LANGUAGES: Final = ("en", "zh", "ko", "ja")


@dataclass(frozen=True, slots=True)
class Question:
    """`group` is judged in one fold; `right` says which of the memories answers."""

    text: str
    memories: tuple[str, ...]
    right: tuple[bool, ...]
    group: str
    corpus: str
    answerable: bool
    few: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    one: str
    other: str
    same: bool
    corpus: str


@dataclass(frozen=True, slots=True)
class Head:
    weights: Floats
    bias: float


def sources() -> list[Path]:
    names = ("asks", "reflex", "conflicts", "pairs")
    found = [path for name in names for path in sorted((CORPORA / name).rglob("*.jsonl")) if SEALED not in path.parts]
    return [*found, CORPORA / "likeness.jsonl"]


def fingerprint() -> str:
    hashed = hashlib.sha256()
    for path in sources():
        hashed.update(f"{path.relative_to(CORPORA).as_posix()}\0".encode())
        hashed.update(hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()


def asked() -> Iterator[tuple[str, str, list[str], str, int | None]]:
    """Each question with its corpus, its set, what was told there and which of it answers."""
    for path in (one for one in sources() if one.relative_to(CORPORA).parts[0] == "reflex"):
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        told = [row for row in found if row["kind"] == "statement"]
        places = {row["id"]: at for at, row in enumerate(told)}
        for row in found:
            if row["kind"] != "statement":
                about = places[row["about"]] if row["kind"] == "question" else None
                yield "reflex", str(path.relative_to(CORPORA)), [one["text"] for one in told], row["text"], about
    for language in LANGUAGES:
        sets = {row["set"]: row["memories"] for _, row in rows(f"pairs/open/answers-sets-{language}.jsonl")}
        for _, row in rows(f"pairs/open/answers-{language}.jsonl"):
            yield "pairs", row["set"], sets[row["set"]], row["question"], row["answer"]


def background() -> list[str]:
    """Of each language in turn, from the middle of its first corpus."""
    told = [[row["text"] for _, row in rows(f"reflex/{one}.jsonl") if row["kind"] == "statement"] for one in LANGUAGES]
    return [texts[len(texts) // 2 + 7 * number] for number in range(BESIDE) for texts in told]


def questions(vectors: dict[str, Any]) -> list[Question]:
    """With the memories that recall would find, about: the nearest by words and meaning."""
    made = []
    crowd = background()
    for number, (corpus, group, told, text, about) in enumerate(asked()):
        near = numpy.stack([vectors[one] for one in told]) @ vectors[text]
        words = answer_features(text, told, None)
        order = numpy.argsort(-(near + words[:, 0] + 0.5 * words[:, 7]), kind="stable")[:CROWD]
        memories = tuple(told[at] for at in order)
        right = tuple(about is not None and one == told[about] for one in memories)
        # of one large set a question may be learned from and another be judged; of a small one not
        own = group if corpus == "pairs" else f"{group} {text}"
        made.append(Question(text, memories, right, own, corpus, about is not None))
        if number % EVERY == 0:
            # who has told little yet is answered, too
            few = tuple(padded(memories[:FEW], crowd))
            known = (*right[:FEW], *(False for _ in few[FEW:]))
            made.append(Question(text, few, known, own, corpus, any(known), few=True))
    return made


def pairs() -> list[Pair]:
    made = []
    for _, row in rows("pairs/open/same-*.jsonl"):
        made.append(Pair(row["a"], row["b"], row["label"] == "same", "pairs"))
    for _, row in rows("likeness.jsonl"):
        made.append(Pair(row["one"], row["other"], row["kind"] == "same", "likeness"))
    for _, row in rows("conflicts/*.jsonl", "conflicts/more/*.jsonl"):
        made.append(Pair(row["older"], row["newer"], False, "conflicts"))
    return made


def fold_of(group: str) -> int:
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS


class Batch:
    """Examples of as many rows as the longest; `there` says which rows are real."""

    def __init__(self, features: Sequence[Floats], right: Sequence[Sequence[bool]]) -> None:
        most = max(len(one) for one in features)
        shape = (len(features), most)
        self.rows = numpy.zeros((*shape, features[0].shape[1]), dtype=numpy.float32)
        self.there, self.right = numpy.zeros(shape), numpy.zeros(shape)
        for at, (one, answers) in enumerate(zip(features, right, strict=True)):
            self.rows[at, : len(one)] = one
            self.there[at, : len(one)] = 1
            self.right[at, : len(one)] = answers
        self.right /= numpy.maximum(1, self.right.sum(axis=1))[:, None]

    def of(self, which: NDArray[Any]) -> "Batch":
        made = Batch.__new__(Batch)
        made.rows, made.there, made.right = self.rows[which], self.there[which], self.right[which]
        return made

    def odds(self, head: Head) -> Floats:
        return numpy.where(self.there > 0, self.rows @ head.weights + head.bias, -1e9)


def shares(odds: Floats) -> Floats:
    """Of each row, beside none of them."""
    top = numpy.maximum(odds.max(axis=1), 0)
    raised = numpy.exp(odds - top[:, None])
    return numpy.asarray(raised / (raised.sum(axis=1) + numpy.exp(-top))[:, None])


def fit(batch: Batch) -> Head:
    """The likelihood of the right row, or of none, made as large as it gets; by Adam, over all at once."""
    there = batch.there > 0
    real = batch.rows[there]
    mean, spread = real.mean(axis=0), real.std(axis=0) + 1e-6
    count, _, size = batch.rows.shape
    # whole embeddings come last: their numbers are many and small, and stay so: each says less than a feature that was thought of
    embedded_from = size % EMBEDDED
    mean[embedded_from:], spread[embedded_from:] = 0.0, 1.0
    flat = ((real - mean) / spread).astype(numpy.float32)
    turned = numpy.ascontiguousarray(flat.T)
    weight = numpy.zeros(size + 1)
    first, second = numpy.zeros(size + 1), numpy.zeros(size + 1)
    odds = numpy.full(batch.there.shape, -1e9)
    for step in range(1, STEPS + 1):
        odds[there] = flat @ weight[:-1].astype(numpy.float32) + weight[-1]
        error = ((shares(odds) - batch.right) / count)[there]
        slope = numpy.append(turned @ error.astype(numpy.float32) + RIDGE * weight[:-1], error.sum())
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope * slope
        weight -= 0.02 * (first / (1 - 0.9**step)) / (numpy.sqrt(second / (1 - 0.999**step)) + 1e-8)
    scaled = weight[:-1] / spread
    return Head(scaled, float(weight[-1] - mean @ scaled))


def held_out(batch: Batch, folds: NDArray[Any]) -> Floats:
    odds = numpy.zeros(batch.there.shape)
    for fold in range(FOLDS):
        inside, outside = numpy.flatnonzero(folds != fold), numpy.flatnonzero(folds == fold)
        odds[outside] = batch.of(outside).odds(fit(batch.of(inside)))
    return odds


def temper(batch: Batch, odds: Floats) -> float:
    """By what odds must be divided, so that what is called 80 % likely is so four times of five."""

    def loss(temperature: float) -> float:
        likely = shares(odds / temperature)
        none = 1 - likely.sum(axis=1)
        right = (likely * batch.right).sum(axis=1) + none * (batch.right.sum(axis=1) == 0)
        return -float(numpy.log(numpy.maximum(right, 1e-9)).sum())

    return min((0.5 * 1.08**step for step in range(30)), key=loss)


def learn_answers(found: Sequence[Question], vectors: dict[str, Any], kind: str) -> tuple[Head, dict[str, float]]:
    def features(one: Question) -> Floats:
        dense = numpy.stack([vectors[text] for text in (one.text, *one.memories)]) if kind == "deep" else None
        return answer_features(one.text, one.memories, dense)

    batch = Batch([features(one) for one in found], [one.right for one in found])
    odds = held_out(batch, numpy.array([fold_of(one.group) for one in found]))
    temperature = temper(batch, odds)
    likely = shares(odds / temperature)
    best, value = likely.argmax(axis=1), likely.max(axis=1)
    right = batch.right[numpy.arange(len(found)), best] > 0
    ours = numpy.array([one.corpus == "pairs" for one in found])
    many = numpy.array([not one.few for one in found])
    answerable = numpy.array([one.answerable for one in found])
    sure = max(_at_most(value[~answerable & many & part]) for part in (ours, ~ours))
    near = float(numpy.quantile(value[answerable & many & right], 1 - SHOWN[kind]))
    head = fit(batch)
    figures: dict[str, float] = {"sure": round(sure, 4), "near": round(near, 4)}
    for name, part in (("pairs", ours & many), ("reflex", ~ours & many), ("few", ~many)):
        known, unknown = part & answerable, part & ~answerable
        figures[f"{name}-right"] = round(float((right & (value >= near))[known].mean()), 4)
        figures[f"{name}-told"] = round(float((right & (value >= sure))[known].mean()), 4)
        figures[f"{name}-wrong"] = round(float((~right & (value >= sure))[known].mean()), 4)
        figures[f"{name}-invented"] = round(float((value >= sure)[unknown].mean()), 4)
        figures[f"{name}-pointed"] = round(float((value >= near)[unknown].mean()), 4)
    return Head(head.weights / temperature, head.bias / temperature), figures


def _at_most(values: Floats) -> float:
    """What no more than the allowed share reaches."""
    ranked = numpy.sort(values)[::-1]
    return float(ranked[int(INVENTED * len(ranked))]) + 1e-4


def learn_same(found: Sequence[Pair], vectors: dict[str, Any], kind: str) -> tuple[Head, dict[str, float]]:
    def features(one: Pair) -> Floats:
        dense = [vectors[one.one], vectors[one.other]] if kind == "deep" else None
        return same_features(one.one, one.other, dense)[None]

    right = [one.same for one in found]
    batch = Batch([features(one) for one in found], [(one,) for one in right])
    wanted = numpy.array(right, dtype=numpy.float64)
    odds = held_out(batch, numpy.array([fold_of(one.one) for one in found]))[:, 0]
    temperature = calibrate(odds, wanted, numpy.ones(len(found)))
    likely = 1 / (1 + numpy.exp(-odds / temperature))
    ours = numpy.array([one.corpus == "pairs" for one in found])
    others = ~ours & (wanted == 0)
    steps = [at / 100 for at in range(30, 100)]
    sure = next(
        (
            at
            for at in steps
            if _precision(likely[ours] >= at, wanted[ours]) >= PRECISE and (likely[others] >= at).mean() <= MISTAKEN
        ),
        0.99,
    )
    said = likely >= sure
    figures = {
        "sure": sure,
        "precision": round(_precision(said[ours], wanted[ours]), 4),
        "recall": round(float(said[ours & (wanted > 0)].mean()), 4),
        "mistaken": round(float(said[others].mean()), 4),
    }
    learned = fit(batch)
    return Head(learned.weights / temperature, learned.bias / temperature), figures


def _precision(said: NDArray[Any], wanted: Floats) -> float:
    return float((wanted * said).sum() / max(1.0, float(said.sum())))


def embedded(embed: Embed) -> dict[str, Any]:
    texts: dict[str, None] = {}
    for _, _, told, text, _ in asked():
        texts |= dict.fromkeys((text, *told))
    for one in pairs():
        texts |= dict.fromkeys((one.one, one.other))
    read = list(dict.fromkeys(map(shortened, texts)))
    found = dict(zip(read, embed(read).astype(numpy.float64), strict=True))
    return {text: found[shortened(text)] for text in texts}


def train(say: Callable[[str], None]) -> bytes:
    embed = encoder()
    vectors = embedded(embed)
    found, alike = questions(vectors), pairs()
    told: dict[str, Any] = {
        "features": VERSION,
        "corpora": fingerprint(),
        "background": background(),
        "answers": {},
        "same": {},
    }
    arrays: dict[str, NDArray[Any]] = {}
    for kind in ("deep", "light"):
        for name, (head, figures) in (
            ("answers", learn_answers(found, vectors, kind)),
            ("same", learn_same(alike, vectors, kind)),
        ):
            told[name][kind] = figures
            arrays[f"{name}.{kind}.weights"] = head.weights.astype("<f4")
            arrays[f"{name}.{kind}.bias"] = numpy.array([head.bias], dtype="<f4")
            say(f"{name} {kind}: {json.dumps(figures)}")
    learned, told["asks"] = asks.learn(embed)
    say(f"asks: {json.dumps(told['asks'])}")
    return pack(told, arrays | learned)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_classify.pairs", description="Learn the heads for two texts."
    )
    parser.add_argument("--check", action="store_true", help="only compare the weights with the corpora")
    parser.add_argument("--out", default=PATH, metavar="FILE", help="where the weights are written")
    options = parser.parse_args()
    if options.check:
        if unpack(Path(options.out).read_bytes()).told["corpora"] == fingerprint():
            return 0
        print("The weights were learned from other corpora. Run: python -m tools.train_classify.pairs", file=sys.stderr)
        return 1
    data = train(lambda line: print(line, flush=True))
    Path(options.out).write_bytes(data)
    print(f"{options.out}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
