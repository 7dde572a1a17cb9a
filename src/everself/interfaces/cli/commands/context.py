"""`everself context`: exactly what a model would be told, and how it came to be that."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.conversation.context.receipt import Receipt, SlotUse

_BAR = 24
_LISTED = 20


@click.command(
    "context",
    cls=Verb,
    examples=[
        ("everself context", "what the model is told when you begin to talk"),
        ('everself context --message "When is the rent due?" --explain', "with what is recalled, and what it costs"),
        ("everself context --session-kind group", "what it is told in company"),
        ("everself context --session-kind guest/anna", "in a private chat with somebody else"),
    ],
)
@click.option("--session-kind", metavar="KIND[/PERSON]", default="main", show_default=True, help="For such a session.")
@click.option("--message", metavar="TEXT", default="", help="As if this were said, so that memory is searched for it.")
@click.option("--explain", is_flag=True, help="Show after it what each part costs, and what was left out and why.")
@agent_option
@json_option
def context(session_kind: str, message: str, explain: bool, agent: str) -> None:
    """Print the prompt as the model would get it."""
    from everself.conversation.context.request import PromptRequest
    from everself.operations.context import show_context
    from everself.operations.search import scope_of

    ask = PromptRequest(scope_of(session_kind), message)
    with opened(agent) as app:
        report = show_context(app, ask)
        notices = [*report.receipt.notices, *recovery_notices(app)]
    lines: list[Line] = list(report.text.splitlines())
    answer(report, [*lines, *(_explained(report.receipt) if explain else ())], notices)


def _explained(receipt: "Receipt") -> Iterator[Line]:
    with_whom = f" with {receipt.person}" if receipt.person else ""
    yield ""
    yield paint(f"{receipt.total} tokens", bold=True) + f" for a {receipt.kind} session{with_whom}, {receipt.profile}"
    if receipt.limit is not None:
        yield f"  of {receipt.limit} that the window leaves"
    yield f"  prefix {receipt.prefix_tokens}, sha256 {receipt.prefix_hash}"
    yield f"  delta  {receipt.delta_tokens}"
    yield "  " + ", ".join(f"{part.name} {part.tokens}" for part in receipt.parts)
    if receipt.slots:
        yield ""
        yield paint(f"Slots: {receipt.memory} of {receipt.memory_limit} tokens", bold=True)
        yield from (_slot(use) for use in receipt.slots)
    for one in receipt.stolen:
        yield f"  {one.taker} took {one.tokens} from {one.giver}" + (", which would have used it" if one.used else "")
    for offer in receipt.offered:
        yield f"  {offer.taker} got {offer.tokens} that " + (
            f"{offer.giver} left" if offer.giver else "no budget claims"
        )
    if receipt.files:
        yield ""
        yield paint("Files", bold=True)
        yield from (f"  {one.name} {one.tokens}" for one in receipt.files)
    yield from _gaps(receipt)


def _slot(use: "SlotUse") -> Line:
    most = max(use.budget, use.given, use.tokens, 1)
    filled = round(_BAR * use.tokens / most)
    kept = max(filled, round(_BAR * use.given / most))
    bar = "█" * filled + "▒" * (kept - filled) + "·" * (_BAR - kept)
    more = f", {use.whole} would fill it" if use.whole > use.given else ""
    return f"  {use.slot:<12}{bar} {use.tokens:>6} of {use.given:>5}, budget {use.budget}{more}"


def _gaps(receipt: "Receipt") -> Iterator[Line]:
    if receipt.missing:
        yield f"Not there: {', '.join(receipt.missing)}"
    for title, lines in (
        ("Left out", [f"{one.reference} ({one.tokens} tokens): {one.reason}" for one in receipt.omissions]),
        ("Found and not given", _counted([f"{one.path}: {one.reason}" for one in receipt.not_recalled])),
    ):
        if lines:
            yield ""
            yield paint(title, bold=True)
            yield from (f"  {line}" for line in lines[:_LISTED])
        if len(lines) > _LISTED:
            yield f"  and {count_of(len(lines) - _LISTED, 'more place')}; --json lists them all"


def _counted(lines: list[str]) -> list[str]:
    """Each line once, with how often it was there."""
    counts: dict[str, int] = {}
    for line in lines:
        counts[line] = counts.get(line, 0) + 1
    return [line if times == 1 else f"{line} ({times} times)" for line, times in counts.items()]
