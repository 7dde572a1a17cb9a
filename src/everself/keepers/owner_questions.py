"""Queues questions for the owner from a conversation: entries to promote, and corrections worded by a model."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from everself.conversation.tools.own.kit import AskedAbout, Promoting

if TYPE_CHECKING:
    from everself.config.sections import Tunables
    from everself.conversation.tools.protocol import ToolContext
    from everself.keepers.runner import Runner
    from everself.memory.memory import Memory
    from everself.memory.promotion.candidates import Candidate, CandidateQuery
    from everself.storage.state.database import State

# corrections that wait for the owner at once
MOST_ASKED: Final = 5


def asked_of(
    tunables: "Tunables", days: int, *, frequent: bool = False, least: float | None = None
) -> "CandidateQuery":
    """What counts as a candidate by the settings of an agent."""
    from everself.memory.promotion.candidates import CandidateQuery

    sure = tunables.promotion_confidence if least is None else least
    return CandidateQuery(days, sure, frequent, tunables.promotion_sessions, tunables.promotion_window_days)


def promoting_of(
    tunables: "Callable[[], Tunables]",
    memory: "Callable[[], Memory]",
    state: "Callable[[], State]",
    keepers: "Callable[[], Runner]",
) -> Promoting:
    """For a tool: it lists, and it asks."""

    def look(days: int, frequent: bool) -> "tuple[Candidate, ...]":
        from everself.memory.promotion.candidates import candidates

        return candidates(memory(), state(), asked_of(tunables(), days, frequent=frequent))

    def ask(entries: tuple[str, ...]) -> AskedAbout:
        from everself.keepers.weekly_review import WeeklyReview

        report = asyncio.run(keepers().run(WeeklyReview(entries=entries)))
        queued = tuple(one.planned.evidence[0].removeprefix("entry:") for one in report.queued)
        return AskedAbout(queued, report.notes)

    return Promoting(look, ask)


def ask_correction(keepers: "Runner", entry: str, words: str, setting: "ToolContext") -> str:
    """Put a correction that a model worded before the owner; the question's id."""
    from everself.keepers.keeper import Correct, Planned

    evidence = (f"msg:{setting.message}", f"entry:{entry}")
    why = "It was suggested in a conversation; you did not say it in a sentence of your own."
    return keepers.ask(Planned(Correct(entry, words), evidence, why), "conversation", MOST_ASKED)
