"""The verbs over the soul: show, list, compare, propose, approve, refuse, roll back, test. Knows the opened agent and no face."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everself.errors import NotFound, WrongUse
from everself.identity.growth import Proposed, SoulChange, diff_souls
from everself.identity.soul import learned_lines
from everself.identity.soul_tests import SoulTestResult, Verdict
from everself.identity.versions import CURRENT, Version
from everself.storage.state.proposals import Proposal
from everself.workspace.learned import SOUL

if TYPE_CHECKING:
    from everself.runtime import Runtime


@dataclass(frozen=True, slots=True)
class SoulReport:
    """A soul: of today, an earlier or a proposed one. `diff` leads to it from the soul of today."""

    name: str
    text: str
    tokens: int
    most: int
    policy: str
    learned: tuple[str, ...]
    waiting: tuple[Proposal, ...]
    proposal: Proposal | None = None
    diff: str = ""


@dataclass(frozen=True, slots=True)
class SoulDiff:
    one: str
    other: str
    diff: str


@dataclass(frozen=True, slots=True)
class SoulTests:
    """What became of each expectation. `retreat`: the newest earlier soul, where the soul of today fails one."""

    name: str
    results: tuple[SoulTestResult, ...]
    retreat: str = ""

    def count(self, verdict: Verdict) -> int:
        return sum(one.verdict == verdict for one in self.results)


def show_soul(app: "Runtime", name: str = CURRENT) -> SoulReport:
    """A version or a proposal, with what waits for a human."""
    from everself.text.tokens import count

    growth = app.growth
    if name == CURRENT and growth.versions.soul() is None:
        raise NotFound(f"There is no {SOUL}.", mend="everself setup --restore")
    proposal = _find_proposal(app, name)
    data = growth.text_of(name) if proposal is None else proposal.content.encode()
    text = data.decode("utf-8", "replace")
    now = growth.versions.soul() or b""
    seen = growth.preview(proposal) if proposal is not None and proposal.status == "open" else None
    diff = "" if name == CURRENT else diff_souls(now, data if seen is None else seen)
    limits = (count(text), growth.rules.max_tokens, growth.rules.policy.value)
    return SoulReport(name, text, *limits, learned_lines(data), growth.open(), proposal, diff)


def list_souls(app: "Runtime") -> tuple[Version, ...]:
    """The soul of today, then earlier ones, the newest first."""
    return app.growth.history()


def compare_souls(app: "Runtime", one: str = "", other: str = "") -> SoulDiff:
    """From one soul to another; alone, the newest earlier one to that of today."""
    names = (one or "last", other or CURRENT)
    return SoulDiff(*names, app.growth.diff(*names))


def propose_soul(
    app: "Runtime", text: str, reason: str = "", evidence: Sequence[str] = (), *, whole: bool = False
) -> Proposed:
    """The person proposes a line of what is learned, or a whole soul."""
    growth = app.growth
    return growth.propose(text, reason, evidence) if whole else growth.add_line(text, reason, evidence)


def approve_soul(app: "Runtime", name: str, *, force: bool = False) -> SoulChange:
    return app.growth.approve(name, force=force)


def refuse_soul(app: "Runtime", name: str, why: str = "") -> Proposal:
    return app.growth.refuse(name, why)


def roll_back_soul(app: "Runtime", version: str = "", *, line: str = "", force: bool = False) -> SoulChange:
    """Back to a version, or without one learned line."""
    if bool(version) is bool(line.strip()):
        raise WrongUse("Name a version, or a line with --line.", mend="everself soul history")
    return app.growth.rollback(version, force=force) if version else app.growth.rollback_line(line)


def check_soul(app: "Runtime", name: str = CURRENT) -> SoulTests:
    """Hold a version or a proposal against SOUL_TESTS.md; a soul of today that fails is offered the way back."""
    report = SoulTests(name, app.growth.test(name))
    if name != CURRENT or not report.count("failed"):
        return report
    now, *earlier = app.growth.history()
    return SoulTests(name, report.results, next((one.name for one in earlier if one.hash != now.hash), ""))


def _find_proposal(app: "Runtime", name: str) -> Proposal | None:
    try:
        app.growth.versions.find(name)
    except NotFound:
        return app.growth.find(name)
    return None
