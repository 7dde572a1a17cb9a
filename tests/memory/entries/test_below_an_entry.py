"""What a person writes on the lines below an entry is theirs: another entry, which nothing done to the one above takes along."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind
from tests.operations.changes import Changes

from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
from everself.memory.forgetting.proof import ForgetProof, Target
from everself.memory.promotion.moves import Pick, apply_moves
from everself.memory.writing import NewEntry
from everself.storage.state.entries import DocumentRow
from everself.testing.origins import origin_of
from everself.values import Author

DAY = "memory/2026-03-19.md"
FACT = "The ferry leaves at ten past eight."
MINE = "Ask about the dog ticket."


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


def forget(mind: Mind, top: Path, **target: object) -> ForgetProof:
    resources = ForgettingResources(
        mind.bench.workspace, mind.bench.state, mind.bench.storage, root=str(top / "workspace")
    )
    forgetting = Forgetting(mind.catalog, resources, mind.bench.clock)
    return forgetting.carry_out(forgetting.plan(Target(**target)))  # type: ignore[arg-type] # names of fields


def append(path: Path, text: str = f"{MINE}\n") -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def sources(mind: Mind) -> dict[str, tuple[str, bool]]:
    return {entry.text: (entry.source, entry.vouched) for entry in mind.catalog.all()}


def history(top: Path) -> bytes:
    git = str(top / "state" / "history.git")
    done = subprocess.run(
        ["git", "--git-dir", git, "cat-file", "--batch-all-objects", "--batch"], capture_output=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("below", [f"{MINE}\n", f"\n{MINE}\n", f"  {MINE}\n", f"- {MINE}\n"])
def test_the_entry_above_stays_the_owners(mind: Mind, folder: Path, explicit: bool, below: str) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=explicit))
    append(folder / done.path, below)
    assert sources(mind) == {FACT: ("owner", True), MINE: ("hand", False)}
    assert mind.catalog.get(done.entry).text == FACT


@pytest.mark.slow
@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize(
    "below", [f"{MINE}\n", f"\n{MINE}\n", f"  {MINE}\n", f"- {MINE}\n", f"\n### Later\n\n{MINE}\n"]
)
def test_forgetting_takes_no_line_of_the_persons(
    mind: Mind, folder: Path, tmp_path: Path, explicit: bool, below: str
) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=explicit))
    append(folder / done.path, below)
    # in the core a line in the log refers to the entry; somebody writes below that as well
    if explicit:
        append(folder / DAY, below)
    mind.memory.remember(NewEntry("Something else entirely.", origin_of("owner"), explicit=explicit))
    mind.bench.workspace.close()
    before = {path: path.read_text().count(MINE) for path in folder.rglob("*.md")}
    stood = history(tmp_path).count(MINE.encode())
    assert stood
    proof = forget(mind, tmp_path, ids=(done.entry,))
    assert proof.gone
    assert {path: path.read_text().count(MINE) for path in before} == before
    mind.bench.workspace.close()
    assert history(tmp_path).count(MINE.encode()) >= stood
    assert FACT.encode() not in history(tmp_path)
    assert MINE in {entry.text for entry in mind.catalog.all()}
    assert FACT not in {entry.text for entry in mind.catalog.all()}


def test_what_a_person_wrote_does_not_pass_to_the_entry_above_the_forgotten_one(
    mind: Mind, folder: Path, tmp_path: Path
) -> None:
    (folder / "memory").mkdir()
    append(folder / DAY, "# Memory Log: 2026-03-19\n\n## 08:00\n\nBreakfast with Hana.\n")
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    append(folder / DAY)
    names = {entry.text: entry.id for entry in mind.catalog.all()}
    forget(mind, tmp_path, ids=(done.entry,))
    del names[FACT]
    assert {entry.text: entry.id for entry in mind.catalog.all()} == names


def test_correcting_editing_and_mentioning_leave_the_line_alone(mind: Mind, folder: Path) -> None:
    first, second = (
        mind.memory.remember(NewEntry(text, origin_of("owner"))).entry for text in (FACT, "The office closes at six.")
    )
    path = folder / DAY
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(f"{line}{MINE}\n" if "everself:" in line else line for line in lines))
    mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    mind.memory.edit(first, "The ferry leaves at nine.", origin_of("owner"), seen=FACT)
    mind.memory.correct(second, "The office closes at seven.", origin_of("owner"))
    assert path.read_text().count(MINE) == 2
    assert sources(mind)[MINE] == ("hand", False)
    assert mind.catalog.get(first).text == "The ferry leaves at nine."
    assert mind.catalog.get(first).vouched


def test_undoing_an_addition_leaves_the_line_below_it(mind: Mind, folder: Path) -> None:
    mind.memory.remember(NewEntry("The office closes at six.", origin_of("owner")))
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    append(folder / DAY)
    report = Changes(mind.bench.workspace).undo(done.change)
    text = (folder / DAY).read_text()
    assert MINE in text
    # either taken back whole, or nothing was done at all
    assert (FACT in text) is bool(report.conflicts)
    assert sources(mind)["The office closes at six."] == ("owner", True)


def test_promoting_leaves_the_line_in_its_day(mind: Mind, folder: Path) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    append(folder / DAY)
    apply_moves(mind.memory, [Pick(done.entry, "MEMORY.md")], Author.OWNER)
    assert MINE in (folder / DAY).read_text()
    assert FACT in (folder / "MEMORY.md").read_text()
    assert MINE not in (folder / "MEMORY.md").read_text()
    assert sources(mind) == {FACT: ("owner", True), MINE: ("hand", False)}


def test_what_an_older_version_read_is_read_again(mind: Mind, folder: Path) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    append(folder / DAY)
    mind.catalog.all()
    rows = mind.bench.state.entries
    known = rows.documents([DAY])[DAY]
    # as the version before noted it: one entry of both texts, and no number of a reader
    kept = [row for row in rows.rows_of([DAY]) if row.id == done.entry]
    old = DocumentRow(DAY, " ".join(known.stamp.split()[:5]), known.hash, known.read_at)
    rows.replace([old], [], kept, [row.id for row in rows.rows_of([DAY]) if row.id != done.entry], "2026-03-19")
    assert [row.id for row in rows.rows_of([DAY])] == [done.entry]
    assert set(sources(mind)) == {FACT, MINE}
