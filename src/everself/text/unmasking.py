"""Unmasks a text: compatible forms, look-alike letters, spaced letters, and encodings. Pure.

Works on copies for analysis; none of them is stored.
"""

import base64
import binascii
import html
from collections.abc import Iterator
from functools import cache
from typing import Final
from urllib.parse import unquote

from everself.text.invisible import spelled, stripped
from everself.text.normalise import nfkc, without_surrogates
from everself.text.patterns import LazyPattern

# a Latin letter, followed by similar letters of other scripts
_LETTERS: Final = (
    "aаαɑӓ AАΑꓮ BВΒꓐ cсϲᴄ CСϹꓚ dԁꓒ eеєҽ EЕΕꓰ gɡց hһհ HНΗꓧ iіιɩ IІΙӀꓲ jјϳ JЈꓙ kкκ KКΚꓗ lӏǀ mм MМΜꓟ nոпη NΝꓠИ oоοօσ "
    "OОΟՕꓳ pрρ PРΡꓑ qԛզ rгᴦ RЯꓣ sѕ SЅꓢ tтτ TТΤꓔ uυս UՍꓴ vνѵ wѡԝω WԜꓪ xхχ XХΧꓫ yуүγ YУΥҮꓬ ZΖꓜ"
)
_ALIKE: Final = {other: one[0] for one in _LETTERS.split() for other in one[1:]}
_TO_LATIN: Final = str.maketrans(_ALIKE)
_ALIKE_SET: Final = frozenset(_ALIKE)
# letters of the Hangul keyboard; a masked text spells syllables with them
_LEADS: Final = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS: Final = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_TAILS: Final = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
_MOST_RUNS: Final = 64
_READABLE: Final = 0.9


@cache
def compiled(pattern: str) -> LazyPattern:
    """The pattern, ignoring case."""
    return LazyPattern(f"(?i){pattern}")


def plain(text: str) -> str:
    """The text as a reader sees it: without invisible characters, in compatible form, with look-alikes as Latin letters."""
    seen = nfkc(stripped(without_surrogates(text)))
    if "&" in seen and ";" in seen:
        seen = stripped(html.unescape(seen))
    return seen if seen.isascii() else _syllables(_latin(seen))


def masked_words(text: str) -> tuple[str, ...]:
    """Words that mix Latin letters with look-alikes of other scripts."""
    if text.isascii() or _ALIKE_SET.isdisjoint(text):
        return ()
    return tuple(word for word in text.split() if _mixes(word))


def encoded(text: str) -> Iterator[str]:
    """Readable text hidden in an encoding: tags, base64, hexadecimal and binary digits, percent signs."""
    hidden = spelled(text)
    if hidden:
        yield hidden
    for run in _runs(text, r"[A-Za-z0-9+/_-]{16,}={0,2}"):
        yield from _base64(run)
    for run in _runs(text, r"(?:[01]{7,8}[ ,]*){4,}"):
        yield from _figures(run, 2)
    for run in _runs(text, r"(?:(?:0x|\\x)?[0-9a-f]{2}[ ,:]*){8,}"):
        yield from _figures(run, 16)
    for run in _runs(text, r"(?:%[0-9a-f]{2}[\w.-]*){4,}"):
        yield from _readable(unquote(run))
    for run in _runs(text, r"(?:\\u[0-9a-f]{4} ?){4,}"):
        yield from _readable("".join(chr(int(part.strip()[:4], 16)) for part in run.split("\\u") if part.strip()))


def joined(text: str) -> str:
    """The text with spaced words (`i g n o r e`, `i.g.n.o.r.e`) joined; empty if there are none."""
    parts: list[str] = []
    at = 0
    for found in compiled(r"\b(?:[a-z][ .*_|-]){4,}[a-z]\b").finditer(text):
        start, end = found.span()
        parts += [text[at:start], "".join(char for char in text[start:end] if char.isalpha())]
        at = end
    return "".join((*parts, text[at:])) if parts else ""


