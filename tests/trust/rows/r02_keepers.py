"""R2 over keepers: each is killed at any moment, again and again, and the next process goes on. No entry is lost, doubled or torn, and
what it ends with is what it would have been without a kill.

One prepared home with something to do for every keeper, for the weekly review and for `memory promote --apply`; many copies of it.
Half of the kills come after so many milliseconds, half before so many calls that change the disk. The clock stands still, so that what
was written can be compared byte by byte, ids aside.
"""

import asyncio
import json
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final
from zoneinfo import ZoneInfo

import re2
from tests.keepers.minds import with_stubs
from tests.operations.promotions import promote
from tests.trust.dying import die_before
from tests.trust.rows.r07 import PLACES
from tests.trust.workers import Nursery

from everself.agent import open_runtime
from everself.clock import Clock, monotonic, pause
from everself.keepers.keeper import RunReport
from everself.memory.entries import read_document
from everself.memory.writing import NewEntry, PageSpot
from everself.operations.promotion import PromoteRequest
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of
from everself.text.normalise import fold
from everself.workspace.layout import place

ZONE: Final = ZoneInfo("Europe/Berlin")
NOW: Final = datetime(2026, 3, 20, 8, 0, tzinfo=UTC)
PROMOTE: Final = "promote --apply"
WEEK: Final = "weekly-review"
DEEDS: Final = (
    "memory-miner",
    "recall-validator",
    "conflict-detector",
    "soul-keeper",
    WEEK,
    PROMOTE,
    "memory-compactor",
)
MODULE: Final = "tests.trust.rows.r02_keepers"
MOST_KILLS: Final = 4
POLICIES: Final = ("evolve", "propose")
TWICE: Final = "- The modem restarts at noon.\n- The modem restarts at noon.\n"
FERRIES: Final = (101, 100, 70, 45, 40)
# by how many days ago, with whose words they are
LIFE: Final[dict[int, tuple[tuple[str, str], ...]]] = {
    130: (("soul", "Be brief."),),
    129: (("soul", "Be kind."),),
    128: (("soul", "Be curious."),),
    **{ago: (("owner", f"The ferry was late on day {ago}."), ("web", f"It rained on day {ago}.")) for ago in FERRIES},
    39: (("owner", "I live in Leeds."),),
    20: (("correction", "The shed is painted green.→The shed is painted blue."),),
    5: (("correction", "The gate opens with 1111.→The gate opens with 2222."),),
    4: (("tool", "The gate opens with 1111."),),
    3: (("owner", "I like how you keep answers short."), ("owner", "The door code is 4471.")),
    2: (
        ("owner", "I like how you keep answers short."),
        ("owner", "My cousin is called Ada."),
        ("owner", "We decided to use Postgres for billing."),
    ),
    0: (("owner", "I live in Sheffield."), ("owner", "The door code is 9026.")),
}
# said, and nobody has written them down
MESSAGES: Final = (
    *(f"My locker number {number} is in hall {number + 20}." for number in range(6)),
    "We agreed that releases go out on Tuesdays.",
    "No, my cousin is called Ida, not Ada.",
)
_ID: Final = re2.compile(r"\b[0-9A-HJKMNP-TV-Z]{12}\b")
_HASH: Final = re2.compile(r"sha256 [0-9a-f]+|-[0-9a-f]{8}\.md")


@contextmanager
def living(home: str, time: FrozenTime | None = None) -> Iterator[Runtime]:
    with open_runtime(environ={"HOME": home, "EVERSELF_HOME": f"{home}/e", "EVERSELF_KEYS": f"{home}/k"}) as app:
        app.clock = Clock(ZONE, time or FrozenTime(NOW))
        yield app


def prepare(home: str, policy: str) -> None:
    """The life before: what is old, wrong, said twice, said and never written down."""
    Path(home, "e").mkdir(parents=True)
    search = {"defaults": {"memorySearch": {"provider": "none"}}}
    told = {"agents": search, "history": {"enabled": False}, "soul": {"policy": policy}}
    Path(home, "e", "everself.json5").write_text(json.dumps(told))
    time = FrozenTime(NOW - timedelta(days=400))
    with living(home, time) as app:
        set_up(app)
        core = Path(app.agent.workspace, "MEMORY.md")
        core.write_text(f"{core.read_text()}\n## House\n\n{TWICE}")
        for guess in ("The attic may be damp", "Somebody may like jazz"):
            app.memory.remember(NewEntry(guess, origin_of("agent"), spot=PageSpot("MEMORY.md", "Memory", "Guesses")))
        for day in range(130, -1, -1):
            time.moment = NOW - timedelta(days=day)
            _live_day(app, day)
        session = app.log.begin()
        for said in MESSAGES:
            app.log.add(session, "user", said)


