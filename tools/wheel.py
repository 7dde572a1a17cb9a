"""Build the wheel, and hold the README's conversation in an empty environment of every supported Python that is found here.

usage: python -m tools.wheel

Building and talking need no network; installing the dependencies does, unless pip has them cached. Reports what is left out.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tools.interpreters import TOP, find_interpreter, interpreters_of, promised

THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
_STEP = re.compile(r"^\$ printf '(.*)\\n' \| make -s chat\n(.*)$", re.MULTILINE)
# dates and lines differ from day to day
_PLACE = r"\d{4}-\d\d-\d\d\.md(?:#L\d+(?:-L\d+)?)?"
# Loaded by Python at its start: reports and blocks connections to other machines.
_GUARD = """
import os, socket
def refuse(*_, **__):
    open(os.environ["NETWORK_WAS_USED"], "w").close()
    raise OSError("this must work offline")
socket.getaddrinfo = socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = refuse
"""


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout from its source archive, with this environment's build backend, so that nothing is downloaded."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(TOP)]
    subprocess.run(command, check=True, capture_output=True)
    (made,) = folder.glob("everself-*.whl")
    return made


def read_conversation(readme: str) -> list[tuple[str, str]]:
    """The messages in the README, each with a pattern for its answer."""
    return [(said, _PLACE.join(map(re.escape, re.split(_PLACE, answer)))) for said, answer in _STEP.findall(readme)]


def converse(command: Sequence[str], folder: Path, environ: Mapping[str, str] | None = None) -> str:
    """Hold the README's conversation, one process per line, in an empty home within the folder. Returns what went wrong, or ""."""
    guard, reached = folder / "guard", folder / "network-was-used"
    guard.mkdir(parents=True)
    (guard / "sitecustomize.py").write_text(_GUARD, encoding="utf-8")
    home = folder / "home"
    home.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.defpath,
        "PYTHONPATH": str(guard),
        "NETWORK_WAS_USED": str(reached),
        "LANG": "C.UTF-8",
        **(environ or {}),
    }
    steps = read_conversation((TOP / "README.md").read_text(encoding="utf-8"))
    if not steps:
        return "the README holds no conversation"
    for said, pattern in steps:
        done = subprocess.run(
            [*command, "chat"],
            input=f"{said}\n", env=environment, cwd=home, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        if done.returncode or not re.search(pattern, done.stdout):
            return f"“{said}” was answered with {done.returncode}: {done.stdout}{done.stderr}"
        if reached.exists():
            return f"“{said}” reached for the network"
    return ""


def try_on(interpreter: str, wheel: Path, folder: Path) -> tuple[str, str]:
    """Why the wheel could not be installed, and what went wrong afterwards; both empty on success."""
    venv = folder / "venv"
    subprocess.run([interpreter, "-m", "venv", str(venv)], check=True)
    install = [str(venv / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    limits = ["--constraint", str(TOP / "constraints.txt")]
    done = subprocess.run([*install, *limits, str(wheel)], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().rpartition("\n")[2], ""
    return "", converse([str(venv / "bin/everself")], folder / "talk")


def try_runner(name: str, wheel: Path, folder: Path) -> str | None:
    """What went wrong when the wheel is run by uvx or pipx; None if the program is neither found nor installable."""
    from tools.make_venv import uv_environment

    program = shutil.which(name) or fetch_runner(name, folder / "runner")
    if program is None:
        return None
    environment = uv_environment(sys.executable)
    if name == "uvx":
        environment["PATH"] = f"{Path(program).parent}:{os.environ['PATH']}"
        more = {
            "UV_CACHE_DIR": environment.get("UV_CACHE_DIR") or str(folder / "cache"),
            "UV_TOOL_DIR": str(folder / "tools"),
        }
        command = ["--quiet", "--constraints", str(TOP / "constraints.txt"), "--from", str(wheel), "everself"]
        # an earlier wheel of the same version may be in the cache
        first = [program, "--refresh-package", "everself", *command, "--version"]
        done = subprocess.run(first, env=environment | more, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"it could not be installed: {done.stderr.strip()}"
        kept = {key: value for key, value in environment.items() if key.startswith("UV_")} | more
        return converse([program, "--offline", *command], folder / "talk", {**kept, "PATH": environment["PATH"]})
    places = {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(folder / "bin")}
    # pipx splits this as a shell does
    limits = f"--pip-args=--constraint={shlex.quote(str(TOP / 'constraints.txt'))}"
    done = subprocess.run(
        [program, "install", limits, str(wheel)], env=environment | places, capture_output=True, text=True, check=False
    )
    if done.returncode:
        return f"it could not be installed: {done.stderr.strip()}"
    return converse([str(folder / "bin/everself")], folder / "talk")


def fetch_runner(name: str, folder: Path) -> str | None:
    """The program, installed from its own package into a separate environment; None if pip cannot get it."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    package = "uv" if name == "uvx" else name
    command = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return str(folder / "bin" / name) if done.returncode == 0 else None


def main(versions: Iterable[str]) -> int:
    lines: list[str] = []
    good = True
    with tempfile.TemporaryDirectory() as made:
        wheel = build_wheel(Path(made))
        for version in versions:
            interpreter = find_interpreter(version, interpreters_of(version))
            if interpreter is None:
                lines.append(f"Wheel on Python {version}: SKIPPED, because no such interpreter was found.")
                continue
            missing, wrong = try_on(interpreter, wheel, Path(made) / version)
            # this Python has the dependencies, so a failed installation is the wheel's fault
            good = good and not wrong and not (missing and version == THIS)
            word = f"FAILED: {wrong}" if wrong else f"NOT INSTALLED: {missing}" if missing else "passed"
            lines.append(f"Wheel on Python {version}: {word}")
        for name in ("uvx", "pipx"):
            fault = try_runner(name, wheel, Path(made) / name)
            good = good and not fault
            word = (
                "SKIPPED, because it was neither found nor installed"
                if fault is None
                else f"FAILED: {fault}"
                if fault
                else "passed"
            )
            lines.append(f"Wheel by {name}: {word}")
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(promised(TOP / "pyproject.toml")))
