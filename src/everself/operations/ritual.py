"""The first conversation as operations, for interfaces that ask everything at once: its state, a preview, and the result.

The ritual decides what the answers become. Only a person defines the agent, so no model is offered these operations.
"""

from dataclasses import fields
from typing import Annotated, Final

from everself.errors import WrongUse
from everself.identity.ritual import Answers
from everself.operations.caller import Caller
from everself.operations.declaration import NoRequest, Option, Request, Result, terminal_reads, terminal_writes
from everself.runtime import Runtime

_WISHES: Final = 8


class RitualState(Result):
    """`open`: it did not take place yet. `draft` are unsaved answers; `values` are the lists in SOUL.md."""

    open: bool
    draft: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, tuple[str, ...]], ...]


class RitualOutcome(Result):
    """The preview as a diff, or the `change` that was written. `redacted` are kinds of removed secrets."""

    diff: str = ""
    change: str = ""
    redacted: tuple[str, ...] = ()


class RitualRequest(Request):
    name: Annotated[str, Option("What the agent is called.")] = ""
    nature: Annotated[str, Option("What it is.")] = ""
    vibe: Annotated[str, Option("How it feels to talk with it.")] = ""
    emoji: Annotated[str, Option("The emoji it signs with.")] = ""
    your_name: Annotated[str, Option("The name of its person.")] = ""
    address: Annotated[str, Option("What it calls them.")] = ""
    pronouns: Annotated[str, Option("Their pronouns.")] = ""
    time_zone: Annotated[str, Option("Their time zone, or a city in it.")] = ""
    languages: Annotated[str, Option("The languages they like to speak.")] = ""
    wishes: Annotated[str, Option("What it always or never does, a line each.")] = ""
    dry_run: Annotated[bool, Option("Say what would be written, and keep the answers until then.")] = False


@terminal_reads("ritual.show", command=False, http=False)
def show_ritual(runtime: Runtime, _: Caller, __: NoRequest) -> RitualState:
    """Show whether the first conversation is still open, and the answers so far."""
    ritual = runtime.ritual
    if not ritual.is_open():
        return RitualState(False, (), ())
    return RitualState(True, tuple(ritual.draft().items()), tuple(ritual.values()))


@terminal_writes("ritual.finish", command=False, http=False)
def finish_ritual(runtime: Runtime, _: Caller, request: RitualRequest) -> RitualOutcome:
    """Write the result of the first conversation; with dry_run, only preview it."""
    ritual = runtime.ritual
    wishes = tuple(one.strip() for one in request.wishes.splitlines() if one.strip())
    if len(wishes) > _WISHES:
        raise WrongUse(f"At most {_WISHES} lines are added to SOUL.md at once.")
    given = {one.name: getattr(request, one.name) for one in fields(Answers)}
    answers = Answers(**given | {"wishes": wishes})
    if request.dry_run:
        preview = ritual.preview(answers)
        ritual.keep_draft(answers.draft())
        return RitualOutcome(preview.diff, redacted=preview.redacted)
    done = ritual.finish(answers)
    return RitualOutcome(change=done.change, redacted=done.redacted)
