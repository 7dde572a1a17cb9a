"""Operations that explain a reply, and who taught a belief. They read receipts, lineage and the history of changes.

A receipt contains places and numbers; the texts are the current ones. Changes nothing: it names the commands that do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime
from itertools import takewhile
from typing import Annotated, Final

import re2

from everself.conversation.reflex.model import NAME as REFLEX
from everself.conversation.sessions.session import Message
from everself.errors import Damaged, NotFound, WrongUse
from everself.memory.corrections import PATH as CORRECTIONS
from everself.memory.corrections import sentence_of, trigger_of
from everself.memory.entries import read_document
from everself.memory.provenance import CORRECTION, DEEPEST
from everself.models.chat.protocol import JsonObject
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, Option, Request, Result, owner_reads
from everself.runtime import Runtime
from everself.text.normalise import fold
from everself.values import ChangeRecord, Entry, FileChange

# number of sessions to search for a reply
_SESSIONS: Final = 200
_CITED: Final = r"([^\s()（）「」“”]+)#L[0-9]+"
_NAMED: Final = r"\(([0-9A-Z]{12})\)"
# of an entry, what a reply quotes of it at least, however long it is
_QUOTED: Final = 200
_LAST: Final = "last"
# letters of an id, so that a word or a number names no reply by chance
_LEAST: Final = 4
# changes of one document that are looked through for the one that wrote an entry
_CHANGES: Final = 100_000
_MESSAGE: Final = "msg:"
_ENTRY: Final = "entry:"


class Basis(Result):
    """A memory that a reply is based on, with its current text; empty if it is gone."""

    place: str
    entry: str = ""
    text: str = ""
    source: str = ""
    holds: bool = True
    score: float = 0.0


class ReplyAccount(Result):
    """What a reply is based on. `asked` is the message before it, `done` what Everself did by itself, `wrote` the resulting entries.
    `receipt` was stored with the reply, empty if there is none. `message` is empty if there was no reply."""

    session: str
    message: str
    at: datetime
    model: str
    asked: str
    text: str
    why: str = "stop"
    based_on: tuple[Basis, ...] = ()
    done: tuple[str, ...] = ()
    wrote: tuple[Basis, ...] = ()
    receipt: JsonObject = field(default_factory=dict)


class Taught(Result):
    """The message that first taught something. `person` said it; empty for the owner."""

    session: str
    message: str
    at: datetime
    person: str
    text: str


class Lesson(Result):
    """A belief and the `change` that wrote it, which can be undone; empty if the history does not show it."""

    entry: str
    text: str
    place: str
    holds: bool
    change: str = ""
    at: datetime | None = None


class Origins(Result):
    """The origin of a belief. `path` goes from it to the first entry; `derived` are entries based on that one.

    `replaced` are entries that it replaced; `others` state something similar.
    """

    belief: Lesson
    first: Lesson
    taught: Taught | None
    path: tuple[str, ...] = ()
    derived: tuple[Lesson, ...] = ()
    replaced: tuple[Lesson, ...] = ()
    others: tuple[Lesson, ...] = ()


class WhyRequest(Request):
    reply: Annotated[str, Argument("The id of a reply, its beginning, or the id of an entry.", "[REPLY]")] = ""
    bisect: Annotated[str, Option("Who first taught this: an entry's id, or words of it.", "FACT")] = ""


@owner_reads("why", slash="/why")
def explain_reply(runtime: Runtime, caller: Caller, request: WhyRequest) -> ReplyAccount | Origins:
    """Show what a reply is based on, or with --bisect which message first taught a belief.

    $ everself why  # what the last reply rests on
    $ everself why --bisect "sister"  # which message first taught it, what came of it, and how to take it back
    """
    if request.bisect and not fold(request.bisect).strip():
        raise WrongUse("--bisect needs an entry's id, or words of it.", mend='everself why --bisect "sister"')
    if request.bisect:
        return origins_of(runtime, request.bisect)
    try:
        return account_of(runtime, request.reply, caller.session)
    except NotFound:
        # the id is that of an entry, so explain the entry
        if runtime.memory.catalog.find(request.reply.strip().upper()) is None:
            raise
        return origins_of(runtime, request.reply)


def account_of(app: Runtime, name: str = "", session: str = "") -> ReplyAccount:
    """Of the last reply, in this session where it has one, or of the one whose id begins so."""
    name = "" if name.casefold() == _LAST else name
    for one in dict.fromkeys([*filter(None, [session]), *(found.id for found in app.log.list(_SESSIONS))]):
        messages = app.log.messages(one)
        found = _named_reply(messages, name) if name else next(filter(_ends_turn, reversed(messages)), None)
        if found is not None:
            return _account(app, found, messages)
    if name:
        raise NotFound(f'reply "{name}".', mend="everself sessions show last")
    raise NotFound("a reply; the agent has answered nothing yet.", mend="everself chat")


def _ends_turn(said: Message) -> bool:
    """A reply ends a turn: what was said beside calls of tools does not. A message that got no reply is meant as the last one."""
    return said.role == "user" or (said.role == "assistant" and said.meta.get("why") != "tools")


def _named_reply(messages: Sequence[Message], name: str) -> Message | None:
    """The reply with this id. The id of the message before it, or of a call of a tool beside it, means the same reply."""
    named = [at for at, one in enumerate(messages) if one.id.startswith(name.upper())]
    if not named or len(name) < _LEAST:
        return None
    later = takewhile(lambda one: one.role != "user", messages[named[-1] + 1 :])
    said = [messages[named[-1]], *later]
    return next((one for one in said if one.role == "assistant" and _ends_turn(one)), said[0])


def _account(app: Runtime, found: Message, messages: Sequence[Message]) -> ReplyAccount:
    replied = found.role == "assistant"
    asked = next((one for one in reversed(messages) if one.role == "user" and one.seq <= found.seq), None)
    receipt = found.meta.get("receipt") or {}
    return ReplyAccount(
        session=found.session,
        message=found.id if replied else "",
        at=found.at,
        model=str(found.meta.get("model", "")),
        asked=asked.content if asked is not None else "",
        text=found.content if replied else "",
        why=str(found.meta.get("why", "stop")) if replied else "none",
        based_on=tuple(
            _quoted(app, found.content, receipt) if found.meta.get("model") == REFLEX else _bases(app, receipt)
        ),
        done=tuple(str(one) for one in found.meta.get("done", ())),
        wrote=tuple(_basis_of(one) for one in _taught_by(app, asked)) if asked is not None else (),
        receipt=receipt,
    )


def _taught_by(app: Runtime, asked: Message) -> list[Entry]:
    """The entries that result from a message."""
    catalog, reference = app.memory.catalog, f"{_MESSAGE}{asked.id}"
    catalog.refresh()
    # rows find candidates; the entry's lineage decides
    return [one for one in catalog.named(app.state.entries.naming(reference)).values() if reference in one.lineage]


def _quoted(app: Runtime, text: str, receipt: JsonObject) -> Iterator[Basis]:
    """The reflex reads no prompt: its reply rests on the entries that it quotes, with a citation or an id."""
    scores = {str(hit.get("entry")): float(hit.get("score", 0)) for hit in receipt.get("recalled", ())}
    said = fold(" ".join(text.split()))
    for path in dict.fromkeys(re2.findall(_CITED, text)):
        for entry in app.memory.catalog.of(path):
            if fold(" ".join(entry.text[:_QUOTED].split())) in said:
                yield _basis_of(entry, scores.get(entry.id, 0.0))
    yield from map(_basis_of, app.memory.catalog.named(re2.findall(_NAMED, text)).values())


def _bases(app: Runtime, receipt: JsonObject) -> Iterator[Basis]:
    recalled = receipt.get("recalled", ())
    known = app.memory.catalog.named([str(hit["entry"]) for hit in recalled if hit.get("entry")])
    for hit in recalled:
        first, last = hit.get("from"), hit.get("to")
        lines = "" if not first else f"#L{first}" + (f"-L{last}" if last and last > first else "")
        place, score = f"{hit.get('path', '')}{lines}", float(hit.get("score", 0))
        name = str(hit.get("entry") or "")
        if name in known:
            yield _basis_of(known[name], score)
        else:
            yield Basis(place, name, "" if name else _passage(app, hit), score=score)


def _passage(app: Runtime, hit: JsonObject) -> str:
    """The current lines of a document that belong to no entry."""
    path = str(hit.get("path", ""))
    found = app.workspace.find(path)
    lines = [] if found is None else found.data.decode("utf-8", "replace").splitlines()
    lines = lines[int(hit.get("from") or 1) - 1 : int(hit.get("to") or 0)]
    told = sentence_of(lines) if path == CORRECTIONS else ""
    return told or " ".join(lines).replace("**", "").removeprefix("- ")


def _basis_of(entry: Entry, score: float = 0.0) -> Basis:
    return Basis(entry.reference, entry.id, entry.text, entry.source, not entry.closed, score)


def origins_of(app: Runtime, fact: str) -> Origins:
    """The selected belief, traced back to the message that first taught it."""
    entries = app.memory.catalog.all()
    belief, others = _belief(app, fact, entries)
    known = {one.id: one for one in entries}
    path = _first(known, belief)
    first = path[-1]
    derived = [one for one in _derived(entries, first) if one.id != belief.id]
    return Origins(
        belief=_lesson(app, belief),
        first=_lesson(app, first),
        taught=_taught(app, first),
        path=tuple(one.id for one in path),
        derived=tuple(_lesson(app, one) for one in derived),
        replaced=tuple(_named(one) for one in entries if one.closed_by == first.id),
        others=tuple(_named(one) for one in others),
    )


def _belief(app: Runtime, fact: str, entries: Sequence[Entry]) -> tuple[Entry, list[Entry]]:
    """By id, by contained words, otherwise by search. Open entries come first."""
    named = app.memory.catalog.find(fact.strip().upper())
    if named is not None:
        return named, []
    wanted = fold(fact)
    found = [one for one in entries if wanted in fold(one.text)]
    if not found and app.agent.search.enabled:
        from everself.search.recall import RecallRequest

        hits = app.recall.search(RecallRequest(fact, recorded=False, counted=False)).hits
        named_by = app.memory.catalog.named([hit.entry for hit in hits if hit.entry and not hit.weak])
        found = [named_by[hit.entry] for hit in hits if hit.entry in named_by]
    if not found:
        raise NotFound(f"an entry that says “{fact}”.", mend="everself memory search WORDS")
    found.sort(key=lambda one: one.closed)
    return found[0], found[1:]


def _first(known: dict[str, Entry], belief: Entry) -> list[Entry]:
    """The path from a belief to the oldest entry that it is based on."""
    path = [belief]
    while len(path) <= DEEPEST:
        parents = [
            known[name]
            for one in path[-1].lineage
            if one.startswith(_ENTRY) and (name := one.removeprefix(_ENTRY)) in known and known[name] not in path
        ]
        if not parents:
            break
        path.append(min(parents, key=lambda one: (str(one.day or "9999"), one.time, one.id)))
    return path


def _derived(entries: Sequence[Entry], first: Entry) -> list[Entry]:
    """All entries that depend on it, directly or indirectly, in document order."""
    meant = {first.id}
    grown = True
    while grown:
        more = {one.id for one in entries if any(f"{_ENTRY}{name}" in one.lineage for name in meant)} - meant
        meant |= more
        grown = bool(more)
    return [one for one in entries if one.id in meant and one.id != first.id]


def _taught(app: Runtime, entry: Entry) -> Taught | None:
    said = [app.log.message(one.removeprefix(_MESSAGE)) for one in entry.lineage if one.startswith(_MESSAGE)]
    found = min((one for one in said if one is not None), key=lambda one: one.at, default=None)
    if found is None and entry.source == CORRECTION:
        found = _correcting_message(app, entry)
    return None if found is None else Taught(found.session, found.id, found.at, found.person, found.content)


def _correcting_message(app: Runtime, entry: Entry) -> Message | None:
    """A correction has no other evidence; its record quotes the owner's sentence, which is searched for in the messages."""
    record = app.workspace.find(CORRECTIONS)
    trigger = fold(trigger_of(record.data, entry.id)) if record is not None else ""
    found = app.log.search(trigger) if trigger.strip() else ()
    return next((one for one in reversed(found) if one.role == "user" and trigger in fold(one.content)), None)


