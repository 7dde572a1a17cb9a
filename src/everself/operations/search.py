"""Operations on recall: search with citations, lines of a document, the explanation of a search.

They check for every interface whether search is enabled.
"""

from dataclasses import replace
from datetime import date
from typing import Annotated, Final

import re2

from everself.config.sections import Ranking
from everself.conversation.context.framing import neutralise
from everself.conversation.tools.protocol import MOST_CHARACTERS, Outcome, told
from everself.errors import NotFound, WrongUse
from everself.memory.corrections import PATH as CORRECTIONS
from everself.memory.corrections import mark_embedded, not_embedded
from everself.memory.provenance import CORRECTION, IMPORT, taint_of
from everself.memory.selection import sources_of_hits, sources_of_lines
from everself.operations.caller import OWNERS_SESSIONS, Audience, Caller
from everself.operations.declaration import (
    Argument,
    McpOffer,
    Option,
    Request,
    Tell,
    ToolOffer,
    operation,
    owner_reads,
)
from everself.runtime import Runtime
from everself.search.factory import need_search
from everself.search.recall import RecallRequest, SaidMessage, SearchResult
from everself.search.scopes import Scope, SessionKind
from everself.search.score_adjustments import Ageing
from everself.search.similarity import meaning_of
from everself.storage.state.searches import SearchRecord
from everself.text.normalise import fold, one_line, slug
from everself.values import Author, Change, Hit, ended_words

# how long a finished command may embed for the next one
CATCH_UP_SECONDS: Final = 2.0
LOCAL: Final = "local"
_OWNERS: Final = ("cli", "http")
_NOT_MCP: Final = ("cli", "http", "tool", "slash")
_TALKS: Final = OWNERS_SESSIONS | {SessionKind.GUEST, SessionKind.GROUP}
# budget for all snippets; memory_get reads the rest
_SNIPPETS: Final = MOST_CHARACTERS * 3 // 5
_SHORTEST: Final = 80
# characters of a hit in an index
_LINE: Final = 160
_LIMIT: Final = "How many at most; 6 unless the settings say otherwise."
_ENDS: Final = " .!?。！？…"
_ID: Final = re2.compile(r"^[0-9A-Za-z]{12}$")
_CITATION: Final = re2.compile(r"^(.+)#L([0-9]{1,9})(?:-L?([0-9]{1,9}))?$")


def scope_of(session: str, project: str = "") -> Scope:
    """The scope of a kind of session such as `main` or `group`, or with a person `guest/anna`."""
    kind, _, person = session.partition("/")
    if kind not in list(SessionKind):
        raise WrongUse(f'"{kind[:40]}" is not a kind of session.', mend=f"One of {', '.join(SessionKind)}.")
    return Scope(SessionKind(kind), slug(person) if person else None, slug(project) if project else None)


class SearchRequest(Request):
    query: Annotated[str, Argument("What to look for.", joined=True)]
    limit: Annotated[int | None, Option(_LIMIT, ge=1, le=1000, tool="maxResults")] = None
    min_score: Annotated[
        float | None,
        Option("Leave out what scores less, the weak ones too.", ge=0, le=1, tool="minScore", only=_NOT_MCP),
    ] = None
    budget: Annotated[int | None, Option("As much as fits into so many tokens.", "TOKENS", ge=1, only=_OWNERS)] = None
    as_of: Annotated[date | None, Option("Only what held on this day.", only=_OWNERS)] = None
    ranking: Annotated[Ranking | None, Option("The measured best, a plain sum, or TF-IDF.", only=_OWNERS)] = None
    session: Annotated[str, Option("What such a session would find.", "KIND[/PERSON]", only=("cli",))] = "main"
    project: Annotated[str, Option("This project's memory, and what belongs to none.", "NAME", only=_OWNERS)] = ""
    messages: Annotated[bool, Option("What was only said as well, below what is remembered.", only=_OWNERS)] = False


