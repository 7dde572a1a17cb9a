"""The Memory Miner: turns what was said since its last run into entries, each once, and asks which entries deserve the core memory.

With a model it takes notes. Statements of the owner and guests without a note are stored in the speaker's words, like at a checkpoint.
Duplicates are merged. Cron, heartbeat and sub-agent sessions and recalled text are never read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from everself.classify.coverage import in_word_order, untold
from everself.classify.triage import Verdict
from everself.conversation.sessions.checkpoint import Checkpoint
from everself.conversation.sessions.checkpoint import PlannedStatement as Statement
from everself.conversation.sessions.session import Message
from everself.keepers._insights import find_insights
from everself.keepers.junk import count_junk
from everself.keepers.keeper import KeeperProposal, Mention, Merge, Planned, Progress, Remember, Tell, referenced
from everself.keepers.keeper_context import KeeperContext, mark
from everself.keepers.weekly_review import ask_about
from everself.memory.promotion.candidates import asked_of, candidates
from everself.memory.provenance import AGENT, rank
from everself.search.scopes import SessionKind
from everself.search.similarity import words_of
from everself.text.normalise import fold
from everself.values import Entry, Tag
from everself.workspace.layout import place

# two words with a common beginning of this length are forms of one word
_STEM: Final = 5
_NEGATORS: Final = frozenset(
    [
        "not",
        "no",
        "never",
        "without",
        "none",
        "nothing",
        "nobody",
        "cannot",
        "stopped",
        "quit",
        "anymore",
        "nicht",
        "kein",
        "keine",
        "nie",
        "ohne",
    ]
)
_FILLING: Final = frozenset(["now", "current", "currently", "still", "again", "also", "really", "just", "actually"])
_DENSE_NEGATORS: Final = (
    "不",
    "没",
    "無",
    "无",
    "未",
    "别",
    "안 ",
    "못",
    "않",
    "없",
    "아니",
    "ない",
    "ません",
    "なく",
    "ず",
)
# characters that a sentence in these scripts may gain or lose without changing its meaning
_SMALL: Final = frozenset(
    "我你您他她的了是在有也就都很现在今年这那和与呢吧啊呀는은이가을를에의도로요다고해했합니데지게기저제나내우리지금그"
)

_NUMERALS: Final = frozenset("零〇一二三四五六七八九十百千万两")


def says_no_more(newer: str, older: str) -> bool:
    """Whether the older text contains everything in the newer one: its words, its numbers, and the same negation."""
    one, other = fold(newer), fold(older)
    if one == other:
        return True
    if _negated(one) != _negated(other) or _numbers(one) != _numbers(other):
        return False
    if any(_is_dense(char) for char in one):
        return all(char in other or char in _SMALL or not _counts(char) for char in one)
    known = words_of(older)
    new = words_of(newer) - _FILLING
    return bool(new) and all(word in known or any(_kin(word, each) for each in known) for word in new)


def _kin(one: str, other: str) -> bool:
    size = min(len(one), len(other))
    return size >= _STEM and one[:_STEM] == other[:_STEM]


def _negated(text: str) -> bool:
    words = {word.strip(".,;:!?\"'()") for word in text.replace("’", "'").split()}
    latin = not _NEGATORS.isdisjoint(words) or any(word.endswith("n't") for word in words)
    return latin or any(mark in text for mark in _DENSE_NEGATORS)


def _numbers(text: str) -> list[str]:
    found: list[str] = [""]
    for char in text:
        if char.isdecimal() or char in _NUMERALS:
            found[-1] += char
        elif found[-1]:
            found.append("")
    return sorted(filter(None, found))


def _is_dense(char: str) -> bool:
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"


def _counts(char: str) -> bool:
    """Hiragana is mostly grammar; all other characters may carry meaning."""
    return char.isalnum() and not "\u3040" <= char <= "\u309f"


NAME: Final = "memory-miner"
SAME: Final = 0.9
# candidates for the core: days to look back, minimum confidence, questions per day
PROMOTED_DAYS: Final = 4
_SETTLED: Final = timedelta(days=2)
SURE: Final = 0.6
MOST_PROMOTIONS: Final = 3
_MINED: Final = (SessionKind.MAIN, SessionKind.GUEST)
# days for which other entries are checked for duplicates
_RECENT: Final = timedelta(days=1)


def _is_flagged(verdict: Verdict) -> bool:
    """Whether the message contains a wish, a decision, a correction, or a pattern of the person's own."""
    return verdict.keep and verdict.triggers != ("fact",)


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
        flagged = {one.id for one in mined if one.role == "user" and _is_flagged(context.triage(one.content))}
        told = list(self._statements(context, mined, flagged, tell))
        planned: list[Planned] = []
        if junk.too_much:
            told = [one for one in told if one.message.id in flagged]
        else:
            dug = await find_insights(context, mined)
            told = [left for one in told for left in _left(context, one, dug.operations)]
            planned += dug.operations
            notes += dug.notes
        planned = [
            *self._kept(context, told, tell),
            *planned,
            *self._merged(context, tell),
            *_promotions(context),
        ]
        return KeeperProposal(tuple(planned), tuple(notes), mark(heard[-1]) if heard else upto)

    def _statements(
        self, context: KeeperContext, heard: Sequence[Message], flagged: set[str], tell: Tell
    ) -> Iterator[Statement]:
        """Statements without an entry, flagged messages first. They have the checkpoint's keys, so that each is stored once."""
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
        """The entry that already contains all of this."""
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
        """Recent entries of checkpoints and tools that an older entry already contains."""
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
                if place(older.path).scope == place(one.path).scope and _is_same(context, one.text, older):
                    gone.add(one.id)
                    yield Planned(Merge(older.id, one.id), referenced((older.id, one.id)), "says the same")
                    break


