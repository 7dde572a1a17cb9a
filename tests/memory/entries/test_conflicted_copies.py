"""A program that synchronises folders leaves a second copy of a document: the original keeps its ids and who vouches for them."""

import shutil
from pathlib import Path

import pytest
from tests.memory.minds import open_mind

from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of

FACT = "The ferry leaves at ten past eight."
DAY = "memory/2026-03-19.md"
COPIES = [
    "memory/2026-03-19 (Alex's conflicted copy 2026-03-20).md",
    "memory/2026-03-19.sync-conflict-20260320-101500-ABCDEFG.md",
    "memory/2026-03-19-LAPTOP.md",
]


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("known", ["both new", "copy new", "original saved too", "nothing known"])
def test_the_original_keeps_its_voucher_and_the_copy_has_none(tmp_path: Path, name: str, known: str) -> None:
    folder = tmp_path / "workspace"
    with open_mind(str(tmp_path)) as mind:
        entry = mind.memory.remember(NewEntry(FACT, origin_of("owner"))).entry
        if known != "both new":
            mind.catalog.all()
        shutil.copy(folder / DAY, folder / name)
        if known == "original saved too":
            text = (folder / DAY).read_text()
            (folder / DAY).write_text(f"{text}\nA line of mine.\n")
        if known == "nothing known":
            rows = mind.bench.state.entries
            rows.replace([], [DAY], [], [row.id for row in rows.rows_of([DAY])], "2026-03-19")
        for _ in range(2):
            found = {one.path: one for one in mind.catalog.all() if one.text == FACT}
            assert found[DAY].id == entry
            assert (found[DAY].source, found[DAY].vouched) == ("owner", True)
            if name in found:
                assert found[name].id != entry
                assert (found[name].source, found[name].vouched) == ("hand", False)
