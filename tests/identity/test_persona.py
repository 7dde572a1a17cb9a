"""Which soul speaks when: the daily window against the clocks of the world, chance, sessions, and the ledger of every turn."""

import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everself.config.sections import AlternatePersona
from everself.errors import UnsafePath, WrongUse
from everself.identity.persona import Persona, PersonaChoice, Read, choose, in_purge, opening
from everself.storage.state.database import open_state
from everself.storage.state.personas import Personas, PersonaTurn
from everself.testing.frozen_time import FrozenTime
from everself.values import digest

EVIL = "SOUL_EVIL.md"
SOUL = b"Be kind.\n"
# both hemispheres, half hours, changes at 00:01 and at midnight, half an hour of summer time, and none at all
ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Asia/Beirut",
    "Africa/Casablanca",
    "Pacific/Auckland",
    "UTC",
]
MINUTE = timedelta(minutes=1)


def settings(
    at: str = "", length: timedelta = timedelta(0), chance: float = 0.0, *, on: bool = True
) -> AlternatePersona:
    return AlternatePersona(enabled=on, file=EVIL, chance=chance, purge_at=at, purge_for=length)


def never() -> float:
    return 1.0


def local(zone: str, *parts: int, fold: int = 0) -> datetime:
    return datetime(*parts, tzinfo=ZoneInfo(zone), fold=fold)  # type: ignore[arg-type, misc] # year, month, day and so on


def is_open(at: str, minutes: int, now: datetime) -> bool:
    return in_purge(settings(at, minutes * MINUTE), now)


def test_the_window_holds_its_first_moment_and_not_its_last() -> None:
    zone = "Asia/Seoul"
    assert not is_open("22:00", 60, local(zone, 2026, 3, 19, 21, 59, 59))
    assert is_open("22:00", 60, local(zone, 2026, 3, 19, 22, 0))
    assert is_open("22:00", 60, local(zone, 2026, 3, 19, 22, 59, 59))
    assert not is_open("22:00", 60, local(zone, 2026, 3, 19, 23, 0))


def test_the_window_goes_on_after_midnight() -> None:
    zone = "Europe/Berlin"
    assert is_open("23:30", 45, local(zone, 2026, 1, 1, 0, 14, 59))
    assert not is_open("23:30", 45, local(zone, 2026, 1, 1, 0, 15))
    assert is_open("23:30", 45, local(zone, 2025, 12, 31, 23, 30))


def test_the_window_is_of_the_users_zone() -> None:
    moment = datetime(2026, 3, 19, 14, 30, tzinfo=UTC)
    assert is_open("23:30", 10, moment.astimezone(ZoneInfo("Asia/Tokyo")))
    assert not is_open("23:30", 10, moment)


def test_it_lasts_its_duration_where_clocks_leap_forward_within_it() -> None:
    # Berlin, 29 March 2026: 02:00 becomes 03:00
    zone = "Europe/Berlin"
    assert is_open("01:30", 60, local(zone, 2026, 3, 29, 3, 29))
    assert not is_open("01:30", 60, local(zone, 2026, 3, 29, 3, 30))


def test_it_begins_when_clocks_leap_over_its_time() -> None:
    zone = "Europe/Berlin"
    assert not is_open("02:30", 20, local(zone, 2026, 3, 29, 1, 59, 59))
    assert is_open("02:30", 20, local(zone, 2026, 3, 29, 3, 0))
    assert is_open("02:30", 20, local(zone, 2026, 3, 29, 3, 19))
    assert not is_open("02:30", 20, local(zone, 2026, 3, 29, 3, 30))


def test_it_begins_once_where_clocks_show_its_time_twice() -> None:
    # Berlin, 25 October 2026: 03:00 becomes 02:00
    zone = "Europe/Berlin"
    assert is_open("02:30", 20, local(zone, 2026, 10, 25, 2, 30, fold=0))
    assert not is_open("02:30", 20, local(zone, 2026, 10, 25, 2, 30, fold=1))
    assert is_open("02:30", 60, local(zone, 2026, 10, 25, 2, 29, fold=1))
    assert not is_open("02:30", 60, local(zone, 2026, 10, 25, 2, 30, fold=1))


