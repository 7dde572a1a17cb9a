"""Renders figures as rows with intervals, as JSON, and as a table beside the promised values. Independent of search."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy
from tools.bench_recall.baselines import NAMES, PLAIN
from tools.bench_recall.finding import rule
from tools.bench_recall.measures import intervals
from tools.bench_recall.running import Answer, Outcome
from tools.bench_recall.sets import Dataset

PRODUCT = "everself"
SYSTEMS = (PRODUCT, *NAMES)


@dataclass(frozen=True, slots=True)
class Row:
    """The mean over n questions and its 95 % interval. A set with a slash is a part of a set, or one language."""

    set: str
    system: str
    metric: str
    value: float
    lo: float
    hi: float
    n: int


@dataclass(frozen=True, slots=True)
class Promise:
    """A promised figure: at least `least`, or `least` above the figure of the baseline `over`."""

    set: str
    metric: str
    least: float
    aim: float | None = None
    over: str = ""


PROMISES = (
    Promise("locomo", "found@500", 0.74, 0.85),
    Promise("locomo", "found@1500", 0.86, 0.95),
    Promise("locomo", "recall@10", 0.73, 0.85),
    Promise("locomo", "session_any@5", 0.93, 0.97),
    Promise("locomo", "session_all@5", 0.82, 0.90),
    Promise("longmemeval", "hit@1", 0.08, over="fts5"),
    Promise("longmemeval", "recall@10", 0.08, over="fts5"),
    Promise("cjk/zh", "hit@1", 0.97),
    Promise("cjk/ja", "hit@1", 0.94),
)
Table = dict[tuple[str, str, str], Row]


def make_rows(answers: Sequence[Answer]) -> list[Row]:
    """One row per set, system and figure, and per category if a set has several."""
    groups: dict[str, dict[str, list[Answer]]] = {}
    for answer in answers:
        groups.setdefault(answer.dataset, {}).setdefault(answer.system, []).append(answer)
    rows: list[Row] = []
    for name, systems in groups.items():
        rows += _group_rows(name, systems)
        categories = dict.fromkeys(answer.question.category for answer in next(iter(systems.values())))
        if len(categories) > 1:
            for category in categories:
                chosen = {
                    system: [one for one in found if one.question.category == category]
                    for system, found in systems.items()
                }
                rows += _group_rows(f"{name}/{category}", chosen)
    return rows


def _group_rows(name: str, systems: dict[str, list[Answer]]) -> Iterator[Row]:
    for system, answers in systems.items():
        metrics = list(answers[0].figures)
        values = numpy.array([[one.figures[metric] for metric in metrics] for one in answers])
        low, high = intervals(values)
        for at, metric in enumerate(metrics):
            mean = float(values[:, at].mean())
            yield Row(name, system, metric, mean, float(low[at]), float(high[at]), len(answers))


def as_json(rows: Sequence[Row], answers: Sequence[Answer]) -> dict[str, list[dict[str, object]]]:
    """The content of the `--json` file."""
    questions: list[dict[str, object]] = [
        {
            "set": one.dataset,
            "system": one.system,
            "id": one.question.id,
            "category": one.question.category,
            "question": one.question.text,
            **one.figures,
        }
        for one in answers
    ]
    return {"rows": [asdict(row) for row in rows], "questions": questions}


def render(datasets: Sequence[Dataset], rows: Sequence[Row], outcome: Outcome) -> Iterator[str]:
    """The lines of the report."""
    table = {(row.set, row.system, row.metric): row for row in rows}
    for dataset in datasets:
        units = sum(len(store.units) for store in dataset.stores)
        yield f"── {dataset.name}: {dataset.asked} questions to {units} units in {len(dataset.stores)} workspace(s)"
        left = ", ".join(f"{number} {what}" for what, number in dataset.left_out.items())
        yield f"   found: {rule(dataset.found_by)}; left out: {left or 'nothing'}"
        yield from _figures(table, dataset.name)
        parts = sorted({row.set for row in rows if row.set.startswith(f"{dataset.name}/")})
        if parts:
            yield from _parts(table, dataset.name, parts)
        yield ""
    yield from _usual(outcome)
    yield from _reliability(outcome)
    yield from _musts(table)
    yield from _behind(rows, table)
    yield from _times(outcome)


def _figures(table: Table, name: str) -> Iterator[str]:
    yield f"   {'':15}{PRODUCT:>8} {'95 %':^13}" + "".join(f"{system:>12}" for system in NAMES) + "   promised"
    for (where, system, metric), row in table.items():
        if where == name and system == PRODUCT:
            others = "".join(f"{table[name, other, metric].value:>12.3f}" for other in NAMES)
            yield f"   {metric:15}{row.value:>8.3f} [{row.lo:.3f}, {row.hi:.3f}]{others}{_promised(table, row)}"


def _promised(table: Table, row: Row) -> str:
    for promise in PROMISES:
        if (promise.set, promise.metric) == (row.set, row.metric):
            least = promise.least + (table[row.set, promise.over, row.metric].value if promise.over else 0.0)
            source = f" ({promise.over} + {promise.least:.2f})" if promise.over else ""
            aim = f", aim {promise.aim:.2f}" if promise.aim is not None else ""
            return f"   ≥ {least:.3f}{source} {'ok' if row.value >= least else 'MISSED'}{aim}"
    return ""


def _parts(table: Table, name: str, parts: Sequence[str]) -> Iterator[str]:
    """For each part of a set, the product's figures, with the best baseline's in brackets."""
    metrics = [metric for where, system, metric in table if where == name and system == PRODUCT]
    shown = [one for one in ("found@500", "found@1500", "hit@1", "recall@10", "mrr", "session_all@5") if one in metrics]
    yield f"   {'(best baseline)':28}{'n':>5}" + "".join(f"{metric:>16}" for metric in shown)
    for part in parts:
        told = []
        for metric in shown:
            best = max(table[part, other, metric].value for other in PLAIN)
            told.append(f"{table[part, PRODUCT, metric].value:.3f} ({best:.3f})")
        title = part.removeprefix(f"{name}/")
        yield f"   {title:28}{table[part, PRODUCT, shown[0]].n:>5}" + "".join(f"{one:>16}" for one in told)


def _usual(outcome: Outcome) -> Iterator[str]:
    yield "── as users get them: nothing set, six results"
    yield f"   {'':15}{'recall@6':>10}{'weak of them':>14}{'none returned':>15}"
    for name in dict.fromkeys(one.dataset for one in outcome.usual):
        held = [one for one in outcome.usual if one.dataset == name]
        shares = [
            statistics.fmean(values) for values in zip(*((one.share, not one.scores) for one in held), strict=True)
        ]
        weak = sum(one.weak for one in held) / max(1, sum(len(one.scores) for one in held))
        yield f"   {name:15}{shares[0]:>10.3f}{weak:>14.1%}{shares[1]:>15.1%}"
    yield ""


_STEPS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.01)


def _reliability(outcome: Outcome) -> Iterator[str]:
    """Calibration of scores; every set has the same weight, because a score must say how often such a hit is right in
    an unknown kind of text.
    """
    names = list(dict.fromkeys(one.dataset for one in outcome.usual))
    yield "── what a score means: how often hits that score so are evidence (mean score, and how many)"
    yield f"   {'score':12}" + "".join(f"{name:>20}" for name in (*names, "all sets alike"))
    for low, high in pairwise(_STEPS):
        cells, whole = [], []
        for name in names:
            pairs = [
                (score, right)
                for one in outcome.usual
                if one.dataset == name
                for score, right in zip(one.scores, one.right, strict=True)
                if low <= score < high
            ]
            if not pairs:
                cells.append("–")
                continue
            mean, share = (statistics.fmean(float(value) for value in column) for column in zip(*pairs, strict=True))
            whole.append((len(pairs) / sum(1 for one in outcome.usual if one.dataset == name), mean, share))
            cells.append(f"{share:.2f} ({mean:.2f}, {len(pairs)})")
        total = sum(weight for weight, _, _ in whole)
        last = [sum(row[0] * row[at] for row in whole) / total for at in (2, 1)] if total else []
        cells.append(f"{last[0]:.2f} ({last[1]:.2f})" if last else "–")
        yield f"   {low:.2f}–{min(high, 1):.2f}   " + "".join(f"{cell:>20}" for cell in cells)
    yield ""


# Baselines that no set may fall below: plain BM25 per message and the encoder alone, and within a budget BM25 over
# usual chunks.
MUSTS = (
    ("hit@1", "fts5"),
    ("hit@1", "vectors"),
    ("any@1", "fts5"),
    ("any@1", "vectors"),
    ("recall@10", "fts5"),
    ("recall@10", "vectors"),
    ("found@1500", "fts5_chunks"),
)


def _musts(table: Table) -> Iterator[str]:
    below = []
    asked = 0
    for (name, system, metric), row in table.items():
        # parts of sets are too small for this test
        if system != PRODUCT or name.count("/") > name.startswith("cjk/"):
            continue
        for wanted, other in MUSTS:
            if wanted == metric:
                asked += 1
                value = table[name, other, metric].value
                if row.value < value:
                    below.append(f"{name} {metric} {row.value:.3f} ({other} {value:.3f})")
    verdict = "ok" if not below else f"MISSED: {'; '.join(below)}"
    yield f"no set below BM25, the encoder alone or BM25 over chunks: {asked - len(below)} of {asked} figures {verdict}"


def _behind(rows: Sequence[Row], table: Table) -> Iterator[str]:
    """Figures in which a baseline is as good or better; whole sets must not have any."""
    whole = {promise.set for promise in PROMISES}
    for title, mine in (("whole sets", True), ("parts of sets", False)):
        figures = [row for row in rows if row.system == PRODUCT and (row.set in whole) == mine]
        behind = []
        for row in figures:
            best = max((table[row.set, other, row.metric] for other in PLAIN), key=lambda one: one.value)
            # a perfect score of both is not a defeat
            if best.value >= row.value and row.value < 1:
                behind.append(f"{row.set} {row.metric} {row.value:.3f} ({best.system} {best.value:.3f})")
        verdict = "ok" if not behind else f"{'MISSED' if mine else 'not'}: {'; '.join(behind)}"
        yield f"above all baselines, {title}: {len(figures) - len(behind)} of {len(figures)} figures {verdict}"


def _times(outcome: Outcome) -> Iterator[str]:
    p50, p95 = (1000 * value for value in _percentiles(outcome.searches))
    yield f"one search for ten hits: p50 {p50:.1f} ms, p95 {p95:.1f} ms, freshness and the question's vector included"
    yield f"the question's vector ({outcome.model}): p50 {1000 * _percentiles(outcome.meanings)[0]:.1f} ms"
    share = outcome.searching / max(outcome.asking, 1e-9)
    yield f"of the time spent on the product's questions {share:.0%} was search, the rest looking at what came back"


def _percentiles(values: Sequence[float]) -> tuple[float, float]:
    if len(values) < 2:
        return (values[0], values[0]) if values else (0.0, 0.0)
    steps = statistics.quantiles(values, n=20, method="inclusive")
    return steps[9], steps[18]
