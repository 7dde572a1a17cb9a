"""Output of `everself memory eval`."""

from collections.abc import Iterator
from typing import Final

from everself.config.installation import install_command
from everself.interfaces.rendering.lines import count_of
from everself.interfaces.rendering.view import Look, View, degraded_if
from everself.operations.evaluation import EvaluationReport, Measurement

_BETTER: Final = {
    "missing": "A better model puts the first hundred in order again, and is not installed: {install}",
    "unfinished": "A better model puts the first hundred in order again, and has not read every note yet: everself memory index --better",
}


def _better(state: str) -> str:
    return _BETTER[state].format(install=install_command("quality"))


def _notices(found: EvaluationReport) -> Iterator[str]:
    if found.now.setup.model != "none" and found.now.setup.embedded < 1:
        yield "Not every chunk has its vector yet: everself memory index"
    if found.better:
        late = round((1 - found.now.recall_at_5) * found.now.questions)
        yield f"{count_of(late, 'note')} of {found.now.questions} did not come among the first five. {_better(found.better)}"
    if found.worse:
        why = f" What changed: {'; '.join(found.changed)}." if found.changed else ""
        yield f"Search finds less than before: MRR is down by {found.worse:.3f}, more than chance does.{why}"
        if not found.kept:
            yield "The better result is kept to compare with; --save takes this one."


def _measured(found: EvaluationReport, _: Look) -> Iterator[str]:
    setup = found.now.setup
    yield f"{count_of(found.now.questions, 'question')}, ranking {setup.ranking}, model {setup.model}"
    yield f"{'':<10}  {'@1':>5}  {'@5':>5}  {'@10':>5}  {'MRR':>5}"
    yield _row("now", found.now)
    if found.before is not None:
        yield _row(f"{found.before.at:%Y-%m-%d}", found.before)


def _row(name: str, result: Measurement) -> str:
    figures = (result.recall_at_1, result.recall_at_5, result.recall_at_10, result.mrr)
    return f"{name:<10}  " + "  ".join(f"{one:>5.3f}" for one in figures)


VIEWS: Final = {"memory.eval": View(_measured, code=degraded_if(lambda found: found.worse), notices=_notices)}
