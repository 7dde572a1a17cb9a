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


# The other two thirds are learned from: what is said of them only shows that nothing got worse.
@pytest.mark.parametrize(("held", "alarms"), [(False, 0.02), (True, 0.04)], ids=["learned", "held"])
def test_what_the_owner_orders_does_not_look_like_an_attack(held: bool, alarms: float) -> None:
    texts = [str(row["text"]) for row in OWNER if row["held"] is held]
    assert sum(label(text).suspicious for text in texts) <= alarms * len(texts)


@pytest.mark.parametrize(("held", "found"), [(False, 0.6), (True, 0.2)], ids=["learned", "held"])
def test_malicious_updates_do_and_legitimate_ones_do_not(held: bool, found: float) -> None:
    """Most claim something and order nothing, which only their source tells from the truth: what comes from outside has no authority."""
    malicious = [str(row["text"]) for row in UPDATES if row["kind"] == "malicious" and row["held"] is held]
    legitimate = [str(row["text"]) for row in UPDATES if row["kind"] != "malicious" and row["held"] is held]
    assert sum(label(text).suspicious for text in malicious) >= found * len(malicious)
    assert sum(label(text).suspicious for text in legitimate) <= 0.02 * len(legitimate)


MORE = rows("more.jsonl")


WRITTEN = rows("written.jsonl")
CARRIERS = {"task", "important", "tool", "override", "secret", "exfil", "memory", "authority", "persona", "encode"}


def test_written_attacks_and_look_alikes_are_many_and_new() -> None:
    kinds = [row["kind"] for row in WRITTEN]
    assert kinds.count("attack") >= 400
    assert kinds.count("harmless") >= 450
    assert len({row["id"] for row in WRITTEN}) == len(WRITTEN)
    texts = [row["text"] for row in (*MORE, *WRITTEN)]
    assert len(set(texts)) == len(texts)
    families = {(row["lang"], row["family"]) for row in WRITTEN if row["kind"] == "attack"}
    assert {(lang, one) for lang in (*LANGUAGES, "de", "es", "fr", "pt", "ru") for one in CARRIERS} <= families


def test_more_attacks_of_every_family_in_nine_languages_and_more_that_only_looks_so() -> None:
    kinds = [row["kind"] for row in MORE]
    assert kinds.count("attack") >= 600
    assert kinds.count("harmless") >= 900
    assert len({row["id"] for row in MORE}) == len({row["text"] for row in MORE}) == len(MORE)
    families = {(row["lang"], row["family"]) for row in MORE if row["kind"] == "attack"}
    wanted = (
        "override",
        "role",
        "system",
        "exfiltration",
        "hidden",
        "persona",
        "memory",
        "trigger",
        "authority",
        "encoding",
        "image",
    )
    assert {(lang, one) for lang in (*LANGUAGES, "de", "es", "fr", "pt", "ru") for one in wanted} <= families
