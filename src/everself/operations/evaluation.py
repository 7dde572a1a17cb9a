"""Operation `memory eval`: measures search on the person's own notes and compares with the stored result.

Stores numbers and settings, never questions, because those contain the person's words.
"""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec

from everself.errors import NotFound
from everself.frozen import Frozen
from everself.models.embedding import wants_second
from everself.operations.caller import Caller
from everself.operations.declaration import Option, Request, Result, Tell, owner_writes
from everself.runtime import Runtime
from everself.search.evaluation import (
    Evaluation,
    EvaluationQuestion,
    change_beyond_chance,
    evaluate,
    make_questions,
    sample_notes,
)
from everself.search.factory import need_search
from everself.search.index_file.view import Snapshot
from everself.search.recall import RecallRequest
from everself.search.snippets import DocumentCache, SnippetSource
from everself.text.search import index_terms
from everself.values import Hit

_KEPT = "evaluation"
# below this recall at 5, with at least this many questions, the better model may help
_SELDOM: Final = 0.9
_ENOUGH: Final = 20

BetterModel = Literal["", "missing", "unfinished"]


class Setup(Result):
    model: str
    ranking: str
    vector_weight: float
    text_weight: float
    decay: bool
    half_life_days: float
    embedded: float


class Measurement(Result):
    """The share of questions whose note was found at rank 1, within 5, and within 10."""

    at: datetime
    questions: int
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    mrr: float
    setup: Setup


class EvaluationReport(Result):
    """The current and the previous result. `worse` is the decline beyond chance; `changed` lists differing settings.

    `better`: the better model might help, but is not installed or has not read everything yet.
    """

    now: Measurement
    before: Measurement | None = None
    worse: float = 0.0
    changed: tuple[str, ...] = ()
    kept: bool = False
    better: BetterModel = ""


class _Kept(Frozen):
    """A stored result with the rank of each question."""

    result: Measurement
    asked: str
    ranks: tuple[int, ...]


class EvaluateRequest(Request):
    questions: Annotated[int, Option("How many to ask.", ge=1, le=10_000)] = 100
    save: Annotated[bool, Option("Store this result for later comparison, even if it is worse.")] = False


@owner_writes("memory.eval", progress="Asking")
def evaluate_memory(app: Runtime, _: Caller, request: EvaluateRequest, tell: Tell | None = None) -> EvaluationReport:
    """Measure search on your own notes, and warn if it has become worse.

    The questions are made from your notes without a model: some of their rarest words, reordered.

    $ everself memory eval  # how often your own notes are found by some of their words
    $ everself memory eval --save  # keep this result to compare the next ones with, even where it is worse
    """
    need_search(app.agent.search)
    asked = app.index.ask(lambda view: _questions(app, view, request.questions))
    if not asked:
        raise NotFound("notes that are long enough to ask about.", mend="everself memory add TEXT")

    def search(words: str) -> tuple[Hit, ...]:
        return app.recall.search(RecallRequest(words, limit=10, min_score=0.0, recorded=False)).hits

    found = evaluate(asked, search, tell)
    now = _result(app, found)
    better = _better(app, found)
    known = _load(app)
    if known is None:
        report = EvaluationReport(now, kept=True, better=better)
    else:
        before, earlier = known.result, Evaluation(known.asked, known.ranks)
        worse = max(0.0, -change_beyond_chance(earlier, found))
        pairs = zip(asdict(before.setup).items(), asdict(now.setup).values(), strict=True)
        changed = tuple(f"{name}: {was} → {value}" for (name, was), value in pairs if was != value)
        report = EvaluationReport(now, before, worse, changed, request.save or not worse, better)
    if report.kept:
        app.state.set_meta(_KEPT, msgspec.json.encode(_Kept(now, found.asked, found.ranks)).decode())
    return report


def _better(app: Runtime, found: Evaluation) -> BetterModel:
    from everself.models.embedding.local import has_quality

    if found.count < _ENOUGH or found.recall_at(5) >= _SELDOM:
        return ""
    if not wants_second(app.agent.search, app.loaded.config.provider):
        return ""
    if not has_quality():
        return "missing"
    return "unfinished" if app.index.view(fresh=False).second_pending else ""


def _questions(app: Runtime, view: Snapshot, count: int) -> tuple[EvaluationQuestion, ...]:
    def commonness(word: str) -> int:
        return min((len(view.postings(term)[0]) for term in index_terms(word).counts), default=0)

    served = SnippetSource(view, DocumentCache(app.index).read)
    own = (one for one in sample_notes(view, served) if not app.index.is_imported(one.path))
    return make_questions(own, commonness, count)


def _result(app: Runtime, found: Evaluation) -> Measurement:
    settings, view = app.agent.search, app.index.view(fresh=False)
    whole = view.embedded + view.pending
    setup = Setup(
        model=app.index.model or "none",
        ranking=settings.ranking.value,
        vector_weight=settings.vector_weight,
        text_weight=settings.text_weight,
        decay=settings.decay,
        half_life_days=settings.half_life_days,
        embedded=round(view.embedded / whole, 2) if whole and app.index.model else 0.0,
    )
    first, five, ten = (found.recall_at(place) for place in (1, 5, 10))
    return Measurement(app.clock.now(), found.count, first, five, ten, found.mrr, setup)


def _load(app: Runtime) -> _Kept | None:
    text = app.state.get_meta(_KEPT)
    try:
        return None if text is None else msgspec.json.decode(text, type=_Kept)
    except msgspec.DecodeError:
        # written by another version, so it cannot be compared
        return None
