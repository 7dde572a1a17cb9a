"""Gives a text three lossy forms: for comparing, naming and showing.

Knows nothing of Markdown, of paths or of which file a text came from.
"""

import unicodedata
from collections.abc import Iterator

from everself.values import digest

SLUG_LENGTH = 64
_HASH_LENGTH = 10


def encode(text: str) -> bytes:
    """UTF-8 of any text: surrogates that stand for a byte give it back, others (from JSON escapes, say) become U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _replaced(text, ("\ud800", "\udc7f"), ("\udd00", "\udfff")).encode("utf-8", "surrogateescape")


def _replaced(text: str, *ranges: tuple[str, str]) -> str:
    return "".join("\ufffd" if any(first <= char <= last for first, last in ranges) else char for char in text)


def without_surrogates(text: str) -> str:
    """Same length, each lone surrogate shown as U+FFFD: what a model, a terminal or a pattern can take."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _replaced(text, ("\ud800", "\udfff"))
    return text


_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‘’‚‛′ʼ＇`´", "'")
    | dict.fromkeys("“”„‟″«»〝〞＂", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
    # Invisible and without meaning of their own; the joiners U+200C and U+200D are letters to Persian and to emoji.
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
)


def fold(text: str) -> str:
    """For comparing only: NFKC, case-folded, typographic quotes and dashes as ASCII, white space collapsed."""
    if text.isascii():
        # ASCII is its own normal form, and only the backtick in it typographic: most of a memory goes this way
        return " ".join(text.replace("`", "'").casefold().split())
    folded = " ".join(nfkc(text.translate(_TYPOGRAPHY)).casefold().translate(_TYPOGRAPHY).split())
    # Case folding can undo the normal form and the normal form can bring capitals back ('ͅ' and 'ϔ' do): twice settles it.
    return " ".join(nfkc(folded).casefold().translate(_TYPOGRAPHY).split()) if not folded.isascii() else folded


def nfkc(text: str) -> str:
    """Compatible forms made one, in linear time however many marks are stacked."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    if not any(map(unicodedata.combining, set(text))):
        return unicodedata.normalize("NFKC", text)
    return "".join(unicodedata.normalize("NFKC", part) for part in _split_mark_runs(text))


# Unicode's stream-safe format allows 30; no script stacks more. Sorting an endless run of marks costs its square.
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


# Letters that NFKD leaves whole but every reader of Latin script would spell so.
LATIN_SPELLINGS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"}
)


def slug(text: str) -> str:
    """A name of `[a-z0-9-]{1,64}`. Where letters were lost (another script), a short hash keeps different texts apart."""
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
    """At a word's end where that keeps at least half."""
    if len(words) <= length:
        return words
    at = words.rfind("-", 0, length + 1)
    return words[: at if at >= length // 2 else length].rstrip("-")


def one_line(text: str, width: int = 80) -> str:
    """At most `width` terminal columns. Nothing in it can move a cursor, set a colour or turn the writing direction."""
    # most text is plain: only its blanks can change
    if len(text) <= width and text.isascii() and text.isprintable():
        return " ".join(text.split())
    shown: list[str] = []
    used = 0
    gap = False
    # A column may hold a letter with its marks; beyond this many characters per column it is an attack on the terminal.
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
    # Format characters include the bidirectional overrides and the tag letters; the joiners are what emoji and Persian need.
    if category in ("Cf", "Zl", "Zp"):
        return char if char in "\u200c\u200d" else ""
    return char


def columns_of(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if char in "\u200c\u200d" or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _ellipsed(shown: list[str], used: int, width: int) -> str:
    while shown and used + 1 > width:
        used -= sum(columns_of(char) for char in shown.pop())
    return ("".join(shown) + "…") if width > 0 else ""
