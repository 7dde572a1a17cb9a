"""A person at a terminal: keys into a real one (tmux), and what stands on its screen."""

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

# never comes: an idle machine needs a few seconds for the slowest of it
_NEVER = 120
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


@dataclass(frozen=True)
class Pane:
    socket: Path

    def tmux(self, *words: str) -> str:
        run = ["tmux", "-S", str(self.socket), *words]
        return subprocess.run(run, capture_output=True, encoding="utf-8", check=True, timeout=60).stdout

    def type(self, *lines: str) -> None:
        """Each followed by Enter, as a key of its own: a burst would be read as one."""
        for line in lines:
            if line:
                self.tmux("send-keys", "-l", line)
            self.tmux("send-keys", "Enter")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def screen(self) -> str:
        """All that was shown, what scrolled away included; lines that the terminal broke are whole."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-")

    def wait(self, *words: str) -> str:
        """The screen, once all of these stand on it in this order."""
        until = time.monotonic() + _NEVER
        shown = ""
        while time.monotonic() < until:
            shown = self.screen()
            at = 0
            for word in words:
                at = shown.find(word, at) + 1
                if not at:
                    break
            else:
                return shown
            time.sleep(0.05)
        raise AssertionError(f"{words} never came:\n{shown}")

    def left(self) -> int:
        """The exit code, once the command has ended."""
        shown = self.wait("exit code ")
        return int(shown.rpartition("exit code ")[2].split()[0])


@contextmanager
def sit_down(folder: Path, environ: Mapping[str, str], *words: str, width: int = 100) -> Iterator[Pane]:
    """`everself` with these words in a terminal of its own; the shell says how it ended and waits."""
    pane = Pane(folder / "tmux")
    command = shlex.join([sys.executable, "-m", "everself", *words])
    script = folder / "run.sh"
    # Ctrl-C reaches the shell too, which has to outlive it
    script.write_text(f'trap : INT\n{command}\necho "exit code $?"\nsleep 600\n', "utf-8")
    # the socket's path has a limit, so the test's folder must be short enough; tmux says so itself
    start = ["tmux", "-S", str(pane.socket), "-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", "40"]
    environment = {**environ, "TERM": "xterm-256color"}
    subprocess.run(
        [*start, f"sh {shlex.quote(str(script))}"], env=environment, check=True, timeout=60, capture_output=True
    )
    try:
        yield pane
    finally:
        pane.tmux("kill-server")
