"""Splits identifiers, hashes, versions and words with apostrophes."""

import string

# a token with more parts is noise, such as base64
_MOST_PARTS = 8
# the lengths to which git and people shorten a hash
_SHORT_HASHES = (7, 8, 10, 12)
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_HEX = frozenset(string.hexdigits)
# Endings after an apostrophe: the possessive, and contractions of "is", "are", "have", "will", "would" and "am".
_ENDINGS = frozenset({"s", "re", "ve", "ll", "d", "m"})
# articles and short words that French, Italian and Catalan elide before a vowel
_ELISIONS = frozenset(
    {"l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"}
    | {"un", "dell", "all", "nell", "sull", "dall", "coll", "quell", "quest", "bell", "sant", "gl"}
)


def split_identifier(token: str) -> list[str]:
    """Split at changes of case and between letters and digits: `parseHTTPHeader2` is parse, HTTP, Header, 2."""
    parts: list[str] = []
    start = 0
    for at in range(1, len(token)):
        if _parts_before(token, at):
            parts.append(token[start:at])
            start = at
    parts.append(token[start:])
    return parts


def worth_finding(parts: list[str]) -> list[str]:
    """The parts worth indexing: not the st of 21st, the i of iPhone, or parts of base64."""
    if len(parts) > _MOST_PARTS:
        return []
    if len(parts) == 2 and parts[0].isdecimal() and parts[1].lower() in _ORDINALS:
        return parts[:1]
    return [part for part in parts if len(part) > 1 or part.isdecimal()]


def _parts_before(token: str, at: int) -> bool:
    before, here = token[at - 1], token[at]
    if before.isdecimal() != here.isdecimal():
        return True
    if not here.isupper():
        return False
    if before.islower():
        return True
    # the last capital of a row begins the next part, except in the plural of an acronym: PDFs
    after = token[at + 1 : at + 2]
    return before.isupper() and after.islower() and token[at + 1 :] != "s"


def is_hash(token: str) -> bool:
    """Whether a token is hexadecimal with letters and digits, and too long for a word."""
    return len(token) >= _SHORT_HASHES[0] and _HEX.issuperset(token) and not token.isdecimal() and not token.isalpha()


def short_hashes(token: str) -> tuple[str, ...]:
    return tuple(token[:length] for length in _SHORT_HASHES if length < len(token))


def is_version(atom: str) -> bool:
    return atom[0] == "v" and atom[1:2].isdecimal()


def singular_acronym(token: str) -> str:
    """PDF for PDFs, which no stemmer reduces; else empty."""
    return token[:-1] if len(token) > 2 and token[-1] == "s" and token[:-1].isupper() and token.isalpha() else ""


def other_spellings(atom: str, parts: list[str]) -> tuple[str, ...]:
    """Other spellings of a compound: self-care as selfcare, U.S.A as USA, v1.2.3 without its v."""
    if is_version(atom):
        return (atom[1:],)
    if atom.startswith("www."):
        return (atom[4:],)
    initials = all(len(part) == 1 for part in parts)
    letters = all(part.isalpha() for part in parts)
    if letters and 1 < len(parts) <= 4 and (initials or "." not in atom):
        return ("".join(parts),)
    return ()


def without_apostrophes(word: str) -> list[str]:
    """The words joined by apostrophes: one for a possessive, a contraction or an elision, else each part."""
    parts = [part for part in word.split("'") if part]
    if len(parts) == 2 and parts[1] in ("t", "T") and parts[0][-1:] in ("n", "N"):
        return [parts[0] + parts[1]]
    while len(parts) > 1 and parts[-1].lower() in _ENDINGS:
        parts.pop()
    while len(parts) > 1 and parts[0].lower() in _ELISIONS:
        parts.pop(0)
    return parts


def thousands(number: str) -> str:
    """A number without thousands separators; empty if its commas mean something else."""
    if "," not in number or not number[0].isdecimal():
        return ""
    whole, _, fraction = number.partition(".")
    first, *groups = whole.split(",")
    plain = first.isdecimal() and len(first) <= 3 and all(len(group) == 3 and group.isdecimal() for group in groups)
    if not plain or (fraction and not fraction.isdecimal()):
        return ""
    return first + "".join(groups) + (f".{fraction}" if fraction else "")
