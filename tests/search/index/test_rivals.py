"""Several processes and threads use one index: one writes, the others search what there is, and nobody sees half of anything."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.search.index.world import World, make_world, what_it_says

from everself.clock import monotonic, pause
from everself.errors import Damaged
from everself.search.index_file.file import IndexFile
from everself.search.index_file.view import Snapshot
from everself.search.sync.documents import Sources
from everself.testing.embedder import FakeEmbedder
from everself.values import Document

WORDS = ("anna", "bob", *(f"word{number}" for number in range(10)))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        yield made


def fill(world: World, documents: int, lines: int = 5) -> None:
    for number in range(documents):
        world.write(f"memory/{number}.md", "".join(f"anna word{(number + line) % 10} bob\n" for line in range(lines)))


def test_whoever_comes_second_searches_what_there_is_and_says_so(world: World) -> None:
    world.write("MEMORY.md", "anna\n")
    index = world.index()
    index.view()
    world.write("memory/new.md", "anna again\n")
    rival = apsw.Connection(str(world.database))
    rival.execute("BEGIN IMMEDIATE")
    view = index.view()
    assert len(view.postings("anna")[0]) == 1
    assert any("Another process" in notice for notice in view.notices)
    rival.execute("ROLLBACK")
    rival.close()
    view = index.view()
    assert len(view.postings("anna")[0]) == 2
    assert view.notices == ()


def test_a_view_is_asked_while_a_thread_writes_and_nothing_counts_as_damage(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write("MEMORY.md", "anna\n")
    index = world.index()
    view = index.view()
    answers: list[int | Damaged] = []

    def ask() -> None:
        try:
            answers.append(len(view.postings("anna")[0]))
        except Damaged as error:
            answers.append(error)

    asking = threading.Thread(target=ask)
    read = Sources.read

    def read_meanwhile(self: Sources, path: str) -> Document | None:
        if not asking.ident:
            # in the middle of the transaction that writes
            asking.start()
            asking.join(0.1)
        return read(self, path)

    monkeypatch.setattr(Sources, "read", read_meanwhile)
    world.write("memory/new.md", "bob\n")
    index.sync()
    asking.join()
    assert answers == [1]


def test_a_change_by_another_index_shows(world: World) -> None:
    world.write("MEMORY.md", "anna\n")
    one, other = world.index(), world.index()
    one.view()
    other.view()
    world.write("MEMORY.md", "bob\n")
    one.view()
    before = other.view(fresh=False)
    assert len(before.postings("bob")[0]) == 1
    assert other.sync().read == 0


def test_a_rebuild_by_another_process_shows_and_an_old_view_still_answers(world: World) -> None:
    world.write("MEMORY.md", "anna\n")
    one, other = world.index(), world.index()
    one.view()
    old = other.view()
    inode = world.database.stat().st_ino
    world.write("MEMORY.md", "bob anna\n")
    one.rebuild()
    assert world.database.stat().st_ino != inode
    assert len(old.postings("anna")[0]) == 1
    assert len(other.view().postings("bob")[0]) == 1
    assert len(old.postings("bob")[0]) == 0
    # what is written now goes into the new file
    world.write("memory/later.md", "carl\n")
    other.view()
    assert len(one.view().postings("carl")[0]) == 1


def test_a_swap_between_look_and_write_goes_to_the_new_file(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write("MEMORY.md", "anna\n")
    one, other = world.index(), world.index()
    one.view()
    other.view()
    world.write("MEMORY.md", "carl\n")
    swapped: list[bool] = []
    look = other._is_there

    def swap_after_looking(file: IndexFile) -> bool:
        there = look(file)
        if not swapped:
            swapped.append(there)
            one.rebuild()
        return there

    monkeypatch.setattr(other, "_is_there", swap_after_looking)
    assert len(other.view().postings("carl")[0]) == 1
    assert swapped == [True]
    assert not other.status().in_memory


def test_searches_go_on_in_threads_while_files_change(world: World) -> None:
    fill(world, 5)
    index = world.index()
    index.view()
    wrong: list[object] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            count = index.ask(lambda view: (len(view.postings("anna")[0]), len(view.postings("bob")[0])))
            if count[0] != count[1]:
                wrong.append(count)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for step in range(15):
        world.write(f"memory/{step % 5}.md", "".join(f"anna {step} bob\n" for _ in range(step % 4 + 1)))
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_damage_met_by_an_old_view_does_not_cost_the_new_index(world: World) -> None:
    world.write("MEMORY.md", "anna\n")
    index = world.index()
    index.view()
    views = []

    def ask(view: Snapshot) -> int:
        views.append(view)
        if len(views) == 1:
            index.rebuild()
            raise Damaged("the old file, that is")
        return len(view.postings("anna")[0])

    assert index.ask(ask) == 1
    assert views[0].token != views[1].token == index.view().token
    assert index.view().notices == ()


def test_an_index_in_memory_returns_to_the_disk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write("MEMORY.md", "anna\n")
    world.state.rename(world.state.with_name("elsewhere"))
    index = world.index()
    assert len(index.view().postings("anna")[0]) == 1
    assert index.status().in_memory
    world.state.with_name("elsewhere").rename(world.state)
    assert index.status().in_memory
    monkeypatch.setattr(index, "_retry_at", 0.0)
    assert len(index.view().postings("anna")[0]) == 1
    assert not index.status().in_memory
    assert index.view().notices == ()


CHILD = """
import sys
from pathlib import Path
sys.path[:0] = {paths!r}
from tests.search.index.world import World
from everself.storage.real_disk import RealFileSystem
from everself.search.sync import sync as syncing
from everself.errors import Damaged
from everself.search.sync.documents import Sources
from everself.search.index_file.file import IndexFile
from everself.search.index_file.view import Snapshot
from everself.testing.embedder import FakeEmbedder
from everself.values import Document
from everself.values import Document
syncing._CHUNKS_A_COMMIT = 20
class Reading:
    def __init__(self, top): self.files = RealFileSystem(f"{{top}}/workspace")
    def list(self, under=""):
        return [one for one in self.files.list("memory") if one.kind == "file"]
    def find(self, path):
        return Document(path, self.files.read(path))
