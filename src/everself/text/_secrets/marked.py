"""Secrets known by their surroundings: blocks, headers, URLs, command lines, a vendor's name near the value."""

import base64
import binascii

from everself.text._secrets._plausibility import trimmed, unlike_words
from everself.text._secrets.kind import Kind, Span, certain, words
from everself.text._secrets.shapes import compiled, count_of, digits, letters, mixed, placeholder, plausible, turns

_KEY_LINE = r"[A-Za-z0-9+/]{32,}|(?:[A-Za-z0-9+/]{4}\s?){8,}"
_DEFAULT_LOGINS = frozenset(b"postgres root guest user test admin username name".split())
_EXAMPLE_PASSWORDS = frozenset(
    b"pass password passwd pwd pw secret token key apikey api_key credentials none null true false".split()
)
_REFERENCE_STARTS = (b"$", b"%s", b"%(", b"{", b"<", b"[", b":", b"/")


def _holds_key(data: bytes, start: int, end: int) -> Span | None:
    """A block between BEGIN and END lines that contains a key, not code that only names the lines."""
    return (start, end) if compiled(_KEY_LINE).search(data[start:end]) else None


def _wraps_private_key(data: bytes, start: int, end: int) -> Span | None:
    head = data[start : min(end, start + 60)]
    decoded = base64.b64decode(head[: len(head) // 4 * 4])
    return (start, end) if b"PRIVATE" in decoded else None


def _stands_in(value: bytes, examples: frozenset[bytes]) -> bool:
    return (
        placeholder(value)
        or not value.strip(b"*.-_x")
        or value.lower() in examples
        or value.startswith(_REFERENCE_STARTS)
    )


def _url_password(data: bytes, start: int, end: int) -> Span | None:
    value = data[start:end]
    user = data[max(0, start - 100) : start - 1].rpartition(b"/")[2]
    if len(value) < 4 or _stands_in(value, _EXAMPLE_PASSWORDS):
        return None
    # postgres:postgres@localhost protects nothing and is in every manual
    return None if value == user and value in _DEFAULT_LOGINS else (start, end)


def _given(data: bytes, start: int, end: int) -> Span | None:
    """A value in place of a password, except placeholders and references."""
    value = data[start:end].rstrip(b",;")
    if _stands_in(value, _EXAMPLE_PASSWORDS | _DEFAULT_LOGINS):
        return None
    return start, start + len(value)


def _given_mixed(data: bytes, start: int, end: int) -> Span | None:
    """The same where the position alone proves little: no plain word, number, path or setting name."""
    given = _given(data, start, end)
    value = data[given[0] : given[1]] if given else b""
    quoted = data[start - 1 : start] in (b'"', b"'")
    if not letters(value) or count_of(b"/\\", value[:2]) or (turns(value) < 2 and not quoted):
        return None
    return given


def _unlike_words(data: bytes, start: int, end: int) -> Span | None:
    value = trimmed(data[start:end])
    return (start, start + len(value)) if not placeholder(value) and unlike_words(value) else None


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


def _session(data: bytes, start: int, end: int) -> Span | None:
    """A session cookie; cookies for analytics and preferences are short or plain."""
    value = data[start:end]
    return (start, end) if not placeholder(value) and turns(value) >= 4 and digits(value) else None


def _not_public(data: bytes, start: int, end: int) -> Span | None:
    line = data[max(0, start - 80) : start].rpartition(b"\n")[2].lower()
    return None if compiled(r"pub|peer|hash|\btx|digest|block").search(line) else (start, end)


def _random_forty(data: bytes, start: int, end: int) -> Span | None:
    """An AWS secret has forty characters of base64; forty of hex are a commit."""
    value = data[start:end]
    return (start, end) if not placeholder(value) and turns(value) >= 8 and mixed(value) else None


def _near_maker(data: bytes, start: int, end: int) -> Span | None:
    value = data[start:end]
    return (start, end) if plausible(data, start, end) and turns(value) >= 4 else None


# English words that are not among the 2,048 seed words: a text with one of them is a sentence.
_NO_SEED_WORDS = frozenset(
    b"the and for your are not but was has its from which their our can should shall would does".split()
)


def _seed_words(data: bytes, start: int, end: int) -> Span | None:
    seeds = [word for word in _words(data[start:end]) if word.isalpha()]
    return (start, end) if len(seeds) >= 12 and not _NO_SEED_WORDS.intersection(seeds) else None


def _codes(data: bytes, start: int, end: int) -> Span | None:
    """At least four codes of one length, each with digits; rows of words or dates do not match."""
    found = compiled(r"[0-9a-zA-Z]{4,6}(?:[- ][0-9a-zA-Z]{4,6}|[0-9a-zA-Z]{4,6})").findall(data[start:end])
    alike = len({len(one) for one in found}) == 1 and all(digits(one) >= 2 for one in found)
    return (start, end) if len(found) >= 4 and alike and not placeholder(data[start:end]) else None


def _words(value: bytes) -> list[bytes]:
    return value.lower().translate(bytes.maketrans(b",.;:0123456789)", b" " * 15)).split()


_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_END = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_GAP = r"(?:[\s\"'+>#|,;]|\\[rnt])*"

# the assignment of a cookie, and the name of a session cookie
_IS = r"[\"']?\s*(?:,\s*[\"']value[\"']\s*)?[=:,]\s*[\"']?([A-Za-z0-9_.%+/=-]{16,})"
_BISCUIT = rf"[\"'`; ,{{(]?[a-z0-9_.-]*(?:sess|sid|auth|token|remember|jwt|login|sso|cf_clearance)[a-z0-9_.-]*{_IS}"

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
        r"(?i)(?:\b(?:wg|wireguard)\b|(?:private|pre-?shared)[ _-]?key)[^\n]{0,80}?[^A-Za-z0-9+/]([A-Za-z0-9+/]{43}=)",
        words("wg wireguard private shared"),
        _not_public,
    ),
    Kind(
        "wireguard key",
        r"\b([A-Za-z0-9+/]{43}=)[\"']?\s*(?:\||>>?)[^\n]{0,20}\b(?:wg\b|wireguard)",
        words("wg wireguard"),
        certain,
    ),
    Kind(
        "wallet key",
        r"(?i)(?:wallet|private_?key_?to_?account|from_?(?:private_?)?key|signingkey|keypair|signer)\w{0,20}\(\s*[\"'`]((?:0x)?[a-f0-9]{64})\b",
        ("wallet", "toaccount", "to_account", "key", "signer"),
        _not_public,
    ),
    Kind(
        "one-time password seed",
        r"(?i)(?:oathtool|totp|hotp|2fa|pyotp|mfa|authenticator|otpauth|google_authenticator|\botp|两步验证|动态口令|二段階|認証アプリ|2단계)[^\n]{0,60}?"
        r"(?:[ =\"'`:(]|：|是|は|는)((?-i:[A-Z2-7]{16,64}))(?:[^A-Za-z0-9+/]|$)",
        ("oathtool", "otp", "2fa", "mfa", "authenticator", "两步验证", "动态口令", "二段階", "認証アプリ", "2단계"),
        _session,
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

_CODE = r"(?:[0-9]{1,2}[.)] )?[-*]?[ \t]*[0-9a-z]{4,6}[- ]?[0-9a-z]{4,6}"
CODES = (
    # only as a list: a single code can be used once
    Kind(
        "backup codes",
        r"(?i)(?:backup|recovery|one[- ]time|备用|恢复|一次性|백업|복구|バックアップ|リカバリー)[^\n]{0,30}?"
        r"(?:codes?|码|코드|コード)[^\n0-9]{0,20}?\s*"
        rf"((?:{_CODE}\b[ \t]*[,;]?\s*){{3,}}{_CODE})\b",
        ("one time", *words("backup recovery one-time 备用 恢复 一次性 백업 복구 バックアップ リカバリー")),
        _codes,
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
    Kind(
        "authorization header",
        r"(?i)\bauthorization[\"'\]]{0,2}\s*(?:[:=,]|=>)\s*[\"'`]?(?:bearer|token|apikey|api-key|key|bot)\s+([A-Za-z0-9._~+/=:-]{8,})",
        ("authorization",),
        _bearer,
    ),
    Kind("authorization header", r"\b[Bb]earer[ :]+([A-Za-z0-9._~+/-]{16,}=*)", ("bearer",), _bearer),
    Kind("authorization header", r"\b[Bb]asic[ :]+([A-Za-z0-9+/]{8,}={0,2})", ("basic",), _basic),
    Kind(
        "authorization header",
        r"\b_?auth[\"']?\s*[:=]\s*[\"']?([A-Za-z0-9+/]{8,}={0,2})(?:[\"'\s,;}]|$)",
        ("auth",),
        _basic,
    ),
    Kind(
        "session cookie",
        rf"(?i)\b(?:PHPSESSID|J?SESSIONID|connect\.sid|[a-z.]+_session(?:_?id)?){_IS}",
        ("s",),
        _session,
    ),
    Kind("session cookie", rf"(?i)(?:cookies?|\s-b)\b[^\n]{{0,400}}?{_BISCUIT}", ("cookie", "-b"), _session),
    Kind(
        "command-line password",
        r"\b(?:curl|https?|xh)\b[^\n]{0,200}?\s(?:-u|--user|-U|--proxy-user|-a|--auth)[ =]?[\"']?[^\s:\"'/]{1,100}:[\"']?([^\s\"']{1,200})",
        ("curl", "http", "xh"),
        _given,
    ),
    Kind(
        "command-line password",
        r"\b(?:mysql(?:dump|admin|import)?|mariadb(?:-dump)?|7za?)\b[^\n]{0,100}?\s-p[\"']?([^\s\"']{4,100})",
        ("mysql", "mariadb", "7z"),
        _given,
    ),
    Kind(
        "command-line password",
        r"\b(?:(?:sshpass\s+-p|login\b[^\n|]{1,150}?\s-p|mongo(?:sh|dump|restore|export|import)?\b[^\n|]{1,150}?\s-p"
        r"|redis-cli\b[^\n|]{0,100}?\s-a|ldap[a-z]+\b[^\n|]{0,150}?\s-w|(?:zip|unzip|sqlcmd|clickhouse-client)\b[^\n|]{0,100}?\s-P"
        r"|wpa_passphrase\s+\S{1,40}|htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+\S{1,80}\s+\S{1,40}|requirepass|masterauth|net user \S{1,40}"
        r"|sudo -S <<<|PSK|auth-user-pass \S{1,40}"
        r"|(?:nmcli|netsh|networksetup|iwctl)\b[^\n]{0,150}?(?:password|passphrase|key(?:material)?))"
        r"(?:[ =]+[\"']?|[\"'])|smbclient\b[^\n]{0,100}?\s-U\s*[\"']?[^\s%]{1,40}%|-pass(?:in|out)?\s+[\"']?pass:)"
        r"([^\s\"'=][^\s\"']{3,100})",
        words(
            "sshpass login mongo redis-cli ldap zip sqlcmd clickhouse wpa_ "
            "htpasswd smbclient pass masterauth net sudo psk nmcli netsh networksetup iwctl"
        ),
        _given_mixed,
    ),
    Kind("wifi password", r"\bWIFI:(?:[^\n;]{0,60};){0,4}?P:((?:[^\s;\\]|\\.){4,100});", ("wifi:",), _given),
    Kind(
        "wifi password",
        r"(?i)\b(?:wpa[_-])?(?:psk|wpa_passphrase|sae_password)[\"']?\s*[=:]\s*[\"']?([^\s\"']{8,63})",
        ("psk", "wpa_", "sae_"),
        _given_mixed,
    ),
    Kind(
        "wifi password",
        r"(?i)(?:wi-?fi|wlan|wpa2?|ssid)[^\n]{0,40}?(?:key|schlüssel|キー|密钥|키|\))[\"'`*]{0,3}\s*(?::|=|：|ist|lautet|is|は|是|는)"
        r"\s*(?:[\"'`*]|„|“|「){0,3}([!#-&(-;=?-_a-~]{8,63})",
        words("wifi wi-fi wlan wpa ssid"),
        _unlike_words,
    ),
    Kind("session cookie", r"\t(?:TRUE|FALSE)\t[0-9]+\t\S{1,60}\t(\S{16,})", ("true", "false"), _session),
    Kind("wifi password", r"(?i)<keyMaterial>\s*([^<\s]{8,64})", ("keymaterial",), _given),
    Kind(
        "database password",
        r"(?m)^[a-z0-9.*-]{1,80}:(?:[0-9]{2,5}|\*):[^\s:]{1,40}:[^\s:]{1,40}:([^\s:]{4,100})$",
        (":",),
        _given_mixed,
    ),
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
    # the only place where a bare word is surely a password
    Kind("password", r"(?m)^\s*(?:export\s+)?[A-Z0-9_]*PASSW(?:OR)?D=([^\s\"'$<{(]{4,200})\s*$", ("passw",), _given),
    # a pair of arguments, the second of which is the password
    Kind(
        "password",
        r"(?i)(?:\b(?:[a-z]*basic_?auth|[a-z]*credentials?|passwordauthentication|log_?[io]n|authenticate|sign_?in|wifi\.begin"
        r"|create_?user|get_?connection)\((?:[a-z_.]+,)?|\bauth\s*[=:]\s*[(\[])"
        r"\s*(?:user(?:name)?=)?[\"'`][^\"'`\n]{1,80}[\"'`]\s*,\s*(?:passw(?:or)?d=)?[\"'`]([^\"'`\n]{4,200})[\"'`]",
        words("auth cred log sign begin user connection"),
        _given,
    ),
    Kind(
        "password",
        r"(?i)(?:securestring|chpasswd)\s+(?:-string\s+)?(?:<<<\s*)?[\"'](?:[a-z0-9_.-]{1,40}:)?([^\"'\n]{4,200})[\"']",
        ("securestring", "chpasswd"),
        _given,
    ),
    Kind(
        "password",
        r"\becho\s+(?:-n\s+)?[\"']?(?:[a-z0-9_.-]{1,40}:)?([^\s\"'|]{4,200})[\"']?\s*\|\s*(?:sudo\s+)?"
        r"(?:chpasswd|passwd|sudo\s+-S|[^\n|]{1,80}(?:password-stdin|--passphrase-fd))",
        ("echo",),
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
    # pairs as consoles and spreadsheets show them
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

MARKED: tuple[Kind, ...] = (*BLOCKS, *CODES, *PLACES, *MAKERS)
