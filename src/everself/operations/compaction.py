"""Operation: archive old days."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Final

from everself.errors import WrongUse
from everself.memory.archive.days import AGE, HeldDay, OldDay, archive_days, find_old_days
from everself.operations.caller import Caller
from everself.operations.declaration import Option, Request, Result, Tell, terminal_writes
from everself.runtime import Runtime

# days per change, so that undoing one change stays useful
_TOGETHER: Final = 92


class Compaction(Result):
    """`days` are older than `age` days; `held` stay despite their age. With `changes`, `done` are the days that were moved, or copied if
    not `removed`, and `archives` the target files. `applied`: archiving was requested."""

    age: int
    days: tuple[OldDay, ...]
    held: tuple[HeldDay, ...] = ()
    done: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    removed: bool = False
    applied: bool = False


class CompactRequest(Request):
    days: Annotated[int, Option("The age that counts as old.", ge=1, le=36_500)] = AGE
    apply: Annotated[bool, Option("Put them into memory/archive/, one file for each quarter.")] = False
    remove: Annotated[bool, Option("Remove each original in the same change that archives it.")] = False


@terminal_writes("memory.compact", progress="Archiving")
def compact_memory(app: Runtime, _: Caller, request: CompactRequest, tell: Tell | None = None) -> Compaction:
    """Archive old days by quarter, word for word. Search still finds their entries, with the same dates.

    Without --remove the originals stay and the archive holds copies. A day with a correction always stays.

    $ everself memory compact  # which days are older than 90 days, and where they would go
    $ everself memory compact --days 60 --apply  # copy days older than 60 days; the originals stay
    $ everself memory compact --apply --remove  # move them: the archive holds them, and nothing else does
    """
    days, remove = request.days, request.remove
    if remove and not request.apply:
        raise WrongUse("Nothing is removed that is not archived.", mend="everself memory compact --apply --remove")
    found = find_old_days(app.memory, days)
    if not request.apply:
        return Compaction(days, found.days, found.held)
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
    return Compaction(days, found.days, found.held, tuple(done), tuple(archives), tuple(changes), remove, applied=True)


def _quarters(days: Sequence[OldDay]) -> list[list[str]]:
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for one in days:
        part = 0
        while len(found[one.to, part]) >= _TOGETHER:
            part += 1
        found[one.to, part].append(one.path)
    return list(found.values())
