"""`everself memory eval`: how well search finds the person's own notes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.errors import NotFound
from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.progress import progress
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.operations.evaluation import EvaluationReport, Result


@click.command(
    "eval",
    cls=Verb,
    examples=[
        ("everself memory eval", "how often your own notes are found by some of their words"),
        ("everself memory eval --save", "keep this result to compare the next ones with, even where it is worse"),
    ],
)
@click.option("--questions", type=click.IntRange(1, 10_000), default=100, show_default=True, help="How many to ask.")
@click.option("--save", is_flag=True, help="Keep this result to compare with, even where it is worse.")
@agent_option
@json_option
def eval_command(questions: int, save: bool, agent: str) -> int:
    """Measure search on your own notes, and warn where it has become worse.

    Questions are made of your notes without a model: some of their rarest words, in another order.
    """
    from everself.operations.evaluation import evaluate_memory

    with opened(agent) as app, progress("Asking") as tell:
        found = evaluate_memory(app, questions, save=save, progress=tell)
        notices = recovery_notices(app)
    if not found.now.questions:
        raise NotFound("There are no notes yet that are long enough to ask about.", mend="everself memory add TEXT")
    if found.now.setup.model != "none" and found.now.setup.embedded < 1:
        notices.append("Not every piece has its vector yet: everself memory index")
    if found.worse:
        why = f" What changed: {'; '.join(found.changed)}." if found.changed else ""
        notices.append(f"Search finds less than before: MRR is down by {found.worse:.3f}, more than chance does.{why}")
        if not found.kept:
            notices.append("The better result is kept to compare with; --save takes this one.")
    answer(found, list(_measured(found)), notices)
    return ExitCode.DEGRADED if found.worse else ExitCode.DONE


def _measured(found: "EvaluationReport") -> Iterator[str]:
    setup = found.now.setup
    yield f"{count_of(found.now.questions, 'question')}, ranking {setup.ranking}, model {setup.model}"
    yield f"{'':<10}  {'@1':>5}  {'@5':>5}  {'@10':>5}  {'MRR':>5}"
    yield _row("now", found.now)
    if found.before is not None:
        yield _row(f"{found.before.at:%Y-%m-%d}", found.before)


def _row(name: str, result: "Result") -> str:
    figures = (result.recall_at_1, result.recall_at_5, result.recall_at_10, result.mrr)
    return f"{name:<10}  " + "  ".join(f"{one:>5.3f}" for one in figures)
