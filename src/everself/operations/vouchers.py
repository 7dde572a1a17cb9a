"""What only the owner can do for an entry: vouch for it, and let it out of quarantine."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from everself.errors import WrongUse
from everself.memory.adoption import vouch_for
from everself.memory.quarantine import Released
from everself.memory.quarantine import release as let_out
from everself.memory.selection import Selection, Standing, select
from everself.memory.writing import is_quarantined
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, Option, operation

if TYPE_CHECKING:
    from everself.runtime import Runtime


@dataclass(frozen=True, slots=True)
class VouchPlan:
    """How many entries would be vouched for."""

    entries: int


@dataclass(frozen=True, slots=True)
class Vouched:
    """The ids of those that nobody vouched for before."""

    vouched: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VouchRequest:
    entries: Annotated[tuple[str, ...], Argument("Ids of entries.", "[ID]...")] = ()
    everything: Annotated[bool, Option("Everything that nobody vouches for, quarantine aside.", cli="--all")] = False


@operation(
    "memory.vouch",
    audience=Audience.OWNER_AT_TERMINAL,
    effect="write",
    question="Vouch for them?",
    examples=(
        ("everself memory vouch --all", "for everything in a workspace you brought along"),
        ("everself memory vouch 7K3QX9M2ABCD", "for one entry"),
    ),
)
def vouch(runtime: "Runtime", caller: Caller, request: VouchRequest) -> Vouched:
    """Vouch for entries: that they come from where they say, or else from you.

    No file is changed. An import becomes yours. What comes from the web, a tool or somebody else stays so.
    """
    if bool(request.entries) is request.everything:
        raise WrongUse("Name entries, or say --all.", mend="everself memory list --unvouched")
    memory = runtime.memory
    if request.everything:
        wanted = Selection(standing=Standing.ANY, unvouched=True, aside=True)
        chosen = select(memory.catalog.all(), wanted, lambda _: 1.0)
        found = [entry for entry in chosen if not is_quarantined(entry.path)]
        if found:
            caller.agree(VouchPlan(len(found)))
    else:
        found = [memory.catalog.get(identity) for identity in request.entries]
    return Vouched(vouch_for(runtime.state, memory, found))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRequest:
    entry: Annotated[str, Argument("The id of the entry.", "ID")]


@operation(
    "memory.release",
    audience=Audience.OWNER_AT_TERMINAL,
    effect="write",
    examples=(("everself memory release 7K3QX9M2ABCD", "it may be recalled again, as trusted as it was"),),
)
def release(runtime: "Runtime", _: Caller, request: ReleaseRequest) -> Released:
    """Let an entry out of quarantine, into today's log.

    Its source stays what it was: having looked at it makes it no truer.
    """
    return let_out(runtime.memory, request.entry)
