"""Finds secrets without a shape of their own by the word before them: `password = …`, "the API key is …", 密码是….

Finds the names and the positions of their values; `_plausibility.py` judges the values.
"""

from collections.abc import Iterator

from everself.frozen import Frozen
from everself.text._secrets._plausibility import How, Name, believed, surely_random, trimmed, unlike_words
from everself.text._secrets._tabled import find_tabled
from everself.text._secrets.kind import words
from everself.text._secrets.shapes import Match, compiled, mixed

_PASSCODE = r"pass[ _-]?code|暗証番号|\b(?:my|card|bank|debit|sim|phone|door|alarm|unlock|safe) pin(?: code)?"
_PASSWORD = (
    r"pass[ _-]?words?|passwd|pass[ _-]?phrase|\bpwd|[_.-]pwd|\bpw\b|密码|密碼|口令|パスワード|パスフレーズ|パスは|비밀번호|비번|암호|"
    r"contraseña|mot de passe|passwort|kennwort|senha|пароль|wachtwoord"
)
_KEY = (
    r"(?:api|access|auth|private|secret|encryption|signing|master|account|service|app|application|client|admin|root|license|"
    r"storage|shared|subscription|session|webhook|hmac|jwt|deploy|wi-?fi|wpa2?|wlan|network|recovery|product)[ _-]?key|(?-i:[A-Z0-9]_KEY)|"
    r"密钥|密鑰|密匙|秘密鍵|秘钥|私钥|私鑰|金鑰|プライベートキー|"
    r"(?:api|访问|接口|アクセス|액세스|인증|개인|비밀|프라이빗|암호화|シークレット)?[ -]?(?:キー|키)|schl(?:ü|Ü|ue)ssel|\bkey"
)
_ANY_KEY = tuple(word.encode() for word in ("key", "キ", "키"))
_SECRET = r"secret(?:[ _-]?key(?:[ _-]?base)?)?|credentials?|シークレット|시크릿"
_TOKEN = r"token|令牌|トークン|토큰|访问码"
_PASS = r"\bpass|[_.-]pass"

_NAMES: tuple[Name, ...] = ("passcode", "password", "key", "secret", "token", "pass")

# A name may be followed by its environment, but not by another noun: password_prod, but never password_hash.
_BELONGS = r"(?:[_-]?(?:prod|production|dev|staging|stage|live|test|old|new|main|default|v?[0-9]{1,2}))?"
_WHOSE = r"(?:\s*\([^()\n]{1,30}\)|\s+(?:for|to|of|on|at|in|für|fuer|zu[mr]?|vo[nm]|bei|des|der|im)\s[^\n:=,.;]{1,40}?)"

# The value may be on the next line, the sign may not.
_GAP = r"[ \t]*(?:\r?\n[ \t]*)?"
_SIGN = (
    rf"[ \t]*(?::[ \t]*[A-Za-z_][A-Za-z0-9_.\[\]| ]{{0,40}} =[ \t]|:[ \t]*[A-Za-z_]{{3,12}}=|:=|=>|===?|!==?|[:=]|：|＝|->|→|⇒){_GAP}"
    # separate name: and value: fields, in manifests of containers and in JSON
    r"|[ \t]?[,{]?\s{0,40}(?:type\s*=\s*\w+\s+)?[\"']?(?:value|default)[\"']?\s?[:=]\s?| --body[ =]|>|[ \t]+(?:\||-|–|—)[ \t]+"
)
_SAID = (
    rf"{_WHOSE}?\s+(?:(?:is|was|are|will be|should be|has been|have been)(?:\s+(?:now|changed to|set to|reset to))?"
    rf"|changed to|set to|reset to|to|now|(?:lautet|ist|heißt|war|wurde|auf|durch)(?:\s+(?:jetzt|nun|auf))*):?\s+"
    rf"|{_WHOSE}\s*(?:[:=]|：|->|→)\s*|(?:'|’)s\s+"
    r"|\s*(?:现在|現在|今|就|应该|应|已经|已|要)*"
    r"(?:是|(?:改|设|設|换|換|更新|设置|设定|設定|変更|修改|重置)(?:成|为|為|到)(?:了)?|为|為|は|が|を|는|은|이|가|를|을|叫)\s*(?::|：)?\s*"
)
_CALL = r"\(\s*|,\s*"
_SPACE = r"[ \t]+"

