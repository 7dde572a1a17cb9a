"""R10: an index that followed any series of edits, by hand and by the verbs of memory, says and finds what one made at once does."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from unittest.mock import patch

from tests.trust.finding import Finder, Meddler, differing, everything
from tests.trust.rows.r09 import WORDS, write_documents
from tests.trust.walks import OPERATIONS, Walk
from tests.trust.worlds import HeavyWorld

from everself.errors import EverselfError
from everself.memory.entries import holds_memory
from everself.search import index as index_module
from everself.search.index import Index
from everself.search.sync import embedding
from everself.search.sync import sync as syncing
from everself.search.sync.documents import DocumentReader
from everself.testing.frozen_time import FrozenTime
from everself.values import Document, FileStat

QUERIES = ("tea", "Anna likes coffee", "harbour Monday", "茶", "mark0001x", "tundra window edited", "rust v1.2.3")
SCRIPTS = (
    "茶を飲む。",
    "봄비가 내린다",
    "naïve café",
    "e\u0301",
    "👩‍🔬",
    "שלום",
    "می‌خواهم",
    "\u200bhidden",
    "ﬁne ＡＢＣ",
)
PATHS = (
    *("MEMORY.md", "memory.md", "memory/2026-02-11.md", "memory/2026-03-05.md", "memory/2026-03-05-session-2.md"),
    *(
        "memory/topics/boats.md",
        "memory/topics/deep/er.md",
        "bank/world.md",
        "README.md",
        "notes.txt",
        "memory/.hid.md",
    ),
    *("memory/ünï cödé.md", "Archive/2025.md"),
)
STEPS = (5, 12)
# of so many series one is lived with small parts
SMALL = 3
_GRAIN = 2_000_000_000


class CoarseClock:
    """The documents as a file system shows them that stamps every other second."""

    def __init__(self, workspace: DocumentReader) -> None:
        self._workspace = workspace

    def find(self, path: str) -> Document | None:
        return self._workspace.find(path)

    def list(self, under: str = "") -> list[FileStat]:
        return [
            replace(one, mtime_ns=one.mtime_ns // _GRAIN * _GRAIN, ctime_ns=one.ctime_ns // _GRAIN * _GRAIN)
            for one in self._workspace.list(under)
        ]


class Hand:
    """A person with an editor and a shell."""

    def __init__(self, files: Path, random: Random, *, coarse: bool) -> None:
        self.files = files
        self.random = random
        self._coarse = coarse

    def documents(self) -> list[Path]:
        found = (path for path in self.files.rglob("*") if path.is_file() and not path.is_symlink())
        return sorted(path for path in found if path.suffix in (".md", ".txt"))

    def pick(self) -> Path:
        return self.random.choice(self.documents())

    def words(self, most: int = 12) -> str:
        chosen = self.random.choices((*WORDS, *SCRIPTS), k=self.random.randrange(1, most))
        return " ".join((*chosen, f"n{self.random.randrange(1000)}"))

    def save(self, path: Path, data: bytes) -> None:
        """In place, or whole with another inode; sometimes with the time of long ago, as a copying tool does."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.random.random() < 0.5 or not path.exists():
            path.write_bytes(data)
        else:
            spare = path.with_name(f".{path.name}~")
            spare.write_bytes(data)
            os.replace(spare, path)
        # where stamps are coarse, a time that is set by hand hides a save from anybody
        if self.random.random() < 0.3 and not self._coarse:
            os.utime(path, (1_700_000_000, 1_700_000_000))


def create(hand: Hand) -> None:
    lines = "".join(f"- {hand.words()}\n" for _ in range(hand.random.randrange(1, 9)))
    target = hand.files / hand.random.choice(PATHS)
    if not (target.is_dir() or target.is_symlink()):
        hand.save(target, f"# {hand.words(3)}\n\n{lines}".encode())


def append(hand: Hand) -> None:
    path = hand.pick()
    turn = hand.random.choice(("- {}\n", "\n## [10:00:00] {0}\n\n{0}\n", "**Hana:** {}\n", "{}", "\n> {}\n"))
    with open(path, "ab") as file:
        file.write(turn.format(hand.words()).encode())


def edit_in_the_middle(hand: Hand) -> None:
    path = hand.pick()
    data = path.read_bytes()
    start = hand.random.randrange(len(data) + 1)
    end = min(len(data), start + hand.random.choice((0, 1, 20, 200)))
    hand.save(path, data[:start] + hand.words().encode() + data[end:])


