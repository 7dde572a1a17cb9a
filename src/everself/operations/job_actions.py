"""What a job does when its slot has come: say something to the agent in a session of its own, or one of the operations named here.

Nothing of it is the owner's word: nobody was there. What the agent answers goes to the log of the day as the agent's own.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from everself.conversation.events import Done, Notice
from everself.errors import ModelFailed, WrongUse
from everself.memory.provenance import concluded_in
from everself.memory.writing import NewEntry
from everself.operations.caller import Audience, Caller
from everself.operations.keepers import run_now
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.text.normalise import one_line
from everself.values import Job, Tag

SPENDS: Final = "cron"
LONGEST_LOGGED: Final = 1_500
_SHOWN: Final = 200
_NAMED: Final = 5


def perform(app: Runtime, job: Job, slot: str) -> str:
    """What came of it, in a line. Raises where it failed."""
    if job.action == "message":
        return asyncio.run(_say(app, job, slot))
    action, rest = find_job_action(job.words)
    return action(app, rest)


def find_job_action(words: str) -> tuple[Callable[[Runtime, str], str], str]:
    """The operation that these words name, and what is left of them. Raises WrongUse where there is none."""
    said = " ".join(words.split())
    for name, action in JOB_ACTIONS.items():
        if said == name or said.startswith(f"{name} "):
            return action, said.removeprefix(name).strip()
    known = ", ".join(f'"{name}"' for name in JOB_ACTIONS)
    raise WrongUse(f'A job cannot do "{one_line(said, 60)}".', mend=f"A job can run {known}.")


async def _say(app: Runtime, job: Job, slot: str) -> str:
    # asked first, so that a day that is spent is a slot passed over and not a failure
    app.spend_meter.allow(SPENDS)
    session = app.chat.begin(Scope(SessionKind.CRON), channel="cron")
    events = [event async for event in app.chat.converse(session, job.words)]
    done = next(one for one in reversed(events) if isinstance(one, Done))
    await app.chat.close(session)
    if done.why in ("failed", "cancelled"):
        told = [one.text for one in events if isinstance(one, Notice) and one.level == "warning"]
        raise ModelFailed(told[-1] if told else f"The answer was {done.why}.")
    if not done.text.strip():
        return "It had nothing to say."
    taint = app.log.find(session.id).taint
    text = done.text.strip()
    more = f" … (everself sessions show {session.id})" if len(text) > LONGEST_LOGGED else ""
    app.memory.remember(
        NewEntry(
            f"{job.name}: {text[:LONGEST_LOGGED]}{more}",
            concluded_in(taint, "job", *((f"msg:{done.message}",) if done.message else ())),
            category="cron",
            tag=Tag.EVENT,
            key=f"cron {job.id} {slot}",
        )
    )
    return f"{one_line(text, _SHOWN)} (session {session.id})"


def _keeper(app: Runtime, name: str) -> str:
    report = run_now(app, app.keepers.find(name))
    counts = f"{len(report.applied)} done, {len(report.queued)} to review, {len(report.refused)} refused"
    return one_line(". ".join((counts, *report.notes)), _SHOWN)


def _index(app: Runtime, _: str) -> str:
    from everself.operations.index import IndexRequest, update_index

    # nobody is there to agree to what costs money
    made = update_index(app, NOBODY, IndexRequest())
    waiting = f", {made.pending} wait" if made.pending else ""
    return f"{made.read} read, {made.removed} gone, {made.embedded} embedded{waiting}"


def _review(app: Runtime, _: str) -> str:
    from everself.operations.promotion import ask_owner

    waiting = len(ask_owner(app).queued)
    return f"{waiting} to decide: everself review" if waiting else "Nothing new to decide."


def _promote(app: Runtime, _: str) -> str:
    """Lists them, and moves nothing: nobody is there to say yes."""
    from everself.operations.promotion import PromoteRequest, find_candidates

    found = find_candidates(app, PromoteRequest())
    named = "; ".join(f"{one.text} ({one.citation})" for one in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return one_line(f"{len(found)} to promote: {named}", 5 * _SHOWN) + more if found else "Nothing to promote."


# a job runs for the owner, who is not there
NOBODY: Final = Caller(Audience.OWNER)
# of two that begin alike the longer one first
JOB_ACTIONS: Final[Mapping[str, Callable[[Runtime, str], str]]] = {
    "keepers run": _keeper,
    "memory index": _index,
    "memory promote --review": _review,
    "memory promote": _promote,
}
