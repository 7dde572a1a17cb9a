"""Operations on the soul: show, history, diff, propose, approve, refuse, rollback, test."""

from datetime import datetime, timedelta
from typing import Annotated, Final

from everself.conversation.tools.protocol import Outcome, Written, told
from everself.errors import EverselfError, NotFound, RefusedByRule, WrongUse
from everself.identity.growth import Proposed, SoulChange, diff_souls
from everself.identity.integrity import AcceptedDocuments, Restored
from everself.identity.outside_changes import Tamper
from everself.identity.soul import learned_lines
from everself.identity.soul_tests import SoulTestResult, Verdict
from everself.identity.versions import CURRENT, Version
from everself.memory.provenance import OWN
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import (
    Argument,
    McpOffer,
    NoRequest,
    Option,
    Request,
    Result,
    ToolOffer,
    operation,
    owner_reads,
    owner_writes,
    terminal_writes,
)
from everself.runtime import Runtime
from everself.storage.state.proposals import Proposal
from everself.text.normalise import one_line
from everself.values import Author, ChangeRecord
from everself.workspace.learned_section import SOUL, changed_lines

_NAME: Final = "A version that history lists, the id of a proposal, current or last."
# maximum number of open proposals by other programs' models
_MOST_OPEN: Final = 20
_OUTSIDE: Final = " (proposed in a conversation that holds text from outside)"


class SoulReport(Result):
    """The current soul, an earlier one or a proposal. `diff` is from the current soul to it."""

    name: str
    text: str
    tokens: int
    most: int
    policy: str
    learned: tuple[str, ...]
    waiting: tuple[Proposal, ...]
    proposal: Proposal | None = None
    diff: str = ""


class SoulDiff(Result):
    one: str
    other: str
    diff: str


class SoulTests(Result):
    """The result of each expectation. `retreat`: the newest earlier soul, if the current soul fails a test."""

    name: str
    results: tuple[SoulTestResult, ...]
    retreat: str = ""

    def count(self, verdict: Verdict) -> int:
        return sum(one.verdict == verdict for one in self.results)


class SoulRequest(Request):
    name: Annotated[str, Argument(_NAME, "[NAME]")] = CURRENT


@owner_reads("soul.show", slash="/soul")
def show_soul(runtime: Runtime, _: Caller, request: SoulRequest) -> SoulReport:
    """Show the current soul, an earlier one, or a proposal.

    $ everself soul show  # the soul of today, and what waits for your yes
    $ everself soul show 7K3QX9M2ABCD  # a proposal, and what it would change
    $ everself soul show last  # the newest earlier soul
    """
    from everself.text.tokens import count

    growth, name = runtime.growth, request.name
    if name == CURRENT and growth.versions.soul() is None:
        raise NotFound(f"{SOUL}.", mend="everself setup --restore")
    proposal = _find_proposal(runtime, name)
    data = growth.text_of(name) if proposal is None else proposal.content.encode()
    text = data.decode("utf-8", "replace")
    now = growth.versions.soul() or b""
    seen = growth.preview(proposal) if proposal is not None and proposal.status == "open" else None
    diff = "" if name == CURRENT else diff_souls(now, data if seen is None else seen)
    limits = (count(text), growth.rules.max_tokens, growth.rules.policy.value)
    return SoulReport(name, text, *limits, learned_lines(data), growth.open(), proposal, diff)


@owner_reads("soul.history")
def list_souls(runtime: Runtime, _: Caller, __: NoRequest) -> tuple[Version, ...]:
    """List the current soul and earlier ones, newest first.

    $ everself soul history  # every soul there was, the newest first
    """
    return runtime.growth.history()


class DiffRequest(Request):
    one: Annotated[str, Argument(f"The soul to compare: {_NAME[0].lower()}{_NAME[1:]}", "[FROM]")] = "last"
    other: Annotated[str, Argument("The soul to compare it with.", "[TO]")] = CURRENT


@owner_reads("soul.diff")
def compare_souls(runtime: Runtime, _: Caller, request: DiffRequest) -> SoulDiff:
    """Compare two souls, line by line.

    $ everself soul diff  # what the last step changed
    $ everself soul diff 2026-03-19T093000-1a2b3c4d  # what has changed since that one
    $ everself soul diff current 7K3QX9M2ABCD  # what a proposal would change
    """
    names = (request.one or "last", request.other or CURRENT)
    return SoulDiff(*names, runtime.growth.diff(*names))


