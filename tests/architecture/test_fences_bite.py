"""Each fence finds the violation that is planted for it, on its line, and lets the honest twin pass."""

from pathlib import Path

import pytest
from tests.architecture.allowed import Allowance
from tests.architecture.fences import RULES, find_violations, not_allowed, summary, unused
from tests.architecture.planted.arrows import ARROWS
from tests.architecture.planted.case import Case, Files
from tests.architecture.planted.doors import DOORS
from tests.architecture.planted.manners import MANNERS
from tests.architecture.planted.measures import MEASURES
from tests.architecture.planted.origins import ORIGINS
from tests.architecture.sources import Violation


def plant(top: Path, files: Files) -> Path:
    for name, code in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code if path.suffix == ".sql" else f'"""A module."""\n{code}\n', "utf-8")
    return top


CASES = [*ARROWS, *DOORS, *MANNERS, *MEASURES, *ORIGINS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_planted_violation_is_found_where_it_stands(case: Case, tmp_path: Path) -> None:
    found = find_violations(plant(tmp_path, case.planted), case.tables)
    assert (case.rule, case.at) in {(each.rule, f"{each.file}:{each.line}") for each in found}, found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_honest_twin_passes(case: Case, tmp_path: Path) -> None:
    assert find_violations(plant(tmp_path, case.honest), case.tables) == ()


def test_a_module_without_a_docstring_is_found(tmp_path: Path) -> None:
    (tmp_path / "clock.py").write_text("import json\n")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "__init__.py").write_text("")
    assert {(each.rule, each.file) for each in find_violations(tmp_path)} == {
        ("docstrings", "clock.py"),
        ("docstrings", "text/__init__.py"),
    }


def test_every_fence_has_bitten() -> None:
    planted = {case.rule for case in CASES} | {"docstrings", "index-rows"}
    # one rule name for each function, the index rule apart
    assert len(planted) == len(RULES) + 1


BROAD = Violation("broad-excepts", "operations/worker.py", 7, "catches Exception", item="run")
FENCE = Allowance("broad-excepts", "operations/worker.py", ("run",), "a job may not take the worker with it")


def test_an_allowance_covers_its_own_place_and_no_other() -> None:
    elsewhere = Violation("broad-excepts", "operations/worker.py", 30, "catches Exception", item="stop")
    assert not_allowed([BROAD, elsewhere], [FENCE]) == (elsewhere,)


def test_an_allowance_that_nothing_needs_is_found() -> None:
    assert unused([BROAD], [FENCE]) == ()
    assert unused([], [FENCE]) == (("broad-excepts", "operations/worker.py", "run"),)


def test_a_violation_says_where_and_what() -> None:
    assert str(BROAD) == "operations/worker.py:7: broad-excepts: catches Exception"


def test_the_summary_counts_broad_excepts_per_thousand_lines(tmp_path: Path) -> None:
    catching = "try:\n    x = 1\nexcept Exception:\n    x = 2"
    plant(tmp_path, {"operations/a.py": catching + "\n" * 495, "storage/d.py": catching + "\n" * 495})
    assert summary(tmp_path) == (
        "2 modules, 1000 lines; largest module operations/a.py (500), largest package operations (500); "
        "2.0 broad excepts per 1,000 lines"
    )