def _live_day(app: Runtime, ago: int) -> None:
    for source, words in LIFE.get(ago, ()):
        if source == "soul":
            app.growth.approve(app.growth.add_line(words, "by hand").proposal.id)
        elif source == "correction":
            wrong, right = words.split("→")
            known = app.memory.remember(NewEntry(wrong, origin_of("owner")))
            app.memory.correct(known.entry, right, origin_of("owner"), said=f"No. {right}")
        else:
            app.memory.remember(NewEntry(words, origin_of(source)))


def work(home: str, name: str, calls: int = 0) -> None:
    """The side that is killed, before so many calls that change the disk where there is a number."""
    if calls:
        die_before(calls)
    with living(home) as app:
        do(app, name)


def work_all(home: str) -> None:
    for name in DEEDS:
        work(home, name)


def do(app: Runtime, name: str) -> bool:
    """One deed to its end; whether it changed anything."""
    if name == PROMOTE:
        return bool(promote(app, PromoteRequest()).change)
    return _run(app, name).changed


def _run(app: Runtime, name: str) -> RunReport:
    from everself.keepers.weekly_review import WeeklyReview

    # vectors would take longer than everything else; that they are there is taken for granted
    app.keepers._sources = with_stubs(app.keepers._sources, embed=lambda: True)
    keeper = WeeklyReview() if name == WEEK else app.keepers.find(name)
    return asyncio.run(app.keepers.run(keeper))


@dataclass(slots=True)
class Prepared:
    """A home before any keeper ran, what is acknowledged in it, how long each deed takes, and what all of them make of it."""

    home: Path
    held: dict[str, str]
    seconds: dict[str, float]
    end: "Ending"


@dataclass(frozen=True, slots=True)
class Ending:
    """What a life ended with, ids of what was made anew aside."""

    entries: "Counter[tuple[str, ...]]"
    documents: dict[str, str]
    reviews: "Counter[tuple[str, ...]]"
    proposals: "Counter[tuple[str, ...]]"
    changes: "Counter[tuple[str, ...]]"

    def differs(self, other: "Ending") -> Iterator[str]:
        for name in ("entries", "reviews", "proposals", "changes"):
            mine, theirs = getattr(self, name), getattr(other, name)
            yield from (f"{name}: only undisturbed {one}" for one in mine - theirs)
            yield from (f"{name}: only after kills {one}" for one in theirs - mine)
        for path in sorted({*self.documents, *other.documents}):
            if self.documents.get(path) != other.documents.get(path):
                yield f"{path}: {self.documents.get(path)!r} became {other.documents.get(path)!r}"


def ending(home: Path) -> Ending:
    with living(str(home)) as app:
        # what died before it was noted is noted when somebody looks
        app.growth.open()
        entries = app.memory.catalog.all()
        texts = {one.id: fold(one.text) for one in entries}

        def told(text: str) -> str:
            # an id is what it stands for; one that stands for nothing that is remembered is any
            named = _ID.sub(lambda found: f"<{texts.get(found.group(0), 'id')}>", text)
            return _HASH.sub("hash", named)

        return Ending(
            Counter(
                (
                    *(one.text, one.source, one.tag.value, one.path, texts.get(one.closed_by, "")),
                    *map(str, (one.day, one.until, one.seen, one.mentions, one.vouched)),
                    told(" ".join(sorted(one.lineage))),
                )
                for one in entries
            ),
            {path: told(data.decode()) for path, data in _files(app)},
            Counter(
                (one.kind, one.author, one.status, told(str(one.payload["operation"])))
                for one in app.state.reviews.every(limit=10_000)
            ),
            Counter(
                (one.author, one.path, one.status, told(one.content), one.reason)
                for one in app.state.proposals.list("", 10_000)
            ),
            Counter(
                (one.author.value, told(one.reason), " ".join(sorted(map(told, one.paths))))
                for one in app.workspace.changes(limit=10_000)
            ),
        )


