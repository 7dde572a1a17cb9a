"""Output of `everself identity`."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, tzinfo
from typing import Final

from everself.config.sections import AlternatePersona
from everself.identity.card import CardField
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View
from everself.operations.identity import IdentityReport, Turns
from everself.storage.state.personas import PersonaTurn
from everself.text.normalise import one_line

_SHOWN: Final = 60
_WHY: Final = {
    "soul": "the usual one",
    "purge": "the daily window of the alternate persona is open",
    "chance": "by chance",
    "session": "as the session began",
}


def _lines(found: IdentityReport | Turns, look: Look) -> Iterable[Line]:
    if not isinstance(found, Turns):
        return _card(found)
    empty = f'No turn of a session "{found.session}" is recorded.' if found.session else "No turn is recorded yet."
    return [_turn(one, look.zone) for one in found.spoken] or [empty]


def _card(report: IdentityReport) -> Iterator[Line]:
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


def _told(label: str, told: CardField) -> Line:
    if not told.value:
        return f"{label:<9} " + paint("(none)", dim=True)
    source = "the default" if told.source == "default" else told.source.value
    return f"{label:<9} " + paint(one_line(told.value, _SHOWN), bold=True) + paint(f"  from {source}", dim=True)


def _when(alternate: AlternatePersona) -> str:
    said = []
    if alternate.purge_at and alternate.purge_for:
        said.append(f"daily from {alternate.purge_at} for {_span(alternate.purge_for)}")
    if alternate.chance:
        said.append(f"by chance in {alternate.chance:.3g} of the conversations")
    return ", else ".join(said) or "never: it has neither a window nor a chance"


def _span(length: timedelta) -> str:
    minutes, seconds = divmod(int(length.total_seconds()), 60)
    return f"{minutes} min" + (f" {seconds} s" if seconds else "")


def _turn(spoke: PersonaTurn, zone: tzinfo) -> Line:
    when = datetime.fromisoformat(spoke.at).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    told = f"  {one_line(spoke.session, 40)}  turn {spoke.turn}  {_WHY.get(spoke.why, spoke.why)}"
    return f"{when}  " + paint(spoke.file, bold=True) + f"  {spoke.hash[:12] or 'missing'}" + told


def _data(found: IdentityReport | Turns) -> object:
    return found.spoken if isinstance(found, Turns) else found


VIEWS: Final = {"identity": View(_lines, data=_data)}
