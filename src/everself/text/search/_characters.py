"""Classifies characters for the tokenizer: word character, CJK, joiner, separator.

Knows no language.
"""

import unicodedata
from enum import IntEnum
from typing import SupportsIndex

from everself.text.normalise import nfkc


class Role(IntEnum):
    """What a character is to the search. `JOINER` is punctuation that may stand inside an identifier, path or address."""

    LETTER = 0
    JOINER = 1
    DENSE = 2
    EMOJI = 3
    GAP = 4
    NOTHING = 5


# Trailing and leading ones are stripped, so that a full stop or a pair of asterisks never matters.
JOINERS = "._-'/\\:@?&=#+~,!$%*"
ZERO_WIDTH_JOINER = "\u200d"
EMOJI_STYLE = "\ufe0f"
KEYCAP = "\u20e3"

# Scripts that set no blank between words, or whose words carry their grammar without one: pairs find what is inside.
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
# Stand-ins for what could not be shown; Unicode counts them among the symbols.
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
    """Filled as characters are met: spelled out it would cost every start."""

    def __missing__(self, char: str) -> Role:
        role = self[char] = _role(ord(char))
        return role


ROLES = _Roles()


class _Table(dict[SupportsIndex, int | str]):
    """For `str.translate`: what a character of each role becomes, itself where nothing is said."""

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

# Dashes that join are a hyphen; those that part a sentence are not, and become gaps. Before NFKC, because it turns the
# acute accent that some keyboards have for an apostrophe into a blank, and again after it. The ellipsis and the fixed
# blank are here because a text that holds no other compatible form then needs no NFKC.
_TYPOGRAPHY = str.maketrans(dict.fromkeys("‘’‛′ʼ＇´", "'") | dict.fromkeys("‐‑−﹣－", "-") | {"…": " ", "\u00a0": " "})
_GIANT = 4096
_LISTED = str.maketrans(dict.fromkeys(",?&=+~!*", " "))
_APART = str.maketrans(dict.fromkeys(JOINERS, " "))
# Past this many different characters to replace, one pass of `translate` is cheaper than one of `replace` for each.
_FEW = 12


def fragments(text: str) -> list[str]:
    """A text cut at blanks and at whatever is never inside a word or an identifier, compatible forms made one."""
    return _no_giants(_spaced(text).split())


def fragments_and_runs(text: str) -> tuple[list[str], list[str]]:
    """The same, but what stands for itself is taken out of the fragments, as runs: most of a Chinese text at once."""
    text = _spaced(text)
    if text.isascii() or all(ROLES[char] is not Role.DENSE for char in set(text)):
        return _no_giants(text.split()), []
    return _no_giants(text.translate(_WITHOUT_DENSE).split()), text.translate(_DENSE_ONLY).split()


def _no_giants(found: list[str]) -> list[str]:
    """What is longer than any address is a list without blanks, or no writing at all; then every joiner parts it."""
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
