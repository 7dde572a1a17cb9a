"""The Soul Keeper: a wish that the owner repeated, at least a day old, becomes one line under `## Learned`, with its evidence.

By default the line is in the owner's own words. A model may word more lines, with the same evidence and limits. The policy decides whether
a line is proposed or applied; growth does it, with a copy of the old soul, soul tests and CHANGELOG.md.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from everself.config.sections import SoulPolicy
from everself.frozen import Frozen
from everself.identity.soul import learned_lines
from everself.identity.versions import Versions
from everself.keepers.keeper import (
    Ask,
    Choice,
    KeeperProposal,
    Planned,
    Progress,
    ProposeLine,
    Remember,
    Tell,
)
from everself.keepers.keeper_context import KeeperContext
from everself.keepers.soul._themes import (
    LONGEST,
    About,
    Theme,
    agree,
    evidence_of,
    find_themes,
    is_correction,
    is_ripe,
    say_same,
)
from everself.keepers.soul._wording import SoulLine, word_lines
from everself.memory.provenance import OWN, concluded_in
from everself.memory.writing import NewEntry
from everself.storage.state.proposals import Proposal as Asked
from everself.text.normalise import one_line
from everself.text.tokens import count
from everself.values import Author, Tag, digest
from everself.workspace.learned_section import SOUL, with_line

NAME: Final = "soul-keeper"
# limit of lines proposed in one run
MOST: Final = 3
# how long an unreported change of the soul is still reported
NEWS: Final = timedelta(days=7)
_ALL: Final = 10_000
_OPENINGS: Final[dict[About, str]] = {
    "correction": "Remember: {words}",
    "welcome": "Keep it up: “{words}”",
    "ability": "You have shown it: “{words}”",
}
_SAID: Final[dict[About, str]] = {
    "correction": "put right",
    "welcome": "welcomed",
    "ability": "counted on",
}
_WISHED: Final = "asked for"


class SoulState(Frozen):
    """The current soul, and all earlier proposals of keepers with their results."""

    data: bytes
    learned: tuple[str, ...]
    asked: tuple[Asked, ...]
    versions: Versions
    # a keeper may change it without approval
    evolves: bool = False

    @property
    def unfinished(self) -> set[str]:
        """Evidence of proposals for this exact soul that could be applied at once: a run that crashed may have left them."""
        open_ = [one for one in self.asked if self.evolves and one.status == "open" and one.base == digest(self.data)]
        return {one for asked in open_ for one in asked.evidence}

    @property
    def used(self) -> set[str]:
        """Evidence that was used before."""
        return {one for asked in self.asked for one in asked.evidence}

    def origin(self, line: str) -> Asked | None:
        """The origin of a learned line; None if a human wrote it or it is unknown."""
        return next((one for one in self.asked if one.status == "approved" and self._brought(one, line)), None)

    def _brought(self, asked: Asked, line: str) -> bool:
        if line not in asked.content:
            return False
        before = self.versions.with_hash(asked.base)
        return before is not None and line not in before.decode("utf-8", "replace")


class SoulKeeper:
    name = NAME
    title = "Soul Keeper"
    schedule = "cron_soul_keeper"

    async def propose(self, context: KeeperContext, tell: Tell) -> KeeperProposal:
        found = context.memory.workspace.find(SOUL)
        policy = context.sources.policy
        if policy is SoulPolicy.LOCKED or found is None:
            return KeeperProposal()
        versions = Versions(context.memory.workspace, context.clock)
        evolves = policy is SoulPolicy.EVOLVE
        soul = SoulState(found.data, learned_lines(found.data), tuple(_asked(context)), versions, evolves)
        notes: list[str] = []
        lines: list[SoulLine] = []
        drifts: list[Planned] = []
        themes = find_themes(context)
        for number, theme in enumerate(themes, 1):
            tell(Progress(number, len(themes), "themes"))
            drifts += _drift(context, soul, theme)
            if is_ripe(context, theme):
                lines += _line(context, soul, theme, notes)
        worded = await word_lines(context, soul.learned, soul.used | {one for line in lines for one in line.evidence})
        notes += worded.notes
        drifts += worded.drifts
        planned: list[Planned] = []
        for line in (*lines, *worded.lines):
            if len(planned) < MOST:
                planned += _fitted(context, soul, line, notes)
        return KeeperProposal((*_untold(context, soul), *planned, *drifts), tuple(notes))


def news(line: str, change: str, evidence: tuple[str, ...]) -> NewEntry:
    """The note in the day's log about a change of the soul without approval."""
    origin = concluded_in(OWN, "keeper", *evidence)
    return NewEntry(f"My soul learned something: {line}", origin, "heartbeat", Tag.EVENT, key=f"told {change}")


def _asked(context: KeeperContext) -> Iterator[Asked]:
    """The proposals of keepers. Lines that are already in the soul count as approved."""
    for one in context.state.proposals.list("", _ALL):
        if one.path != SOUL or one.author != Author.KEEPER:
            continue
        done = context.state.change_of_key(one.key) if one.status == "open" else None
        yield one if done is None else replace(one, status="approved", decided_at=done.at.isoformat(), change=done.id)


