"""The corpus that judges redaction is what its README says: whole, consistent, reproducible."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from tests.corpora.secrets.chance import crc62, iban_remainder, luhn_ok
from tests.corpora.secrets.make_corpus import corpus, has_number

HERE = Path(__file__).parent / "secrets"
Row = dict[str, str | bool | list[str]]


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def parts(row: Row) -> list[str]:
    secret = row["secret"]
    return secret if isinstance(secret, list) else [str(secret)]


SECRETS = rows("secrets.jsonl")
BENIGN = rows("benign.jsonl")


def of_kind(kind: str) -> list[str]:
    return [part for row in SECRETS if row["kind"] == kind for part in parts(row)]


def test_every_secret_stands_in_its_text() -> None:
    missing = [row["id"] for row in SECRETS if not all(part and part in str(row["text"]) for part in parts(row))]
    assert missing == []


def test_ids_are_unique_and_benign_texts_differ() -> None:
    ids = [row["id"] for row in SECRETS + BENIGN]
    assert len(ids) == len(set(ids))
    assert len({row["text"] for row in BENIGN}) == len(BENIGN)


def test_sizes_kinds_and_languages_are_as_promised() -> None:
    assert len(SECRETS) >= 1000
    assert len(BENIGN) >= 3000
    assert len({row["kind"] for row in SECRETS}) >= 30
    for found in (SECRETS, BENIGN):
        languages = {str(row["language"]) for row in found}
        assert {"en", "zh", "ja", "ko", "de", "code:python", "code:bash", "code:json", "code:yaml"} <= languages
    assert sum(file.stat().st_size for file in HERE.rglob("*") if file.is_file() and file.suffix != ".pyc") < 2_000_000


@pytest.mark.parametrize("found", [SECRETS, BENIGN], ids=["secrets", "benign"])
def test_a_third_is_held_out(found: list[Row]) -> None:
    assert sum(bool(row["held_out"]) for row in found) == len(found) // 3


def test_no_slot_is_left_unfilled() -> None:
    assert [row["id"] for row in SECRETS + BENIGN if "«" in str(row["text"]) or "»" in str(row["text"])] == []


def test_no_secret_of_the_corpus_stands_in_a_benign_text() -> None:
    everything = "\n".join(str(row["text"]) for row in BENIGN)
    assert [part for row in SECRETS for part in parts(row) if len(part) >= 12 and part in everything] == []


def test_checksums_are_right_where_a_kind_has_one() -> None:
    for token in of_kind("github_classic") + of_kind("npm"):
        body = token.partition("_")[2]
        assert crc62(body[:30]) == body[30:]
    assert all(luhn_ok(number.replace(" ", "").replace("-", "")) for number in of_kind("payment_card"))
    assert {iban_remainder(number.replace(" ", "")) for number in of_kind("iban")} == {1}
    for token in of_kind("jwt"):
        head = token.partition(".")[0]
        assert json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["typ"] == "JWT"


def test_benign_texts_hold_no_valid_card_or_account_number() -> None:
    assert [row["id"] for row in BENIGN if has_number(str(row["text"]))] == []


def test_the_seeded_generator_gives_the_committed_bytes() -> None:
    secrets, benign = corpus()
    assert secrets == (HERE / "secrets.jsonl").read_text(encoding="utf-8")
    assert benign == (HERE / "benign.jsonl").read_text(encoding="utf-8")
