"""A week of an agent's life on a frozen clock, in three time zones, with a person who edits the files in between."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import re2
from syrupy.assertion import SnapshotAssertion
from tests.memory.minds import Mind, open_mind

from everself.clock import Clock
from everself.errors import RefusedByRule
from everself.identity.time_zone import user_zone
from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
from everself.memory.forgetting.proof import Target
from everself.memory.selection import Selection, list_entries
from everself.memory.writing import NewEntry
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of
from everself.values import Tag

SEOUL, BERLIN, NEW_YORK = "Asia/Seoul", "Europe/Berlin", "America/New_York"
FERRY = "The ferry to Jeju leaves at 7:40."
HANA = "Hana lives in Busan."
TRAINS = "Seems to prefer trains to planes."
SHED = "The key of the shed lies under the third pot."


@dataclass
class Said:
    """What the week's own bookkeeping knows of one entry, in hundredths; nothing of it comes from the code under test."""

    base: int
    seen: date
    mentions: int = 1
    cap: int = 99
    decays: bool = True

    def worth(self, today: date) -> float:
        months = max(0, (today - self.seen).days) // 30 if self.decays else 0
        return min(self.cap, max(20, self.base + 5 * (self.mentions - 1) - 5 * months)) / 100


@dataclass
class Life:
    top: Path
    time: FrozenTime
    books: dict[str, Said] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.top / "workspace"

    @contextmanager
    def at(self, wall: str, zone: str) -> Iterator[Mind]:
        """Some hour on the person's wall. The agent finds the zone where the person wrote it."""
        self.time.moment = datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        profile = (self.workspace / "USER.md").read_bytes()
        clock = Clock(user_zone("", profile), self.time)
        assert clock.today().isoformat() == wall[:10]
        with open_mind(str(self.top), clock) as mind:
            yield mind
            self.check(mind, clock.today())

    def check(self, mind: Mind, today: date) -> None:
        """Every number is what the bookkeeping says, and every entry is where it can be found."""
        for identity, said in self.books.items():
            entry = mind.catalog.get(identity)
            assert mind.memory.confidence(entry) == said.worth(today), f"{entry.text} on {today}"
            assert (entry.mentions, entry.seen) == (said.mentions, said.seen), entry.text

    def tell(
        self, mind: Mind, text: str, source: str = "owner", *, tag: Tag = Tag.KNOWLEDGE, core: bool = False
    ) -> str:
        done = mind.memory.remember(NewEntry(text, origin_of(source), tag=tag, explicit=core, category=tag.value))
        today = self.books.setdefault(done.entry, Said(95 if source == "owner" else 60, mind.memory.clock.today()))
        if done.mention and done.change:
            today.mentions += 1
            today.seen = mind.memory.clock.today()
        return done.entry

    def travel(self, zone: str) -> None:
        path = self.workspace / "USER.md"
        before, label, rest = path.read_text("utf-8").partition("- **Time zone:** ")
        path.write_text(f"{before}{label}{zone}\n{rest.partition(chr(10))[2]}", "utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        """By hand, in an editor."""
        path = self.workspace / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")


def begin(top: Path) -> Life:
    (top / "workspace").mkdir()
    (top / "workspace" / "USER.md").write_text(f"# User\n\n- **Name:** Mina\n- **Time zone:** {SEOUL}\n", "utf-8")
    return Life(top, FrozenTime())


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> tuple[Life, dict[str, str]]:
    """The week as it was lived, for tests that only look back at it."""
    life = begin(tmp_path_factory.mktemp("week"))
    return life, live_the_week(life)


def readable(data: bytes, names: dict[str, str]) -> str:
    """A document as a person reads it, with ids that are the same in every run."""
    for identity in re2.findall(r"(?:id=|entry:|by=)([0-9A-HJKMNP-TV-Z]{12})", data.decode()):
        names.setdefault(identity, f"ENTRY-{len(names) + 1:02}")
    text = data.decode()
    for identity, name in names.items():
        text = text.replace(identity, name)
    return text


def live_the_week(life: Life) -> dict[str, str]:
    """Monday to Sunday. The ids of what was said, by what it is about."""
    ids: dict[str, str] = {}
    with life.at("2026-03-16T08:30", SEOUL) as mind:
        ids["ferry"] = life.tell(mind, FERRY, tag=Tag.EVENT)
        ids["hana"] = life.tell(mind, HANA, core=True)
        ids["trains"] = life.tell(mind, TRAINS, "agent")
    with life.at("2026-03-16T23:50", SEOUL) as mind:
        ids["tuner"] = life.tell(mind, "The piano tuner comes twice a year.")
    with life.at("2026-03-17T00:10", SEOUL) as mind:
        ids["shed"] = life.tell(mind, SHED, core=True)
        life.tell(mind, "hana lives  in Busan.")
        life.tell(mind, HANA, "web")
        life.tell(mind, TRAINS, "agent")
    life.edit("MEMORY.md", "## Facts\n\n", "## Facts\n\n- Allergic to peanuts, badly.\n")
    life.travel(BERLIN)
    with life.at("2026-03-18T00:20", BERLIN) as mind:
        done = mind.memory.correct(
            FERRY, "The ferry to Jeju leaves at 8:10.", origin_of("owner"), trigger="no, ten past eight"
        )
        ids["right ferry"] = done.entry
        life.books[done.entry] = Said(100, date(2026, 3, 18), cap=100, decays=False)
        peanuts = next(entry for entry in mind.catalog.all() if "peanuts" in entry.text)
        ids["peanuts"] = peanuts.id
        life.books[peanuts.id] = Said(95, date(2026, 3, 18))
    life.edit("MEMORY.md", "Allergic to peanuts, badly.", "Allergic to peanuts and cashews, badly.")
    with life.at("2026-03-19T09:00", BERLIN) as mind:
        assert mind.catalog.get(ids["peanuts"]).text == "Allergic to peanuts and cashews, badly."
        ids["kreuzberg"] = life.tell(mind, "The office is in Kreuzberg.", tag=Tag.DECISION)
        ids["mitte"] = life.tell(mind, "The office is in Mitte.", tag=Tag.DECISION)
        assert not mind.catalog.get(ids["kreuzberg"]).closed
    life.travel(NEW_YORK)
    with life.at("2026-03-20T23:30", NEW_YORK) as mind:
        mind.memory.supersede(ids["kreuzberg"], ids["mitte"])
        life.tell(mind, "The office is in Mitte.")
    with life.at("2026-03-21T11:00", NEW_YORK) as mind:
        forget(mind, ids["shed"])
        del life.books[ids["shed"]]
    return ids


def forget(mind: Mind, identity: str) -> None:
    grip = ForgettingResources(mind.bench.workspace, mind.bench.state, mind.bench.storage)
    forgetting = Forgetting(mind.catalog, grip, mind.memory.clock)
    assert forgetting.carry_out(forgetting.plan(Target(ids=(identity,)))).gone


def test_the_files_of_a_week_read_well(week: tuple[Life, dict[str, str]], snapshot: SnapshotAssertion) -> None:
    life, _ = week
    names: dict[str, str] = {}
    for path in sorted(life.workspace.rglob("*.md")):
        name = path.relative_to(life.workspace).as_posix()
        assert readable(path.read_bytes(), names) == snapshot(name=name)


def test_nothing_is_lost_and_days_are_the_persons(week: tuple[Life, dict[str, str]]) -> None:
    life, ids = week
    with life.at("2026-03-22T10:00", NEW_YORK) as mind:
        entries = {entry.id: entry for entry in mind.catalog.all() if entry.path != "USER.md"}
        assert set(entries) == set(ids.values()) - {ids["shed"]}
        days = {name: entries[identity].day for name, identity in ids.items() if name != "shed"}
    assert days["tuner"] == date(2026, 3, 16)
    assert days["kreuzberg"] == date(2026, 3, 19)
    logs = sorted(path.name for path in (life.workspace / "memory").iterdir())
    # nobody said anything new on Friday and Saturday: what was known was counted where it stands
    assert logs == ["2026-03-16.md", "2026-03-17.md", "2026-03-18.md", "2026-03-19.md"]
    assert "[23:50:00]" in (life.workspace / "memory" / "2026-03-16.md").read_text("utf-8")
    assert "[00:20:00]" in (life.workspace / "memory" / "2026-03-18.md").read_text("utf-8")


def test_what_was_believed_on_each_day_can_be_asked(week: tuple[Life, dict[str, str]]) -> None:
    life, ids = week
    with life.at("2026-03-22T10:00", NEW_YORK) as mind:
        asked = {day: Selection(as_of=date(2026, 3, day)) for day in range(16, 23)}
        believed = {day: {one.entry.id for one in list_entries(mind.memory, wanted)} for day, wanted in asked.items()}
    assert ids["ferry"] in believed[17]
    assert ids["ferry"] not in believed[18]
    assert ids["right ferry"] in believed[18]
    assert {ids["kreuzberg"], ids["mitte"]} <= believed[19]
    assert ids["kreuzberg"] not in believed[20]
    assert ids["mitte"] in believed[22]


def test_what_was_forgotten_is_nowhere_and_stays_away(week: tuple[Life, dict[str, str]]) -> None:
    life, _ = week
    for path in life.top.rglob("*"):
        if path.is_file():
            assert b"third pot" not in path.read_bytes(), path
    with life.at("2026-03-22T10:00", NEW_YORK) as mind, pytest.raises(RefusedByRule):
        mind.memory.remember(NewEntry(SHED, origin_of("import")))


def test_what_the_owner_said_two_years_ago_is_still_there_and_no_file_was_touched_for_it(tmp_path: Path) -> None:
    life = begin(tmp_path)
    with life.at("2026-03-16T08:30", SEOUL) as mind:
        owners = life.tell(mind, HANA, core=True)
        guessed = life.tell(mind, TRAINS, "agent")
        right = mind.memory.correct(life.tell(mind, FERRY), "It leaves at 8:10.", origin_of("owner")).entry
        life.books.clear()
        life.books |= {owners: Said(95, date(2026, 3, 16)), guessed: Said(60, date(2026, 3, 16))}
        life.books[right] = Said(100, date(2026, 3, 16), cap=100, decays=False)
    before = _files(life.workspace)
    for days in (29, 30, 59, 60, 365, 730):
        day = date(2026, 3, 16) + timedelta(days=days)
        with life.at(f"{day.isoformat()}T12:00", SEOUL) as mind:
            assert {owners, guessed, right} <= {entry.id for entry in mind.catalog.all()}
            sure = [mind.memory.confidence(mind.catalog.get(one)) for one in (owners, guessed, right)]
    # .95 − .05 × ⌊730 / 30⌋ is below the floor
    assert sure == [0.2, 0.2, 1.0]
    assert _files(life.workspace) == before


def _files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*.md")}
