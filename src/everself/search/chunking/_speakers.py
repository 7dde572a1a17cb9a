"""Finds the speaker of each line in a conversation. Knows nothing of chunks or ranking.

`**Anna:** hello` is a turn, while `**Status:** done` looks the same and is a record. A name is a speaker if it is a known role, or if it
recurs as in a conversation and is not a label of records.
"""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from everself.memory.entries import ParsedEntry
from everself.search.chunking._splits import fences
from everself.text.patterns import compiled

_LONGEST_LABEL = 200
_MOST_WORDS = 4
_ITEM = "item"


class Turn(NamedTuple):
    """The start of a turn, the start of its words, and the speaker."""

    start: int
    said: int
    speaker: str


class _Candidate(NamedTuple):
    turn: Turn
    read: int
    # `**Name:**` or `[14:03] Name:`, not just `Name:`
    marked: bool
    item: bool


Heading = tuple[str, ...]


def find_turns(data: bytes, reads: Sequence[ParsedEntry]) -> dict[int, list[Turn]]:
    """The turns of each entry by ordinal; entries without turns are absent. An entry between two turns continues the first one."""
    found = _candidates(data, reads)
    if len(found) < 2:
        return {}
    speak = _speakers(found, reads)
    turns: dict[int, list[Turn]] = defaultdict(list)
    for one in found:
        if one.turn.speaker in speak[reads[one.read].heading]:
            turns[one.read].append(one.turn)
    return _continued(turns, reads) if sum(map(len, turns.values())) > 1 else {}


def without_speaker(text: str, speaker: str) -> str:
    """The words of a turn without the speaker's name."""
    length = _label_length(text[:_LONGEST_LABEL], speaker) if speaker else 0
    return text[length:].lstrip() if length else text


@lru_cache(maxsize=1024)
def _label_length(begin: str, speaker: str) -> int:
    """Cached, because each turn is read twice: for its terms and for embedding."""
    head = begin.encode()
    found = _label().match(head)
    label = head[: found.end()] if found is not None else b""
    return len(label.decode()) if label and _name(label)[0] == speaker else 0


def _candidates(data: bytes, reads: Sequence[ParsedEntry]) -> list[_Candidate]:
    """Every line that may begin a turn, outside fenced code."""
    found: list[_Candidate] = []
    order = 0
    fenced: list[tuple[int, int]] | None = None
    for match in _label().finditer(data):
        first, said = match.span()
        name, marked, offset = _name(data[first:said])
        if not name:
            continue
        at = first + offset
        while order < len(reads) and reads[order].words[1] <= at:
            order += 1
            fenced = None
        if order == len(reads):
            break
        begin, end = reads[order].words[:2]
        if at < begin:
            continue
        if fenced is None:
            fenced = fences(data, begin, end)
        if (inside := bisect(fenced, (at + 1,))) and at < fenced[inside - 1][1]:
            continue
        turn = Turn(max(begin, first), min(end, said), name)
        found.append(_Candidate(turn, order, marked, reads[order].kind == _ITEM))
    return found


@cache
def _label() -> Any:
    moment = r"[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?:[ \t]?[AaPp]\.?[Mm]\.?)?"
    bracketed = r"[(\[][^)\]\n]{1,30}[)\]]"
    before = rf"(\[[^\]\n]{{3,30}}\][ \t]*|(?:[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T, \t]+)?{moment}[ \t]*[-–—|]?[ \t]*)?"
    marked = (
        rf"\*{{1,3}}(?:\[[^\]\n]{{3,30}}\][ \t]*)?([^*\n:：(\[]{{1,60}})(?:{bracketed}[ \t]*)?"
        rf"(?:[:：][ \t]*\*{{1,3}}|\*{{1,3}}[ \t]*(?:{bracketed}[ \t]*)?[:：])"
    )
    plain = rf"(\pL[^\n:：*`|<>{{}}\[\]()\"#=/\\,;!?。，、「」]{{0,39}})(?:{bracketed}[ \t]*)?(?::(?:[ \t]|\r?$)|：)"
    quoted = r"([\p{Han}\p{Hiragana}\p{Katakana}ー]{1,12})「"
    marker = r"^[ \t>]*(?:(?:[-*+]|[0-9]{1,3}[.)])[ \t]+)?"
    return compiled(f"(?m){marker}{before}(?:{marked}|{plain}|{quoted})[ \t]*".encode())


