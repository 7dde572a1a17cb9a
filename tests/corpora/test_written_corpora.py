"""The corpora that heads are trained on are well formed: every label is known, every span stands in its text, every answer exists."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tools.train_classify.heads import ACTS

TOP = Path(__file__).parent
LANGUAGES = ("en", "ja", "ko", "zh")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text("utf-8").splitlines())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["open", "more"])
def test_messages_are_labelled_by_the_rules(part: str, language: str) -> None:
    found = list(rows(TOP / "messages" / part / f"{language}.jsonl"))
    assert len({one["id"] for one in found}) == len(found) > 200
    for one in found:
        spans = [act["span"] for act in one["acts"]]
        assert {act["act"] for act in one["acts"]} <= set(ACTS), one["id"]
        assert all(span in one["text"] for span in spans), one["id"]
        assert one["correction"] in ("none", "implicit", "explicit"), one["id"]
        assert one["keep"] == bool(one["keep_spans"]), one["id"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["open", "more", "plain"])
def test_every_answer_names_a_memory_of_its_set(part: str, language: str) -> None:
    folder = TOP / "pairs" / part
    sets = {one["set"]: one["memories"] for one in rows(folder / f"answers-sets-{language}.jsonl")}
    for one in rows(folder / f"answers-{language}.jsonl"):
        assert one["answer"] is None or 0 <= one["answer"] < len(sets[one["set"]]), one["id"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["open", "more"])
def test_pairs_of_statements_have_a_known_label(part: str, language: str) -> None:
    found = list(rows(TOP / "pairs" / part / f"same-{language}.jsonl"))
    assert {one["label"] for one in found} == {"same", "contradicts", "differs"}
    assert all(one["a"].strip() and one["b"].strip() for one in found)


def test_the_open_conversation_says_what_it_plants() -> None:
    turns = list(rows(TOP / "days_open" / "conversation.jsonl"))
    replies = list(rows(TOP / "days_open" / "replies.jsonl"))
    assert [(one["day"], one["turn"]) for one in turns] == [(one["day"], one["turn"]) for one in replies]
    planted: set[str] = set()
    for turn, reply in zip(turns, replies, strict=True):
        assert set(turn.get("answers", ())) <= planted
        assert all(fact["say"] in turn["text"] for fact in turn["facts"])
        planted |= {fact["id"] for fact in turn["facts"]}
        assert all(set(note["facts"]) <= planted for note in reply["writes"])
    assert len(planted) == 40
