"""The weekly review: finds recent entries worth promoting and asks the owner about the ten best. Moves nothing itself.

Works by rules only. It never asks about text from outside, which the owner can promote by naming it.
"""

from typing import Final

from everself.errors import EverselfError
from everself.keepers.keeper import Ask, Choice, KeeperProposal, MoveTo, Planned, Progress, Tell, referenced
from everself.keepers.keeper_context import KeeperContext
from everself.memory.promotion.candidates import Candidate, CandidateQuery, asked_of, candidates, explain
from everself.memory.promotion.destinations import can_leave
from everself.text.normalise import one_line

# questions per week; with more, people answer none. The rest is asked next time if it still ranks high enough
MOST: Final = 10


class WeeklyReview:
    """`days` to look back: a week, plus a day for the hours between two Fridays. `entries`: only these."""

    name = "weekly-review"
    title = "Weekly Review"
    # the owner creates the job if they want one
    schedule = ""

    def __init__(self, days: int = 8, entries: tuple[str, ...] = ()) -> None:
        self._days = days
        self._named = entries

    async def propose(self, context: KeeperContext, tell: Tell) -> KeeperProposal:
        asked = asked_of(context.tunables, self._days)

        def told(done: int, total: int) -> None:
            tell(Progress(done, total, "entries"))

        if self._named:
            return _about(context, self._named, asked)
        found = candidates(context.memory, context.state, asked, told)
        free = [one for one in found if one.standing.may != "held"]
        new = [one for one in free if context.state.reviews.about("promotion", f"entry:{one.entry.id}") is None]
        held = len(found) - len(free)
        notes = [f"{held} entries rest on outside sources and are not asked about."] if held else []
        if len(new) > MOST:
            notes.append(f"{len(new) - MOST} entries rank below the first {MOST}: everself memory promote shows them.")
        return KeeperProposal(tuple(ask_about(one) for one in new[:MOST]), tuple(notes))


def _about(context: KeeperContext, entries: tuple[str, ...], asked: CandidateQuery) -> KeeperProposal:
    asks: list[Planned] = []
    notes: list[str] = []
    for name in entries:
        try:
            found = explain(context.memory, context.state.searches, name, asked)
        except EverselfError as error:
            notes.append(str(error))
            continue
        entry = found.entry
        if context.state.reviews.about("promotion", f"entry:{entry.id}") is not None:
            notes.append(f"{entry.id} was already asked about.")
        elif found.standing.may == "held" or entry.closed or not can_leave(entry.path):
            notes.append(
                f"{entry.id} is not promoted: {found.standing.why or 'it is not in a daily log, or no longer holds'}."
            )
        else:
            asks.append(ask_about(found))
    return KeeperProposal(tuple(asks), tuple(notes))


def ask_about(candidate: Candidate) -> Planned:
    """The question about one candidate, without its text: an interface looks it up, so that forgotten text is not kept here."""
    entry, target = candidate.entry, candidate.target
    of = "recalled often" if candidate.category == "recalled" else f"of the kind {candidate.category}"
    words = one_line(f"Move {entry.id} to {target}? It is {of} ({candidate.confidence:.0%}).", 200)
    choices = (Choice(f"Move it to {target}", (MoveTo(entry.id, target),)), Choice("Do not move it"))
    ask = Ask("promotion", f"entry:{entry.id}", words, choices)
    return Planned(ask, referenced((entry.id, *candidate.along)), words, candidate.confidence, review=True)
