"""`memory eval`: search measured on the person's own notes, and compared with the result that was kept.

Keeps numbers and settings, never a question: those are made of what the person wrote.
"""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from everself.search.evaluation import Evaluation, change_beyond_chance, evaluate, make_questions, sample_notes
from everself.search.factory import need_search
from everself.search.recall import RecallRequest

if TYPE_CHECKING:
    from everself.runtime import Runtime
    from everself.search.evaluation import EvaluationQuestion
    from everself.search.index_file.view import Snapshot
    from everself.search.sync.sync import Progress
    from everself.values import Hit

_KEPT = "evaluation"


@dataclass(frozen=True, slots=True)
class Setup:
    """What a result depends on beside the notes."""

    model: str
    ranking: str
    vector_weight: float
    text_weight: float
    decay: bool
    half_life_days: float
    embedded: float


@dataclass(frozen=True, slots=True)
class Result:
    """Which share of the questions had their note at the first place, among the first five, among the first ten."""

    at: datetime
    questions: int
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    mrr: float
    setup: Setup


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """This result and the one that was kept before. `worse` is by how much more than chance does; `changed` names what differs."""

    now: Result
    before: Result | None = None
    worse: float = 0.0
    changed: tuple[str, ...] = ()
    kept: bool = False


def evaluate_memory(
    app: "Runtime", questions: int = 100, *, save: bool = False, progress: "Progress | None" = None
) -> EvaluationReport:
    """Ask for notes by some of their words, and count how often they are found. A result that is worse is kept only with `save`."""
    need_search(app.agent.search)
    asked = app.index.ask(lambda view: _questions(app, view, questions))

    def search(words: str) -> "tuple[Hit, ...]":
        return app.recall.search(RecallRequest(words, limit=10, min_score=0.0, recorded=False)).hits

    found = evaluate(asked, search, progress)
    now = _result(app, found)
    known = _load(app)
    if known is None:
        kept = bool(found.count)
        report = EvaluationReport(now, kept=kept)
    else:
        before, earlier = known
        worse = max(0.0, -change_beyond_chance(earlier, found))
        changed = tuple(
            f"{name}: {was} → {asdict(now.setup)[name]}"
            for name, was in asdict(before.setup).items()
            if was != asdict(now.setup)[name]
        )
        kept = bool(found.count) and (save or not worse)
        report = EvaluationReport(now, before, worse, changed, kept)
    if kept:
        app.state.set_meta(_KEPT, _render(now, found))
    return report


def _questions(app: "Runtime", view: "Snapshot", count: int) -> "tuple[EvaluationQuestion, ...]":
    from everself.search.document_cache import DocumentCache
    from everself.search.snippets import SnippetSource
    from everself.text.search import index_terms

    def commonness(word: str) -> int:
        return min((len(view.postings(term)[0]) for term in index_terms(word).counts), default=0)

    served = SnippetSource(view, DocumentCache(app.index).read)
    own = (one for one in sample_notes(view, served) if not app.index.is_imported(one.path))
    return make_questions(own, commonness, count)


def _result(app: "Runtime", found: Evaluation) -> Result:
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
    return Result(app.clock.now(), found.count, first, five, ten, found.mrr, setup)


def _render(result: Result, found: Evaluation) -> str:
    told = asdict(result) | {"at": result.at.isoformat()}
    return json.dumps({"result": told, "asked": found.asked, "ranks": found.ranks})


def _load(app: "Runtime") -> tuple[Result, Evaluation] | None:
    text = app.state.get_meta(_KEPT)
    if text is None:
        return None
    try:
        kept = json.loads(text)
        told = kept["result"]
        result = Result(**{**told, "at": datetime.fromisoformat(told["at"]), "setup": Setup(**told["setup"])})
        return result, Evaluation(kept["asked"], tuple(map(int, kept["ranks"])))
    except (KeyError, TypeError, ValueError):
        # of another version: there is nothing to compare with
        return None
