"""Each row prints its figure, and a run of all tests shows it though the rows pass."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROWS = """
import pytest

@pytest.mark.trust
@pytest.mark.parametrize("row", ["S3 nine", "R12 ten", "R4 eleven"])
def test_row(row):
    print("on the way")
    print(row)

@pytest.mark.trust
def test_that_fails():
    print("R7 twelve")
    assert False

def test_of_something_else():
    print("R9 thirteen")
"""


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["0", "2"])
def test_figures_of_rows_that_passed_are_shown(processes: str, tmp_path: Path) -> None:
    (tmp_path / "test_some_rows.py").write_text(ROWS)
    top = HERE.parents[1]
    words = [f"--config-file={top / 'pyproject.toml'}", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", processes, *words, "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=top,
        capture_output=True,
        text=True,
        check=False,
    )
    shown = done.stdout.partition("figures of the trust rows")[2].splitlines()[1:]
    assert shown[:3] == ["R4 eleven", "R12 ten", "S3 nine"], done.stdout + done.stderr
    assert not [line for line in shown if line.startswith(("R7", "R9", "on"))]


def test_every_row_is_run_at_ci_size_and_prints_its_figure() -> None:
    tests = "\n".join(path.read_text() for path in HERE.glob("test_*.py"))
    for path in sorted((HERE / "rows").glob("[rs][0-9]*.py")):
        number, _, part = path.stem[1:].partition("_")
        row = f"{path.stem[0].upper()}{int(number)}"
        run = f"run_{row.lower()}{'_' if part else ''}{part}"
        assert re.search(rf"^ {{4,8}}print\((?:\w+\.)?{run}\(", tests, re.MULTILINE), f"no test prints {row} {part}"
        assert re.search(rf'f"{row}[ -]', path.read_text()), f"{row} does not begin its figure with its name"
