"""The golden files: how a week is played in a process of its own, rendered, kept and compared."""

import difflib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).parent / "expected"
FILES = "files.txt"
RECORD = "python -m tests.golden.record"
_ROOT = Path(__file__).resolve().parents[2]
_MOST_LINES = 60


def play(home: Path, parts: int, hash_seed: int = 0) -> dict[str, Any]:
    """The first parts of the week, lived in that empty folder: its `cases` and its `files`."""
    passed = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR")}
    told = {"PYTHONPATH": str(_ROOT), "PYTHONHASHSEED": str(hash_seed), "PYTHONUTF8": "1", "TZ": "UTC"}
    # resolved, because the command names places by what they truly are
    words = (sys.executable, "-m", "tests.golden.play", str(home.resolve()), str(parts))
    done = subprocess.run(words, env=passed | told, cwd=_ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"The week could not be lived to its end:\n{done.stderr}")
    found = json.loads(done.stdout)
    return {"cases": _readable(found["cases"]), "files": found["files"]}


def by_command(cases: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        kept = {name: value for name, value in case.items() if name != "command"}
        found.setdefault(case["command"], []).append(kept)
    return found


def _readable(value: Any) -> Any:
    """Text of several lines as a list of them, so that a difference shows the line."""
    if isinstance(value, dict):
        return {key: _readable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_readable(one) for one in value]
    if isinstance(value, str) and "\n" in value:
        return {"<lines>": value.split("\n")}
    return value


def save(found: dict[str, Any]) -> None:
    """All golden files anew; those that nothing stands behind any more go."""
    EXPECTED.mkdir(exist_ok=True)
    for path in EXPECTED.glob("*.json"):
        path.unlink()
    for command, cases in by_command(found["cases"]).items():
        text = json.dumps(cases, indent=1, ensure_ascii=False)
        _path(command).write_text(f"{text}\n", "utf-8")
    (EXPECTED / FILES).write_text(found["files"], "utf-8")


def load() -> tuple[list[dict[str, Any]], str]:
    """The cases that are expected, in the order of the week, and the files after it."""
    cases = [
        {**case, "command": path.stem.replace("_", " ")}
        for path in EXPECTED.glob("*.json")
        for case in json.loads(path.read_text("utf-8"))
    ]
    return sorted(cases, key=lambda case: str(case["at"])), (EXPECTED / FILES).read_text("utf-8")


def _path(command: str) -> Path:
    return EXPECTED / f"{command.replace(' ', '_')}.json"


def compare_cases(expected: list[dict[str, Any]], found: list[dict[str, Any]]) -> str:
    """What differs: the first case whole, because the others mostly follow from it, and the names of those."""
    wanted = {_name(one): one for one in expected}
    called = {_name(one) for one in found}
    missing = [f"not called any more: {name}" for name in wanted if name not in called]
    differing = [one for one in found if wanted.get(_name(one)) != one]
    if not differing:
        return "\n".join(missing)
    first = differing[0]
    shown = _diff(_lines(wanted.get(_name(first), {})), _lines(first))
    others = [f"also: {_name(one)}" for one in differing[1:]]
    return "\n".join([_name(first), shown, *others, *missing])


def compare_files(expected: str, found: str) -> str:
    return _diff(expected.splitlines(), found.splitlines())


def _name(case: dict[str, Any]) -> str:
    return f"{case['at']} everself {case['call']}"


def _lines(case: dict[str, Any]) -> list[str]:
    return json.dumps(case, indent=1, ensure_ascii=False, sort_keys=True).splitlines()


def _diff(expected: list[str], found: list[str]) -> str:
    lines = list(difflib.unified_diff(expected, found, "golden", "now", lineterm="", n=2))
    more = [f"… and {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else []
    return "\n".join([*lines[:_MOST_LINES], *more])
