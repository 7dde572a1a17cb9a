"""Whatever happens to index.db, a search gets an answer, and it is the answer of a fresh index."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.search.index.world import Said, World, cosines_by_place, make_world, what_it_says

from everself.errors import ChangedMeanwhile
from everself.search.index import Index
from everself.search.index_file.file import PAGE_BYTES
from everself.search.index_file.view import Snapshot
from everself.testing.embedder import FakeEmbedder

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

WORDS = ("anna", "bob", "tea", *(f"word{number}" for number in range(6)))
Answer = tuple[Said, dict[tuple[str, int], float]]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        fill(made)
        yield made


def fill(world: World, documents: int = 12, lines: int = 8) -> None:
    for number in range(documents):
        text = "".join(f"anna word{(number + line) % 6} tea w{number}x{line} bob\n" for line in range(lines))
        world.write(f"memory/note-{number}.md", text)
        os.utime(world.files / f"memory/note-{number}.md", (1_700_000_000, 1_700_000_000))


def made(world: World) -> tuple[Index, Answer]:
    """An index with all its vectors, closed, and what it answers."""
    embedder = FakeEmbedder()
    index = world.index(embedder)
    index.view()
    index.embed()
    expected = answer(index)
    index.close()
    return index, expected


def answer(index: Index) -> Answer:
    vector = FakeEmbedder().embed(["anna tea"])[0]

    def ask(view: Snapshot) -> Answer:
        return what_it_says(view, WORDS), cosines_by_place(view, vector)

    return index.ask(ask)


def check(world: World, expected: Answer) -> Index:
    """Words at once; vectors after what was lost of them has been made again."""
    index = world.index(FakeEmbedder())
    said, cosines = answer(index)
    assert said == expected[0]
    assert cosines.items() <= expected[1].items()
    index.embed()
    assert answer(index) == expected
    return index


def test_a_deleted_index_is_made_again(world: World) -> None:
    _, expected = made(world)
    world.database.unlink()
    check(world, expected)


def test_an_index_deleted_while_it_is_searched_answers_and_is_made_again(world: World) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    view = index.view()
    world.database.unlink()
    assert len(view.postings("anna")[0]) == 96
    assert len(index.view().postings("bob")[0]) == 96
    assert world.database.exists()


@pytest.mark.parametrize("size", [0, 100, 40_000])
def test_a_truncated_index_is_made_again(world: World, size: int) -> None:
    _, expected = made(world)
    os.truncate(world.database, size)
    check(world, expected)


def test_an_index_cut_short_while_it_is_searched_is_made_again(world: World) -> None:
    index = world.index(FakeEmbedder())
    index.view()
    os.truncate(world.database, 30_000)
    said, _ = answer(index)
    assert said == what_it_says(world.fresh().view(), WORDS)


@pytest.mark.parametrize("content", [b"", b"no database" * 1000, b"SQLite format 3\0" + bytes(20_000)])
def test_a_file_that_is_no_database_is_replaced(world: World, content: bytes) -> None:
    _, expected = made(world)
    world.database.write_bytes(content)
    check(world, expected)


def test_a_folder_in_its_place_is_replaced(world: World) -> None:
    _, expected = made(world)
    world.database.unlink()
    world.database.mkdir()
    check(world, expected)


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_what_lies_beside_it_from_elsewhere_is_not_believed(world: World, ending: str, tmp_path: Path) -> None:
    _, expected = made(world)
    other = tmp_path / "other.db"
    connection = apsw.Connection(str(other))
    mode = "DELETE" if ending == "-journal" else "WAL"
    connection.execute(f"PRAGMA page_size={PAGE_BYTES}").fetchall()
    connection.execute(f"PRAGMA journal_mode={mode}").fetchall()
    connection.execute("CREATE TABLE header (x); INSERT INTO header VALUES (randomblob(90000)); PRAGMA cache_size=2")
    # a transaction that is not finished: its pages stand in the file beside it
    connection.execute("BEGIN; UPDATE header SET x=randomblob(90000); INSERT INTO header VALUES (randomblob(900000))")
    stale = Path(f"{other}{ending}").read_bytes()
    connection.close(True)
    assert len(stale) > 500
    Path(f"{world.database}{ending}").write_bytes(stale)
    check(world, expected)


def test_another_agents_index_is_not_searched(world: World) -> None:
    elsewhere = world.index(FakeEmbedder(), identity="somebody else")
    elsewhere.view()
    elsewhere.embed()
    elsewhere.close()
    mine = FakeEmbedder()
    index = world.index(mine)
    assert any("another workspace" in notice for notice in index.view().notices)
    index.embed()
    # not even their vectors are taken over
    assert sum(len(texts) for texts, _ in mine.calls) == 96


def test_an_index_of_another_version_is_made_again_and_its_vectors_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, expected = made(world)
    monkeypatch.setattr("everself.search.rebuild.FORMAT", 99)
    embedder = FakeEmbedder()
    index = world.index(embedder)
    assert answer(index) == expected
    assert embedder.calls == []


TABLES = ("header", "sources", "units", "blocks", "vocabularies", "postings", "embeddings", "codes")


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "deed", ["flip", *(pytest.param(one, marks=pytest.mark.slow) for one in ("lose", "swap", "empty"))]
)
def test_a_row_that_is_damaged_lost_or_mixed_up_is_noticed(world: World, table: str, deed: str) -> None:
    _, expected = made(world)
    connection = apsw.Connection(str(world.database))
    if deed == "flip":
        # one bit in the middle of every row's data
        for data, where in connection.execute(f"SELECT data, {_key(table)} FROM {table}").fetchall():
            flipped = bytearray(data)
            flipped[len(flipped) // 2] ^= 4
            connection.execute(f"UPDATE {table} SET data=? WHERE {_key(table)}=?", (bytes(flipped), where))
            break
    elif deed == "lose":
        connection.execute(f"DELETE FROM {table} WHERE {_key(table)}=(SELECT max({_key(table)}) FROM {table})")
    elif deed == "swap":
        rows = connection.execute(f"SELECT data, {_key(table)} FROM {table} LIMIT 2").fetchall()
        for (data, _), (_, where) in zip(rows, reversed(rows), strict=True):
            connection.execute(f"UPDATE {table} SET data=? WHERE {_key(table)}=?", (data, where))
    else:
        connection.execute(f"DELETE FROM {table}")
    connection.close()
    check(world, expected)


def _key(table: str) -> str:
    return "block * 0 + term" if table == "postings" else "number"


def flip_bytes(path: Path, rng: random.Random) -> None:
    """Damage as disks make it: some bytes, or a run of them, or a page from elsewhere in the file."""
    data = bytearray(path.read_bytes())
    kind = rng.randrange(4)
    if kind == 0:
        for _ in range(rng.choice([1, 3, 30])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        start = rng.randrange(len(data))
        data[start : start + 512] = rng.randbytes(len(data[start : start + 512]))
    else:
        pages = len(data) // PAGE_BYTES
        one, other = rng.randrange(pages) * PAGE_BYTES, rng.randrange(pages) * PAGE_BYTES
        data[one : one + PAGE_BYTES] = bytes(PAGE_BYTES) if kind == 2 else data[other : other + PAGE_BYTES]
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("seed", range(3))
def test_random_damage_never_shows(world: World, seed: int) -> None:
    _, expected = made(world)
    flip_bytes(world.database, random.Random(seed))
    check(world, expected)


@pytest.mark.slow
def test_much_random_damage_never_shows(tmp_path: Path) -> None:
    with make_world(tmp_path) as world:
        fill(world, documents=30)
        _, expected = made(world)
        whole = world.database.read_bytes()
        for seed in range(100, 220):
            world.database.write_bytes(whole)
            flip_bytes(world.database, random.Random(seed))
            check(world, expected).close()


@pytest.mark.slow
def test_damage_under_an_open_index_never_shows(tmp_path: Path) -> None:
    with make_world(tmp_path) as world:
        fill(world)
        _, expected = made(world)
        index = world.index(FakeEmbedder())
        for seed in range(300, 340):
            index.view()
            flip_bytes(world.database, random.Random(seed))
            world.write("memory/note-0.md", (world.files / "memory/note-0.md").read_text())
            said, cosines = answer(index)
            assert said == expected[0]
            assert cosines.items() <= expected[1].items()


def test_a_stale_copy_put_back_is_brought_up_to_date(world: World) -> None:
    made(world)
    old = world.database.read_bytes()
    world.write("memory/note-0.md", "carl\n")
    world.index().view()
    world.database.write_bytes(old)
    index = world.index()
    assert what_it_says(index.view(), ("carl", "anna")) == what_it_says(world.fresh().view(), ("carl", "anna"))


def test_embedding_that_meets_damage_embeds_what_is_made_anew(world: World) -> None:
    _, expected = made(world)
    index = world.index(FakeEmbedder())
    index.view()
    data = bytearray(world.database.read_bytes())
    # what only a new connection reads
    data[data.index(b"CREATE TABLE units") + 8] ^= 4
    world.database.write_bytes(data)
    assert index.embed().pending == 0
    assert index.view().embedded == 96
    assert answer(index) == expected


def test_a_copy_put_back_under_an_open_index_does_not_lend_its_numbers_to_other_words(world: World) -> None:
    made(world)
    index = world.index(FakeEmbedder())
    before = (world.files / "memory/note-0.md").read_text()
    index.view()
    old = world.database.read_bytes()
    world.write("memory/note-0.md", before.replace("anna", "carl"))
    index.embed()
    view = index.view()
    assert len(view.postings("carl")[0]) == 8
    answer(index)
    world.database.write_bytes(old)
    world.write("memory/note-0.md", before.replace("anna", "dora"))
    # not even a view from before takes the one for the other
    with pytest.raises(ChangedMeanwhile):
        view.postings("dora")
    index.view()
    index.embed()
    fresh = world.fresh(FakeEmbedder())
    fresh.view()
    fresh.embed()
    words = ("anna", "carl", "dora")
    vector = FakeEmbedder().embed(["dora tea"])[0]
    assert what_it_says(index.view(), words) == what_it_says(fresh.view(), words)
    assert cosines_by_place(index.view(), vector) == cosines_by_place(fresh.view(), vector)


CHILD = """
import os, resource, signal, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from tests.search.index.world import make_world, what_it_says
from everself.testing.embedder import FakeEmbedder
{before}
with make_world(Path({top!r})) as world:
    index = world.index(FakeEmbedder())
    view = index.view()
    print(len(view.postings("anna")[0]), index.status().in_memory)
    print("|".join(view.notices))
    report = index.embed()
    print(report.done, report.failure)
