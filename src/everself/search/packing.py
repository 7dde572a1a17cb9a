"""Renders hits as text for a model, within a token budget. Knows no ranking.

Hits of one document stand together under its name, in the order of its lines, so that a citation costs a line number and not a path.
"""

from collections.abc import Callable, Sequence
from typing import Final

from everself.frozen import Frozen
from everself.values import Hit

# hits that are tried after the first that does not fit; a shorter one may
_TRIES: Final = 12


class PackedHits(Frozen):
    """`kept` and `left` are hits in the order of their rank; `tokens` is what `text` costs."""

    text: str
    kept: tuple[Hit, ...]
    left: tuple[Hit, ...]
    tokens: int


def pack(hits: Sequence[Hit], budget: int, count: Callable[[str], int]) -> PackedHits:
    """As many of the best hits as fit into the budget, headings and citations included."""
    kept: list[Hit] = []
    left: list[Hit] = []
    documents: set[str] = set()
    used = tried = 0
    for hit in hits:
        if tried > _TRIES:
            # skipped without counting: counting tokens is the slowest part of a search
            left.append(hit)
            continue
        cost = count(_line(hit)) + (0 if hit.path in documents else count(_heading(hit)))
        if used + cost > budget:
            left.append(hit)
            tried += 1
            continue
        kept.append(hit)
        documents.add(hit.path)
        used += cost
    text = render(kept)
    tokens = count(text)
    # joined text may have more or fewer tokens than its parts
    while kept and tokens > budget:
        left.insert(0, kept.pop())
        text = render(kept)
        tokens = count(text)
    return PackedHits(text, tuple(kept), tuple(left), tokens)


def render(hits: Sequence[Hit]) -> str:
    """Documents in the order of their best hit; under each its lines, rising. `path#L5` cites line 5 of a path."""
    documents: dict[str, list[Hit]] = {}
    for hit in hits:
        documents.setdefault(hit.path, []).append(hit)
    return "".join(
        _heading(found[0]) + "".join(_line(hit) for hit in sorted(found, key=lambda hit: hit.first_line))
        for found in documents.values()
    )


def _heading(hit: Hit) -> str:
    return f"{hit.path}\n"


def _line(hit: Hit) -> str:
    lines = hit.reference.rpartition("#")[2]
    mark = f" ({hit.mark})" if hit.mark else ""
    return f"{lines}{mark} {hit.text}\n"
