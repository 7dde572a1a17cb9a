"""Changes to the soul: propose, test, approve, roll back. Every step is one change set that keeps a copy of the previous soul.

Only a human approves, refuses and rolls back. No interface for models offers these steps. Knows nothing of models: a keeper passes in its
text.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from everself.clock import Clock
from everself.config.sections import SoulIntegrity
from everself.errors import ChangedMeanwhile, NotFound, RefusedByRule, WrongUse
from everself.frozen import Frozen
from everself.identity.integrity import Integrity
from everself.identity.soul import SoulRules, check_growth, grows_alone, without_line
from everself.identity.soul_tests import SOUL_TESTS, SoulTestResult, failures, keep_principles, parse_tests, run_tests
from everself.identity.versions import CHANGELOG, CURRENT, ChangelogEntry, Step, Version, Versions, append_entry
from everself.memory.entries import read_document, text_hash
from everself.memory.memory import Memory
from everself.memory.provenance import is_correction
from everself.storage.state.database import State
from everself.storage.state.proposals import Proposal, Status
from everself.text.normalise import fold, without_surrogates
from everself.text.redaction import redact
from everself.values import (
    Author,
    Change,
    Conflict,
    Create,
    Edit,
    FileChange,
    Outcome,
    Replace,
    digest,
    new_id,
)
from everself.workspace.guards import HUMANS
from everself.workspace.learned_section import SOUL, changed_lines, same_core, with_line
from everself.workspace.merge import merge, render_diff
from everself.workspace.protocol import Workspace, need_done

# retries when the person's editor saves first
_TRIES: Final = 5
_ALL: Final = 100_000
# what forgetting leaves in place of the text
_FORGOTTEN: Final = b"[forgotten]"


class Proposed(Frozen):
    """The proposal. `change` is set if it was applied at once; `results` are those of its soul tests."""

    proposal: Proposal
    diff: str
    change: str = ""
    results: tuple[SoulTestResult, ...] = ()
    notices: tuple[str, ...] = ()


class SoulChange(Frozen):
    """The effect of a step; `change` is empty if nothing changed. `earlier` is the path of the copy of the previous soul."""

    change: str
    diff: str
    earlier: str = ""
    results: tuple[SoulTestResult, ...] = ()


class _Act(Frozen):
    """A step before it is executed."""

    step: Step
    author: Author
    who: str
    reason: str
    evidence: tuple[str, ...] = ()
    key: str = ""
    # a human wrote these words, and may restate what was forgotten
    own_words: bool = False


class Growth:
    def __init__(
        self,
        workspace: Workspace,
        state: State,
        clock: Clock,
        rules: SoulRules,
        memory: Memory | None = None,
        integrity: Integrity | None = None,
    ) -> None:
        self.rules = rules
        self.versions = Versions(workspace, clock)
        self._workspace = workspace
        self._state = state
        self._clock = clock
        self._memory = memory
        self._integrity = integrity

    def is_correction(self, reference: str) -> bool:
        """Whether this evidence is a correction by the owner."""
        kind, _, name = reference.partition(":")
        if kind != "entry":
            return kind == "file" and name.startswith("CORRECTIONS.md")
        entry = self._memory.catalog.find(name) if self._memory is not None else None
        # the last is left by a correction that found no wrong entry
        return entry is not None and (is_correction(entry) or entry.category == "correction")

    def is_withheld(self) -> bool:
        """Whether the soul contains unaccepted outside changes and must not be used."""
        if self._integrity is None or self._integrity.policy is not SoulIntegrity.STRICT:
            return False
        # a breach has no path: then no document can be trusted
        return any(one.path in ("", SOUL) for one in self._integrity.look())

    def propose(self, text: str, reason: str, evidence: Sequence[str] = (), author: Author = Author.OWNER) -> Proposed:
        """Propose a whole new text of the soul."""
        now = self._need_soul()
        return self._propose(now, without_surrogates(text).encode(), reason, tuple(evidence), author)

    def add_line(
        self, line: str, reason: str, evidence: Sequence[str] = (), author: Author = Author.OWNER, remove: str = ""
    ) -> Proposed:
        """Propose one more learned line; with `remove` it replaces another, named as in `rollback_line`."""
        words = " ".join(without_surrogates(line).split()).replace("<!--", "&lt;!--")
        if not words:
            raise WrongUse("The line is empty.")
        now = self._need_soul()
        kept = without_line(now, remove) if remove else now
        return self._propose(now, with_line(kept, words), reason, tuple(evidence), author)

    def proposals(self) -> Sequence[Proposal]:
        """All proposals, with any status."""
        return self._state.proposals.list("", _ALL)

    def open(self) -> tuple[Proposal, ...]:
        """The open proposals, newest first."""
        found = (one for one in self._state.proposals.list("open", _ALL) if one.path == SOUL)
        return tuple(one for one in found if not self._is_done(one))

    def find(self, name: str) -> Proposal:
        found = (
            next(iter(self.open()), None) if name == "last" else self._state.proposals.find(without_surrogates(name))
        )
        if found is None or found.path != SOUL:
            raise NotFound("open proposal for the soul with this id.", mend="everself soul show")
        return found

    def approve(self, name: str, *, force: bool = False) -> SoulChange:
        """Apply a proposal to the soul. It is merged where the soul changed since, if possible."""
        proposal = self.find(name)
        key = proposal.key
        if proposal.status == "open" and self._is_done(proposal):
            return SoulChange(self.find(proposal.id).change, "")
        _need_open(proposal)
        if self.is_withheld():
            raise RefusedByRule(
                "Changed outside Everself: SOUL.md. The change has not been accepted yet.", mend="everself soul verify"
            )
        results: tuple[SoulTestResult, ...] = ()

        def want(now: bytes | None) -> bytes:
            nonlocal results
            # checked again under the lock: it may have been decided meanwhile
            _need_open(self.find(proposal.id))
            wanted = self._carried_over(proposal, now or b"")
            results = self._tested(now or b"", wanted)
            failed = failures(results)
            if failed and not force:
                said = "; ".join(f"{one.expectation}: {one.why}" for one in failed)
                raise RefusedByRule(f"Soul tests fail: {said}", mend=f"everself soul approve {proposal.id} --force")
            return wanted

        human = Author(proposal.author) in HUMANS
        act = _Act("growth", Author.OWNER, _who(proposal), proposal.reason, proposal.evidence, key, human)
        grown = self._take(act, want)
        self._decide(proposal, "approved", grown.change)
        return replace(grown, results=results)

    def preview(self, proposal: Proposal) -> bytes | None:
        """The result of applying a proposal to the current soul; None if both changed the same lines."""
        return self._merged(proposal, self.versions.soul() or b"")

    def refuse(self, name: str, why: str = "") -> Proposal:
        """Refuse a proposal. With a reason it is noted in CHANGELOG.md, so that a keeper does not propose it again."""
        proposal = self.find(name)

        def plan() -> Change | None:
            _need_open(self.find(proposal.id))
            self._decide(proposal, "refused", "")
            if not why.strip():
                return None
            told = ChangelogEntry("refusal", f"owner, to proposal {proposal.id}", _clean(why), proposal.evidence)
            return Change(Author.OWNER, f"soul: refuse proposal {proposal.id}", (self._log(told),), proposal.evidence)

        need_done(self._workspace.apply_plan(plan))
        return self.find(proposal.id)

    def history(self) -> tuple[Version, ...]:
        """The current soul, then earlier ones, newest first."""
        return self.versions.list()

    def text_of(self, name: str) -> bytes:
        """The bytes of a version, or of a proposal by its id."""
        try:
            return self.versions.content(self.versions.find(name).path) or b""
        except NotFound:
            with suppress(NotFound):
                return self.find(name).content.encode()
            raise

    def diff(self, one: str = "last", other: str = CURRENT) -> str:
        """The line diff between two souls."""
        before, after = self.text_of(one), self.text_of(other)
        return diff_souls(before, after)

    def rollback(self, name: str, *, force: bool = False) -> SoulChange:
        """Restore an earlier soul, byte for byte."""
        version = self.versions.find(name)
        if version.altered and not force:
            raise RefusedByRule(
                f"Changed outside Everself: {version.path}.", mend=f"everself soul rollback {version.name} --force"
            )
        wanted = self.versions.content(version.path)
        if wanted is None or digest(wanted) != version.hash:
            raise ChangedMeanwhile(f"{version.path} changed in the meantime.")
        act = _Act("rollback", Author.OWNER, "owner", f"back to {version.name}", (f"file:{version.path}",))
        return self._take(act, lambda _: wanted)

    def rollback_line(self, text: str) -> SoulChange:
        """Remove one learned line, named by its text or a unique part of it."""

        def want(now: bytes | None) -> bytes:
            return without_line(now or b"", text)

        shown = _clean(" ".join(text.split()))
        return self._take(_Act("rollback", Author.OWNER, "owner", f"take back: {shown}"), want)

    def test(self, name: str = CURRENT) -> tuple[SoulTestResult, ...]:
        """Run the soul tests on a version or a proposal."""
        return self._tested(self.versions.soul() or b"", self.text_of(name))

    def _propose(self, now: bytes, wanted: bytes, reason: str, evidence: tuple[str, ...], author: Author) -> Proposed:
        reasons = check_growth(now, wanted, author, self.rules)
        if reasons:
            raise RefusedByRule(" ".join(reasons))
        if wanted == now:
            raise WrongUse("The soul already says that.")
        if author not in HUMANS:
            self._need_unburied(now, wanted)
            self._need_principles(now, wanted, evidence)
        at = self._clock.now().isoformat()
        evidence = tuple(_clean(one) for one in evidence)
        text = _text(wanted)
        proposal = Proposal(new_id(), at, author.value, SOUL, digest(now), text, _clean(reason), evidence)
        again = self._same(proposal) if author not in HUMANS else None
        proposal = again or proposal
        results = self._tested(now, wanted)
        notices = [f"A soul test would fail: {one.expectation}: {one.why}" for one in failures(results)]
        change = ""
        alone = author is Author.KEEPER and grows_alone(now, wanted, evidence, self.rules)
        alone = alone and not notices and not self.is_withheld()
        if not alone:
            self._keep_base(now)
        if again is None:
            # recorded before the soul changes: after a crash the proposal is still open and the change can be matched to it
            self._state.proposals.add(proposal)
        if alone:
            change, notices = self._grow_alone(proposal, now, wanted)
        if change:
            self._decide(proposal, "approved", change)
        elif alone:
            self._keep_base(now)
        return Proposed(
            self._state.proposals.find(proposal.id), diff_souls(now, wanted), change, results, tuple(notices)
        )

    def _grow_alone(self, proposal: Proposal, now: bytes, wanted: bytes) -> tuple[str, list[str]]:
        """Apply a keeper's small change. Returns the reason if it has to wait for a human."""

        def want(found: bytes | None) -> bytes:
            if found != now:
                raise ChangedMeanwhile("SOUL.md was changed while this was being proposed.")
            return wanted

        who = f"keeper, by the policy {self.rules.policy.value}"
        act = _Act("growth", Author.KEEPER, who, proposal.reason, proposal.evidence, proposal.key)
        try:
            return self._take(act, want).change, []
        except (RefusedByRule, ChangedMeanwhile) as error:
            return "", [f"The proposal waits for a human: {error.detail}"]

    def _same(self, proposal: Proposal) -> Proposal | None:
        """An open proposal of the same text for the same soul."""
        new = (proposal.author, proposal.base, proposal.content, proposal.reason, proposal.evidence)
        found = self.open()
        return next(
            (one for one in found if (one.author, one.base, one.content, one.reason, one.evidence) == new), None
        )

    def _is_done(self, proposal: Proposal) -> bool:
        """Whether the change was applied: the process may have died before it was recorded, so it is recorded now."""
        done = self._state.change_of_key(proposal.key)
        if done is not None:
            self._decide(proposal, "approved", done.id)
        return done is not None

    def _keep_base(self, now: bytes) -> None:
        """Keep a copy of the soul that a proposal is based on: it is needed to merge the proposal into a later soul."""

        def plan() -> Change | None:
            path = self.versions.place_for(now)
            edits = (Create(path, now),) if path else ()
            return Change(Author.RUNTIME, "soul: keep what a proposal is made for", edits) if edits else None

        outcome = self._workspace.apply_plan(plan)
        if isinstance(outcome, Conflict):
            raise ChangedMeanwhile("SOUL_HISTORY/ was changed while this was being proposed.")

    def _take(self, act: _Act, want: Callable[[bytes | None], bytes]) -> SoulChange:
        """Execute one step as one change set: the copy, the soul, the log."""
        seen: list[tuple[bytes | None, bytes]] = []

        def plan() -> Change | None:
            now = self.versions.soul()
            wanted = want(now)
            seen.append((now, wanted))
            if wanted == now:
                return None
            if not act.own_words:
                self._need_unburied(now or b"", wanted)
            return self._change(act, now, wanted)

        outcome: Outcome = Conflict((SOUL,))
        for _ in range(_TRIES):
            outcome = self._workspace.apply_plan(plan)
            if not isinstance(outcome, Conflict):
                break
        done = need_done(outcome)
        now, wanted = seen[-1]
        change = done.id if done is not None else ""
        return SoulChange(change, diff_souls(now, wanted) if change else "", self._kept(now) if change else "")

    def _change(self, act: _Act, now: bytes | None, wanted: bytes) -> Change:
        edits: list[Edit] = []
        copy = "" if now is None else self.versions.place_for(now)
        if copy and now is not None:
            edits.append(Create(copy, now))
        edits.append(Create(SOUL, wanted) if now is None else Replace(SOUL, digest(now), 0, len(now), wanted))
        removed, added = changed_lines(now or b"", wanted)
        earlier = copy or self._kept(now)
        edits.append(self._log(ChangelogEntry(act.step, act.who, act.reason, act.evidence, earlier, removed, added)))
        return Change(act.author, f"soul: {act.step}: {act.reason}", tuple(edits), act.evidence, key=act.key)

    def _kept(self, data: bytes | None) -> str:
        """The path of a copy of these bytes."""
        mark = "" if data is None else digest(data)
        return next((one.path for one in self.versions.list() if one.hash == mark and not one.current), "")

    def _log(self, told: ChangelogEntry) -> Edit:
        found = self._workspace.find(CHANGELOG)
        return append_entry(None if found is None else found.data, told, self._clock.now())

    def _carried_over(self, proposal: Proposal, now: bytes) -> bytes:
        merged = self._merged(proposal, now)
        if merged is None:
            self._decide(proposal, "outdated", "")
            raise ChangedMeanwhile(
                f"Proposal {proposal.id} is outdated: its lines have changed since, or something in it was forgotten.",
                mend=f"everself soul show {proposal.id}",
            )
        return merged

    def _merged(self, proposal: Proposal, now: bytes) -> bytes | None:
        wanted = proposal.content.encode()
        if wanted == now:
            return wanted
        if _FORGOTTEN in wanted and _FORGOTTEN not in now:
            # the line was rewritten since, so it is not the proposed text
            return None
        past = now if digest(now) == proposal.base else self.versions.with_hash(proposal.base)
        merged = None if past is None else merge(past, now, wanted)
        # a keeper's lines stay learned lines, even if the person moved the section
        by_human = Author(proposal.author) in HUMANS
        return merged if merged is not None and (by_human or same_core(now, merged)) else None

    def _tested(self, now: bytes, wanted: bytes) -> tuple[SoulTestResult, ...]:
        found = self._workspace.find(SOUL_TESTS)
        tests = parse_tests(None if found is None else found.data)
        principles = self._principles(now) if keep_principles(tests) else ()
        return run_tests(tests, wanted.decode("utf-8", "replace"), principles)

    def _principles(self, now: bytes) -> tuple[str, ...]:
        """The current lines that were learned from corrections."""
        found: list[str] = []
        standing = fold(now.decode("utf-8", "replace"))
        for one in self._state.proposals.list("approved", _ALL):
            if one.path != SOUL or not any(map(self.is_correction, one.evidence)):
                continue
            past = self.versions.with_hash(one.base)
            _, added = changed_lines(past or b"", one.content.encode()) if past is not None else ((), ())
            found += [line.lstrip("-*+ ") for line in added]
        return tuple(line for line in dict.fromkeys(found) if fold(line) in standing)

    def _need_unburied(self, now: bytes, wanted: bytes) -> None:
        """Forgotten text must not return with an earlier soul or through a keeper."""
        rows = self._state.entries
        known = {(text_hash(read.text), read.claim("id")) for read in read_document(now)}
        new = {(text_hash(read.text), read.claim("id")) for read in read_document(wanted)} - known
        if any(rows.is_buried(rows.mac(text), identity) for text, identity in new):
            raise RefusedByRule("The text contains something that was forgotten on request and cannot be restored.")

    def _need_principles(self, now: bytes, wanted: bytes, evidence: Sequence[str]) -> None:
        """A line learned from a correction can be replaced only by a newer correction."""
        removed, _ = changed_lines(now, wanted)
        gone = {fold(line.lstrip("-*+ ")) for line in removed}
        if gone and any(fold(line) in gone for line in self._principles(now)):
            used = {one for proposal in self._state.proposals.list("approved", _ALL) for one in proposal.evidence}
            if not any(self.is_correction(one) for one in evidence if one not in used):
                raise RefusedByRule(
                    "The change would remove a line learned from a correction, and no newer correction supports that."
                )

    def _need_soul(self) -> bytes:
        now = self.versions.soul()
        if now is None:
            raise NotFound("SOUL.md.", mend="everself setup")
        _text(now)
        return now

    def _decide(self, proposal: Proposal, status: Status, change: str) -> None:
        self._state.proposals.decide(proposal.id, status, self._clock.now().isoformat(), change)


def _need_open(proposal: Proposal) -> None:
    if proposal.status != "open":
        raise RefusedByRule(f"Proposal {proposal.id} is already {proposal.status}.")


def _who(proposal: Proposal) -> str:
    return "owner" if proposal.author == Author.OWNER.value else f"{proposal.author}, approved by the owner"


def _clean(text: str) -> str:
    """Text for records, without secrets."""
    return redact(without_surrogates(text)).text


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise RefusedByRule(
            "SOUL.md is not UTF-8 text, so nothing can be proposed for it.", mend="everself doctor"
        ) from None


def diff_souls(before: bytes | None, after: bytes) -> str:
    return "" if before == after else render_diff((FileChange(SOUL, before, after),))
