"""What the documentation shows in a console is what happens: every block marked `console` is run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PAGES = sorted([TOP / "README.md", *(TOP / "docs").rglob("*.md")])
# read from top to bottom: their blocks are one session in one home
FOLLOWED = {"README.md", "docs/tutorial.md"}
# what a reader of a page has before
BEFORE = {
    "docs/coming-from.md": {
        ".openclaw/workspace/MEMORY.md": "- Prefers green tea\n",
        ".openclaw/workspace/memory/2026-03-01.md": "- We chose Redis.\n",
        "basic-memory/coffee.md": "# Coffee\n\n- [method] Pour over\n- relates_to [[Beans]]\n",
    }
}
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
    return "".join(r"(?:.*\n)*" if line == "…" else _line(line) for line in lines)


def _line(shown: str) -> str:
    """Any day stands for every day: a page shows the one on which it was written."""
    return re.sub(r"\d{4}\\-\d{2}\\-\d{2}", r"\\d{4}-\\d{2}-\\d{2}", re.escape(shown).replace("…", ".*")) + r"[ \t]*\n"


def install(programs: Path) -> None:
    """The commands that a page types: `everself`, and `make` as in the folder of a clone whose environment is made."""
    environment = programs.parent / "venv"
    (environment / "bin").mkdir(parents=True)
    for path, line in (
        (programs / "everself", f'exec "{sys.executable}" -m everself "$@"'),
        (environment / "bin/python", f'exec "{sys.executable}" "$@"'),
        (programs / "make", f'exec {shutil.which("make")} --no-print-directory -C "{TOP}" VENV="{environment}" "$@"'),
    ):
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)
    for made in (".core", ".models", ".mcp", ".gateway"):
        (environment / made).touch()


# each line of a page is a process
@pytest.mark.slow
@pytest.mark.parametrize(("name", "block"), [pytest.param(*one, id=one[0]) for one in blocks()])
def test_the_console_shows_what_happens(name: str, block: str, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    install(programs)
    home = tmp_path / "home"
    home.mkdir()
    for path, text in BEFORE.get(name.partition("#")[0], {}).items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
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
