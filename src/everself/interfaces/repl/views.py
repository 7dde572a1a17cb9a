"""What the commands that only look have to say, line by line. Each calls one operation on the opened agent; what is shown is brief."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from everself.text.normalise import one_line

if TYPE_CHECKING:
    from everself.runtime import Runtime

_ENTRIES: Final = 12
_WIDE: Final = 100


def memory(app: "Runtime", words: str, *, verbose: bool = False) -> Iterator[str]:
    """The newest entries, or those with these words; where each stands for whoever wants to know."""
    from everself.memory.selection import Selection, list_entries
    from everself.text.normalise import fold

    found = list_entries(app.memory, Selection())
    wanted = fold(words)
    chosen = [one for one in found if wanted in fold(one.entry.text)] if wanted else found
    if not chosen:
        yield "Nothing is remembered that fits." if found else "Nothing is remembered yet."
    if len(chosen) > _ENTRIES:
        yield f"{len(chosen) - _ENTRIES} before these; /search finds them"
    for one in chosen[-_ENTRIES:]:
        place = f"  ({one_line(one.citation, _WIDE)})" if verbose else ""
        yield f"{one.entry.id}  {one_line(one.entry.text.replace('**', ''), _WIDE)}{place}"


def review(app: "Runtime", _: str) -> Iterator[str]:
    """What waits for the person: all that `everself review` asks about, changes from outside, what rests on something wrong."""
    from everself.interfaces.rendering.review import lines_of
    from everself.memory.selection import Selection, list_entries
    from everself.operations.caller import AT_TERMINAL
    from everself.operations.review import ListRequest, list_waiting

    found = list_waiting(app, AT_TERMINAL, ListRequest())
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


def said(app: "Runtime", limit: int) -> Iterator[str]:
    """What the owner said in the conversations of late, the newest first, as it is kept: what was forgotten is not there."""
    for session in app.log.list(_ENTRIES):
        for message in reversed(app.log.messages(session)):
            if message.role == "user" and not message.person and limit > 0:
                limit -= 1
                yield message.content


def name_of(app: "Runtime") -> str:
    """What the agent is called; nothing where nobody gave it a name."""
    from everself.identity.card import DEFAULT_NAME, IDENTITY_FILE, resolve

    card = resolve(app.loaded.config.ui, app.agent.identity, app.integrity.text(IDENTITY_FILE))
    return "" if card.name.value == DEFAULT_NAME else f"{card.emoji.value} {card.name.value}".strip()
