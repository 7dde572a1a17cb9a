"""S2: a folder or a file is swapped with a link that leads out, while we work on it. Nothing outside is read or changed.

Twice: by a hand that swaps before a chosen system call, so that every gap between two calls is met, and by another process that swaps
as fast as it can, so that the gaps inside the kernel are met as well.
"""

import mmap
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Literal

from tests.conversation.tools.kits import runtime_over
from tests.trust.path_cases import CANARY, Case, Ground, lay_out, tells_of_reading
from tests.trust.rows.s01 import Scene, quick_folder
from tests.trust.swapping import COUNT, GO, SIZE, STILL, exchange

from everself.clock import monotonic, pause
from everself.errors import EverselfError
from everself.memory.catalog import Catalog
from everself.memory.memory import Memory
from everself.operations.caller import Audience, Caller
from everself.operations.memory_commands import use_memory_tool
from everself.storage import real_disk as real
from everself.storage._kernel_calls import openat2, renameat2
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import open_state
from everself.testing.faulty_disk import MeddledFileSystem
from everself.testing.frozen_time import FrozenTime
from everself.testing.workspaces import KEY
from everself.values import Append, Author, Change, Create, Edit, Move, Remove, Replace, digest
from everself.workspace.assembly import WorkspaceOptions, WorkspaceStorage, assemble
from everself.workspace.disk_workspace import DiskWorkspace

OURS = b"# Log\n\nour own words\n"
BASE = digest(OURS)
LOG = "memory/log.md"
PATIENCE = 60.0
Component = Literal["folder", "file"]
# what stands there, and the link that takes its place
SWAPS: dict[Component, tuple[str, str]] = {"folder": ("memory", "memory-link"), "file": (LOG, "memory/log-link.md")}


def _apply(edit: Edit) -> Callable[[DiskWorkspace], object]:
    return lambda workspace: workspace.apply(Change(Author.OWNER, "swapped", (edit,)))


def _by_model(workspace: DiskWorkspace) -> list[str]:
    """Every command of the memory tool, one after the other, and what a model would see of it."""
    state, clock = workspace._parts.ledger, workspace._parts.clock
    memory = Memory(workspace, Catalog(workspace, state.entries, state.provenance, clock), clock)
    runtime, caller = runtime_over(memory, workspace, state), Caller(Audience.AGENT)
    told: list[str] = []
    for words in (
        {"command": "view", "path": "/memories/log.md"},
        {"command": "str_replace", "path": "/memories/log.md", "old_str": "own", "new_str": "your"},
        {"command": "create", "path": "/memories/mine.md", "file_text": "- Tea\n"},
        {"command": "insert", "path": "/memories/mine.md", "insert_line": 1, "insert_text": "- Rust"},
        {"command": "rename", "old_path": "/memories/mine.md", "new_path": "/memories/ours.md"},
        {"command": "delete", "path": "/memories/ours.md"},
        {"command": "view", "path": "/memories"},
    ):
        try:
            told.append(use_memory_tool(runtime, caller, use_memory_tool.read(words, "tool")).text)
        except EverselfError as error:
            told.append(f"{error} {error.__cause__}")
    return told


OPERATIONS: dict[str, Callable[[DiskWorkspace], object]] = {
    "create": _apply(Create("memory/new.md", b"new\n")),
    "create in a new folder": _apply(Create("memory/sub/new.md", b"new\n")),
    "append": _apply(Append(LOG, b"more\n")),
    "replace": _apply(Replace(LOG, BASE, 0, 5, b"# Our")),
    "remove": _apply(Remove(LOG, BASE)),
    "move": _apply(Move(LOG, BASE, "memory/moved.md")),
    "read": lambda workspace: workspace.read(LOG),
    "list": lambda workspace: workspace.list("memory"),
    "note outside": lambda workspace: workspace.note_outside(),
    "memory tool": _by_model,
}


class Hand:
    """Swaps before one system call of the documents' file system, and perhaps back before a later one."""

    def __init__(self) -> None:
        self.swap: Callable[[], None] = lambda: None
        self.points: tuple[int, ...] = ()
        self.calls = 0
        self.swaps = 0
        self.counting = False

    def before_call(self) -> None:
        if not self.counting:
            return
        self.calls += 1
        if self.calls in self.points:
            self.swap()
            self.swaps += 1


