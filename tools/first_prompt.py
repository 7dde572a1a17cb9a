"""Measure how long a new user waits: from `make chat` in a fresh clone with an empty HOME to the first prompt, and the longest silence.

usage: make first-prompt [PIP=1], or python tools/first_prompt.py [--pip]

Runs in a pseudo-terminal. The caches of pip or uv are used, so after a first run the figure is for a warm cache.
`--pip` uses pip even if uv is found. Exit code 1 if the prompt took more than 60 s or any silence lasted 5 s.
"""

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PROMPT = "›".encode()
MOST_SECONDS = 60.0
MOST_SILENCE = 5.0
_GIVE_UP = 300.0
# settings of the machine that a new user has as well: where packages come from
_KEPT = ("PIP_", "UV_", "SSL_CERT_FILE")


@dataclass(frozen=True)
class Watched:
    """The time until the mark was printed (None: never), the longest silence before it, and the output."""

    seconds: float | None
    silence: float
    said: bytes


def watch(command: Sequence[str], folder: Path, environment: Mapping[str, str], mark: bytes) -> Watched:
    """Run a command in a pseudo-terminal until it prints a mark, then end it."""
    child, screen = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(command[0], list(command), dict(environment))
    began = last = time.monotonic()
    silence, said, found = 0.0, b"", None
    try:
        while time.monotonic() - began < _GIVE_UP:
            if not select.select([screen], [], [], 1.0)[0]:
                continue
            try:
                piece = os.read(screen, 65_536)
            except OSError:
                # the command ended, and the terminal with it
                break
            if not piece:
                break
            now = time.monotonic()
            silence, last, said = max(silence, now - last), now, said + piece
            if mark in said:
                found = now - began
                break
    finally:
        os.kill(child, signal.SIGHUP)
        os.close(screen)
        os.waitpid(child, 0)
    return Watched(found, silence, said)


def new_user(home: Path, *, pip: bool) -> dict[str, str]:
    """The environment variables of a newly logged-in user."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(_KEPT)}
    caches = {"PIP_CACHE_DIR": _cache("pip", "cache", "dir"), "UV_CACHE_DIR": _cache("uv", "cache", "dir")}
    known = {name: value for name, value in caches.items() if value}
    more = {"EVERSELF_NO_UV": "1"} if pip else {}
    path = os.environ.get("PATH", os.defpath)
    return {**known, **kept, "HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "xterm", **more}


def _cache(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def main(arguments: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory() as made:
        clone, home = Path(made) / "a clone", Path(made) / "home"
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", str(TOP), str(clone)], check=True)
        seen = watch(["make", "chat"], clone, new_user(home, pip="--pip" in arguments), PROMPT)
    if seen.seconds is None:
        print(seen.said.decode("utf-8", "replace"))
        print("No prompt came.")
        return 1
    good = seen.seconds <= MOST_SECONDS and seen.silence < MOST_SILENCE
    print(f"First prompt after {seen.seconds:.1f} s (at most {MOST_SECONDS:.0f}).")
    print(f"Longest silence: {seen.silence:.1f} s (less than {MOST_SILENCE:.0f}).")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
