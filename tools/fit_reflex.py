"""Fits the weights of src/everself/conversation/reflex/weights.py over tests/corpora/reflex and prints them.

    PYTHONPATH=src:. python tools/fit_reflex.py

Each question is searched for as the reflex would, without vectors and with them; every memory that is found and not ruled out is an
example, right where the question's statement is in it. Of what is shown as the nearest, what is ruled out is an example, too. A small
logistic regression for each, the same every time. What is printed first says how far to trust it: each question judged by weights that
saw neither it nor others about its statement, then by weights that saw no question of its corpus. The rules that rule out were written
with these questions in sight; the corpus `last` is for neither.
"""

import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy
from numpy.typing import NDArray
from tests.conversation.reflex.talking import agent, talk
from tests.conversation.reflex.test_corpus import load, plain

from everself.conversation.reflex._answers import found_in, standing
from everself.conversation.reflex._plan import RESULTS, plan_reply
from everself.conversation.reflex._scoring import weigh
from everself.conversation.reflex._weights import NEAR_WITH_MEANING, NEAR_WORDS_ONLY, WITH_MEANING, WORDS_ONLY
from everself.models.chat.protocol import ToolReturn
from everself.search.closeness import meaning_of
from everself.search.recall import RecallRequest, SearchResult

LANGUAGES = ("en", "zh", "ko", "ja")
CORPORA = ("", "more", "third")
RIDGE = 2.0
STEPS = 50
FOLDS = 8
# what is ruled out, and what needs no weighing
NEVER, FOR_SURE = -100.0, 100.0


@dataclass(slots=True)
class Example:
    """A question with the features of what was found for it, and whether each is its answer. `fixed` are values that no weight changes."""

    language: str
    corpus: str
    about: str
    meaning: bool
    answerable: bool
    features: list[list[float]] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    fixed: list[tuple[float, bool]] = field(default_factory=list)
    # the same for being the nearest: nothing is ruled out
    near: "Example | None" = None


def examples(language: str, corpus: str) -> list[Example]:
    rows = load(language, corpus)
    told = {str(row["id"]): str(row["text"]) for row in rows if row["kind"] == "statement"}
    made: list[Example] = []
    with tempfile.TemporaryDirectory() as home:
        talk(home, list(told.values()))
        for meaning in (False, True):
            with agent(home) as app:
                if meaning:
                    app.index.sync()
                    app.index.embed()
                made += [
                    example(
                        row,
                        told,
                        lambda query: app.recall.search(RecallRequest(query, RESULTS, 0.0)),
                        (language, corpus, meaning),
                    )
                    for row in rows
                    if row["kind"] != "statement"
                ]
    return made


def example(
    row: dict[str, object], told: dict[str, str], search: Callable[[str], SearchResult], of: tuple[str, str, bool]
) -> Example:
    language, corpus, meaning = of
    made, near = (
        Example(language, corpus, str(row.get("about") or row["id"]), meaning, row["kind"] == "question") for _ in "12"
    )
    made.near = near
    acts = plan_reply(str(row["text"]), (), None).acts
    if len(acts) != 1 or acts[0].asked is None or acts[0].job != "answer":
        return made
    found = found_in([returned(search(str(need.arguments["query"]))) for need in acts[0].needs])
    texts = [one.words for one in found]
    answers = row.get("answer")
    words = [plain(str(word)) for word in answers] if isinstance(answers, list) else []
    source = plain(told.get(str(row.get("about")), ""))
    for one in found:
        text = plain(one.words)
        stems = bool(source) and (text in source or source in text)
        right = stems and any(word in text for word in words)
        evidence = weigh(acts[0].asked, one.words, texts)
        near.features.append(list(evidence.near_features(standing(one, found))))
        near.right.append(right)
        if evidence.out or evidence.sure:
            made.fixed.append((NEVER if evidence.out else FOR_SURE, right))
        else:
            made.features.append(list(evidence.features(standing(one, found))))
            made.right.append(right)
    return made


