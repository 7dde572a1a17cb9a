"""`everself hook` as a coding agent calls it: a process of its own, with JSON on stdin and a home of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# a hook that is stuck; far beyond any deadline
STUCK = 60.0
# milliseconds that a busy machine keeps to
PATIENT = 30_000


@dataclass(frozen=True)
class HookHome:
    """`everself` in it has this environment."""

    folder: Path

    @property
    def environ(self) -> dict[str, str]:
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("EVERSELF_", "XDG_"))}
        return {**keep, "HOME": str(self.folder), "EVERSELF_HOME": str(self.home), "EVERSELF_KEYS": str(self.keys)}

    @property
    def home(self) -> Path:
        return self.folder / ".everself"

    @property
    def keys(self) -> Path:
        return self.folder / ".keys"

    @property
    def state(self) -> Path:
        return self.home / "agents" / "main"

    def everself(self, *words: str) -> Any:
        command = [sys.executable, "-m", "everself", *words, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=STUCK * 2, check=False, env=self.environ)
        assert done.returncode == 0, (done.stdout, done.stderr)
        return json.loads(done.stdout)["data"]

    def set_up(self) -> None:
        """With an agent, and a deadline that a busy machine keeps."""
        self.everself("setup")
        self.everself("config", "set", "hooks.deadlineMs", str(PATIENT))
        self.everself("config", "set", "agents.defaults.memorySearch.provider", "none")

    def hook(self, event: str, stdin: bytes, *more: str, under: tuple[str, ...] = ()) -> bytes:
        """What a hook says. It ends, with 0, and says nothing on stderr."""
        command = [*under, sys.executable, "-m", "everself", "hook", event, *more]
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=STUCK, check=False, env=self.environ)
        # what traces it speaks there too
        assert (done.returncode, b"" if under else done.stderr) == (0, b"")
        return done.stdout

    def tell(self, event: str, session: str = "s1", **more: Any) -> str:
        """What the client's model is told."""
        # said in the call too: a busy machine takes seconds to read the settings
        out = self.hook(event, payload(event, session, **more), "--deadline", str(PATIENT))
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""


def payload(event: str, session: str = "s1", **more: Any) -> bytes:
    return json.dumps({"session_id": session, "cwd": "/", "hook_event_name": event, **more}).encode()
