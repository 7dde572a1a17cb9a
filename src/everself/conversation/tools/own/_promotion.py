"""memory_promote: shows what deserves the curated core, and asks the person about it. A tool moves nothing there."""

from typing import Final

from everself.conversation.tools.own._arguments import (
    FLAG,
    TEXTS,
    WHOLE,
    describe,
    field,
    flag_of,
    texts_of,
    whole_of,
)
from everself.conversation.tools.own.kit import Kit, Promoting, told
from everself.conversation.tools.protocol import Outcome, Tool, ToolContext, Written
from everself.memory.promotion.candidates import Candidate
from everself.memory.provenance import taint_of
from everself.models.chat.protocol import JsonObject

_LONGEST: Final = 36_500
_WEEK: Final = 7
_SHOWN: Final = 20
_WIDE: Final = 200

_PROMOTE = describe(
    "memory_promote",
    "List notes of the last days that deserve to be kept for good, with the reasons. Name `entries` to have the person asked about them; "
    "nothing moves before they agree.",
    {
        "days": field(WHOLE, "How many days to look back; 7 where it is not given."),
        "frequency": field(FLAG, "True for what was found again and again only."),
        "entries": field(TEXTS, "Ids of entries that you would promote."),
    },
    (),
)


def promoting_tools(kit: Kit) -> tuple[Tool, ...]:
    promoting = kit.promoting
    if promoting is None:
        return ()

    async def promote(arguments: JsonObject, _: ToolContext) -> Outcome:
        entries = texts_of(arguments, "entries")
        if entries:
            return await kit.in_thread(lambda: _ask(promoting, entries))
        days, frequent = whole_of(arguments, "days", _LONGEST) or _WEEK, flag_of(arguments, "frequency")
        return await kit.in_thread(lambda: _list(promoting, days, frequent))

    return (Tool(_PROMOTE, promote, changes=True),)


def _list(promoting: Promoting, days: int, frequent: bool) -> Outcome:
    found = promoting.look(days, frequent)
    shown = found[:_SHOWN]
    result = {"candidates": [_told(one) for one in shown], "more": len(found) - len(shown)}
    return Outcome(told(result), stamp=taint_of(one.standing.weakest for one in shown))


def _ask(promoting: Promoting, entries: tuple[str, ...]) -> Outcome:
    asked = promoting.ask(entries)
    result = {"asked": list(asked.queued), "not_asked": list(asked.left), "hint": "They answer with `everself review`."}
    written = tuple(Written("proposed", f"promote {one}", one, one) for one in asked.queued)
    return Outcome(told(result), written=written, failed=not asked.queued)


def _told(one: Candidate) -> dict[str, object]:
    entry = one.entry
    return {
        "entry": entry.id,
        "text": entry.text if len(entry.text) <= _WIDE else f"{entry.text[:_WIDE]}…",
        "citation": entry.reference,
        "category": one.category,
        "confidence": one.confidence,
        "reasons": list(one.reasons),
        "target": one.target,
        "held": one.standing.why if one.standing.may == "held" else "",
    }