_LEAD = (
    "(?i)(?:"
    + "|".join(f"({words})" for words in (_PASSCODE, _PASSWORD, _KEY, _SECRET, _TOKEN, _PASS))
    + ")"
    + _BELONGS
    + r"(?:\\?[\"'`\])*_]{0,4}|[”」』】])"
    f"(?:({_SIGN})|({_SAID})|({_CALL})|({_SPACE}))"
)

# Quotation marks around a value, each opening with its closing.
_QUOTES = tuple(
    (opening.encode(), closing.encode())
    for opening, closing in ('""', "''", "``", "“”", "„“", "„”", "«»", "»«", "‘’", "‚‘", "「」", "『』", "【】", "《》")
)
_BARE = r"[!#-&(-;=?-_a-~]{1,200}"
_LONGEST = 400

# Values further away, if they are surely random: "the access token that Ben made for the map: …".
_FAR = (
    r"(?i)(?:password|passphrase|key|secret|token|cookie|wallet|钱包|지갑|ウォレット|credentials?|passwort|kennwort|schl(?:ü|Ü|ue)ssel|密码|密碼|密钥|密鑰|私钥|私鑰|金鑰|令牌|秘密鍵|"
    r"キー|トークン|パスワード|シークレット|키|토큰|비밀번호|시크릿)[^\n]{0,60}?"
    r"(?:[:=(,>]|：|（|，| (?:-|–|—)|→|\b(?:is|ist|lautet|as|auf|durch|with|to|use|key|token|secret)|は|を|が|是|为|為|成|는|은|를|을)"
    r"[ \t]*(?:[\"'`*<]|“|„|「|『|‘){0,3}((?:0x)?[A-Za-z0-9+/_.~%-]{20,}={0,2})"
)
_NEAR = r"([A-Za-z0-9+/_-]{20,}={0,2})[^\nA-Za-z0-9+/][^\n]{0,40}?(?i:key|token|secret|密钥|密鑰|令牌|トークン|キー|토큰|키|schlüssel)"
_NO_SECRET = (
    r"(?i)commit|\bsha|\btx|hash|digest|checksum|fingerprint|md5|uuid|\bid\b|_id\b|pub(?:lic|key|\b)|address|revision|etag|https?:|\bref\b|branch|"
    r"image|cache|primary|foreign|idempotency|partition|object|path|file|redacted|公钥|公鑰|公開鍵|공개|提交|哈希|öffentlich"
)

_REVERSED = (
    r"([!-~]{6,64})\s+(?i:is|as|was)\s+(?i:(?:my|the|our|your|his|her|their|a|new|old)\s+)*(?:[A-Za-z-]{1,20}\s+){0,3}?"
    r"(?i:password|passcode|passphrase|api key|access token)\b"
)
_PAIR = (
    r"(?i:\bcredentials|\bcreds|\blogin|\blog in|zugangsdaten|anmeldung|\bwlan|wi-?fi|"
    r"ログイン|로그인|登录|登錄|\buser(?:name)?/pass(?:word)?|账号密码|帳號密碼|账号/密码|アカウント)\s*"
    r"(?i:are|is|:|=|：|with|as|mit)\s*[\"'`]?[A-Za-z0-9._@+-]{2,60}[\"'`]?\s?(?:[:/,]|und\b|and\b|、|，)\s?[\"'`]?([!#-&(-_a-~]{5,100})"
)

ANCHORS = words(
    "pass pwd pw key secret credential token pin cred log senha zugangs anmeld wlan wifi wi-fi ログイン 로그인 登录 登錄 "
    "kennwort contrase wachtwoord schl 密 口令 秘 令牌 访问 接口 暗証 "
    "パス トークン シークレット キー 비밀 비번 암호 토큰 시크릿 키 пароль Пароль アカウント 账号 帳號 "
    "cookie wallet 钱包 지갑 ウォレット 私钥 私鑰"
)

NAMES_SHOWN: dict[Name, str] = {name: "password" if name == "pass" else name for name in _NAMES}


class _Lead(Frozen):
    """A name with its assignment sign; the value begins at `end`."""

    name: Name
    sign: str
    start: int
    end: int
    # any other kind of key
    anything: bool


