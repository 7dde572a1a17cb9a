"""Processes of `everself mcp`, as the system sees them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LONG = 60.0


def home_of(folder: Path, **settings: Any) -> dict[str, str]:
    """The environment of a home of its own, which needs no embedder."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("EVERSELF_", "XDG_"))}
    home = folder / ".everself"
    home.mkdir(parents=True)
    known = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}} | settings
    (home / "everself.json5").write_text(json.dumps(known))
    return {**keep, "HOME": str(folder), "EVERSELF_HOME": str(home), "XDG_CONFIG_HOME": str(folder / ".c")}


def command(environ: Mapping[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    asked = [sys.executable, "-m", "everself", *words]
    return subprocess.run(asked, capture_output=True, text=True, timeout=LONG, check=False, env=dict(environ))


def set_up(environ: Mapping[str, str]) -> None:
    done = command(environ, "setup")
    assert done.returncode == 0, done.stderr


def log_of(home: Path) -> list[dict[str, Any]]:
    """The lines of the gateway's log."""
    text = (home / ".everself" / "gateway" / "gateway.log").read_text()
    return [json.loads(line) for line in text.splitlines()]


def below(parent: int | None = None) -> list[int]:
    """The processes of Everself that this one started, theirs included."""
    found: list[int] = []
    left = [parent or os.getpid()]
    while left:
        for task in Path("/proc", str(left.pop()), "task").glob("*/children"):
            try:
                children = [int(one) for one in task.read_text().split()]
            except OSError:
                continue
            found += [one for one in children if "everself" in words_of(one)]
            left += children
    return found


def words_of(process: int) -> str:
    try:
        return Path("/proc", str(process), "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def memory_of(process: int) -> int:
    """What a process holds, in bytes."""
    return int(Path("/proc", str(process), "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
