"""Secrets known by what stands around them: blocks, headers, URLs, command lines, a maker's name near the value."""

import base64
import binascii

from everself.text.secrets.kind import Kind, Span, certain
from everself.text.secrets.shapes import compiled, mixed, placeholder, plausible, turns

_KEY_LINE = r"[A-Za-z0-9+/]{32,}|(?:[A-Za-z0-9+/]{4}\s?){8,}"
_DEFAULT_LOGINS = frozenset(b"postgres root guest user test admin username name".split())
_EXAMPLE_PASSWORDS = frozenset(
    b"pass password passwd pwd pw secret token key apikey api_key credentials none null true false".split()
)
_REFERENCE_STARTS = (b"$", b"%s", b"%(", b"{", b"<", b"[", b"*", b":", b"/")


def _holds_key(data: bytes, start: int, end: int) -> Span | None:
    """A block between BEGIN and END, or code that merely names the two lines."""
    return (start, end) if compiled(_KEY_LINE).search(data[start:end]) else None


def _wraps_private_key(data: bytes, start: int, end: int) -> Span | None:
    head = data[start : min(end, start + 60)]
    decoded = base64.b64decode(head[: len(head) // 4 * 4])
    return (start, end) if b"PRIVATE" in decoded else None


def _url_password(data: bytes, start: int, end: int) -> Span | None:
    value = data[start:end]
    user = data[max(0, start - 100) : start - 1].rpartition(b"/")[2]
    if (
        len(value) < 4
        or placeholder(value)
        or value.lower() in _EXAMPLE_PASSWORDS
        or value.startswith(_REFERENCE_STARTS)
    ):
        return None
    # postgres:postgres@localhost guards nothing and stands in every manual.
    return None if value == user and value in _DEFAULT_LOGINS else (start, end)


def _given(data: bytes, start: int, end: int) -> Span | None:
    """A value in the place of a password: anything but a placeholder or a reference to elsewhere."""
    value = data[start:end].rstrip(b",;")
    if (
        placeholder(value)
        or value.lower() in _EXAMPLE_PASSWORDS | _DEFAULT_LOGINS
        or value.startswith(_REFERENCE_STARTS)
    ):
        return None
    return start, start + len(value)


def _bearer(data: bytes, start: int, end: int) -> Span | None:
    value = data[start:end].rstrip(b".,")
    if placeholder(value) or value.startswith(_REFERENCE_STARTS):
        return None
    return (start, start + len(value)) if turns(value) >= 3 or mixed(value) else None


def _basic(data: bytes, start: int, end: int) -> Span | None:
    value = data[start:end]
    try:
        decoded = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except binascii.Error:
        return None
    user, colon, _ = decoded.partition(b":")
    return (start, end) if colon and all(32 <= byte < 127 for byte in user) else None


def _random_forty(data: bytes, start: int, end: int) -> Span | None:
    """AWS gives forty characters of base64; forty of hex are a commit."""
    value = data[start:end]
    return (start, end) if not placeholder(value) and turns(value) >= 8 and mixed(value) else None


def _near_maker(data: bytes, start: int, end: int) -> Span | None:
    value = data[start:end]
    return (start, end) if plausible(data, start, end) and turns(value) >= 4 else None


# Words of English that the list of 2,048 seed words leaves out: with one of them it is a sentence about seeds.
_NO_SEED_WORDS = frozenset(
    b"the and for your are not but was has its from which their our can should shall would does".split()
)


def _seed_words(data: bytes, start: int, end: int) -> Span | None:
    words = [word for word in _words(data[start:end]) if word.isalpha()]
    return (start, end) if len(words) >= 12 and not _NO_SEED_WORDS.intersection(words) else None


def _words(value: bytes) -> list[bytes]:
    return value.lower().translate(bytes.maketrans(b",.;:0123456789)", b" " * 15)).split()


_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_END = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_GAP = r"(?:[\s\"'+>#|,;]|\\[rnt])*"

BLOCKS = (
    Kind("private key", rf"{_BEGIN}(?:[^-]|-{{1,3}}[^-])*?{_END}", ("private key",), _holds_key),
    # Cut off before its end, as in a log or a paste.
    Kind(
        "private key",
        rf"{_BEGIN}(?:{_GAP}[A-Za-z-]{{3,20}}: [^\n\\]{{0,200}})*(?:{_GAP}[A-Za-z0-9+/]{{16,}}={{0,2}})+"
        rf"(?:{_GAP}[A-Za-z0-9+/]{{1,16}}={{1,2}})?",
        ("private key",),
        _holds_key,
    ),
    Kind("private key", r"\bPrivate-Lines: [0-9]+\s+((?:[A-Za-z0-9+/]{20,}={0,2}\s*)+)", ("private-lines",), certain),
    Kind("private key", r"\bLS0tL[A-Za-z0-9+/]{60,}={0,2}", ("ls0tl",), _wraps_private_key),
    Kind("age secret key", r"\bAGE-SECRET-KEY-(?:PQ-)?1[0-9A-Za-z]{50,}", ("age-secret-key-",), certain),
    Kind(
        "wireguard key",
        r"(?i)\b(?:PrivateKey|PresharedKey)\s*=\s*([A-Za-z0-9+/]{43}=)",
        ("privatekey", "presharedkey"),
        certain,
    ),
    Kind("json web token", r"\bey[A-Za-z0-9_-]{10,}\.ey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", ("ey",)),
    Kind("json web token", r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]{10,}){3}", ("eyj",)),
    Kind(
        "seed phrase",
        r"(?i:seed|recovery|mnemonic|backup phrase|wallet phrase|助记词|助記詞|ニーモニック|リカバリーフレーズ|니모닉|복구 문구|시드 문구)"
        r"[^\n]{0,40}?(?:[:=\"'`\n]|：|\bis\b|\bare\b|は|是|는)[\s\"'`*]*"
        r"((?:(?:[0-9]{1,2}[.):] ?)?[a-z]{3,8}(?:[ \t]*[,\n]?[ \t]*)){11,23}[a-z]{3,8})\b",
        ("seed", "recovery", "mnemonic", "phrase", "助记词", "助記詞", "ニーモニック", "フレーズ", "니모닉", "문구"),
        _seed_words,
    ),
)

PLACES = (
    Kind(
        "url password",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,30}://[^\s/:@\"'<>`]{0,100}:([^\s/\"'<>`]{1,200})@[A-Za-z0-9\[_$]",
        ("://",),
        _url_password,
    ),
    Kind(
        "database password",
        r"(?i)\b(?:server|data source|host|addr|address|database|initial catalog|dbname|user id|uid|user|username)\s*=[^;\n]{1,100};"
        r"[^\n]{0,200}?\b(?:password|pwd)\s*=\s*([^;\s\"']{1,200})",
        ("password", "pwd"),
        _given,
    ),
    Kind(
        "database password",
        r"(?i)://[^\s\"'<>]{3,200}[?&](?:password|passwd|pwd|pass)=([^\s&\"';<>]{3,200})",
        ("pass", "pwd"),
        _given,
    ),
    Kind(
        "database password",
        r"\b(?:host|hostaddr|dbname|user)=[^\s,()]{1,60} (?:[a-z_]{1,20}=[^\s,()]{1,60} ){0,4}password=([^\s,()\"']{3,200})",
        ("password",),
        _given,
    ),
    # The one place where a bare word is surely a password.
    Kind("password", r"(?m)^\s*(?:export\s+)?[A-Z0-9_]*PASSW(?:OR)?D=([^\s\"'$<{(]{4,200})\s*$", ("passw",), _given),
    Kind(
        "authorization header",
        r"(?i)\bauthorization[\"'\]]{0,2}\s*(?:[:=,]|=>)\s*[\"'`]?(?:bearer|token|apikey|api-key|key|bot)\s+([A-Za-z0-9._~+/=:-]{8,})",
        ("authorization",),
        _bearer,
    ),
    Kind("authorization header", r"\b[Bb]earer[ :]+([A-Za-z0-9._~+/-]{16,}=*)", ("bearer",), _bearer),
    Kind("authorization header", r"\b[Bb]asic[ :]+([A-Za-z0-9+/]{8,}={0,2})", ("basic",), _basic),
    Kind("authorization header", r"\"auth\"\s*:\s*\"([A-Za-z0-9+/]{8,}={0,2})\"", ("auth",), _basic),
    Kind(
        "command-line password",
        r"\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,100}:([^\s\"']{1,200})",
        ("curl",),
        _given,
    ),
    Kind(
        "command-line password",
        r"\bmysql(?:dump|admin|import)?\b[^\n]{0,100}?\s-p([^\s\"']{4,100})",
        ("mysql",),
        _given,
    ),
    Kind("command-line password", r"\bsshpass\s+-p\s*[\"']?([^\s\"']{4,100})", ("sshpass",), _given),
    Kind(
        "command-line password",
        r"\bmachine\s+\S{1,100}\s+login\s+\S{1,100}\s+password\s+(\S{3,200})",
        ("machine",),
        _given,
    ),
    Kind(
        "command-line password",
        r"(?i)\bidentified\s+(?:with\s+\S{1,40}\s+)?by\s+[\"']([^\"'\n]{3,100})[\"']",
        ("identified",),
        _given,
    ),
)