def _untold(context: KeeperContext, soul: SoulState) -> Iterator[Planned]:
    """Unapproved changes of the soul that a crashed run did not report."""
    for one in soul.asked:
        recent = one.change and context.now - datetime.fromisoformat(one.decided_at) <= NEWS
        if not recent or context.state.change_of_key(f"told {one.change}") is not None:
            continue
        before = soul.versions.with_hash(one.base)
        if context.memory.workspace.record(one.change)[0].author is Author.KEEPER and before is not None:
            known = learned_lines(before)
            for line in [line for line in learned_lines(one.content.encode()) if line not in known][:1]:
                thought = news(line, one.change, one.evidence)
                yield Planned(Remember(thought), one.evidence, one.reason)


def _line(context: KeeperContext, soul: SoulState, theme: Theme, notes: list[str]) -> Iterator[SoulLine]:
    """The line for a theme, unless the soul contains it or it was proposed before."""
    evidence = theme.evidence
    replaces = next(
        (line for line in soul.learned if theme.about == "correction" and not agree(_bare(line), theme.words)), ""
    )
    new = [one for one in evidence if one not in soul.used or one in soul.unfinished]
    if (
        not new
        or (not replaces and len(new) < len(evidence))
        or any(_alike(context, line, theme) for line in soul.learned)
    ):
        return
    if len(theme.words) > LONGEST:
        notes.append(f"Too long for a line of the soul, though it came up {theme.times} times: {', '.join(theme.ids)}.")
        return
    words = _OPENINGS[theme.about].format(words=theme.words)
    said = _SAID[theme.about] if theme.about != "correction" or any(map(is_correction, theme.entries)) else _WISHED
    yield SoulLine(words, evidence, f"{said} {theme.times} times", replaces)


def _alike(context: KeeperContext, line: str, theme: Theme) -> bool:
    return any(say_same(context, _bare(line), words) for words in (theme.words, theme.entries[0].text))


def _bare(line: str) -> str:
    """A learned line without the keeper's prefix."""
    for opening in _OPENINGS.values():
        before, _, after = opening.partition("{words}")
        if line.startswith(before) and line.endswith(after):
            return line[len(before) : len(line) - len(after)]
    return line


def _drift(context: KeeperContext, soul: SoulState, theme: Theme) -> Iterator[Planned]:
    """Learned lines that needed another correction since. They are reported; the soul is not adapted automatically."""
    if theme.about != "correction":
        return
    for line in soul.learned:
        origin = soul.origin(line)
        if origin is None or not _alike(context, line, theme):
            continue
        since = context.clock.day_of(datetime.fromisoformat(origin.decided_at or origin.at))
        again = [one for one in theme.entries if max(one.day or date.min, one.seen or date.min) > since]
        if again:
            newest = max(max(one.day or date.min, one.seen or date.min) for one in again)
            words = (
                f"The soul says “{one_line(line, LONGEST)}”, and it had to be corrected again on {newest.isoformat()}."
            )
            about = f"drift {digest(line.encode())[:16]} {newest.isoformat()}"
            ask = Ask("question", about, words, (Choice("I have seen it"),))
            yield Planned(ask, evidence_of(again), "The agent's behaviour contradicts its soul.")


def _fitted(context: KeeperContext, soul: SoulState, line: SoulLine, notes: list[str]) -> Iterator[Planned]:
    """Turn a line into an action. If the soul is full, it replaces an older line that is not from a correction."""
    remove = line.replaces
    most = context.tunables.soul_max_tokens
    if not remove and _size(soul.data, line.words) > most:
        remove = next((one for one in soul.learned if _may_go(context, soul.origin(one))), "")
        if not remove or _size(soul.data, line.words) - count(remove) > most:
            notes.append(f"The soul is full ({most} tokens), so this waits: “{one_line(line.words, LONGEST)}”")
            return
    reason = line.reason + (f", in the place of “{one_line(remove, LONGEST)}”" if remove else "")
    key = f"soul {digest(' '.join(sorted(line.evidence)).encode())[:32]}"
    notes.append(f"For the soul: “{one_line(line.words, LONGEST)}” ({line.reason})")
    yield Planned(ProposeLine(line.words, remove), line.evidence, reason, line.sure, key=key)


def _size(data: bytes, line: str) -> int:
    return count(with_line(data, line).decode("utf-8", "replace"))


def _may_go(context: KeeperContext, origin: Asked | None) -> bool:
    """Whether a learned line may be replaced: not if a human wrote it or it came from a correction."""
    return origin is not None and not any(_is_correction(context, one) for one in origin.evidence)


def _is_correction(context: KeeperContext, reference: str) -> bool:
    kind, _, name = reference.partition(":")
    entry = context.memory.catalog.find_even_gone(name) if kind == "entry" else None
    # a missing entry may have been a correction
    return entry is None or is_correction(entry)
