"""R9 once more: whoever syncs, embeds or rebuilds the index is killed at any moment. No error, no wrong row, and nothing is made anew."""

import os
import shutil
from pathlib import Path
from random import Random

from tests.memory.minds import open_mind
from tests.trust.finding import Finder, Meddler, differing, everything
from tests.trust.rows.r09 import QUERIES, whole_index, write_documents
from tests.trust.workers import PATIENCE, Nursery

from everself.clock import monotonic, pause
from everself.search.sync import sync as syncing

# so many documents of the case, or the run is over before it can be killed
COPIES = 4
# a commit after so few chunks, and a batch of so few, that a kill falls between two of them as well as into one
SMALL_COMMIT, SMALL_BATCH = 12, 8
WHAT = ("sync", "sync", "embed", "rebuild", "all")
# seconds that a run has at most before it is killed: a few commits on a machine that has nothing else to do
LONGEST = 0.3
# a fresh workspace after so many kills
LIFE = 50


def keep_up(top: str, what: str, seed: str, ready: str) -> None:
    """What is killed: an index run over and over, while its documents change."""
    from everself.search.sync import embedding

    syncing._CHUNKS_A_COMMIT = SMALL_COMMIT
    embedding.BATCH = SMALL_BATCH
    random = Random(seed)
    with open_mind(top) as mind:
        finder = Finder(mind, Path(top))
        index = finder.index(Meddler())
        Path(ready).touch()
        while True:
            if what in ("sync", "all"):
                index.view()
            if what in ("embed", "all"):
                index.embed()
            if what in ("rebuild", "all"):
                index.rebuild()
            change(finder.files, random)
            if what == "embed":
                index.view()


def change(files: Path, random: Random) -> None:
    """A document says something else, as whole as an editor saves it."""
    path = random.choice(sorted(files.rglob("2026-*.md")))
    spare = path.with_name(f".{path.name}~")
    spare.write_text(path.read_text() + f"- Anna keeps tea {random.randrange(10**6)}\n")
    os.replace(spare, path)


def grow(files: Path, random: Random) -> None:
    write_documents(files, random)
    for path in sorted(files.glob("memory/2026-*.md")):
        for copy in range(1, COPIES):
            shutil.copy(path, path.with_name(path.name.replace("2026-02", f"2026-{copy + 2:02}")))


def live(nursery: Nursery, top: Path, random: Random, kills: int) -> int:
    """So many kills in one workspace; how many of them left a transaction behind that had to be rolled back."""
    torn = 0
    ready = top / "ready"
    with open_mind(str(top)) as mind:
        finder = Finder(mind, top)
        grow(finder.files, random)
        whole = whole_index(finder, "whole.db")
        database = finder.state / "index.db"
        for number in range(kills):
            what = random.choice(WHAT)
            begins = random.choice(("nothing", "whole", "as it is"))
            if begins != "as it is":
                for path in finder.state.glob("index.db*"):
                    path.unlink()
            if begins == "whole":
                database.write_bytes(whole)
            arguments = {"top": str(top), "what": what, "seed": f"{number}", "ready": str(ready)}
            pid = nursery.start("tests.trust.rows.r09_kill:keep_up", **arguments)
            _await(ready)
            pause(random.uniform(0.0, LONGEST))
            code = nursery.kill(pid)
            assert code == -9, f"{what} ended by itself with {code}:\n{nursery.complaints()}"
            journal = finder.state / "index.db-journal"
            torn += journal.exists() and journal.stat().st_size > 0
            try:
                judge(finder)
            except AssertionError as error:
                raise AssertionError(f"{what} from {begins}, kill {number}: {error}") from error
            _let_go(finder)
    return torn


def _await(ready: Path) -> None:
    end = monotonic() + PATIENCE
    while not ready.exists():
        assert monotonic() < end, "the index run does not begin"
        pause(0.001)
    ready.unlink()


def judge(finder: Finder) -> None:
    """A process that comes after: it answers as a fresh index does and mends nothing that is not broken."""
    for path in finder.files.rglob(".*~"):
        path.unlink()
    index = finder.index(Meddler())
    with finder.fresh() as fresh:
        words = everything(fresh.view())
    wrong = index.ask(everything).differs(words, vectors=False)
    assert not wrong, wrong
    notices = [notice for notice in index.view().notices if "was rebuilt" in notice or "memory" in notice]
    assert not notices, notices
    assert not index.embed().failure
    with finder.fresh(Meddler()) as fresh:
        wrong = index.ask(everything).differs(everything(fresh.view()))
        assert not wrong, wrong
        wrong = differing(finder.search(index, QUERIES), finder.search(fresh, QUERIES), QUERIES)
        assert not wrong, wrong
    index.rebuild()
    left = [path.name for path in finder.state.glob("index.db.new-*")]
    assert not left, f"left over: {left}"


def _let_go(finder: Finder) -> None:
    for one in finder.opened:
        one.close()
    finder.opened.clear()


def run_r9_kill(count: int, seed: int) -> str:
    torn = 0
    with Nursery("tests.trust.rows.r09_kill", memory=256) as nursery:
        for first in range(0, count, LIFE):
            number = seed * 1_000_000 + first
            top = Path(nursery.folder) / f"top-{first}"
            top.mkdir()
            try:
                torn += live(nursery, top, Random(f"R9 {number}"), min(LIFE, count - first))
            except AssertionError as error:
                raise AssertionError(f"R9 seed {number}, {error}") from error
            shutil.rmtree(top)
    return f"R9 {count} kills of index runs, {torn} within a transaction, 0 errors, 0 wrong rows, 0 unlike a fresh index, seed {seed}"