def _named(entry: Entry) -> Lesson:
    return Lesson(entry.id, entry.text, entry.reference, not entry.closed)


def _lesson(app: Runtime, entry: Entry) -> Lesson:
    change = _born(app, entry)
    if change is None:
        return _named(entry)
    return Lesson(entry.id, entry.text, entry.reference, not entry.closed, change.id, change.at)


def _born(app: Runtime, entry: Entry) -> ChangeRecord | None:
    """The change that wrote the entry. Moves are followed to the previous document. If the entry existed before the first change, a person
    wrote it outside."""
    path = entry.path
    seen: set[str] = set()
    while path not in seen:
        seen.add(path)
        change, files = _first_change(app, path, entry.id)
        if change is None:
            return None
        before = next((one.path for one in files if _has(one.before, entry.id)), "")
        if not before:
            return change
        path = before
    return None


def _first_change(app: Runtime, path: str, identity: str) -> tuple[ChangeRecord | None, tuple[FileChange, ...]]:
    """The oldest change of a document after which it contained the entry, found by binary search: once added, an entry stays."""
    changes = app.workspace.changes(_CHANGES, path)
    low, high = 0, len(changes)
    found: tuple[FileChange, ...] = ()
    # newest first: changes before `low` contain it. A document that the entry moved out of no longer contains it.
    while low < len(changes) and not _after(app, changes[low], path, identity)[0]:
        low += 1
    if low == len(changes):
        return None, ()
    while low < high:
        middle = (low + high) // 2
        held, files = _after(app, changes[middle], path, identity)
        if held:
            low, found = middle + 1, files
        else:
            high = middle
    return (changes[low - 1], found) if low else (None, ())


def _after(app: Runtime, change: ChangeRecord, path: str, identity: str) -> tuple[bool, tuple[FileChange, ...]]:
    try:
        _, files = app.workspace.record(change.id)
    except (NotFound, Damaged):
        # the history may be off, shortened or damaged
        return False, ()
    return any(_has(one.after, identity) for one in files if one.path == path), files


def _has(data: bytes | None, identity: str) -> bool:
    return identity.encode() in (data or b"") and any(
        read.claim("id") == identity for read in read_document(data or b"")
    )
