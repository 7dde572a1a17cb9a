"""`everself identity`: who the agent is right now, and which soul spoke in which turn."""

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

import click

from everself.errors import WrongUse
from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.rendering.lines import Line, paint

if TYPE_CHECKING:
    from everself.identity.card import CardField
    from everself.operations.identity import Alternate, IdentityReport
    from everself.storage.state.personas import PersonaTurn

_MOST = 100_000
_SHOWN = 60
_WHY = {
    "soul": "as usual",
    "purge": "the daily window of the alternate persona is open",
    "chance": "by chance",
    "session": "as the session began",
}


@click.command(
    "identity",
    cls=Verb,
    examples=[
        ("everself identity", "name, emoji, avatar and soul, and where each comes from"),
        ("everself identity --personas", "which soul spoke in the last turns"),
    ],
)
@click.option("--personas", is_flag=True, help="List which soul spoke in which turn, newest first.")
@click.option("--session", metavar="ID", default="", help="With --personas: only turns of this session.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="How many turns at most.")
@agent_option
@json_option
def identity(personas: bool, session: str, limit: int, agent: str) -> None:
    """Show who the agent is, and where each part of it comes from."""
    from everself.operations.identity import list_personas, show_identity

    if session and not personas:
        raise WrongUse("--session goes with --personas.", mend="everself identity --personas --session ID")
    with opened(agent) as app:
        if personas:
            spoken = list_personas(app, session, limit)
            empty = f'No turn of a session "{session}" is recorded.' if session else "No turn is recorded yet."
            answer(spoken, [_turn(one, app.clock.zone) for one in spoken] or [empty], recovery_notices(app))
            return
        report = show_identity(app)
        notices = [*recovery_notices(app), *report.notices]
    answer(report, list(_describe(report)), notices)


def _describe(report: "IdentityReport") -> Iterator[Line]:
    card = report.card
    for label, told in (
        ("Name", card.name),
        ("Emoji", card.emoji),
        ("Avatar", card.avatar),
        ("Creature", card.creature),
        ("Vibe", card.vibe),
    ):
        yield _told(label, told)
    if report.soul_hash:
        yield f"{'Soul':<9} " + paint(report.soul, bold=True) + f"  {report.soul_hash[:12]}, {_WHY[report.soul_why]}"
    else:
        yield f"{'Soul':<9} " + paint(f"({report.soul} is missing)", dim=True)
    if report.alternate.enabled:
        yield f"{'Alternate':<9} {report.alternate.file}  {_when(report.alternate)}"


def _told(label: str, told: "CardField") -> Line:
    from everself.text import one_line

    if not told.value:
        return f"{label:<9} " + paint("(none)", dim=True)
    return f"{label:<9} " + paint(one_line(told.value, _SHOWN), bold=True) + paint(f"  from {_from(told)}", dim=True)


def _from(told: "CardField") -> str:
    return "the default" if told.source == "default" else told.source.value


def _when(alternate: "Alternate") -> str:
    said = []
    if alternate.purge_at and alternate.purge_for:
        said.append(f"daily from {alternate.purge_at} for {_span(alternate.purge_for)}")
    if alternate.chance:
        said.append(f"by chance in {alternate.chance:.3g} of the conversations")
    return ", else ".join(said) or "never: it has neither a window nor a chance"


def _span(length: timedelta) -> str:
    minutes, seconds = divmod(int(length.total_seconds()), 60)
    return f"{minutes} min" + (f" {seconds} s" if seconds else "")


def _turn(spoke: "PersonaTurn", zone: tzinfo) -> Line:
    from everself.text import one_line

    when = datetime.fromisoformat(spoke.at).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    told = f"  {one_line(spoke.session, 40)}  turn {spoke.turn}  {_WHY.get(spoke.why, spoke.why)}"
    return f"{when}  " + paint(spoke.file, bold=True) + f"  {spoke.hash[:12] or 'missing'}" + told
