"""Output of `everself memory add`, `edit`, `correct` and `supersede`."""

from collections.abc import Iterable
from typing import Final

from everself.interfaces.rendering.lines import entries_of
from everself.interfaces.rendering.view import Look, View, says
from everself.memory.catalog import HUGE
from everself.memory.memory import Corrected, Remembered
from everself.operations.entries import Vouched, VouchPlan


def _vouched(done: Vouched | VouchPlan, _: Look) -> list[str]:
    if isinstance(done, VouchPlan):
        return [f"Nobody vouches for {entries_of(done.entries)} yet."]
    if done.withdrawn is not None:
        gone = f"Nobody vouches any more for {entries_of(len(done.withdrawn))}."
        return [gone if done.withdrawn else "Nobody vouched for it: nothing was changed."]
    return [f"Vouched for {entries_of(len(done.vouched))}." if done.vouched else "All of it was vouched for already."]


def left_out(done: Remembered) -> list[str]:
    """What was left out of the text, or not checked, and why."""
    notices = [f"Taken out before it was written: {kind}" for kind in done.redacted]
    notices += ["What was marked private was left out."] if done.private else []
    return [*notices, *(f"{huge_words(path)} Split it into several files." for path in done.unread)]


def huge_words(path: str) -> str:
    return f"{path} is over {HUGE // 2**20} MB: it is not searched for the same words when something is remembered."


def _added(done: Remembered, _: Look) -> Iterable[str]:
    if not done.mention:
        return [f"Remembered in {done.path} as entry {done.entry}."]
    counted = "; counted once more." if done.change else "."
    return [f"Known already in {done.path} as entry {done.entry}{counted}"]


def _edited(done: Remembered, _: Look) -> Iterable[str]:
    return [f"Changed in {done.path} as change {done.change}." if done.change else "It said so already."]


def _corrected(done: Corrected, look: Look) -> Iterable[str]:
    undo = f"To undo it: {'/undo' if look.chat else 'everself undo'} {done.change}"
    if not done.closed:
        return [f"No entry was closed, because none says that. The right one is {done.entry}. {undo}"]
    are = "is" if len(done.closed) == 1 else "are"
    return [f"Corrected: {', '.join(done.closed)} {are} closed, {done.entry} holds now. {undo}"]


def _redacted(done: Corrected) -> list[str]:
    return [f"Taken out before it was written: {kind}" for kind in done.redacted]


VIEWS: Final = {
    "memory.vouch": View(_vouched),
    "memory.release": View(says("{0.entry} is now in {0.path}; its source is still {0.source}.")),
    "memory.add": View(_added, notices=left_out),
    "memory.edit": View(_edited, notices=left_out),
    "memory.correct": View(_corrected, notices=_redacted),
    "memory.supersede": View(says("{0.closed} no longer holds; {0.by} took its place.")),
}
