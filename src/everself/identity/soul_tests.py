"""Runs the expectations of SOUL_TESTS.md against a soul. Pure. An expectation that needs a model is reported as pending, not passed."""

from collections.abc import Sequence
from typing import Final, Literal

import re2

from everself.frozen import Frozen
from everself.memory.entries import read_document
from everself.text.normalise import fold

SOUL_TESTS = "SOUL_TESTS.md"

Verdict = Literal["passed", "failed", "waiting", "unclear"]

_TOKENS: Final = re2.compile(r"(?i)^must (?:stay under|have fewer than) ([0-9]{1,7}) tokens\.?$")
_NOT_MENTION: Final = re2.compile(r"(?is)^must (?:not|never) mention (.+)$")
_MENTION: Final = re2.compile(r"(?is)^must mention (.+)$")
_KEEP: Final = re2.compile(r"(?i)^must keep (?:the )?principles from corrections\.?$")
_JUDGED: Final = re2.compile(r"(?i)^(?:judge\s*:|must\b)")
_QUOTES: Final = ("“”", '""', "''", "‘’", "«»", "„“", "「」", "``")
# from this code point on, scripts have no spaces, so words have no boundaries
_WITHOUT_EDGES: Final = 0x2E80


class SoulTestResult(Frozen):
    """The result of one expectation; `why` is the reason if it did not pass."""

    expectation: str
    verdict: Verdict
    why: str = ""


def parse_tests(document: bytes | None) -> tuple[str, ...]:
    """The expectations, one per list item."""
    return tuple(read.text for read in read_document(document or b"") if read.kind == "item" and not read.struck)


def run_tests(tests: Sequence[str], soul: str, principles: Sequence[str] = ()) -> tuple[SoulTestResult, ...]:
    """`principles` are the current lines that were learned from corrections."""
    return tuple(_run(" ".join(test.split()), soul, principles) for test in tests)


def keep_principles(tests: Sequence[str]) -> bool:
    """Whether any test asks for lines learned from corrections, which are expensive to find."""
    return any(_KEEP.search(" ".join(test.split())) for test in tests)


def failures(results: Sequence[SoulTestResult]) -> tuple[SoulTestResult, ...]:
    return tuple(one for one in results if one.verdict == "failed")


def _run(test: str, soul: str, principles: Sequence[str]) -> SoulTestResult:
    if found := _TOKENS.search(test):
        return _under(test, soul, int(found.group(1)))
    if found := _NOT_MENTION.search(test):
        words = _bare(found.group(1))
        return _judged(test, f'It mentions "{words}".' if mentions(soul, words) else "")
    if found := _MENTION.search(test):
        words = _bare(found.group(1))
        return _judged(test, "" if mentions(soul, words) else f'The soul does not contain "{words}".')
    if _KEEP.search(test):
        lost = [line for line in principles if fold(line) not in fold(soul)]
        return _judged(test, f"The soul would lose: {'; '.join(lost)}" if lost else "")
    if _JUDGED.search(test):
        return SoulTestResult(test, "waiting", "Only a model can judge this.")
    return SoulTestResult(test, "unclear", 'An expectation begins with "must", "must not" or "judge:".')


def _under(test: str, soul: str, limit: int) -> SoulTestResult:
    from everself.text.tokens import count

    tokens = count(soul)
    return _judged(test, "" if tokens < limit else f"The soul has {tokens} tokens.")


def _judged(test: str, why: str) -> SoulTestResult:
    return SoulTestResult(test, "failed" if why else "passed", why)


def mentions(text: str, words: str) -> bool:
    """Whether the text contains these as whole words: "Bob" is not in "bobbin"."""
    inside, wanted = fold(text), fold(words)
    at = inside.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not _runs_on(inside[at - 1 : at], wanted[0]) and not _runs_on(wanted[-1], inside[end : end + 1]):
            return True
        at = inside.find(wanted, at + 1)
    return False


def _runs_on(one: str, other: str) -> bool:
    return all(char.isalnum() and ord(char) < _WITHOUT_EDGES for char in (one or " ", other or " "))


def _bare(words: str) -> str:
    """The text without quotes and the final full stop."""
    words = words.strip()
    for mark in (".", ""):
        inner = words.removesuffix(mark)
        for pair in _QUOTES:
            if len(inner) > 2 and inner[0] == pair[0] and inner[-1] == pair[1]:
                return inner[1:-1].strip()
    return words.removesuffix(".").strip() or words
