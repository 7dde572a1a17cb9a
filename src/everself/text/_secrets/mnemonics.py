"""Finds seed phrases of wallets without a word that says so: words of the BIP-39 list with a valid checksum.

The list is the English one, from the package `mnemonic`. Its words are ordinary, so only the checksum distinguishes a phrase from a list
of words.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Final

from everself.text._secrets.kind import Kind, Span
from everself.text._secrets.shapes import compiled

# possible numbers of words, longest first, because a phrase may begin with a shorter one
_LENGTHS: Final = (24, 21, 18, 15, 12)
_BITS: Final = 11
# limit of list words beside a phrase: in a longer row some have a valid checksum by chance
_BESIDE: Final = 6
_BETWEEN: Final = r"[ \t,;\r\n]{1,4}(?:[-*] )?(?:[0-9]{1,2}[.):]?[ \t]{0,2})?"


@cache
def _numbers() -> dict[bytes, int]:
    from importlib.resources import files

    words = (files("mnemonic") / "wordlist" / "english.txt").read_bytes()
    return {word: number for number, word in enumerate(words.split())}


def is_phrase(words: list[bytes]) -> bool:
    """Whether the last bits are the checksum of the others. One of 16 random rows of twelve words has it by chance."""
    numbers = _numbers()
    bits = 0
    for word in words:
        bits = bits << _BITS | numbers[word]
    checked = len(words) // 3
    entropy = (bits >> checked).to_bytes(checked * 4, "big")
    return sha256(entropy).digest()[0] >> (8 - checked) == bits & ((1 << checked) - 1)


def _phrase(data: bytes, start: int, end: int) -> Span | None:
    """The first phrase in a run of words."""
    run: list[Span] = []
    for match in compiled(r"[A-Za-z]+").finditer(data[start:end]):
        at, to = match.span()
        if data[start + at : start + to].lower() in _numbers():
            run.append((start + at, start + to))
            continue
        found = _within(data, run)
        if found is not None:
            return found
        run = []
    return _within(data, run)


def _within(data: bytes, run: list[Span]) -> Span | None:
    """The phrase in a run of list words: at its beginning, its end, or on its own lines. Other positions would match by chance."""
    words = [data[start:end].lower() for start, end in run]
    for first, count in _places(data, run):
        phrase = words[first : first + count]
        # one word repeated is a joke or a test
        if len(set(phrase)) * 3 > count and is_phrase(phrase):
            return run[first][0], run[first + count - 1][1]
    return None


def _places(data: bytes, run: list[Span]) -> Iterator[tuple[int, int]]:
    breaks = [at for at in range(1, len(run)) if b"\n" in data[run[at - 1][1] : run[at][0]]]
    edges = [0, *breaks, len(run)]
    # words on a line each do not tell where a phrase begins
    lines = {edges[at + 1] - edges[at]: edges[at] for at in range(len(edges) - 1)} if len(breaks) < len(run) - 1 else {}
    for count in _LENGTHS:
        if count <= len(run) <= count + _BESIDE:
            yield from ((first, count) for first in dict.fromkeys((0, len(run) - count)))
        if count in lines:
            yield lines[count], count


MNEMONICS: tuple[Kind, ...] = (
    Kind("seed phrase", rf"\b(?:[A-Za-z]{{3,8}}{_BETWEEN}){{11,}}[A-Za-z]{{3,8}}\b", (), _phrase),
)
