"""The first conversation as operations, for interfaces that ask everything at once: its state, a preview, and the result.

The ritual decides what the answers become. Only a person defines the agent, so no model is offered these operations.
"""

from typing import Annotated, Final

from everself.errors import WrongUse
from everself.identity.ritual import Answers, PersonDetails
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
    person = PersonDetails(request.your_name, request.address, request.pronouns, request.time_zone, request.languages)
    answers = Answers(request.name, request.nature, request.vibe, request.emoji, person=person, wishes=wishes)
    if request.dry_run:
        preview = ritual.preview(answers)
        # the names that the conversation in the terminal uses
        ritual.keep_draft(
            {
                "name": request.name,
                "nature": request.nature,
                "vibe": request.vibe,
                "emoji": request.emoji,
                "your name": request.your_name,
                "address": request.address,
                "pronouns": request.pronouns,
                "time zone": request.time_zone,
                "languages": request.languages,
                "soul": "\n".join(wishes),
            }
        )
        return RitualOutcome(preview.diff, redacted=preview.redacted)
    done = ritual.finish(answers)
    return RitualOutcome(change=done.change, redacted=done.redacted)
