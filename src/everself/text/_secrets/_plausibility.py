"""Decides whether a value after `password`, `token` or the like is a secret, or a word, name, reference or format.

A password may be any quoted word; a token must look random. When in doubt, a value is not redacted.
"""

from typing import Literal

from everself.text._secrets.shapes import compiled, count_of, digits, letters, mixed, placeholder, turns

Name = Literal["passcode", "password", "pass", "key", "secret", "token"]
How = Literal["quoted", "argument", "bare", "prose"]

_STRONG = b"!@#$%^&*+?~"
_BRACKETS = b"(){}"
_CUTS = (b"\\n", b"\\r", b"\\t", b"&&", b"||", b");", b"',", b'",')

# References: environment, template, vault, code, a hash, a path, an address, a date, a version.
_REFERENCE = (
    r"(?i)[<{\[(|\\].*|\$[{(].*|\$[a-z_][a-z0-9_]*(?:\[.*|->.*)?|%(?:[a-z]|\(.*|[a-z_]+%)|[&*][a-z_][a-z0-9_.]*|!(?:ref|sub|secret|env)\b.*|@[a-z]+.*\(.*|(?:os|process|env|config|cfg|settings|self|this|args|opts|options|ctx|request|"
    r"req|res|resp|response|params|props|state|data|event|body|form|user|secrets|vars|var|local|module|import\.meta)\.[a-z_].*"
    r"|(?:env|vault|op|file|arn|ssm|kms|gcp|awssm|ref\+[a-z]+|sm|keyring|bw|pass|doppler|azurekeyvault):.*|[a-z][a-z0-9+.-]{1,20}://.*"
    r"|[a-z_][a-z0-9_.:]*[(\[{].*|[a-z_][a-z0-9_]*(?:->|::|\?\.).*|(?:[a-z_]+\.)+[a-z_]+[0-9]?"
    r"|sha(?:1|224|256|384|512)[-:].*|md5[-:].*|\$(?:2[aby]|[156]|argon2[a-z]*)\$.*"
    r"|[~.]{0,2}/(?:[a-z0-9_.@-]+/)*[a-z0-9_.@-]*|[a-z]:\\.*|[a-z0-9_./-]+\.(?:ya?ml|json|txt|pem|key|env|py|jsx?|tsx?|md|toml|cfg|ini|sh|go|rs|java|rb|html?|css|csv|sql)"
    r"|[a-z0-9._%+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}|[0-9]{4}-[0-9]{2}(?:-[0-9]{2}.*)?|v?[0-9]+(?:\.[0-9]+)+(?:[-+.][a-z0-9.]*)?"
    r"|(?-i:(?:[A-Za-z][a-z0-9-]{0,20}\.)+[a-z]{2,10})(?::[0-9]+)?(?:/.*)?|(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?:[:/].*)?"
    r"|(?:[a-z0-9_]+\.)*(?-i:[A-Z][A-Za-z0-9]*(?:Key|Token|Credentials?))(?:[|,].*)?"
    r"|(?:[a-z_]+(?::[a-z0-9_,]+)?\|)+[a-z_]+(?::[a-z0-9_,]+)?"
)

# Words in forms, schemas and messages in place of a password.
_STEMS = tuple(
    (
        b"pass pwd secret token key requir valid wrong correct string text hidden input none null true false undefined "
        b"label field user email login reset forgot confirm change enter show hide error weak strong expired missing "
        b"match current optional default example dummy sample mask plain crypt hash argon ldap basic kerberos oauth saml "
        b"kennw senha contrase wachtw parol heslo update delete create settings value object number boolean integer "
        b"varchar bytes array buffer credential auth "
    ).split()
)
_SENTENCE = (b"pass", b"enter", b"secret", b"token", b"must", b"your", b"requir", b"should", b"the ")

# Names with digits that are not secrets, without their digits.
_NAMES_WITH_DIGITS = frozenset(
    (
        b"sha md base basex utf int uint float varchar char nvarchar oauth argon argonid pbkdf ed secp secpk secpr aes "
        b"rsa hs rs es hmacsha user test example field param arg var value val input string str bytes text line item "
        b"node obj foo bar baz tmp temp token password passwd pass pwd secret key step version v page part option index "
        b"uintarray intarray floatarray basestring baseurl shasum oauthtoken ipv rot crc blake bearer level type phase "
        b"day week chapter section figure table "
    ).split()
)

_OTHER_TOKENS = (
    r"(?i)(?:public|publishable|next|prev|previous|page|continuation|sync|pad|padding|eos|bos|unk|mask|cls|sep|special|stop|start|end|first|last|each|"
    r"per|one|max|min|num|cursor|pagination|skip|primary|foreign|anon)(?:[ _-]?page)?[ _-]?$"
)


def trimmed(value: bytes) -> bytes:
    """A bare value without the punctuation, code or query string around it."""
    for cut in _CUTS:
        value = value.partition(cut)[0]
    query = compiled(r"&[A-Za-z_.-]+=").search(value)
    if query is not None:
        value = value[: query.span()[0]]
    while value and (value[-1:] in b".,;:" or (value[-1:] in b")]}" and not _opened(value))):
        value = value[:-1]
    return value


