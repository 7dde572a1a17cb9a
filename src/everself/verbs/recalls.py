"""The verbs over recall for whoever stands in front: search with citations, lines of a document, why something was recalled.

Knows the opened agent. Whether searching is switched off is decided here, for every face.
"""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

import re2

from everself.app.recalling import need_search
from everself.config.sections import Ranking
from everself.errors import NotFound, WrongUse
from everself.memory.corrections import PATH as CORRECTIONS
from everself.memory.corrections import mark_embedded, not_embedded
from everself.recall.adjusting import Ageing
from everself.recall.recall import OWNER, Request
from everself.recall.scopes import Scope, SessionKind
from everself.store.searches import LeftOut, SearchRecord
from everself.text.normalise import fold, slug
from everself.values import Author, Change, Hit

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.index.sync.syncing import Progress

# how long a command that has answered may go on for the next one's sake
CATCH_UP_SECONDS: Final = 2.0
LOCAL: Final = "local"
_CITATION: Final = re2.compile(r"^(.+)#L([0-9]{1,9})(?:-L?([0-9]{1,9}))?$")


@dataclass(frozen=True, slots=True)
class Recalled:
    """A hit with its citation. `weight` is seed 1's: what age alone would make of it, whether or not it counts here."""

    citation: str
    weight: float
    hit: Hit


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found. `id` names its record; `degraded` where something failed and less was looked at than should be."""

    query: str
    id: str
    ranking: Ranking
    provider: str
    tokens: int
    hits: tuple[Recalled, ...]
    left_out: tuple[LeftOut, ...]
    notices: tuple[str, ...]
    degraded: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a document."""

    citation: str
    path: str
    first_line: int
    last_line: int
    day: date | None
    text: str


def scope_of(session: str, project: str = "") -> Scope:
    """For whom is searched: a kind of session such as `main` or `group`, or with a person `guest/anna`."""
    kind, _, person = session.partition("/")
    if kind not in list(SessionKind):
        raise WrongUse(f'"{kind[:40]}" is no kind of session.', mend=f"One of {', '.join(SessionKind)}.")
    return Scope(SessionKind(kind), slug(person) if person else None, slug(project) if project else None)


def search_memory(app: "App", request: Request, progress: "Progress | None" = None) -> Answer:
    """The best hits for a query, with citations. `progress` is told how far the reading of files that changed is."""
    need_search(app)
    with app.index.telling(progress):
        found = app.recall.search(request)
    settings = app.agent.search
    ageing = Ageing(app.clock.today(), settings.decay, settings.half_life_days)
    view = app.index.view(fresh=False)
    speechless = found.provider == "keywords" and view.embedded > 0 and found.ranking is not Ranking.TFIDF
    return Answer(
        query=found.query,
        id=found.id,
        ranking=found.ranking,
        provider=found.provider,
        tokens=found.tokens,
        hits=tuple(Recalled(hit.reference, ageing.weight(hit), hit) for hit in found.hits),
        left_out=found.left_out,
        notices=found.notices,
        degraded=bool(view.notices) or speechless,
    )


def catch_up(app: "App", seconds: float = CATCH_UP_SECONDS) -> int:
    """Embed what waits for it, for a moment and only where that happens on this machine; how many pieces are left."""
    if app.embedder is None:
        return 0
    corrections = _not_embedded(app)
    if corrections:
        app.index.sync()
    left = app.index.pending()
    if left and app.embedder.provider == LOCAL and not app.embedder.paid:
        left = app.index.embed(seconds=seconds).pending
    if corrections and not left:
        _note_embedded(app, corrections)
    return left


def _not_embedded(app: "App") -> tuple[str, ...]:
    found = app.workspace.find(CORRECTIONS)
    return () if found is None else not_embedded(found.data)


def _note_embedded(app: "App", corrections: tuple[str, ...]) -> None:
    """Search finds them by their meaning now, and their records say so."""

    def plan() -> Change | None:
        draft = app.memory.draft()
        changed = mark_embedded(draft, corrections)
        return Change(Author.RUNTIME, "embedded again", draft.edits()) if changed else None

    app.memory.apply(plan)


def get_lines(
    app: "App", name: str, scope: Scope = OWNER, *, first: int | None = None, lines: int | None = None
) -> Passage:
    """Lines of a document that search may find, by its path or by a citation such as `memory/2026-03-19.md#L3-L9`."""
    need_search(app)
    cited = _CITATION.match(name)
    if cited is not None:
        if first is not None or lines is not None:
            raise WrongUse("The citation says which lines; --from and --lines say it a second time.")
        name, first = cited[1], int(cited[2])
        last = int(cited[3]) if cited[3] else first
        if last < first:
            raise WrongUse(f"Lines {first} to {last} are none.")
        lines = last - first + 1
    hit = app.recall.get(name, scope, first=1 if first is None else first, lines=lines)
    return Passage(hit.reference, hit.path, hit.first_line, hit.last_line, hit.day, hit.text)


def explain_search(app: "App", name: str) -> SearchRecord:
    """What a search recalled: by its id, the beginning of its id, `last`, or words of its query, the newest first."""
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
            raise NotFound("Nothing was searched for yet.", mend="everself memory search WORDS") from None
        raise NotFound(f'No search is called "{name}" or was for it.', mend="everself memory why --list") from None


def list_searches(app: "App", limit: int, words: str = "") -> tuple[SearchRecord, ...]:
    """The newest searches, without their hits."""
    return app.state.searches.list(limit, query_contains=words or None)
