"""What real workspaces hold, written down by us: nothing is changed by reading it, and its entries are those a person would name."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.memory.minds import Mind, open_mind
from tests.trust.worlds import LightWorld

from everself.memory.entries import TRANSCRIPT, holds_memory
from everself.memory.writing import NewEntry
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of
from everself.text.markdown.blocks import scan
from everself.text.markdown.entries import entries
from everself.values import Entry

HERE = Path(__file__).parent / "oddities"
EXPECTED: dict[str, dict[str, Any]] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
DOCUMENTS = sorted(path for path, found in EXPECTED.items() if found["entries"] is not None)
OTHERS = sorted(EXPECTED.keys() - set(DOCUMENTS))


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    shutil.copytree(HERE / "workspace", tmp_path / "workspace")
    with open_mind(str(tmp_path)) as found:
        yield found


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mind]:
    """For tests that only look."""
    top = tmp_path_factory.mktemp("oddities")
    shutil.copytree(HERE / "workspace", top / "workspace")
    with open_mind(str(top)) as found:
        yield found


def facts(mind: Mind, path: str) -> list[Entry]:
    return [entry for entry in mind.catalog.of(path) if entry.kind != TRANSCRIPT]


def said(text: str) -> str:
    return " ".join(text.split())


def tree(top: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(top)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in top.rglob("*")
        if path.is_file()
    }


def test_every_file_has_its_expectation() -> None:
    assert set(tree(HERE / "workspace")) == set(EXPECTED)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_parsing_and_rendering_changes_no_byte(path: str) -> None:
    data = (HERE / "workspace" / path).read_bytes()
    found = scan(data)
    assert b"".join(data[block.start : block.end] for block in found.blocks) == data
    spans = entries(found)
    assert all(one.end <= other.start for one, other in pairwise(spans))


def test_loading_everything_changes_no_byte_and_no_time(mind: Mind, tmp_path: Path) -> None:
    before = tree(tmp_path / "workspace")
    loaded = mind.catalog.all()
    assert len(loaded) >= sum(len(EXPECTED[path]["entries"]) for path in DOCUMENTS)
    assert {entry.path for entry in loaded} <= set(DOCUMENTS)
    assert tree(tmp_path / "workspace") == before


@pytest.mark.parametrize("path", DOCUMENTS)
def test_it_yields_the_entries_a_person_would_name(reader: Mind, path: str) -> None:
    wanted = EXPECTED[path]
    found = facts(reader, path)
    assert [said(entry.text) for entry in found] == [said(one["text"]) for one in wanted["entries"]]
    for entry, one in zip(found, wanted["entries"], strict=True):
        assert entry.tier == wanted["tier"]
        assert entry.struck == one.get("retired", False), entry.text
        # what has no day of its own dates from when it was first seen
        assert entry.day == (date.fromisoformat(wanted["day"]) if wanted["day"] else date(2026, 3, 19))
        assert entry.time == one.get("time", "")
        assert entry.category == one.get("category", "")
        assert entry.tag == one.get("tag", "") or one.get("unvouched")
        assert entry.who == (f"person:{one['person']}" if "person" in one else "")
        assert entry.id == one.get("id", entry.id)
        assert not entry.vouched


@pytest.mark.parametrize("path", OTHERS)
def test_what_is_no_markdown_is_no_memory(path: str) -> None:
    assert not holds_memory(path)


def test_ids_are_the_same_at_every_load_and_after_the_rows_are_lost(mind: Mind, tmp_path: Path) -> None:
    first = [(entry.id, entry.path, entry.text) for entry in mind.catalog.all()]
    assert max(Counter(identity for identity, _, _ in first).values()) == 1
    assert [(entry.id, entry.path, entry.text) for entry in mind.catalog.all()] == first
    mind.bench.state.close()
    for left in (tmp_path / "state").glob("state.db*"):
        left.unlink()
    with open_mind(str(tmp_path)) as again:
        assert [(entry.id, entry.path, entry.text) for entry in again.catalog.all()] == first


@pytest.mark.slow
@pytest.mark.parametrize("act", ["mention", "correct", "close", "edit"])
def test_entries_are_worked_on_and_nothing_around_them_changes(act: str) -> None:
    world = LightWorld(FrozenTime().clock())
    try:
        for path in EXPECTED:
            world.write(path, (HERE / "workspace" / path).read_bytes())
        for path in DOCUMENTS:
            for entry in facts(world.mind, path):
                if not world.mind.catalog.get(entry.id).closed:
                    _work_on(world.mind, act, entry)
    finally:
        world.close()


def _work_on(mind: Mind, act: str, entry: Entry) -> None:
    before = {one.id: one for one in mind.catalog.of(entry.path)}
    comments = _others_comments(mind, entry.path)
    chosen = _act(mind, act, entry)
    after = {one.id: one for one in mind.catalog.of(entry.path)}
    assert before.keys() <= after.keys(), entry
    for identity, one in before.items():
        if identity not in (entry.id, chosen):
            assert (after[identity].text, after[identity].closed) == (one.text, one.closed), entry
    assert _others_comments(mind, entry.path) == comments, entry
    now = mind.catalog.get(chosen)
    match act:
        case "mention":
            assert (said(now.text).removesuffix(" ```"), now.closed) == (said(entry.text).removesuffix(" ```"), False)
            # how often was said of what nobody vouches for is believed of nobody
            assert now.mentions == (2 if now.vouched else 1) or chosen != entry.id
        case "edit":
            # a heading inside an entry's words is escaped; a reader sees the same
            assert said(now.text).replace("\\#", "#").startswith(f"{said(entry.text)} Really."), now.text
        case _:
            assert now.closed
            # a fence that nobody closed is closed before the comment that follows it
            assert said(now.text).removesuffix(" ```") == said(entry.text).removesuffix(" ```")


def _act(mind: Mind, act: str, entry: Entry) -> str:
    """Do it; the id of the entry that it was done to, which for words that stand in two places may be the other one."""
    match act:
        case "mention":
            done = mind.memory.remember(
                NewEntry(entry.text, origin_of("owner"), person=entry.who.removeprefix("person:"))
            )
            assert done.mention, entry
            return done.entry
        case "correct":
            mind.memory.correct(entry.id, f"Not so: {entry.id.lower()}.", origin_of("owner"))
        case "close":
            newer = mind.memory.remember(NewEntry(f"Newer than {entry.id.lower()}.", origin_of("owner")))
            mind.memory.supersede(entry.id, newer.entry)
        case "edit":
            mind.memory.edit(entry.id, f"{entry.text}\n\nReally.", origin_of("owner"))
    return entry.id


def _others_comments(mind: Mind, path: str) -> list[bytes]:
    data = mind.bench.workspace.read(path).data
    return [
        b"<!--" + part.partition(b"-->")[0]
        for part in data.split(b"<!--")[1:]
        if not part.strip().startswith((b"everself:", b"was:"))
    ]
