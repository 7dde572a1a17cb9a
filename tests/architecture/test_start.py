"""The command line starts without loading what `--help` does not need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture.package_rules import HEAVY

TOP = Path(__file__).resolve().parents[2]

# What the interpreter has loaded by itself (an editable install may do so) is not our doing.
LOOK = """
import json, sys
before = set(sys.modules)
{step}
print(json.dumps(sorted({{name.partition(".")[0] for name in set(sys.modules) - before}})))
"""
HELP = """
import io
from everself.interfaces.cli.main import main
sys.argv = ["everself", "--help"]
shown, sys.stdout = sys.stdout, io.StringIO()
try:
    main()
except SystemExit as stopped:
    said, sys.stdout = sys.stdout.getvalue(), shown
    if stopped.code or "setup" not in said:
        sys.exit(f"--help ended with {stopped.code}: {said}")
"""


def loaded_by(step: str) -> set[str]:
    """The top-level modules that a step loads in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", LOOK.format(step=step)],
        env={**os.environ, "PYTHONPATH": str(TOP / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("step", ["import everself.interfaces.cli.main", HELP], ids=["importing it", "asking for help"])
def test_starting_the_command_line_loads_nothing_heavy(step: str) -> None:
    loaded = loaded_by(step)
    assert "everself" in loaded
    assert not loaded & HEAVY


def test_help_is_written_from_tables_and_loads_no_operation_and_no_command() -> None:
    ours = 'sys.modules.update({name.replace(".", "/"): None for name in list(sys.modules) if name.startswith("everself.")})'
    loaded = loaded_by(f"{HELP}\n{ours}")
    tables = {f"everself/operations/{name}" for name in ("registry", "_index", "examples")}
    assert {name for name in loaded if name.startswith("everself/operations/")} == tables
    assert not {name for name in loaded if name.startswith("everself/interfaces/cli/commands/")}


DOCTOR = """
import io, os
os.environ.update(EVERSELF_HOME={home!r}, EVERSELF_KEYS={home!r})
from everself.interfaces.cli.main import main
sys.argv = ["everself", "doctor"]
shown, sys.stdout = sys.stdout, io.StringIO()
try:
    main()
except SystemExit:
    said, sys.stdout = sys.stdout.getvalue(), shown
    if "workspace" not in said:
        sys.exit(f"doctor said: {{said}}")
sys.modules.update({{name.replace(".", "/"): None for name in list(sys.modules)}})
"""


def test_doctor_examines_an_agent_without_opening_it(tmp_path: Path) -> None:
    loaded = loaded_by(DOCTOR.format(home=str(tmp_path)))
    assert "everself/operations/doctor/jobs" in loaded
    assert not loaded & {"everself/runtime", "everself/conversation", "everself/memory/memory", "msgspec", "asyncio"}


def test_something_heavy_would_be_seen() -> None:
    assert loaded_by("import asyncio") & HEAVY == {"asyncio", "logging"}


def test_importing_the_package_loads_no_room() -> None:
    assert loaded_by("import everself") == {"everself"}
