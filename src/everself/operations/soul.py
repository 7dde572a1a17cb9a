"""Operations on the soul: show, history, diff, propose, approve, refuse, rollback, test."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from everself.conversation.tools.protocol import Outcome, Written, told
from everself.errors import NotFound, WrongUse
from everself.identity.growth import Proposed, SoulChange, diff_souls
from everself.identity.soul import learned_lines
from everself.identity.soul_tests import SoulTestResult, Verdict
from everself.identity.versions import CURRENT, Version
from everself.memory.provenance import OWN
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, Option, ToolOffer, operation
from everself.storage.state.proposals import Proposal
from everself.values import Author
from everself.workspace.learned import SOUL

if TYPE_CHECKING:
    from everself.runtime import Runtime


_NAME: Final = "A version that history lists, the id of a proposal, current or last."
_OUTSIDE: Final = " (proposed in a conversation that holds text from outside)"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SoulRequest:
    name: Annotated[str, Argument(_NAME, "[NAME]")] = CURRENT


@operation(
    "soul.show",
    audience=Audience.OWNER,
    effect="read",
    slash="/soul",
    examples=(
        ("everself soul show", "the soul of today, and what waits for your yes"),
        ("everself soul show 7K3QX9M2ABCD", "a proposal, and what it would change"),
        ("everself soul show last", "the newest earlier soul"),
    ),
)
def show_soul(runtime: "Runtime", _: Caller, request: SoulRequest) -> SoulReport:
    """Show the soul of today, an earlier one, or a proposal."""
    from everself.text.tokens import count

    growth, name = runtime.growth, request.name
    if name == CURRENT and growth.versions.soul() is None:
        raise NotFound(f"There is no {SOUL}.", mend="everself setup --restore")
    proposal = _find_proposal(runtime, name)
    data = growth.text_of(name) if proposal is None else proposal.content.encode()
    text = data.decode("utf-8", "replace")
    now = growth.versions.soul() or b""
    seen = growth.preview(proposal) if proposal is not None and proposal.status == "open" else None
    diff = "" if name == CURRENT else diff_souls(now, data if seen is None else seen)
    limits = (count(text), growth.rules.max_tokens, growth.rules.policy.value)
    return SoulReport(name, text, *limits, learned_lines(data), growth.open(), proposal, diff)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRequest:
    """All of it."""


@operation(
    "soul.history",
    audience=Audience.OWNER,
    effect="read",
    examples=(("everself soul history", "every soul there was, the newest first"),),
)
def list_souls(runtime: "Runtime", _: Caller, request: HistoryRequest) -> tuple[Version, ...]:
    """List the soul of today and the earlier ones, newest first."""
    del request
    return runtime.growth.history()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRequest:
    one: Annotated[str, Argument(f"The soul to compare: {_NAME[0].lower()}{_NAME[1:]}", "[FROM]")] = "last"
    other: Annotated[str, Argument("The soul to compare it with.", "[TO]")] = CURRENT


@operation(
    "soul.diff",
    audience=Audience.OWNER,
    effect="read",
    examples=(
        ("everself soul diff", "what the last step changed"),
        ("everself soul diff 2026-03-19T093000-1a2b3c4d", "what has changed since that one"),
        ("everself soul diff current 7K3QX9M2ABCD", "what a proposal would change"),
    ),
)
def compare_souls(runtime: "Runtime", _: Caller, request: DiffRequest) -> SoulDiff:
    """Compare two souls, line by line."""
    names = (request.one or "last", request.other or CURRENT)
    return SoulDiff(*names, runtime.growth.diff(*names))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeRequest:
    text: Annotated[
        str,
        Argument("All of SOUL.md as you would have it, instead of a line.", "TEXT", stdin=True, needed=("cli",)),
    ] = ""
    line: Annotated[str, Option("One sentence to learn.", only=("tool",))] = ""
    whole: Annotated[bool, Option("TEXT is a whole soul, not a line of what is learned.", only=("cli",))] = False
    reason: Annotated[str, Option("Why; it is noted in CHANGELOG.md.", "WORDS", needed=("tool",))] = ""
    evidence: Annotated[tuple[str, ...], Option("What it rests on, such as entry:7K3QX9M2ABCD.", "REF")] = ()


def _show_proposed(_: "Runtime", request: ProposeRequest, made: Proposed) -> Outcome:
    proposal = made.proposal
    result = {"proposal": proposal.id, "status": proposal.status, "diff": made.diff, "notices": made.notices}
    return Outcome(
        told(result), written=(Written("proposed", request.line or f"{SOUL} anew", SOUL, change=proposal.id),)
    )


@operation(
    "soul.propose",
    audience=Audience.AGENT,
    effect="write",
    tool=ToolOffer(
        "soul_propose",
        "Propose to the person a line for what you have learned about how to be, or your whole soul anew. Nothing changes before they "
        "agree.",
        show=_show_proposed,
    ),
    examples=(
        ('everself soul propose "Ask before you catalog." --reason "asked twice"', "one more line of what is learned"),
        ("everself soul propose --whole - < soul.md", "a whole soul, read from a file"),
    ),
)
def propose_soul(runtime: "Runtime", caller: Caller, request: ProposeRequest) -> Proposed:
    """Propose a line of what is learned, or with --whole another soul.

    With - the text comes from standard input. Nothing changes until it is approved.
    """
    growth, reason, evidence = runtime.growth, request.reason, request.evidence
    if not caller.is_model:
        propose = growth.propose if request.whole else growth.add_line
        return propose(request.text, reason, evidence)
    line, text = request.line, request.text
    if bool(line.strip()) == bool(text.strip()):
        raise WrongUse("Give either a `line` or the whole `text`.")
    reason += _OUTSIDE if caller.taint != OWN else ""
    named = (one for one in evidence if one.startswith(("entry:", "file:", "url:")))
    rests_on = tuple(dict.fromkeys((f"msg:{caller.message}", *named)))
    return (growth.add_line if line else growth.propose)(line or text, reason, rests_on, Author.AGENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveRequest:
    name: Annotated[str, Argument("The id of a proposal, the beginning of it, or last.", "ID")]
    force: Annotated[bool, Option("Even where soul tests fail.")] = False


@operation(
    "soul.approve",
    audience=Audience.OWNER_AT_TERMINAL,
    effect="write",
    question="Let it in?",
    examples=(
        ("everself soul approve last", "the newest proposal"),
        ("everself soul approve 7K3Q --yes", "the one whose id begins so, without being asked"),
    ),
)
def approve_soul(runtime: "Runtime", caller: Caller, request: ApproveRequest) -> SoulChange:
    """Let a proposal become part of the soul.

    Soul tests are run before. At a terminal you see it first and are asked.
    """
    name = runtime.growth.find(request.name).id
    if diff := show_soul(runtime, caller, SoulRequest(name=name)).diff:
        caller.agree(SoulChange("", diff))
    return runtime.growth.approve(name, force=request.force)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseRequest:
    name: Annotated[str, Argument("The id of a proposal, the beginning of it, or last.", "ID")]
    why: Annotated[str, Option("Why; it is noted in CHANGELOG.md.", "WORDS")] = ""


@operation(
    "soul.refuse",
    audience=Audience.OWNER_AT_TERMINAL,
    effect="write",
    examples=(('everself soul refuse last --why "that was one bad day"', "say no, and why"),),
)
def refuse_soul(runtime: "Runtime", _: Caller, request: RefuseRequest) -> Proposal:
    """Say no to a proposal."""
    return runtime.growth.refuse(request.name, request.why)


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackRequest:
    version: Annotated[str, Argument("A version that history lists, or last.", "[VERSION]")] = ""
    line: Annotated[str, Option("Take this learned line back and leave the rest.", "TEXT")] = ""
    force: Annotated[bool, Option("Even where somebody altered that copy.")] = False


@operation(
    "soul.rollback",
    audience=Audience.OWNER_AT_TERMINAL,
    effect="write",
    question="Go back?",
    examples=(
        ("everself soul rollback last", "what the soul was before"),
        ("everself soul rollback 2026-03-19T093000-1a2b3c4d", "one of those that history lists"),
        ('everself soul rollback --line "Ask before you catalog."', "take one learned line back"),
    ),
)
def roll_back_soul(runtime: "Runtime", caller: Caller, request: RollbackRequest) -> SoulChange:
    """Make the soul what it was, byte for byte, or take one learned line back.

    A rollback is a change of its own, and can be undone.
    """
    growth = runtime.growth
    if bool(request.version) is bool(request.line.strip()):
        raise WrongUse("Name a version, or a line with --line.", mend="everself soul history")
    if not request.version:
        return growth.rollback_line(request.line)
    version = growth.versions.find(request.version).name
    if diff := growth.diff(CURRENT, version):
        caller.agree(SoulChange("", diff))
    return growth.rollback(version, force=request.force)


@operation(
    "soul.test",
    audience=Audience.OWNER,
    effect="read",
    examples=(
        ("everself soul test", "the soul of today against SOUL_TESTS.md"),
        ("everself soul test 7K3QX9M2ABCD", "a proposal, before you approve it"),
    ),
)
def check_soul(runtime: "Runtime", _: Caller, request: SoulRequest) -> SoulTests:
    """Hold a soul against the expectations in SOUL_TESTS.md.

    What only a model can judge is listed as waiting.
    """
    name, growth = request.name, runtime.growth
    report = SoulTests(name, growth.test(name))
    if name != CURRENT or not report.count("failed"):
        return report
    # a soul of today that fails is offered the way back
    now, *earlier = growth.history()
    return SoulTests(name, report.results, next((one.name for one in earlier if one.hash != now.hash), ""))


def _find_proposal(runtime: "Runtime", name: str) -> Proposal | None:
    try:
        runtime.growth.versions.find(name)
    except NotFound:
        return runtime.growth.find(name)
    return None