class ProposeRequest(Request):
    text: Annotated[
        str,
        Argument(
            "All of SOUL.md as you would have it, instead of a line.",
            "TEXT",
            stdin=True,
            needed=("cli",),
            only=("cli", "http", "tool", "slash"),
        ),
    ] = ""
    line: Annotated[str, Option("One sentence to learn.", only=("tool", "mcp"), needed=("mcp",))] = ""
    whole: Annotated[bool, Option("TEXT is a whole soul, not a line of what is learned.", only=("cli",))] = False
    reason: Annotated[str, Option("Why; it is noted in CHANGELOG.md.", "WORDS", needed=("tool", "mcp"))] = ""
    evidence: Annotated[tuple[str, ...], Option("What it rests on, such as entry:7K3QX9M2ABCD.", "REF")] = ()


def _show_proposed(_: Runtime, request: ProposeRequest, made: Proposed) -> Outcome:
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
    mcp=McpOffer("soul_propose", "Propose a line about how to be, for the owner to accept.", _show_proposed),
)
def propose_soul(runtime: Runtime, caller: Caller, request: ProposeRequest) -> Proposed:
    """Propose a line for the learned section, or with --whole a new soul.

    With - the text comes from standard input. Nothing changes until it is approved.

    $ everself soul propose "Ask before you catalog." --reason "asked twice"  # one more line of what is learned
    $ everself soul propose --whole - < soul.md  # a whole soul, read from a file
    """
    growth, reason, evidence = runtime.growth, request.reason, request.evidence
    if not caller.is_model:
        propose = growth.propose if request.whole else growth.add_line
        return propose(request.text, reason, evidence)
    line, text = request.line, request.text
    if bool(line.strip()) == bool(text.strip()):
        raise WrongUse("Give either a `line` or the whole `text`.")
    if caller.unwatched and len(growth.open()) >= _MOST_OPEN:
        # a manipulated model could propose endlessly
        raise RefusedByRule(f"{_MOST_OPEN} proposals wait for the owner already.", mend="everself review")
    reason += _OUTSIDE if caller.taint != OWN else ""
    named = (one for one in evidence if one.startswith(("entry:", "file:", "url:")))
    said = (f"msg:{caller.message}",) if caller.message else ()
    rests_on = tuple(dict.fromkeys((*said, *named)))
    return (growth.add_line if line else growth.propose)(line or text, reason, rests_on, Author.AGENT)


class ApproveRequest(Request):
    name: Annotated[str, Argument("The id of a proposal, the beginning of it, or last.", "ID")]
    force: Annotated[bool, Option("Even where soul tests fail.")] = False


@terminal_writes("soul.approve", question="Let it in?")
def approve_soul(runtime: Runtime, caller: Caller, request: ApproveRequest) -> SoulChange:
    """Accept a proposal into the soul.

    Soul tests run first. At a terminal the diff is shown and you are asked.

    $ everself soul approve last  # the newest proposal
    $ everself soul approve 7K3Q --yes  # the one whose id begins so, without being asked
    """
    name = runtime.growth.find(request.name).id
    if diff := show_soul(runtime, caller, SoulRequest(name=name)).diff:
        caller.agree(SoulChange("", diff))
    return runtime.growth.approve(name, force=request.force)


class RefuseRequest(Request):
    name: Annotated[str, Argument("The id of a proposal, the beginning of it, or last.", "ID")]
    why: Annotated[str, Option("Why; it is noted in CHANGELOG.md.", "WORDS")] = ""


@terminal_writes("soul.refuse")
def refuse_soul(runtime: Runtime, _: Caller, request: RefuseRequest) -> Proposal:
    """Refuse a proposal.

    $ everself soul refuse last --why "that was one bad day"  # say no, and why
    """
    return runtime.growth.refuse(request.name, request.why)


class RollbackRequest(Request):
    version: Annotated[str, Argument("A version that history lists, or last.", "[VERSION]")] = ""
    line: Annotated[str, Option("Take this learned line back and leave the rest.", "TEXT")] = ""
    force: Annotated[bool, Option("Even if that copy was altered.")] = False


@terminal_writes("soul.rollback", question="Go back?")
def roll_back_soul(runtime: Runtime, caller: Caller, request: RollbackRequest) -> SoulChange:
    """Restore an earlier soul, byte for byte, or remove one learned line.

    A rollback is a change of its own, and can be undone.

    $ everself soul rollback last  # what the soul was before
    $ everself soul rollback 2026-03-19T093000-1a2b3c4d  # one of those that history lists
    $ everself soul rollback --line "Ask before you catalog."  # take one learned line back
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


@owner_reads("soul.test")
def check_soul(runtime: Runtime, _: Caller, request: SoulRequest) -> SoulTests:
    """Test a soul against the expectations in SOUL_TESTS.md.

    Expectations that only a model can judge are listed as waiting.

    $ everself soul test  # the soul of today against SOUL_TESTS.md
    $ everself soul test 7K3QX9M2ABCD  # a proposal, before you approve it
    """
    name, growth = request.name, runtime.growth
    report = SoulTests(name, growth.test(name))
    if name != CURRENT or not report.count("failed"):
        return report
    # a failing current soul comes with the name of an earlier one
    now, *earlier = growth.history()
    return SoulTests(name, report.results, next((one.name for one in earlier if one.hash != now.hash), ""))


def _find_proposal(runtime: Runtime, name: str) -> Proposal | None:
    try:
        runtime.growth.versions.find(name)
    except NotFound:
        return runtime.growth.find(name)
    return None


_MOST: Final = 1_000
_SHOWN: Final = 160
_OPENING: Final = "soul: "


class Evidence(Result):
    """The evidence of a step. `words` is the entry's text, empty if it is not an entry or is gone."""

    reference: str
    words: str = ""


