"""The reflex: the built-in chat model without a language model. Stores statements and answers from memory, with learned heads and tool
calls.

Like every chat model it sees only a request. It quotes what it finds with its citation, or says that it does not know.
"""

from collections.abc import AsyncIterator
from datetime import date
from itertools import count, islice
from typing import TYPE_CHECKING, Final

from everself.errors import ModelFailed
from everself.models.chat.protocol import (
    ChatRequest,
    ReplyCall,
    ReplyEnd,
    ReplyPart,
    ReplyText,
    ToolCall,
    ToolReturn,
    ToolTurn,
    Usage,
    UserTurn,
)

if TYPE_CHECKING:
    from everself.conversation.reflex._plan import Act, Plan

NAME: Final = "reflex"
_WINDOW: Final = 1_000_000
_MOST_OUTPUT: Final = 100_000
# how a request asks for silence if there is nothing to do
_SILENCE: Final = "NO_REPLY"
_DATE: Final = "Date"
_RITUAL: Final = "BOOTSTRAP.md"


class Reflex:
    """Free, local and deterministic."""

    @property
    def name(self) -> str:
        return NAME

    @property
    def window(self) -> int:
        return _WINDOW

    @property
    def most_output(self) -> int:
        return _MOST_OUTPUT

    @property
    def paid(self) -> bool:
        return False

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]:
        if request.schema is not None:
            raise ModelFailed("The reflex fills in no forms.", reason="shape", mend="everself model use NAME")
        at, turn = _last_said(request)
        if turn is None or _SILENCE in turn.text:
            yield ReplyText(_SILENCE)
            yield ReplyEnd(Usage())
            return
        from everself.conversation.reflex._plan import plan_reply, questions_within

        plan = questions_within(plan_reply(turn.text, (*turn.done, *turn.unclear), today_of(request.delta)))
        returns = {one.id: one for later in request.turns[at:] if isinstance(later, ToolTurn) for one in later.returns}
        allowed = {tool.name for tool in request.tools}
        calls = [call for call in _calls(plan, at) if call.name in allowed]
        if calls and not returns:
            for call in calls:
                yield ReplyCall(call)
            yield ReplyEnd(Usage(), "tools")
            return
        for text in _spoken(plan, turn, at, returns, ritual=_RITUAL in request.prefix):
            yield ReplyText(text)
        yield ReplyEnd(Usage())


def _last_said(request: ChatRequest) -> tuple[int, UserTurn | None]:
    """The index of the person's last turn, and the turn."""
    for at in range(len(request.turns) - 1, -1, -1):
        turn = request.turns[at]
        if isinstance(turn, UserTurn):
            return at, turn
    return -1, None


def today_of(delta: str) -> date | None:
    """The date in the request, because the reflex has no clock of its own."""
    import re2

    found = re2.search(rf"{_DATE}\W[^\n]{{0,40}}?(\d{{4}}-\d\d-\d\d)", delta)
    try:
        return date.fromisoformat(found.group(1)) if found is not None else None
    except ValueError:
        return None


def _calls(plan: "Plan", at: int) -> list[ToolCall]:
    import json

    needs = [need for act in plan.acts for need in act.needs]
    return [
        ToolCall(_id(at, number), need.tool, json.dumps(need.arguments, ensure_ascii=False))
        for number, need in enumerate(needs)
    ]


def _id(at: int, number: int) -> str:
    return f"{NAME}-{at}-{number}"


def _spoken(plan: "Plan", turn: UserTurn, at: int, returns: dict[str, ToolReturn], *, ritual: bool) -> list[str]:
    """The reply in pieces: what was done already, remarks, then the reply to each act."""
    from everself.conversation.reflex._answers import answer, confirm, without_lines, written_words
    from everself.conversation.reflex.replies import reply

    said = [*map(without_lines, turn.done), *turn.unclear]
    said += [reply(remark, plan.language) for remark in plan.remarks if remark != "shown_rest"]
    if ritual and "greeting" in plan.remarks:
        said.append(reply("ritual", plan.language))
    given = _given(plan, at, returns)
    writes = [one for act, mine in given if act.job == "write" for one in mine]
    said += confirm(plan.language, writes)
    if "shown_rest" in plan.remarks:
        said.append(reply("shown_rest", plan.language))
    written = written_words(plan.acts)
    said += [text for act, mine in given if (text := answer(act, mine, written))]
    return [text if not place else f"\n{text}" for place, text in enumerate(dict.fromkeys(said))]


def _given(plan: "Plan", at: int, returns: dict[str, ToolReturn]) -> "list[tuple[Act, list[ToolReturn]]]":
    ids = (_id(at, number) for number in count())
    return [(act, [returns[one] for one in islice(ids, len(act.needs)) if one in returns]) for act in plan.acts]
