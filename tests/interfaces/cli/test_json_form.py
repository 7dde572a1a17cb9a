"""Values become JSON in one way."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from everself.interfaces.rendering.json_form import render_json, to_json
from everself.values import Author, ChangeRecord


@dataclass(frozen=True)
class Odd:
    number: float
    raw: bytes
    names: frozenset[str]


def test_a_record_keeps_its_field_names_and_its_offset() -> None:
    at = datetime(2026, 3, 19, 8, 0, tzinfo=timezone(timedelta(hours=9)))
    formed = to_json(ChangeRecord("7K", at, Author.OWNER, "note", ("MEMORY.md",)))
    assert formed == {
        "id": "7K",
        "at": "2026-03-19T08:00:00+09:00",
        "author": "owner",
        "reason": "note",
        "paths": ["MEMORY.md"],
        "evidence": [],
        "undoes": "",
        "forgotten": False,
    }


def test_what_json_has_no_word_for_still_gives_valid_json() -> None:
    formed = to_json(Odd(float("inf"), b"\xff\x00", frozenset({"a"})))
    assert json.loads(json.dumps(formed, allow_nan=False)) == {"number": "inf", "raw": "\ufffd\x00", "names": ["a"]}


def test_days_spans_and_nested_groups() -> None:
    assert to_json({"day": date(2026, 3, 1), "every": timedelta(minutes=30), "deep": [{"a": (1, None, True)}]}) == {
        "day": "2026-03-01",
        "every": 1800.0,
        "deep": [{"a": [1, None, True]}],
    }


@pytest.mark.parametrize("value", [datetime(2026, 3, 1), object(), Odd])
def test_what_has_no_meaning_outside_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        to_json(value)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "no-such-encoding", None])
def test_the_text_survives_every_encoding(encoding: str | None) -> None:
    value = {"text": "기억 🦞 é", "at": datetime(2026, 3, 1, tzinfo=UTC), "escape": "\x1b[31m", "half": "\udc80"}
    text = render_json(value, encoding)
    text.encode(encoding if encoding in ("utf-8", "latin-1") else "ascii")
    assert json.loads(text) == {**value, "at": "2026-03-01T00:00:00+00:00"}
    assert "\x1b" not in text
