"""S1: every hostile path through every entrance that takes one. Nothing outside is read or changed, and nothing waits for ever."""

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.trust.entrances import ENTRANCES, SPARE, Doors, Entrance
from tests.trust.path_cases import (
    CANARY,
    ONLY_OUTSIDE,
    Case,
    Ground,
    Seen,
    lay_out,
    look,
    scenery,
    spellings,
    tells_of_reading,
)

from everself.clock import monotonic
from everself.errors import EverselfError
from everself.operations.changes import UndoReport
from everself.operations.doctor import DoctorReport
from everself.storage.history.commits import FOLDER, History
from everself.storage.journal import Journal
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import open_state
from everself.testing.frozen_time import FrozenTime
from everself.testing.workspaces import KEY
from everself.values import Conflict, Nothing, Refused
from everself.workspace.assembly import WorkspaceOptions, WorkspaceStorage, assemble
from everself.workspace.disk_workspace import Recovery

# one call that takes this long hangs
PATIENCE = 300.0


@dataclass(slots=True)
class Scene:
    """One workspace beside a folder that it must never reach."""

    ground: Ground
    access: bool
    before: Seen = field(default_factory=dict)

    def reset(self, case: Case) -> None:
        """A small workspace, with what the case needs."""
        inside = self.ground.inside
        beside = inside.parent / "beside"
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        for name in os.listdir(inside):
            place = inside / name
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink()
        (inside / "memory" / "topics").mkdir(parents=True)
        for name, data in (("spare.md", SPARE), ("log.md", SPARE), ("memory/log.md", b"# Log\n")):
            (inside / name).write_bytes(data)
        case.build(self.ground)

    def remember(self) -> None:
        self.before = look(self.ground.outside, access=self.access)

    def escapes(self) -> str:
        """What is different outside; empty when nothing is."""
        now = look(self.ground.outside, access=self.access)
        if now == self.before:
            return ""
        return "; ".join(
            f"{path} was {self.before.get(path)}, is {now.get(path)}"
            for path in sorted(now.keys() | self.before.keys())
            if now.get(path) != self.before.get(path)
        )


@contextmanager
def opened(top: Path, *, walk_only: bool) -> Iterator[Doors]:
    """A workspace that resolves paths in one of the two ways, with its parts at hand."""
    documents = RealFileSystem(str(top / "workspace"), walk_only=walk_only)
    files = RealFileSystem(str(top / "state"), walk_only=walk_only)
    locks = (FileLock(str(top / "state" / "write.lock")), FileLock(str(top / "state" / "history.lock")))
    packs = str(top / "state" / FOLDER)
    clock = FrozenTime().clock()
    with open_state(str(top / "state" / "state.db"), KEY) as state:
        made = assemble(
            WorkspaceStorage(documents, files, *locks, packs), state, clock, WorkspaceOptions(background=False)
        )
        yield Doors(documents, made, History(files, packs), Journal(files), state, clock, top / "beside")


