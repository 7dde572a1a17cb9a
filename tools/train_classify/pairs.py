"""Train the heads for two texts on tests/corpora and write them.

usage: python -m tools.train_classify.pairs [--check] [--out FILE]

A question and the memories of its set are one example: one of them answers, or none does. Thresholds come from folds in
which a question is judged by weights that were not trained on its set. Deterministic: the same corpora give the same
file.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal

import numpy
from numpy.typing import NDArray
from tools.train_classify import asks
from tools.train_classify.command import pack, run
from tools.train_classify.examples import CORPORA, SEALED, rows
from tools.train_classify.fit import Plan, scores, stack
from tools.train_classify.fit import fit as logistic
from tools.train_classify.training import calibrate, encoder

from everself.classify.features import EMBEDDED, shortened
from everself.classify.pairs import (
    CROWD,
    PATH,
    VERSION,
    answer_features,
    padded,
    replace_features,
    same_features,
    sure_features,
)
from everself.classify.wording import compared, words_of

Floats = NDArray[numpy.float64]
Embed = Callable[[Sequence[str]], NDArray[Any]]

Kind = Literal["real", "few", "dropped"]

FOLDS: Final = 4
FEW: Final = 2
EVERY: Final = 2
# other people's sentences per language that are added to the known ones
BESIDE: Final = 3
RIDGE: Final = 0.01
STEPS: Final = 150
# the maximum share of unanswerable questions that may be answered without reserve
INVENTED: Final = 0.03
# the same for typed questions; stricter than promised, because new people always differ from those in the corpus
TYPED: Final = 0.02
# the weight of a question when training the head for certainty, by its kind and its corpus
COUNTS: Final = {"real": 1.0, "few": 0.15, "dropped": 0.1}
CORPUS: Final = {"pairs": 1.0, "plain": 3.0, "reflex": 0.6, "grounded": 2.0}
SURE: Final = Plan(ridge=0.2, grams=0.001, steps=100)
SURE_SCALE: Final = 0.3
DIRECTIONS: Final = 48
# the minimum share of right memories that must be shown at least as the nearest
SHOWN: Final = {"deep": 0.96, "light": 0.9}
# the minimum precision of "same", and the maximum share of contradicting or merely similar pairs called so
PRECISE: Final = 0.95
MISTAKEN: Final = 0.01
# the minimum share of corrected statements that lead to a question to the owner
ASKED: Final = 0.93
LANGUAGES: Final = ("en", "zh", "ko", "ja")
# parts of the corpus of pairs, and the corpus that each counts as
PARTS: Final = {"open": "pairs", "more": "pairs", "seen": "pairs", "plain": "plain"}


@dataclass(frozen=True, slots=True)
class Question:
    """`group`: judged in one fold; `right`: which of the memories answer."""

    text: str
    memories: tuple[str, ...]
    right: tuple[bool, ...]
    group: str
    corpus: str
    answerable: bool
    kind: Kind = "real"
    # how many of the memories are the person's own; the others were added
    own: int = CROWD


@dataclass(frozen=True, slots=True)
class Pair:
    one: str
    other: str
    label: Literal["same", "contradicts", "differs"]
    corpus: str


@dataclass(frozen=True, slots=True)
class Head:
    weights: Floats
    bias: float


def sources() -> list[Path]:
    names = ("asks", "reflex", "conflicts", "pairs", "messages/open", "grounded")
    found = [path for name in names for path in sorted((CORPORA / name).rglob("*.jsonl")) if SEALED not in path.parts]
    return [*found, CORPORA / "likeness.jsonl"]


def fingerprint() -> str:
    hashed = hashlib.sha256()
    for path in sources():
        hashed.update(f"{path.relative_to(CORPORA).as_posix()}\0".encode())
        hashed.update(hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()


def asked() -> Iterator[tuple[str, str, list[str], str, tuple[int, ...]]]:
    """Each question with its corpus, its set, the statements of the set, and the indexes of those that answer it."""
    for path in (one for one in sources() if one.relative_to(CORPORA).parts[0] == "reflex"):
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        told = [row for row in found if row["kind"] == "statement"]
        places = {row["id"]: at for at, row in enumerate(told)}
        for row in found:
            if row["kind"] != "statement":
                about = (places[row["about"]],) if row["kind"] == "question" else ()
                yield "reflex", str(path.relative_to(CORPORA)), [one["text"] for one in told], row["text"], about
    for part, language in product(PARTS, LANGUAGES):
        sets = {row["set"]: row["memories"] for _, row in rows(f"pairs/{part}/answers-sets-{language}.jsonl")}
        for _, row in rows(f"pairs/{part}/answers-{language}.jsonl"):
            about = () if row["answer"] is None else (row["answer"],)
            yield PARTS[part], row["set"], sets[row["set"]], row["question"], about
    for _, row in rows("grounded/train/*.jsonl"):
        for one in row["messages"]:
            if "question" in one["acts"]:
                yield "grounded", row["id"], row["known"], one["text"], tuple(one["answers"])


def background() -> list[str]:
    """Other people's sentences: of each language in turn, from the middle of its first corpus."""
    told = [[row["text"] for _, row in rows(f"reflex/{one}.jsonl") if row["kind"] == "statement"] for one in LANGUAGES]
    return [texts[len(texts) // 2 + 7 * number] for number in range(BESIDE) for texts in told]


def questions(vectors: dict[str, Any]) -> list[Question]:
    """Each question with the memories that recall would roughly find: the nearest by words and meaning."""
    made = []
    crowd = background()
    for number, (corpus, group, told, text, about) in enumerate(asked()):
        near = numpy.stack([vectors[one] for one in told]) @ vectors[text]
        words = answer_features(text, told, None)
        order = numpy.argsort(-(near + words[:, 0] + 0.5 * words[:, 7]), kind="stable")
        ranked = [told[at] for at in order]
        answers = frozenset(told[at] for at in about)
        # a large set may be split between training and judging by question; a small one may not
        own = f"{group} {text}" if corpus == "reflex" else group
        made.append(_question((text, own, corpus), ranked[:CROWD], answers, "real"))
        if number % EVERY == 0:
            # people with few memories must get answers as well
            made.append(_question((text, own, corpus), padded(ranked[:FEW], crowd), answers, "few"))
        if answers and corpus != "reflex":
            # the same question to a person who never stated the answer
            rest = [one for one in ranked if one not in answers]
            made.append(_question((text, own, corpus), rest[:CROWD], answers, "dropped"))
    return made


def _question(asks: tuple[str, str, str], memories: Sequence[str], answers: frozenset[str], kind: Kind) -> Question:
    text, group, corpus = asks
    right = tuple(one in answers for one in memories)
    answerable = any(right) if kind != "real" else bool(answers)
    return Question(text, tuple(memories), right, group, corpus, answerable, kind, FEW if kind == "few" else CROWD)


def pairs() -> list[Pair]:
    made = []
    for _, row in rows(*(f"pairs/{part}/same-*.jsonl" for part in PARTS)):
        made.append(Pair(row["a"], row["b"], row["label"], "pairs"))
    for _, row in rows("likeness.jsonl"):
        made.append(Pair(row["one"], row["other"], "same" if row["kind"] == "same" else "differs", "likeness"))
    for _, row in rows("conflicts/*.jsonl", "conflicts/more/*.jsonl"):
        label: Literal["contradicts", "differs"] = "contradicts" if row["label"] == "contradiction" else "differs"
        made.append(Pair(row["older"], row["newer"], label, "conflicts"))
    return made


def fold_of(group: str) -> int:
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS


class Batch:
    """Padded examples; `there` says which rows are real."""

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
    """The likelihood of each row among all rows and the outcome that none is right."""
    top = numpy.maximum(odds.max(axis=1), 0)
    raised = numpy.exp(odds - top[:, None])
    return numpy.asarray(raised / (raised.sum(axis=1) + numpy.exp(-top))[:, None])


def fit(batch: Batch) -> Head:
    """Maximise the likelihood of the right row, or of none, by Adam over the whole batch."""
    there = batch.there > 0
    real = batch.rows[there]
    mean, spread = real.mean(axis=0), real.std(axis=0) + 1e-6
    count, _, size = batch.rows.shape
    # embeddings come last and are not scaled up: their numbers are many, and each says less than a designed feature
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


def held_out(batch: Batch, folds: NDArray[Any], learned: NDArray[Any]) -> Floats:
    """The odds of all examples, by weights of other folds. `learned`: the examples to train on."""
    odds = numpy.zeros(batch.there.shape)
    for fold in range(FOLDS):
        inside, outside = numpy.flatnonzero((folds != fold) & learned), numpy.flatnonzero(folds == fold)
        odds[outside] = batch.of(outside).odds(fit(batch.of(inside)))
    return odds


def temper(batch: Batch, odds: Floats) -> float:
    """The temperature by which odds must be divided, so that four of five results called 80 % likely are right."""

    def loss(temperature: float) -> float:
        likely = shares(odds / temperature)
        none = 1 - likely.sum(axis=1)
        right = (likely * batch.right).sum(axis=1) + none * (batch.right.sum(axis=1) == 0)
        return -float(numpy.log(numpy.maximum(right, 1e-9)).sum())

    return min((0.5 * 1.08**step for step in range(30)), key=loss)


def learn_answers(found: Sequence[Question], vectors: dict[str, Any], kind: str) -> "Answers":
    def features(one: Question) -> Floats:
        dense = numpy.stack([vectors[text] for text in (one.text, *one.memories)]) if kind == "deep" else None
        return answer_features(one.text, one.memories, dense)

    every = [features(one) for one in found]
    batch = Batch(every, [one.right for one in found])
    learned = numpy.array([one.kind != "dropped" for one in found])
    odds = held_out(batch, numpy.array([fold_of(one.group) for one in found]), learned)
    temperature = temper(batch.of(numpy.flatnonzero(learned)), odds[learned])
    odds /= temperature
    likely = numpy.where(
        numpy.arange(odds.shape[1]) < numpy.array([one.own for one in found])[:, None], shares(odds), -1
    )
    best, value = likely.argmax(axis=1), likely.max(axis=1)
    right = batch.right[numpy.arange(len(found)), best] > 0
    head = fit(batch.of(numpy.flatnonzero(learned)))
    head = Head(head.weights / temperature, head.bias / temperature)
    return Answers(head, every, odds, best, value, right)


@dataclass(frozen=True, slots=True)
class Answers:
    """The ranking head, and its results for each question by weights that were not trained on its set."""

    head: Head
    rows: Sequence[Floats]
    odds: Floats
    best: NDArray[Any]
    value: Floats
    right: NDArray[Any]


def thresholds(found: Sequence[Question], learned: Answers, value: Floats, kept: float) -> dict[str, float]:
    """Thresholds for a certain answer and for showing a memory as the nearest, with the shares of right and wrong results."""
    corpus, kinds = numpy.array([one.corpus for one in found]), numpy.array([one.kind for one in found])
    answerable = numpy.array([one.answerable for one in found])
    # `plain` is easy, so it has figures of its own
    parts = {one: (kinds == "real") & (corpus == one) for one in ("pairs", "plain", "reflex", "grounded")}
    parts["few"] = kinds == "few"
    limits = (
        (parts["pairs"] | parts["plain"] | parts["grounded"], INVENTED),
        *((parts[one], INVENTED) for one in ("reflex", "few")),
        (parts["grounded"], TYPED),
    )
    sure = max(_at_most(value[~answerable & part], share) for part, share in limits)
    right = learned.right
    near = float(numpy.quantile(value[parts["grounded"] & answerable & right], 1 - kept))
    shown, said = value >= near, value >= sure
    figures: dict[str, float] = {"sure": round(sure, 4), "near": round(near, 4)}
    for name, part in parts.items():
        known, unknown = part & answerable, part & ~answerable
        figures[f"{name}-right"] = round(float((right & shown)[known].mean()), 4)
        figures[f"{name}-told"] = round(float((right & said)[known].mean()), 4)
        figures[f"{name}-wrong"] = round(float((~right & said)[known].mean()), 4)
        figures[f"{name}-invented"] = round(float(said[unknown].mean()), 4)
        figures[f"{name}-pointed"] = round(float(shown[unknown].mean()), 4)
    return figures


def learn_sure(found: Sequence[Question], learned: Answers, vectors: dict[str, Any]) -> tuple[Head, Floats]:
    """Train whether the best memory answers the question, judged alone: over few directions of the embeddings, on the folds' results."""
    made = []
    for at, one in enumerate(found):
        best, row = int(learned.best[at]), learned.rows[at]
        words = compared(*([vectors[word] for word in words_of(text)] for text in (one.text, one.memories[best])))
        made.append(sure_features(row, learned.odds[at, : len(row)], best, words, vectors[one.text]))
    table = numpy.stack(made)
    axes = _narrowed(table, vectors)
    narrow = table @ axes
    mean, spread = narrow.mean(axis=0), narrow.std(axis=0) + 1e-6
    scaled = SURE_SCALE * (narrow - mean) / spread
    stacked = stack([numpy.zeros(1, dtype=numpy.int64) for _ in found], scaled)
    wanted = learned.right.astype(numpy.float64)
    weight = numpy.array([COUNTS[one.kind] * CORPUS[one.corpus] for one in found])
    folds = numpy.array([fold_of(one.group) for one in found])
    odds = numpy.zeros(len(found))
    for fold in range(FOLDS):
        inside, outside = numpy.flatnonzero(folds != fold), numpy.flatnonzero(folds == fold)
        weights = logistic(stacked.of(inside), wanted[inside], weight[inside], 1, SURE)
        odds[outside] = scores(weights, stacked.of(outside))
    temperature = calibrate(odds, wanted, weight)
    whole = logistic(stacked, wanted, weight, 1, SURE)
    back = SURE_SCALE * whole.dense / spread / temperature
    bias = (whole.bias + float(whole.grams[0])) / temperature - float(mean @ back)
    return Head(axes @ back, bias), 1 / (1 + numpy.exp(-odds / temperature))


def _narrowed(table: Floats, vectors: dict[str, Any]) -> Floats:
    """The projection of a row onto the trained features: single numbers unchanged, embeddings reduced to the directions
    of largest variance.
    """
    plain = table.shape[1] - 3 * EMBEDDED
    spread = numpy.cov(numpy.stack(list(vectors.values())), rowvar=False)
    sizes, found = numpy.linalg.eigh(spread)
    best = numpy.argsort(sizes)[::-1][:DIRECTIONS]
    made = numpy.zeros((table.shape[1], plain + 3 * DIRECTIONS))
    made[:plain, :plain] = numpy.eye(plain)
    for part in range(3):
        down, across = plain + part * EMBEDDED, plain + part * DIRECTIONS
        made[down : down + EMBEDDED, across : across + DIRECTIONS] = found[:, best] / numpy.sqrt(sizes[best])
    return made


def _at_most(values: Floats, share: float) -> float:
    """The value that at most this share exceeds."""
    ranked = numpy.sort(values)[::-1]
    return float(ranked[int(share * len(ranked))]) + 1e-4


def learn_same(found: Sequence[Pair], vectors: dict[str, Any], kind: str) -> tuple[Head, dict[str, float]]:
    def features(one: Pair) -> Floats:
        dense = [vectors[one.one], vectors[one.other]] if kind == "deep" else None
        return same_features(one.one, one.other, dense)[None]

    head, likely = _learn_pairs(found, [features(one) for one in found], [one.label == "same" for one in found])
    wanted = numpy.array([float(one.label == "same") for one in found])
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
    return head, {
        "sure": sure,
        "precision": round(_precision(said[ours], wanted[ours]), 4),
        "recall": round(float(said[ours & (wanted > 0)].mean()), 4),
        "mistaken": round(float(said[others].mean()), 4),
    }


def learn_replaces(found: Sequence[Pair], vectors: dict[str, Any], kind: str) -> tuple[Head, dict[str, float]]:
    """Train whether a newer statement gives another value for what an older one states."""
    found = [one for one in found if one.corpus != "likeness"]

    def features(one: Pair) -> Floats:
        if kind != "deep":
            return replace_features(one.other, one.one, None, None)[None]
        words = compared(*([vectors[word] for word in words_of(text)] for text in (one.other, one.one)))
        return replace_features(one.other, one.one, [vectors[one.other], vectors[one.one]], words)[None]

    right = [one.label == "contradicts" for one in found]
    head, likely = _learn_pairs(found, [features(one) for one in found], right)
    wanted = numpy.array(right, dtype=numpy.float64)
    sure = round(float(numpy.quantile(likely[wanted > 0], 1 - ASKED)), 4)
    said = likely >= sure
    recall = round(float(said[wanted > 0].mean()), 4)
    return head, {"sure": sure, "precision": round(_precision(said, wanted), 4), "recall": recall}


def _learn_pairs(found: Sequence[Pair], features: Sequence[Floats], right: Sequence[bool]) -> tuple[Head, Floats]:
    """The head for all pairs, and the likelihood of each pair by weights of folds without it."""
    batch = Batch(features, [(one,) for one in right])
    folds = numpy.array([fold_of(one.one) for one in found])
    odds = held_out(batch, folds, numpy.ones(len(found), dtype=bool))[:, 0]
    temperature = calibrate(odds, numpy.array(right, dtype=numpy.float64), numpy.ones(len(found)))
    learned = fit(batch)
    return Head(learned.weights / temperature, learned.bias / temperature), 1 / (1 + numpy.exp(-odds / temperature))


def _precision(said: NDArray[Any], wanted: Floats) -> float:
    return float((wanted * said).sum() / max(1.0, float(said.sum())))


def embedded(embed: Embed) -> dict[str, Any]:
    texts: dict[str, None] = {}
    for _, _, told, text, _ in asked():
        texts |= dict.fromkeys((text, *told))
    for one in pairs():
        texts |= dict.fromkeys((one.one, one.other))
    texts |= dict.fromkeys(word for text in list(texts) for word in words_of(text))
    read = list(dict.fromkeys(map(shortened, texts)))
    found = dict(zip(read, embed(read).astype(numpy.float64), strict=True))
    return {text: found[shortened(text)] for text in texts}


def train(say: Callable[[str], None]) -> bytes:
    embed = encoder()
    vectors = embedded(embed)
    found, alike = questions(vectors), pairs()
    told: dict[str, Any] = {"features": VERSION, "corpora": fingerprint(), "background": background()}
    heads: dict[str, Head] = {}
    told |= {"answers": {}, "same": {}, "replaces": {}}
    for kind in ("deep", "light"):
        learned = learn_answers(found, vectors, kind)
        heads[f"answers.{kind}"] = learned.head
        told["answers"][kind] = thresholds(found, learned, learned.value, SHOWN[kind])
        if kind == "deep":
            heads["sure"], value = learn_sure(found, learned, vectors)
            told["sure"] = thresholds(found, learned, value, SHOWN[kind])
            say(f"sure: {json.dumps(told['sure'])}")
        heads[f"same.{kind}"], told["same"][kind] = learn_same(alike, vectors, kind)
        heads[f"replaces.{kind}"], told["replaces"][kind] = learn_replaces(alike, vectors, kind)
        say(f"replaces {kind}: {json.dumps(told['replaces'][kind])}")
        say(f"answers {kind}: {json.dumps(told['answers'][kind])}")
        say(f"same {kind}: {json.dumps(told['same'][kind])}")
    arrays: dict[str, NDArray[Any]] = {}
    for name, head in heads.items():
        arrays[f"{name}.weights"] = head.weights.astype("<f4")
        arrays[f"{name}.bias"] = numpy.array([head.bias], dtype="<f4")
    more, told["asks"] = asks.learn(embed)
    say(f"asks: {json.dumps(told['asks'])}")
    return pack(told, arrays | more)


if __name__ == "__main__":
    learn = partial(train, partial(print, flush=True))
    sys.exit(run("tools.train_classify.pairs", "Learn the heads for two texts.", PATH, fingerprint, learn))
