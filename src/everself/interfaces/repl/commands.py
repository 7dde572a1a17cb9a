"""The commands that begin with a slash: their table, and those that do something. They mean the same at a terminal and in a pipe."""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Final

from everself.errors import Interrupted, WrongUse
from everself.interfaces.rendering.lines import plain
from everself.interfaces.rendering.view import Look, view_of
from everself.interfaces.repl.review import decide
from everself.interfaces.repl.ritual import agreed, meet
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Operation
from everself.operations.registry import LISTED, get_operation
from everself.text.normalise import one_line

if TYPE_CHECKING:
    from everself.conversation.receipts import ReplyReceipt
    from everself.interfaces.repl.dialog_state import DialogState
    from everself.models.chat.protocol import JsonObject
    from everself.runtime import Runtime

_SHOWN: Final = 12
_WIDE: Final = 72


def told(why: "ReplyReceipt", zone: tzinfo) -> Iterator[str]:
    receipt = why.receipt
    yield f"reply     {why.message}, {why.at.astimezone(zone).strftime('%Y-%m-%d %H:%M')}, by {why.model or 'nobody'}"
    yield f"          {one_line(why.text, _WIDE)}"
    if not receipt:
        yield "No receipt was kept with it."
        return
    limit = f" of {receipt['limit']}" if receipt.get("limit") else ""
    yield f"prompt    {receipt.get('tokens', 0)} tokens{limit}, {receipt.get('memory', 0)} of them memory"
    files = [f"{name} {tokens}" for name, tokens in receipt.get("files", ())]
    if files:
        yield f"files     {', '.join(files)}"
    recalled = receipt.get("recalled", ())
    yield f"recalled  {len(recalled) or 'nothing'}" + (f", by {receipt['provider']}" if receipt.get("provider") else "")
    yield from (f"          {hit.get('score', 0):.2f}  {_place(hit)}" for hit in recalled[:_SHOWN])
    left = receipt.get("left_out", ())
    if left:
        yield f"left out  {receipt.get('left_out_count', len(left))}"
        counted = Counter(f"{one_line(str(one.get('reason', '')), _WIDE)}: {_place(one)}" for one in left)
        for line, times in counted.most_common(_SHOWN):
            yield f"          {line}" + (f" ({times} times)" if times > 1 else "")
    for name, failed, stamp, seconds in receipt.get("tools", ()):
        outside = "" if stamp == "own" else f", from outside ({stamp})"
        yield f"tool      {name}, {seconds:.2f} s{outside}{', failed' if failed else ''}"
    if receipt.get("changed"):
        yield f"changed   {', '.join(receipt['changed'])} since the conversation began"


def _place(one: "JsonObject") -> str:
    first, last = one.get("from"), one.get("to")
    lines = "" if not first else f"#L{first}" + (f"-L{last}" if last and last > first else "")
    return f"{one.get('path', '')}{lines}" + (f"  {one['entry']}" if one.get("entry") else "")


# shows a plan line by line and asks the question; whether the person agreed
Agreeing = Callable[[Sequence[str], str], Coroutine[Any, Any, bool]]


async def run_slash(name: str, app: "Runtime", session: str, words: str, agreeing: Agreeing) -> list[str]:
    """The lines that an operation's slash command says, asked in this session by the owner who types."""
    operation = get_operation(name)
    request, view, look = _request(operation, words), view_of(operation), Look(app.clock.zone, chat=True)
    loop = asyncio.get_running_loop()
    seen: list[object] = []

    def agree(plan: object) -> None:
        """Asked from the worker thread; the conversation's own loop reads the answer."""
        shown = [plain(line) for line in view.lines(plan, replace(look, asking=True))]
        if not asyncio.run_coroutine_threadsafe(agreeing(shown, operation.question.format(plan=plan)), loop).result():
            raise Interrupted("Nothing was changed.")
        seen.append(plan)

    # whoever is not at a terminal may be a program that the agent started
    present = sys.stdin.isatty()
    caller = Caller(Audience.OWNER_AT_TERMINAL, session=session, present=present, agree=agree)

    def run() -> list[str]:
        result = operation(app, caller, request)
        lines = [plain(line) for line in view.lines(result, replace(look, agreed=bool(seen)))]
        return [*lines, *(f"Note: {notice}" for notice in view.notices(result))]

    return await asyncio.to_thread(run)


