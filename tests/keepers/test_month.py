"""A month of an agent's life on a frozen clock, with and without a model: its files read well, nothing is lost, nothing happens twice."""

import shutil
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
import re2
from syrupy.assertion import SnapshotAssertion
from tests.keepers.months import FIRST, HOURS, MONTH, QUIET, SAID, at, live_day, live_night, living, sleep_through
from tests.operations.jobs import run_keeper
from tests.trust.rows.r07 import PLACES
from tests.trust.workers import Nursery

from everself.memory.entries import read_document
from everself.runtime import Runtime
from everself.text.normalise import fold
from everself.values import Entry
from everself.workspace.layout import place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

FILES = ("MEMORY.md", "memory/decisions.md", "CORRECTIONS.md", "CONFLICTS.md", "COMPACTION_LOG.md", "CHANGELOG.md")
OLD = "Archive/Corrections/2026-03.md"
CHRONICLE = "Archive/Chronicles/2026-March.md"
SUNDAY = 6
# the Sunday on which the first days are archived
ARCHIVING = 34
KILLS = 15


@dataclass
class Life:
    """What was acknowledged so far, by id: the words it was acknowledged with."""

    home: Path
    held: dict[str, str] = field(default_factory=dict)
    # how it was before the night in which the first days are archived
    early: Path | None = None
    early_held: dict[str, str] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.home / "e" / "workspace"

    def files(self) -> dict[str, bytes]:
        return {str(one.relative_to(self.workspace)): one.read_bytes() for one in self.workspace.rglob("*.md")}

    def check(self, app: Runtime, day: int) -> None:
        """R7: whatever was acknowledged stands in exactly one place, in its words."""
        entries = app.memory.catalog.all()
        by_id = {one.id: one for one in entries}
        assert len(by_id) == len(entries), f"day {day}: two entries have one id"
        found: Counter[str] = Counter()
        for path, data in self.files().items():
            if place(path).kind.value in PLACES:
                found.update(identity for one in read_document(data) if (identity := one.claim("id")))
        assert [name for name, many in found.items() if many > 1] == [], f"day {day}: one entry in two places"
        for identity, words in self.held.items():
            assert identity in by_id, f"day {day}: {words!r} is gone"
            assert fold(by_id[identity].text) == fold(words), f"day {day}: {identity} says something else"
            assert found[identity] == 1, f"day {day}: {words!r} stands nowhere"
        self.held |= {one.id: one.text for one in entries if one.id in found}

    def run_again(self, app: Runtime, day: int) -> None:
        """Each keeper that had its time this night, once more."""
        before = self.files()
        sunday = (FIRST + timedelta(days=day)).weekday() == SUNDAY
        for keeper in app.keepers.keepers:
            if keeper.name != "memory-compactor" or sunday:
                report = run_keeper(app, keeper.name)
                assert (report.applied, report.queued) == ((), ()), f"day {day}: {keeper.name}"
        assert self.files() == before, f"day {day}"


def live(home: Path, *, modelled: bool) -> Life:
    life = Life(home)
    with living(str(home), at(0, "08:00"), modelled=modelled) as (app, time):
        for day in range(MONTH + QUIET):
            if day == ARCHIVING:
                break
            _live_one(life, app, time, day)
    # a copy for those who want to know what a kill would have done to the night that comes now
    life.early = home.with_name(f"{home.name}-early")
    life.early_held = dict(life.held)
    shutil.copytree(home, life.early)
    with living(str(home), at(ARCHIVING, HOURS[0]), modelled=modelled) as (app, time):
        for day in range(ARCHIVING, MONTH + QUIET):
            _live_one(life, app, time, day)
    return life


def _live_one(life: Life, app: Runtime, time, day: int) -> None:
    if day:
        live_night(app, time, day)
        life.check(app, day)
        if day % 5 == 0 or (FIRST + timedelta(days=day)).weekday() == SUNDAY:
            life.run_again(app, day)
    if day < MONTH:
        live_day(app, time, day)


