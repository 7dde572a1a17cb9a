"""The verb of compaction: which days are old enough for the archive, and putting them there at the owner's word."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from everself.errors import WrongUse
from everself.memory.archive.days import AGE, HeldDay, OldDay, archive_days, find_old_days

if TYPE_CHECKING:
    from everself.runtime import Runtime

Tell = Callable[[int, int], None]
# days of one change: as many as a person would still want to undo together
_TOGETHER: Final = 92


@dataclass(frozen=True, slots=True)
class Compaction:
    """`days` are those that are old enough, `held` those that stay whatever their age. With `changes`, `done` are the days that were
    moved, or copied where they were not `removed`, and `archives` where they went."""

    days: tuple[OldDay, ...]
    held: tuple[HeldDay, ...] = ()
    done: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    removed: bool = False


def compact_memory(
    app: "Runtime", days: int = AGE, *, apply: bool = False, remove: bool = False, tell: Tell | None = None
) -> Compaction:
    """Days older than so many days. With `apply` they are put into the archives of their quarters, word for word; the originals stay
    unless `remove` is said too."""
    if remove and not apply:
        raise WrongUse("Nothing is removed that is not archived.", mend="everself memory compact --apply --remove")
    found = find_old_days(app.memory, days)
    if not apply:
        return Compaction(found.days, found.held)
    waiting = [one for one in found.days if remove or not one.copied]
    done: list[str] = []
    archives: dict[str, None] = {}
    changes: list[str] = []
    for paths in _quarters(waiting):
        if tell is not None:
            tell(len(done), len(waiting))
        made = archive_days(app.memory, paths, remove=remove)
        done += made.paths
        archives |= dict.fromkeys(made.archives)
        changes += [made.change] if made.change else []
    if tell is not None and waiting:
        tell(len(waiting), len(waiting))
    return Compaction(found.days, found.held, tuple(done), tuple(archives), tuple(changes), remove)


def _quarters(days: Sequence[OldDay]) -> list[list[str]]:
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for one in days:
        part = 0
        while len(found[one.to, part]) >= _TOGETHER:
            part += 1
        found[one.to, part].append(one.path)
    return list(found.values())
