"""The commands that begin with a slash: their table, and those that do something. They mean the same at a terminal and in a pipe."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from everself.errors import Interrupted
from everself.interfaces.rendering.lines import plain
from everself.interfaces.rendering.view import Look, view_of
from everself.interfaces.repl import views as looking
from everself.interfaces.repl.agreement import agreed
from everself.interfaces.repl.operation_commands import run_slash
from everself.interfaces.repl.review import decide
from everself.interfaces.repl.ritual import meet
from everself.operations.caller import AT_TERMINAL
from everself.operations.registry import LISTED

if TYPE_CHECKING:
    from everself.interfaces.repl.dialog_state import DialogState
    from everself.memory.forgetting.proof import ForgetPlan

_SESSIONS: Final = 12

Run = Callable[["DialogState", str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Command:
    """`takes` is how its help calls what may follow it."""

    run: Run
    summary: str
    takes: str = ""


async def _memory(talk: "DialogState", words: str) -> None:
    verbose = talk.screen.verbose
    talk.screen.say(await asyncio.to_thread(lambda: list(looking.memory(talk.app, words, verbose=verbose))))


def _of_operation(name: str) -> Run:
    async def run(talk: "DialogState", words: str) -> None:
        async def agree(plan: Sequence[str], question: str) -> bool:
            talk.screen.say(plan)
            return await agreed(talk.ask, f"{question} (yes/no)")

        try:
            verbose = talk.screen.verbose
            talk.screen.say(await run_slash(name, talk.app, talk.session.id, words, agree, verbose=verbose))
        except Interrupted as error:
            talk.screen.say((error.detail,))

    return run


async def _help(talk: "DialogState", _: str) -> None:
    width = max(len(f"{name} {one.takes}") for name, one in COMMANDS.items())
    talk.screen.say(f"{f'{name} {one.takes}'.rstrip():<{width}}  {one.summary}" for name, one in COMMANDS.items())


async def _fix(talk: "DialogState", words: str) -> None:
    """Put one entry right in the owner's words. The old one is closed, and /undo takes it back."""
    entry, _, right = words.partition(" ")
    right = right.strip().strip('“”"')
    if not right:
        talk.screen.say(("What is right? /fix, the entry's id and the right words; /why and /memory show ids.",))
        return
    from everself.operations.entries import CorrectRequest, correct_entry

    request = CorrectRequest(old=entry, new=right)
    done = await asyncio.to_thread(lambda: correct_entry(talk.app, AT_TERMINAL, request))
    talk.screen.say(map(plain, view_of(correct_entry).lines(done, Look(talk.app.clock.zone))))


async def _forget(talk: "DialogState", words: str) -> None:
    """Show what would go, ask, forget, and show the proof."""
    if not words:
        talk.screen.say(("What? /forget and an entry's id, or words that it contains; /memory lists them.",))
        return
    plan = await asyncio.to_thread(talk.app.forgetting.plan_for, words)
    talk.screen.say(plan.lines())
    if not await agreed(talk.ask, _all_of_it(plan)):
        talk.screen.say(("Nothing was changed. /forget and an id forgets one entry alone.",))
        return
    proof = await asyncio.to_thread(talk.app.forgetting.carry_out, plan)
    talk.screen.say(proof.lines())


def _all_of_it(plan: "ForgetPlan") -> str:
    what = f"all {len(plan.entries)} entries" if len(plan.entries) > 1 else "it"
    return f"Forget {what} for good? It cannot be undone. (yes/no)"


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


async def _model(talk: "DialogState", _: str) -> None:
    model = talk.chat.model
    told = "reflex: no model, answers come from memory alone" if model.name == "reflex" else model.name
    talk.screen.say((told, "To change it: everself model use NAME"))


async def _verbose(talk: "DialogState", words: str) -> None:
    asked = words.strip().casefold()
    talk.screen.verbose = asked != "off" if asked in ("on", "off") else not talk.screen.verbose
    said = "Places, line numbers and scores are shown" if talk.screen.verbose else "Places and numbers are left out"
    talk.screen.say((f"{said} from now on. /verbose changes it back.",))


async def _quit(talk: "DialogState", _: str) -> None:
    talk.left = True


_BY_HAND: Final[dict[str, Command]] = {
    "/help": Command(_help, "this list"),
    "/bootstrap": Command(_bootstrap, "get to know each other: a few questions"),
    "/memory": Command(_memory, "what I remember, the newest last", "[WORDS]"),
    "/fix": Command(_fix, "put an entry right: the old words are closed, yours hold", "ID WORDS"),
    "/forget": Command(_forget, "forget something for good, with proof", "ID|WORDS"),
    "/review": Command(_review, "decide what waits for you, one after the other", "[list]"),
    "/verbose": Command(_verbose, "show places, line numbers and scores, or leave them out", "[on|off]"),
    "/model": Command(_model, "which model answers"),
    "/new": Command(_new, "begin anew; a note about this conversation is kept"),
    "/compact": Command(_compact, "make a long conversation shorter, after keeping what matters"),
    "/quit": Command(_quit, "leave; Ctrl-D does too"),
}
_FROM_OPERATIONS: Final = {
    one.slash: Command(_of_operation(one.name), one.help, one.takes) for one in LISTED if one.slash
}
# as a person meets them; what is not named here comes last
_ORDER: Final = (
    *("/help", "/bootstrap", "/memory", "/search", "/why", "/fix", "/forget", "/undo", "/soul", "/persona", "/review"),
    *("/prompt", "/verbose", "/model", "/new", "/compact", "/sessions", "/quit"),
)
COMMANDS: Final[dict[str, Command]] = {
    name: {**_FROM_OPERATIONS, **_BY_HAND}[name] for name in dict.fromkeys((*_ORDER, *_BY_HAND, *_FROM_OPERATIONS))
}