def _files(app: Runtime) -> Iterator[tuple[str, bytes]]:
    top = Path(app.agent.workspace)
    for one in sorted(top.rglob("*.md")):
        yield str(one.relative_to(top)), one.read_bytes()


def check(app: Runtime, held: dict[str, str]) -> None:
    """Whatever was acknowledged is known by its id and stands in one place, in its words."""
    entries = app.memory.catalog.all()
    by_id = {one.id: one for one in entries}
    assert len(by_id) == len(entries), "two entries have one id"
    found: Counter[str] = Counter()
    for path, data in _files(app):
        if place(path).kind.value in PLACES:
            found.update(identity for one in read_document(data) if (identity := one.claim("id")))
    doubled = [name for name, many in found.items() if many > 1]
    assert not doubled, f"in two places: {doubled}"
    for identity, words in held.items():
        assert identity in by_id, f"{words!r} is lost"
        assert fold(by_id[identity].text) == fold(words), f"{identity} is torn: {by_id[identity].text!r}"
        assert found[identity] == 1, f"{words!r} stands nowhere"
    held.update({one.id: one.text for one in entries if one.id in found})


def ready(nursery: Nursery, policy: str) -> Prepared:
    home = Path(nursery.folder, policy)
    nursery.run(f"{MODULE}:prepare", home=str(home), policy=policy)
    held: dict[str, str] = {}
    with living(str(home)) as app:
        check(app, held)
    nursery.learn(f"{MODULE}:work_all", home=str(_copy(home, "learn")))
    plain = _copy(home, "plain")
    seconds = {}
    for name in DEEDS:
        started = monotonic()
        nursery.run(f"{MODULE}:work", home=str(plain), name=name)
        seconds[name] = monotonic() - started
    return Prepared(home, held, seconds, ending(plain))


def _copy(home: Path, name: str) -> Path:
    to = home.with_name(name)
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(home, to)
    return to


def live(nursery: Nursery, prepared: Prepared, random: Random) -> int:
    """Every deed, killed some times and then done; how many kills there were."""
    home = _copy(prepared.home, "life")
    held = dict(prepared.held)
    kills = 0
    for name in DEEDS:
        for _ in range(random.randrange(1, MOST_KILLS + 1)):
            kills += _kill(nursery, home, name, prepared.seconds[name], random)
            # sometimes the next kill comes before anybody looked
            if random.random() < 0.5:
                with living(str(home)) as app:
                    check(app, held)
        nursery.run(f"{MODULE}:work", home=str(home), name=name)
        with living(str(home)) as app:
            check(app, held)
            assert not do(app, name), f"{name} did something a second time"
    differences = list(prepared.end.differs(ending(home)))
    assert not differences, "\n".join(differences)
    return kills


def _kill(nursery: Nursery, home: Path, name: str, seconds: float, random: Random) -> bool:
    calls = random.randrange(1, 30) if random.random() < 0.5 else 0
    pid = nursery.start(f"{MODULE}:work", home=str(home), name=name, calls=calls)
    if not calls:
        pause(random.random() * seconds)
    code = nursery.wait(pid) if calls else nursery.kill(pid)
    assert code in (0, -signal.SIGKILL), f"{name} ended with {code}:\n{nursery.complaints()}"
    return code != 0


def run_r2_keepers(count: int, seed: int) -> str:
    """`count` kills at least, and a life under each policy."""
    random = Random(seed)
    kills = lives = 0
    with Nursery(MODULE, memory=200) as nursery:
        prepared: dict[str, Prepared] = {}
        while kills < count or lives < len(POLICIES):
            policy = POLICIES[(seed + lives) % len(POLICIES)]
            if policy not in prepared:
                prepared[policy] = ready(nursery, policy)
            try:
                kills += live(nursery, prepared[policy], random)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, life {lives}, policy {policy}: {error}") from error
            lives += 1
    return f"R2 keepers: {kills} kills in {lives} lives of {len(DEEDS)} deeds, 0 lost, 0 doubled, 0 torn, seed {seed}"
