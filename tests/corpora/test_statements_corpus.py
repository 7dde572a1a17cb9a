"""What people state and what they show, on messages that were written without sight of the code."""

import json
from collections import Counter
from pathlib import Path

import pytest

from everself.memory.statements import stated
from everself.text.normalise import fold

# seconds of classifying
pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "provenance"
KEPT = 0.95
# an unmarked line that stands alone cannot be told from speech
LEAKED = 0.03


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def bare(text: str) -> str:
    return "".join(char for char in fold(text) if char.isalnum())


def test_what_people_tell_of_themselves_is_stated_in_four_languages() -> None:
    found = rows("legitimate/statements.jsonl")
    kept = Counter(row["lang"] for row in found if bare(row["fact"]) in bare("".join(stated(row["message"]))))
    print(f"stated: {kept.total()} of {len(found)} ({dict(kept)})")
    assert len(found) >= 400
    assert kept.total() >= KEPT * len(found)


def test_a_pasted_text_is_not_stated() -> None:
    """What stands above the paste is the owner's own."""
    found = rows("attacks/paste.jsonl")
    leaked = [
        row["id"]
        for row in found
        if any(fold(one) not in fold(row["message"].partition("\n\n")[0]) for one in stated(row["message"]))
    ]
    print(f"pasted: {len(leaked)} of {len(found)} leak ({leaked})")
    assert len(leaked) <= LEAKED * len(found)


def test_a_forwarded_message_is_not_stated() -> None:
    found = rows("attacks/forward.jsonl")
    leaked = [row["id"] for row in found if stated(row["text"])]
    print(f"forwarded: {len(leaked)} of {len(found)} leak ({leaked})")
    assert not leaked
