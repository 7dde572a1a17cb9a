"""Converts text to three lossy forms: for comparing, naming and showing.

Knows nothing of Markdown, paths or files.
"""

import unicodedata
from collections.abc import Iterator

from everself.values import digest

SLUG_LENGTH = 64
_HASH_LENGTH = 10


def encode(text: str) -> bytes:
    """UTF-8 of any text: surrogate escapes become their byte, other surrogates (from JSON escapes) U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _replaced(text, ("\ud800", "\udc7f"), ("\udd00", "\udfff")).encode("utf-8", "surrogateescape")


def _replaced(text: str, *ranges: tuple[str, str]) -> str:
    return "".join("\ufffd" if any(first <= char <= last for first, last in ranges) else char for char in text)


def without_surrogates(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD, so that a model, terminal or pattern accepts it. The length stays."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _replaced(text, ("\ud800", "\udfff"))
    return text


_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‘’‚‛′ʼ＇`´", "'")
    | dict.fromkeys("“”„‟″«»〝〞＂", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
    # invisible characters without meaning; the joiners U+200C and U+200D are needed by Persian and emoji
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
)


def fold(text: str) -> str:
    """A form for comparing only: NFKC, case-folded, typographic quotes and dashes as ASCII, white space collapsed."""
    if text.isascii():
        # fast path for most of a memory: in ASCII, only the backtick is typographic
        return " ".join(text.replace("`", "'").casefold().split())
    folded = " ".join(nfkc(text.translate(_TYPOGRAPHY)).casefold().translate(_TYPOGRAPHY).split())
    # case folding can undo NFKC, and NFKC can create capitals ('ͅ' and 'ϔ' do): a second pass is enough
    return " ".join(nfkc(folded).casefold().translate(_TYPOGRAPHY).split()) if not folded.isascii() else folded


def nfkc(text: str) -> str:
    """NFKC in linear time for any number of stacked marks."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    if not any(map(unicodedata.combining, set(text))):
        return unicodedata.normalize("NFKC", text)
    return "".join(unicodedata.normalize("NFKC", part) for part in _split_mark_runs(text))


# Unicode's stream-safe format allows 30, more than any script uses. Sorting a longer run of marks is quadratic.
_MARKS_IN_A_ROW = 30


def _split_mark_runs(text: str) -> Iterator[str]:
    start = run = 0
    for index, char in enumerate(text):
        if char < "\u0300" or not unicodedata.combining(char):
            run = 0
            continue
        run += 1
        if run > _MARKS_IN_A_ROW:
            yield text[start:index]
            start, run = index, 1
    yield text[start:]


# letters that NFKD does not decompose, with their usual Latin spelling
LATIN_SPELLINGS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"}
)


def slug(text: str) -> str:
    """A name of `[a-z0-9-]{1,64}`. If letters were lost (another script), a short hash makes it unique."""
    folded = fold(text[:4096])
    spelled = unicodedata.normalize("NFKD", folded.translate(LATIN_SPELLINGS)).replace("'", "")
    kept = "".join(char if char.isascii() and char.isalnum() else " " for char in spelled if not _is_mark(char))
    words = "-".join(kept.split())
    lost = any(not char.isascii() and char.isalnum() for char in spelled)
    if words and not lost:
        return _cut(words, SLUG_LENGTH)
    mark = digest(encode(folded or text))[:_HASH_LENGTH]
    return f"{_cut(words, SLUG_LENGTH - _HASH_LENGTH - 1)}-{mark}" if words else mark


def _is_mark(char: str) -> bool:
    return not char.isascii() and unicodedata.combining(char) != 0


def _cut(words: str, length: int) -> str:
    """The words cut to a length, at a word end if that keeps at least half."""
    if len(words) <= length:
        return words
    at = words.rfind("-", 0, length + 1)
    return words[: at if at >= length // 2 else length].rstrip("-")


def one_line(text: str, width: int = 80) -> str:
    """The text in at most `width` terminal columns, without anything that moves the cursor, sets a colour or changes the direction."""
    # most text is plain: only its blanks can change
    if len(text) <= width and text.isascii() and text.isprintable():
        return " ".join(text.split())
    shown: list[str] = []
    used = 0
    gap = False
    # a column may contain a letter with marks; more characters per column are an attack on the terminal
    for char in text[: width * 16 + 1024]:
        if char.isspace() or char == "\u0085":
            gap = bool(shown)
            continue
        char = _printable(char)
        if not char:
            continue
        columns = columns_of(char) + (1 if gap else 0)
        if used + columns > width:
            return _ellipsed(shown, used, width)
        shown.append(f" {char}" if gap else char)
        used += columns
        gap = False
    return "".join(shown) if len(text) <= width * 16 + 1024 else _ellipsed(shown, used, width)


def _printable(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    category = unicodedata.category(char)
    if category in ("Cc", "Cs", "Co", "Cn"):
        return "\ufffd"
    # format characters include bidirectional overrides and tag letters; the joiners are needed by emoji and Persian
    if category in ("Cf", "Zl", "Zp"):
        return char if char in "\u200c\u200d" else ""
    return char


def columns_of(char: str) -> int:
    """The number of terminal columns of a character."""
    if char in "\u200c\u200d" or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _ellipsed(shown: list[str], used: int, width: int) -> str:
    while shown and used + 1 > width:
        used -= sum(columns_of(char) for char in shown.pop())
    return ("".join(shown) + "…") if width > 0 else ""