_UUID = r"[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"
_WORDS = r"[^\n]{0,30}?(?i:key|token|secret|auth|password|credential)[^\n]{0,16}?"

MAKERS = (
    Kind(
        "aws secret key",
        r"(?i:aws[ _-]?secret|secret[ _-]?access[ _-]?key|aws[^\n]{0,20}secret|aws[ _-]?sk)[^\n]{0,40}?"
        r"[^A-Za-z0-9/+]([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        ("secret", "aws"),
        _random_forty,
    ),
    # Pairs as consoles and spreadsheets hand them out.
    Kind(
        "aws secret key",
        r"\bA[KS]IA[A-Z0-9]{16}[^A-Za-z0-9/+\n]{1,8}([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        ("akia", "asia"),
        _random_forty,
    ),
    Kind("heroku key", rf"(?i:heroku){_WORDS}\b({_UUID})\b", ("heroku",)),
    Kind(
        "cloudflare token",
        rf"(?i:cloudflare|\bcf_){_WORDS}\b([A-Za-z0-9_-]{{40}}|[a-f0-9]{{37}})\b",
        ("cloudflare", "cf_"),
        _near_maker,
    ),
    Kind("vercel token", rf"(?i:vercel){_WORDS}\b([A-Za-z0-9]{{24}})\b", ("vercel",), _near_maker),
    Kind(
        "datadog key",
        rf"(?i:datadog|\bdd_){_WORDS}\b([a-f0-9]{{32}}|[a-f0-9]{{40}})\b",
        ("datadog", "dd_"),
        _near_maker,
    ),
    Kind("vault token", rf"(?i:vault){_WORDS}\b(s\.[A-Za-z0-9]{{24}})\b", ("vault",), _near_maker),
    Kind("okta token", r"(?i:okta|ssws)[^\n]{0,40}?\b(00[A-Za-z0-9_-]{40})\b", ("okta", "ssws"), _near_maker),
    Kind("algolia key", rf"(?i:algolia){_WORDS}\b([a-f0-9]{{32}})\b", ("algolia",), _near_maker),
    Kind("pagerduty key", rf"(?i:pagerduty){_WORDS}\b([A-Za-z0-9_+-]{{20,32}})\b", ("pagerduty",), _near_maker),
)

MARKED: tuple[Kind, ...] = (*BLOCKS, *PLACES, *MAKERS)
