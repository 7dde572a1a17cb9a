"""`everself memory list` and `show`: what is remembered, and one entry in full."""

from collections.abc import Iterator
from datetime import date, tzinfo
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.parameters import DAY
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import entries_of

if TYPE_CHECKING:
    from everself.memory.selection import ListedEntry, Selection
    from everself.operations.entry_account import Account, Reckoning

_TIERS = {"T1": "T1", "T2": "T2", "core": "T1", "working": "T2"}
_TAGS = ("event", "knowledge", "skill", "decision", "correction")


class Filters(TypedDict):
    """The options of `list` as click hands them over."""

    tier: str | None
    tag: str | None
    source: str
    person: str
    project: str
    since: date | None
    until: date | None
    as_of: date | None
    min_confidence: float
    max_confidence: float
    path: str
    closed: bool
    everything: bool
    stale: bool
    unvouched: bool
    limit: int
    agent: str


@click.command(
    "list",
    cls=Verb,
    examples=[
        ("everself memory list --tag decision --since 2026-03-01", "what was decided since March"),
        ("everself memory list --as-of 2026-03-01", "what was believed on that day"),
        ("everself memory list --path quarantine", "what is kept apart until you have looked at it"),
    ],
)
@click.option("--tier", type=click.Choice(list(_TIERS), case_sensitive=False), help="Core (T1) or working (T2) memory.")
@click.option("--tag", type=click.Choice(_TAGS), help="Only entries with this tag.")
@click.option(
    "--source", metavar="SOURCE", default="", help="owner, person, hand, correction, agent, tool, web, import."
)
@click.option("--person", metavar="NAME", default="", help="Said by, about or belonging to this person.")
@click.option("--project", metavar="NAME", default="", help="Only entries of this project.")
@click.option("--since", type=DAY, help="Entries of this day and later.")
@click.option("--until", type=DAY, help="Entries of this day and earlier.")
@click.option("--as-of", type=DAY, help="What was believed on this day.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), default=0.0, help="At least this sure.")
@click.option("--max-confidence", type=click.FloatRange(0, 1), default=1.0, help="At most this sure.")
@click.option("--path", metavar="PATH", default="", help="Only this file or folder of the workspace.")
@click.option("--closed", is_flag=True, help="Only what no longer holds.")
@click.option("--all", "everything", is_flag=True, help="Closed, quarantined and transcripts too.")
@click.option("--stale", is_flag=True, help="Only what rests on something that no longer holds.")
@click.option("--unvouched", is_flag=True, help="Only what nobody vouches for.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many at most, the newest.")
@agent_option
@json_option
def list_command(**given: Unpack[Filters]) -> None:
    """List what is remembered, oldest first."""
    from everself.memory.selection import list_entries

    with opened(given["agent"]) as app:
        found = list_entries(app.memory, _selection(given, app.agent.workspace))
        notices = recovery_notices(app)
    left = len(found) - given["limit"]
    if left > 0:
        notices.append(f"{entries_of(left)} before these: --limit {len(found)}")
    shown = found[-given["limit"] :]
    answer(shown, [_line(one) for one in shown] or ["Nothing is remembered that fits."], notices)


def _selection(given: Filters, workspace: str) -> "Selection":
    from everself.memory.selection import Selection, Standing
    from everself.values import Tag, Tier

    standing = Standing.ANY if given["everything"] else Standing.CLOSED if given["closed"] else Standing.OPEN
    return Selection(
        tier=Tier(_TIERS[given["tier"]]) if given["tier"] else None,
        tag=Tag(given["tag"]) if given["tag"] else None,
        source=given["source"],
        person=given["person"],
        project=given["project"],
        since=given["since"],
        until=given["until"],
        as_of=given["as_of"],
        at_least=given["min_confidence"],
        at_most=given["max_confidence"],
        path=given["path"].removeprefix(f"{workspace}/").removeprefix("./"),
        standing=standing,
        stale=given["stale"],
        unvouched=given["unvouched"],
        aside=given["everything"],
    )


def _line(one: "ListedEntry") -> Line:
    from everself.text import one_line

    entry = one.entry
    marks = [f"#{entry.tag}" if entry.tag else "", "closed" if entry.closed else "", "stale" if one.stale else ""]
    said = " ".join(mark for mark in marks if mark)
    source = one_line(entry.source, 20) + ("" if entry.vouched or entry.source == "hand" else "?")
    head = f"  {entry.day or ''!s:<10}  {one.confidence:.2f}  {source:<10}"
    return paint(entry.id, "yellow") + f"{head}  {said:<11}  {one_line(entry.text, 72)}  ({one_line(one.citation, 60)})"


@click.command(
    "show",
    cls=Verb,
    examples=[("everself memory show 7K3QX9M2ABCD", "everything about one entry; the beginning of its id will do")],
)
@click.argument("identity", metavar="ID")
@agent_option
@json_option
def show(identity: str, agent: str) -> None:
    """Tell everything about one entry: its words, origin, confidence and history."""
    from everself.operations.entry_account import account_of

    with opened(agent) as app:
        found = account_of(app.memory, identity)
        notices = recovery_notices(app)
        zone = app.clock.zone
    answer(found, list(_told(found, zone)), notices)


def _told(found: "Account", zone: tzinfo) -> Iterator[str]:
    entry = found.entry
    yield f"entry {entry.id}"
    yield from (f"  {line}" for line in entry.text.splitlines())
    yield ""
    heading = f", under {' › '.join(entry.heading)}" if entry.heading else ""
    yield f"where       {found.citation}{heading}"
    mentioned = f", last mentioned {entry.seen}" if entry.seen != entry.day else ""
    yield f"day         {entry.day or 'unknown'}{' ' + entry.time if entry.time else ''}{mentioned}"
    if entry.tag or entry.category:
        yield f"kind        {' '.join(filter(None, [f'#{entry.tag}' if entry.tag else '', entry.category]))}"
    claim = f"; its comment says {entry.claimed}" if entry.claimed and entry.claimed != entry.source else ""
    yield f"source      {entry.source}, {'vouched for' if entry.vouched else f'not vouched for{claim}'}"
    yield f"trust       {found.trust}" + (": the weakest of what it rests on" if found.trust != entry.source else "")
    yield f"confidence  {_reckoned(found.confidence)}"
    yield f"holds       {_standing(found)}"
    for label, value in (("about", entry.who), ("project", entry.project)):
        if value:
            yield f"{label:<12}{value}"
    for at, one in enumerate(found.evidence):
        lead = "rests on" if at == 0 else ""
        words = f": {' '.join(one.text.split())[:60]}" if one.text else ""
        yield f"{lead:<12}{'  ' * (one.depth - 1)}{one.reference} ({one.source}){words}"
    if found.derived:
        yield f"from it     {', '.join(found.derived)}"
    for at, change in enumerate(found.changes):
        when = change.at.astimezone(zone).strftime("%Y-%m-%d %H:%M")
        words = "gone" if change.words is None else f'"{" ".join(change.words.split())[:60]}"'
        lead = "changes" if at == 0 else ""
        yield f"{lead:<12}{change.change}  {when}  {change.author}  {change.reason}  {words}"


def _reckoned(found: "Reckoning") -> str:
    steps = [f"{found.base:g} at first"]
    if found.gained:
        steps.append(f"+ {found.gained:g} for {found.mentions} mentions")
    if found.lost:
        steps.append(f"- {found.lost:g} for {found.days} days without one")
    total = found.base + found.gained - found.lost
    bound = ""
    if abs(total - found.result) > 1e-9:
        bound = f", kept {'above' if total < found.result else 'below'} {found.result:g}"
    return f"{found.result:.2f} = {' '.join(steps)}{bound}"


def _standing(found: "Account") -> str:
    entry = found.entry
    if entry.until is not None:
        return f"no, since {entry.until}" + (f", when {entry.closed_by} took its place" if entry.closed_by else "")
    if entry.struck:
        return "no: a line goes through it"
    return "doubtful: something it rests on no longer does" if found.stale else "yes"