def test_clocks_that_show_the_new_day_and_then_the_old_one_again() -> None:
    # Newfoundland, 7 November 2010: 00:01 became 23:01 of the day before
    zone = "America/St_Johns"
    assert is_open("00:00", 40, local(zone, 2010, 11, 6, 23, 30, fold=1))
    assert not is_open("00:00", 40, local(zone, 2010, 11, 6, 23, 30, fold=0))
    assert not is_open("00:00", 40, local(zone, 2010, 11, 7, 0, 10))


def test_a_day_that_was_left_out_has_no_window() -> None:
    zone = ZoneInfo("Pacific/Apia")
    assert opening(date(2011, 12, 30), time(12), zone) is None
    assert not is_open("12:00", 60, local("Pacific/Apia", 2011, 12, 31, 0, 30))
    assert is_open("12:00", 60, local("Pacific/Apia", 2011, 12, 31, 12, 30))


def test_without_time_or_duration_there_is_no_window() -> None:
    now = local("UTC", 2026, 3, 19, 0, 0)
    assert not in_purge(settings("00:00", timedelta(0)), now)
    assert not in_purge(settings("", timedelta(hours=1)), now)
    assert is_open("23:59", 60 * 48, now)


def first_shown(day: date, at: time, zone: ZoneInfo) -> datetime:
    """The plain way: go through the minutes around it and stop at the first whose clock shows that time or more."""
    wall = datetime.combine(day, at)
    moment = wall.replace(tzinfo=zone).astimezone(UTC) - timedelta(hours=3)
    while moment.astimezone(zone).replace(tzinfo=None) < wall:
        moment += MINUTE
    return moment


def changes_of_clocks() -> Iterator[tuple[str, datetime]]:
    """Every moment of 2009 to 2026 at which one of the zones changes its offset, to the minute."""
    for name in ZONES:
        zone = ZoneInfo(name)
        first = datetime(2009, 1, 1, tzinfo=UTC)
        days = [first + timedelta(days=day) for day in range(18 * 365)]
        for before, after in pairwise(days):
            old = before.astimezone(zone).utcoffset()
            if old != after.astimezone(zone).utcoffset():
                low, high = 0, 24 * 60
                while high - low > 1:
                    middle = (low + high) // 2
                    same = (before + middle * MINUTE).astimezone(zone).utcoffset() == old
                    low, high = (middle, high) if same else (low, middle)
                yield name, before + high * MINUTE


CHANGES = list(changes_of_clocks())


@given(st.sampled_from(CHANGES), st.integers(-200, 200), st.integers(1, 300), st.integers(-400, 400))
@example(("Europe/Berlin", datetime(2026, 3, 29, 1, tzinfo=UTC)), 30, 20, 0)
@example(("America/St_Johns", datetime(2010, 11, 7, 2, 31, tzinfo=UTC)), -1, 40, 29)
def test_around_changes_of_clocks_the_window_is_what_a_watcher_of_clocks_sees(
    change: tuple[str, datetime], start: int, minutes: int, later: int
) -> None:
    """`start` minutes around the change, on the wall, is the time of the window; it is looked at `later` minutes after the change."""
    name, moment = change
    zone = ZoneInfo(name)
    # by the offset before the change, so that times that are leapt over are tried as well
    offset = (moment - MINUTE).astimezone(zone).utcoffset() or timedelta(0)
    wall = (moment + offset).replace(tzinfo=None) + start * MINUTE
    now = moment + later * MINUTE
    expected = any(
        opened <= now < opened + minutes * MINUTE
        for step in (-1, 0, 1)
        for opened in [first_shown(wall.date() + timedelta(days=step), wall.time(), zone)]
    )
    assert is_open(wall.strftime("%H:%M"), minutes, now.astimezone(zone)) is expected


