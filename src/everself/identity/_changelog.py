"""Entries of CHANGELOG.md about the soul: when, who, why, evidence, removed and added lines. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from everself.text.markdown.blocks import scan
from everself.text.markdown.edit import append_log
from everself.text.normalise import without_surrogates
from everself.values import Append

CHANGELOG = "CHANGELOG.md"
_HEADER = b"# Changelog\n"
# a rollback over years must not copy two souls into the log; the earlier version is stored in SOUL_HISTORY/
MOST_LINES = 40

Step = Literal["growth", "rollback", "refusal"]


@dataclass(frozen=True, slots=True)
class ChangelogEntry:
    """One entry. `earlier` is where the soul before it is kept."""

    step: Step
    who: str
    reason: str
    evidence: tuple[str, ...] = ()
    earlier: str = ""
    removed: Sequence[str] = ()
    added: Sequence[str] = ()


def append_entry(document: bytes | None, told: ChangelogEntry, now: datetime) -> Append:
    """The growth of CHANGELOG.md by one entry."""
    text = "\n".join(_lines(told)).encode()
    clock = now.isoformat(sep=" ", timespec="seconds")
    splice = append_log(scan(_HEADER if document is None else document), clock, f"soul: {told.step}", text)
    return Append(CHANGELOG, splice.data, _HEADER)


def _lines(told: ChangelogEntry) -> Iterator[str]:
    yield f"- who: {told.who}"
    yield f"- reason: {_inert(told.reason) or 'none given'}"
    if told.evidence:
        yield f"- evidence: {', '.join(_inert(one) for one in told.evidence)}"
    if told.earlier:
        yield f"- before: {told.earlier}"
    for word, lines in (("removed", told.removed), ("added", told.added)):
        # without their bullets: what stands after the colon is then the words alone, as forgetting looks for them
        yield from (f"- {word}: {_inert(line.lstrip('-*+ '))}" for line in lines[:MOST_LINES])
        if len(lines) > MOST_LINES:
            yield f"- {word}: {len(lines) - MOST_LINES} more lines"


def _inert(text: str) -> str:
    """On one line, and with no comment that speaks to a tool."""
    return " ".join(without_surrogates(text).split()).replace("<!--", "&lt;!--")
