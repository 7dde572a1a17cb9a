"""What a model is told: the budget of a prompt for any message, kind of session and conversation, and what did not get in."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from everself.conversation.context.receipt import Receipt
from everself.errors import EverselfError, NotFound
from everself.interfaces.web.visit import Answer, Moved, Page, Shown, Visit
from everself.operations.conversation import ContextReport
from everself.search.scopes import SessionKind

_SESSIONS: Final = 20
_LISTED: Final = 30
_WIDE: Final = 1_000
_COLOURS: Final = 8


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the bar: from where, how wide (both of a thousand), what it is and how many tokens it has."""

    name: str
    tokens: int
    start: float
    width: float
    colour: int


def show_context(visit: Visit) -> Answer:
    query = visit.query
    kind = query["kind"] or SessionKind.MAIN.value
    given = {"session_kind": kind, "message": query["message"], "session": query["session"]}
    report = visit.attempt("context", **{name: value for name, value in given.items() if value})
    if isinstance(report, NotFound) and query["session"]:
        return Moved(visit.here(session=""))
    trouble = report if isinstance(report, EverselfError) else None
    values: dict[str, object] = {
        "report": None if trouble else report,
        "trouble": trouble,
        "kind": kind,
        "kinds": [one.value for one in SessionKind],
        "sessions": visit.run("sessions.list", limit=_SESSIONS),
    }
    if trouble is None:
        values |= {
            "pieces": pieces_of(report.receipt),
            "sent": _sent(report),
            "not_recalled": Counter(f"{one.path}: {one.reason}" for one in report.receipt.not_recalled).most_common(
                _LISTED
            ),
            "listed": _LISTED,
        }
    return Shown("context/context.html", values)


def show_prompt(visit: Visit) -> Answer:
    """All of it, as the model would get it."""
    given = visit.query.given("message", "session")
    report = visit.run("context", session_kind=visit.query["kind"] or SessionKind.MAIN.value, **given)
    return Shown("context/prompt.html", {"report": report})


def show_compaction(visit: Visit) -> Answer:
    """What would survive if a conversation were made shorter now."""
    return Shown(
        "context/compaction.html", {"found": visit.run("simulate-compaction", name=visit.query["session"] or "last")}
    )


def pieces_of(receipt: Receipt) -> list[Piece]:
    """The whole prompt from left to right: what stands in every one, files, the slots of memory, and the room that is left."""
    slots = [(str(one.slot), one.tokens) for one in receipt.slots if one.tokens]
    rest = receipt.total - sum(tokens for _, tokens in slots)
    named = [("rules", max(0, rest)), *slots]
    left = (receipt.limit - receipt.total) if receipt.limit is not None else receipt.memory_limit - receipt.memory
    whole = max(1, receipt.total + max(0, left))
    made: list[Piece] = []
    start = 0.0
    for number, (name, tokens) in enumerate([*named, ("free", max(0, left))]):
        width = _WIDE * tokens / whole
        made.append(Piece(name, tokens, round(start, 1), round(width, 1), -1 if name == "free" else number % _COLOURS))
        start += width
    return made


def _sent(report: ContextReport) -> list[Piece]:
    """Prefix, history and delta."""
    receipt = report.receipt
    parts = (("prefix", receipt.prefix_tokens), ("history", report.history), ("delta", receipt.delta_tokens))
    whole = max(1, sum(tokens for _, tokens in parts))
    made: list[Piece] = []
    start = 0.0
    for number, (name, tokens) in enumerate(parts):
        width = _WIDE * tokens / whole
        made.append(Piece(name, tokens, round(start, 1), round(width, 1), number))
        start += width
    return made


PAGES: Final = (
    Page("context", show_context, "context", slow=True),
    Page("context/prompt", show_prompt, "context", slow=True),
    Page("context/compaction", show_compaction, "context", slow=True),
)
