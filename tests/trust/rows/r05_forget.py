"""R5 while two processes forget at once: others append beside them. What is to go is gone, all else stands, and nobody calls it damaged."""

import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from everself.agent import open_runtime
from everself.memory.forgetting.proof import Target
from everself.memory.writing import NewEntry
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.testing.origins import origin_of

TOP = Path(__file__).resolve().parents[3]
FORGETTERS = 2
WRITERS = 2


def secret(who: int, number: int) -> str:
    return f"Secret KESTREL{who}x{number} of process {who} opens the vault."


def kept(who: int, number: int) -> str:
    return f"Number {number} of writer {who} is its own and stays."


def open_home(folder: Path) -> Runtime:
    return open_runtime(environ={"HOME": str(folder)})


def forget(folder: Path, who: int, count: int) -> None:
    """By turns by id and by words, each as a command does it: opened and closed."""
    for number in range(count):
        with open_home(folder) as app:
            words = f"kestrel{who}X{number}"
            if number % 2:
                plan = app.forgetting.plan(Target(words=words))
            else:
                plan = app.forgetting.plan_for(
                    next(
                        one.id
                        for one in app.memory.catalog.all()
                        if words in one.text.lower() or words.lower() in one.text.lower()
                    )
                )
            proof = app.forgetting.carry_out(plan)
            assert proof.gone, proof.render()
        print(number, flush=True)


def append(folder: Path, who: int, count: int) -> None:
    with open_home(folder) as app:
        for number in range(count):
            print(app.memory.remember(NewEntry(kept(who, number), origin_of("owner"))).entry, flush=True)


def run_at_once(count: int, seed: int) -> tuple[int, int]:
    """How many secrets were forgotten and how many entries were appended beside that."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top)
        with open_home(folder) as app:
            set_up(app)
            for number in range(count):
                for who in range(FORGETTERS):
                    app.memory.remember(
                        NewEntry(secret(who, number), origin_of("owner"), explicit=bool((number + seed) % 2))
                    )
        environ = {"HOME": str(folder), "PYTHONPATH": f"{TOP / 'src'}:{TOP}", "PATH": os.environ["PATH"]}
        roles = [("forget", who, count) for who in range(FORGETTERS)]
        roles += [("append", who, 5 * count) for who in range(WRITERS)]
        running = [
            (
                role,
                subprocess.Popen(
                    [sys.executable, "-m", "tests.trust.rows.r05_forget", str(folder), role, str(who), str(many)],
                    env=environ,
                    cwd=TOP,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                ),
            )
            for role, who, many in roles
        ]
        for role, process in running:
            out, err = process.communicate(timeout=900)
            assert process.returncode == 0, f"{role} failed after {len(out.split())}: {err[-1500:]}"
        check(folder, count)
    return FORGETTERS * count, WRITERS * 5 * count


def check(folder: Path, count: int) -> None:
    with open_home(folder) as app:
        texts = [one.text for one in app.memory.catalog.all()]
        for who in range(WRITERS):
            for number in range(5 * count):
                assert texts.count(kept(who, number)) == 1, (
                    f"number {number} of writer {who}: {texts.count(kept(who, number))} times"
                )
        assert not any("KESTREL" in text for text in texts)
        assert all(one.vouched for one in app.memory.catalog.all() if "is its own" in one.text)
        assert app.state.verify_ledger().ok
        assert app.forgetting.resume() == ()
        git = Path(app.agent.state) / "history.git"
    told = subprocess.run(
        ["git", "--git-dir", str(git), "fsck", "--strict", "--full"], capture_output=True, check=False
    )
    assert told.returncode == 0, told.stderr
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if "objects" in path.parts and len(path.parent.name) == 2:
                data = zlib.decompress(data)
            assert b"KESTREL" not in data, f"{path} still holds it"


def run_r5_forget(count: int, seed: int) -> str:
    try:
        forgotten, appended = run_at_once(count, seed)
    except AssertionError as error:
        raise AssertionError(f"R5 (forget) seed {seed}: {error}") from error
    return (
        f"R5 (forget) {FORGETTERS} processes forget {forgotten} entries at once, {appended} appended beside them, "
        f"0 lost, 0 left, 0 called damaged, seed {seed}"
    )


if __name__ == "__main__":
    {"forget": forget, "append": append}[sys.argv[2]](Path(sys.argv[1]), int(sys.argv[3]), int(sys.argv[4]))