world = World(Path({top!r}), Reading({top!r}))
index = world.index(FakeEmbedder())
print("ready", flush=True)
for _ in range({times}):
    index.view()
    index.embed()
"""


def child(world: World, times: int = 1) -> "subprocess.Popen[str]":
    paths = [entry for entry in sys.path if entry]
    code = CHILD.format(paths=paths, top=str(world.files.parent), times=times)
    started = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


@pytest.mark.slow
def test_killing_an_index_run_at_any_moment_leaves_what_can_be_gone_on_with(world: World) -> None:
    fill(world, 150)
    expected = what_it_says(world.fresh().view(), WORDS)
    for moment in range(12):
        for path in world.state.glob("index.db*"):
            path.unlink()
        started = child(world)
        pause(0.02 * moment)
        os.kill(started.pid, signal.SIGKILL)
        started.communicate()
        index = world.index(FakeEmbedder())
        assert what_it_says(index.view(), WORDS) == expected
        assert not any("was rebuilt" in notice for notice in index.view().notices)
        index.close()


@pytest.mark.slow
def test_two_processes_that_index_at_once_end_in_one_whole_index(world: World) -> None:
    fill(world, 150)
    children = [child(world, times=5) for _ in range(2)]
    deadline = monotonic() + 600
    while any(one.poll() is None for one in children) and monotonic() < deadline:
        world.write("memory/3.md", "anna bob word1\n")
        pause(0.05)
    assert [one.wait(600) for one in children] == [0, 0]
    for one in children:
        one.communicate()
    index = world.index(FakeEmbedder())
    assert what_it_says(index.view(), WORDS) == what_it_says(world.fresh().view(), WORDS)
    assert index.status().pending == 0
    assert index.view().notices == ()
