"""Lists in the documents name what the code has, and nothing else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from everself.config.sections import Tunables
from everself.keepers.roster import all_keepers
from everself.keepers.standing_jobs import standing

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs"
CODE = re.compile(r"[a-z]+(?:-[a-z0-9]+)+")
ROW = re.compile(r"^\| `([^`]+)` \|(.*)\|$", re.MULTILINE)
# how the checks of doctor report a finding
REPORTS = frozenset({"bad", "warning", "note", "Finding", "failed"})


def rows(page: str, after: str = "") -> dict[str, str]:
    """The tables of a page, from a heading on: the name in the first column, and the rest of the row."""
    return dict(
        ROW.findall((DOCS / page).read_text("utf-8").partition(after)[2] if after else (DOCS / page).read_text("utf-8"))
    )


def reported_codes() -> Iterator[str]:
    """Every code that a check of doctor passes to one of its reporting functions."""
    for module in (TOP / "src/everself/operations/doctor").glob("*.py"):
        for call in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in REPORTS:
                texts = (one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str))
                yield from (text for text in texts if CODE.fullmatch(text))


def test_the_page_of_keepers_lists_every_keeper() -> None:
    assert set(rows("keepers.md")) == {keeper.name for keeper in all_keepers()}


def test_the_page_of_the_schedule_lists_every_built_in_job_in_its_order() -> None:
    jobs = list(standing(Tunables()))
    table = {name: rest for name, rest in rows("schedule.md").items() if name in {job.name for job in jobs}}
    assert list(table) == [job.name for job in jobs]


def test_the_settings_that_the_schedule_names_exist() -> None:
    named = {name for rest in rows("schedule.md").values() for name in re.findall(r"`(cron_\w+)`", rest)}
    assert named == {name for name in Tunables.__dataclass_fields__ if name.startswith("cron_")}


def test_the_page_of_doctor_explains_every_code_that_a_check_reports() -> None:
    reported = set(reported_codes())
    assert len(reported) > 50
    assert reported - set(rows("doctor.md", "## Codes")) == set()


def test_the_readme_links_every_page() -> None:
    readme = (TOP / "README.md").read_text("utf-8")
    assert [page.name for page in sorted(DOCS.glob("*.md")) if f"(docs/{page.name})" not in readme] == []
