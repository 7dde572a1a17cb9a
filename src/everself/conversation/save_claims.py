"""Whether a reply claims that something was or will be remembered. Pure; whether the claim is true is checked elsewhere.

The learned head judges each sentence. A question is an offer, not a claim.
"""

from collections.abc import Iterator
from typing import Final

from everself.classify.model import score

_ENDS: Final = frozenset(".!?。！？\n")
_ASKS: Final = ("?", "？")
_LONGEST: Final = 400
# a promise is in the first or last words of a reply; the rest of a long one is its content
_BEGINNING: Final = 4_000
_END: Final = 1_000


def claims_saving(reply: str) -> bool:
    said = (one for one in _sentences(reply) if not one.endswith(_ASKS))
    return any(score(one, deep=False).says("claim") for one in said)


def _sentences(reply: str) -> Iterator[str]:
    """The sentences outside of code and quotations, which may contain anything."""
    text = reply if len(reply) <= _BEGINNING + _END else f"{reply[:_BEGINNING]}\n{reply[-_END:]}"
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith(">"):
            yield from _split(line)


def _split(line: str) -> Iterator[str]:
    start = 0
    for at, char in enumerate(line):
        if char in _ENDS and (at + 1 == len(line) or line[at + 1].isspace() or ord(char) > 0x3000):
            yield line[start : at + 1].strip()[:_LONGEST]
            start = at + 1
    if line[start:].strip():
        yield line[start:].strip()[:_LONGEST]