def _opened(value: bytes) -> bool:
    opening = {b")": b"(", b"]": b"[", b"}": b"{"}[value[-1:]]
    return opening in value


def believed(name: Name, how: How, value: bytes, *, before: bytes) -> bool:
    if len(value) < 4 or _stands_elsewhere(value):
        return False
    if name in ("token", "key", "secret"):
        return not compiled(_OTHER_TOKENS).search(before) and _believed_token(name, how, value)
    if name == "pass" and how in ("bare", "prose"):
        return _random(value) or unlike_words(value)
    if name == "passcode" and value.isdigit():
        return len(value) <= 12
    return _believed_password(how, value)


def _stands_elsewhere(value: bytes) -> bool:
    return placeholder(value) or compiled(_REFERENCE).fullmatch(value) is not None


def _believed_password(how: How, value: bytes) -> bool:
    if count_of(b" \t", value):
        return how == "quoted" and _passphrase(value)
    if value.isdigit():
        return len(value) >= 6 and how != "argument"
    if _named(value):
        return False
    if how in ("bare", "prose") and len(value) > 24 and count_of(_BRACKETS, value):
        return False
    signs = count_of(_STRONG, value)
    if digits(value) and letters(value):
        return len(value) >= 6 and (how != "prose" or not compiled(r"[0-9]+-[a-z]+|[A-Za-z]+-[0-9]+").fullmatch(value))
    if how in ("quoted", "argument"):
        word = how == "quoted" and value.isascii() and not any(stem in value.lower() for stem in _STEMS)
        return len(value) >= 6 and (signs > 0 or digits(value) > 0 or word)
    odd = compiled(r"[^A-Za-z0-9]+.*|.*[^A-Za-z0-9]{3,}").fullmatch(value)
    if signs >= 2 and letters(value) >= 3 and len(value) >= 6 and not odd:
        return True
    return (len(value) >= 12 and turns(value.translate(None, b"_-. ")) >= 4) or (len(value) >= 24 and value.isalpha())


def _passphrase(value: bytes) -> bool:
    """Four or more plain words that are not a sentence about passwords."""
    words = value.lower().split()
    plain = all(word.isalnum() and word.isascii() and len(word) >= 3 for word in words)
    return 4 <= len(words) <= 12 and plain and value == value.lower() and not any(stem in value for stem in _SENTENCE)


def _believed_token(name: Name, how: How, value: bytes) -> bool:
    if count_of(b" \t(){}[]|<>\"'", value) or value.isdigit() or len(value) < 8 or _named(value):
        return False
    if _random(value) or (len(value) >= 32 and turns(value) >= 12):
        return True
    if how in ("quoted", "argument") and digits(value) and letters(value):
        return len(value) >= 12 if name == "token" else True
    if name == "secret" and how == "quoted" and count_of(_STRONG, value):
        return True
    return len(value) >= 16 and letters(value) == len(value) and turns(value) >= 5


def _named(value: bytes) -> bool:
    """An identifier with a number, such as sha256 or password2."""
    bare = value.lower().translate(None, b"0123456789-_.")
    return bare in _NAMES_WITH_DIGITS and digits(value) <= (
        2 if bare.startswith((b"pass", b"secret", b"test", b"user")) else 4
    )


def unlike_words(value: bytes) -> bool:
    """Whether a value looks like a password: letters, digits and signs mixed, or words and a number joined."""
    signs = count_of(_STRONG, value) or (mixed(value) and (turns(value) >= 3 or count_of(b"-_", value)))
    mixture = (
        len(value) >= 8 and letters(value) >= 3 and digits(value) and signs and not count_of(_BRACKETS + b"|\\/", value)
    )
    return bool(mixture) or compiled(r"(?:[A-Za-z]{3,}-){1,3}[0-9]{2,4}-[A-Za-z]{3,}").fullmatch(value) is not None


def surely_random(value: bytes) -> bool:
    """Whether a value is long and mixed unlike any name, path or date. Enough even if the telling word is further away."""
    longest = max(compiled(r"[A-Za-z0-9]+").findall(value) or [b""], key=len)
    run = len(longest) >= 20 and turns(longest) >= (6 if digits(longest) else 9)
    return (run or (len(value) >= 32 and turns(value) >= 12)) and not _stands_elsewhere(value)


def _random(value: bytes) -> bool:
    """Whether one part between separators mixes letters and digits like no name does, or several parts do so a little."""
    parts = compiled(r"[A-Za-z0-9]+").findall(value)
    little = 0
    for part in parts:
        if not digits(part) or not letters(part):
            if len(part) >= 20 and turns(part) >= 5:
                return True
            continue
        if len(part) >= 8 and (
            turns(part) >= 3
            or (turns(part) >= 2 and digits(part) >= 3)
            or (len(part) >= 12 and mixed(part) and turns(part) >= 2)
        ):
            return True
        little += len(part) >= 4
    return little >= 3 or (little >= 2 and count_of(_STRONG, value) > 0)
