"""Slash commands: the table of all, and those implemented here. They mean the same at a terminal and in a pipe."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Final

from everself.errors import Interrupted, WrongUse
from everself.frozen import Frozen
from everself.interfaces.rendering.lines import plain
from everself.interfaces.rendering.view import Look, view_of
from everself.interfaces.repl.dialog_state import DialogState, agreed
from everself.interfaces.repl.review import decide
from everself.interfaces.repl.ritual import meet
from everself.operations.caller import AT_TERMINAL, Audience, Caller
from everself.operations.declaration import Operation
from everself.operations.entries import CorrectRequest, correct_entry
from everself.operations.registry import LISTED, get_operation
from everself.runtime import Runtime

# shows a plan line by line and asks the question; returns whether the person agreed
Agreeing = Callable[[Sequence[str], str], Coroutine[Any, Any, bool]]


async def run_slash(
    name: str, app: Runtime, session: str, words: str, agreeing: Agreeing, *, verbose: bool = False
) -> list[str]:
    """Run an operation's slash command in this session, as the owner. Returns the lines to show."""
    operation = get_operation(name)
    look = Look(app.clock.zone, frozenset({"verbose"} if verbose else ()), chat=True)
    request, view = _request(operation, words), view_of(operation)
    loop = asyncio.get_running_loop()
    seen: list[object] = []

    def agree(plan: object) -> None:
        """Ask the person. Called in the worker thread; the conversation's own loop reads the answer."""
        shown = [plain(line) for line in view.lines(plan, replace(look, asking=True))]
        if not asyncio.run_coroutine_threadsafe(agreeing(shown, operation.question.format(plan=plan)), loop).result():
            raise Interrupted("Nothing was changed.")
        seen.append(plan)

    # without a terminal the caller may be a program that the agent started
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
        raise WrongUse(f"{operation.slash} needs {operation.takes} after it.", mend="/help")
    return operation.request(**{field.name: words})


Run = Callable[["DialogState", str], Awaitable[None]]


class Command(Frozen):
    """`takes` names the argument in the help."""

    run: Run
    summary: str
    takes: str = ""


def _of_operation(name: str) -> Run:
    async def run(talk: DialogState, words: str) -> None:
        async def agree(plan: Sequence[str], question: str) -> bool:
            talk.screen.say(plan)
            return await agreed(talk.ask, f"{question} (yes/no)")

        try:
            verbose = talk.screen.verbose
            talk.screen.say(await run_slash(name, talk.app, talk.session.id, words, agree, verbose=verbose))
        except Interrupted as error:
            talk.screen.say((error.detail,))

    return run


def _phrase(summary: str) -> str:
    """The help sentence of an operation, as one line of a list."""
    return summary[:1].lower() + summary[1:].removesuffix(".")


async def _help(talk: DialogState, _: str) -> None:
    width = max(len(f"{name} {one.takes}") for name, one in COMMANDS.items())
    talk.screen.say(
        f"{f'{name} {one.takes}'.rstrip():<{width}}  {_phrase(one.summary)}" for name, one in COMMANDS.items()
    )


async def _fix(talk: DialogState, words: str) -> None:
    """Correct one entry with the owner's words. The old entry is closed; /undo reopens it."""
    entry, _, right = words.partition(" ")
    right = right.strip().strip('“”"')
    if not right:
        talk.screen.say(("Usage: /fix ID WORDS, with the words that are right. /why and /memory show the ids.",))
        return
    request = CorrectRequest(old=entry, new=right)
    done = await asyncio.to_thread(lambda: correct_entry(talk.app, AT_TERMINAL, request))
    talk.screen.say(map(plain, view_of(correct_entry).lines(done, Look(talk.app.clock.zone, chat=True))))


async def _new(talk: DialogState, _: str) -> None:
    done = await talk.chat.renew(talk.session)
    talk.session = done.session
    talk.screen.say(
        (f"A new conversation. The last one is kept in {done.note}." if done.note else "A new conversation.",)
    )


async def _compact(talk: DialogState, _: str) -> None:
    done = await talk.chat.compact(talk.session, "asked")
    talk.session = done.session
    talk.screen.say((done.notice or "There is nothing to make shorter yet.",))


async def _verbose(talk: DialogState, words: str) -> None:
    asked = words.strip().casefold()
    talk.screen.verbose = asked != "off" if asked in ("on", "off") else not talk.screen.verbose
    said = "Places, line numbers and scores are shown" if talk.screen.verbose else "Places and numbers are left out"
    talk.screen.say((f"{said} from now on. /verbose changes it back.",))


async def _quit(talk: DialogState, _: str) -> None:
    talk.left = True


_BY_HAND: Final[dict[str, Command]] = {
    "/help": Command(_help, "this list"),
    "/bootstrap": Command(
        lambda talk, _: meet(talk.app, talk.screen, talk.ask), "answer a few questions about you and your agent"
    ),
    "/fix": Command(_fix, "correct an entry: the old words are closed, yours replace them", "ID WORDS"),
    "/verbose": Command(_verbose, "show places, line numbers and scores, or leave them out", "[on|off]"),
    "/new": Command(_new, "start a new conversation; a note about this one is kept"),
    "/compact": Command(_compact, "shorten a long conversation, after keeping what matters"),
    "/quit": Command(_quit, "leave; Ctrl-D does too"),
}
# the items that these operations list are decided here one by one
_DIALOGS: Final[dict[str, Run]] = {
    "/review": lambda talk, words: decide(talk.app, talk.screen, talk.ask, words),
}
_FROM_OPERATIONS: Final = {
    one.slash: Command(_DIALOGS.get(one.slash, _of_operation(one.name)), one.help, one.takes)
    for one in LISTED
    if one.slash
}
# the order in the help; commands that are not listed here come last
_ORDER: Final = (
    *("/help", "/bootstrap", "/memory", "/search", "/why", "/fix", "/forget", "/undo", "/soul", "/persona", "/review"),
    *("/prompt", "/verbose", "/model", "/new", "/compact", "/sessions", "/quit"),
)
COMMANDS: Final[dict[str, Command]] = {
    name: {**_FROM_OPERATIONS, **_BY_HAND}[name] for name in dict.fromkeys((*_ORDER, *_BY_HAND, *_FROM_OPERATIONS))
}
