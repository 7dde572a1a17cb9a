"""memory_search and memory_get: what a session may see of memory, with the citation of each piece."""

from typing import TYPE_CHECKING, Final

from everself.conversation.tools.own._arguments import (
    NUMBER,
    TEXT,
    WHOLE,
    describe,
    field,
    number_of,
    text_of,
    whole_of,
)
from everself.conversation.tools.own.kit import Kit, told
from everself.conversation.tools.protocol import MOST_CHARACTERS, Outcome, Tool, ToolContext
from everself.memory.provenance import HAND, IMPORT, taint_of
from everself.models.chat.protocol import JsonObject
from everself.values import ended_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everself.memory.memory import Memory
    from everself.search.recall import Recall
    from everself.values import Hit

_MOST_RESULTS: Final = 50
_MOST_LINES: Final = 2_000
# limit of all snippets together; the rest is read with memory_get
_SNIPPETS: Final = MOST_CHARACTERS * 3 // 5
_SHORTEST: Final = 80

_SEARCH = describe(
    "memory_search",
    "Search your memory by words and meaning. Use it before you answer about earlier work, decisions, dates, people, preferences or "
    "to-dos. Each result has its citation, path#L3-L5; one that is `ended` no longer holds.",
    {
        "query": field(TEXT, "What you look for, in the words it may stand in."),
        "maxResults": field(WHOLE, "Results at most."),
        "minScore": field(NUMBER, "Leave out what scores less, from 0 to 1."),
    },
    ("query",),
)
_GET = describe(
    "memory_get",
    "Read lines of a memory file that a search named. Lines that are listed as `ended` no longer hold.",
    {
        "path": field(TEXT, "The file, as in a search result."),
        "from": field(WHOLE, "First line; 1 where it is not given."),
        "lines": field(WHOLE, "How many lines; all where it is not given."),
    },
    ("path",),
)


def recall_tools(kit: Kit, recall: "Callable[[], Recall]") -> tuple[Tool, ...]:
    async def search(arguments: JsonObject, setting: ToolContext) -> Outcome:
        query = text_of(arguments, "query")
        limit, least = whole_of(arguments, "maxResults", _MOST_RESULTS), number_of(arguments, "minScore")
        return await kit.in_thread(lambda: _search(kit, recall(), setting, (query, limit, least)))

    async def get(arguments: JsonObject, setting: ToolContext) -> Outcome:
        path = text_of(arguments, "path")
        first = whole_of(arguments, "from", 10**9) or 1
        lines = whole_of(arguments, "lines", _MOST_LINES)
        return await kit.in_thread(lambda: _get(kit, recall(), setting, (path, first, lines)))

    return Tool(_SEARCH, search), Tool(_GET, get)


def _search(kit: Kit, recall: "Recall", setting: ToolContext, asked: tuple[str, int | None, float | None]) -> Outcome:
    from everself.search.closeness import meaning_of
    from everself.search.recall import RecallRequest

    query, limit, least = asked
    found = recall.search(RecallRequest(query, limit, least, scope=setting.scope, session=setting.session))
    memory = kit.memory()
    share = max(_SHORTEST, _SNIPPETS // max(1, len(found.hits)))
    sources = sources_of_hits(memory, found.hits)
    results = [
        _result(hit, source, share, meaning_of(hit, found.provider))
        for hit, source in zip(found.hits, sources, strict=True)
    ]
    content = told({"results": results, "provider": found.provider, "notices": found.notices})
    return Outcome(content, stamp=taint_of(sources))


def _result(hit: "Hit", source: str, share: int, meaning: float | None) -> dict[str, object]:
    """`meaning` is there only where vectors were compared: from 0 to 1, how near the piece is to the query whatever its words."""
    near = {} if meaning is None else {"meaning": round(meaning, 3)}
    ended = {"ended": hit.ended} if hit.ended else {}
    return {
        "path": hit.path,
        "from": hit.first_line,
        "to": hit.last_line,
        "score": round(hit.score, 3),
        **near,
        **ended,
        "snippet": hit.text if len(hit.text) <= share else f"{hit.text[:share]}…",
        "citation": hit.reference,
        "day": hit.day.isoformat() if hit.day else None,
        "entry": hit.entry,
        "source": source,
        "tag": hit.tag.value,
    }


def _get(kit: Kit, recall: "Recall", setting: ToolContext, asked: tuple[str, int, int | None]) -> Outcome:
    path, first, lines = asked
    hit = recall.get(path, setting.scope, first=first, lines=lines)
    text, last, most = hit.text, hit.last_line, MOST_CHARACTERS * 4 // 5
    if len(text) > most:
        text = text[:most].rpartition("\n")[0] or text[:most]
        last = hit.first_line + text.count("\n")
    memory = kit.memory()
    sources = [IMPORT] if hit.imported else sources_of_lines(memory, hit.path, hit.first_line, last)
    ended = _ended(memory, hit.path, hit.first_line, last)
    result = {"path": hit.path, "from": hit.first_line, "to": last, "text": text, "sources": sources}
    return Outcome(told(result | ({"ended": ended} if ended else {})), stamp=taint_of(sources))


def _ended(memory: "Memory", path: str, first: int, last: int) -> list[dict[str, object]]:
    """Which of these lines no longer hold: a file keeps them, and only a comment in it says so."""
    closed = [
        one for one in memory.catalog.of(path) if one.closed and one.first_line <= last and one.last_line >= first
    ]
    return [{"from": one.first_line, "to": one.last_line, "ended": ended_words(one.until)} for one in closed]


def sources_of_lines(memory: "Memory", path: str, first: int, last: int) -> list[str]:
    """The sources that the entries in these lines rest on, each once."""
    entries = [one for one in memory.catalog.of(path) if one.first_line <= last and one.last_line >= first]
    return list(dict.fromkeys(memory.trust(one) for one in entries))


def sources_of_hits(memory: "Memory", hits: "Sequence[Hit]") -> list[str]:
    """The least trusted source that each of what was found rests on."""
    entries = memory.catalog.named([hit.entry for hit in hits if hit.entry])

    def source(hit: "Hit") -> str:
        if hit.imported:
            return IMPORT
        entry = entries.get(hit.entry)
        return memory.trust(entry) if entry is not None else HAND

    return [source(hit) for hit in hits]
