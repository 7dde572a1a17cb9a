"""Lists in the documents name what the code has, and nothing else."""

import re
from datetime import timedelta
from pathlib import Path

from everself.config.sections import Tunables
from everself.keepers.runner import all_keepers
from everself.keepers.scheduler import standing

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs"
ROW = re.compile(r"^\| `([^`]+)` \|(.*)\|$", re.MULTILINE)


def rows(page: str) -> dict[str, str]:
    """The table at the top of a page: the name in the first column, and the rest of the row."""
    return dict(ROW.findall((DOCS / page).read_text("utf-8").partition("\n## ")[0]))


def test_the_page_of_keepers_lists_every_keeper() -> None:
    assert set(rows("keepers.md")) == {keeper.name for keeper in all_keepers()}


def test_the_page_of_the_schedule_lists_every_built_in_job_in_its_order() -> None:
    assert list(rows("schedule.md")) == [job.name for job in standing(Tunables(), timedelta(minutes=30))]


def test_the_settings_that_the_schedule_names_exist() -> None:
    named = {name for rest in rows("schedule.md").values() for name in re.findall(r"`(cron_\w+)`", rest)}
    assert named == {name for name in Tunables.__dataclass_fields__ if name.startswith("cron_")}


def test_every_statement_about_others_has_a_source_and_every_source_is_used() -> None:
    page, _, sources = (DOCS / "compare.md").read_text("utf-8").partition("## Sources")
    listed = re.findall(r"^\| ([A-Z]\d) \| \S", sources, re.MULTILINE)
    assert len(listed) == len(set(listed)) >= 20
    assert set(re.findall(r"\[([A-Z]\d)\]", page)) == set(listed)


def test_every_cell_about_another_system_names_its_source() -> None:
    page = (DOCS / "compare.md").read_text("utf-8").partition("## Where they are better")[0]
    first, second = (part.splitlines() for part in page.split("\n## What only some of them do\n"))
    rows = [[one.strip() for one in line.strip("|").split("|")] for line in (*first, *second) if line.startswith("| ")]
    others = [
        row[1:] for row in rows if row[0] in {"OpenClaw", "mem0", "Letta", "basic-memory", "memsearch", "LanceDB"}
    ]
    features = [row[2:] for row in rows if len(row) == 7 and row[0]]
    assert (len(others), len(features)) == (6, 8)
    bare = [cell for row in (*others, *features) for cell in row if not re.search(r"\[[A-Z]\d\]", cell)]
    assert bare == []
