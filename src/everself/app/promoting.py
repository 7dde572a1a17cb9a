"""Plugs promotion together: what counts as a candidate by the settings of an agent, and asking its owner about some."""

import asyncio
from typing import TYPE_CHECKING

from everself.conversation.tools.own.kit import AskedAbout, Promoting

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.memory.promotion.candidates import Asked, Candidate


def asked_of(app: "App", days: int, *, frequent: bool = False, least: float | None = None) -> "Asked":
    from everself.memory.promotion.candidates import Asked

    tunables = app.tunables
    sure = tunables.promotion_confidence if least is None else least
    return Asked(days, sure, frequent, tunables.promotion_sessions, tunables.promotion_window_days)


def promoting_of(app: "App") -> Promoting:
    """For a tool: it lists, and it asks."""

    def look(days: int, frequent: bool) -> "tuple[Candidate, ...]":
        from everself.memory.promotion.candidates import candidates

        return candidates(app.memory, app.state, asked_of(app, days, frequent=frequent))

    def ask(entries: tuple[str, ...]) -> AskedAbout:
        from everself.keepers.weekly_review import WeeklyReview

        report = asyncio.run(app.keepers.run(WeeklyReview(entries=entries)))
        queued = tuple(one.planned.evidence[0].removeprefix("entry:") for one in report.queued)
        return AskedAbout(queued, report.notes)

    return Promoting(look, ask)
