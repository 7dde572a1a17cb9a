"""How `everself memory search`, `get` and `why` show what they found."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Final

from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.operations.search import Answer, Passage, Recalled
    from everself.runtime import Runtime
    from everself.storage.state.searches import SearchRecord

# of one hit: what shows what it is about; `get` shows the rest
_LINES = 6
_WIDE = 400
_LEFT_OUT = 20


def _catch_up(app: "Runtime") -> list[str]:
    from everself.operations.search import catch_up

    try:
        left = catch_up(app)
    except KeyboardInterrupt:
        # only the waiting is broken off: each batch was kept
        return []
    have = "chunk has" if left == 1 else "chunks have"
    return [f"{left:,} {have} no vector yet: everself memory index"] if left else []


def _found(found: "Answer", look: Look) -> Iterator[Line]:
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
        if "explain" in look.flags:
            yield from _explained(one)
    if found.messages:
        yield ""
        yield "In conversations:"
    for said in found.messages:
        yield f"    {said.at.date().isoformat()}  {said.session}  {said.role}"
        yield from (f"    {line}" for line in snippet(said.text))


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


def _passage(found: "Passage", _: Look) -> list[str]:
    return found.text.splitlines()


def _lines_of(found: "Passage") -> dict[str, object]:
    return {name: getattr(found, name) for name in ("citation", "path", "first_line", "last_line", "day", "text")}


def _why(found: "SearchRecord | tuple[SearchRecord, ...]", look: Look) -> Iterable[str]:
    if isinstance(found, tuple):
        return [_listed(one, look.zone) for one in found] or ["Nothing was searched for yet."]
    return _told(found, look.zone)


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


def _code(found: "Answer") -> ExitCode:
    if not found.hits and not found.messages:
        return ExitCode.NOT_FOUND
    return ExitCode.DEGRADED if found.degraded else ExitCode.DONE


_EXPLAIN: Final = ("explain", "Show what each score is made of.")
VIEWS: Final = {
    "memory.search": View(_found, code=_code, flags=(_EXPLAIN,), after=_catch_up),
    "memory.get": View(_passage, data=_lines_of),
    "memory.why": View(_why, notices=lambda _: ()),
}
