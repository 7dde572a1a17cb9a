"""Contradictions on pairs that were written without sight of the rules.

Of the first pairs two thirds are open, for those who tune; the last third is judged in closing runs only. The later ones, in `more`, were
written when that was done: those with an odd number were worked on, those with an even number only counted.
"""

import json
from pathlib import Path

import pytest

from everself.classify.contradiction import contradicts

# a corpus is judged as a whole, which takes a while
pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "conflicts"
LANGUAGES = ("en", "zh", "ko", "ja")
PRECISION, RECALL = 0.90, 0.80
# what was looked at has to do better than what nobody saw
OPEN_PRECISION, OPEN_RECALL = 0.93, 0.87
PAIRS = 100
# antonyms are looked for as well, and reported; without knowing the world they are found where a list has them
JUDGED = ("attribute", "number", "date", "negation")


Row = dict[str, str]


def rows(language: str, *, held: bool | None = None) -> list[Row]:
    return [row for row in _read(HERE / f"{language}.jsonl") if held is None or row["held"] is held]


def later(language: str, *, odd: bool) -> list[Row]:
    found = _read(HERE / "more" / f"{language}.jsonl")
    return [row for row in found if (int(row["id"].rpartition("-")[2]) % 2 == 1) is odd]


def _read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def measure(name: str, pairs: list[Row]) -> tuple[float, float]:
    judged = [(row, bool(contradicts(row["older"], row["newer"]))) for row in pairs]
    meant = [found for row, found in judged if row["kind"] in JUDGED]
    false = sum(found for row, found in judged if row["label"] == "compatible")
    precision = sum(meant) / max(1, sum(meant) + false)
    recall = sum(meant) / len(meant)
    antonyms = [found for row, found in judged if row["kind"] == "antonym"]
    print(
        f"conflicts {name}: precision {precision:.3f}, recall {recall:.3f}, "
        f"antonyms {sum(antonyms)} of {len(antonyms)}, of {len(judged)} pairs"
    )
    return precision, recall


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_corpus_is_large_enough_and_a_third_of_it_is_held_out(language: str) -> None:
    found = rows(language)
    assert sum(row["label"] == "contradiction" for row in found) >= PAIRS
    assert sum(row["label"] == "compatible" for row in found) >= PAIRS
    assert 0.3 < len(rows(language, held=True)) / len(found) < 0.37
    assert len({row["id"] for row in found}) == len(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_contradictions_are_found_and_compatible_statements_left_alone(language: str) -> None:
    precision, recall = measure(f"{language} open", rows(language, held=False))
    assert precision >= OPEN_PRECISION
    assert recall >= OPEN_RECALL


@pytest.mark.parametrize("language", LANGUAGES)
def test_so_it_is_with_the_later_pairs_that_were_worked_on(language: str) -> None:
    precision, recall = measure(f"{language} later, odd", later(language, odd=True))
    assert precision >= OPEN_PRECISION
    assert recall >= OPEN_RECALL


def test_the_later_pairs_that_were_only_counted_keep_the_promise_over_all_languages() -> None:
    # thirty-odd pairs of one language tell little: one pair is three points
    counted = {language: later(language, odd=False) for language in LANGUAGES}
    for language, pairs in counted.items():
        measure(f"{language} later, even", pairs)
    precision, recall = measure("later, even", [row for pairs in counted.values() for row in pairs])
    assert precision >= PRECISION
    assert recall >= RECALL


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_so_it_is_with_the_whole_of_it_and_what_nobody_tuned_on_is_told(language: str) -> None:
    # on the third that nobody tuned on it is lower: decision 0034 has the figures
    measure(f"{language} held", rows(language, held=True))
    precision, recall = measure(f"{language} whole", rows(language))
    assert precision >= PRECISION
    assert recall >= RECALL
