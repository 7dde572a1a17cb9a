"""The entry comment, `<!-- everself: id=… tag=… -->`: finds, parses and writes it, and defuses forged ones.

Reports what a comment claims, not whether it is true: provenance decides that. A malformed comment is plain text.
"""

from collections import Counter
from urllib.parse import unquote_to_bytes

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.text.normalise import without_surrogates
from everself.text.patterns import LazyPattern

KEYS = ("id", "tag", "conf", "src", "seen", "n", "from", "until", "by", "who", "project", "copy-of", "sha")
_RANK = {key: rank for rank, key in enumerate(KEYS)}
_OPEN, _CLOSE, _NAME = b"<!--", b"-->", b"everself:"
# the comment is at the end of a line that people read; ours have a few hundred bytes
LONGEST_COMMENT = 8192
_KEY_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


class EntryComment(Frozen):
    """The decoded fields of a comment, in order."""

    fields: tuple[tuple[str, str], ...]

    def get(self, key: str) -> str:
        """The value of `key`; empty if it is missing."""
        return next((value for name, value in self.fields if name == key), "")

    @property
    def id(self) -> str:
        return self.get("id")


class FoundComment(Frozen):
    """A comment and its position in the document."""

    start: int
    end: int
    comment: EntryComment


def find_comment(data: bytes, start: int, end: int) -> FoundComment | None:
    """The last valid entry comment at the end of data[start:end]. Only other comments may follow it."""
    end = min(end, len(data))
    while True:
        while end > start and data[end - 1] in b" \t\r\n":
            end -= 1
        if not data.endswith(_CLOSE, start, end):
            return None
        begin = data.rfind(_OPEN, start, end - len(_CLOSE) + 2)
        if begin < 0:
            return None
        comment = parse_comment(data[begin:end]) if end - begin <= LONGEST_COMMENT else None
        if comment is not None:
            return FoundComment(begin, end, comment)
        end = begin


def parse_comment(raw: bytes) -> EntryComment | None:
    """Parse one comment. None if it is not ours, not closed, too long, has duplicate keys, or names no entry."""
    if len(raw) > LONGEST_COMMENT or not raw.startswith(_OPEN) or not raw.endswith(_CLOSE):
        return None
    inner = raw[len(_OPEN) : -len(_CLOSE)].strip(b" \t")
    if not inner.startswith(_NAME) or b"--" in inner or b">" in inner or b"\n" in inner or b"\r" in inner:
        return None
    fields: dict[str, str] = {}
    try:
        for word in inner[len(_NAME) :].decode().replace("\t", " ").split(" "):
            key, equals, value = word.partition("=")
            if not word:
                continue
            if not equals or key in fields or not (key in _RANK or _is_key(key)):
                return None
            fields[key] = unquote_to_bytes(value).decode() if "%" in value else value
    except UnicodeDecodeError:
        return None
    if not (fields.get("id") or fields.get("copy-of")):
        return None
    return EntryComment(tuple(fields.items()))


def render_comment(comment: EntryComment) -> bytes:
    """The comment in canonical form: known keys first in their order, then the others."""
    names = [key for key, _ in comment.fields]
    if len(set(names)) != len(names) or not all(_is_key(key) for key in names):
        raise WrongUse(f"an entry comment needs distinct, plain keys, not {names!r}")
    if not (comment.id or comment.get("copy-of")):
        raise WrongUse("an entry comment needs an id")
    ordered = sorted(comment.fields, key=lambda item: _RANK.get(item[0], len(KEYS)))
    words = " ".join(f"{key}={_encode(value)}" for key, value in ordered)
    raw = b" ".join((_OPEN, _NAME, words.encode(), _CLOSE))
    if len(raw) > LONGEST_COMMENT:
        raise WrongUse(f"an entry comment of {len(raw)} bytes would not be read back (limit {LONGEST_COMMENT})")
    return raw


def with_fields(comment: EntryComment, **changes: str | None) -> EntryComment:
    """The comment with fields set, or removed if the value is None. Write `from_` for `from`, `copy_of` for `copy-of`."""
    wanted = {key.rstrip("_").replace("_", "-"): value for key, value in changes.items()}
    fields: dict[str, str | None] = {**dict(comment.fields), **wanted}
    return EntryComment(tuple((key, value) for key, value in fields.items() if value is not None))


def escape_forged(text: str) -> str:
    """Foreign text with every possible entry comment or sharing label made visible.

    `<!--` becomes `&lt;!--`, which looks the same when rendered and is not parsed as a comment. Matches more than `parse_comment` (any
    case and white space), for more lenient readers.
    """
    if "<!--" not in text:
        return text
    # as bytes: foreign text may contain lone surrogates, which text patterns do not accept
    escaped: bytes = _FORGED.sub(rb"&lt;!--\1", text.encode("utf-8", "surrogatepass"))
    return escaped.decode("utf-8", "surrogatepass")


def marks_in(data: bytes) -> Counter[bytes]:
    """Everything in a document that begins like an entry comment or a sharing label, valid or not."""
    found: Counter[bytes] = Counter()
    for match in _FORGED.finditer(data) if _OPEN in data else ():
        end = data.find(_CLOSE, match.start())
        found[data[match.start() : end if end >= 0 else len(data)]] += 1
    return found


# white space of any kind, and invisible characters
_GAP = r"[\s\x{00}-\x{20}\p{Z}\p{Cf}\x{85}-]*"
_FORGED = LazyPattern(f"(?i)<!--({_GAP}(?:everself|share){_GAP}:)".encode())


def _is_key(key: str) -> bool:
    return bool(key) and key[0].isalpha() and _KEY_CHARS.issuperset(key) and "--" not in key and key[-1] != "-"


def _encode(value: str) -> str:
    whole = without_surrogates(value)
    safe = "".join(char if char.isprintable() and char not in " %<>`" else _percent(char) for char in whole)
    return safe.replace("--", "-%2D")


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())
