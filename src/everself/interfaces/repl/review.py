"""`/review` at a keyboard: shows waiting items one by one, and a letter decides. Asks and shows through its arguments."""

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from everself.errors import EverselfError
from everself.interfaces.repl.dialog_state import Asking
from everself.interfaces.repl.ritual import STOPS
from everself.interfaces.repl.screens import Screen
from everself.operations.caller import AT_TERMINAL
from everself.operations.review import (
    AcceptRequest,
    Decided,
    EditRequest,
    ListRequest,
    Queue,
    RefuseRequest,
    accept_waiting,
    edit_waiting,
    list_waiting,
    refuse_waiting,
)
from everself.operations.review_queue import Waiting
from everself.runtime import Runtime
from everself.text.normalise import one_line

_WIDE: Final = 100
_KEYS: Final = "e edit, r refuse, s skip, q quit?"


async def decide(app: Runtime, screen: Screen, ask: Asking, words: str) -> None:
    """`/review` goes through all items; `/review list` only lists them."""
    from everself.interfaces.rendering.review import lines_of

    found = await asyncio.to_thread(waiting, app)
    if words == "list" or not found.waiting:
        screen.say(await asyncio.to_thread(lambda: list(list_review(app))))
        return
    steps = one_by_one(app, found)
    while (step := await asyncio.to_thread(next, steps, None)) is not None:
        heading, one = step
        screen.say((heading, *lines_of(one)))
        if not await _ask(app, screen, ask, one):
            break
    screen.say((*found.notes, "To see what is left: /review list"))


def waiting(app: Runtime) -> Queue:
    return list_waiting(app, AT_TERMINAL, ListRequest())


def one_by_one(app: Runtime, found: Queue) -> Iterator[tuple[str, Waiting]]:
    """The items that still wait. Each is read again when its turn comes, because the last decision may have changed it."""
    for number, listed in enumerate(found.waiting, 1):
        now = next((each for each in waiting(app).waiting if each.id == listed.id), None)
        if now is not None:
            yield f"{number} of {len(found.waiting)}", now


def list_review(app: Runtime) -> Iterator[str]:
    """What waits for the person: everything `everself review` asks about, changes from outside, and entries that rest on something
    wrong."""
    from everself.interfaces.rendering.review import lines_of
    from everself.memory.selection import Selection, list_entries

    found = waiting(app)
    for one in found.waiting:
        yield from lines_of(one)
    yield from found.notes
    outside = [f"{one.kind} outside: {one.path or one.why}  (everself soul verify)" for one in app.integrity.look()]
    yield from outside
    stale = list_entries(app.memory, Selection(stale=True))
    for listed in stale:
        yield f"rests on something wrong: {listed.entry.id}  {one_line(listed.entry.text, _WIDE)}  ({listed.citation})"
    if not (found.waiting or outside or stale):
        yield "Nothing waits for you."


async def _ask(app: Runtime, screen: Screen, ask: Asking, one: Waiting) -> bool:
    """Ask about one item. Returns whether to go on with the next."""
    from everself.interfaces.rendering.review import decided

    yes = f"1–{len(one.answers)} answer" if len(one.answers) > 1 else "a accept"
    typed = await ask(f"{yes}, {_KEYS}")
    key = (typed or "q").strip().lower()
    if key in STOPS or key.startswith("q"):
        return False
    text = (await ask("Your words?") or "").strip() if key.startswith("e") else ""
    if key.startswith("s") or (key.startswith("e") and not text):
        return True
    try:
        done = await asyncio.to_thread(decide_by_key, app, one, key, text)
    except EverselfError as error:
        screen.trouble(error)
        return True
    if done is None:
        screen.say(("Stopped: this is not one of the answers.",))
        return False
    screen.say((decided(done, "/undo"),))
    return True


def decide_by_key(app: Runtime, one: Waiting, key: str, text: str) -> Decided | None:
    """Apply the decision of a letter, a word or the number of an answer; `text` is the person's own wording. None if it means nothing."""
    # without a terminal the caller may be a program that the agent started
    caller = replace(AT_TERMINAL, present=sys.stdin.isatty())
    if text:
        return edit_waiting(app, caller, EditRequest(name=one.id, text=text, seen=one.mark))
    if key in ("a", "accept", "y", "yes"):
        return accept_waiting(app, caller, AcceptRequest(name=one.id, seen=one.mark))
    if key in ("r", "refuse", "n", "no"):
        return refuse_waiting(app, caller, RefuseRequest(name=one.id, seen=one.mark))
    if key.isascii() and key.isdigit() and 1 <= int(key) <= len(one.answers):
        return accept_waiting(app, caller, AcceptRequest(name=one.id, answer=int(key), seen=one.mark))
    return None
