"""What the documentation shows in a console is what happens: every block marked `console` is run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PAGES = sorted([TOP / "README.md", *(TOP / "docs").rglob("*.md")])
# read from top to bottom: their blocks are one session in one home
FOLLOWED = {"README.md", "docs/tutorial.md"}
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        name, shown = str(page.relative_to(TOP)), BLOCK.findall(page.read_text(encoding="utf-8"))
        if name in FOLLOWED:
            shown = ["".join(shown)]
        found += [(f"{name}#{number}", block) for number, block in enumerate(shown, 1)]
    return found


def steps(block: str) -> list[tuple[str, list[str]]]:
    """Each command with the lines that shall follow it; a line `…` stands for any lines, `…` in a line for any characters."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def pattern(lines: list[str]) -> str:
    return "".join(r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", r".*") + r"[ \t]*\n" for line in lines)


# each line of a page is a process
@pytest.mark.slow
@pytest.mark.parametrize(("name", "block"), [pytest.param(*one, id=one[0]) for one in blocks()])
def test_the_console_shows_what_happens(name: str, block: str, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    command = programs / "everself"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m everself "$@"\n')
    command.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(TOP / "src"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
    for line, expected in steps(block):
        done = subprocess.run(
            line, shell=True, cwd=home, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        shown = done.stdout + done.stderr
        assert re.fullmatch(pattern(expected), shown), f"{name}: $ {line}\n{shown}\ndoes not look like\n" + "\n".join(
            expected
        )


def test_there_is_something_to_run() -> None:
    assert any(name.startswith("README") for name, _ in blocks())