class Step(Result):
    """A change of the soul, or an open proposal: then `change` is empty and `proposal` is its id."""

    at: datetime
    who: str
    reason: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    change: str = ""
    proposal: str = ""


class Digest(Result):
    days: int
    grown: tuple[Step, ...]
    waiting: tuple[Step, ...]


class DigestRequest(Request):
    days: Annotated[int, Option("How far back.", "N", ge=1, le=36_500)] = 7


@owner_reads("soul.digest")
def digest_growth(app: Runtime, _: Caller, request: DigestRequest) -> Digest:
    """Show what the soul learned or lost recently, and the open proposals.

    $ everself soul digest  # what grew in the last week, why, and in whose words
    $ everself soul digest --days 30  # in the last month
    """
    days = request.days
    since = app.clock.now() - timedelta(days=days)
    grown = tuple(_grown(app, one) for one in app.workspace.changes(_MOST, SOUL) if one.at >= since)
    return Digest(days, grown, tuple(_waiting(app, one) for one in app.growth.open()))


def _grown(app: Runtime, record: ChangeRecord) -> Step:
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    try:
        _, files = app.workspace.record(record.id)
        for one in files:
            if one.path == SOUL:
                removed, added = changed_lines(one.before or b"", one.after or b"")
    except EverselfError:
        # a forgotten part is not shown
        pass
    reason = record.reason.removeprefix(_OPENING)
    return Step(
        record.at, record.author.value, reason, added, removed, evidence_of(app, record.evidence), change=record.id
    )


def _waiting(app: Runtime, proposal: Proposal) -> Step:
    base = app.growth.versions.with_hash(proposal.base) or app.growth.versions.soul() or b""
    removed, added = changed_lines(base, proposal.content.encode())
    at = datetime.fromisoformat(proposal.at)
    evidence = evidence_of(app, proposal.evidence)
    return Step(at, proposal.author, proposal.reason, added, removed, evidence, proposal=proposal.id)


def evidence_of(app: Runtime, references: tuple[str, ...]) -> tuple[Evidence, ...]:
    """References with their text: an entry's id alone says nothing to a person."""
    found = []
    for reference in references:
        kind, _, name = reference.partition(":")
        entry = app.memory.catalog.find(name) if kind == "entry" else None
        found.append(Evidence(reference, one_line(entry.text, _SHOWN) if entry is not None else ""))
    return tuple(found)


class VerifyReport(Result):
    """The integrity of identity documents and ledger. `ledger` describes a fault of the record of changes."""

    changed: tuple[Tamper, ...]
    changes: int
    ledger: str = ""

    @property
    def ok(self) -> bool:
        return not self.changed and not self.ledger


class Verified(Result):
    """`report` is the state after accepting or restoring."""

    report: VerifyReport
    accepted: AcceptedDocuments | None = None
    restored: Restored | None = None


class VerifyRequest(Request):
    paths: Annotated[tuple[str, ...], Argument("Documents to accept or restore; all unless given.", "[PATH]...")] = ()
    accept: Annotated[bool, Option("Accept the outside changes of these documents, or of all.")] = False
    undo: Annotated[bool, Option("Put back what was accepted before: these documents, or all.")] = False


@owner_writes("soul.verify")
def verify_identity(runtime: Runtime, caller: Caller, request: VerifyRequest) -> Verified:
    """Find changes made outside Everself in documents that only humans change.

    $ everself soul verify  # was anything changed outside, and is the record of changes whole?
    $ everself soul verify --accept SOUL.md  # that was me: take it over
    $ everself soul verify --undo  # put back what was accepted before
    """
    accept, undo, paths = request.accept, request.undo, request.paths or None
    if (accept and undo) or (paths and not (accept or undo)):
        raise WrongUse("Documents are named with --accept or with --undo.")
    if accept or undo:
        # a model may not decide about the identity
        caller.need(Audience.OWNER_AT_TERMINAL)
    integrity = runtime.integrity
    accepted = integrity.accept(paths, by=Author.OWNER) if accept else None
    restored = integrity.restore(paths, by=Author.OWNER) if undo else None
    # including the whole ledger
    ledger = runtime.state.verify_ledger()
    return Verified(VerifyReport(integrity.look(), ledger.rows, ledger.reason), accepted, restored)
