"""Fits the weights of src/everself/reflex/judging.py over tests/corpora/reflex, without what is held out, and prints them.

    PYTHONPATH=src:. python tools/fit_reflex.py

Each question is searched for as the reflex would, without vectors and with them; every memory that is found and not ruled out is an
example, right where the question's statement is in it. A small logistic regression, the same every time. A third of the questions of
`more` is left out of it. What weights make of a language when they were fitted on the other three is printed first.
"""

import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy
from numpy.typing import NDArray
from tests.reflex.talking import agent, talk
from tests.reflex.test_corpus import load, plain

from everself.models.chat.protocol import ToolReturn
from everself.recall.recall import Request
from everself.reflex.answering import found_in, lead
from everself.reflex.judging import ENOUGH, weigh
from everself.reflex.planning import RESULTS, plan_reply
from everself.values import Hit

LANGUAGES = ("en", "zh", "ko", "ja")
# near misses teach more
WEIGHT = {"": 1.0, "more": 2.0}
RIDGE = 2.0
STEPS = 50


@dataclass(slots=True)
class Example:
    """A question with the features of what was found for it, and whether each is its answer."""

    language: str
    answerable: bool
    weight: float
    left_out: bool
    features: list[list[float]] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)


def draw() -> frozenset[str]:
    """The questions of `more` that are left out, by their names."""
    # chance that is the same every time
    dice = random.Random(20261115)
    drawn: set[str] = set()
    for language in LANGUAGES:
        rows = load(language, "more", held_out=False)
        for kind in ("question", "unanswerable"):
            names = [str(row["id"]) for row in rows if row["kind"] == kind]
            drawn.update(dice.sample(names, len(names) // 3))
    return frozenset(drawn)


def examples(language: str, corpus: str, left_out: frozenset[str]) -> list[Example]:
    rows = load(language, corpus, held_out=False)
    told = {str(row["id"]): str(row["text"]) for row in rows if row["kind"] == "statement"}
    made: list[Example] = []
    with tempfile.TemporaryDirectory() as home:
        talk(home, list(told.values()))
        for meaning in (False, True):
            with agent(home) as app:
                if meaning:
                    app.index.sync()
                    app.index.embed()
                for row in rows:
                    acts = plan_reply(str(row["text"]), (), None).acts if row["kind"] != "statement" else ()
                    if len(acts) != 1 or acts[0].asked is None or acts[0].job != "answer":
                        continue
                    out = bool(corpus) and str(row["id"]) in left_out
                    example = Example(language, row["kind"] == "question", WEIGHT[corpus], out)
                    searches = [Request(str(need.arguments["query"]), RESULTS, 0.0) for need in acts[0].needs]
                    found = found_in([returned(app.recall.search(one).hits) for one in searches])
                    texts = [one.words for one in found]
                    answers = row.get("answer")
                    words = [plain(str(word)) for word in answers] if isinstance(answers, list) else []
                    source = plain(told.get(str(row.get("about")), ""))
                    for one in found:
                        evidence = weigh(acts[0].asked, one.words, texts)
                        if evidence.out or evidence.sure:
                            continue
                        text = plain(one.words)
                        stems = bool(source) and (text in source or source in text)
                        example.features.append(
                            [float(each) for each in evidence.features(lead(one, found), one.again)]
                        )
                        example.right.append(stems and any(word in text for word in words))
                    made.append(example)
    return made


def returned(hits: Sequence[Hit]) -> ToolReturn:
    results = [{"path": hit.path, "snippet": hit.text, "citation": hit.reference, "score": hit.score} for hit in hits]
    return ToolReturn("", "memory_search", json.dumps({"results": results}))


def fit(made: Sequence[Example]) -> NDArray[numpy.float64]:
    """Weights, and the bias last."""
    features = numpy.array([[*one, 1.0] for example in made for one in example.features])
    right = numpy.array([float(one) for example in made for one in example.right])
    share = numpy.array([example.weight for example in made for _ in example.right])
    ridge = numpy.diag([RIDGE] * (features.shape[1] - 1) + [1e-9])
    weights = numpy.zeros(features.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + numpy.exp(-features @ weights))
        slope = features.T @ (share * (likely - right)) + ridge @ weights
        bend = (features * (share * likely * (1 - likely))[:, None]).T @ features + ridge
        weights -= numpy.linalg.solve(bend, slope)
    return weights


def measure(made: Sequence[Example], weights: NDArray[numpy.float64]) -> str:
    right = invented = 0
    for example in made:
        values = [float(numpy.dot([*one, 1.0], weights)) for one in example.features]
        if values and max(values) >= ENOUGH:
            right += example.right[values.index(max(values))]
            invented += not example.answerable
    asked = sum(example.answerable for example in made)
    return f"{right}/{asked} right, {invented}/{len(made) - asked} invented"


def main() -> None:
    left_out = draw()
    every = [one for language in LANGUAGES for corpus in WEIGHT for one in examples(language, corpus, left_out)]
    made = [one for one in every if not one.left_out]
    for language in LANGUAGES:
        weights = fit([one for one in made if one.language != language])
        print(language, measure([one for one in made if one.language == language], weights))
    weights = fit(made)
    print("fitted on", measure(made, weights))
    print("left out", measure([one for one in every if one.left_out], weights))
    print("bias", round(float(weights[-1]), 2), "weights", [round(float(one), 2) for one in weights[:-1]])


if __name__ == "__main__":
    main()
