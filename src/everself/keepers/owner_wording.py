"""Rewords a proposed action with the owner's own text. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from everself.errors import WrongUse
from everself.keepers.keeper import (
    Archive,
    Ask,
    CloseEntry,
    Correct,
    KeeperAction,
    Mention,
    Merge,
    MoveTo,
    ProposeLine,
    Quarantine,
    Remember,
)
from everself.memory.provenance import stated_by_owner


@dataclass(frozen=True, slots=True)
class Reworded:
    """`entry` is the one that gets the words first, empty where the words are in an operation; then the operations are done."""

    entry: str
    does: tuple[KeeperAction, ...]


def entries_in(operation: KeeperAction) -> Iterator[str]:
    """The ids of the entries that it would change or keep, each answer of a question included."""
    match operation:
        case Mention(entry) | MoveTo(entry) | Quarantine(entry) | Correct(entry):
            yield entry
        case CloseEntry(entry, by):
            yield from filter(None, (entry, by))
        case Merge(keep, drop):
            yield from (keep, drop)
        case Archive("lines" | "duplicates", names):
            yield from names
        case Ask():
            yield from (found for one in operation.choices for each in one.does for found in entries_in(each))


def words_in(operation: KeeperAction) -> str:
    """The words that it would write by itself; none where it only moves or closes what stands somewhere."""
    match operation:
        case Remember(thought):
            return thought.text
        case ProposeLine(line):
            return line
        case Correct(_, text):
            return text
    return ""


def entry_kept(does: Sequence[KeeperAction]) -> str:
    """The entry that holds afterwards, and whose words a person may put better; none where there is no such one."""
    for one in does:
        match one:
            case MoveTo(entry) | Merge(entry) | Mention(entry):
                return entry
            case CloseEntry(entry, by):
                return by or entry
    return ""


def reword(does: Sequence[KeeperAction], words: str) -> Reworded:
    """The same in other words. What the owner says in their own words is theirs, and rests on nothing else."""
    if len(does) == 1:
        match does[0]:
            case Remember(thought, at):
                return Reworded("", (Remember(replace(thought, text=words, origin=stated_by_owner("terminal")), at),))
            case ProposeLine(line, remove) if line:
                return Reworded("", (ProposeLine(words, remove),))
            case Correct(entry):
                return Reworded("", (Correct(entry, words),))
            case CloseEntry(entry, ""):
                # with a new text the entry is open again
                return Reworded(entry, ())
    kept = entry_kept(does)
    if not kept:
        raise WrongUse("This question has no text to edit: accept or refuse it.", mend="everself review")
    return Reworded(kept, tuple(does))