def _runs(text: str, pattern: str) -> Iterator[str]:
    for number, found in enumerate(compiled(pattern).finditer(text)):
        if number >= _MOST_RUNS:
            return
        yield found.group()


def _base64(run: str) -> Iterator[str]:
    bare = run.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    try:
        data = base64.b64decode(bare[: len(bare) // 4 * 4] if len(bare) % 4 == 1 else bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return
    yield from _readable(data.decode("utf-8", "replace"))


def _figures(run: str, base: int) -> Iterator[str]:
    bare = run.lower().replace("0x", " ").replace("\\x", " ").replace(",", " ").replace(":", " ")
    size = 8 if base == 2 else 2
    whole = "".join(bare.split())
    parts = (
        bare.split()
        if base == 2 and " " in bare.strip()
        else [whole[at : at + size] for at in range(0, len(whole), size)]
    )
    try:
        data = bytes(int(part, base) for part in parts if part)
    except ValueError:
        return
    yield from _readable(data.decode("utf-8", "replace"))


def _readable(text: str) -> Iterator[str]:
    if len(text) < 6 or "\ufffd" in text[:-1]:
        return
    fine = sum(char.isalnum() or char.isspace() or char in ".,:;!?'\"-()/@，。：、！？「」" for char in text)
    # an identifier that happens to decode contains no words
    if fine >= _READABLE * len(text) and (" " in text.strip() or not text.isascii() or "\n" in text.strip()):
        yield text


def _latin(text: str) -> str:
    if _ALIKE_SET.isdisjoint(text):
        return text
    ascii_letters = sum(char.isascii() and char.isalpha() for char in text)
    foreign = sum(not char.isascii() and char.isalpha() for char in text)
    mostly = ascii_letters > 2 * foreign
    return " ".join(
        part.translate(_TO_LATIN) if _mixes(part) or (mostly and _passes(part)) else part for part in text.split(" ")
    )


def _passes(word: str) -> bool:
    return _ALIKE_SET.issuperset(char for char in word if char.isalpha())


def _mixes(word: str) -> bool:
    """Whether a word mixes Latin letters and look-alikes. Units and formulas (`μm`, `Δt`) are too short to count."""
    if len(word) < 4 or _ALIKE_SET.isdisjoint(word):
        return False
    letters = [char for char in word if char.isalpha()]
    return any(char.isascii() for char in letters) and all(char.isascii() or char in _ALIKE_SET for char in letters)


def _syllables(text: str) -> str:
    """Join Hangul typed letter by letter. Laughter and tears (ㅋㅋ, ㅠㅠ) form no syllables and stay."""
    if not any("\u3131" <= char <= "\u3163" or "\u1100" <= char <= "\u11ff" for char in text):
        return text
    text = text.translate(_COMPATIBLE)
    made: list[str] = []
    at = 0
    while at < len(text):
        lead = _LEADS.find(text[at])
        vowel = _VOWELS.find(text[at + 1]) if lead >= 0 and at + 1 < len(text) else -1
        if vowel < 0:
            made.append(text[at])
            at += 1
            continue
        tail = 0
        follows = text[at + 2 : at + 3]
        # a consonant before a vowel begins the next syllable
        if follows and follows in _TAILS and (at + 3 >= len(text) or text[at + 3] not in _VOWELS):
            tail = _TAILS.index(follows)
        made.append(chr(0xAC00 + (lead * 21 + vowel) * 28 + tail))
        at += 3 if tail else 2
    return "".join(made)


# NFKC turns the compatibility letters into conjoining ones
_COMPATIBLE: Final = (
    {0x1100 + number: char for number, char in enumerate(_LEADS)}
    | {0x1161 + number: char for number, char in enumerate(_VOWELS)}
    | {0x11A7 + number: char for number, char in enumerate(_TAILS) if char}
)
