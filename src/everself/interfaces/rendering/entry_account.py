"""Output of `everself memory list` and `show`."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final

from everself.interfaces.rendering.lines import Line, day_words, minute, paint
from everself.interfaces.rendering.view import Look, View
from everself.memory.selection import ListedEntry
from everself.operations.entry_account import Account, Listing, Reckoning
from everself.text.normalise import one_line

_HEADER: Final = f"{'ID':<12}  {'DAY':<11}  SURE  {'SOURCE':<10}  {'KIND':<11}  WHAT  (WHERE)"


def _listed(found: Listing, look: Look) -> Iterable[Line]:
    if not found.entries:
        return ["No entry matches."]
    if look.chat:
        return [_brief(one, verbose="verbose" in look.flags) for one in found.entries]
    return [paint(_HEADER, bold=True), *(_line(one, found.today) for one in found.entries)]


def _earlier(found: Listing) -> list[str]:
    return [f"There are more before these: --before {found.before}"] if found.before else []


def _brief(one: ListedEntry, *, verbose: bool) -> Line:
    place = f"  ({one_line(one.citation, 100)})" if verbose else ""
    return f"{one.entry.id}  {one_line(one.entry.text.replace('**', ''), 100)}{place}"


def _line(one: ListedEntry, today: date) -> Line:
    entry = one.entry
    marks = [f"#{entry.tag}" if entry.tag else "", "closed" if entry.closed else "", "stale" if one.stale else ""]
    said = " ".join(mark for mark in marks if mark)
    source = one_line(entry.source, 20) + ("" if entry.vouched or entry.source == "hand" else "?")
    head = f"  {day_words(entry.day, today):<11}  {one.confidence:.2f}  {source:<10}"
    return paint(entry.id, "yellow") + f"{head}  {said:<11}  {one_line(entry.text, 72)}  ({one_line(one.citation, 60)})"


def _told(found: Account, look: Look) -> Iterator[str]:
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
    yield f"confidence  {reckoned(found.confidence)}"
    yield f"holds       {standing(found)}"
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
        words = "gone" if change.words is None else f'"{" ".join(change.words.split())[:60]}"'
        lead = "changes" if at == 0 else ""
        yield f"{lead:<12}{change.change}  {minute(change.at, look.zone)}  {change.author}  {change.reason}  {words}"


def reckoned(found: Reckoning) -> str:
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


def standing(found: Account) -> str:
    entry = found.entry
    if entry.until is not None:
        return f"no, since {entry.until}" + (f", when {entry.closed_by} took its place" if entry.closed_by else "")
    if entry.struck:
        return "no: a line goes through it"
    return "doubtful: something it rests on no longer does" if found.stale else "yes"


VIEWS: Final = {
    "memory.list": View(_listed, data=lambda found: found.entries, notices=_earlier),
    "memory.show": View(_told),
}
