"""`everself memory index`, `rebuild` and `status`: how what is remembered can be found."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.errors import Interrupted, WrongUse
from everself.interfaces.cli.call import (
    agent_option,
    answer,
    json_option,
    opened,
    recovery_notices,
    say_error,
    show_lines,
    this_call,
)
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.parameters import huge_words
from everself.interfaces.cli.progress import progress
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.words import count_of, entries_of

if TYPE_CHECKING:
    from everself.operations.index import FullStatus, IndexHealth, IndexReport, Price


@click.command(
    "index",
    cls=Verb,
    examples=[
        ("everself memory index", "read what changed, and embed what has no vector yet"),
        ("everself memory index --force", "read every file again"),
    ],
)
@click.option("--force", is_flag=True, help="Read every file again, whatever its date says.")
@click.option("--yes", is_flag=True, help="Do not ask before a paid embedder is used.")
@agent_option
@json_option
def index(force: bool, yes: bool, agent: str) -> int:
    """Count what changed, and bring the index up to date, meaning included.

    Ctrl-C stops it at any moment; what was done stays done, and the next run goes on.
    """
    from everself.operations.index import Steps, update_index

    with (
        opened(agent) as app,
        progress("Counting") as counting,
        progress("Reading") as reading,
        progress("Embedding") as embedding,
    ):
        steps = Steps(reading, embedding, lambda price: yes or _agreed(price), counting)
        found = update_index(app, steps, force=force)
        notices = recovery_notices(app)
    return _say(found, notices)


@click.command(
    "rebuild",
    cls=Verb,
    examples=[("everself memory rebuild", "make the index anew from the files, beside the old one")],
)
@agent_option
@json_option
def rebuild(agent: str) -> int:
    """Make the index anew from the files; the old one serves meanwhile.

    Vectors of texts that did not change are kept.
    """
    from everself.operations.index import Steps, rebuild_index

    with opened(agent) as app, progress("Reading") as reading:
        found = rebuild_index(app, Steps(reading))
        notices = recovery_notices(app)
    return _say(found, notices)


def _agreed(price: "Price") -> bool:
    cost = "of unknown price" if price.dollars is None else f"about ${price.dollars:.4f}"
    words = f"{price.model}: {count_of(price.texts, 'text')}, about {price.tokens:,} tokens, {cost}"
    if this_call().json or not sys.stdin.isatty():
        raise WrongUse(f"Embedding costs money: {words}.", mend="everself memory index --yes")
    show_lines([words], err=True)
    return click.confirm("Embed them?", err=True)


def _say(found: "IndexReport", notices: list[str]) -> int:
    if found.interrupted:
        words = f"Nothing is lost. {_done(found)}"
        data = found if this_call().json else None
        return say_error(Interrupted(words, mend="everself memory index goes on"), as_json=this_call().json, data=data)
    notices = [*found.notices, *notices]
    if found.failure:
        notices.append(f"Not embedded: {found.failure}")
    if found.pending:
        notices.append(
            f"{count_of(found.pending, 'piece')} without a vector are found by keywords: everself memory index"
        )
    answer(found, [_done(found)], notices)
    return ExitCode.DEGRADED if found.failure or found.notices else ExitCode.DONE


def _done(found: "IndexReport") -> str:
    gone = f", {found.removed:,} gone" if found.removed else ""
    vectors = f", {found.embedded:,} embedded with {found.model}" if found.model else ""
    dropped = f", {count_of(found.dropped, 'vector')} of closed entries dropped" if found.dropped else ""
    return (
        f"{count_of(found.documents, 'document')} in {count_of(found.pieces, 'piece')}: "
        f"{found.read:,} read{gone}{vectors}{dropped}."
    )


@click.command(
    "status",
    cls=Verb,
    examples=[
        ("everself memory status", "how much is remembered, and how well it can be found"),
        ("everself memory status --deep", "check every row of the index, and that the embedder answers"),
    ],
)
@click.option("--deep", is_flag=True, help="Count all, check every row of the index, and that the embedder answers.")
@agent_option
@json_option
def status(deep: bool, agent: str) -> int:
    """Count what is remembered, tier by tier, and say how well it can be found.

    Where more changed than can be read in a moment, the answer is what was known before, and says so.
    """
    from everself.operations.index import memory_status

    with opened(agent) as app, progress("Checking") as tell:
        found = memory_status(app, deep=deep, progress=tell if deep else None)
        notices = recovery_notices(app)
    answer(found, [*_counted(found), *_uncounted(found), *_searchable(found.index)], notices)
    return ExitCode.DEGRADED if found.index.deep is not None and found.index.deep.failure else ExitCode.DONE


def _counted(found: "FullStatus") -> Iterator[str]:
    yield "Soul Memory Tiers:"
    for one in found.tiers:
        files = count_of(one.files, "file")
        held = f", {entries_of(one.entries)}" if one.tier != "T0" else ""
        yield f"  {one.tier} {one.name}: {files}{held}, {_size(one.bytes)}"
    known = f"{found.entries} known so far" if found.uncounted else f"{found.entries}"
    yield f"Entries: {known}" + (f", {found.elsewhere} of them in no tier" if found.elsewhere else "")
    counts = {
        "no longer hold": found.closed,
        "stale": found.stale,
        "not vouched for": found.unvouched,
        "in quarantine": found.quarantined,
    }
    yield "  " + ", ".join(f"{count} {words}" for words, count in counts.items())


def _uncounted(found: "FullStatus") -> Iterator[str]:
    if found.uncounted:
        command = "everself memory index" if found.index.enabled else "everself memory status --deep"
        words = "document is new or changed and is" if found.uncounted == 1 else "documents are new or changed and are"
        yield f"  {found.uncounted:,} {words} not counted yet → {command}"
    for path in found.huge:
        yield f"  {huge_words(path)} Split it into several files."


def _searchable(found: "IndexHealth") -> Iterator[str]:
    vectors = f", {found.embedded:,} with vectors of {found.model}" if found.model else ""
    held = f"{count_of(found.documents, 'document')} in {count_of(found.pieces, 'piece')}{vectors}, {_size(found.size)}"
    yield f"Search: {held if found.enabled else 'off'}"
    if found.deep is not None:
        yield f"  checked: {count_of(found.deep.rows, 'row')} and {count_of(found.deep.documents, 'file')}, all as they should be"
        if found.deep.dimensions:
            yield f"  the embedder answers: {found.deep.dimensions} numbers a text"
    for one in found.remarks:
        yield f"  {one.words}" + (f" → {one.mend}" if one.mend else "")


def _size(count: int) -> str:
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1_000_000:.1f} MB" if count >= 1_000_000 else f"{count / 1000:.1f} kB"
