"""`everself memory promote`: what deserves the curated core, why, and moving it there."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from everself.errors import WrongUse
from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.progress import progress
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import count_of, entries_of

if TYPE_CHECKING:
    from everself.operations.promotion import Promoted, Proposed

# seconds that a person waits without a word
_A_WORD_AFTER = 1.0
_WIDE = 400
_MAY = {"free": "", "confirm": "  a hand wrote it: promoting makes it yours", "held": "  from outside: only by its id"}


class Given(TypedDict):
    """The options of `promote` as click hands them over."""

    identities: tuple[str, ...]
    days: int
    min_confidence: float | None
    frequency: bool
    apply: bool
    target: str
    review: bool
    agent: str


@click.command(
    "promote",
    cls=Verb,
    examples=[
        ("everself memory promote", "what of the last week deserves to stay, and why"),
        ("everself memory promote --days 30 --min-confidence 0.6", "of the last month, only what is clear"),
        ("everself memory promote --apply", "move all of it, as one change that undo takes back"),
        ("everself memory promote 7K3QX9M2ABCD --apply --target memory/legal.md", "one entry, to a file you name"),
    ],
)
@click.argument("identities", metavar="[ID]...", nargs=-1)
@click.option("--days", type=click.IntRange(1, 36_500), default=7, show_default=True, help="How far to look back.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), help="Leave out what is less sure; 0.4 unless set.")
@click.option("--frequency", is_flag=True, help="Only what was found again and again, in several sessions.")
@click.option("--apply", is_flag=True, help="Move them out of the days into the curated core.")
@click.option(
    "--target", metavar="PATH", default="", help="A file of core memory to move to, instead of each kind's own."
)
@click.option("--review", is_flag=True, help="Ask about each in `everself review` instead, as the weekly job does.")
@agent_option
@json_option
def promote(**given: Unpack[Given]) -> int:
    """Show what deserves the curated core, with the reasons; move it with --apply.

    Without an ID these are entries of the last days by what they say, and those that are found again and again.
    """
    from everself.operations.promotion import Promoted, Wanted, find_candidates
    from everself.operations.promotion import promote as move

    if given["review"]:
        return _ask(given)
    with opened(given["agent"]) as app, progress("Reading", _A_WORD_AFTER) as tell:
        wanted = Wanted(
            given["days"],
            given["min_confidence"],
            given["frequency"],
            given["target"].removeprefix(f"{app.agent.workspace}/").removeprefix("./"),
            given["identities"],
        )
        # whoever is not at a terminal may be a program that the agent started
        present = sys.stdin.isatty()
        found = (
            move(app, wanted, tell, present=present) if given["apply"] else Promoted(find_candidates(app, wanted, tell))
        )
        notices = recovery_notices(app)
    if given["apply"]:
        answer(found, list(_done(found)), [*notices, *(f"{one.entry} stays: {one.reason}" for one in found.left)])
        return ExitCode.DEGRADED if found.left else ExitCode.DONE
    if found.candidates:
        notices.append("Nothing was moved: --apply does.")
    answer(found, list(_listed(found)) or ["Nothing stands out."], notices)
    return ExitCode.DONE


def _ask(given: Given) -> int:
    from everself.operations.promotion import review_week

    if given["apply"] or given["identities"] or given["target"]:
        raise WrongUse("--review asks about the week and moves nothing.", mend="everself memory promote --review")
    with opened(given["agent"]) as app, progress("Reading", _A_WORD_AFTER) as tell:
        made = review_week(app, tell)
        notices = [*made.notes, *recovery_notices(app)]
    said = f"{count_of(len(made.queued), 'question')} for you: everself review" if made.queued else "Nothing new."
    answer(made, [said], notices)
    return ExitCode.DONE


def _listed(found: "Promoted") -> Iterator[Line]:
    for one in found.candidates:
        sure = paint(f"{one.confidence:.0%}", bold=True)
        yield f"{one.entry}  " + sure + f"  {one.category}  {one.citation} → {one.target}{_MAY[one.may]}"
        yield f"    {_short(one)}"
        yield f"    because {'; '.join(one.reasons) or 'you named it'}"


def _short(one: "Proposed") -> str:
    text = " ".join(one.text.split())
    more = f" (with {entries_of(len(one.along))} of its section)" if one.along else ""
    return (text if len(text) <= _WIDE else f"{text[:_WIDE]}…") + more


def _done(found: "Promoted") -> Iterator[Line]:
    for one in found.moved:
        along = f", with {entries_of(len(one.along))} of its section" if one.along else ""
        yours = ", now yours" if one.confirmed else ""
        yield f"{one.entry}  {one.source} → {one.target}{along}{yours}"
    if found.change:
        yield f"Promoted {entries_of(len(found.moved))} as change {found.change}."
    else:
        yield "Nothing was moved."