def edit_with_the_same_size(hand: Hand) -> None:
    """And in place, so that within the grain of a coarse clock nothing of it can be seen."""
    path = hand.pick()
    data, stat = path.read_bytes(), path.stat()
    for old, new in ((b"tea", b"gin"), (b"gin", b"rum"), (b"the", b"eht"), (b"Anna", b"Yuri"), (b"n1", b"n2")):
        data = data.replace(old, new)
    path.write_bytes(data)
    if not hand._coarse:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def close_a_line(hand: Hand) -> None:
    """As if memory had closed it: long ago, lately, or some day to come. After the days of grace it loses its vectors."""
    path = hand.pick()
    day = hand.random.choice(("2026-01-05", "2026-03-17", "2026-03-18", "2026-03-19", "2027-01-01"))
    line = f"\n- ~~{hand.words()}~~ <!-- everself: id=0123456789{hand.random.randrange(10, 99)} src=owner until={day} -->\n"
    hand.save(path, path.read_bytes() + line.encode())


def delete(hand: Hand) -> None:
    hand.pick().unlink()


def rename(hand: Hand) -> None:
    target = hand.files / hand.random.choice(PATHS)
    if not target.exists() and not target.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        hand.pick().rename(target)


def swap(hand: Hand) -> None:
    """Two documents change their names: sizes and times are all known, at other places."""
    one, other = hand.pick(), hand.pick()
    if one != other:
        spare = one.with_name(".swapped~")
        one.rename(spare)
        other.rename(one)
        spare.rename(other)


def copy(hand: Hand) -> None:
    target = hand.files / hand.random.choice(PATHS)
    if not target.exists() and not target.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(hand.pick(), target)


def touch(hand: Hand) -> None:
    os.utime(hand.pick())


def empty(hand: Hand) -> None:
    hand.save(hand.pick(), hand.random.choice((b"", b"\n\n", b"\xef\xbb\xbf")))


def move_a_line(hand: Hand) -> None:
    one, other = hand.pick(), hand.pick()
    lines = one.read_bytes().splitlines(keepends=True)
    if not lines or one == other:
        return
    line = lines.pop(hand.random.randrange(len(lines)))
    hand.save(one, b"".join(lines))
    hand.save(other, other.read_bytes() + b"\n" + line)


def change_line_ends(hand: Hand) -> None:
    path = hand.pick()
    lines = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    hand.save(path, lines.replace(b"\n", hand.random.choice((b"\n", b"\r\n", b"\r"))))


def add_or_take_a_mark(hand: Hand) -> None:
    path = hand.pick()
    data = path.read_bytes()
    mark = b"\xef\xbb\xbf"
    hand.save(path, data.removeprefix(mark) if data.startswith(mark) else mark + data)


def write_another_script(hand: Hand) -> None:
    path = hand.pick()
    hand.save(path, path.read_bytes() + f"\n- {' '.join(hand.random.sample(SCRIPTS, 3))}\n".encode())


def write_no_text(hand: Hand) -> None:
    path = hand.pick()
    hand.save(
        path, path.read_bytes() + hand.random.choice((b"\n- \xff\xfe bytes\n", b"\n- half \xe8\x8c", b"\x00\n- x\n"))
    )


def paste_a_lot(hand: Hand) -> None:
    path = hand.pick()
    text = " ".join(hand.words() for _ in range(hand.random.choice((40, 150))))
    fenced = f"```\n{text}\n```" if hand.random.random() < 0.3 else text
    hand.save(path, path.read_bytes() + f"\n\n{fenced}\n\n|a|b|\n|-|-|\n|tea|{hand.words()}|\n".encode())


def put_something_odd(hand: Hand) -> None:
    """A link, a folder or a pipe where a document was or might be; what was odd becomes a document again."""
    odd = [path for path in hand.files.rglob("*.md") if path.is_symlink() or path.is_fifo() or path.is_dir()]
    for path in odd:
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    if odd:
        hand.save(odd[0], f"- {hand.words()}\n".encode())
        return
    path = hand.pick()
    path.unlink()
    match hand.random.randrange(3):
        case 0:
            path.symlink_to(hand.random.choice(("MEMORY.md", "nowhere.md", str(hand.files))))
        case 1:
            path.mkdir()
        case _:
            os.mkfifo(path)


def leave_a_secret(hand: Hand) -> None:
    path = hand.pick()
    hand.save(path, b"- key AKIAIOSFODNN7EXAMPLE\n" + path.read_bytes())


