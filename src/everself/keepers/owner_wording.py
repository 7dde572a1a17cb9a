"""Rewords a proposed action with the owner's own text. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.keepers import keeper as actions
from everself.keepers.keeper import KeeperAction
from everself.memory.provenance import stated_by_owner


class Reworded(Frozen):
    """`entry` gets the owner's words first; empty if the words are part of an action. Then the actions are executed."""

    entry: str
    does: tuple[KeeperAction, ...]


def entries_in(operation: KeeperAction) -> Iterator[str]:
    """The ids of entries that it would change or keep, including each answer of a question."""
    match operation:
        case actions.Mention(entry) | actions.MoveTo(entry) | actions.Quarantine(entry) | actions.Correct(entry):
            yield entry
        case actions.CloseEntry(entry, by):
            yield from filter(None, (entry, by))
        case actions.Merge(keep, drop):
            yield from (keep, drop)
        case actions.Archive("lines" | "duplicates", names):
            yield from names
        case actions.Ask():
            yield from (found for one in operation.choices for each in one.does for found in entries_in(each))


def words_in(operation: KeeperAction) -> str:
    """The new text that it would write; empty if it only moves or closes entries."""
    match operation:
        case actions.Remember(thought):
            return thought.text
        case actions.ProposeLine(line):
            return line
        case actions.Correct(_, text):
            return text
    return ""


def entry_kept(does: Sequence[KeeperAction]) -> str:
    """The entry that remains and whose text a person may edit; empty if there is none."""
    for one in does:
        match one:
            case actions.MoveTo(entry) | actions.Merge(entry) | actions.Mention(entry):
                return entry
            case actions.CloseEntry(entry, by):
                return by or entry
    return ""


def reword(does: Sequence[KeeperAction], words: str) -> Reworded:
    """The same action with other words. The owner's own words have the owner as source and no other evidence."""
    if len(does) == 1:
        match does[0]:
            case actions.Remember(thought, at):
                return Reworded(
                    "", (actions.Remember(replace(thought, text=words, origin=stated_by_owner("terminal")), at),)
                )
            case actions.ProposeLine(line, remove) if line:
                return Reworded("", (actions.ProposeLine(words, remove),))
            case actions.Correct(entry):
                return Reworded("", (actions.Correct(entry, words),))
            case actions.CloseEntry(entry, ""):
                # with a new text the entry is open again
                return Reworded(entry, ())
    kept = entry_kept(does)
    if not kept:
        raise WrongUse("This question has no text to edit: accept or refuse it.", mend="everself review")
    return Reworded(kept, tuple(does))