def _show_found(runtime: Runtime, _: SearchRequest, found: SearchResult) -> Outcome:
    hits = found.hits
    sources = sources_of_hits(runtime.memory, hits)
    share = max(_SHORTEST, _SNIPPETS // max(1, len(hits)))
    results = [
        _result(hit, source, share, meaning_of(hit)) | ({"reworded": True} if is_reworded(runtime, hit, source) else {})
        for hit, source in zip(hits, sources, strict=True)
    ]
    content = told({"results": results, "provider": found.provider, "notices": found.notices})
    return Outcome(content, stamp=taint_of(sources))


def is_reworded(runtime: Runtime, hit: Hit, source: str) -> bool:
    """Whether the text of a correction differs from the owner's words because Everself put the new value into an older sentence."""
    entry = runtime.memory.catalog.find(hit.entry) if source == CORRECTION and hit.entry else None
    told = [one.partition(":")[2] for one in entry.lineage if one.startswith("msg:")] if entry is not None else []
    said = [one.content for one in map(runtime.log.message, told) if one is not None]
    return bool(said) and not any(fold(hit.text).strip(_ENDS) in fold(" ".join(one.split())) for one in said)


def _result(hit: Hit, source: str, share: int, meaning: float | None) -> dict[str, object]:
    """`meaning` is present only if vectors were compared: the similarity of chunk and query, from 0 to 1."""
    near = {} if meaning is None else {"meaning": round(meaning, 3)}
    ended = {"ended": hit.ended} if hit.ended else {}
    weak = {"weak": True} if hit.weak else {}
    later = {"later": hit.later} if hit.later else {}
    return {
        "path": hit.path,
        "from": hit.first_line,
        "to": hit.last_line,
        "score": round(hit.score, 3),
        **weak,
        **near,
        **ended,
        **later,
        "snippet": hit.text if len(hit.text) <= share else f"{hit.text[:share]}…",
        "citation": hit.reference,
        "day": hit.day.isoformat() if hit.day else None,
        "entry": hit.entry,
        "source": source,
        "tag": hit.tag.value,
    }


def _show_index(runtime: Runtime, _: SearchRequest, found: SearchResult) -> Outcome:
    """One line per hit; memory_get reads the whole."""
    sources = sources_of_hits(runtime.memory, found.hits)
    lines = [_index_line(hit, source) for hit, source in zip(found.hits, sources, strict=True)]
    notices = [f"Note: {one}" for one in found.notices]
    return Outcome("\n".join([*(lines or ["Nothing is remembered about this."]), *notices]), stamp=taint_of(sources))


def _index_line(hit: Hit, source: str) -> str:
    marks = [one for one in (hit.mark, "weak" if hit.weak else "") if one]
    parts = (hit.entry or "-", hit.day.isoformat() if hit.day else "-", hit.reference, source, *marks)
    # on one line and without invisible characters, so that no entry can imitate another line
    return f"{'  '.join(parts)}  {one_line(neutralise(hit.text, ''), _LINE)}"


def _is_on(runtime: Runtime, _: Scope) -> bool:
    return runtime.agent.search.enabled


@operation(
    "memory.search",
    audience=Audience.GUEST,
    effect="read",
    progress="Reading",
    tool=ToolOffer(
        "memory_search",
        "Search your memory by words and meaning. Use it before you answer about earlier work, decisions, dates, people, preferences or "
        "to-dos. Each result has its citation, path#L3-L5; one that is `ended` no longer holds, "
        "of one with `later` nobody said whether it or that newer statement holds, "
        "one that is `weak` is only the nearest there is and may be about something else.",
        sessions=_TALKS,
        where=_is_on,
        show=_show_found,
    ),
    mcp=McpOffer(
        "memory_search", "Search memory. One line a hit: id, day, citation, source, first words.", _show_index
    ),
    slash="/search",
)
def search_memory(app: Runtime, caller: Caller, request: SearchRequest, tell: Tell | None = None) -> SearchResult:
    """Find memories about something, best first, with citations.

    Hits below the threshold are marked as weak. The exit code is 5 if nothing is found, and 6 if a failure limited the search.

    $ everself memory search tundra deadline  # by words and by meaning
    $ everself memory search "what did I decide about the logo" --explain  # with every part of every score
    $ everself memory search address --as-of 2026-03-01  # what held on that day
    $ everself memory search heron --messages  # what was only said as well, below the notes
    """
    need_search(app.agent.search)
    asked = RecallRequest(
        request.query,
        limit=request.limit,
        min_score=request.min_score,
        budget=request.budget,
        scope=_scope(caller, request.session, request.project),
        as_of=request.as_of,
        session=caller.session,
        ranking=request.ranking,
    )
    with app.index.reporting(tell):
        found = app.recall.search(asked)
    settings = app.agent.search
    ageing = Ageing(app.clock.today(), settings.decay, settings.half_life_days)
    view = app.index.view(fresh=False)
    speechless = found.provider == "keywords" and view.embedded > 0 and found.ranking is not Ranking.TFIDF
    weights = tuple(map(ageing.weight, found.hits))
    degraded = bool(view.notices) or speechless
    return replace(found, weights=weights, degraded=degraded, messages=_said(app, caller, request))


def _said(app: Runtime, caller: Caller, request: SearchRequest) -> tuple[SaidMessage, ...]:
    """Messages with most of the words. They are from all conversations, so only the owner sees them."""
    if not request.messages:
        return ()
    caller.need(Audience.OWNER)
    found = app.log.nearest(request.query, request.limit or app.agent.search.max_results)
    return tuple(SaidMessage(one.id, one.session, one.at, one.role, one.content) for one in found)


def _scope(caller: Caller, session: str, project: str = "") -> Scope:
    """Only the owner at a terminal may search as another session."""
    if caller.audience is Audience.OWNER_AT_TERMINAL:
        return scope_of(session, project)
    return caller.scope


def catch_up(app: Runtime) -> int:
    """Embed waiting chunks for a moment, only with a local model. Returns the number that is left."""
    if app.embedder is None:
        return 0
    record = app.workspace.find(CORRECTIONS)
    corrections = not_embedded(record.data) if record is not None else ()
    if corrections:
        app.index.sync()
    left = app.index.pending()
    if left and app.embedder.provider == LOCAL and not app.embedder.paid:
        left = app.index.embed(seconds=CATCH_UP_SECONDS).pending
    if corrections and not left:
        _note_embedded(app, corrections)
    return left


def _note_embedded(app: Runtime, corrections: tuple[str, ...]) -> None:
    """Mark corrections as embedded: search now finds them by meaning."""

    def plan() -> Change | None:
        draft = app.memory.draft()
        changed = mark_embedded(draft, corrections)
        return Change(Author.RUNTIME, "embedded again", draft.edits()) if changed else None

    app.memory.apply(plan)


class GetRequest(Request):
    path: Annotated[str, Argument("The file, a citation such as memory/2026-03-19.md#L3-L9, or the id of an entry.")]
    first: Annotated[int | None, Option("The first line.", "LINE", ge=1, cli="--from", tool="from")] = None
    lines: Annotated[int | None, Option("How many lines.", "COUNT", ge=1)] = None
    session: Annotated[str, Option("What such a session would see.", "KIND[/PERSON]", only=("cli",))] = "main"


def _show_passage(runtime: Runtime, _: GetRequest, found: Hit) -> Outcome:
    text, last, most = found.text, found.last_line, MOST_CHARACTERS * 4 // 5
    if len(text) > most:
        text = text[:most].rpartition("\n")[0] or text[:most]
        last = found.first_line + text.count("\n")
    first, memory = found.first_line, runtime.memory
    sources = [IMPORT] if found.imported else sources_of_lines(memory, found.path, first, last)
    # closed entries are still in the file, and only a comment marks them
    closed = [
        one for one in memory.catalog.of(found.path) if one.closed and one.first_line <= last and one.last_line >= first
    ]
    ended = [{"from": one.first_line, "to": one.last_line, "ended": ended_words(one.until)} for one in closed]
    result = {"path": found.path, "from": first, "to": last, "text": text, "sources": sources}
    return Outcome(told(result | ({"ended": ended} if ended else {})), stamp=taint_of(sources))


@operation(
    "memory.get",
    audience=Audience.GUEST,
    effect="read",
    tool=ToolOffer(
        "memory_get",
        "Read lines of a memory file that a search named. Lines that are listed as `ended` no longer hold.",
        sessions=_TALKS,
        where=_is_on,
        show=_show_passage,
    ),
    mcp=McpOffer("memory_get", "Read all of what a search found, by its id or citation.", _show_passage),
)
def get_lines(app: Runtime, caller: Caller, request: GetRequest) -> Hit:
    """Show lines of a document that search covers, by path, citation or id.

    $ everself memory get 7K3QX9M2ABCD  # one entry
    $ everself memory get memory/2026-03-19.md#L3-L9  # the lines a search cited
    $ everself memory get MEMORY.md --from 10 --lines 20  # twenty lines
    """
    name, first, lines = request.path, request.first, request.lines
    need_search(app.agent.search)
    entry = app.memory.catalog.find(name.upper()) if _ID.match(name) else None
    if entry is not None:
        name = entry.reference
    cited = _CITATION.match(name)
    if cited is not None:
        if first is not None or lines is not None:
            raise WrongUse("The citation says which lines; --from and --lines say it a second time.")
        name, first = cited[1], int(cited[2])
        last = int(cited[3]) if cited[3] else first
        if last < first:
            raise WrongUse(f"Lines {first} to {last} are none.")
        lines = last - first + 1
    try:
        return app.recall.get(name, _scope(caller, request.session), first=1 if first is None else first, lines=lines)
    except NotFound:
        if entry is None:
            raise
        # do not reveal the document to a session that may not read it
        raise NotFound(f'entry "{request.path}", or this session may not read it.') from None


class WhyRequest(Request):
    search: Annotated[str, Argument("The id of a search, words of its query, or last.", "[ID|QUERY|last]")] = ""
    listing: Annotated[bool, Option("List the newest searches.", cli="--list")] = False
    limit: Annotated[int, Option("How many to list.", ge=1)] = 20


@owner_reads("memory.why")
def explain_search(app: Runtime, _: Caller, request: WhyRequest) -> SearchRecord | tuple[SearchRecord, ...]:
    """Show what a search recalled, what it cost, and what was left out and why.

    $ everself memory why  # what the last search recalled, and what it left out
    $ everself memory why tundra  # the newest search for these words
    $ everself memory why --list  # the searches of late
    """
    if request.listing:
        words = "" if request.search == "last" else request.search
        return app.state.searches.list(request.limit, query_contains=words or None)
    return _explained(app, request.search or "last")


def _explained(app: Runtime, name: str) -> SearchRecord:
    """By id, id prefix, `last`, or the newest search whose query contains the words."""
    searches = app.state.searches
    by_words = searches.list(1, query_contains=name) if name != "last" else ()
    if by_words and fold(by_words[0].query) == fold(name):
        return searches.find(by_words[0].id)
    try:
        return searches.find(name)
    except NotFound:
        if by_words:
            return searches.find(by_words[0].id)
        if name == "last":
            raise NotFound("a search; nothing was searched for yet.", mend="everself memory search WORDS") from None
        raise NotFound(f'search "{name}".', mend="everself memory why --list") from None
