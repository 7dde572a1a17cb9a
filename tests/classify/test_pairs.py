"""The heads for two texts: pooled figures on open corpora, the same for the same input, and no weights of other corpora."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tools.train_classify.command import LARGEST
from tools.train_classify.pairs import fingerprint

from everself.classify import encoder
from everself.classify.asks import asks
from everself.classify.model import PATH as MESSAGES
from everself.classify.pairs import PATH, answering, say_same, shipped
from everself.models.embedding.local import open_local

CORPORA = Path(__file__).resolve().parents[1] / "corpora"
OPEN = CORPORA / "pairs" / "open"
LANGUAGES = ("en", "zh", "ko", "ja")
# learned from these pairs, and judged in folds when they were: a run over all of them has to be at least as good
PRECISION = 0.90
RECALL = 0.25


@pytest.fixture
def embedding(tmp_path: Path) -> Iterator[None]:
    with encoder.offering(open_local("use", "", str(tmp_path)).embed):
        yield


def rows(*paths: Path) -> list[dict[str, str]]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def measured(name: str, judge: Callable[[str, str], bool], label: str) -> tuple[float, float]:
    found = rows(*(OPEN / f"same-{language}.jsonl" for language in LANGUAGES))
    said = [(judge(row["a"], row["b"]), row["label"] == label) for row in found]
    right = sum(one and wanted for one, wanted in said)
    precision, recall = right / max(1, sum(one for one, _ in said)), right / sum(wanted for _, wanted in said)
    print(f"{name}: precision {precision:.3f}, recall {recall:.3f}, of {len(said)} pairs")
    return precision, recall


def test_the_weights_were_learned_from_the_corpora_as_they_are_and_all_of_them_are_small() -> None:
    assert shipped().told["corpora"] == fingerprint()
    assert Path(PATH).stat().st_size + Path(MESSAGES).stat().st_size <= LARGEST


@pytest.mark.slow
@pytest.mark.usefixtures("embedding")
def test_what_is_called_the_same_is_so() -> None:
    precision, recall = measured("same", say_same, "same")
    assert precision >= PRECISION
    assert recall >= RECALL


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My sister lives in Leeds", "My sister lives in York"),
        ("The rent is 850 a month", "The rent is 910 a month"),
        ("我的妹妹住在柏林", "我的妹妹住在慕尼黑"),
    ],
)
def test_two_values_of_one_thing_are_not_the_same(one: str, other: str) -> None:
    assert not say_same(one, other)
    assert say_same(one, f"{one}!")


def test_the_order_of_two_statements_and_of_memories_makes_no_difference() -> None:
    one, other = "I live in Leeds, near the station", "User lives in Leeds close to the station."
    assert say_same(one, other) == say_same(other, one)
    memories = ["The rent is 900 euros.", "My sister lives in Oslo.", "I play the cello."]
    there = answering("What is the rent?", memories)
    back = answering("What is the rent?", memories[::-1])
    assert there.best == 0
    assert there.likely == pytest.approx(back.likely[::-1])
    assert sum(there.likely) < 1


def test_the_only_thing_that_was_told_is_found_and_what_has_nothing_of_the_question_is_not() -> None:
    told = answering(
        "What project am I working on?", ["My name is Alex and I am working on a Rust project called tundra."]
    )
    assert told.near
    other = answering("Who conducts our orchestra?", ["The weather was fine."])
    assert not other.near


def test_nothing_and_very_much_are_no_trouble() -> None:
    assert answering("What is the rent?", []).likely == ()
    assert len(answering("?", ["", "\ud800", "x" * 10_000, *map(str, range(60))]).likely) == 63
    for text in ("", " ", "\ud800", "?", "一" * 400):
        say_same(text, "x")
        asks(text)
