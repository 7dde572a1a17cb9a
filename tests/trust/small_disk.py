"""A real disk that is small: a tmpfs of its own, with ballast that fills it to any level and goes again.

Mounting needs root, or a kernel that lets a user make name spaces; `NotPermitted` says that there is neither, and why.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEGABYTE = 1 << 20


class NotPermitted(Exception):
    """Nothing can be mounted here."""


class SmallDisk:
    """A mounted tmpfs. `top` is where it can be written."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self._ballast = top / "ballast"

    def room(self) -> int:
        found = os.statvfs(self.top)
        return found.f_bavail * found.f_frsize

    def fill(self, leave: int) -> None:
        """Fill it until so many bytes are left, to the next page."""
        self.free()
        size = self.room() - leave
        if size <= 0:
            return
        descriptor = os.open(self._ballast, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, size)
        finally:
            os.close(descriptor)

    def free(self) -> None:
        self._ballast.unlink(missing_ok=True)


@contextmanager
def small_disk(size: int = 16 * MEGABYTE) -> Iterator[SmallDisk]:
    with tempfile.TemporaryDirectory(prefix="everself-disk-") as folder:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", folder],
            capture_output=True,
            check=False,
            text=True,
        )
        if mounted.returncode:
            raise NotPermitted(mounted.stderr.strip() or "mount failed")
        try:
            yield SmallDisk(Path(folder))
        finally:
            # lazily: a process that was killed in the middle may hold it for a moment
            subprocess.run(["umount", "-l", folder], check=True)


def where_permitted(call: str) -> str | None:
    """The result of `module:function(arguments)` in a name space of its own, for somebody who is not root; None where root can do it."""
    if os.geteuid() == 0:
        return None
    module, _, rest = call.partition(":")
    code = f"from {module} import {rest.partition('(')[0]}; print({rest})"
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-c", code],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    if done.returncode and "unshare" in done.stderr:
        raise NotPermitted(done.stderr.strip())
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.strip().splitlines()[-1]
