"""Invisible characters: which of them a script or an emoji needs, and which hide something. Pure.

Never changes the given text.
"""

from typing import Final

_RANGES: Final = (
    *((0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C)),
    *((0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F)),
    *((0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB)),
    *((0x13430, 0x13440), (0x1BCA0, 0x1BCA3), (0x1D159, 0x1D159), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
# characters that Unicode draws as nothing, including controls and unassigned ignorable code points, but not white space
UNSEEN: Final = frozenset(chr(code) for first, last in _RANGES for code in range(first, last + 1))

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_KEYCAP: Final = frozenset("0123456789#*")
_FLAG: Final = "\U0001f3f4"
_TAG_LETTERS: Final = frozenset(chr(code) for code in (*range(0xE0030, 0xE003A), *range(0xE0061, 0xE007B)))
_TAG_END: Final = "\U000e007f"
# an ISO 3166-2 region of a flag has at most six letters
_LONGEST_FLAG: Final = 7
# more of them in a row are a hidden channel, not a spelling
_ROW: Final = 2
_NEAR: Final = 12


def needed(text: str, at: int) -> bool:
    """Whether the invisible character at this position is used for its purpose."""
    char, before, after = text[at], text[at - 1] if at else "", text[at + 1 : at + 2]
    if char == _ZWJ:
        return (_is_emoji(before) and _is_emoji(after)) or _joins(before, after)
    if char == _ZWNJ:
        return _joins(before, after)
    if char in "\ufe0e\ufe0f":
        return _is_emoji(before) or before in _KEYCAP
    if "\U000e0100" <= char <= "\U000e01ef" or "\ufe00" <= char <= "\ufe02":
        return _is_han(before)
    if "\u180b" <= char <= "\u180f":
        return _within(before, 0x1820, 0x18AA)
    if char in "\u200e\u200f\u061c":
        # between words of different direction it sets the order
        return any(map(_turns, text[max(0, at - _NEAR) : at + _NEAR]))
    if char == "\ufeff":
        return at == 0
    if char == "\u2800":
        return _within(before, 0x2800, 0x28FF) or _within(after, 0x2801, 0x28FF)
    if char in "\u115f\u1160":
        return _within(before, 0x1100, 0x11FF) or _within(after, 0x1100, 0x11FF)
    if char == "\u200b":
        return _is_unspaced(before) and _is_unspaced(after)
    if "\U00013430" <= char <= "\U00013440":
        return _within(before, 0x13000, 0x13455)
    return False


def flags(text: str) -> frozenset[int]:
    """The positions of tag characters that spell the flag of a region."""
    found: set[int] = set()
    at = text.find(_FLAG)
    while at >= 0:
        end = at + 1
        while end < len(text) and end - at <= _LONGEST_FLAG and text[end] in _TAG_LETTERS:
            end += 1
        if 3 <= end - at - 1 < _LONGEST_FLAG and text[end : end + 1] == _TAG_END:
            found.update(range(at + 1, end + 1))
        at = text.find(_FLAG, at + 1)
    return frozenset(found)


def hiding(text: str, most: int = 64) -> tuple[int, ...]:
    """The positions of invisible characters without a purpose, at most `most`."""
    if (text.isascii() and text.isprintable()) or UNSEEN.isdisjoint(text):
        return ()
    allowed = flags(text)
    found: list[int] = []
    row = 0
    for at, char in enumerate(text):
        if char not in UNSEEN:
            row = 0
            continue
        row += 1
        if at in allowed:
            continue
        if row > _ROW or not needed(text, at):
            found.append(at)
            if len(found) == most:
                break
    return tuple(found)


def spelled(text: str) -> str:
    """The text that tag characters and variation selectors encode as ASCII or bytes."""
    if text.isascii() or max(text) < "\ufe00":
        return ""
    tags = "".join(chr(ord(char) - 0xE0000) for char in text if "\U000e0020" <= char <= "\U000e007e")
    data = bytes(
        ord(char) - 0xFE00 if char <= "\ufe0f" else ord(char) - 0xE0100 + 16
        for char in text
        if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    )
    smuggled = data.decode("utf-8", "ignore")
    return "\n".join(part for part in (tags, smuggled) if len(part) > 3 and part.isprintable())


def stripped(text: str) -> str:
    """The text without invisible characters."""
    return text if UNSEEN.isdisjoint(text) else "".join(char for char in text if char not in UNSEEN)


def _within(char: str, first: int, last: int) -> bool:
    return bool(char) and first <= ord(char) <= last


def _is_emoji(char: str) -> bool:
    if not char:
        return False
    code = ord(char)
    if code in (0xFE0F, 0x20E3) or 0x1F000 <= code <= 0x1FAFF or 0x2190 <= code <= 0x2BFF:
        return True
    return code in (0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D, 0x3297, 0x3299)


def _is_han(char: str) -> bool:
    return _within(char, 0x3400, 0x9FFF) or _within(char, 0x20000, 0x323AF) or _within(char, 0xF900, 0xFAFF)


def _joins(before: str, after: str) -> bool:
    """Whether a joiner follows a script whose letters change shape: Arabic, Syriac, N'Ko, Mongolian, and those of India."""
    return any(
        _within(before, first, last)
        and (not after or after.isspace() or _within(after, first, last) or not after.isalnum())
        for first, last in (
            (0x600, 0x7FF),
            (0x8A0, 0x8FF),
            (0x900, 0xDFF),
            (0x1000, 0x109F),
            (0x1780, 0x18AF),
            (0xFB50, 0xFEFC),
        )
    )


def _turns(char: str) -> bool:
    if char in UNSEEN:
        return False
    return _within(char, 0x590, 0x8FF) or _within(char, 0xFB1D, 0xFDFF) or _within(char, 0xFE70, 0xFEFC)


def _is_unspaced(char: str) -> bool:
    """Thai, Lao, Burmese, Khmer and Tibetan have no spaces between words."""
    return _within(char, 0xE00, 0xFFF) or _within(char, 0x1000, 0x109F) or _within(char, 0x1780, 0x17FF)
