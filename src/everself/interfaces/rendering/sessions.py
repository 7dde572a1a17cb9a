"""Output of `everself sessions` and `everself simulate-compaction`."""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, count_of, entries_of, minute, paint
from everself.interfaces.rendering.view import Look, View
from everself.operations.sessions import Deleted, Deletion, SessionLine, SessionView, Simulation, Spoken
from everself.text.normalise import one_line

_SHOWN: Final = 100
_FORGET: Final = "everself memory forget --session"
_FATES: Final = {
    "new": "would be kept",
    "mention": "is known, would count as said again",
    "kept": "is kept",
    "noted": "is noted",
    "quoted": "is noted; what the note leaves out would be added",
    "forgotten": "was forgotten, stays so",
    "undone": "was undone or deleted, stays so",
}


def _listed(found: tuple[SessionLine, ...], look: Look) -> Iterable[Line]:
    return [_session(one, look) for one in found] or ["Nothing was said yet."]


def _hits(found: tuple[Spoken, ...], look: Look) -> Iterable[Line]:
    return [line for one in found for line in _found(one, look)] or ["No message holds all of these words."]


def _session(one: SessionLine, look: Look) -> Line:
    who = f"{one.kind}/{one.person}" if one.person else one.kind
    told = f"  {minute(one.last_at, look.zone)}  {who}, {one.channel}, {count_of(one.messages, 'message')}"
    return paint(one.id, bold=True) + told + (", ended" if one.ended else "") + f"  {one.title}"


def _shown(view: SessionView, look: Look) -> Iterator[Line]:
    yield _session(view.session, look)
    if view.summarised:
        yield paint(f"{count_of(view.summarised, 'message')} went on as a summary:", dim=True)
        yield from (paint(f"  {line}", dim=True) for line in view.summary.splitlines())
    for one in view.messages:
        yield from _said(one, look)


def _said(one: Spoken, look: Look) -> Iterator[Line]:
    called = f"  calls {', '.join(one.calls)}" if one.calls else ""
    yield paint(f"{minute(one.at, look.zone)}  {one.person or one.role}", bold=True) + paint(
        f"  {one.id}{called}", dim=True
    )
    # what a tool returned is data; --json has all of it
    lines = [one_line(one.text, _SHOWN)] if one.role == "tool" else one.text.splitlines()
    yield from (f"  {line}" for line in lines)


def _found(one: Spoken, look: Look) -> Iterator[Line]:
    yield paint(f"{minute(one.at, look.zone)}  {one.person or one.role}", bold=True) + paint(
        f"  {one.session}", dim=True
    )
    yield f"  {one_line(one.text, _SHOWN)}"


def _deletion(plan: Deletion, look: Look) -> Iterator[Line]:
    done = isinstance(plan, Deleted)
    if done:
        yield f"Deleted {plan.session.id}."
    searches = "1 search" if plan.searches == 1 else f"{plan.searches} searches"
    yield f"What goes: {count_of(plan.messages, 'message')}, the transcript, {searches}."
    if plan.entries:
        yield f"What stays: {entries_of(plan.entries)} that came of it. To take these too: {_FORGET} {plan.session.id}"
    if not (done or look.asking):
        yield "Nothing was changed."


def _simulation(found: Simulation, look: Look) -> Iterator[Line]:
    yield _session(found.session, look)
    yield f"Of {count_of(found.dropped + found.kept, 'message')}, {found.kept} would stay and {found.dropped} become a summary."
    yield paint(
        "What you stated since the last checkpoint:" if found.statements else "You stated nothing new.", bold=True
    )
    yield from (f"  {_FATES[one.fate]}: {one.text}" for one in found.statements)
    if found.dropped:
        yield paint("The summary, without a model:", bold=True)
        yield from (f"  {line}" for line in found.summary.splitlines())
    yield f"Read completely in every turn: {', '.join(found.stands)}"


def _parsed(text: str) -> object:
    # not `splitlines`, which also splits at other characters that messages may contain
    return [json.loads(line) for line in text.split("\n") if line]


VIEWS: Final = {
    "sessions.list": View(_listed),
    "sessions.show": View(_shown),
    "sessions.search": View(_hits),
    "sessions.export": View(lambda text, _: text.splitlines(), data=_parsed, raw=lambda text: text.removesuffix("\n")),
    "sessions.delete": View(_deletion),
    "simulate-compaction": View(_simulation),
}
