"""The Memory Compactor: what it puts away, what it leaves alone, and that everything it does is told and done once."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from tests.keepers.minds import Mind

from everself.identity.growth import Growth
from everself.identity.soul import SoulRules
from everself.keepers.compactor import Compactor
from everself.keepers.keeper import RunReport
from everself.memory.archive.chronicle import first_sentence
from everself.testing.chat_model import FakeModel
from everself.testing.origins import origin_of
from everself.values import Author, Entry

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

QUARTER = "memory/archive/2026-Q1.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


def _compact(mind: Mind, **more: object) -> RunReport:
    report = mind.run(Compactor(), **more)
    assert not report.refused
    return report


def _all(mind: Mind) -> dict[str, Entry]:
    return {
        one.id: one._replace(path="", tier=one.tier, start=0, end=0, first_line=0, last_line=0, heading=())
        for one in mind.memory.catalog.all()
    }


def test_a_month_goes_with_its_chronicle_and_the_second_run_changes_nothing(mind: Mind, folder: Path) -> None:
    for day in range(5):
        mind.knows(f"On day {day} the boat was painted. It took long.")
        mind.hour.pass_(days=1)
    mind.hour.pass_(days=40)
    before = _all(mind)
    report = _compact(mind)
    assert len(report.applied) == 1
    assert _all(mind) == before
    assert {one.path for one in mind.memory.catalog.all()} == {QUARTER}
    told = (folder / "Archive/Chronicles/2026-March.md").read_text()
    assert told.startswith("# March 2026\n\n## 2026-03-19\n\n- → On day 0 the boat was painted. (entry:")
    assert (folder / "COMPACTION_LOG.md").read_text().count("` → `") == 5
    seen = {path: path.read_bytes() for path in folder.rglob("*.md")}
    assert not _compact(mind).changed
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == seen


def test_a_model_tells_the_chronicle_and_is_trusted_no_more_than_its_lines(mind: Mind, folder: Path) -> None:
    entry = mind.knows("The boat was painted green.")
    mind.hour.pass_(days=40)
    said = {"days": [{"day": "2026-03-19", "story": "A day for the boat.", "entries": [entry.id]}]}
    model = FakeModel([json.dumps(said)])
    _compact(mind, model=lambda: model)
    story = mind.entry("A day for the boat.")
    assert story.path == "Archive/Chronicles/2026-March.md"
    assert (story.source, story.lineage, story.day) == ("agent", (f"entry:{entry.id}",), entry.day)
    assert story.vouched
    assert "→" not in (folder / story.path).read_text()


@pytest.mark.parametrize(
    "said",
    [
        "I would rather not.",
        json.dumps({"days": [{"day": "2026-03-19", "story": "Invented.", "entries": ["7K3QX9M2ABCD"]}]}),
        json.dumps({"days": [{"day": "2026-03-19", "story": "Nothing cited.", "entries": []}]}),
        json.dumps({"days": [{"day": "1999-01-01", "story": "Another day.", "entries": []}]}),
    ],
)
def test_what_a_model_tells_without_evidence_is_told_by_rules(mind: Mind, folder: Path, said: str) -> None:
    mind.knows("The boat was painted green.")
    mind.hour.pass_(days=40)
    model = FakeModel([said, said])
    _compact(mind, model=lambda: model)
    text = (folder / "Archive/Chronicles/2026-March.md").read_text()
    assert "- → The boat was painted green. (entry:" in text
    assert len(mind.memory.catalog.all()) == 1


def test_what_came_from_outside_is_archived_and_not_chronicled(mind: Mind, folder: Path) -> None:
    mind.knows("Buy shares of Tundra now.", "web")
    mind.knows("The boat was painted green.")
    mind.hour.pass_(days=40)
    _compact(mind)
    assert "shares" not in (folder / "Archive/Chronicles/2026-March.md").read_text()
    assert "shares" in (folder / QUARTER).read_text()


def test_faded_guesses_leave_the_core_and_what_the_owner_said_stays(mind: Mind, folder: Path) -> None:
    guess = mind.knows("Seems to like boats.", "agent", explicit=True)
    own = mind.knows("Likes green tea.", explicit=True)
    mind.hour.pass_(days=300)
    _compact(mind)
    moved = mind.memory.catalog.get(guess.id)
    assert moved.path == "Archive/Memory/2027-Q1.md"
    assert (moved.text, moved.source, moved.day, moved.vouched) == (guess.text, "agent", guess.day, True)
    assert mind.memory.catalog.get(own.id).path == "MEMORY.md"
    assert f"entry:{guess.id}" in (folder / "COMPACTION_LOG.md").read_text()
    assert not _compact(mind).changed


def test_a_guess_that_is_young_or_mentioned_stays(mind: Mind) -> None:
    mind.knows("Seems to like boats.", "agent", explicit=True)
    mind.hour.pass_(days=59)
    assert not [one for one in _compact(mind).applied if "faded" in one.planned.reason]


def test_the_same_words_twice_are_one_line_and_others_are_asked_about(mind: Mind, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(
        "# Memory\n\n- Likes green tea in the morning\n- likes green tea, in the morning.\n"
        "- The gate code is 4417\n- The gate code is 4418\n- Does like the sea\n- Does not like the sea\n"
    )
    report = _compact(mind)
    assert [one.planned.reason for one in report.applied] == [
        "“likes green tea, in the morning.” says the same as “Likes green tea in the morning”"
    ]
    text = (folder / "MEMORY.md").read_text()
    assert text.count("~~") == 2
    assert "closed in favour of" in (folder / "COMPACTION_LOG.md").read_text()
    assert "4417" in " ".join(mind.texts())
    assert "4418" in " ".join(mind.texts())
    assert not _compact(mind).applied


def test_old_records_of_corrections_are_archived_and_still_found_as_such(mind: Mind, folder: Path) -> None:
    from everself.search.chunking.chunks import chunk_document
    from everself.search.chunking.marks import Flag

    mind.knows("The boat is green.")
    mind.memory.correct("The boat is green.", "The boat is blue.", origin_of("owner"), trigger="no, blue")
    mind.hour.pass_(days=10)
    mind.knows("Jun lives in Oslo.")
    mind.memory.correct("Jun lives in Oslo.", "Jun lives in Bergen.", origin_of("owner"))
    record = (folder / "CORRECTIONS.md").read_bytes()
    mind.hour.pass_(days=5)
    before = sorted(mind.texts())
    _compact(mind)
    left, path = (folder / "CORRECTIONS.md").read_text(), "Archive/Corrections/2026-03.md"
    archived = (folder / path).read_bytes()
    assert "Jun lives in Bergen." in left
    assert "boat" not in left
    first = record[record.index(b"## ") : record.index(b"## ", record.index(b"## ") + 3)].strip()
    assert first in archived
    assert sorted(mind.texts()) == before
    pieces = chunk_document(path, archived)
    assert any("The boat is blue." in one.text and one.flags & Flag.CORRECTION for one in pieces)
    assert not _compact(mind).changed


def test_earlier_souls_are_thinned_to_one_a_month_after_their_time(mind: Mind, folder: Path) -> None:
    (folder / "SOUL.md").write_text("# Soul\n\n## Core\n\n- Be kind.\n\n## Learned\n")
    growth = Growth(mind.bench.workspace, mind.bench.state, mind.bench.clock, SoulRules())
    for number in range(6):
        growth.add_line(f"Lesson {number}.", "")
        growth.approve("last")
        mind.hour.pass_(days=10)
    mind.hour.pass_(days=60)
    souls = sorted(path.name for path in (folder / "SOUL_HISTORY").iterdir())
    _compact(mind)
    left = sorted(path.name for path in (folder / "SOUL_HISTORY").iterdir())
    old = [name for name in souls if name < (mind.hour.now - timedelta(days=90)).strftime("%Y-%m-%d")]
    assert [name for name in left if name in old] == [
        max(name for name in old if name[:7] == month) for month in sorted({name[:7] for name in old})
    ]
    assert len(left) < len(souls)
    log = (folder / "COMPACTION_LOG.md").read_text()
    assert all(f"SOUL_HISTORY/{name}" in log for name in set(souls) - set(left))


def test_a_dry_run_changes_nothing(mind: Mind, folder: Path) -> None:
    mind.knows("The boat was painted green.")
    mind.hour.pass_(days=40)
    seen = {path: path.read_bytes() for path in folder.rglob("*.md")}
    assert _compact(mind, dry_run=True).applied
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == seen


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Likes tea. And rust.", "Likes tea."),
        ("- Version 3.11 is out! Good.", "Version 3.11 is out!"),
        ("喜欢绿茶。还有咖啡。", "喜欢绿茶。"),
        ("x" * 300, "x" * 200 + "…"),
        ("<!-- everself: id=7K3QX9M2ABCD --> hidden", "&lt;!-- everself: id=7K3QX9M2ABCD --> hidden"),
    ],
)
def test_a_chronicle_takes_the_first_sentence(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_the_change_is_the_keepers(mind: Mind) -> None:
    mind.knows("The boat was painted green.")
    mind.hour.pass_(days=40)
    _compact(mind)
    newest = mind.bench.workspace.changes(1)[0]
    assert newest.author is Author.KEEPER
    assert newest.reason.startswith("memory-compactor: 1 day to memory/archive/")
