"""`everself memory search`, `get` and `why`: what is found, the lines themselves, and how it came to be found."""

import sys
from collections.abc import Iterator, Sequence
from datetime import date, tzinfo
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from everself.cli.call import (
    agent_option,
    answer,
    count_of,
    json_option,
    opened,
    recovery_notices,
    show_notices,
    this_call,
)
from everself.cli.commands.memory.given import DAY
from everself.cli.exit_codes import ExitCode
from everself.cli.lines import Line, paint
from everself.cli.progress import progress
from everself.cli.shapes import Verb

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.store.searches import SearchRecord
    from everself.verbs.recalls import Answer, Recalled

_RANKINGS = ("default", "hybrid", "tfidf")
# of one hit: what shows what it is about; `get` shows the rest
_LINES = 6
_WIDE = 400
# seconds that a person waits without a word
A_WORD_AFTER = 1.0
_LEFT_OUT = 20


class Asked(TypedDict):
    """What `search` is given, as click hands it over."""

    query: tuple[str, ...]
    limit: int | None
    min_score: float | None
    budget: int | None
    as_of: date | None
    ranking: str | None
    session: str
    project: str
    explain: bool
    agent: str


@click.command(
    "search",
    cls=Verb,
    examples=[
        ("everself memory search tundra deadline", "by words and by meaning"),
        ('everself memory search "what did I decide about the logo" --explain', "with every part of every score"),
        ("everself memory search address --as-of 2026-03-01", "what held on that day"),
    ],
)
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), help="How many at most; 6 unless the settings say otherwise.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Leave out what scores less.")
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", help="As much as fits into so many tokens.")
@click.option("--as-of", type=DAY, help="Only what held on this day.")
@click.option("--ranking", type=click.Choice(_RANKINGS), help="The measured best, a plain sum, or TF-IDF.")
@click.option(
    "--session", metavar="KIND[/PERSON]", default="main", show_default=True, help="What such a session would find."
)
@click.option("--project", metavar="NAME", default="", help="This project's memory, and what belongs to none.")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@agent_option
@json_option
def search(**given: Unpack[Asked]) -> int:
    """Find what is remembered about something, best first, with citations.

    Nothing found is exit code 5; where something failed and less was searched, 6.
    """
    from everself.config.sections import Ranking
    from everself.recall.recall import Request
    from everself.verbs.recalls import scope_of, search_memory

    request = Request(
        " ".join(given["query"]),
        limit=given["limit"],
        min_score=given["min_score"],
        budget=given["budget"],
        scope=scope_of(given["session"], given["project"]),
        as_of=given["as_of"],
        ranking=Ranking(given["ranking"]) if given["ranking"] else None,
    )
    with opened(given["agent"]) as app:
        with progress("Reading", A_WORD_AFTER) as tell:
            found = search_memory(app, request, tell)
        answer(found, list(_found(found, explain=given["explain"])), [*found.notices, *recovery_notices(app)])
        # whoever asked has the answer; what follows is for the next one
        sys.stdout.flush()
        _catch_up(app)
    if not found.hits:
        return ExitCode.NOT_FOUND
    return ExitCode.DEGRADED if found.degraded else ExitCode.DONE


def _catch_up(app: "App") -> None:
    from everself.verbs.recalls import catch_up

    try:
        left = catch_up(app)
    except KeyboardInterrupt:
        # only the waiting is broken off: each batch was kept
        return
    if left and not this_call().json:
        have = "piece has" if left == 1 else "pieces have"
        show_notices([f"{left:,} {have} no vector yet: everself memory index"])


def _found(found: "Answer", *, explain: bool) -> Iterator[Line]:
    if not found.hits:
        yield "Nothing is remembered that fits."
    for at, one in enumerate(found.hits, 1):
        hit = one.hit
        ended = f"  {hit.ended}" if hit.ended else ""
        yield (
            f"{at:>2}  " + paint(f"{hit.score:.2f}", bold=True) + f"  {hit.day or '          '}  {one.citation}{ended}"
        )
        yield from (f"    {line}" for line in snippet(hit.text))
        if hit.also:
            yield f"    also in {', '.join(hit.also)}"
        if explain:
            yield from _explained(one)


