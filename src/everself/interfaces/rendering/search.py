"""Output of `everself memory search`, `get` and `why`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Final

from everself.interfaces.rendering.lines import Line, count_of, minute, paint
from everself.interfaces.rendering.view import ExitCode, Look, View
from everself.memory.corrections import PATH as CORRECTIONS
from everself.memory.corrections import sentence_of
from everself.operations.search import catch_up
from everself.runtime import Runtime
from everself.search.recall import SearchResult
from everself.storage.state.searches import SearchRecord
from everself.text.normalise import one_line
from everself.text.search import TermKind, index_terms, read_query
from everself.values import Hit

# reasons besides the words, by the name of their part of the score (search/_features.py, search/_plain_ranking.py)
_WHY: Final = {
    "it means something close": (
        *("meaning", "meaning_lead", "meaning_apart", "meaning_alone", "nearest", "nearest_alone", "part"),
        "vector",
    ),
    "it follows a question with these words": ("answers",),
    "a named person says it": ("speaker",),
    "it tells a time, which was asked for": ("when",),
    "it is of the time that was asked for": ("date",),
}
_FACTORS: Final = {
    "exact": "it holds exactly what was asked for",
    "correction": "raised, because you corrected it",
    "closed": "lowered, because it no longer holds",
    "holds instead": "raised, because it holds instead of one that would come before it",
    "told above": "lowered, because the entry above says the same",
    "age": "lowered, because it is old",
}
# compared with the strongest reason, and for factors with one
_WORTH: Final = 0.3
_NOTABLE: Final = 0.01
# the part of a hit that is shown; `get` shows the rest
_LINES = 6
_WIDE = 400
_LEFT_OUT = 20


def _catch_up(app: Runtime) -> list[str]:
    try:
        left = catch_up(app)
    except KeyboardInterrupt:
        # only the waiting ends; finished batches are stored
        return []
    have = "chunk has" if left == 1 else "chunks have"
    return [f"{left:,} {have} no vector yet: everself memory index"] if left else []


def _found(found: SearchResult, look: Look) -> Iterator[Line]:
    if not found.hits:
        yield "No entry matches."
    elif all(hit.weak for hit in found.hits):
        yield "Nothing fits well. What comes nearest:"
    for at, (hit, weight) in enumerate(zip(found.hits, found.weights, strict=True), 1):
        ended = f"  {hit.mark}" if hit.mark else ""
        weak = "  weak" if hit.weak else ""
        where = f"  {hit.day or '          '}  {hit.reference}{weak}{ended}"
        yield f"{at:>2}  " + paint(f"{hit.score:.2f}", bold=True) + where
        yield from (f"    {line}" for line in snippet(_words(hit)))
        if hit.also:
            yield f"    also in {', '.join(hit.also)}"
        if "explain" in look.flags:
            yield f"    → {reasons(hit, found.query)}"
            if "verbose" in look.flags:
                yield from _explained(hit, weight)
    if found.messages:
        yield ""
        yield "In conversations:"
    for said in found.messages:
        yield f"    {said.at.date().isoformat()}  {said.session}  {said.role}"
        yield from (f"    {line}" for line in snippet(said.text))


def _data(found: SearchResult) -> dict[str, object]:
    names = ("query", "id", "ranking", "provider", "tokens", "hits", "left_out", "notices", "degraded", "messages")
    weighed = zip(found.hits, found.weights, strict=True)
    hits = [{"citation": hit.reference, "weight": weight, "hit": hit} for hit, weight in weighed]
    return {name: getattr(found, name) for name in names} | {"hits": hits}


def _words(hit: Hit) -> str:
    """The words of a hit; of the record of a correction what it says, without its bookkeeping."""
    return (sentence_of(hit.text.splitlines()) if hit.path == CORRECTIONS else "") or hit.text


def snippet(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    for line in lines[:_LINES]:
        yield line if len(line) <= _WIDE else f"{line[: _WIDE - 1]}…"
    if len(lines) > _LINES:
        yield f"… and {count_of(len(lines) - _LINES, 'line')} more"


def reasons(hit: Hit, query: str) -> str:
    """Why it was found, and what raised or lowered it. In words; the numbers are another flag's."""
    shared = _shared(query, hit.text)
    said = [f"it says {', '.join(f'“{word}”' for word in shared)}"] if shared else []
    return _in_words(said, {part.name: part.value for part in hit.parts})


