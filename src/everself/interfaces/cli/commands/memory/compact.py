"""`everself memory compact`: old days into the archives of their quarters."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.progress import progress
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.words import count_of, entries_of

if TYPE_CHECKING:
    from everself.operations.compaction import Compaction

# seconds that a person waits without a word
_A_WORD_AFTER = 1.0
_SHOWN = 20


@click.command(
    "compact",
    cls=Verb,
    examples=[
        ("everself memory compact", "which days are older than 90 days, and where they would go"),
        ("everself memory compact --days 60 --apply", "copy days older than 60 days; the originals stay"),
        ("everself memory compact --apply --remove", "move them: the archive holds them, and nothing else does"),
    ],
)
@click.option(
    "--days", type=click.IntRange(1, 36_500), default=90, show_default=True, help="The age that counts as old."
)
@click.option("--apply", is_flag=True, help="Put them into memory/archive/, one file for each quarter.")
@click.option("--remove", is_flag=True, help="Remove each original in the same change that archives it.")
@agent_option
@json_option
def compact(days: int, apply: bool, remove: bool, agent: str) -> int:
    """Archive old days by quarter, word for word; what they hold is found as before, with the same dates.

    Without --remove the originals stay and the archive holds copies. A day that holds a correction always stays.
    """
    from everself.operations.compaction import compact_memory

    with opened(agent) as app, progress("Archiving", _A_WORD_AFTER) as tell:
        found = compact_memory(app, days, apply=apply, remove=remove, tell=tell)
        notices = recovery_notices(app)
    notices += [f"{one.path} stays: {one.why}." for one in found.held[:_SHOWN]]
    if not apply:
        notices += ["Nothing was changed: --apply copies them, --apply --remove moves them."] if found.days else []
        answer(found, list(_listed(found)) or [f"No day is older than {count_of(days, 'day')}."], notices)
        return ExitCode.DONE
    answer(found, list(_told(found)), notices)
    return ExitCode.DONE


def _listed(found: "Compaction") -> Iterator[str]:
    for one in found.days[:_SHOWN]:
        yield f"{one.path}  {entries_of(one.entries)}  → {one.to}{'  copied already' if one.copied else ''}"
    if len(found.days) > _SHOWN:
        yield f"and {len(found.days) - _SHOWN} more."
    for archive, count in sorted(Counter(one.to for one in found.days).items()):
        yield f"{archive}: {count_of(count, 'day')}"


def _told(found: "Compaction") -> Iterator[str]:
    if not found.changes:
        yield "Nothing was left to do."
        return
    did = "Moved" if found.removed else "Copied"
    yield f"{did} {count_of(len(found.done), 'day')} to {', '.join(found.archives[:_SHOWN])}."
    named = f"change {found.changes[0]}" if len(found.changes) == 1 else f"{len(found.changes)} changes"
    yield f"It is {named}, told in COMPACTION_LOG.md."