HANDS: dict[str, Callable[[Hand], None]] = {
    one.__name__: one
    for one in (
        *(
            create,
            create,
            append,
            append,
            edit_in_the_middle,
            edit_in_the_middle,
            edit_with_the_same_size,
            close_a_line,
            delete,
            rename,
        ),
        *(swap, copy, touch, empty, move_a_line, change_line_ends, add_or_take_a_mark, write_another_script),
        *(write_no_text, paste_a_lot, put_something_odd, leave_a_secret),
    )
}


class Stroll(Walk):
    """A walk through documents that hands have changed, odd ones left aside."""

    def documents(self) -> dict[str, bytes]:
        space = self.world.mind.bench.workspace
        return {
            one.path: space.read(one.path).data for one in space.list() if one.kind == "file" and holds_memory(one.path)
        }


class Series:
    """One life: edits, and an index that looks at them now and then."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"R10 {seed}")
        time = FrozenTime()
        self.world = HeavyWorld(time.clock())
        coarse = self.random.random() < 0.4
        self.finder = Finder(self.world.mind, Path(self.world.top), CoarseClock if coarse else lambda one: one)
        self.walk = Stroll(self.world, self.random, time)
        self.hand = Hand(self.finder.files, self.random, coarse=coarse)
        self.embedder = Meddler()
        self.done: list[str] = []
        write_documents(self.finder.files, self.random)
        self.index = self._open()

    def live(self) -> None:
        for _ in range(self.random.randrange(*STEPS)):
            self._step()
            match self.random.randrange(6):
                case 0 | 1:
                    self.index.view()
                case 2:
                    self.index.embed()
                case 3:
                    self.finder.search(self.index, QUERIES[:2])
                case 4 if self.random.random() < 0.4:
                    self.index.close()
                    self.index = self._open()
        self._compare()

    def _step(self) -> None:
        if self.random.random() < 0.35:
            name = self.random.choice(list(OPERATIONS))
            self.done.append(name)
            mind = self.world.mind
            # the register of who stands where is another row's; hands have changed it here
            with suppress(AssertionError, StopIteration, ValueError, OSError, EverselfError):
                OPERATIONS[name](self.walk)
            if self.world.mind is not mind:
                self.index.close()
                self.finder.mind = self.world.mind
                self.index = self._open()
            return
        name = self.random.choice(list(HANDS))
        self.done.append(name)
        if self.hand.documents():
            HANDS[name](self.hand)
        else:
            create(self.hand)

    def _open(self) -> Index:
        self.done.append("open")
        return self.finder.index(self.embedder)

    def _compare(self) -> None:
        index, queries = self.index, (*QUERIES, self.hand.words(4))
        mine = index.ask(everything)
        with self.finder.fresh() as fresh:
            wrong = mine.differs(everything(fresh.view()), vectors=False)
        assert not wrong, wrong
        report = index.embed()
        assert not report.failure, report.failure
        with self.finder.fresh(Meddler()) as fresh:
            wrong = index.ask(everything).differs(everything(fresh.view()))
            assert not wrong, wrong
            wrong = differing(self.finder.search(index, queries), self.finder.search(fresh, queries), queries)
            assert not wrong, wrong

    def close(self) -> None:
        self.finder.close()
        self.world.close()


@contextmanager
def small_parts() -> Iterator[None]:
    """Blocks, commits and batches so small that a handful of documents needs many, and an index is soon mostly dead."""
    with ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith(("everself.search", "tests.trust.finding")) and hasattr(module, "BLOCK"):
                stack.enter_context(patch.object(module, "BLOCK", 16))
        stack.enter_context(patch.object(index_module, "_MANY_DEAD", 30))
        stack.enter_context(patch.object(syncing, "_CHUNKS_A_COMMIT", 10))
        stack.enter_context(patch.object(embedding, "BATCH", 7))
        yield


def live(number: int) -> int:
    """One series; how many edits there were."""
    with small_parts() if number % SMALL == 0 else nullcontext():
        series = Series(number)
        try:
            series.live()
        except AssertionError as error:
            raise AssertionError(f"R10 seed {number}, after {' '.join(series.done)}: {error}") from error
        finally:
            series.close()
    return len(series.done)


def run_r10(count: int, seed: int) -> str:
    edits = sum(map(live, range(seed * 1_000_000, seed * 1_000_000 + count)))
    return f"R10 {count} series, {edits} edits, 0 differences to an index made at once, seed {seed}"
