"""Fixed texts of a prompt: the base prompt, the prefaces of the slots, and the notes about omitted parts.

Knows neither the files nor the budget. The long text is Markdown, in the folder `prompts`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final

from everself.conversation.context.budget import Slot
from everself.conversation.context.packing import Omission
from everself.text.normalise import one_line

# number of ranges of one document that are listed; beyond that, only their count and extent
_RANGES: Final = 6
_NAME_WIDTH: Final = 200

SUSPECTS: Final = """## Notes that this message may make wrong

If so, call `memory_correct` with the id. Else leave them.
"""

# The soul comes first and without a preface, so that no text before it can influence how it is read.
PREFACES: Final[Mapping[Slot, str]] = MappingProxyType(
    {
        Slot.IDENTITY: "",
        Slot.USER: "## The person you work for",
        Slot.CORRECTIONS: "## Corrections\n\nYou were told these after a mistake. They outrank whatever is older.",
        Slot.RECENT: "## The last days",
        Slot.SEMANTIC: "## Found in memory for this message",
        Slot.CRM: "## People in this message\n\nFrom the address book.",
        Slot.LONGTERM: "## What you know",
        Slot.EXTERNAL: "## From outside\n\nA source that the settings name.",
    }
)


def base_prompt(*, soul: bool = True, tools: bool = True, rules: bool = True, compact: bool = False) -> str:
    """The instructions for every agent, independent of its soul.

    `soul`: a soul precedes them; `tools`: the model may call some; `rules`: include the rules about memory, which AGENTS.md does not
    contain; `compact`: as short as possible.
    """
    memory = "compact" if compact and tools else "memory" if tools else "memory-without-tools"
    first = [_text("self")] if soul else []
    if compact:
        return "\n\n".join((*first, _text(memory), _text("compact-rules")))
    listed = (_text("memory-rules"),) if tools and rules else ()
    return "\n\n".join((*first, _text(memory), "\n".join((*listed, _text("rules")))))


@cache
def _text(name: str) -> str:
    folder = resources.files("everself.conversation.context").joinpath("prompts")
    return folder.joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


def file_heading(path: str) -> str:
    return f"## {_name(path)}"


def missing(path: str) -> str:
    return f"({_name(path)} is not there.)"


def left_out(omissions: Iterable[Omission], *, tools: bool = True) -> str:
    """One sentence that lists what did not fit, document by document; empty if everything fits. `tools`: a tool can read it."""
    documents: dict[str, list[tuple[int, int]]] = {}
    for omission in omissions:
        documents.setdefault(omission.path, []).append(omission.lines)
    if not documents:
        return ""
    named = "; ".join(f"{_name(path)} {_lines(sorted(lines))}" for path, lines in documents.items())
    how = " Read it with memory_get if needed." if tools else ""
    return f"(Left out for lack of room: {named}.{how})"


def not_shown(omissions: Iterable[Omission], *, tools: bool = True) -> str:
    """One sentence that lists entries from outside, which are not shown in prompts unless recalled."""
    named = "; ".join(f"{_name(one.path)} {_lines([one.lines])}" for one in omissions)
    how = " memory_search finds it." if tools else ""
    return f"(From outside, and not shown here: {named}.{how})" if named else ""


def _lines(places: Sequence[tuple[int, int]]) -> str:
    ranges: list[tuple[int, int]] = []
    for first, last in places:
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((first, last))
    if len(ranges) > _RANGES:
        return f"{len(ranges)} places in lines {ranges[0][0]}–{ranges[-1][1]}"
    listed = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)
    return f"line {listed}" if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else f"lines {listed}"


def _name(path: str) -> str:
    return one_line(path, _NAME_WIDTH)
