"""R4 over every command: a small real disk fills and frees at random, before a command and in the middle of it.

Each round is a fresh copy of a home that has lived a little, and every command once, in an order by chance. A command that says that
nothing was changed left every byte as it was; one that says that it is done is done, once; whoever does it again after a failure, as a
person would, has it once. Afterwards there is room again, and a reading command is the next start.
"""

import io
import json
import os
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.trust.operations import random_id
from tests.trust.small_disk import MEGABYTE, SmallDisk, small_disk, where_permitted

from everself.agent import open_runtime
from everself.errors import EverselfError
from everself.interfaces.cli.entry import run
from everself.memory.entries import read_document
from everself.memory.quarantine import quarantine
from everself.memory.writing import NewEntry
from everself.operations.setup import set_up
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.testing.origins import origin_of

DONE, DEGRADED = 0, 6
CI_ROUNDS = 3
CI_VERBS = ("memory add", "memory edit", "memory forget", "memory compact", "undo", "keepers run")
OLD_DAYS: Final = ("2025-01-07", "2025-02-11", "2025-04-19")
KEEPERS: Final = ("memory-compactor", "memory-miner", "recall-validator", "soul-keeper", "conflict-detector")
SIZE = 48 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)["data"]

    @property
    def unsure(self) -> bool:
        """Whether it says that something was begun and not all of it done."""
        return self.code == DEGRADED and not json.loads(self.out)["ok"]


@dataclass(slots=True)
class Life:
    """One home on the disk, and what must stand in it: how often each text is an entry."""

    home: Path
    random: Random
    facts: dict[str, int] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    changes: dict[str, str] = field(default_factory=dict)
    proposal: str = ""
    seen: dict[str, bytes] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.home / "e" / "workspace"

    def words(self) -> str:
        return f"The {self.random.choice(('ferry', 'kettle', 'gate', 'shed'))} is called {random_id(self.random)}."

    def some(self) -> str:
        """An entry that stands, by its words."""
        return self.random.choice([text for text in self.entries if self.facts.get(text) == 1])


Effect = Callable[[Said], None]


@dataclass(frozen=True, slots=True)
class Play:
    """A command as it is typed, and what it means once it is done."""

    words: tuple[str, ...]
    effect: Effect = lambda _: None


def _add(life: Life) -> Play:
    text = life.words()

    def effect(said: Said) -> None:
        life.facts[text] = 1
        if not said.unsure:
            life.entries[text] = said.data["entry"]
            life.changes[text] = said.data["change"]

    return Play(("memory", "add", text, *life.random.choice(((), ("--remember",)))), effect)


def _edit(life: Life) -> Play:
    old, new = life.some(), life.words()

    def effect(_: Said) -> None:
        life.facts[old], life.facts[new] = 0, 1
        life.entries[new] = life.entries.pop(old)

    return Play(("memory", "edit", life.entries[old], new), effect)


def _correct(life: Life) -> Play:
    old, new = life.some(), life.words()

    def effect(_: Said) -> None:
        # closed, and told in CORRECTIONS.md
        del life.facts[old]
        life.facts[new] = 1

    return Play(("memory", "correct", life.entries[old], new), effect)


def _supersede(life: Life) -> Play:
    old = life.some()
    other = life.random.choice([text for text in life.entries if text != old and life.facts.get(text) == 1])
    return Play(("memory", "supersede", life.entries[old], life.entries[other]), lambda _: life.facts.pop(old))


def _forget(life: Life) -> Play:
    old = life.some()

    def effect(_: Said) -> None:
        life.facts[old] = 0
        del life.entries[old]

    return Play(("memory", "forget", life.entries[old], "--yes"), effect)


def _undo(life: Life) -> Play:
    old = life.random.choice([text for text in life.changes if life.facts.get(text) == 1] or [life.some()])

    def effect(_: Said) -> None:
        life.facts[old] = 0

    return Play(("undo", life.changes.get(old, "ZZZZZZZZZZZZ"), "--yes"), effect)


def _promote(life: Life) -> Play:
    return Play(("memory", "promote", life.entries[life.some()], "--apply"))


def _import(life: Life) -> Play:
    text = life.words()
    line = json.loads((life.home / "one.jsonl").read_text()) | {"id": random_id(life.random), "text": text}
    file = life.home / "in.jsonl"
    # given by somebody who has room; what is imported is ours to write
    file.write_text(json.dumps(line) + "\n")

    def effect(_: Said) -> None:
        life.facts[text] = 1

    return Play(("memory", "import", str(file), "--as-mine"), effect)


