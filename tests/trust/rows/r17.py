"""R17: a file of the history or of state.db is deleted, cut, emptied, flipped, filled with noise, turned into a folder, or another agent's.

Every command after it works or says in words what to do. No document changes but by the command that was asked to, no entry that was
acknowledged is lost, and `doctor --fix` leaves an agent about which it has no error to tell and to which can be added again.
"""

import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from everself.agent import Agent, open_runtime
from everself.interfaces.cli.entry import run
from everself.operations.doctor import examine
from everself.operations.setup import set_up

MEMORY = "/dev/shm"
STATE = ".everself/agents/main"
ENTRIES = ("I like green tea", "My sister Ana lives in Porto", "We ship on Fridays")
READS = (("memory", "list"), ("memory", "search", "tea"), ("memory", "status"), ("context",))
OTHERS = (("log",), ("show", "last"), ("doctor",), ("sessions", "list"), ("undo", "last", "--dry-run"))
# words of the outermost fence: whatever comes to it was not foreseen
CRASHED = ("mistake in Everself", "Traceback")

Harm = Callable[[Path, Path, Random], None]


def delete(path: Path, _: Path, __: Random) -> None:
    path.unlink()


def empty(path: Path, _: Path, __: Random) -> None:
    path.write_bytes(b"")


def cut(path: Path, _: Path, random: Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data) + 1)])


def flip(path: Path, _: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def overwrite(path: Path, _: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    start = random.randrange(len(data) + 1)
    data[start : start + 4_096] = random.randbytes(len(data[start : start + 4_096]))
    path.write_bytes(data)


def make_folder(path: Path, _: Path, __: Random) -> None:
    path.unlink()
    path.mkdir(mode=0o700)


def swap(path: Path, other: Path, random: Random) -> None:
    """Another agent's file of the same kind."""
    same = other / path.name
    found = sorted(one for one in other.rglob("*") if one.is_file() and len(one.name) == len(path.name))
    path.write_bytes((same if same.exists() else random.choice(found)).read_bytes())


HARMS: dict[str, Harm] = {
    one.__name__: one
    for one in (delete, empty, cut, flip, overwrite, make_folder, swap)  # the registry of what can happen
}


def environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home)}


@contextlib.contextmanager
def living_in(home: Path):  # type: ignore[no-untyped-def] # a context manager of nothing
    before = dict(os.environ)
    for name in [one for one in os.environ if one.startswith(("EVERSELF_", "XDG_"))]:
        del os.environ[name]
    os.environ["HOME"] = str(home)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def call(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = run(list(words))
    said = out.getvalue()
    assert not any(word in said for word in CRASHED), f"{' '.join(words)}: {said[-600:]}"
    assert code in (0, 6) or "→" in said or "everself" in said, f"{' '.join(words)} says nothing to do: {said}"
    return code, said


def grow(home: Path, entries: tuple[str, ...]) -> None:
    with open_runtime(environ=environ(home)) as app:
        set_up(app)
        for text in entries:
            Agent(app, fresh=False).remember(text)
            app.workspace.close()


def targets(home: Path) -> list[Path]:
    """Every file of the history, and the database with what lies beside it."""
    state = home / STATE
    return sorted(one for one in state.rglob("*") if one.is_file() and _is_target(one.relative_to(state)))


def _is_target(path: Path) -> bool:
    return path.parts[0] == "history.git" or path.name.startswith("state.db")


def documents(home: Path) -> dict[str, bytes]:
    top = home / ".everself/workspace"
    return {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*.md") if path.is_file()}


def judge(home: Path) -> None:
    """What every command says of an agent that was damaged, and what is left of it after doctor."""
    before = documents(home)
    for words in READS:
        code, said = call(*words)
        assert code in (0, 6), f"{' '.join(words)}: {said}"
    listed = call("memory", "list")[1]
    assert all(text in listed for text in ENTRIES), f"lost from the list: {listed}"
    for words in OTHERS:
        call(*words)
    assert documents(home) == before, "reading changed a document"
    call("doctor", "--fix")
    assert documents(home) == before, "doctor changed a document"
    left = [one for one in examine().findings if one.severity == "error"]
    told = [one for one in left if not one.mend]
    assert not told, f"doctor names no mend for {told}"
    # what a human accepted is lost with the database, and only a human can accept it again
    codes = {one.code for one in left} - {"ledger-broken", "identity-unsure"}
    assert not codes, f"doctor left {[(one.code, one.message) for one in left]}"
    code, said = call("memory", "add", "Said after the damage")
    assert code in (0, 6), said
    listed = call("memory", "list")[1]
    assert all(text in listed for text in (*ENTRIES, "Said after the damage")), listed
    code, said = call("undo", "last")
    assert code in (0, 6), said
    assert "Said after the damage" not in call("memory", "list")[1]
    assert documents(home).keys() == before.keys()


def damage(home: Path, other: Path, random: Random, harm: str) -> str:
    several = targets(home)
    database = [path for path in several if path.name == "state.db"]
    path = random.choice(database if random.random() < 0.3 else several)
    HARMS[harm](path, other, random)
    return str(path.relative_to(home / STATE))


def run_r17(count: int, seed: int) -> str:
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
        whole, other = Path(folder, "whole"), Path(folder, "other")
        grow(other, ("Somebody else's secret", "Somebody else's wish"))
        home = Path(folder, "home")
        grow(home, ENTRIES)
        shutil.copytree(home, whole, symlinks=True)
        names = sorted(HARMS)
        struck = set()
        for number in range(count):
            random = Random(f"{seed} {number}")
            harm = names[number % len(names)]
            shutil.rmtree(home)
            shutil.copytree(whole, home, symlinks=True)
            path = damage(home, other / STATE, random, harm)
            struck.add(path)
            try:
                with living_in(home):
                    judge(home)
            except AssertionError as error:
                raise AssertionError(f"R17 seed {seed} number {number}: {harm} of {path}: {error}") from error
    return f"R17 {count} damages of {len(names)} kinds, {len(struck)} files struck, 0 documents changed, 0 entries lost, seed {seed}"
