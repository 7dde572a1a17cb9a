"""Classifies characters for the tokenizer: word character, CJK, joiner, separator. Knows no language."""

import unicodedata
from enum import IntEnum
from typing import SupportsIndex

from everself.text.normalise import nfkc


class Role(IntEnum):
    """The role of a character. `JOINER` is punctuation that may be inside an identifier, path or address."""

    LETTER = 0
    JOINER = 1
    DENSE = 2
    EMOJI = 3
    GAP = 4
    NOTHING = 5


# stripped at both ends, so that a full stop or asterisks around a word do not matter
JOINERS = "._-'/\\:@?&=#+~,!$%*"
ZERO_WIDTH_JOINER = "\u200d"
EMOJI_STYLE = "\ufe0f"
KEYCAP = "\u20e3"

# scripts without spaces between words, or with attached grammar: terms are pairs of characters
_DENSE = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # hangul
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3041, 0x31FF),  # kana, bopomofo, hangul
    (0x3400, 0x4DBF),
    (0x4E00, 0xA4CF),  # Han, Yi
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # hangul
    (0xF900, 0xFAFF),
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)
_BOX_DRAWING = range(0x2500, 0x25A0)
_PICTURES = range(0x1F000, 0x1FB00)
_TAGS = range(0xE0020, 0xE0080)
# replacement characters, which Unicode counts as symbols
_STAND_INS = "\ufffc\ufffd"


def _role(code: int) -> Role:
    char = chr(code)
    if code < 0x80:
        return Role.LETTER if char.isalnum() else Role.JOINER if char in JOINERS else Role.GAP
    if char in (ZERO_WIDTH_JOINER, EMOJI_STYLE, KEYCAP) or code in _PICTURES or code in _TAGS:
        return Role.EMOJI
    category = unicodedata.category(char)
    if category[0] == "M" and 0xFE00 <= code <= 0xFE0F:
        return Role.NOTHING
    if char.isalnum() or category[0] == "M":
        dense = any(first <= code <= last for first, last in _DENSE)
        return Role.DENSE if dense else Role.LETTER
    if category == "So" and code >= 0x2300 and code not in _BOX_DRAWING and char not in _STAND_INS:
        return Role.EMOJI
    return Role.NOTHING if category == "Cf" else Role.GAP


class _Roles(dict[str, Role]):
    """A lazy table: filling it completely would slow down every start."""

    def __missing__(self, char: str) -> Role:
        role = self[char] = _role(ord(char))
        return role


ROLES = _Roles()


class _Table(dict[SupportsIndex, int | str]):
    """A lazy table for `str.translate`: the replacement for each role, else the character itself."""

    def __init__(self, shown: dict[Role, str]) -> None:
        super().__init__()
        self._shown = shown

    def __missing__(self, code: SupportsIndex) -> int | str:
        shown = self[code] = self._shown.get(ROLES[chr(code.__index__())], code.__index__())
        return shown


_SPACED = _Table({Role.GAP: " ", Role.NOTHING: ""})
_WITHOUT_DENSE = _Table({Role.DENSE: " "})
_DENSE_ONLY = _Table(dict.fromkeys((Role.LETTER, Role.JOINER, Role.EMOJI, Role.GAP), " "))
_DENSE_ONLY[ord(ZERO_WIDTH_JOINER)] = ""
_ASCII_SPACED = {code: " " for code in range(0x80) if _role(code) is Role.GAP}

# Joining dashes become a hyphen; separating dashes become gaps. Applied before NFKC, which turns an acute accent used as an apostrophe
# into a blank, and again after it. With ellipsis and fixed blank here, most texts need no NFKC.
_TYPOGRAPHY = str.maketrans(dict.fromkeys("‘’‛′ʼ＇´", "'") | dict.fromkeys("‐‑−﹣－", "-") | {"…": " ", "\u00a0": " "})
_GIANT = 4096
_LISTED = str.maketrans(dict.fromkeys(",?&=+~!*", " "))
_APART = str.maketrans(dict.fromkeys(JOINERS, " "))
# for more distinct characters, one `translate` is cheaper than a `replace` for each
_FEW = 12


def fragments(text: str) -> list[str]:
    """The text split at blanks and other separators, in compatible form."""
    return _no_giants(_spaced(text).split())


def fragments_and_runs(text: str) -> tuple[list[str], list[str]]:
    """Like `fragments`, but CJK characters, which are terms of their own, are returned separately as runs."""
    text = _spaced(text)
    if text.isascii() or all(ROLES[char] is not Role.DENSE for char in set(text)):
        return _no_giants(text.split()), []
    return _no_giants(text.translate(_WITHOUT_DENSE).split()), text.translate(_DENSE_ONLY).split()


def _no_giants(found: list[str]) -> list[str]:
    """Split fragments that are longer than any address: lists without blanks, or not text at all."""
    if max(map(len, found), default=0) <= _GIANT:
        return found
    listed = (
        part
        for fragment in found
        for part in (fragment.translate(_LISTED).split() if len(fragment) > _GIANT else (fragment,))
    )
    return [one for part in listed for one in (part.translate(_APART).split() if len(part) > _GIANT else (part,))]


def _spaced(text: str) -> str:
    if text.isascii():
        return text.translate(_ASCII_SPACED)
    text = _replaced(text, _TYPOGRAPHY)
    if not unicodedata.is_normalized("NFKC", text):
        text = _replaced(nfkc(text), _TYPOGRAPHY)
    odd = [char for char in set(text) if ROLES[char] in (Role.GAP, Role.NOTHING) and not char.isspace()]
    if len(odd) > _FEW:
        return text.translate(_SPACED)
    for char in odd:
        text = text.replace(char, " " if ROLES[char] is Role.GAP else "")
    return text


def _replaced(text: str, table: dict[int, str]) -> str:
    for code, shown in table.items():
        char = chr(code)
        if char in text:
            text = text.replace(char, shown)
    return text