def _left(context: KeeperContext, said: Statement, notes: Sequence[Planned]) -> Iterator[Statement]:
    """The part of a statement that no note of the model contains. Requests to remember are kept word for word, and so is everything beside
    text from outside."""
    reference = f"msg:{said.message.id}"
    told = [
        one.operation.thought.text
        for one in notes
        if isinstance(one.operation, Remember)
        and reference in one.evidence
        and rank(context.bears(one.evidence, one.operation.thought.text)) >= rank(AGENT)
    ]
    if not told or said.new_entry.explicit:
        yield said
        return
    for number, words in enumerate(untold(said.new_entry.text, told)):
        key = f"{said.new_entry.key} {number}"
        yield replace(said, new_entry=replace(said.new_entry, text=words, key=key))


def _promotions(context: KeeperContext) -> Iterator[Planned]:
    """Questions about entries that deserve the core memory, best first; each is asked once.

    Today's entries wait, because a run that continues after a crash must ask the same questions.
    """
    asked = asked_of(context.tunables, PROMOTED_DAYS, least=SURE)
    settled = context.today - _SETTLED
    found = [
        one
        for one in candidates(context.memory, context.state, asked)
        if one.standing.may != "held" and one.entry.day is not None and one.entry.day <= settled
    ]
    open_ = [one for one in found if context.state.reviews.about("promotion", f"entry:{one.entry.id}") is None]
    left = MOST_PROMOTIONS - context.state.reviews.count("promotion", context.today.isoformat())
    yield from (ask_about(one) for one in open_[: max(0, left)])


def _is_same(context: KeeperContext, text: str, known: Entry) -> bool:
    """Whether the entries are similar and nothing is lost without the second. Similar but different entries are a conflict or unrelated; so
    are the same words in another order."""
    return (
        says_no_more(text, known.text) and in_word_order(text, known.text) and context.alike(text, known.text) >= SAME
    )


def _is_said(entry: Entry) -> bool:
    return entry.tag is not Tag.CORRECTION and any(one.startswith("msg:") for one in entry.lineage)


def _precedes(older: Entry, newer: Entry) -> bool:
    if older.id == newer.id or older.day is None or newer.day is None:
        return False
    return (older.day, older.time, older.path, older.start) < (newer.day, newer.time, newer.path, newer.start)


def _corrected(context: KeeperContext) -> list[tuple[Entry, Entry]]:
    """A corrected entry with its correction."""
    corrections = {one.id: one for one in context.corrections()}
    return [
        (one, corrections[one.closed_by]) for one in context.entries() if one.closed and one.closed_by in corrections
    ]


def _is_corrected(text: str, at: datetime, corrected: Sequence[tuple[Entry, Entry]], context: KeeperContext) -> bool:
    """Whether this was corrected after it was said. If it is said again later, that is a conflict, which is not mined."""
    day = context.clock.day_of(at)
    return any(says_no_more(text, wrong.text) for wrong, right in corrected if right.day is None or right.day >= day)
