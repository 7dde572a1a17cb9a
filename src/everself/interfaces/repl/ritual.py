"""The ritual at a keyboard: a few questions, what would be written, a yes. Stopping anywhere before the yes writes nothing.

Asks and shows through what it is given; what the answers become is the ritual's own business.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from everself.errors import WrongUse
from everself.identity.ritual import Answers, PersonDetails
from everself.interfaces.repl.screens import Screen

if TYPE_CHECKING:
    from everself.runtime import Runtime

# an answer, or nothing where no more will come
Asking = Callable[[str], Awaitable[str | None]]

OFFER: Final = "We have not met properly yet: /bootstrap asks you a few questions."
YES: Final = frozenset({"y", "yes", "是", "好", "好的", "네", "예", "はい"})
STOPS: Final = frozenset({"/stop", "/quit", "/cancel"})
_INTRO: Final = ("A few questions. An empty answer leaves a thing as it is; /stop ends it, and nothing is written.",)
_QUESTIONS: Final = (
    ("name", "What shall I be called?"),
    ("vibe", "How should it feel to talk with me? (warm, dry, brief …)"),
    ("emoji", "An emoji I sign with?"),
    ("person", "And your name?"),
    ("address", "What shall I call you?"),
    ("time_zone", "Your time zone? (Europe/Berlin, Asia/Seoul …)"),
    ("languages", "Which languages do you like to speak?"),
)


async def meet(app: "Runtime", screen: Screen, ask: Asking) -> None:
    if not await asyncio.to_thread(app.ritual.is_open):
        screen.say(("We have met. To change something, edit IDENTITY.md, USER.md and SOUL.md, or tell me.",))
        return
    screen.say(_INTRO)
    given = await _answers(app, screen, ask)
    if given is None:
        screen.say(("Stopped; nothing was written.",))
        return
    planned = await asyncio.to_thread(app.ritual.preview, given)
    screen.say(("", *(_lines(planned.diff) or ("No line changes, and I stop asking.",)), ""))
    if planned.redacted:
        screen.note(f"Left out, because it looks like a secret: {', '.join(planned.redacted)}.")
    if not await agreed(ask, "Shall I write this? (yes/no)"):
        screen.say(("Nothing was written. /bootstrap asks again.",))
        return
    done = await asyncio.to_thread(app.ritual.finish, given)
    person = given.person.address or given.person.name
    screen.say((f"Written, as change {done.change}. Nice to meet you{f', {person}' if person else ''}!",))


def _lines(diff: str) -> list[str]:
    """What would be written, file by file; what stays is of no interest here."""
    kept = [line for line in diff.splitlines() if line.startswith("+")]
    return [line.removeprefix("+++ b/") if line.startswith("+++ ") else f"  {line[1:]}" for line in kept]


async def agreed(ask: Asking, question: str) -> bool:
    said = await ask(question)
    return said is not None and said.strip().strip(".!。").casefold() in YES


async def _answers(app: "Runtime", screen: Screen, ask: Asking) -> Answers | None:
    """Each answer is tried when it is given, so that a slip of the finger is mended on the spot."""
    given: dict[str, str] = {}
    for key, question in _QUESTIONS:
        while True:
            said = await ask(question)
            if said is None or said.strip().casefold() in STOPS:
                return None
            given[key] = said.strip()
            try:
                await asyncio.to_thread(app.ritual.preview, _as_answers(given))
            except WrongUse as error:
                screen.note(error.detail)
                continue
            break
    return _as_answers(given)


def _as_answers(given: dict[str, str]) -> Answers:
    person = PersonDetails(
        name=given.get("person", ""),
        address=given.get("address", ""),
        time_zone=given.get("time_zone", ""),
        languages=given.get("languages", ""),
    )
    return Answers(name=given.get("name", ""), vibe=given.get("vibe", ""), emoji=given.get("emoji", ""), person=person)
