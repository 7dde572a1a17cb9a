"""One agent's life in a home of its own: calls of the command, each at its time, and what came of them."""

import contextlib
import io
import json
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import time_machine
from tests.golden import product

ZONE = ZoneInfo("Europe/Berlin")
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{12}\b")
_A_CALL = timedelta(minutes=1)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Case:
    """One call. `out` is what it answered: JSON, lines of JSON, or None where it was not asked for JSON."""

    at: str
    call: str
    command: str
    code: int
    out: Any


@dataclass
class Life:
    home: Path
    cases: list[Case] = field(default_factory=list)
    _now: datetime = field(default_factory=lambda: datetime(2026, 3, 16, 8, 30, tzinfo=ZONE))
    _again: Counter[str] = field(default_factory=Counter)
    _leaves: tuple[str, ...] = field(default_factory=lambda: tuple(sorted(product.leaves(), key=len, reverse=True)))

    @property
    def workspace(self) -> Path:
        return self.home / ".everself" / "workspace"

    def at(self, wall: str) -> None:
        """The time on the person's wall; each call takes a minute."""
        moment = datetime.fromisoformat(wall).replace(tzinfo=ZONE)
        assert moment > self._now - _A_CALL, f"{wall} has passed"
        self._now = moment

    def call(self, *words: str, typed: str = "", at_terminal: bool = False) -> Any:
        """`life.call("memory", "list")`: the command with --json. Its `data`, its error, or its lines."""
        code, out = self._run((*words, "--json"), typed, at_terminal=at_terminal)
        found = _parsed(out)
        self._note(words, code, found)
        return found.get("data", found.get("error")) if isinstance(found, dict) else found

    def talk(self, *lines: str) -> None:
        """A conversation through a pipe: its words for people are no part of the golden files, what it leaves behind is."""
        code, _ = self._run(("chat",), "".join(f"{line}\n" for line in lines))
        self._note(("chat", *lines), code, None)

    def edit(self, path: str, old: str, new: str) -> None:
        """By hand, in an editor."""
        file = self.workspace / path
        text = file.read_text("utf-8") if file.exists() else ""
        assert old in text, f"{old!r} in {path}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace(old, new, 1) if old else new, "utf-8")

    def _run(self, words: tuple[str, ...], typed: str, *, at_terminal: bool = False) -> tuple[int, str]:
        # by what is called and not by how much was drawn before: another draw in one call changes no id of the next
        seed = _ID.sub("ID", " ".join(words)).replace(str(self.home), "")
        self._again[seed] += 1
        product.seed_ids(f"{seed} {self._again[seed]}")
        heard = _Terminal(typed) if at_terminal else io.StringIO(typed)
        stdin, sys.stdin = sys.stdin, heard
        said = io.StringIO()
        try:
            with time_machine.travel(self._now, tick=False), contextlib.redirect_stdout(said):
                code = product.run(words)
        finally:
            sys.stdin = stdin
        return code, said.getvalue()

    def _note(self, words: tuple[str, ...], code: int, out: Any) -> None:
        said = " ".join(words)
        command = next((leaf for leaf in self._leaves if f"{said} ".startswith(f"{leaf} ")), "")
        command = command or said.partition(" ")[0].lstrip("-")
        self.cases.append(Case(self._now.isoformat(), said, command, int(code), out))
        self._now += _A_CALL


def _parsed(out: str) -> Any:
    """One JSON object; an export is one a line."""
    try:
        return json.loads(out)
    except json.JSONDecodeError:
        return [json.loads(line) for line in out.splitlines()]


def begin(home: Path) -> Life:
    home.mkdir(parents=True, exist_ok=True)
    os.chdir(home)
    for name in list(os.environ):
        if name.startswith(("EVERSELF_", "XDG_")) or name.endswith("_API_KEY"):
            del os.environ[name]
    os.environ |= {
        "HOME": str(home),
        "EVERSELF_HOME": str(home / ".everself"),
        "XDG_CONFIG_HOME": str(home / ".config"),
    }
    product.freeze()
    return Life(home)
