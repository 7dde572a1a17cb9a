"""Lives are read as they are written, and maps learnt from them find more than before."""

import numpy
import pytest
from tools.train_recall.lives import Life, LifeQuestion, LifeTurn, parse_life
from tools.train_recall.maps import EmbeddedLife, Projection, find_means, learn, measure

TEXT = """language: en
kind: assistant
people: Mira = owner

== 1 | 2025-03-04
1 owner: rent goes to 940: from May
2 assistant: That is 60 more.

== 2 | 2025-04-01
1 owner: Yes, in Rome!

?? single | what will my rent be | 940 | 1.1
?? sessions | rent and place | - | 1.1, 2.1
?? unanswerable | what is my landlord called | - | -
"""


def test_a_life_is_read_with_its_evidence() -> None:
    life = parse_life("en-assistant-mira", TEXT)
    assert life.language == "en"
    assert life.turns[0] == LifeTurn(1, "owner", "rent goes to 940: from May")
    assert [turn.session for turn in life.turns] == [1, 1, 2]
    assert [question.evidence for question in life.questions] == [(0,), (0, 2), ()]


def test_evidence_that_is_no_turn_is_an_error() -> None:
    with pytest.raises(ValueError, match="rent"):
        parse_life("en", TEXT.replace("| 1.1\n", "| 7.1\n"))


def made_up(seed: int, language: str) -> EmbeddedLife:
    """Questions are their turns, turned around by a quarter in every plane, which a map can learn."""
    dice = numpy.random.default_rng(seed)
    turns = dice.normal(size=(40, 16)).astype(numpy.float32)
    turns /= numpy.linalg.norm(turns, axis=1, keepdims=True)
    shift = numpy.roll(numpy.eye(16, dtype=numpy.float32), 1, axis=1)
    life = Life(
        f"{seed}",
        language,
        tuple(LifeTurn(at, "owner", "") for at in range(40)),
        tuple(LifeQuestion("single", "", (at,)) for at in range(40)),
    )
    asked = 0.7 * turns + turns @ shift
    return EmbeddedLife(life, asked / numpy.linalg.norm(asked, axis=1, keepdims=True), turns)


def test_maps_find_more_on_what_they_did_not_see() -> None:
    train, other = [made_up(seed, "en" if seed % 2 else "de") for seed in range(6)], [made_up(9, "en")]
    identity = numpy.eye(16, dtype=numpy.float32)
    before = measure(other, Projection(*find_means(train), identity, identity))
    after = measure(other, learn(train, 0.01))
    assert after[0] > before[0]


def test_a_strong_pull_leaves_them_where_they_were() -> None:
    train = [made_up(seed, "en") for seed in range(3)]
    learnt, loose = learn(train, 1_000.0), learn(train, 0.01)
    identity = numpy.eye(16)
    assert numpy.abs(learnt.question_map - identity).max() < numpy.abs(loose.question_map - identity).max() / 2
