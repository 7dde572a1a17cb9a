"""The invented lives are well formed, and the sealed ones are those that were sealed."""

import hashlib
import lzma
from collections import Counter
from pathlib import Path

import pytest
from tools.train_recall.lives import Life, load_lives, parse_life

LIVES = Path(__file__).parent / "lives"
KINDS = {"single", "sessions", "list", "date", "preference", "both", "update", "unanswerable"}
LANGUAGES = {"en", "zh", "ja", "ko", "de", "fr", "es", "it", "pt"}


def check(life: Life) -> None:
    asked = Counter(one.kind for one in life.questions)
    assert set(asked) == KINDS, life.name
    assert sum(asked.values()) >= 60, life.name
    assert life.language in LANGUAGES, life.name
    assert all(bool(one.evidence) == (one.kind != "unanswerable") for one in life.questions), life.name


@pytest.mark.parametrize(("part", "count"), [("train", 30), ("choose", 15)])
def test_open_lives_ask_questions_of_every_kind(part: str, count: int) -> None:
    found = load_lives(LIVES, part)  # type: ignore[arg-type]
    assert len(found) == count
    assert len({one.language for one in found}) == len(LANGUAGES)
    for life in found:
        check(life)


def test_sealed_lives_are_unchanged_and_in_the_same_form() -> None:
    folder = LIVES / "sealed"
    sums = dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines())
    packed = {path.name: path.read_bytes() for path in folder.glob("*.xz")}
    assert {name: hashlib.sha256(data).hexdigest() for name, data in packed.items()} == sums
    assert len(packed) == 15
    for name, data in packed.items():
        check(parse_life(name, lzma.decompress(data).decode("utf-8")))
