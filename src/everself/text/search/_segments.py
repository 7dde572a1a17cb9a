"""Splits a fragment of text into words, compounds with their parts, and runs of CJK characters.

Knows no language; stemming is done elsewhere. Linear in the length of any fragment.
"""

from collections.abc import Iterator
from enum import IntEnum
from itertools import groupby

from everself.frozen import Frozen
from everself.text.normalise import nfkc
from everself.text.search._characters import JOINERS, KEYCAP, ROLES, ZERO_WIDTH_JOINER, Role
from everself.text.search._emoji import keycap, sequences, without_stray_joiners
from everself.text.search._identifiers import (
    is_hash,
    is_version,
    other_spellings,
    short_hashes,
    singular_acronym,
    split_identifier,
    thousands,
    without_apostrophes,
    worth_finding,
)
from everself.text.search._terms import TERM_LENGTH


class Form(IntEnum):
    """`RUN` is a run of Han, kana, hangul or similar characters, of any length."""

    WORD = 0
    WHOLE = 1
    RUN = 2


class Segment(Frozen):
    """`text` is folded. `spellings` are other spellings of a whole. `part`: it belongs to a whole that was yielded before."""

    form: Form
    text: str
    part: bool = False
    capital: bool = False
    spellings: tuple[str, ...] = ()


# a number of this many digits is an identifier: an order, a telephone, an account
_NAMING_DIGITS = 5

# separators between the parts of a path, an address or a URL; the others are inside a part
_OUTER = str.maketrans(dict.fromkeys("/\\:@?&=#+~,!$%*", " "))
_INNER = str.maketrans(dict.fromkeys("._-", " "))
# separators after a path: before a line number, a query, a fragment
_BEHIND_PATH = str.maketrans(dict.fromkeys(":@?&=#", " "))
# characters that are joined only in a URL or an address
_LOOSE = str.maketrans(dict.fromkeys("?&=#+~!$%*@", " "))


def segments(fragment: str) -> Iterator[Segment]:
    """The segments in order; a whole comes before its parts."""
    if fragment.isascii():
        yield from _lettered(fragment)
        return
    if ZERO_WIDTH_JOINER in fragment:
        fragment = without_stray_joiners(fragment)
    before = ""
    for role, group in groupby(fragment, _run_role):
        run = "".join(group)
        if role is Role.DENSE:
            yield Segment(Form.RUN, run)
        elif role is Role.EMOJI:
            key = keycap(before, run) if KEYCAP in run else ""
            if key:
                yield Segment(Form.WHOLE, key)
            for whole, parts in sequences(run):
                yield Segment(Form.WHOLE, whole[:TERM_LENGTH])
                for part in parts:
                    yield Segment(Form.WHOLE, part, part=True)
        else:
            yield from _lettered(run)
        before = run


def _run_role(char: str) -> Role:
    role = ROLES[char]
    return Role.LETTER if role is Role.JOINER else role


def _cut(text: str) -> str:
    """Folded and cut to the length of a term. Case folding can create compatibility forms again."""
    text = text[: 2 * TERM_LENGTH]
    if not text.isascii():
        text = nfkc(nfkc(text.casefold()).casefold())
    return text.lower()[:TERM_LENGTH]


def _lettered(run: str) -> Iterator[Segment]:
    """Segments of letters, digits and joiners."""
    inside = run.strip(JOINERS)
    if not inside:
        return
    if inside.isalpha() and (inside[1:].islower() or len(inside) == 1):
        sign = _sign_after(run, inside)
        if sign:
            yield Segment(Form.WHOLE, _cut(inside) + sign)
        word = _cut(inside)
        yield Segment(Form.WORD, word, part=bool(sign), capital=inside[0].isupper())
        return
    for bare in inside.replace("--", " ").replace("..", " ").split():
        for segment in [bare] if thousands(bare) else bare.split(","):
            yield from _held_together(segment.strip(JOINERS))


