"""The ritual at a keyboard: a few questions, what would be written, a yes. Stopping before the yes writes nothing, and the answers are kept
for the next time.

Asks and shows through its arguments; `identity/ritual.py` knows what the answers become.
"""

import asyncio
from typing import Final

from everself.errors import WrongUse
from everself.identity.ritual import Answers
from everself.interfaces.repl.dialog_state import Asking
from everself.interfaces.repl.screens import Screen
from everself.runtime import Runtime
from everself.text.normalise import fold, one_line
from everself.text.yes_no import read_answer

OFFER: Final = "Optional: /bootstrap asks a few questions about you and your agent."
STOPS: Final = frozenset({"/stop", "/quit", "/cancel"})
_INTRO: Final = "A few questions. An empty answer leaves a thing as it is; /stop ends it, and nothing is written."
_STOPPED: Final = "Stopped; nothing was written. Your answers are kept: /bootstrap goes on with them."
# the name of each answer, and its question
_QUESTIONS: Final = {
    "name": "What shall I be called?",
    "nature": "What am I? (a fox, a lighthouse keeper, plain software …)",
    "vibe": "How should it feel to talk with me? (warm, dry, brief …)",
    "emoji": "An emoji I sign with? (🦊, or its name)",
    "your name": "And your name?",
    "address": "What shall I call you?",
    "pronouns": "Your pronouns? (she/her, he/him, they/them …)",
    "time zone": "Your time zone? (a city such as Berlin, or Asia/Seoul)",
    "languages": "Which languages do you like to speak?",
}
_SOUL: Final = "soul"
_WISH: Final = "What should I always do, or never? (one line for SOUL.md; empty leaves it as it is)"
_MORE: Final = "Anything else for SOUL.md?"
_MOST_WISHES: Final = 8
_VALUES: Final = 12
_WIDE: Final = 96
_TIMES: Final = 3


async def meet(app: Runtime, screen: Screen, ask: Asking) -> None:
    if not await asyncio.to_thread(app.ritual.is_open):
        screen.say(("We have met. To change something, edit IDENTITY.md, USER.md and SOUL.md, or tell me.",))
        return
    given = await asyncio.to_thread(app.ritual.draft)
    screen.say((_INTRO, *_resumed(given)))
    done = await _ask_all(app, screen, ask, given) and await _confirm(app, screen, ask, given)
    if not done:
        screen.say((_STOPPED if given else "Stopped; nothing was written.",))
        return
    answers = Answers.of(given)
    written = await asyncio.to_thread(app.ritual.finish, answers)
    person = answers.address or answers.your_name
    screen.say((f"Written, as change {written.change}. Nice to meet you{f', {person}' if person else ''}!",))


def _resumed(given: dict[str, str]) -> list[str]:
    told = [f"{name}: {one_line(value, _WIDE)}" for name, value in given.items() if value]
    return ["I kept what you answered before; you can change it at the end.", *told] if told else []


async def _ask_all(app: Runtime, screen: Screen, ask: Asking, given: dict[str, str]) -> bool:
    """Ask for each missing answer. Returns whether all were given."""
    for name in _QUESTIONS:
        if name not in given and not await _ask_one(app, screen, ask, given, name):
            return False
    return _SOUL in given or await _talk_over_soul(app, screen, ask, given)


async def _ask_one(app: Runtime, screen: Screen, ask: Asking, given: dict[str, str], name: str) -> bool:
    """Ask until the answer is valid. Each answer is checked and stored when given, so that a typing error is corrected at once."""
    while True:
        said = await ask(_QUESTIONS[name])
        if said is None or said.strip().casefold() in STOPS:
            return False
        if await _take(app, screen, given, name, said.strip()):
            return True


async def _take(app: Runtime, screen: Screen, given: dict[str, str], name: str, said: str) -> bool:
    tried = {**given, name: said}
    try:
        await asyncio.to_thread(app.ritual.preview, Answers.of(tried))
    except WrongUse as error:
        screen.note(error.detail)
        return False
    given[name] = said
    await asyncio.to_thread(app.ritual.keep_draft, given)
    return True


async def _talk_over_soul(app: Runtime, screen: Screen, ask: Asking, given: dict[str, str]) -> bool:
    """Show what SOUL.md says, and ask for additions, line by line."""
    values = await asyncio.to_thread(app.ritual.values)
    if values:
        screen.say(("", "This is what SOUL.md tells me about myself:"))
        for heading, items in values:
            screen.say((f"  {heading}", *(f"    · {one_line(item, _WIDE)}" for item in items[:_VALUES])))
    wishes: list[str] = []
    while len(wishes) < _MOST_WISHES:
        said = await ask(_MORE if wishes else _WISH)
        if said is None or said.strip().casefold() in STOPS:
            return False
        # "no" to "anything else" is not an addition
        if not said.strip() or read_answer(said) is False:
            break
        wishes.append(said.strip())
    return await _take(app, screen, given, _SOUL, "\n".join(wishes))


async def _confirm(app: Runtime, screen: Screen, ask: Asking, given: dict[str, str]) -> bool:
    """Show what would be written, and ask for a yes. Any answer can be changed before it."""
    names = ", ".join([*_QUESTIONS, _SOUL])
    unclear = 0
    while unclear < _TIMES:
        planned = await asyncio.to_thread(app.ritual.preview, Answers.of(given))
        screen.say(("", *(_lines(planned.diff) or ("No line changes, and I stop asking.",)), ""))
        if planned.redacted:
            screen.note(f"Left out, because it looks like a secret: {', '.join(planned.redacted)}.")
        said = await ask("Shall I write this? (yes, no, or what to change, such as: vibe)")
        if said is None or said.strip().casefold() in STOPS:
            return False
        answer = read_answer(said)
        if answer is not None:
            return answer
        name, _, value = said.partition(":")
        wanted = next((one for one in (*_QUESTIONS, _SOUL) if fold(one) == fold(name.strip())), "")
        if wanted:
            unclear = 0
            await _change(app, screen, ask, given, (wanted, value.strip()))
        else:
            unclear += 1
            screen.note(f"Yes, no, or one of: {names}.")
    return False


async def _change(app: Runtime, screen: Screen, ask: Asking, given: dict[str, str], wanted: tuple[str, str]) -> None:
    name, value = wanted
    if value:
        await _take(app, screen, given, name, value)
    elif name == _SOUL:
        await _talk_over_soul(app, screen, ask, given)
    else:
        await _ask_one(app, screen, ask, given, name)


def _lines(diff: str) -> list[str]:
    """The lines that would be written, file by file, without unchanged ones."""
    kept = [line for line in diff.splitlines() if line.startswith("+")]
    return [line.removeprefix("+++ b/") if line.startswith("+++ ") else f"  {line[1:]}" for line in kept]