"""


def in_a_child(world: World, before: str) -> list[str]:
    top = str(world.files.parent)
    code = CHILD.format(paths=[entry for entry in sys.path if entry], top=top, before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_on_a_full_disk_the_index_lives_in_memory(world: World) -> None:
    with_room = in_a_child(world, "")
    assert with_room[0] == "96 False"
    world.database.unlink()
    found, notice, embedded = in_a_child(world, "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))")
    assert found == "96 True"
    assert "in memory" in notice
    assert embedded.startswith("96 ")


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
@pytest.mark.parametrize("with_index", [True, False])
def test_in_a_folder_that_cannot_be_written_the_index_lives_in_memory(world: World, *, with_index: bool) -> None:
    if with_index:
        index = world.index(FakeEmbedder())
        index.view()
        index.close()
        world.write("memory/note-0.md", "anna\n")
    top = world.files.parent
    for folder in (*top.parents, top):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    for path in top.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    lines = in_a_child(world, NOBODY)
    assert lines[0] == ("89 True" if with_index else "96 True")
    assert "in memory" in lines[1]


# the workspace's own database wants to be written, so this child reads the files without it
NOBODY = """
import tests.search.index.world as w
from contextlib import contextmanager
from everself.storage.real_disk import RealFileSystem
class Reading:
    def __init__(self, top): self.files = RealFileSystem(f"{top}/workspace")
    def list(self, under=""):
        return [one for one in self.files.list("memory") if one.kind == "file"]
    def find(self, path):
        from everself.values import Document
        return Document(path, self.files.read(path))
@contextmanager
def make_world(top):
    yield w.World(top, Reading(top))
os.setuid(65534)
"""