@pytest.fixture(scope="module", params=[False, True], ids=["rules", "model"])
def life(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Life:
    """The month as it was lived, each night with its checks."""
    return live(tmp_path_factory.mktemp("month"), modelled=request.param)


@pytest.fixture
def now(life: Life):
    with living(str(life.home), at(MONTH + QUIET, "09:00")) as (app, _):
        yield app


def readable(text: str, names: dict[str, str]) -> str:
    """A document as a person reads it, with ids and hashes that are the same in every run."""
    for identity in re2.findall(r"\b[0-9A-HJKMNP-TV-Z]{12}\b", text):
        names.setdefault(identity, f"ID-{len(names) + 1:03}")
    for identity, name in names.items():
        text = text.replace(identity, name)
    return re2.sub(r"-[0-9a-f]{8}\.md", "-0.md", re2.sub(r"sha256 [0-9a-f]+", "sha256 0", text))


def test_the_files_of_a_month_read_well(life: Life, snapshot: SnapshotAssertion) -> None:
    names: dict[str, str] = {}
    found = life.files()
    learned = found["SOUL.md"].decode().partition("## Learned")[2]
    told = {path: readable(found[path].decode(), names) for path in (*FILES, OLD, CHRONICLE) if path in found}
    assert {**told, "SOUL.md, what is learned": readable(learned, names)} == snapshot


def test_what_was_said_is_known_and_what_was_put_right_stays_so(now: Runtime) -> None:
    holds = [one.text for one in now.memory.catalog.all() if not one.closed]
    for words in ("use Postgres", "third pot", "Sheffield", "painted blue", "花生", "モモ", "매주 금요일", "Okafor"):
        assert [one for one in holds if words in one], words
    for words in ("The shed is painted green.", "My sister is called Mira."):
        assert words not in holds
    # nobody answered yet, and nothing is closed by a guess
    assert "I live in Leeds." in holds
    assert any("I live in Leeds." in str(dict(one.payload)) for one in now.state.reviews.waiting("conflict"))
    assert len(SAID) > 20


def test_a_page_became_nobodys_fact_no_promotion_and_no_part_of_the_soul(life: Life, now: Runtime) -> None:
    told = [one for one in now.memory.catalog.all() if "Mallory" in one.text]
    assert len(told) >= 2
    assert {now.memory.trust(one) for one in told} == {"web"}
    found = life.files()
    for path in ("SOUL.md", "MEMORY.md", "USER.md", "memory/decisions.md", CHRONICLE):
        assert b"Mallory" not in found[path], path
    asked = " ".join(str(dict(one.payload)) for one in now.state.reviews.every(limit=1000))
    assert not [one.id for one in told if one.id in asked]


def _known(app: Runtime) -> Counter[tuple[object, ...]]:
    def seen(one: Entry) -> tuple[object, ...]:
        return one.text, one.source, one.tag, one.day, one.closed, one.path, one.mentions

    return Counter(seen(one) for one in app.memory.catalog.all())


def test_a_night_that_is_killed_again_and_again_ends_like_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory, life: Life, seed: int
) -> None:
    assert life.early is not None
    top = tmp_path_factory.mktemp("kills")
    plain, killed = top / "plain", top / "killed"
    shutil.copytree(life.early, plain)
    with living(str(plain), at(ARCHIVING - 1, "20:00")) as (app, _):
        session = app.log.begin()
        for number in range(12):
            # said, and the process died before anybody wrote it down
            app.log.add(session, "user", f"My locker number {number} is in hall {number + 20}.")
    shutil.copytree(plain, killed)
    sleep_through(str(plain), ARCHIVING)
    random = Random(seed)
    with Nursery("tests.keepers.months") as nursery:
        nursery.learn(
            "tests.keepers.months:sleep_through", home=str(shutil.copytree(plain, top / "learn")), day=ARCHIVING
        )
        killed_so_far = 0
        while killed_so_far < KILLS:
            calls = random.randrange(1, 40)
            pid = nursery.start("tests.keepers.months:sleep_through", home=str(killed), day=ARCHIVING, calls=calls)
            if nursery.wait(pid) == 0:
                break
            killed_so_far += 1
        assert killed_so_far >= 4, "the night was over before it was killed a few times"
    sleep_through(str(killed), ARCHIVING)
    with living(str(killed), at(ARCHIVING, "12:00")) as (app, _):
        Life(killed, dict(life.early_held)).check(app, ARCHIVING)
        made = _known(app)
    with living(str(plain), at(ARCHIVING, "12:00")) as (app, _):
        assert made == _known(app)
