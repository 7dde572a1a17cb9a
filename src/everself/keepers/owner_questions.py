"""Queues questions for the owner from a conversation: entries to promote, and corrections worded by a model."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from everself.config.sections import Tunables
    from everself.keepers.runner import Runner
    from everself.memory.promotion.candidates import CandidateQuery

# corrections that wait for the owner at once
MOST_ASKED: Final = 5


def asked_of(
    tunables: "Tunables", days: int, *, frequent: bool = False, least: float | None = None
) -> "CandidateQuery":
    """What counts as a candidate by the settings of an agent."""
    from everself.memory.promotion.candidates import CandidateQuery

    sure = tunables.promotion_confidence if least is None else least
    return CandidateQuery(days, sure, frequent, tunables.promotion_sessions, tunables.promotion_window_days)


def ask_correction(keepers: "Runner", entry: str, words: str, message: str) -> str:
    """Put a correction that a model worded before the owner; the question's id."""
    from everself.keepers.keeper import Correct, Planned

    evidence = (f"msg:{message}", f"entry:{entry}")
    why = "It was suggested in a conversation; you did not say it in a sentence of your own."
    return keepers.ask(Planned(Correct(entry, words), evidence, why), "conversation", MOST_ASKED)
