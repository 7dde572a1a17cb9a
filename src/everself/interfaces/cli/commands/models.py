"""`everself model` and `everself spend`: which model answers, what it can do, and what it costs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.interfaces.cli.call import agent_option, answer, json_option, opened
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.models.chat.model_trial import Trial
    from everself.operations.models import ModelLine, SpendReport

_NO_MODEL = "answers from memory alone; no model"


@click.group(
    "model",
    cls=Family,
    examples=[
        ("everself model list", "what can be used, for how much, and whose key is there"),
        ("everself model use anthropic/claude-sonnet-5-5", "talk through that one from now on"),
        ("everself model test", "what the model in use can and cannot do"),
    ],
)
@json_option
@click.pass_context
def model(context: click.Context) -> None:
    """Choose the model that answers, and try what it can do."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@model.command("list", cls=Verb, examples=[("everself model list", "the one with * is in use")])
@click.option("--all", "everything", is_flag=True, help="Those too whose key is missing.")
@agent_option
@json_option
def list_command(everything: bool, agent: str) -> None:
    """List models with their window, their price and whether their key is there.

    Prices are in dollars for a million tokens sent (in) and received (out).
    """
    from everself.operations.models import list_models

    with opened(agent) as app:
        found = list_models(app)
    shown = [one for one in found.models if everything or one.used or one.key != "missing"]
    width = max(len(one.name) for one in shown)
    hidden = len(found.models) - len(shown)
    notices = [f"{count_of(hidden, 'model')} without a key: everself model list --all"] if hidden else []
    answer(found, [_line(one, width) for one in shown], notices)


@model.command(
    "use",
    cls=Verb,
    examples=[
        ("everself model use anthropic/claude-sonnet-5-5", "its key is provider.anthropic.apiKey or ANTHROPIC_API_KEY"),
        ("everself model use ollama/qwen3:8b", "a model on this machine"),
        ("everself model use reflex", "back to answering from memory alone"),
    ],
)
@click.argument("name")
@agent_option
@json_option
def use(name: str, agent: str) -> None:
    """Let the agent answer through this model from now on."""
    from everself.operations.models import use_model

    with opened(agent) as app:
        done = use_model(app, name, agent)
    words = (
        f"{done.now} answers now, instead of {done.before}." if done.saved.changed else f"{done.now} answers already."
    )
    lines = [words, f"{done.saved.key} in {done.saved.file} says so."] if done.saved.changed else [words]
    answer(done, lines, [f"{one.message} {one.mend}".strip() for one in done.saved.remarks])


@model.command(
    "test",
    cls=Verb,
    examples=[
        ("everself model test", "the model in use"),
        ("everself model test ollama/qwen3:8b", "another one, before you use it"),
    ],
)
@click.argument("name", required=False, default="")
@agent_option
@json_option
def test(name: str, agent: str) -> None:
    """Ask a model a few short questions, and say what it can and cannot do."""
    from everself.operations.models import try_model

    with opened(agent) as app:
        found = try_model(app, name)
    answer(found, list(_trial(found)))


@click.command(
    "spend",
    cls=Verb,
    examples=[
        ("everself spend", "the last seven days"),
        ("everself spend --days 30 --json", "a month, for a program"),
    ],
)
@click.option("--days", type=int, default=7, show_default=True, help="How many days, today included.")
@agent_option
@json_option
def spend(days: int, agent: str) -> None:
    """Show what models cost, by day and job.

    What runs unasked has a limit of its own for each day: spend.backgroundPerDay in the settings.
    """
    from everself.operations.models import show_spend

    with opened(agent) as app:
        found = show_spend(app, days)
    answer(found, list(_spend(found)))


def _line(one: "ModelLine", width: int) -> Line:
    mark = "*" if one.used else " "
    if one.name == "reflex":
        return f"{mark} {one.name:<{width}}  {_NO_MODEL}"
    window = f"{one.window:,} tokens" if one.listed else f"about {one.window:,} tokens"
    if one.price is None:
        price = "price unknown"
    elif one.price.sent or one.price.received:
        price = f"${one.price.sent:g} in, ${one.price.received:g} out"
    else:
        price = "free"
    key = "no key needed" if one.key == "not needed" else f"key {one.key}"
    line = f"{mark} {one.name:<{width}}  {window:>19}  {price:<20}  {key}"
    return paint(line, dim=True) if one.key == "missing" else line


def _trial(found: "Trial") -> Iterator[Line]:
    yield paint(found.model, bold=True) + f" takes {found.window:,} tokens and gives {found.most_output:,} at most"
    for one in found.tried:
        yield (paint("  ✓ ", "green") if one.able else paint("  ✗ ", "red")) + one.words
    yield found.verdict
    cost = "" if not found.paid else ", at an unknown price" if found.micros is None else f", {dollars(found.micros)}"
    yield f"The test used {found.sent:,} tokens sent and {found.received:,} received{cost}."


def _spend(found: "SpendReport") -> Iterator[Line]:
    if not found.days:
        yield f"No model was asked since {found.since}."
    day = ""
    for one in found.days:
        if one.day != day:
            day = one.day
            yield paint(day, bold=True)
        cost = "price unknown" if one.unpriced and not one.micros else dollars(one.micros)
        tokens = f"{one.sent:,} sent, {one.received:,} received" + (f", {one.cached:,} cached" if one.cached else "")
        yield f"  {one.job:<12}{cost:>13}  {count_of(one.requests, 'request')} of {one.model}: {tokens}"
    yield f"Background today: {dollars(found.background.micros)} of {dollars(round(found.dollars_a_day * 1_000_000))}"
    if found.background.unpriced:
        yield f"  and {found.background.unpriced:,} of {found.tokens_a_day:,} tokens whose price is unknown"


def dollars(micros: int) -> str:
    """Small sums keep their digits: what one request costs is often less than a cent."""
    amount = micros / 1_000_000
    return f"${amount:.2f}" if amount >= 1 or not micros else f"${amount:.4f}"
