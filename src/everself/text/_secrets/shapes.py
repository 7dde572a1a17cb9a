"""Distinguishes random values from words, placeholders, references and parts of larger blobs; computes check digits.

Knows no kinds. Works on bytes, like the patterns.
"""

import hashlib
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Protocol

BASE62 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

_BASE58 = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

_BLOB = frozenset(BASE62 + b"+/")
_BLOB_BEFORE = 40

# Placeholders for a secret. Words must be separate: "mastodon" contains "todo".
_STAND_INS = tuple(b"xxxx placeholder changeme change-me change_me redacted **** .... < ${ {{".split())
_STAND_INS_BEYOND_ASCII = tuple(sign.encode() for sign in ("…", "•", "●", "你的"))
_STAND_IN_WORDS = (
    r"(?i)(?:^|[-_. /:])(?:your|(?:todo|fake|insert|replace|dummy|here|sample|some|my)(?:[-_. /:]|$)"
    r"|not[-_]?a?[-_]?real)"
)


class Match(Protocol):
    """The methods of an RE2 match that we use."""

    def span(self, group: int = 0) -> tuple[int, int]: ...


class Pattern(Protocol):
    """The methods of a compiled RE2 pattern that we use."""

    groups: int

    def search(self, text: bytes) -> Match | None: ...
    def match(self, text: bytes, pos: int, endpos: int) -> Match | None: ...
    def fullmatch(self, text: bytes) -> Match | None: ...
    def finditer(self, text: bytes) -> Iterator[Match]: ...
    def findall(self, text: bytes) -> list[bytes]: ...


@cache
def compiled(pattern: str) -> Pattern:
    """The compiled pattern in Latin-1: a UTF-8 automaton is several times larger, and text may be invalid UTF-8."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    made: Pattern = re2.compile(pattern.encode(), options)
    return made


def placeholder(value: bytes) -> bool:
    lowered = value.lower()
    if any(word in lowered for word in _STAND_INS) or compiled(_STAND_IN_WORDS).search(value):
        return True
    if not value.isascii() and any(sign in value for sign in _STAND_INS_BEYOND_ASCII):
        return True
    if len(value) >= 8 and len(set(lowered)) <= 3:
        return True
    run = max(6, len(value) // 3)
    return any(bytes((byte,)) * run in lowered for byte in set(lowered))


def in_blob(data: bytes, start: int) -> bool:
    """Whether the position is inside base64: the forty bytes before are base64 with more capitals than a path."""
    before = data[max(0, start - _BLOB_BEFORE) : start]
    if len(before) < _BLOB_BEFORE or not _BLOB.issuperset(before):
        return False
    capitals = count_of(_UPPER, before)
    return capitals >= 6 and count_of(_LOWER, before) + 3 * digits(before) >= 6


def plausible(data: bytes, start: int, end: int) -> bool:
    value = data[start:end]
    return not placeholder(value[:300]) and not wordy(value) and not in_blob(data, start)


def wordy(value: bytes) -> bool:
    """Whether the value has lower-case words only, as in `glpat-this-is-how-it-looks`."""
    return not digits(value) and not count_of(_UPPER, value)


def turns(value: bytes) -> int:
    """The number of changes between letters, digits and signs; a capital before small letters does not count.

    Words and numbered names have one or two, random strings one for every other byte.
    """
    classes = value.translate(_CLASSES)
    return sum(classes.count(pair) for pair in _TURNS)


_DIGITS = b"0123456789"
_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_CLASSES = bytes(
    ord("0") if byte in _DIGITS else ord("A") if byte in _UPPER else ord("a") if byte in _LOWER else ord("-")
    for byte in range(256)
)
_TURNS = tuple(bytes((one, other)) for one in b"0Aa-" for other in b"0Aa-" if one != other and (one, other) != (65, 97))


def count_of(alphabet: bytes, value: bytes) -> int:
    return len(value) - len(value.translate(None, alphabet))


def digits(value: bytes) -> int:
    return count_of(_DIGITS, value)


def letters(value: bytes) -> int:
    return count_of(_UPPER + _LOWER, value)


def mixed(value: bytes) -> bool:
    """Whether a value has small letters, capitals and digits."""
    return bool(digits(value) and count_of(_UPPER, value) and count_of(_LOWER, value))


def luhn(number: bytes) -> bool:
    total = 0
    for place, byte in enumerate(reversed(number)):
        digit = byte - 48
        if place % 2:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return total % 10 == 0


def mod97(iban: bytes) -> bool:
    moved = iban[4:] + iban[:4]
    return int("".join(str(int(chr(byte), 36)) for byte in moved)) % 97 == 1


def base58check(value: bytes) -> bool:
    """Whether a Bitcoin key has a valid checksum: its last four bytes are those of the double SHA-256 of the rest."""
    number = 0
    for byte in value:
        number = number * 58 + _BASE58.index(byte)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def base62_crc32(body: bytes) -> bytes:
    """The six characters at the end of GitHub's and npm's tokens: CRC-32 of the thirty before."""
    rest = zlib.crc32(body)
    out = bytearray()
    while rest:
        rest, digit = divmod(rest, 62)
        out.append(BASE62[digit])
    return bytes(reversed(out)).rjust(6, b"0")
