"""The Memory Miner: turns what was said since its last run into entries, once each and in the speaker's words.

By rules it takes what the owner and guests state, as a checkpoint would, and merges what says the same. A model may add what the
conversation shows beyond that; its words are the agent's. Never reads cron, heartbeat or sub-agent sessions, nor recalled text.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from everself.conversation.sessions.checkpoint import Checkpoint
from everself.conversation.sessions.checkpoint import PlannedStatement as Statement
from everself.conversation.sessions.session import Message
from everself.keepers._insights import find_insights
from everself.keepers._sameness import says_no_more
from everself.keepers.junk import count_junk
from everself.keepers.keeper import KeeperProposal, Mention, Merge, Planned, Progress, Remember, Tell, referenced
from everself.keepers.keeper_context import KeeperContext, mark
from everself.search.scopes import SessionKind
from everself.text.normalise import fold
from everself.values import Entry, Tag
from everself.workspace.layout import place

NAME: Final = "memory-miner"
SAME: Final = 0.9
_MINED: Final = (SessionKind.MAIN, SessionKind.GUEST)
# days for which other entries are checked for duplicates
_RECENT: Final = timedelta(days=1)


class Miner:
    name = NAME
    title = "Memory Miner"
    schedule = "cron_memory_miner"

    async def propose(self, context: KeeperContext, tell: Tell) -> KeeperProposal:
        upto = context.upto()
        heard = list(context.messages(upto))
        mined = [one for one in heard if context.session(one.session).scope.kind in _MINED]
        junk = count_junk(context)
        notes = [f"{junk.words} Only flagged messages are mined until there is less."] if junk.too_much else []
        flagged = {one.id for one in mined if one.role == "user" and context.triage(one.content).keep}
        told = list(self._statements(context, mined, flagged, tell))
        if junk.too_much:
            told = [one for one in told if one.message.id in flagged]
        planned = [*self._kept(context, told, tell), *self._merged(context, tell)]
        if not junk.too_much:
            dug = await find_insights(context, mined, [one.new_entry.text for one in told])
            planned += dug.operations
            notes += dug.notes
        return KeeperProposal(tuple(planned), tuple(notes), mark(heard[-1]) if heard else upto)

    def _statements(
        self, context: KeeperContext, heard: Sequence[Message], flagged: set[str], tell: Tell
    ) -> Iterator[Statement]:
        """What nobody wrote down yet, flagged messages first. Keyed as the checkpoint keys it, so that it is written once."""
        checkpoint = Checkpoint(context.memory, context.log, has_model=context.has_model)
        found: list[Statement] = []
        sessions = list(dict.fromkeys(one.session for one in heard))
        names = {one.id for one in heard}
        for number, name in enumerate(sessions, 1):
            tell(Progress(number, len(sessions), "sessions"))
            planned = checkpoint.plan(context.session(name))
            found += [one for one in planned if one.fate in ("new", "mention") and one.message.id in names]
        corrected = _corrected(context)
        for one in sorted(found, key=lambda one: one.message.id not in flagged):
            if not _is_corrected(one.new_entry.text, one.message.at, corrected, context):
                yield one

    def _kept(self, context: KeeperContext, told: Sequence[Statement], tell: Tell) -> Iterator[Planned]:
        batch: list[str] = []
        for number, one in enumerate(told, 1):
            tell(Progress(number, len(told), "statements"))
            thought, evidence = one.new_entry, (f"msg:{one.message.id}",)
            known = self._known(context, thought.text, thought.person, thought.project) if one.fate == "new" else None
            if known is not None and not thought.explicit:
                yield Planned(Mention(known.id), evidence, "said again", key=thought.key, words=thought.text)
            elif any(fold(thought.text) == fold(each) for each in batch):
                continue
            else:
                batch.append(thought.text)
                yield Planned(
                    Remember(thought, one.message.at), evidence, f"said on {one.message.at.date().isoformat()}"
                )

    def _known(self, context: KeeperContext, text: str, person: str, project: str) -> Entry | None:
        """The entry that says all of this already."""
        for one in context.sharing(text):
            where = place(one.path)
            if (
                not one.closed
                and (where.person or "", where.project or "") == (person, project)
                and _is_same(context, text, one)
            ):
                return one
        return None

    def _merged(self, context: KeeperContext, tell: Tell) -> Iterator[Planned]:
        """What checkpoints and tools wrote lately and something older says already."""
        last = context.last_run()
        begun = datetime.fromisoformat(last.at).date() if last is not None else context.today
        fresh = [
            one
            for one in context.open_entries()
            if one.day is not None and one.day >= begun - _RECENT and _is_said(one)
        ]
        gone: set[str] = set()
        for number, one in enumerate(fresh, 1):
            tell(Progress(number, len(fresh), "entries"))
            for older in context.sharing(one.text):
                if older.closed or older.id in gone or not _precedes(older, one):
                    continue
                if _scope(older) == _scope(one) and _is_same(context, one.text, older):
                    gone.add(one.id)
                    yield Planned(Merge(older.id, one.id), referenced((older.id, one.id)), "says the same")
                    break


def _is_same(context: KeeperContext, text: str, known: Entry) -> bool:
    """Alike, and nothing is lost without it. What is alike but not the same is a conflict, or just something else."""
    return says_no_more(text, known.text) and context.alike(text, known.text) >= SAME


def _scope(entry: Entry) -> tuple[str | None, str | None]:
    where = place(entry.path)
    return where.person, where.project


def _is_said(entry: Entry) -> bool:
    return entry.tag is not Tag.CORRECTION and any(one.startswith("msg:") for one in entry.lineage)


def _precedes(older: Entry, newer: Entry) -> bool:
    if older.id == newer.id or older.day is None or newer.day is None:
        return False
    return (older.day, older.time, older.path, older.start) < (newer.day, newer.time, newer.path, newer.start)


def _corrected(context: KeeperContext) -> list[tuple[Entry, Entry]]:
    """What was wrong, with the correction that closed it."""
    corrections = {one.id: one for one in context.corrections()}
    return [
        (one, corrections[one.closed_by]) for one in context.entries() if one.closed and one.closed_by in corrections
    ]


def _is_corrected(text: str, at: datetime, corrected: Sequence[tuple[Entry, Entry]], context: KeeperContext) -> bool:
    """Whether this was corrected after it was said. Said again later, it is a conflict and not mined."""
    day = context.clock.day_of(at)
    return any(says_no_more(text, wrong.text) for wrong, right in corrected if right.day is None or right.day >= day)