@given(st.sampled_from(ZONES), st.datetimes(datetime(2009, 1, 1), datetime(2036, 12, 31)), st.integers(1, 24 * 60))
def test_a_window_is_open_for_its_duration_in_real_time(name: str, wall: datetime, minutes: int) -> None:
    zone, at = ZoneInfo(name), wall.strftime("%H:%M")
    opened = opening(wall.date(), time.fromisoformat(at), zone)
    assert opened is not None
    length = minutes * MINUTE
    assert is_open(at, minutes, opened.astimezone(zone))
    assert is_open(at, minutes, (opened + length - timedelta(microseconds=1)).astimezone(zone))
    if minutes < 22 * 60:
        assert not is_open(at, minutes, (opened + length).astimezone(zone))


def test_changes_of_both_kinds_are_tried() -> None:
    kinds = Counter[str]()
    for name, moment in CHANGES:
        zone = ZoneInfo(name)
        before, after = (moment - MINUTE).astimezone(zone).utcoffset(), moment.astimezone(zone).utcoffset()
        assert before is not None
        assert after is not None
        kinds["forward" if after > before else "back"] += 1
    assert min(kinds["forward"], kinds["back"]) > 50


def test_the_window_comes_before_chance() -> None:
    both = settings("12:00", timedelta(hours=1), 1.0)
    assert choose(both, local("UTC", 2026, 3, 19, 12, 0), never) == PersonaChoice(EVIL, "purge")
    assert choose(both, local("UTC", 2026, 3, 19, 14, 0), lambda: 0.0) == PersonaChoice(EVIL, "chance")


def test_chance_follows_its_seed() -> None:
    now = local("UTC", 2026, 3, 19, 14, 0)

    def series(seed: int, chance: float) -> list[str]:
        draw = random.Random(seed).random
        return [choose(settings(chance=chance), now, draw).file for _ in range(2_000)]

    assert series(7, 0.25) == series(7, 0.25) != series(8, 0.25)
    assert 400 < series(7, 0.25).count(EVIL) < 600
    assert set(series(7, 0.0)) == {"SOUL.md"}
    assert set(series(7, 1.0)) == {EVIL}


def test_switched_off_it_never_speaks() -> None:
    off = settings("12:00", timedelta(hours=1), 1.0, on=False)
    assert choose(off, local("UTC", 2026, 3, 19, 12, 0), lambda: 0.0) == PersonaChoice("SOUL.md", "soul")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Personas]:
    with open_state(str(tmp_path / "state.db"), bytes(32)) as state:
        yield state.personas


def reader(**files: bytes) -> Read:
    return {name.replace("__", "."): data for name, data in files.items()}.get


def persona(ledger: Personas, read: Read, made: AlternatePersona, frozen: FrozenTime | None = None) -> Persona:
    return Persona(made, (frozen or FrozenTime()).clock(), ledger, read, random.Random(1).random)


def test_a_session_keeps_the_soul_it_began_with(ledger: Personas) -> None:
    frozen = FrozenTime()  # 09:30
    speaking = persona(
        ledger, reader(SOUL__md=SOUL, SOUL_EVIL__md=b"Be evil.\n"), settings("09:00", timedelta(hours=1)), frozen
    )
    first = speaking.speak("night", 1)
    assert (first.file, first.data, first.why) == (EVIL, b"Be evil.\n", "purge")
    frozen.advance(timedelta(hours=2))
    assert (speaking.speak("day", 1).file, speaking.speak("day", 1).why) == ("SOUL.md", "session")
    assert (speaking.speak("night", 2).file, speaking.speak("night", 2).why) == (EVIL, "session")
    frozen.advance(timedelta(hours=22))
    assert speaking.speak("day", 2).file == "SOUL.md"


def test_every_turn_is_in_the_ledger_once(ledger: Personas) -> None:
    frozen = FrozenTime()
    text = {"SOUL.md": SOUL}
    speaking = persona(ledger, text.get, settings(on=False), frozen)
    for turn in range(1, 6):
        frozen.advance(MINUTE)
        if turn == 4:
            text["SOUL.md"] = b"Be kinder.\n"
        assert speaking.speak("s", turn).data == text["SOUL.md"]
        speaking.speak("s", turn)
    told = ledger.list("s")
    assert [one.turn for one in told] == [5, 4, 3, 2, 1]
    assert [one.hash for one in told] == [digest(b"Be kinder.\n")] * 2 + [digest(SOUL)] * 3
    assert [one.why for one in told] == ["session"] * 4 + ["soul"]