def snippet(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    for line in lines[:_LINES]:
        yield line if len(line) <= _WIDE else f"{line[: _WIDE - 1]}…"
    if len(lines) > _LINES:
        yield f"… and {count_of(len(lines) - _LINES, 'line')} more"


def _explained(one: "Recalled") -> Iterator[str]:
    sums = [part for part in one.hit.parts if part.kind == "sum"]
    for part in sums:
        yield f"      {part.name:<20}{part.value:>+8.3f}"
    if len(sums) > 1:
        yield f"      {'sum':<20}{sum(part.value for part in sums):>8.3f}   bent to between 0 and 1"
    for part in one.hit.parts:
        if part.kind == "factor":
            yield f"      {part.name:<20}{'×' + format(part.value, '.3f'):>8}"
    yield f"      {'seed 1 weight':<20}{'×' + format(one.weight, '.3f'):>8}   what age alone would make of it"
    yield f"      {'score':<20}{one.hit.score:>8.3f}"


@click.command(
    "get",
    cls=Verb,
    examples=[
        ("everself memory get memory/2026-03-19.md#L3-L9", "the lines a search cited"),
        ("everself memory get MEMORY.md --from 10 --lines 20", "twenty lines"),
    ],
)
@click.argument("path")
@click.option("--from", "first", type=click.IntRange(1), metavar="LINE", help="The first line.")
@click.option("--lines", type=click.IntRange(1), metavar="COUNT", help="How many lines.")
@click.option(
    "--session", metavar="KIND[/PERSON]", default="main", show_default=True, help="What such a session would see."
)
@agent_option
@json_option
def get(path: str, first: int | None, lines: int | None, session: str, agent: str) -> None:
    """Show lines of a document that search can find, by path or citation."""
    from everself.verbs.recalls import get_lines, scope_of

    with opened(agent) as app:
        found = get_lines(app, path, scope_of(session), first=first, lines=lines)
        notices = recovery_notices(app)
    answer(found, found.text.splitlines(), notices)


@click.command(
    "why",
    cls=Verb,
    examples=[
        ("everself memory why", "what the last search recalled, and what it left out"),
        ("everself memory why tundra", "the newest search for these words"),
        ("everself memory why --list", "the searches of late"),
    ],
)
@click.argument("search", metavar="[ID|QUERY|last]", required=False, default="")
@click.option("--list", "listing", is_flag=True, help="List the newest searches.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many to list.")
@agent_option
@json_option
def why(search: str, listing: bool, limit: int, agent: str) -> None:
    """Tell what a search recalled, what it cost, and what was left out and why."""
    from everself.verbs.recalls import explain_search, list_searches

    with opened(agent) as app:
        zone = app.clock.zone
        if listing:
            found = list_searches(app, limit, "" if search == "last" else search)
            lines = [_listed(one, zone) for one in found] or ["Nothing was searched for yet."]
            answer(found, lines, recovery_notices(app))
            return
        record = explain_search(app, search or "last")
        notices = recovery_notices(app)
    answer(record, list(_told(record, zone)), notices)


def _when(record: "SearchRecord", zone: tzinfo) -> str:
    return record.at.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def _listed(record: "SearchRecord", zone: tzinfo) -> str:
    from everself.text import one_line

    who = f"{record.session_kind}{'/' + record.person if record.person else ''}"
    return f"{record.id}  {_when(record, zone)}  {who:<10}  {record.tokens:>6} tokens  {one_line(record.query, 72)}"


def _told(record: "SearchRecord", zone: tzinfo) -> Iterator[str]:
    who = f"{record.session_kind}{'/' + record.person if record.person else ''} session {record.session}".rstrip()
    yield f"search {record.id}"
    yield f"  {record.query}"
    yield f"asked       {_when(record, zone)}, {who}"
    meaning = "keywords alone" if record.provider in ("", "keywords") else f"keywords and meaning of {record.provider}"
    yield f"ranking     {record.mode}, by {meaning}"
    yield f"recalled    {count_of(len(record.hits), 'hit')}, {count_of(record.tokens, 'token')}"
    for at, hit in enumerate(record.hits, 1):
        last = f"-L{hit.last_line}" if hit.last_line > hit.first_line else ""
        yield f"{at:>2}  {hit.score:.2f}  {hit.path}#L{hit.first_line}{last}{'  ' + hit.entry if hit.entry else ''}"
        yield "      " + ", ".join(f"{name} {value:.2f}" for name, value in hit.parts)
    if record.left_out:
        yield "left out"
        yield from _left_out(record)
    for at, notice in enumerate(record.notices):
        yield f"{'noticed' if at == 0 else '':<12}{notice}"


def _left_out(record: "SearchRecord") -> Sequence[str]:
    shown = record.left_out[:_LEFT_OUT]
    return [f"      {one.reason}: {one.path}{' ' + one.entry if one.entry else ''}" for one in shown]
