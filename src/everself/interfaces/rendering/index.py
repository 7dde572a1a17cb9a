"""Output of `everself memory index`, `rebuild` and `status`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.errors import Interrupted
from everself.interfaces.rendering.entries import huge_words
from everself.interfaces.rendering.lines import count_of, entries_of
from everself.interfaces.rendering.view import ExitCode, Look, View, degraded_if
from everself.operations.index import FullStatus, IndexHealth, IndexReport, Price


def _lines(found: IndexReport | Price, _: Look) -> Iterable[str]:
    if isinstance(found, Price):
        cost = "of unknown price" if found.dollars is None else f"about ${found.dollars:.4f}"
        return [f"{found.model}: {count_of(found.texts, 'text')}, about {found.tokens:,} tokens, {cost}."]
    return [_done(found)]


def _error(found: IndexReport) -> Interrupted | None:
    words = f"Nothing is lost. {_done(found)}"
    return Interrupted(words, mend="everself memory index goes on") if found.interrupted else None


def _notices(found: IndexReport) -> Iterator[str]:
    yield from found.notices
    if found.failure:
        yield f"Not embedded: {found.failure}"
    if found.better_pending and not found.failure:
        yield (
            f"{count_of(found.better_pending, 'chunk')} wait for the better model, which works in idle time: "
            "everself memory index --better"
        )
    if found.pending:
        yield f"{count_of(found.pending, 'chunk')} without a vector are found by keywords: everself memory index"


def _code(found: IndexReport) -> ExitCode:
    if found.interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.DEGRADED if found.failure or found.notices else ExitCode.DONE


def _done(found: IndexReport) -> str:
    gone = f", {found.removed:,} gone" if found.removed else ""
    vectors = f", {found.embedded:,} embedded with {found.model}" if found.model else ""
    dropped = f", {count_of(found.dropped, 'vector')} of closed entries dropped" if found.dropped else ""
    return (
        f"{count_of(found.documents, 'document')} in {count_of(found.pieces, 'chunk')}: "
        f"{found.read:,} read{gone}{vectors}{dropped}."
    )


def _status(found: FullStatus, _: Look) -> Iterable[str]:
    return [*_counted(found), *_uncounted(found), *_searchable(found.index)]


def _counted(found: FullStatus) -> Iterator[str]:
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


def _uncounted(found: FullStatus) -> Iterator[str]:
    if found.uncounted:
        command = "everself memory index" if found.index.enabled else "everself memory status --deep"
        words = "document is new or changed and is" if found.uncounted == 1 else "documents are new or changed and are"
        yield f"  {found.uncounted:,} {words} not counted yet → {command}"
    for path in found.huge:
        yield f"  {huge_words(path)} Split it into several files."


def _searchable(found: IndexHealth) -> Iterator[str]:
    vectors = f", {found.embedded:,} with vectors of {found.model}" if found.model else ""
    held = f"{count_of(found.documents, 'document')} in {count_of(found.pieces, 'chunk')}{vectors}, {_size(found.size)}"
    yield f"Search: {held if found.enabled else 'off'}"
    if found.better_model and found.enabled:
        done = "all" if found.better_embedded >= found.pieces else f"{found.better_embedded:,} of {found.pieces:,}"
        rest = (
            "" if done == "all" else "; it goes on while a chat or the gateway is idle → everself memory index --better"
        )
        yield f"  better vectors of {found.better_model}: {done}{rest}"
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


_INDEXED: Final = View(_lines, code=_code, notices=_notices, error=_error, details=lambda _: ())
VIEWS: Final = {
    "memory.index": _INDEXED,
    "memory.rebuild": _INDEXED,
    "memory.status": View(
        _status, code=degraded_if(lambda found: found.index.deep is not None and found.index.deep.failure)
    ),
}