def _bank(life: Life) -> Play:
    text = life.words()

    def effect(_: Said) -> None:
        life.facts[text] = 1

    return Play(("memory", "bank", "add", life.random.choice(("world", "Ada")), text), effect)


def _propose(life: Life) -> Play:
    def effect(said: Said) -> None:
        if not said.unsure:
            life.proposal = said.data["proposal"]["id"]

    return Play(("soul", "propose", f"Be {life.words()}"), effect)


def _plain(*words: str) -> Callable[[Life], Play]:
    return lambda _: Play(words)


def _fresh(*words: str) -> Callable[[Life], Play]:
    """With a name that is not taken at the end."""
    return lambda life: Play((*words, random_id(life.random).lower()))


VERBS: Mapping[str, Callable[[Life], Play]] = {
    "memory add": _add,
    "memory edit": _edit,
    "memory correct": _correct,
    "memory supersede": _supersede,
    "memory forget": _forget,
    "undo": _undo,
    "memory promote": _promote,
    "memory compact": _plain("memory", "compact", "--days", "60", "--apply", "--remove"),
    "memory import": _import,
    "memory export": lambda life: Play(("memory", "export", f"{life.home}/{random_id(life.random)}.jsonl")),
    "memory bank add": _bank,
    "memory vouch": _plain("memory", "vouch", "--all", "--yes"),
    "memory release": lambda life: Play(("memory", "release", (life.home / "aside").read_text())),
    "memory index": _plain("memory", "index"),
    "memory rebuild": _plain("memory", "rebuild"),
    "memory search": _plain("memory", "search", "ferry"),
    "soul propose": _propose,
    "soul approve": lambda life: Play(("soul", "approve", life.proposal or "ZZZZZZZZZZZZ", "--yes")),
    "soul refuse": lambda life: Play(("soul", "refuse", life.proposal or "ZZZZZZZZZZZZ")),
    "soul rollback": _plain("soul", "rollback", "1", "--yes"),
    "soul verify": _plain("soul", "verify"),
    "keepers run": lambda life: Play(("keepers", "run", life.random.choice(KEEPERS))),
    "config set": lambda life: Play(("config", "set", "agents.defaults.userTimezone", life.random.choice(ZONES))),
    "config unset": _plain("config", "unset", "agents.defaults.userTimezone"),
    "cron add": lambda life: Play(
        ("cron", "add", "--every", "2d", "--verb", "memory promote --review", "--name", random_id(life.random))
    ),
    "cron enable": _plain("cron", "enable", "kept"),
    "cron disable": _plain("cron", "disable", "kept"),
    "cron run": _plain("cron", "run", "kept"),
    "cron tick": _plain("cron", "tick"),
    "cron rm": _plain("cron", "rm", "gone"),
    "agents add": _fresh("agents", "add"),
    "agents remove": _plain("agents", "remove", "nobody"),
    "sessions delete": lambda life: Play(("sessions", "delete", (life.home / "session").read_text(), "--yes")),
    "review refuse": _plain("review", "refuse", "ZZZZZZZZZZZZ"),
    "backup": lambda life: Play(("backup", f"{life.home}/{random_id(life.random)}.tar.gz")),
    "gateway install": _plain("gateway", "install"),
    "gateway token add": lambda life: Play(("gateway", "token", "add", random_id(life.random).lower(), "--as", "main")),
    "gateway token rotate": _plain("gateway", "token", "rotate", "nobody"),
    "gateway token rm": _plain("gateway", "token", "rm", "nobody"),
    "gateway hook add": lambda life: Play(("gateway", "hook", "add", random_id(life.random).lower())),
    "gateway hook rotate": _plain("gateway", "hook", "rotate", "nobody"),
    "gateway hook rm": _plain("gateway", "hook", "rm", "nobody"),
    "gateway sign-in": _plain("gateway", "sign-in"),
    "gateway sign-out": _plain("gateway", "sign-out"),
    "doctor": _plain("doctor", "--fix"),
    "setup": _plain("setup"),
}
ZONES: Final = ("Asia/Seoul", "Europe/Berlin", "America/Lima")
# what only reads, asks a model or a person at a terminal, or puts another moment in the place of this one (R1 and R16 kill it)
ELSEWHERE: Final = {
    *(
        "chat",
        "ask",
        "model use",
        "model test",
        "simulate-compaction",
        "restore",
        "review accept",
        "review edit",
        "soul test",
    ),
    *(
        "why",
        "config get",
        "config show",
        "config path",
        "identity",
        "soul show",
        "soul history",
        "soul digest",
        "soul diff",
    ),
    *(
        "memory get",
        "memory why",
        "memory list",
        "memory show",
        "memory status",
        "memory bank list",
        "memory bank show",
    ),
    *("memory eval", "context", "sessions list", "sessions show", "sessions search", "sessions export", "model list"),
    *(
        "spend",
        "cron list",
        "cron show",
        "cron history",
        "keepers list",
        "keepers history",
        "review list",
        "log",
        "show",
    ),
    *("agents list", "agents show", "completion", "help", "memory contents", "memory trends", "review count"),
    # these serve programs, write files of other programs or make a home of their own: the tests of each fill the disk
    *("mcp", "hook", "web", "connect", "disconnect", "demo"),
    *(f"gateway {name}" for name in ("run", "start", "restart", "stop", "status", "logs", "token list", "hook list")),
}


