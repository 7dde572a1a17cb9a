"""Describes a keeper's action in one line, for reports and for questions to the owner."""

from collections.abc import Callable

from everself.keepers import keeper as actions
from everself.keepers.keeper import KeeperAction
from everself.text.normalise import one_line
from everself.values import Entry

_WIDTH = 160


def said_of(operation: KeeperAction, find: Callable[[str], Entry | None]) -> str:
    """The action in words, with the texts of its entries."""

    def words(identity: str) -> str:
        entry = find(identity)
        return f'"{one_line(entry.text, _WIDTH)}"' if entry is not None else identity

    match operation:
        case actions.Remember(thought):
            said = f'remember "{one_line(thought.text, _WIDTH)}" #{thought.tag.value or "knowledge"}, from {thought.source}'
        case actions.Mention(entry):
            said = f"count {words(entry)} as said again"
        case actions.CloseEntry(entry, by):
            said = f"close {words(entry)}" + (f", because {words(by)}" if by else "")
        case actions.Merge(keep, drop):
            said = f"merge {words(drop)} into {words(keep)}"
        case actions.MoveTo(entry, path):
            said = f"move {words(entry)} to {path}"
        case actions.ProposeLine(line, remove):
            said = f'propose for the soul: "{one_line(line or remove, _WIDTH)}"' + ("" if line else " removed")
        case actions.Note(document, text):
            said = f"note in {document}: {one_line(text, _WIDTH)}"
        case actions.Archive(what, names):
            said = f"archive {what}: {one_line(', '.join(map(words, names) if what == 'lines' else names), _WIDTH)}"
        case actions.Quarantine(entry, why):
            said = f"keep {words(entry)} apart: {one_line(why, _WIDTH)}"
        case actions.Correct(entry, text):
            said = f'close {words(entry)} and remember instead: "{one_line(text, _WIDTH)}"'
        case actions.Confirm(entries):
            said = f"note as embedded again: {one_line(', '.join(map(words, entries)), _WIDTH)}"
        case actions.Ask(_, _, text):
            said = f"ask: {one_line(text, _WIDTH)}"
    return said
