"""Runs a keeper: collects its proposal, checks each action, executes it or asks the owner, and records the run.

A run may be killed at any time: each action is one change with a key, and the reading position is saved last, so the next run continues
without repeating anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from everself.clock import monotonic
from everself.errors import NotFound, RefusedByRule, WrongUse
from everself.identity.growth import Growth
from everself.keepers._checks import Checks
from everself.keepers.action_text import said_of
from everself.keepers.compactor import Compactor
from everself.keepers.conflict_questions import about_both, which_holds
from everself.keepers.conflicts import Detector
from everself.keepers.execution import ActionExecutor
from everself.keepers.keeper import (
    ActionResult,
    Ask,
    Choice,
    Correct,
    Keeper,
    KeeperAction,
    KeeperProposal,
    Planned,
    Progress,
    RunReport,
    Tell,
    choices_of,
    key_of,
    kind_of,
    packed,
    unpacked,
)
from everself.keepers.keeper_context import KeeperContext
from everself.keepers.miner import Miner
from everself.keepers.owner_wording import reword
from everself.keepers.soul.keeper import SoulKeeper
from everself.keepers.sources import KeeperSources
from everself.keepers.validator import Validator
from everself.logs import get_logger
from everself.memory.provenance import stated_by_owner
from everself.storage.state.reviews import KeeperRun, Review, ReviewStatus
from everself.values import Author, Entry, new_id

_log = get_logger(__name__)

# maximum number of open corrections of one conversation
_MOST_CORRECTIONS: Final = 5
# open questions about conflicting statements at most
_MOST_OPEN: Final = 50
# the kind of question for a queued action; an `Ask` has its own
_KINDS: Final = {
    "close": "conflict",
    "move": "promotion",
    "merge": "duplicate",
    "archive": "compaction",
    "correct": "correction",
}


def silent(_: Progress) -> None:
    """A progress callback that does nothing."""


class Runner:
    """`keepers` can be found by name; any other keeper can be run as well."""

    def __init__(self, sources: KeeperSources, growth: Growth | None = None, keepers: Sequence[Keeper] = ()) -> None:
        self.keepers = tuple(keepers)
        self._sources = sources
        self._growth = growth

    def find(self, name: str) -> Keeper:
        found = next((one for one in self.keepers if one.name == name), None)
        if found is None:
            known = ", ".join(one.name for one in self.keepers)
            raise NotFound(f'keeper "{name[:40]}".', mend=f"There are: {known}.")
        return found

    async def run(self, keeper: Keeper, *, dry_run: bool = False, tell: Tell = silent) -> RunReport:
        """One run, from reading to the report. With `dry_run` actions are checked and not executed."""
        begun = monotonic()
        context = KeeperContext(self._sources, keeper.name)
        at = context.now
        if not dry_run:
            self._sources.take_in()
        proposal = await keeper.propose(context, tell)
        report = self._execute(context, proposal, dry_run, tell)
        report = replace(report, keeper=keeper.name, at=at, usage=context.usage, dry_run=dry_run)
        report = replace(report, seconds=round(monotonic() - begun, 3))
        if not dry_run:
            self._note(report)
        counts = len(report.applied), len(report.queued), len(report.refused)
        _log.info(
            "Keeper %s%s: %d applied, %d queued for review, %d refused in %.1f s.",
            *(keeper.name, " (dry run)" if dry_run else "", *counts, report.seconds),
        )
        return report

    def accept(self, review: Review, choice: int = 0, words: str = "") -> tuple[ActionResult, ...]:
        """Execute what the owner approved. `choice` is the index of the answer; `words` replace the proposed text."""
        self._need_waiting(review)
        planned = unpacked(review.payload)
        given = _given(planned, choice)
        if words:
            better = reword(given, words)
            given = better.does
            if better.entry:
                self._sources.memory.edit(better.entry, words, stated_by_owner("terminal"))
        executor = ActionExecutor(self._sources.memory, self._growth, review.author, Author.OWNER)
        done = tuple(
            executor.do(replace(planned, operation=one), f"review:{review.id}:{number}")
            for number, one in enumerate(given)
        )
        refused = next((one for one in done if one.why), None)
        if refused is None:
            change = next((one.change for one in done if one.change), "")
            self._sources.state.reviews.decide(review.id, "edited" if words else "accepted", self._now(), change)
        return done

    def ask(self, planned: Planned, author: str, most: int) -> str:
        """Ask the owner something that no keeper proposed. Returns the id of the question, empty if it was asked before, or if `most` of
        its kind are open: a manipulated model could ask endlessly."""
        reviews = self._sources.state.reviews
        review = self._question(planned, author)
        known = reviews.about(review.kind, review.about)
        if known is not None or len(reviews.waiting(review.kind)) >= most:
            return known.id if known is not None and known.status == "waiting" else ""
        return review.id if reviews.add(review) else ""

    def ask_correction(self, entry: str, words: str, message: str) -> str:
        """Ask the owner about a correction worded by a model. Returns the id of the question."""
        evidence = (*((f"msg:{message}",) if message else ()), f"entry:{entry}")
        why = "It was suggested in a conversation; you did not say it in a sentence of your own."
        return self.ask(Planned(Correct(entry, words), evidence, why), "conversation", _MOST_CORRECTIONS)

    def ask_which_holds(self, older: str, newer: str) -> str:
        """Ask the owner once which of two statements holds, as asked in a conversation. Returns the id of the question."""
        catalog = self._sources.memory.catalog
        ask = which_holds(catalog.get(older), catalog.get(newer))
        planned = Planned(ask, (f"entry:{older}", f"entry:{newer}"), "You were asked in a conversation.")
        asked = self._sources.state.reviews.about(ask.kind, ask.about)
        return "" if asked is not None else self.ask(planned, "conversation", _MOST_OPEN)

    def settle_which_holds(self, older: str, newer: str, *, replaced: bool) -> bool:
        """Record the owner's answer from the conversation. Return whether the question was still open."""
        waiting = self._sources.state.reviews.about("conflict", about_both(older, newer))
        answered: ReviewStatus = "accepted" if replaced else "refused"
        return waiting is not None and self._sources.state.reviews.decide(waiting.id, answered, self._now())

    def refuse(self, review: Review) -> bool:
        """Refuse. The same is not asked again."""
        return self._sources.state.reviews.decide(review.id, "refused", self._now())

    def choices(self, review: Review) -> tuple[Choice, ...]:
        """The answers a question offers; none for an operation that is only accepted or refused."""
        return choices_of(review.payload)

    def _execute(self, context: KeeperContext, proposal: KeeperProposal, dry_run: bool, tell: Tell) -> RunReport:
        checks = Checks(context)
        executor = ActionExecutor(context.memory, self._growth, context.keeper)
        applied: list[ActionResult] = []
        queued: list[ActionResult] = []
        refused: list[ActionResult] = []
        put_off = False
        for number, proposed in enumerate(proposal.operations, 1):
            tell(Progress(number, len(proposal.operations), "operations"))
            # the key is computed before the checks reduce the action, so that a repeated proposal has the same key
            planned = replace(proposed, key=key_of(proposed))
            if self._is_known(planned):
                continue
            ruling = checks.judge(planned)
            if ruling.way == "refuse":
                refused.append(ActionResult(ruling.planned, why=ruling.why))
                continue
            enough = checks.spend(ruling.planned)
            if enough:
                put_off = True
                refused.append(ActionResult(ruling.planned, why=enough))
            elif ruling.way == "queue":
                one = self._queue(context, ruling.planned, ruling.why, dry_run)
                queued += [one] if not one.already else []
            else:
                one = ActionResult(ruling.planned) if dry_run else executor.do(ruling.planned)
                (refused if one.why else applied).extend([] if one.already else [one])
        # postponed actions must be proposed again, so the read position is not advanced
        upto = "" if put_off else proposal.upto
        done, waits, not_done = (_described(found, context.find) for found in (applied, queued, refused))
        return RunReport("", context.now, done, waits, not_done, proposal.notes, upto=upto)

    def _is_known(self, planned: Planned) -> bool:
        """Whether anyone executed this action before: then it is not repeated, even if it was undone."""
        return self._sources.state.change_of_key(key_of(planned)) is not None

    def _question(self, planned: Planned, author: str, **more: str) -> Review:
        operation = planned.operation
        kind = operation.kind if isinstance(operation, Ask) else _KINDS.get(kind_of(operation), "memory")
        about = operation.about if isinstance(operation, Ask) else key_of(planned)
        return Review(new_id(), self._now(), kind, author, about, {**packed(planned), **more}, planned.evidence)

    def _queue(self, context: KeeperContext, planned: Planned, why: str, dry_run: bool) -> ActionResult:
        review = self._question(planned, context.keeper, why=why)
        if self._sources.state.reviews.about(review.kind, review.about) is not None:
            return ActionResult(planned, already=True)
        if dry_run:
            return ActionResult(planned, why=why)
        added = self._sources.state.reviews.add(review)
        return ActionResult(planned, review=review.id, why=why, already=not added)

    def _note(self, report: RunReport) -> None:
        run = KeeperRun(
            id=new_id(),
            keeper=report.keeper,
            at=report.at.isoformat(),
            seconds=report.seconds,
            applied=len(report.applied),
            queued=len(report.queued),
            refused=len(report.refused),
            upto=report.upto,
            notes=report.notes,
        )
        self._sources.state.reviews.note_run(run)

    def _need_waiting(self, review: Review) -> None:
        status = self._sources.state.reviews.find(review.id).status
        if status != "waiting":
            raise RefusedByRule(f"{review.id} is already {status}.", mend="everself review")

    def _now(self) -> str:
        return self._sources.memory.clock.now().isoformat()


def _described(found: Sequence[ActionResult], find: Callable[[str], Entry | None]) -> tuple[ActionResult, ...]:
    return tuple(replace(one, words=said_of(one.planned.operation, find)) for one in found)


def _given(planned: Planned, choice: int) -> tuple[KeeperAction, ...]:
    operation = planned.operation
    if not isinstance(operation, Ask):
        return (operation,)
    if not 0 <= choice < len(operation.choices):
        raise WrongUse(f"Choose one of the {len(operation.choices)} answers.", mend="everself review")
    return operation.choices[choice].does


def all_keepers() -> tuple[Keeper, ...]:
    """All keepers, in the order of their daily times. Imported on demand: listing names needs no imports."""
    return (SoulKeeper(), Compactor(), Miner(), Detector(), Validator())