def test_the_ledger_sorts_by_time_although_clocks_are_set_back(ledger: Personas) -> None:
    frozen = FrozenTime(datetime(2026, 10, 25, 0, 30, tzinfo=UTC))
    speaking = Persona(settings(on=False), frozen.clock("Europe/Berlin"), ledger, reader(SOUL__md=SOUL), never)
    speaking.speak("before", 1)
    frozen.advance(timedelta(minutes=40))  # 02:30 was followed by 02:10
    speaking.speak("after", 1)
    assert [one.session for one in ledger.list()] == ["after", "before"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [(None, "is missing"), (b"", "is empty"), (b" \r\n\t\n", "is empty"), (b"\xef\xbb\xbf\n", "is empty")],
)
def test_an_alternate_without_words_warns_and_the_soul_speaks(ledger: Personas, text: bytes | None, fault: str) -> None:
    files = {"SOUL.md": SOUL} | ({EVIL: text} if text is not None else {})
    speaking = persona(ledger, files.get, settings(chance=1.0))
    spoken = speaking.speak("s", 1)
    assert (spoken.file, spoken.data, spoken.hash, spoken.why) == ("SOUL.md", SOUL, digest(SOUL), "soul")
    assert spoken.notices == (f"The alternate persona {EVIL} {fault}; SOUL.md speaks.",)
    files[EVIL] = b"Be evil.\n"
    assert speaking.speak("s", 2).file == "SOUL.md"
    assert speaking.speak("s", 2).notices == ()
    assert [one.file for one in ledger.list()] == ["SOUL.md", "SOUL.md"]


def test_an_alternate_that_vanishes_within_a_session_is_told(ledger: Personas) -> None:
    files = {"SOUL.md": SOUL, EVIL: b"Be evil.\n"}
    speaking = persona(ledger, files.get, settings(chance=1.0))
    assert speaking.speak("s", 1).file == EVIL
    del files[EVIL]
    spoken = speaking.speak("s", 2)
    assert (spoken.file, len(spoken.notices)) == ("SOUL.md", 1)
    assert ledger.list("s")[0].file == "SOUL.md"


def test_an_alternate_that_cannot_be_read_does_not_silence_the_agent(ledger: Personas) -> None:
    def read(path: str) -> bytes | None:
        if path == EVIL:
            raise UnsafePath("it is a link")
        return SOUL

    spoken = persona(ledger, read, settings(chance=1.0)).speak("s", 1)
    assert spoken.file == "SOUL.md"
    assert "cannot be read" in spoken.notices[0]


def test_without_any_soul_the_turn_is_recorded_all_the_same(ledger: Personas) -> None:
    spoken = persona(ledger, reader(), settings(on=False)).speak("s", 1)
    assert (spoken.data, spoken.hash, spoken.notices) == (b"", "", ("SOUL.md is missing.",))
    assert ledger.list("s")[0].hash == ""


def test_of_two_processes_that_begin_a_session_the_first_one_holds(ledger: Personas) -> None:
    def meanwhile() -> float:
        ledger.record(PersonaTurn("s", 1, "2026-03-19T09:30:00.000000+00:00", "SOUL.md", digest(SOUL), "soul"))
        return 0.0

    files = {"SOUL.md": SOUL, EVIL: b"Be evil.\n"}
    speaking = Persona(settings(chance=0.5), FrozenTime().clock(), ledger, files.get, meanwhile)
    assert speaking.speak("s", 1).file == "SOUL.md"


def test_foreseeing_records_nothing(ledger: Personas) -> None:
    speaking = persona(ledger, reader(SOUL__md=SOUL), settings(chance=1.0))
    assert speaking.preview().file == "SOUL.md"
    assert ledger.list() == ()


@pytest.mark.parametrize(("session", "turn"), [("", 1), ("s", -1)])
def test_a_turn_belongs_to_a_session(ledger: Personas, session: str, turn: int) -> None:
    with pytest.raises(WrongUse):
        persona(ledger, reader(SOUL__md=SOUL), settings()).speak(session, turn)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(WrongUse):
        in_purge(settings("12:00", timedelta(hours=1)), datetime(2026, 3, 19, 12))
