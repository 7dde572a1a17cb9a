"""Run the fast tests on every other supported Python that is found here. Reports the ones left out.

usage: python -m tools.interpreters [ARGUMENTS OF PYTEST]

Each gets its own environment (.venv-3.12), which is reused while pyproject.toml and constraints.txt are unchanged.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
CLASSIFIER = "Programming Language :: Python :: 3."
FAST = ("-n", "2", "--dist", "worksteal", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=few")
CHOSEN = ("-m", "not trust and not slow", *(f"--ignore=tests/{one}" for one in ("architecture", "trust", "tools")))
_ASK = "import sys; print('%d.%d' % sys.version_info[:2])"

Run = Callable[[Sequence[str]], int]


def promised(pyproject: Path) -> list[str]:
    """The Python versions that the package declares."""
    told = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["classifiers"]
    return [one.removeprefix(CLASSIFIER.removesuffix("3.")) for one in told if one.startswith(CLASSIFIER)]


def candidates(version: str, path: str, pyenv: str) -> Iterator[str]:
    """Where an interpreter of that version may be: on PATH, and among those of pyenv, whose shims may point to nothing."""
    for folder in path.split(os.pathsep):
        found = shutil.which(f"python{version}", path=folder) if folder else None
        if found:
            yield found
    if pyenv:
        yield from map(str, sorted(Path(pyenv, "versions").glob(f"{version}.*/bin/python{version}")))


def find_interpreter(version: str, where: Iterable[str]) -> str | None:
    """The first interpreter that runs and is of that version."""
    for one in where:
        try:
            asked = subprocess.run([one, "-c", _ASK], capture_output=True, text=True, check=False)
        except OSError:
            continue
        if asked.returncode == 0 and asked.stdout.strip() == version:
            return one
    return None


def is_ready(venv: Path) -> bool:
    """Whether the environment was built from the current requirements."""
    mark = venv / ".dev"
    needed = (TOP / "pyproject.toml", TOP / "constraints.txt")
    return mark.exists() and all(one.stat().st_mtime <= mark.stat().st_mtime for one in needed)


def run_on(version: str, interpreter: str, arguments: Sequence[str], run: Run) -> tuple[bool, str]:
    """Whether the tests passed, and a line about the result. If the environment cannot be built, that is reported and is not a failure."""
    name = f".venv-{version}"
    if not is_ready(TOP / name):
        if run([interpreter, str(TOP / "tools/make_venv.py"), name, "dev"]):
            return True, f"Python {version}: SKIPPED, because a dependency could not be installed; see above."
        (TOP / name / ".dev").touch()
    failed = run([str(TOP / name / "bin/python"), "-m", "pytest", *FAST, *(arguments or CHOSEN)])
    return not failed, f"Python {version}: {f'FAILED ({failed})' if failed else 'passed'}"


def main(arguments: Sequence[str], run: Run, where: Callable[[str], Iterable[str]]) -> int:
    lines: list[str] = []
    good = True
    for version in promised(TOP / "pyproject.toml"):
        if version == f"{sys.version_info.major}.{sys.version_info.minor}":
            lines.append(f"Python {version}: make test runs on it.")
            continue
        interpreter = find_interpreter(version, where(version))
        if interpreter is None:
            lines.append(f"Python {version}: SKIPPED, because no such interpreter was found.")
            continue
        print(f"Python {version}: {interpreter}", flush=True)
        passed, line = run_on(version, interpreter, arguments, run)
        good = good and passed
        lines.append(line)
    print("\n".join(lines))
    return 0 if good else 1


def _run(command: Sequence[str]) -> int:
    return subprocess.run(command, cwd=TOP, check=False).returncode


def interpreters_of(version: str) -> Iterator[str]:
    """Where to look for a version on this machine."""
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    yield from candidates(version, os.environ.get("PATH", ""), pyenv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], _run, interpreters_of))