def _sign_after(run: str, inside: str) -> str:
    """C++, C# and F#: the only words that a trailing sign belongs to."""
    if len(inside) > 1 or run[:1] != inside:
        return ""
    rest = run[1:]
    return "++" if rest.startswith("++") else "#" if rest.startswith("#") else ""


def _held_together(segment: str) -> Iterator[Segment]:
    """A URL, an address, or the parts between their signs."""
    if not segment:
        return
    scheme, mark, rest = segment.partition("://")
    if mark and rest:
        yield from _compound(rest.strip(JOINERS))
        for atom in scheme.translate(_OUTER).split():
            yield from _atom(atom.strip(JOINERS), part=True)
    elif "@" in segment:
        yield from _compound(segment)
    else:
        for part in segment.translate(_LOOSE).split():
            yield from _compound(part.strip(JOINERS))


def _compound(text: str) -> Iterator[Segment]:
    number = thousands(text) if text else ""
    if number:
        yield Segment(Form.WHOLE, _cut(text), spellings=(number[:TERM_LENGTH],))
        return
    atoms = [atom for atom in (raw.strip(JOINERS) for raw in text.translate(_OUTER).split()) if atom]
    whole = len(atoms) > 1
    if whole:
        yield Segment(Form.WHOLE, _cut(text))
        paths = text.translate(_BEHIND_PATH).split()
        for path in (path.strip(JOINERS) for path in paths[: len(paths) if len(paths) > 1 else 0]):
            if "/" in path or "\\" in path:
                yield Segment(Form.WHOLE, _cut(path), part=True)
    for atom in atoms:
        yield from _atom(atom, part=whole)


def _atom(atom: str, part: bool) -> Iterator[Segment]:
    """A word, or words joined by dots, hyphens and underscores."""
    inner = [raw for raw in (raw.strip("'") for raw in atom.translate(_INNER).split()) if raw]
    if len(inner) == 1:
        yield from _apostrophed(inner[0], part)
        return
    if inner:
        whole = _cut(atom)
        bare = [_cut(raw.replace("'", "")) for raw in inner]
        spellings = other_spellings(whole, bare) if len(atom) <= TERM_LENGTH else ()
        yield Segment(Form.WHOLE, whole, part=part, spellings=spellings)
        if is_version(whole):
            inner[0] = inner[0][1:]
    for raw in inner:
        yield from _apostrophed(raw, part=True)


def _apostrophed(word: str, part: bool) -> Iterator[Segment]:
    if "'" not in word:
        yield from _token(word, part)
        return
    words = without_apostrophes(word)
    if len(words) > 1:
        yield Segment(Form.WHOLE, _cut("".join(words)), part=part)
        part = True
    for one in words:
        yield from _token(one, part)


def _token(token: str, part: bool) -> Iterator[Segment]:
    """A token of letters, marks and digits only."""
    if not any(map(str.isalnum, token)):
        return
    capital = token[0].isupper()
    if len(token) > TERM_LENGTH:
        cut = _cut(token)
        if is_hash(token):
            yield Segment(Form.WHOLE, cut, part=part, spellings=short_hashes(cut))
        else:
            yield Segment(Form.WORD, cut, part=part, capital=capital)
        return
    text = _cut(token)
    if token.isdecimal():
        yield Segment(Form.WHOLE if len(token) >= _NAMING_DIGITS else Form.WORD, text, part=part)
    elif is_hash(token):
        yield Segment(Form.WHOLE, text, part=part, spellings=short_hashes(text))
    else:
        parts = split_identifier(token)
        acronym = singular_acronym(token)
        if acronym:
            yield Segment(Form.WHOLE, text, part=part, capital=True, spellings=(_cut(acronym),))
            return
        if len(parts) == 1:
            yield Segment(Form.WORD, text, part=part, capital=capital)
            return
        yield Segment(Form.WHOLE, text, part=part, capital=capital, spellings=(text,) if token.isalpha() else ())
        for one in worth_finding(parts):
            yield Segment(Form.WORD, _cut(one), part=True, capital=one[0].isupper())
