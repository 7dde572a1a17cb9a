"""Triage on corrections and ordinary turns that were written without sight of its patterns.

Two thirds are open, for those who tune; the last third is judged in closing runs only. Of the harder ones in `triage/more` the
odd numbers were tuned on and the even ones were not.
"""

import json
from pathlib import Path

import pytest

from everself.classify.corrections import find_correction

# a corpus is judged as a whole, which takes a while
pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "triage"
LANGUAGES = ("en", "zh", "ko", "ja")
PRECISION, RECALL = 0.90, 0.70
# the open part was looked at, so it has to do better than what nobody saw
OPEN_PRECISION, OPEN_RECALL = 0.92, 0.90
# Many of these cannot be told without what was said before ("it was the left knee"); half of them are corrections, so that an error
# among the ordinary ones weighs less than in the others.
MORE = {"odd": (0.90, 0.80), "even": (0.85, 0.55)}
CORRECTIONS, ORDINARY = 150, 300


def rows(language: str, *, held: bool | None = None) -> list[dict[str, str]]:
    found = [json.loads(line) for line in (HERE / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row for row in found if held is None or row["held"] is held]


def more(language: str, half: str) -> list[dict[str, str]]:
    lines = (HERE / "more" / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    found: list[dict[str, str]] = [json.loads(line) for line in lines]
    return [row for row in found if (int(row["id"].rsplit("-", 1)[-1]) % 2 == 1) is (half == "odd")]


def measure(found: list[dict[str, str]], name: str) -> tuple[float, float]:
    judged = [(row["label"] == "correction", find_correction(row["text"]) is not None) for row in found]
    right = sum(meant and found for meant, found in judged)
    precision = right / max(1, sum(found for _, found in judged))
    recall = right / sum(meant for meant, _ in judged)
    print(f"triage {name}: precision {precision:.3f}, recall {recall:.3f} of {len(judged)}")
    return precision, recall


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_corpus_is_large_enough_and_a_third_of_it_is_held_out(language: str) -> None:
    found = rows(language)
    assert sum(row["label"] == "correction" for row in found) >= CORRECTIONS
    assert sum(row["label"] == "ordinary" for row in found) >= ORDINARY
    assert 0.3 < len(rows(language, held=True)) / len(found) < 0.37
    assert len({row["id"] for row in found}) == len(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_corrections_are_found_and_ordinary_turns_left_alone(language: str) -> None:
    precision, recall = measure(rows(language, held=False), f"{language} open")
    assert precision >= OPEN_PRECISION
    assert recall >= OPEN_RECALL


@pytest.mark.parametrize("half", MORE)
@pytest.mark.parametrize("language", LANGUAGES)
def test_harder_ones_are_told_apart(language: str, half: str) -> None:
    precision, recall = measure(more(language, half), f"{language} more, {half}")
    assert precision >= MORE[half][0]
    assert recall >= MORE[half][1]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_so_it_is_with_the_whole_of_it_and_what_nobody_tuned_on_is_told(language: str) -> None:
    # a third is too small a sample for the promise, and precision on it is a little lower: decision 0025 has the figures
    measure(rows(language, held=True), f"{language} held")
    precision, recall = measure(rows(language), f"{language} whole")
    assert precision >= PRECISION
    assert recall >= RECALL
