"""Renders hits as text for a model, within a token budget. Knows no ranking.

Hits of one document stand together under its name, in the order of its lines, so that a citation costs a line number and not a path. Lines
that adjoin in the document form one block, which is numbered once.
"""

from collections.abc import Callable, Sequence
from typing import Final

from everself.frozen import Frozen
from everself.values import Hit

# hits that are tried after the first that does not fit; a shorter one may
_TRIES: Final = 12

Count = Callable[[str], int]


class PackedHits(Frozen):
    """`kept` and `left` are hits in the order of their rank; `tokens` is what `text` costs."""

    text: str
    kept: tuple[Hit, ...]
    left: tuple[Hit, ...]
    tokens: int


def pack(hits: Sequence[Hit], budget: int, count: Count) -> PackedHits:
    """As many of the best hits as fit into the budget, headings and citations included."""
    shown = _Shown(count)
    left: list[Hit] = []
    tried = 0
    for hit in hits:
        # after too many tries hits are skipped without counting: counting tokens is the slowest part of a search
        if tried > _TRIES:
            left.append(hit)
        elif not shown.add(hit, budget):
            left.append(hit)
            tried += 1
    kept = shown.hits
    text = render(kept)
    tokens = count(text)
    # joined text may have more or fewer tokens than its parts
    while kept and tokens > budget:
        left.insert(0, kept.pop())
        text = render(kept)
        tokens = count(text)
    return PackedHits(text, tuple(kept), tuple(left), tokens)


class _Shown:
    """The hits that are shown, and about how many tokens they cost together."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._used = 0
        self._documents: set[str] = set()
        self._ends: dict[tuple[str, int], Hit] = {}
        self._starts: dict[tuple[str, int], Hit] = {}
        self.hits: list[Hit] = []

    def add(self, hit: Hit, budget: int) -> bool:
        """False if it does not fit."""
        cost = 0 if hit.path in self._documents else self._count(_heading(hit))
        above = self._ends.get((hit.path, hit.first_line - 1))
        cost += self._count(_line(hit, above))
        below = self._starts.get((hit.path, hit.last_line + 1))
        if below is not None and _joins(below, hit):
            cost -= self._count(_line(below)) - self._count(_line(below, hit))
        if self._used + cost > budget:
            return False
        self._used += cost
        self._documents.add(hit.path)
        self._ends[hit.path, hit.last_line] = self._starts[hit.path, hit.first_line] = hit
        self.hits.append(hit)
        return True


def render(hits: Sequence[Hit]) -> str:
    """Documents in the order of their best hit; under each its lines, rising, with their numbers: under `path`, `5 text` is `path#L5`. A
    line without a number follows the line above it in the document."""
    documents: dict[str, list[Hit]] = {}
    for hit in hits:
        documents.setdefault(hit.path, []).append(hit)
    parts: list[str] = []
    for found in documents.values():
        parts.append(_heading(found[0]))
        above: Hit | None = None
        for hit in sorted(found, key=lambda hit: hit.first_line):
            parts.append(_line(hit, above))
            above = hit
    return "".join(parts)


def _heading(hit: Hit) -> str:
    return f"{hit.path}\n"


def _line(hit: Hit, above: Hit | None = None) -> str:
    if above is not None and _joins(hit, above):
        return f"{hit.text}\n"
    lines = str(hit.first_line) if hit.first_line == hit.last_line else f"{hit.first_line}-{hit.last_line}"
    mark = f" ({hit.mark})" if hit.mark else ""
    return f"{lines}{mark} {hit.text}\n"


def _joins(hit: Hit, above: Hit) -> bool:
    """Whether a hit needs no number below another one. Text that begins with a digit would be read as numbered."""
    adjoins = hit.first_line == above.last_line + 1
    return adjoins and _is_whole(hit) and _is_whole(above) and not hit.text[:1].isdecimal()


def _is_whole(hit: Hit) -> bool:
    """Whether its text is exactly the lines it cites, and nothing stands beside them."""
    return not hit.mark and hit.text.count("\n") == hit.last_line - hit.first_line
