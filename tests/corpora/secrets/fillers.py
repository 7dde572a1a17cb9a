"""Fills the slots «…» of the templates with seeded names, dates, hashes and numbers, none of them a secret.

A slot that occurs twice in a text gets the same value; a trailing 2 or b asks for another of the same sort.
"""

from __future__ import annotations

import base64
import json
import re
import string
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.corpora.secrets.chance import ALNUM, CROCKFORD, Chance, base58check, bech32, luhn_ok, with_luhn

MATERIAL = Path(__file__).parent / "material"
WORDS: dict[str, list[str]] = json.loads((MATERIAL / "words.json").read_text(encoding="utf-8"))
SLOT = re.compile("«([A-Za-z0-9_]+)»")
SIZED = re.compile(r"(hex|digits|alnum|lower|upper|b64_|b64url_)(\d+)")
PROSE = (
    "the meeting is at noon, bring the drawings",
    "we walked along the river until it was dark",
    "two eggs, flour, milk and a pinch of salt",
    "nothing in this sentence is worth hiding",
)


def isbn(c: Chance) -> str:
    body = c.pick(("978", "979")) + c.digits(9)
    check = -sum(int(x) * (1, 3)[at % 2] for at, x in enumerate(body)) % 10
    return f"{body[:3]}-{body[3]}-{body[4:8]}-{body[8:]}-{check}"


def bad_card(c: Chance) -> str:
    while True:
        number = c.pick("45") + c.digits(15)
        if not luhn_ok(number):
            return number


def spaced(number: str) -> str:
    return " ".join(number[at : at + 4] for at in range(0, len(number), 4))


def day(c: Chance) -> str:
    return f"20{c.among(23, 26)}-{c.among(1, 12):02d}-{c.among(1, 28):02d}"


def ipv4(c: Chance) -> str:
    return ".".join(str(c.among(1, 254)) for _ in range(4))


MAKERS: dict[str, Callable[[Chance], str]] = {
    "date": day,
    "time": lambda c: f"{c.among(6, 23):02d}:{c.among(0, 59):02d}",
    "d": lambda c: str(c.among(2, 9)),
    "n": lambda c: str(c.among(10, 99)),
    "yy": lambda c: str(c.among(10, 24)),
    "cc": lambda c: str(c.among(40, 99)),
    "port": lambda c: str(c.among(3000, 9999)),
    "month": lambda c: c.pick(("January", "March", "May", "June", "August", "October", "December")),
    "zhday": lambda c: c.pick("一二三四五六"),
    "jaday": lambda c: c.pick("月火水木金土"),
    "koday": lambda c: c.pick("월화수목금토"),
    "tag": lambda c: c.pick(("fact", "decision", "preference", "person", "lesson")),
    "src": lambda c: c.pick(("owner", "keeper", "tool", "import")),
    "id": lambda c: c.chars(CROCKFORD, 12),
    "ulid": lambda c: "01J" + c.chars(CROCKFORD, 23),
    "sha7": lambda c: c.hexa(7),
    "sha1": lambda c: c.hexa(40),
    "sha256": lambda c: c.hexa(64),
    "uuid": lambda c: c.uuid(),
    "isbn": isbn,
    "badcard": bad_card,
    "badcardspaced": lambda c: spaced(bad_card(c)),
    "imei": lambda c: with_luhn(c.pick(("35", "86")) + c.digits(12)),
    "ups": lambda c: "1Z" + c.chars(string.ascii_uppercase + string.digits, 6) + c.digits(10),
    "phonecn": lambda c: "13" + c.digits(9),
    "phonejp": lambda c: f"03-{c.digits(4)}-{c.digits(4)}",
    "phonekr": lambda c: f"010-{c.digits(4)}-{c.digits(4)}",
    "phonede": lambda c: f"+49 40 {c.digits(3)} {c.digits(4)}",
    "phoneus": lambda c: f"(555) {c.digits(3)}-{c.digits(4)}",
    "epochms": lambda c: str(1_700_000_000_000 + c.among(0, 90_000_000_000)),
    "epochus": lambda c: str(1_700_000_000_000_000 + c.among(0, 90_000_000_000_000)),
    "snowflake": lambda c: "1" + c.digits(18),
    "ip": ipv4,
    "ipv6": lambda c: f"fd{c.hexa(2)}:{c.hexa(4)}:{c.hexa(4)}::{c.hexa(2)}",
    "mac": lambda c: ":".join(c.hexa(2) for _ in range(6)),
    "btc": lambda c: base58check(b"\0" + c.raw(20)),
    "agepub": lambda c: bech32("age", c.raw(32)),
    "hexpairs": lambda c: " ".join(c.hexa(2) for _ in range(16)),
    "docid": lambda c: "1" + c.urlsafe(43),
    "b64prose": lambda c: base64.b64encode(c.pick(PROSE).encode()).decode(),
    "Noun": lambda c: c.pick(WORDS["noun"]).capitalize(),
    "Verb": lambda c: c.pick(WORDS["verb"]).capitalize(),
}


def sized(sort: str, size: int, c: Chance) -> str:
    alphabets = {"alnum": ALNUM, "lower": string.ascii_lowercase + string.digits, "upper": string.ascii_uppercase}
    if sort == "hex":
        return c.hexa(size)
    if sort == "digits":
        return c.digits(size)
    if sort == "b64_":
        return c.b64(size)
    if sort == "b64url_":
        return c.b64url(size)
    return c.chars(alphabets[sort], size)


def draw(name: str, language: str, c: Chance) -> str:
    if name in MAKERS:
        return MAKERS[name](c)
    if found := SIZED.fullmatch(name):
        return sized(found[1], int(found[2]), c)
    for key in (f"{language}.{name}", name, f"en.{name}"):
        if key in WORDS:
            return c.pick(WORDS[key])
    return draw(name[:-1], language, c)


def fill(template: str, language: str, c: Chance, given: Mapping[str, str] | None = None) -> str:
    known = dict(given or {})

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in known:
            known[name] = draw(name, language, c)
        return known[name]

    return SLOT.sub(value, template)


def blocks(file: str) -> list[tuple[list[str], str]]:
    """The templates of a material file: the words of each `===` header and the text below it."""
    parts = ("\n" + (MATERIAL / file).read_text(encoding="utf-8")).split("\n=== ")[1:]
    split = [part.partition("\n") for part in parts]
    return [(head.split(), text.rstrip("\n")) for head, _, text in split]