def quick_folder() -> str | None:
    """A folder in memory where there is one: what is tested here is where calls reach, not whether they last."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@contextmanager
def scene() -> Iterator[tuple[Path, Scene]]:
    with tempfile.TemporaryDirectory(prefix="everself-s1-", dir=quick_folder(), ignore_cleanup_errors=True) as name:
        top = Path(name).resolve()
        ground = Ground(top / "workspace", top / "outside")
        for folder in ("workspace", "state", "home"):
            (top / folder).mkdir(mode=0o700)
        lay_out(ground)
        made = Scene(ground, tells_of_reading(top / "home"))
        made.remember()
        yield top, made


def is_refused(result: object) -> bool:
    """Whether an entrance that raised nothing gave nothing either."""
    match result:
        case None | Conflict() | Refused() | Nothing() | () | []:
            return True
        case UndoReport():
            return result.applied is None
        case Recovery():
            return not result.completed
        case DoctorReport():
            return result.workspace == ""
    return False


def must_refuse(entrance: Entrance, case: Case) -> bool:
    if entrance.reach == "words":
        return False
    match case.kind:
        case "spelling" | "through":
            return True
        case "name":
            return entrance.reach != "name"
        case "folder":
            return entrance.reach == "content"
    return False


def attempt(entrance: Entrance, case: Case, doors: Doors, scene: Scene) -> bool:
    """One path through one entrance. Whether it raised nothing."""
    result: object = None
    words = ""
    try:
        result = entrance.enter(doors, case.path)
    except EverselfError as error:
        words = f"{error!r} {error} {error.mend} {error.__cause__}"
    except OSError as error:
        assert entrance.plain_errors, f"a bare {error!r}"  # noqa: PT017 — raising is allowed here, being rude is not
        words = repr(error)
    told = words or repr(result)
    assert CANARY[:13].decode() not in told, f"it shows what stands outside: {told[:300]}"
    assert ONLY_OUTSIDE not in told, f"it lists what stands outside: {told[:300]}"
    outside = scene.escapes()
    assert not outside, f"changed or read outside: {outside}"
    if must_refuse(entrance, case):
        assert words or is_refused(result), f"was let through: {result!r:.300}"
    return not words


class Sweep:
    """All entrances for some cases, in a thread, so that one that waits for ever is noticed and named."""

    def __init__(self, cases: list[Case], top: Path, scene: Scene, *, thorough: bool) -> None:
        self.cases = cases
        # one of each label, which is one of each idea
        self._examples = set(cases) if thorough else set({one.label: one for one in cases}.values())
        self._top = top
        self._scene = scene
        self._at = "opening"
        self._since = monotonic()
        self._trouble: BaseException | None = None
        self.tried = 0
        self.let_in = 0

    def run(self) -> None:
        thread = threading.Thread(target=self._work, name="everself-s1", daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(1.0)
            assert not thread.is_alive() or monotonic() - self._since < PATIENCE, f"{self._at}: hangs"
        if self._trouble is not None:
            raise self._trouble

    def _work(self) -> None:
        try:
            for walk_only in (False, True):
                with opened(self._top, walk_only=walk_only) as doors:
                    self._sweep(doors, walk_only=walk_only)
        # handed to the thread that waits; nothing is swallowed
        except BaseException as trouble:  # noqa: BLE001
            self._trouble = trouble

    def _sweep(self, doors: Doors, *, walk_only: bool) -> None:
        for case in self.cases:
            self._scene.reset(case)
            for entrance in ENTRANCES:
                if entrance.costly and (walk_only or case not in self._examples):
                    continue
                self._at = f"{entrance.covers} with {case}{', walking' if walk_only else ''}"
                self._since = monotonic()
                try:
                    done = attempt(entrance, case, doors, self._scene)
                except Exception as error:
                    raise AssertionError(f"{self._at}: {error!r}") from error
                self.tried += 1
                self.let_in += done
                if done and not entrance.looks:
                    self._scene.reset(case)


def all_cases(scene: Scene, descriptor: int) -> list[Case]:
    found = [*scenery(scene.ground, descriptor), *spellings(scene.ground)]
    return list({(one.path, one.label): one for one in found}.values())


def try_cases(choose: Callable[[list[Case]], list[Case]], *, thorough: bool) -> Sweep:
    """The chosen ones of all cases through every entrance."""
    with scene() as (top, made), at_home(top / "home"):
        descriptor = os.open(made.ground.outside, os.O_RDONLY | os.O_DIRECTORY)
        try:
            sweep = Sweep(choose(all_cases(made, descriptor)), top, made, thorough=thorough)
            sweep.run()
            return sweep
        finally:
            os.close(descriptor)


def run_s1(count: int, seed: int, start: int = 0, *, thorough: bool = False) -> str:
    """Try `count` cases from number `start` of the seed's order on; `thorough` tries the costly entrances with each of them."""

    def choose(cases: list[Case]) -> list[Case]:
        Random(seed).shuffle(cases)
        return cases[start : start + count]

    try:
        sweep = try_cases(choose, thorough=thorough)
    except AssertionError as error:
        raise AssertionError(f"S1 seed {seed}: {error}") from error
    return (
        f"S1 {len(sweep.cases)} paths, {len(ENTRANCES)} entrances, {sweep.tried} attempts, "
        f"{sweep.let_in} allowed, 0 escapes, seed {seed}"
    )


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """The verbs find their agent through the environment."""
    wanted = {"HOME": str(home), "EVERSELF_HOME": str(home / ".everself"), "XDG_CONFIG_HOME": str(home / ".config")}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