class MeddledOs:
    """The module os with somebody's hand before every call."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand

    def __getattr__(self, name: str) -> Any:
        found = getattr(os, name)
        if not callable(found) or name in ("path", "fsencode", "strerror"):
            return found
        return partial(_called, self._hand, found)


def _called(hand: Hand, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    hand.before_call()
    return function(*arguments, **named)


@contextmanager
def meddled(hand: Hand) -> Iterator[None]:
    """Let the hand meet every system call that the real file system makes."""

    def with_hand(find: Callable[[], Any]) -> Callable[[], Any]:
        def found() -> Any:
            call = find()
            return None if call is None else partial(_called, hand, call)

        return found

    before = {"os": os, "openat2": openat2, "renameat2": renameat2}
    try:
        real.os = MeddledOs(hand)  # type: ignore[assignment]
        real.openat2 = with_hand(openat2)  # type: ignore[assignment]
        real.renameat2 = with_hand(renameat2)  # type: ignore[assignment]
        yield
    finally:
        for name, value in before.items():
            setattr(real, name, value)


@dataclass(slots=True)
class Stage:
    """A workspace beside a folder that it must never reach."""

    top: Path
    scene: Scene
    workspace: DiskWorkspace
    hand: Hand

    def set_up(self, component: Component) -> None:
        self.scene.reset(Case("", "odd"))
        inside, outside = self.scene.ground.inside, self.scene.ground.outside
        (inside / LOG).write_bytes(OURS)
        link = inside / SWAPS[component][1]
        link.symlink_to(outside if component == "folder" else outside / "log.md")

    def work(self, operation: str) -> None:
        """Do it, whatever comes of it, and see that nothing outside had a part in it."""
        told = ""
        try:
            told = repr(OPERATIONS[operation](self.workspace))
        except EverselfError as error:
            told = f"{error} {error.__cause__}"
        assert CANARY[:13].decode() not in told, f"it shows what stands outside: {told[:300]}"
        self.check()

    def check(self) -> None:
        outside = self.scene.escapes()
        assert not outside, f"changed or read outside: {outside}"

    def settle(self) -> None:
        """What the race left half done is mended by the next start, without a way out either."""
        with suppress(EverselfError):
            self.workspace.recover()
        self.workspace.recover()
        self.check()


@contextmanager
def stage(*, walk_only: bool, alike: bool) -> Iterator[Stage]:
    """`alike`: the log outside holds the very bytes of ours, so that its hash fits."""
    with tempfile.TemporaryDirectory(prefix="everself-s2-", dir=quick_folder(), ignore_cleanup_errors=True) as name:
        top = Path(name).resolve()
        ground = Ground(top / "workspace", top / "outside")
        for folder in ("workspace", "state"):
            (top / folder).mkdir(mode=0o700)
        lay_out(ground, {"log.md": OURS if alike else CANARY, "new.md": CANARY})
        scene = Scene(ground, tells_of_reading(top / "state"))
        scene.remember()
        hand = Hand()
        with meddled(hand), open_state(str(top / "state" / "state.db"), KEY) as state:
            files = [RealFileSystem(str(top / folder), walk_only=walk_only) for folder in ("workspace", "state")]
            watched = [MeddledFileSystem(one, _turn(hand, on=not number)) for number, one in enumerate(files)]
            locks = [FileLock(str(top / "state" / name)) for name in ("write.lock", "history.lock")]
            made = assemble(
                WorkspaceStorage(*watched, *locks),  # type: ignore[arg-type]
                state,
                FrozenTime().clock(),
                WorkspaceOptions(background=False),
            )
            yield Stage(top, scene, made, hand)


def _turn(hand: Hand, *, on: bool) -> Callable[[str, str], None]:
    """Only the documents are of interest: nobody else writes to the state."""

    def turn(call: str, path: str) -> None:
        del call, path
        hand.counting = on and hand.points != ()

    return turn


def swap_by_hand(made: Stage, operation: str, component: Component, points: tuple[int, ...]) -> tuple[int, int]:
    """One operation with a swap before each of these calls. How many calls it made and how often it was met."""
    made.set_up(component)
    hand = made.hand
    hand.swap = partial(exchange, str(made.scene.ground.inside), *SWAPS[component])
    hand.points, hand.calls, hand.swaps = points, 0, 0
    made.work(operation)
    calls, swaps = hand.calls, hand.swaps
    hand.points, hand.counting = (), False
    if swaps % 2:
        with suppress(FileNotFoundError):
            hand.swap()
    made.settle()
    return calls, swaps


def run_by_hand(made: Stage, count: int, random: Random) -> int:
    met = 0
    for operation in OPERATIONS:
        for component in SWAPS:
            # a point that is never reached: how many calls there are without anybody's hand
            calls, _ = swap_by_hand(made, operation, component, (1 << 30,))
            for number in range(count):
                # where there are tries enough, every call has its turn
                first = 1 + (number if number < calls <= count else random.randrange(calls))
                points = (first,) if random.random() < 0.5 else (first, first + random.randrange(1, 6))
                try:
                    met += swap_by_hand(made, operation, component, points)[1]
                except AssertionError as error:
                    raise AssertionError(f"{operation}, {component} swapped before call {points}: {error}") from error
    return met


class Swapper:
    """Another process that swaps two names as long as it is told to, and puts everything back when it is told to stop."""

    def __init__(self, shared: Path, inside: Path, component: Component) -> None:
        shared.write_bytes(bytes(SIZE))
        with open(shared, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), SIZE)
        paths = [path for path in sys.path if path]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.trust.swapping", str(shared), str(inside), *SWAPS[component]],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        self._await(lambda: self._memory[STILL] == 1)

    @property
    def swaps(self) -> int:
        return int.from_bytes(self._memory[COUNT], "little")

    def start(self) -> None:
        seen = self.swaps
        self._memory[GO] = 1
        self._await(lambda: self.swaps > seen)

    def stop(self) -> None:
        self._memory[STILL] = self._memory[GO] = 0
        self._await(lambda: self._memory[STILL] == 1)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._memory.close()

    def _await(self, ready: Callable[[], bool]) -> None:
        end = monotonic() + PATIENCE
        while not ready():
            assert self._process.poll() is None, "the process that swaps ended"
            assert monotonic() < end, "the process that swaps does nothing"
            pause(0.0001)


def run_by_process(made: Stage, count: int) -> int:
    """Each operation until it was swapped under so many times; the one that was not met in time is not counted."""
    met = 0
    for component in SWAPS:
        made.set_up(component)
        swapper = Swapper(made.top / f"swaps-{component}", made.scene.ground.inside, component)
        try:
            for operation in OPERATIONS:
                end, done = monotonic() + PATIENCE, 0
                while done < count and monotonic() < end:
                    made.set_up(component)
                    swapper.start()
                    before = swapper.swaps
                    try:
                        made.work(operation)
                    except AssertionError as error:
                        raise AssertionError(f"{operation}, {component} swapped all the time: {error}") from error
                    finally:
                        done += swapper.swaps > before
                        swapper.stop()
                    _put_back(made, component)
                    made.settle()
                met += done
        finally:
            swapper.close()
    return met


def _put_back(made: Stage, component: Component) -> None:
    """An operation may have renamed one of the two while they were swapped, and the other process then missed a step."""
    here = made.scene.ground.inside / SWAPS[component][0]
    if here.is_symlink():
        with suppress(FileNotFoundError):
            exchange(str(made.scene.ground.inside), *SWAPS[component])


def run_s2(count: int, seed: int) -> str:
    """Each operation, in each way of resolving: `count` swaps by hand and as many operations under another process."""
    random = Random(seed)
    # shared by two components, and by a text outside that is the same as ours and one that is not
    share = (count + 3) // 4
    by_hand = by_process = 0
    for walk_only in (False, True):
        for alike in (False, True):
            with stage(walk_only=walk_only, alike=alike) as made:
                try:
                    by_hand += run_by_hand(made, share, random)
                    by_process += run_by_process(made, share)
                except AssertionError as error:
                    way = "walking" if walk_only else "openat2"
                    raise AssertionError(
                        f"S2 seed {seed}, {way}, {'same' if alike else 'other'} text: {error}"
                    ) from error
    return (
        f"S2 {len(OPERATIONS)} kinds of operation, {by_hand} swaps between two calls, {by_process} operations swapped under "
        f"all the time, 0 escapes, seed {seed}"
    )