def call(*words: str) -> Said:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([*words, "--json"])
    return Said(code, out.getvalue(), err.getvalue())


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """The environment of a person who lives there, and of nobody else."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("EVERSELF_", "XDG_"))]:
        del os.environ[name]
    os.environ |= {"HOME": str(home), "EVERSELF_HOME": f"{home}/e", "EVERSELF_KEYS": f"{home}/k", "TZ": "UTC"}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def prepare(home: Path) -> Life:
    """A home with something to do for every command."""
    life = Life(home, Random(0))
    (home / "e").mkdir(parents=True)
    told = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}}
    (home / "e" / "everself.json5").write_text(json.dumps(told))
    with open_runtime() as app:
        set_up(app)
        session = app.log.begin()
        app.log.add(session, "user", "The attic is dry.")
        (home / "session").write_text(session.id)
        (home / "aside").write_text(
            quarantine(app.memory, NewEntry("The wallet is long.", origin_of("web")), "a wallet").entry
        )
    for day in OLD_DAYS:
        text = life.words()
        life.facts[text] = 1
        (life.workspace / "memory").mkdir(exist_ok=True)
        (life.workspace / "memory" / f"{day}.md").write_text(
            f"# Memory Log: {day}\n\n## [09:00:00] note\n\n{text} <!-- everself: id={random_id(life.random)} -->\n"
        )
    for _ in range(6):
        play = _add(life)
        play.effect(_done(call(*play.words)))
    for name in ("kept", "gone"):
        _done(call("cron", "add", "--every", "3d", "--verb", "memory promote --review", "--name", name))
    _done(call("agents", "add", "nobody"))
    exported = _done(call("memory", "export", str(home / "all.jsonl")))
    assert exported.code == DONE
    lines = [line for line in (home / "all.jsonl").read_text().splitlines() if '"path":"memory/' in line]
    (home / "one.jsonl").write_text(lines[-1])
    return life


def _done(said: Said) -> Said:
    assert said.code == DONE, said
    return said


def look(life: Life) -> dict[str, bytes]:
    """Every document and every file of settings, as the next start finds them. It is a start: whatever was left is put right here."""
    found = call("log", "--limit", "1")
    assert found.code == DONE, f"the next start fails: {found}"
    paths = [path for path in life.workspace.rglob("*") if path.is_file() and path.suffix == ".md"]
    left = list(life.workspace.rglob(f"{TEMPORARY_PREFIX}*"))
    assert not left, f"left over: {left}"
    return {str(path): path.read_bytes() for path in (*paths, life.home / "e" / "everself.json5")}


def judge(life: Life, before: Mapping[str, bytes], now: Mapping[str, bytes]) -> None:
    emptied = [path for path, data in now.items() if not data.strip() and before.get(path, b"").strip()]
    assert not emptied, f"emptied: {emptied}"
    counts = Counter(read.text for path, data in now.items() if path.endswith(".md") for read in read_document(data))
    wrong = {text: counts[text] for text, wanted in life.facts.items() if counts[text] != wanted}
    assert not wrong, f"entries and how often they stand there: {wrong}"


def is_done(life: Life, play: Play, said: Said, now: Mapping[str, bytes]) -> bool:
    """After words that not all is done: whether what was asked for is there."""
    kept = dict(life.facts), dict(life.entries), dict(life.changes)
    play.effect(said)
    counts = Counter(read.text for path, data in now.items() if path.endswith(".md") for read in read_document(data))
    done = all(counts[text] == count for text, count in life.facts.items() if kept[0].get(text) != count)
    if not done:
        life.facts, life.entries, life.changes = kept
    return done


@dataclass(slots=True)
class Tally:
    commands: int = 0
    failed: int = 0
    degraded: int = 0
    again: int = 0


class Tide:
    """The disk of one command: full before it begins, or from some moment inside it on."""

    def __init__(self, disk: SmallDisk, random: Random) -> None:
        self._disk = disk
        # below, around and above what a change reserves
        self._level = int(random.choice((2 ** random.uniform(0, 21), random.uniform(0.2, 0.8) * MEGABYTE)))
        self._delay = random.choice((0.0, random.uniform(0, 0.3)))
        self._timer = threading.Timer(self._delay, self._rise)

    def _rise(self) -> None:
        try:
            self._disk.fill(self._level)
        except OSError:
            # the command took the room a moment before; then it is full as well
            return

    def __enter__(self) -> None:
        if self._delay:
            self._timer.start()
        else:
            self._rise()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        if self._delay:
            self._timer.join()
        self._disk.free()


def suffer(life: Life, name: str, disk: SmallDisk, tally: Tally) -> None:
    """One command on a disk that is, or becomes, full; then again where it failed."""
    before = life.seen
    play = VERBS[name](life)
    tally.commands += 1
    with Tide(disk, life.random):
        said = call(*play.words)
    now = look(life)
    words = f"{' '.join(play.words)} said {said.code} {said.out[-600:]} {said.err[-300:]}"
    try:
        if said.unsure:
            tally.degraded += 1
            done = is_done(life, play, said, now)
        elif said.code in (DONE, DEGRADED):
            tally.degraded += said.code == DEGRADED
            play.effect(said)
            done = True
        else:
            tally.failed += 1
            differ = [path for path in {*before, *now} if before.get(path) != now.get(path)]
            assert not differ, f"it said that nothing was changed, and changed {differ}"
            done = False
        judge(life, before, now)
        if not done:
            tally.again += 1
            said = call(*play.words)
            now = look(life)
            words += f"; again: {said.code} {said.out[-600:]}"
            if said.code in (DONE, DEGRADED):
                play.effect(said)
            judge(life, before, now)
    except AssertionError as error:
        raise AssertionError(f"{words}\n{error}") from error
    life.seen = now


def live(first: Life, disk: SmallDisk, seed: int, verbs: tuple[str, ...], tally: Tally) -> None:
    random = Random(seed)
    home = disk.top / "home"
    shutil.copytree(first.home, home)
    try:
        with at_home(home):
            life = Life(home, random, dict(first.facts), dict(first.entries), dict(first.changes))
            life.seen = look(life)
            for name in random.sample(verbs, len(verbs)):
                suffer(life, name, disk, tally)
            with open_runtime() as app:
                assert app.state.verify_ledger().ok
                assert app.state.changes_without_commit() == []
            found = call("doctor")
            errors = [one for one in found.data["findings"] if one["severity"] == "error"]
            assert not errors, errors
    finally:
        shutil.rmtree(home)


def run_r4_full(count: int, seed: int, verbs: tuple[str, ...] = tuple(VERBS)) -> str:
    """`NotPermitted` where no disk can be mounted."""
    elsewhere = where_permitted(f"{__name__}:run_r4_full({count}, {seed}, {verbs!r})")
    if elsewhere is not None:
        return elsewhere
    tally = Tally()
    with small_disk(SIZE) as disk:
        home = disk.top / "home"
        with at_home(home):
            first = prepare(home)
        shutil.move(home, disk.top / "first")
        first.home = disk.top / "first"
        for number in range(seed * 1_000_000, seed * 1_000_000 + count):
            try:
                live(first, disk, number, verbs, tally)
            except (AssertionError, EverselfError) as error:
                raise AssertionError(f"R4-FULL seed {number}: {error}") from error
    return (
        f"R4-FULL {count} rounds, {tally.commands} commands, {tally.failed} failed in words, {tally.degraded} degraded, "
        f"{tally.again} done again, 0 documents emptied, 0 acknowledged entries lost, 0 doubled, seed {seed}"
    )
