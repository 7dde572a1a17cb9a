"""The corpus that judges labelling is what it should be, and its open part is labelled as promised."""

import json
from pathlib import Path

import pytest

from everself.classify.injection import label

HERE = Path(__file__).parent / "injection"
Row = dict[str, str | bool]
LANGUAGES = ("en", "zh", "ko", "ja")


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


OWNER = rows("owner.jsonl")
UPDATES = rows("updates.jsonl")


@pytest.mark.parametrize("found", [OWNER, UPDATES], ids=["owner", "updates"])
def test_ids_and_texts_differ_and_a_third_is_held(found: list[Row]) -> None:
    assert len({row["id"] for row in found}) == len({row["text"] for row in found}) == len(found)
    assert {row["lang"] for row in found} == set(LANGUAGES)
    assert abs(sum(bool(row["held"]) for row in found) - len(found) / 3) <= len(found) / 20


def test_there_are_enough_of_each_kind() -> None:
    kinds = [row["kind"] for row in UPDATES]
    assert kinds.count("malicious") >= 200
    assert kinds.count("legitimate") >= 200
    assert {row["channel"] for row in UPDATES if row["kind"] == "malicious"} == {"web", "tool", "file", "person"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_owner_orders_does_not_look_like_an_attack(language: str) -> None:
    texts = [str(row["text"]) for row in OWNER if row["lang"] == language and not row["held"]]
    assert sum(label(text).suspicious for text in texts) <= 0.02 * len(texts) + 0.5


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_malicious_updates_do(language: str) -> None:
    found = [row for row in UPDATES if row["kind"] == "malicious" and row["lang"] == language and not row["held"]]
    assert sum(label(str(row["text"])).suspicious for row in found) >= 0.8 * len(found)
