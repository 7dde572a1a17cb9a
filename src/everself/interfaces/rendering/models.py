"""Output of `everself model` and `everself spend`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, count_of, paint
from everself.interfaces.rendering.settings import saved_notices
from everself.interfaces.rendering.view import Look, View, without
from everself.models.chat.model_trial import Trial
from everself.operations.models import ModelLine, ModelsReport, SpendReport, UsedReport

_NO_MODEL: Final = "answers from memory alone; no model"


def _chosen(found: ModelsReport) -> list[ModelLine]:
    return [one for one in found.models if found.everything or one.used or one.key != "missing"]


def _listed(found: ModelsReport, _: Look) -> Iterable[Line]:
    shown = _chosen(found)
    width = max(len(one.name) for one in shown)
    return [_line(one, width) for one in shown]


def _hidden(found: ModelsReport) -> list[str]:
    hidden = len(found.models) - len(_chosen(found))
    return [f"{count_of(hidden, 'model')} without a key: everself model list --all"] if hidden else []


def _used(done: UsedReport, _: Look) -> Iterable[Line]:
    if not done.saved.changed:
        return [f"{done.now} answers already."]
    instead = f"instead of {done.before}" if done.before != done.now else "at the address that you gave"
    return [
        f"{done.now} answers now, {instead}.",
        f"{done.saved.key} in {done.saved.file} says so.",
    ]


def _line(one: ModelLine, width: int) -> Line:
    mark = "*" if one.used else " "
    if one.name == "reflex":
        return f"{mark} {one.name:<{width}}  {_NO_MODEL}"
    window = f"{'' if one.listed else 'about '}{one.window:,} tokens" if one.window else ""
    if one.price is None:
        price = "price unknown"
    elif one.price.sent or one.price.received:
        price = f"${one.price.sent:g} in, ${one.price.received:g} out"
    else:
        price = "free"
    key = "no key needed" if one.key == "not needed" else f"key {one.key}"
    line = f"{mark} {one.name:<{width}}  {window:>19}  {price:<20}  {key}"
    return paint(line, dim=True) if one.key == "missing" else line


def _trial(found: Trial, _: Look) -> Iterator[Line]:
    yield paint(found.model, bold=True) + f" takes {found.window:,} tokens and gives {found.most_output:,} at most"
    for one in found.tried:
        yield (paint("  ✓ ", "green") if one.able else paint("  ✗ ", "red")) + one.words
    yield found.verdict
    cost = "" if not found.paid else ", at an unknown price" if found.micros is None else f", {dollars(found.micros)}"
    yield f"The test used {found.sent:,} tokens sent and {found.received:,} received{cost}."


def _spend(found: SpendReport, _: Look) -> Iterator[Line]:
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
    """An amount; small ones keep their digits, because a request often costs less than a cent."""
    amount = micros / 1_000_000
    return f"${amount:.2f}" if amount >= 1 or not micros else f"${amount:.4f}"


VIEWS: Final = {
    "model.list": View(_listed, data=without("everything"), notices=_hidden),
    "model.use": View(_used, notices=lambda done: saved_notices(done.saved)),
    "model.test": View(_trial),
    "spend": View(_spend),
}