def _in_words(said: list[str], parts: Mapping[str, float]) -> str:
    weights = {reason: sum(parts.get(name, 0.0) for name in names) for reason, names in _WHY.items()}
    most = max(weights.values(), default=0.0)
    found = [*said, *(reason for reason, weight in weights.items() if weight > 0 and weight >= _WORTH * most)]
    more = [words for name, words in _FACTORS.items() if abs(parts.get(name, 1.0) - 1) > _NOTABLE]
    return "; ".join([f"found because {' and '.join(found or ['words of the query stand near it'])}", *more])


def _shared(query: str, text: str) -> list[str]:
    """The words of the query that appear in the text, in any form."""
    held = index_terms(text).counts
    asked = [one for one in read_query(query).terms if one.kind is not TermKind.STOP]
    return list(dict.fromkeys(one.surface for one in asked if any(form in held for form in one.alternatives)))


def _explained(hit: Hit, weight: float) -> Iterator[str]:
    sums = [part for part in hit.parts if part.kind == "sum"]
    for part in sums:
        yield f"      {part.name:<20}{part.value:>+8.3f}"
    if len(sums) > 1:
        yield f"      {'sum':<20}{sum(part.value for part in sums):>8.3f}   bent to between 0 and 1"
    for part in hit.parts:
        if part.kind == "factor":
            yield f"      {part.name:<20}{'×' + format(part.value, '.3f'):>8}"
    yield f"      {'seed 1 weight':<20}{'×' + format(weight, '.3f'):>8}   what age alone would make of it"
    yield f"      {'score':<20}{hit.score:>8.3f}"


def _passage(found: Hit, _: Look) -> list[str]:
    return found.text.splitlines()


def _lines_of(found: Hit) -> dict[str, object]:
    fields = {name: getattr(found, name) for name in ("path", "first_line", "last_line", "day", "text")}
    return {"citation": found.reference} | fields


def _why(found: SearchRecord | tuple[SearchRecord, ...], look: Look) -> Iterable[str]:
    if isinstance(found, tuple):
        return [_listed(one, look.zone) for one in found] or ["Nothing was searched for yet."]
    return _told(found, look)


def _listed(record: SearchRecord, zone: tzinfo) -> str:
    who = f"{record.session_kind}{'/' + record.person if record.person else ''}"
    return f"{record.id}  {minute(record.at, zone)}  {who:<10}  {record.tokens:>6} tokens  {one_line(record.query, 72)}"


def _told(record: SearchRecord, look: Look) -> Iterator[str]:
    who = f"{record.session_kind}{'/' + record.person if record.person else ''} session {record.session}".rstrip()
    yield f"search {record.id}"
    yield f"  {record.query}"
    yield f"asked       {minute(record.at, look.zone)}, {who}"
    meaning = "keywords alone" if record.provider in ("", "keywords") else f"keywords and meaning of {record.provider}"
    yield f"ranking     {record.mode}, by {meaning}"
    yield f"recalled    {count_of(len(record.hits), 'hit')}, {count_of(record.tokens, 'token')}"
    for at, hit in enumerate(record.hits, 1):
        last = f"-L{hit.last_line}" if hit.last_line > hit.first_line else ""
        yield f"{at:>2}  {hit.score:.2f}  {hit.path}#L{hit.first_line}{last}{'  ' + hit.entry if hit.entry else ''}"
        yield f"      {_in_words([], dict(hit.parts))}"
        if "verbose" in look.flags:
            yield "      " + ", ".join(f"{name} {value:.2f}" for name, value in hit.parts)
    if record.left_out:
        yield "left out"
        yield from _left_out(record)
    for at, notice in enumerate(record.notices):
        yield f"{'noticed' if at == 0 else '':<12}{notice}"


def _left_out(record: SearchRecord) -> Sequence[str]:
    shown = record.left_out[:_LEFT_OUT]
    return [f"      {one.reason}: {one.path}{' ' + one.entry if one.entry else ''}" for one in shown]


def _code(found: SearchResult) -> ExitCode:
    if not found.hits and not found.messages:
        return ExitCode.NOT_FOUND
    return ExitCode.DEGRADED if found.degraded else ExitCode.DONE


_EXPLAIN: Final = (("explain", "Say why each was found."), ("verbose", "With --explain: what each score is made of."))
VIEWS: Final = {
    "memory.search": View(_found, code=_code, data=_data, flags=_EXPLAIN, after=_catch_up),
    "memory.get": View(_passage, data=_lines_of),
    "memory.why": View(_why, notices=lambda _: (), flags=(("verbose", "Show what each score is made of."),)),
}
