"""Chooses the persona of a turn: SOUL.md, or sometimes the alternate persona of the settings. Each choice is recorded.

`choose` is pure; `Persona` reads the chosen file and records the choice. Knows nothing of prompts.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, Literal

from everself.clock import Clock
from everself.config.sections import AlternatePersona
from everself.errors import DiskError, UnsafePath, WrongUse
from everself.frozen import Frozen
from everself.storage.state.personas import Personas, PersonaTurn
from everself.text.markdown.lines import BOM
from everself.values import digest

SOUL_FILE: Final = "SOUL.md"

# soul: the default one; session: the one that this session began with
Why = Literal["soul", "purge", "chance", "session"]
# reads a soul by its path; None if there is none that may be used
Read = Callable[[str], bytes | None]
# uniformly distributed from 0 up to, but not including, 1
Draw = Callable[[], float]

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)


class PersonaChoice(Frozen):
    file: str
    why: Why


class Speaker(Frozen):
    """The soul of one turn. `data` and `hash` are empty without a SOUL.md; `notices` are for the person."""

    file: str
    data: bytes
    hash: str
    why: Why
    notices: tuple[str, ...] = ()


def choose(settings: AlternatePersona, now: datetime, draw: Draw, began: PersonaTurn | None = None) -> PersonaChoice:
    """The purge window comes before chance; a running session keeps its persona. `now` is in the user's time zone."""
    if began is not None:
        return PersonaChoice(began.file, "session")
    if settings.enabled and in_purge(settings, now):
        return PersonaChoice(settings.file, "purge")
    if settings.enabled and settings.chance > 0 and draw() < settings.chance:
        return PersonaChoice(settings.file, "chance")
    return PersonaChoice(SOUL_FILE, "soul")


def in_purge(settings: AlternatePersona, now: datetime) -> bool:
    """Whether the daily window is open. Its duration is real time, regardless of clock changes."""
    if not settings.purge_at or settings.purge_for <= timedelta(0):
        return False
    zone = now.tzinfo
    if zone is None:
        raise WrongUse("The moment has no time zone.")
    at = time.fromisoformat(settings.purge_at)
    moment, today = now.astimezone(UTC), now.date()
    # also tomorrow: if clocks are set back at 00:01, the date changes twice
    for day in (today + _DAY * step for step in (-2, -1, 0, 1)):
        opened = opening(day, at, zone)
        if opened is not None and opened <= moment < opened + settings.purge_for:
            return True
    return False


def opening(day: date, at: time, zone: tzinfo) -> datetime | None:
    """The moment in UTC at which clocks first show that time on that day; if they skip it, the moment of the change.

    None for a skipped day, such as 30 December 2011 in Samoa.
    """
    wall = datetime.combine(day, at)
    # fold=0 uses the offset before a clock change, fold=1 the one after it
    before = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    after = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if after >= before:
        return before
    if before - after >= _DAY:
        return None
    return _leap(after, before, wall, zone)


def _leap(early: datetime, late: datetime, wall: datetime, zone: tzinfo) -> datetime:
    """The first second after `early`, and not after `late`, at which clocks show more than `wall`."""
    while late - early > _SECOND:
        middle = early + timedelta(seconds=(late - early) // _SECOND // 2)
        if middle.astimezone(zone).replace(tzinfo=None) < wall:
            early = middle
        else:
            late = middle
    return late


class Persona:
    def __init__(self, settings: AlternatePersona, clock: Clock, ledger: Personas, read: Read, draw: Draw) -> None:
        self._settings = settings
        self._clock = clock
        self._ledger = ledger
        self._read = read
        self._draw = draw

    def speak(self, session: str, turn: int) -> Speaker:
        """The soul for this turn, recorded before it is used."""
        if not session or turn < 0:
            raise WrongUse("A turn needs a session and a number that is not negative.")
        now = self._clock.now()
        began = self._ledger.first_of(session)
        speaker = self._load(choose(self._settings, now, self._draw, began))
        if not self._record(session, turn, now, speaker) and began is None:
            # another process began the same session meanwhile, and its choice counts
            speaker = self._load(choose(self._settings, now, self._draw, self._ledger.first_of(session)))
        return speaker

    def preview(self) -> Speaker:
        """The soul with which a session would begin now, without chance. Records nothing."""
        return self._load(choose(self._settings, self._clock.now(), lambda: 1.0))

    def _record(self, session: str, turn: int, now: datetime, speaker: Speaker) -> bool:
        # in UTC, so that times sort correctly even when clocks are set back
        at = now.astimezone(UTC).isoformat(timespec="microseconds")
        return self._ledger.record(PersonaTurn(session, turn, at, speaker.file, speaker.hash, speaker.why))

    def _load(self, choice: PersonaChoice) -> Speaker:
        if choice.file == SOUL_FILE:
            return self._soul(choice.why)
        data, fault = None, "is missing"
        try:
            data = self._read(choice.file)
        except (UnsafePath, DiskError) as error:
            # an unreadable alternate persona must not stop the agent
            fault = f"cannot be read ({error})"
        if data is not None and data.removeprefix(BOM).strip():
            return Speaker(choice.file, data, digest(data), choice.why)
        if data is not None:
            fault = "is empty"
        why: Why = "session" if choice.why == "session" else "soul"
        return self._soul(why, f"The alternate persona {choice.file} {fault}; {SOUL_FILE} speaks.")

    def _soul(self, why: Why, *notices: str) -> Speaker:
        data = self._read(SOUL_FILE)
        if data is None:
            return Speaker(SOUL_FILE, b"", "", why, (*notices, f"{SOUL_FILE} is missing."))
        return Speaker(SOUL_FILE, data, digest(data), why, notices)
