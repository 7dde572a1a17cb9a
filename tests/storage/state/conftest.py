"""A file system under SQLite that fails when told to, and a way to run a few lines in another process."""

import subprocess
import sys
import textwrap
import uuid
from collections.abc import Callable, Iterator

import apsw
import pytest


class FaultyVfs(apsw.VFS):
    """Real files, no shared memory (apsw offers none), and every changing call counted; the n-th and all after it fail."""

    def __init__(self) -> None:
        self.name = f"faulty-{uuid.uuid4().hex}"
        self.calls = 0
        self.fail_from = 0
        self.failure: Callable[[], Exception] = apsw.FullError
        super().__init__(self.name, "")

    def xOpen(self, name, flags):  # noqa: N802
        return FaultyFile(self, name, flags)

    def xDelete(self, name, sync):  # noqa: N802
        self.step()
        super().xDelete(name, sync)

    def step(self) -> None:
        self.calls += 1
        if self.fail_from and self.calls >= self.fail_from:
            raise self.failure()


class FaultyFile(apsw.VFSFile):
    def __init__(self, vfs: FaultyVfs, name, flags) -> None:
        self.vfs = vfs
        super().__init__("", name, flags)

    def xWrite(self, data, offset):  # noqa: N802
        self.vfs.step()
        super().xWrite(data, offset)

    def xSync(self, flags):  # noqa: N802
        self.vfs.step()
        super().xSync(flags)

    def xTruncate(self, size):  # noqa: N802
        self.vfs.step()
        super().xTruncate(size)


@pytest.fixture
def faulty_vfs() -> Iterator[FaultyVfs]:
    vfs = FaultyVfs()
    yield vfs
    vfs.unregister()


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a Python script with arguments; whatever still runs at the end of the test is killed."""
    running: list[subprocess.Popen[str]] = []

    def begin(script: str, *args: object, **options: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), *map(str, args)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def finish() -> Callable[[subprocess.Popen[str]], str]:
    """Wait for a script that must succeed; what it printed."""

    def end(process: subprocess.Popen[str]) -> str:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, err
        return out.strip()

    return end