@lru_cache(maxsize=4096)
def _name(label: bytes) -> tuple[str, bool, int]:
    """The name in a label, whether it is marked as a name, and its position. Empty if it is not a name."""
    match = _label().match(label)
    moment, marked, plain, quoted = match.group(1, 2, 3, 4)
    name = " ".join((marked or plain or quoted).decode("utf-8", "replace").strip(" \t_`~").split())
    at = match.start(2 if marked else 3 if plain else 4)
    if not (name[:1].isalpha() or name[-1:].isalpha()) or len(name.split()) > _MOST_WORDS:
        return "", False, at
    if not marked and name.casefold() not in _words("roles"):
        first, *rest = name.split()
        if first[0].islower() or (rest and rest[-1][0].islower()):
            return "", False, at
    return name, bool(marked or moment), at


def _speakers(found: Iterable[_Candidate], reads: Sequence[ParsedEntry]) -> dict[Heading, set[str]]:
    """The speakers under each heading."""
    under: dict[Heading, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    marked: set[str] = set()
    loose: set[str] = set()
    for one in found:
        name = one.turn.speaker
        total[name] += 1
        under[reads[one.read].heading][name] += 1
        if one.marked:
            marked.add(name)
        if not one.item:
            loose.add(name)
    labels = {name for name in total if name.casefold() in _words("labels")}
    roles = {name for name in total if name.casefold() in _words("roles")}
    lines: Counter[Heading] = Counter()
    for read in reads:
        if read.heading in under:
            lines[read.heading] += sum(1 for line in read.text.splitlines() if line.strip())
    again = any(count > 1 for names in under.values() for count in names.values())
    # several records in a row, each with the same labels
    records = not again and sum(len(names) > 1 for names in under.values()) > 1
    mostly = not labels and not records and total.total() * 2 >= lines.total()
    speak: dict[Heading, set[str]] = {}
    for heading, names in under.items():
        dense = sum(names.values()) * 3 >= lines[heading]
        several = len(names.keys() - labels) > 1
        speak[heading] = roles & names.keys() | {
            name
            for name, count in names.items()
            if name not in labels
            and (name in marked or (total[name] > 1 and dense))
            and ((count > 1 and (name in loose or several)) or (mostly and (total[name] > 1 or name in loose)))
        }
        # a name that speaks once among names that speak often
        if speak[heading]:
            speak[heading] |= (names.keys() if dense else names.keys() & marked & loose) - labels
    return speak


def _continued(turns: dict[int, list[Turn]], reads: Sequence[ParsedEntry]) -> dict[int, list[Turn]]:
    """The turns, with the entries between two turns under one heading assigned to the earlier turn; list items are not."""
    last: Turn | None = None
    heading: Heading = ()
    waiting: list[ParsedEntry] = []
    for read in reads:
        if read.heading != heading:
            last, heading = None, read.heading
            waiting.clear()
        if read.ordinal not in turns:
            if last is not None:
                waiting.append(read)
            continue
        here = turns[read.ordinal]
        if last is not None:
            begin = read.words[0]
            waiting += [read] if here[0].start > begin else []
            for between in waiting:
                begin = between.words[0]
                turns[between.ordinal] = [Turn(begin, begin, last.speaker), *turns.get(between.ordinal, ())]
        waiting.clear()
        last = None if read.kind == _ITEM else here[-1]
    return dict(turns)


@cache
def _words(name: str) -> frozenset[str]:
    from importlib import resources

    listed = resources.files("everself.search.chunking").joinpath("words", f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(word.strip().casefold() for word in listed.replace("\n", ",").split(","))
