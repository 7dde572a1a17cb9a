"""Output of `everself context`: the prompt, and the cost of each part."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import re2

from everself.conversation.context.receipt import Receipt, SlotUse
from everself.errors import EverselfError
from everself.interfaces.rendering.lines import Line, count_of, paint
from everself.interfaces.rendering.view import ExitCode, Look, View
from everself.operations.conversation import ContextReport, Reply, embed_waiting
from everself.runtime import Runtime

_CITATION: Final = r"[^\s()（）「」“”]+#L[0-9]+(?:-L?[0-9]+)?"
_SHARED: Final = ("written", "session", "message", "model", "why", "tools", "usage", "cost")


def _reply_lines(reply: Reply, _: Look) -> Iterable[Line]:
    return reply.text.splitlines()


def _data(reply: Reply) -> dict[str, object]:
    """The JSON data. `citations` are those in the reply's text, `written` the changes of memory."""
    cited = tuple(dict.fromkeys(re2.findall(_CITATION, reply.text)))
    return {"reply": reply.text, "citations": cited, **{name: getattr(reply, name) for name in _SHARED}}


def _notices(reply: Reply) -> list[str]:
    return [f"{one.text} → {one.mend}" if one.mend else one.text for one in reply.notices]


def _error(reply: Reply) -> EverselfError | None:
    if not reply.failed:
        return None
    trouble = next((one for one in reversed(reply.notices) if one.level == "warning"), None)
    return EverselfError(trouble.text, mend=trouble.mend) if trouble else EverselfError()


def _code(reply: Reply) -> ExitCode:
    return ExitCode.FAILED if reply.failed else ExitCode.DONE


def _embed_waiting(runtime: Runtime) -> list[str]:
    embed_waiting(runtime)
    return []


_BAR: Final = 24
_LISTED: Final = 20


def _lines(report: ContextReport, look: Look) -> Iterator[Line]:
    yield from report.text.splitlines()
    if "explain" in look.flags:
        yield from _said(report.receipt)
        if report.history:
            yield f"The conversation so far adds {report.history:,} tokens."
        if report.cached:
            yield f"A provider's cache would serve {report.cached:,} of them, for as long as it keeps them."
        yield from _explained(report.receipt) if "verbose" in look.flags else ()
        yield from _gaps(report.receipt)


def _said(receipt: Receipt) -> Iterator[Line]:
    """The parts of the prompt in words; costs only on request."""
    share = f" of the {receipt.limit:,} that the window leaves" if receipt.limit is not None else ""
    yield ""
    yield f"This prompt takes {receipt.total:,} tokens{share}; {receipt.prefix_tokens:,} of them are the same at every turn."
    used = sorted((one for one in receipt.slots if one.tokens), key=lambda one: -one.tokens)
    if used:
        yield f"Memory in it, the most first: {', '.join(str(one.slot) for one in used)}."
    else:
        yield "No memory is in it."
    if receipt.files:
        yield f"Files in it: {', '.join(one.name for one in receipt.files)}."


def _explained(receipt: Receipt) -> Iterator[Line]:
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


def _slot(use: SlotUse) -> Line:
    most = max(use.budget, use.given, use.tokens, 1)
    filled = round(_BAR * use.tokens / most)
    kept = max(filled, round(_BAR * use.given / most))
    bar = "█" * filled + "▒" * (kept - filled) + "·" * (_BAR - kept)
    more = f", {use.whole} would fill it" if use.whole > use.given else ""
    return f"  {use.slot:<12}{bar} {use.tokens:>6} of {use.given:>5}, budget {use.budget}{more}"


def _gaps(receipt: Receipt) -> Iterator[Line]:
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
    return [line if times == 1 else f"{line} ({times} times)" for line, times in Counter(lines).items()]


_EXPLAIN: Final = (
    ("explain", "Say after it what it is made of, and what was left out and why."),
    ("verbose", "With --explain: the tokens of each part."),
)
VIEWS: Final = {
    "ask": View(_reply_lines, code=_code, data=_data, notices=_notices, error=_error, after=_embed_waiting),
    "context": View(_lines, notices=lambda report: report.receipt.notices, flags=_EXPLAIN),
}
