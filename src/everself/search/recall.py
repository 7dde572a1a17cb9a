"""Recall: takes a query, returns ranked and explained hits. The only entry point to search.

Knows settings, scopes and entries. Does not know the caller: a chat, a command or another program.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import count as count_from
from typing import TYPE_CHECKING, Final

from everself.clock import Clock, monotonic
from everself.config.sections import Ranking, Search
from everself.errors import NotFound, WrongUse
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.memory.corrections import PATH as CORRECTIONS
from everself.memory.corrections import right_entry
from everself.search._hit_entries import HitEntries
from everself.search._hit_parts import by_rank, rank_of, shown
from everself.search._stages import Threshold, above, may_add, may_have_all, stages
from everself.search.packing import pack, render
from everself.search.scopes import Scope, SessionKind
from everself.search.score_adjustments import (
    CORRECTED,
    Ageing,
    adjust,
    asks_exactly,
    diversify,
    is_exact,
    merge_equals,
    newest_first,
    replaced_last,
    telling_words,
)
from everself.search.sharing import is_owner
from everself.search.snippets import DocumentCache
from everself.storage.state.searches import HitRecord, LeftOut, Searches, SearchRecord
from everself.text.dates import asks_when, read_dates
from everself.text.redaction import redact
from everself.text.search import SearchQuery, read_query
from everself.text.tokens import count, estimate
from everself.values import Entry, Hit
from everself.workspace.layout import place

if TYPE_CHECKING:
    from everself.memory.memory import Memory
    from everself.search.arrays import Floats
    from everself.search.index import Index
    from everself.search.index_file.view import Snapshot
    from everself.search.ranking import Ranked, RankingQuery
    from everself.search.snippets import SnippetSource

_log = get_logger(__name__)

# a longer query is a pasted text; its beginning says what it is about
LONGEST_QUERY: Final = 4_000
# minimum tokens of a hit with its citation
_LEAST_TOKENS: Final = 10
# limit of left-out hits in a record
_LEFT_NAMED: Final = 20
# attempts while files keep changing, before changing files are left out
_PATIENCE: Final = 2
_UNREST: Final = "Some files kept changing during the search; they were left out."

_EPOCH: Final = date(1970, 1, 1).toordinal()

OWNER: Final = Scope(SessionKind.MAIN)


class RecallRequest(Frozen):
    """A search request. Unset fields use the settings; `budget` (tokens) replaces `limit`.

    Without `counted`, tokens are estimated. Of many requests in a row only the first must be `fresh`: it checks every file. `by_words`
    uses no vectors.
    """

    query: str
    limit: int | None = None
    min_score: float | None = None
    budget: int | None = None
    scope: Scope = OWNER
    as_of: date | None = None
    session: str = ""
    ranking: Ranking | None = None
    recorded: bool = True
    counted: bool = True
    fresh: bool = True
    by_words: bool = False


class SaidMessage(Frozen):
    """A message of a conversation: it was said, but it is not an entry."""

    message: str
    session: str
    at: datetime
    role: str
    text: str


class SearchResult(Frozen):
    """The result of a search. `provider` embedded the query ("keywords" if none did); `id` is the id of the search record.

    `tokens` is exact if a budget was given, else estimated. `degraded` is True if an error made the search incomplete. `weights` are the
    age weights of seed 1 for each hit, whether or not they apply. `messages` are messages of conversations, if requested.
    """

    query: str
    hits: tuple[Hit, ...]
    provider: str
    ranking: Ranking
    tokens: int
    notices: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    id: str = ""
    degraded: bool = False
    weights: tuple[float, ...] = ()
    messages: tuple[SaidMessage, ...] = ()

    def __str__(self) -> str:
        """Score, citation and text of each hit, for printing."""
        return "\n".join(f"{hit.score:.2f}  {hit.reference}  {hit.text}" for hit in self.hits)

    @property
    def text(self) -> str:
        """The text for a model."""
        return render(self.hits)


class Recall:
    def __init__(
        self,
        index: "Index",
        clock: Clock,
        settings: Search,
        memory: "Memory",
        searches: Searches,
        *,
        boost: float = CORRECTED,
        later: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """`later` returns the newer statement for each entry with an open conflict."""
        self._index = index
        self._document_cache = DocumentCache(index)
        self._clock = clock
        self._settings = settings
        self._memory = memory
        self._searches = searches
        self._boost = boost
        self._later = later

    def search(self, request: RecallRequest) -> SearchResult:
        """The best hits for a query, in any state of index and embedder; problems are reported in `notices`."""
        if not request.query.strip():
            raise WrongUse("The search text is empty.", mend='everself memory search "what you look for"')
        begun = monotonic()
        query = request.query[:LONGEST_QUERY]
        meaning = _Meaning(self._index, query)
        tries = count_from(1)
        found = self._index.ask(
            lambda view: self._answer(view, request, query, meaning, skips=next(tries) > _PATIENCE), fresh=request.fresh
        )
        notices = [*([meaning.notice] if meaning.notice else []), *found.notices]
        if len(request.query) > LONGEST_QUERY:
            notices.append(f"Only the first {LONGEST_QUERY:,} characters of the query were used.")
        found = replace(found, notices=tuple(notices))
        found = replace(found, id=self._record(request, found)) if request.recorded else found
        took = (monotonic() - begun) * 1000
        _log.debug("Search %s: %d hits by %s in %.0f ms.", found.id or "-", len(found.hits), found.provider, took)
        return found

    def get(self, path: str, scope: Scope = OWNER, *, first: int = 1, lines: int | None = None) -> Hit:
        """Lines of a searchable document, in full."""
        from everself.search._visibility import visible_lines

        if first < 1 or (lines is not None and lines < 1):
            raise WrongUse("Line numbers start at 1, and at least one line is needed.")
        document = self._index.read(path)
        imported = self._index.is_imported(path)
        allowed = None if document is None else visible_lines(scope, document, imported=imported)
        if document is None or allowed is None or not allowed:
            raise NotFound(f'document "{path}", or this session may not read it.', mend="everself memory search WORDS")
        every = document.data.decode("utf-8", "replace").splitlines(keepends=True)
        last = len(every) if lines is None else min(len(every), first + lines - 1)
        if first > max(1, len(every)):
            raise NotFound(f"line {first} of {path}, which has {len(every)} lines.")
        text = "".join(
            line
            for number, line in enumerate(every[first - 1 : last], first)
            if any(a <= number <= b for a, b in allowed)
        )
        where = place(path)
        words = redact(text).text.rstrip("\n")
        return Hit(path, first, last, 1.0, words, day=where.day, tier=where.tier, imported=imported)

    def _mode(self, request: RecallRequest) -> Ranking:
        return request.ranking or self._settings.ranking

    def _answer(
        self, view: "Snapshot", request: RecallRequest, query: str, meaning: "_Meaning", *, skips: bool
    ) -> SearchResult:
        from everself.search.snippets import SnippetSource

        served = SnippetSource(view, self._document_cache.read, skips=skips)
        words = read_query(query)
        mode = self._mode(request)
        vector = None if mode is Ranking.TFIDF or request.by_words else meaning.vector_for(view)
        question = self._question(view, request, words, vector, served)
        if mode is Ranking.DEFAULT and vector is not None:
            question = replace(question, second=lambda: meaning.second_for(view))
        ranked = self._rank(view, request, served, question)
        found = HitEntries(self._memory.catalog, view, served, ranked.chunks)
        limit = request.limit or (5 if mode is Ranking.TFIDF else self._settings.max_results)
        hits: list[Hit] = []
        lost: list[tuple[Hit, str]] = []
        looked_up: list[set[str]] = []
        possible: set[str] = set()
        sought = telling_words(words)
        threshold = self._threshold(request, mode)
        wanted = _wanted(request, limit)
        most = 2 * wanted if request.limit is None and request.budget is not None else wanted
        for first, last in stages(wanted):
            part = ranked.between(first, last)
            if hits and mode is Ranking.DEFAULT and not may_add(view, part, words, sought, hits, threshold, most):
                break
            more, gone = self._hits(view, request, served, part, first, words, found)
            hits += more
            lost += gone
            looked_up.append({hit.reference for hit in more})
            whole = may_have_all(view, part.chunks, sought)
            possible |= {hit.reference for hit in more if whole[rank_of(hit) - first]}
        hits, equals = merge_equals(hits)
        lost += equals
        if mode is Ranking.DEFAULT:
            hits = newest_first(diversify(hits), request.query)
        hits, below = above(hits, sought, threshold, possible)
        lost = [*lost, *below][:_LEFT_NAMED]
        # what is closed or a record of a correction gives its place to another entry, which may be any of them
        every = request.budget is not None or any(hit.closed or hit.path == CORRECTIONS for hit in hits)
        told = hits if every else hits[: limit + _LEFT_NAMED - len(lost)]
        entries = found.of([*told, *(hit for hit, _ in lost)])
        hits = [*self._with_entries(told, entries, request.scope), *hits[len(told) :]]
        known = {rank: entry.id for rank, entry in entries.items()}
        left = [LeftOut(known.get(rank_of(hit), ""), hit.path, why) for hit, why in lost]
        if mode is Ranking.DEFAULT:
            hits = replaced_last(hits, self._instead(hits), looked_up)
        if request.budget is None:
            kept, over = hits[:limit], hits[limit:]
            # exact counting loads a vocabulary, which takes half the time budget of a command
            tokens = estimate(render(kept))
        else:
            most = len(hits) if request.limit is None else request.limit
            packed = pack(hits[:most], request.budget, count if request.counted else estimate)
            kept, over, tokens = list(packed.kept), [*packed.left, *hits[most:]], packed.tokens
        left += [LeftOut(hit.entry, hit.path, "beyond the limit") for hit in over]
        return SearchResult(
            query,
            tuple(shown(hit, ranked, cut=mode is Ranking.TFIDF) for hit in kept),
            self._index.model if vector is not None else "keywords",
            mode,
            tokens,
            (*view.notices, *((_UNREST,) if served.skipped else ())),
            tuple(left[:_LEFT_NAMED]),
        )

    def _threshold(self, request: RecallRequest, mode: Ranking) -> Threshold:
        usual = 0.01 if mode is Ranking.TFIDF else self._settings.min_score
        return Threshold(usual, request.min_score, self._boost)

    def _instead(self, hits: Sequence[Hit]) -> dict[str, str]:
        """The ids of the entries that hold instead of what closed hits and records of corrections say, by the reference of the hit."""
        gone = {hit.reference: hit.entry for hit in hits if hit.now}
        entries = self._memory.catalog.named(list(gone.values())) if gone else {}
        found = self._memory.successors(entries.values())
        closed = {reference: found[one].id for reference, one in gone.items() if one in found}
        records = {hit.reference: right_entry(hit.text) for hit in hits if hit.path == CORRECTIONS}
        return {reference: right for reference, right in (closed | records).items() if right}

    def _question(
        self,
        view: "Snapshot",
        request: RecallRequest,
        words: SearchQuery,
        vector: "Floats | None",
        served: "SnippetSource",
    ) -> "RankingQuery":
        from everself.search._features import QueryFacts
        from everself.search._visibility import visible_chunks
        from everself.search.ranking import RankingQuery

        today = self._clock.today()
        spans = read_dates(request.query, today)
        days = tuple((span.first.toordinal() - _EPOCH, span.last.toordinal() - _EPOCH) for span in spans)
        asked = QueryFacts(asks_when(request.query), days)
        return RankingQuery(
            request.query[:LONGEST_QUERY], words, asked, vector, visible_chunks(view, request.scope, served)
        )

    def _rank(
        self, view: "Snapshot", request: RecallRequest, served: "SnippetSource", question: "RankingQuery"
    ) -> "Ranked":
        mode = self._mode(request)
        if mode is Ranking.DEFAULT:
            from everself.search.ranking import rank

            return rank(view, question, served.texts)
        from everself.search.ranking import rank_by_sum, rank_by_tfidf

        if mode is Ranking.HYBRID:
            return rank_by_sum(view, question, self._settings.vector_weight, self._settings.text_weight)
        return rank_by_tfidf(view, question, served.texts)

    def _hits(
        self,
        view: "Snapshot",
        request: RecallRequest,
        served: "SnippetSource",
        part: "Ranked",
        first: int,
        words: SearchQuery,
        found: HitEntries,
    ) -> tuple[list[Hit], list[tuple[Hit, str]]]:
        from everself.search.chunking.marks import Flag

        numbers = part.chunks.tolist()
        chunks = served.chunks(numbers)
        texts = served.texts(numbers)
        columns = view.columns[part.chunks]
        imported, corrections, struck = (
            ((columns["flags"] & int(flag)) != 0).tolist() for flag in (Flag.IMPORTED, Flag.CORRECTION, Flag.CLOSED)
        )
        days_of, scores = columns["day"].tolist(), part.scores.tolist()
        ageing = Ageing(self._clock.today(), self._settings.decay, self._settings.half_life_days)
        questions = self._questions(view, request, served, numbers)
        built: list[Hit] = []
        for at, (chunk, text) in enumerate(zip(chunks, texts, strict=True)):
            path = served.path(chunk.document)
            days = days_of[at]
            before = questions.get(chunk.number)
            built.append(
                Hit(
                    path,
                    chunk.first_line if before is None else before[0],
                    chunk.last_line,
                    scores[at],
                    text if before is None else f"{before[1]}\n{text}",
                    day=date.fromordinal(days + _EPOCH) if days else None,
                    tier=place(path).tier,
                    closed=struck[at],
                    imported=imported[at],
                    parts=by_rank(first + at),
                )
            )
        # only a closed hit has another score because of its entry
        entries = found.of(built if request.as_of is not None else (hit for hit in built if hit.closed))
        exactly = asks_exactly(words)
        hits: list[Hit] = []
        lost: list[tuple[Hit, str]] = []
        for at, hit in enumerate(built):
            entry = entries.get(first + at)
            if chunks[at].document in served.skipped:
                lost.append((hit, "changed while it was searched"))
            elif not _holds(entry, request.as_of):
                lost.append((hit, "not valid on that day"))
            elif self._mode(request) is Ranking.TFIDF:
                hits.append(hit)
            else:
                text = texts[at]
                # text inside a redacted secret does not count
                exact = exactly and is_exact(words, text) and is_exact(words, redact(text).text)
                boost = self._boost if corrections[at] else 1.0
                hits.append(adjust(hit, ageing, closed=entry is not None and entry.closed, exact=exact, boost=boost))
        hits.sort(key=lambda hit: (-round(hit.score, 6), -(hit.day or date.min).toordinal(), hit.path, hit.first_line))
        return hits, lost

    def _with_entries(self, hits: Sequence[Hit], entries: Mapping[int, Entry], scope: Scope) -> list[Hit]:
        """The hits with what their entries say, by rank."""
        later = self._later() if is_owner(scope) else {}
        # the replacement may be invisible to this session
        replaced = self._memory.words_now_of(entries.values()) if is_owner(scope) else {}
        told: list[Hit] = []
        for hit in hits:
            entry = entries.get(rank_of(hit))
            if entry is not None:
                hit = hit._replace(
                    entry=entry.id,
                    tag=entry.tag,
                    until=entry.until,
                    closed=entry.closed,
                    now=replaced.get(entry.id, ""),
                    later="" if entry.closed else later.get(entry.id, ""),
                )
            told.append(hit)
        return told

    def _questions(
        self, view: "Snapshot", request: RecallRequest, served: "SnippetSource", numbers: Sequence[int]
    ) -> dict[int, tuple[int, str]]:
        """The questions that short answers among the chunks belong to, if visible to the session: first line and text of each."""
        from everself.search._visibility import visible_chunks

        if self._mode(request) is not Ranking.DEFAULT or request.as_of is not None:
            return {}
        visible = visible_chunks(view, request.scope, served)
        found = {
            number: chunk
            for number, chunk in served.questions(numbers).items()
            if visible is None or visible[chunk.number]
        }
        texts = served.texts([chunk.number for chunk in found.values()])
        return {
            number: (chunk.first_line, text) for (number, chunk), text in zip(found.items(), texts, strict=True) if text
        }

    def _record(self, request: RecallRequest, found: SearchResult) -> str:
        record = SearchRecord(
            at=self._clock.now(),
            session=request.session,
            session_kind=request.scope.kind.value,
            mode=found.ranking.value,
            query=found.query,
            provider=found.provider,
            tokens=found.tokens,
            notices=found.notices,
            left_out=found.left_out,
            person=request.scope.person or "",
        )
        hits = [
            HitRecord(
                hit.entry,
                hit.path,
                hit.first_line,
                hit.last_line,
                hit.score,
                (*((part.name, part.value) for part in hit.parts), *((("weak", 1.0),) if hit.weak else ())),
            )
            for hit in found.hits
        ]
        return self._searches.record(record, hits)


class _Meaning:
    """The vector of a query, computed once and only if there are vectors to compare."""

    def __init__(self, index: "Index", query: str) -> None:
        self._index = index
        self._query = query
        self._vector: Floats | str | None = None
        self._second: Floats | None = None
        self.notice = ""

    def vector_for(self, view: "Snapshot") -> "Floats | None":
        if not self._index.model:
            return None
        if not view.embedded:
            self.notice = "Keyword search only: there are no vectors yet." if len(view.columns) else ""
            return None
        if self._vector is None:
            self._vector = self._index.query_vector(self._query)
        if isinstance(self._vector, str):
            self.notice = f"Keyword search only: {self._vector}"
            return None
        waiting = view.pending
        told = "1 chunk has no vector yet and is" if waiting == 1 else f"{waiting:,} chunks have no vector yet and are"
        self.notice = f"{told} found by keywords only." if waiting else ""
        return self._vector

    def second_for(self, view: "Snapshot") -> "Floats | None":
        """The vector by the better model; None if it is not installed or has no vectors yet."""
        if self._second is None:
            self._second = self._index.second_query_vector(self._query, view)
        return self._second


def _wanted(request: RecallRequest, limit: int) -> int:
    """The number of hits that could fit."""
    fitting = limit if request.budget is None else request.budget // _LEAST_TOKENS
    return fitting if request.limit is None else min(fitting, request.limit)


def _holds(entry: Entry | None, as_of: date | None) -> bool:
    if as_of is None or entry is None:
        return True
    born = entry.day is None or entry.day <= as_of
    return born and (entry.until is None or entry.until > as_of)