def find_assigned(data: bytes) -> Iterator[tuple[str, int, int]]:
    """The kind, start and end of each secret. The work per name is bounded by the longest value, so the time is linear."""
    for match in compiled(_LEAD).finditer(data):
        lead = _lead(data, match)
        start, end, bare = _value(data, lead.end)
        how = _how(data, lead, trimmed(data[start:end]), bare=bare) if end > start else None
        if how is None:
            continue
        if lead.anything and not _any_key(data, lead, trimmed(data[start:end])):
            continue
        if bare:
            end = start + len(trimmed(data[start:end]))
        if believed(lead.name, how, data[start:end], before=data[max(0, lead.start - 24) : lead.start]):
            yield NAMES_SHOWN[lead.name], start, end
    yield from _told_otherwise(data)
    for name, start, end in find_tabled(data):
        yield NAMES_SHOWN[name], start, end


def _value(data: bytes, at: int) -> tuple[int, int, bool]:
    """The position of the value, and whether it is bare. An opening quote that is not closed on its line is ignored."""
    at += len(data[at : at + 4]) - len(data[at : at + 4].lstrip(b"*_ "))
    escaped = data[at : at + 1] == b"\\"
    at += escaped
    for opening, closing in _QUOTES:
        if data.startswith(opening, at):
            at += len(opening)
            end = data.find(closing, at, at + _LONGEST)
            if end > at and b"\n" not in data[at:end]:
                return at, end - (escaped and data[end - 1 : end] == b"\\"), False
            break
    found = compiled(_BARE).match(data, at, min(len(data), at + _LONGEST))
    return (*(found.span() if found else (at, at)), True)


def _lead(data: bytes, match: Match) -> _Lead:
    name = next(name for index, name in enumerate(_NAMES, 1) if match.span(index)[0] >= 0)
    signs = ("sign", "said", "call", "space")
    sign = next(sign for index, sign in enumerate(signs, len(_NAMES) + 1) if match.span(index)[0] >= 0)
    start, end = match.span()
    return _Lead(name, sign, start, end, data[start : start + 3].lower() in _ANY_KEY)


def _how(data: bytes, lead: _Lead, value: bytes, *, bare: bool) -> How | None:
    """How the value was given; None if there is no value, as in `password field` or `tokens, and`."""
    if lead.name == "pass" and lead.sign != "sign" and (bare or data[lead.start : lead.start + 1] not in b"_.-"):
        return None
    if not bare:
        listed = lead.sign == "call" and data[lead.start : lead.end].rstrip().endswith(b",")
        if listed and not _first_argument(data, lead):
            return None
        return "quoted" if lead.sign in ("sign", "said") else "argument"
    if lead.sign == "space":
        if lead.name in ("key", "token", "secret"):
            if surely_random(value) and not compiled(_NO_SECRET).search(data[max(0, lead.start - 40) : lead.start]):
                return "prose"
        elif unlike_words(value):
            return "prose"
        # --db-password, --token
        before = data[max(0, lead.start - 30) : lead.start + 1]
        return "bare" if compiled(r"(?:^|\s)--(?:[A-Za-z0-9]+[_-])*[A-Za-z0-9]?$").search(before) else None
    if lead.sign == "call":
        return None
    return "prose" if lead.sign == "said" else "bare"


def _any_key(data: bytes, lead: _Lead, value: bytes) -> bool:
    """Whether a value after an unspecific "key" is a secret: it must be surely random, or a password of a wireless network."""
    before = data[max(0, lead.start - 60) : lead.start].lower()
    return surely_random(value) or (
        unlike_words(value) and compiled(r"wi-?fi|wlan|ssid|wpa").search(before) is not None
    )


def _first_argument(data: bytes, lead: _Lead) -> bool:
    """Whether the name is the first argument, as in `define("DB_PASSWORD", "…")`, not one word in a list."""
    return compiled(r"\(\s*[\"'`][A-Za-z0-9_.-]{0,30}$").search(data[max(0, lead.start - 40) : lead.start]) is not None


def _told_otherwise(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Values before the word, and pairs of names and passwords."""
    for pattern in (_FAR, _NEAR):
        for match in compiled(pattern).finditer(data):
            first, last = match.span()
            start, end = match.span(1)
            around = data[max(0, first - 40) : last].rpartition(b"\n")[2]
            value = trimmed(data[start:end])
            if surely_random(value) and (pattern is _FAR or mixed(value)) and not compiled(_NO_SECRET).search(around):
                yield "token", start, start + len(value)
    for pattern in (_REVERSED, _PAIR):
        for match in compiled(pattern).finditer(data):
            start, end = match.span(1)
            value = trimmed(data[start:end].strip(b"\"'`*"))
            start = data.find(value, start, end)
            if value and believed("password", "prose", value, before=b""):
                yield "password", start, start + len(value)