def returned(found: SearchResult) -> ToolReturn:
    """What the tool would give back, as far as it is read."""
    results: list[dict[str, object]] = []
    for hit in found.hits:
        meaning = meaning_of(hit, found.provider)
        near = {} if meaning is None else {"meaning": round(meaning, 3)}
        results.append({"path": hit.path, "snippet": hit.text, "citation": hit.reference, "score": hit.score, **near})
    return ToolReturn("", "memory_search", json.dumps({"results": results}))


def fit(made: Sequence[Example]) -> NDArray[numpy.float64]:
    """Weights, and the bias last."""
    features = numpy.array([[*one, 1.0] for example in made for one in example.features])
    right = numpy.array([float(one) for example in made for one in example.right])
    ridge = numpy.diag([RIDGE] * (features.shape[1] - 1) + [1e-9])
    weights = numpy.zeros(features.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + numpy.exp(-features @ weights))
        slope = features.T @ (likely - right) + ridge @ weights
        bend = (features * (likely * (1 - likely))[:, None]).T @ features + ridge
        weights -= numpy.linalg.solve(bend, slope)
    return weights


Judged = tuple[Example, float, bool]


def judge(made: Sequence[Example], weights: NDArray[numpy.float64]) -> list[Judged]:
    """The best value for each question, and whether it is the right answer."""
    judged: list[Judged] = []
    for one in made:
        values = [float(numpy.dot([*features, 1.0], weights)) for features in one.features]
        every = [*zip(values, one.right, strict=True), *one.fixed]
        judged.append((one, *max(every, key=lambda pair: pair[0], default=(NEVER, False))))
    return judged


def folded(made: Sequence[Example]) -> list[Judged]:
    names = sorted({(one.corpus, one.language, one.about) for one in made})
    # chance that is the same every time
    random.Random(1).shuffle(names)
    fold = {name: number % FOLDS for number, name in enumerate(names)}
    return _apart(
        made,
        [lambda one, number=number: fold[one.corpus, one.language, one.about] == number for number in range(FOLDS)],
    )


def by_corpus(made: Sequence[Example]) -> list[Judged]:
    return _apart(made, [lambda one, corpus=corpus: one.corpus == corpus for corpus in CORPORA])


def _apart(made: Sequence[Example], parts: "Sequence[Callable[[Example], bool]]") -> list[Judged]:
    judged: list[Judged] = []
    for left_out in parts:
        weights = fit([one for one in made if not left_out(one)])
        judged += judge([one for one in made if left_out(one)], weights)
    return judged


def figures(judged: Sequence[Judged], enough: float) -> str:
    asked = sum(one.answerable for one, _, _ in judged)
    right = sum(ok and value >= enough for one, value, ok in judged if one.answerable)
    invented = sum(value >= enough for one, value, _ in judged if not one.answerable)
    return f"{right}/{asked} = {right / asked:.0%} right, {invented}/{len(judged) - asked} invented"


def main() -> None:
    every = [one for language in LANGUAGES for corpus in CORPORA for one in examples(language, corpus)]
    near = [one.near for one in every if one.near is not None]
    for name, model, given in (
        ("WITH_MEANING", WITH_MEANING, every),
        ("WORDS_ONLY", WORDS_ONLY, every),
        ("NEAR_WITH_MEANING", NEAR_WITH_MEANING, near),
        ("NEAR_WORDS_ONLY", NEAR_WORDS_ONLY, near),
    ):
        made = [one for one in given if one.meaning == ("WITH_MEANING" in name)]
        for way, judged in (("folds", folded(made)), ("corpora apart", by_corpus(made))):
            for corpus in CORPORA:
                for language in LANGUAGES:
                    part = [one for one in judged if (one[0].corpus, one[0].language) == (corpus, language)]
                    print(name, way, corpus or "open", language, figures(part, model.enough))
            for enough in (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0):
                print(name, way, "all, at", enough, figures(judged, enough))
        weights = fit(made)
        print(name, "fitted on", figures(judge(made, weights), model.enough))
        print(name, "bias", round(float(weights[-1]), 2), "weights", [round(float(one), 2) for one in weights[:-1]])


if __name__ == "__main__":
    main()
