"""make clients: installs Claude Code, Codex, Gemini CLI and npm's openai into .clients for the tests that run them, or reports why not.

usage: python -m tools.install_clients [FOLDER]

The reason is also stored in FOLDER/failure.txt, and the tests that are skipped because of it report it.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

PACKAGES: Final = ("@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "openai")
PROGRAMS: Final = ("claude", "codex", "gemini")
FAILURE: Final = "failure.txt"
OLDEST_NODE: Final = 18
# seconds; the download has 300 MB
_LONGEST: Final = 900
_SHOWN: Final = 12


class NotInstalled(Exception):
    """The message is the reason."""


def install(folder: Path) -> list[str]:
    """Install the programs; returns them with their versions."""
    _check_node()
    folder.mkdir(parents=True, exist_ok=True)
    options = ("--loglevel=error", "--no-audit", "--no-fund", "--no-progress")
    _run("npm install", ["npm", "install", *options, "--prefix", str(folder), *PACKAGES])
    # claude-code downloads its program in an install script, which npm does not run by default
    own = folder / "node_modules" / "@anthropic-ai" / "claude-code"
    if (own / "install.cjs").exists():
        _run("the installer of Claude Code", ["node", "install.cjs"], own)
    return [f"{name} {_version(folder / 'node_modules' / '.bin' / name)}" for name in PROGRAMS]


def why_missing(folder: Path) -> str:
    """Why the programs are missing."""
    try:
        return (folder / FAILURE).read_text("utf-8").strip()
    except OSError:
        return "make clients was not run"


def _check_node() -> None:
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        raise NotInstalled(f"Node is not installed: {' and '.join(missing)} not found on PATH")
    told = _run("node --version", ["node", "--version"])
    number = re.match(r"v(\d+)", told)
    if number is None or int(number[1]) < OLDEST_NODE:
        raise NotInstalled(f"Node is {told or 'unknown'}; {OLDEST_NODE} or newer is needed")


def _version(program: Path) -> str:
    if not program.exists():
        raise NotInstalled(f"npm installed no {program.name}")
    return _run(f"{program.name} --version", [str(program), "--version"])


def _run(what: str, command: list[str], folder: Path | None = None) -> str:
    """The command's output; raises NotInstalled with the command's own message if it fails."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"{what} took longer than {_LONGEST // 60} minutes") from None
    except OSError as error:
        raise NotInstalled(f"{what}: {error.strerror}") from error
    if done.returncode:
        lines = [line for line in (done.stderr.strip() or done.stdout.strip()).splitlines() if line.strip()]
        raise NotInstalled("\n  ".join((f"{what} failed with exit code {done.returncode}:", *lines[:_SHOWN])))
    return done.stdout.strip()


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0] if arguments else ".clients")
    failure = folder / FAILURE
    try:
        found = install(folder)
    except NotInstalled as error:
        sys.stderr.write(f"Claude Code, Codex and Gemini CLI are not installed. {error}\n")
        folder.mkdir(parents=True, exist_ok=True)
        failure.write_text(f"{error}\n", "utf-8")
        return 1
    failure.unlink(missing_ok=True)
    print(f"Installed in {folder}: {', '.join(found)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