def _request(operation: Operation[Any, Any], words: str) -> object:
    field = operation.argument
    if field is None or not (words or field.is_required("slash")):
        return operation.request()
    if not words:
        raise WrongUse(f"{operation.slash} needs to know what.", mend=f"{operation.slash} {operation.takes}")
    return operation.request(**{field.name: words})


_SESSIONS: Final = 12

Run = Callable[["DialogState", str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Command:
    """`takes` is how its help calls what may follow it."""

    run: Run
    summary: str
    takes: str = ""


def _of_operation(name: str) -> Run:
    async def run(talk: "DialogState", words: str) -> None:
        async def agree(plan: Sequence[str], question: str) -> bool:
            talk.screen.say(plan)
            return await agreed(talk.ask, f"{question} (yes/no)")

        try:
            talk.screen.say(await run_slash(name, talk.app, talk.session.id, words, agree))
        except Interrupted as error:
            talk.screen.say((error.detail,))

    return run


async def _help(talk: "DialogState", _: str) -> None:
    width = max(len(f"{name} {one.takes}") for name, one in COMMANDS.items())
    talk.screen.say(f"{f'{name} {one.takes}'.rstrip():<{width}}  {one.summary}" for name, one in COMMANDS.items())


async def _why(talk: "DialogState", words: str) -> None:
    found = await asyncio.to_thread(lambda: talk.chat.why(talk.session, words))
    talk.screen.say(told(found, talk.app.clock.zone))


async def _new(talk: "DialogState", _: str) -> None:
    done = await talk.chat.renew(talk.session)
    talk.session = done.session
    talk.screen.say(
        (f"A new conversation. The last one is kept in {done.note}." if done.note else "A new conversation.",)
    )


async def _compact(talk: "DialogState", _: str) -> None:
    done = await talk.chat.compact(talk.session, "asked")
    talk.session = done.session
    talk.screen.say((done.notice or "There is nothing to make shorter yet.",))


async def _bootstrap(talk: "DialogState", _: str) -> None:
    await meet(talk.app, talk.screen, talk.ask)


async def _review(talk: "DialogState", words: str) -> None:
    await decide(talk.app, talk.screen, talk.ask, words)


async def _quit(talk: "DialogState", _: str) -> None:
    talk.left = True


_BY_HAND: Final[dict[str, Command]] = {
    "/help": Command(_help, "this list"),
    "/bootstrap": Command(_bootstrap, "get to know each other: a few questions"),
    "/why": Command(_why, "what the last reply rests on: prompt, recall, tools", "[MESSAGE]"),
    "/new": Command(_new, "begin anew; a note about this conversation is kept"),
    "/compact": Command(_compact, "make a long conversation shorter, after keeping what matters"),
    "/quit": Command(_quit, "leave; Ctrl-D does too"),
}
# what an operation lists is decided here, one after the other
_DIALOGS: Final = {"/review": _review}
_FROM_OPERATIONS: Final = {
    one.slash: Command(_DIALOGS.get(one.slash, _of_operation(one.name)), one.help, one.takes)
    for one in LISTED
    if one.slash
}
# as a person meets them; what is not named here comes last
_ORDER: Final = (
    *("/help", "/bootstrap", "/memory", "/search", "/why", "/forget", "/undo", "/soul", "/persona", "/review"),
    *("/prompt", "/model", "/new", "/compact", "/sessions", "/quit"),
)
COMMANDS: Final[dict[str, Command]] = {
    name: {**_FROM_OPERATIONS, **_BY_HAND}[name] for name in dict.fromkeys((*_ORDER, *_BY_HAND, *_FROM_OPERATIONS))
}
