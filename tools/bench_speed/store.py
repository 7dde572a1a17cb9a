"""A generated store: dated files in a workspace of its own, and an index filled from exactly those files.

Files are chunked and their terms counted by the product; only the vectors are generated. Stamps and hashes are real, so
that search finds every file unchanged. An existing store is reused.
"""

import json
import math
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy
from tools.bench_speed.directions import Directions, Floats, Stub
from tools.bench_speed.language import LONGEST, SHORTEST, Language, Ranks

from everself.agent import open_runtime
from everself.runtime import Runtime
from everself.search.index import Index, IndexOptions
from everself.search.index_file.file import IndexPlace
from everself.search.sync.documents import Prepared, Sources, default_chunking, now_ns
from everself.storage.host_files import ensure_folder
from everself.storage.real_disk import RealFileSystem

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Embedder

FIRST_DAY = date(2010, 1, 1)
QUESTIONS = 400
# written last, so that it marks a complete store
NOTE = "filled.json"
_UNITS_A_SECTION = 20
_SEED = 7


@dataclass(frozen=True, slots=True)
class Filled:
    """Seconds to write the files, to fill the index including vectors, and to read the files into the entry catalog."""

    units: int
    files: int
    writing: float
    filling: float
    reading: float
    # the product's chunking versions; with others it would build the index again
    versions: str = ""


def files_for(units: int) -> int:
    """The number of files: a million entries are in 3,000 files of 333, a thousand in 50 of 20."""
    return max(1, min(units // 20, round(3 * math.sqrt(units))))


class Store:
    """A workspace of `units` entries beneath a folder; by default in the number of files that is usual for such a memory."""

    def __init__(self, folder: Path, units: int, language: Language, files: int = 0) -> None:
        self.folder = folder
        self.units = units
        self.language = language
        self.files = files or files_for(units)

    def write_files(self) -> None:
        workspace = Path(open_runtime(environ=environ_of(self.folder)).agent.workspace)
        (workspace / "memory").mkdir(parents=True)
        for number, ranks in self.documents():
            path = workspace / name_of(number)
            path.write_text(self.render(number, ranks), "utf-8")
            # the timestamp of the file's day: a new file would be read again at every search
            then = (FIRST_DAY + timedelta(days=number)).toordinal() * 86_400 - date(1970, 1, 1).toordinal() * 86_400
            os.utime(path, (then, then))

    def documents(self) -> Iterator[tuple[int, list[Ranks]]]:
        """The number of each file, and the word ranks of each of its entries."""
        chance = numpy.random.default_rng(_SEED)
        for number in range(self.files):
            count = self.units * (number + 1) // self.files - self.units * number // self.files
            lengths = chance.integers(SHORTEST, LONGEST, count)
            drawn = self.language.draw(chance, (int(lengths.sum()),))
            yield number, numpy.split(drawn, numpy.cumsum(lengths)[:-1])

    def with_vectors(self) -> "Iterator[tuple[int, list[Ranks], Floats]]":
        """The same with a vector for each entry."""
        directions, chance = Directions(self.language), numpy.random.default_rng(_SEED + 1)
        for number, ranks in self.documents():
            yield number, ranks, directions.of(ranks, chance)

    def render(self, number: int, texts: list[Ranks]) -> str:
        """The text of a file: every third one is a conversation, the others are logs with a heading now and then."""
        chance = Random(_SEED * 1_000_003 + number)
        lines = [f"# {FIRST_DAY + timedelta(days=number)}", ""]
        speakers = chance.sample(self.language.names, 2)
        for at, ranks in enumerate(texts):
            said = self.language.sentence(ranks.tolist(), chance)
            if number % 3 == 0:
                lines += [f"**{speakers[at % 2]}:** {said}", ""]
                continue
            if at % _UNITS_A_SECTION == 0:
                title = " ".join(self.language.words[chance.randrange(200, 20_000)] for _ in range(2))
                lines += ["", f"## {title}", ""]
            lines.append(f"- {said}")
        return "\n".join(lines) + "\n"

    def prepared(self, sources: Sources) -> Iterator[Prepared]:
        """The existing files, prepared for an index."""
        stats, _ = sources.list()
        for number, ranks, vectors in self.with_vectors():
            path = name_of(number)
            document = sources.read(path)
            if document is None:
                raise AssertionError(f"{path} is gone")
            prepared = sources.prepare(document, stats[path], now_ns())
            if len(prepared.chunks) != len(ranks):
                raise AssertionError(f"{path}: {len(prepared.chunks)} chunks of {len(ranks)} entries")
            yield replace(prepared, vectors=vectors)

    def write_questions(self, count: int = QUESTIONS, seed: int = 3) -> None:
        """Store questions about existing entries with their vectors, for processes that do not generate the language."""
        chance, noise = Random(seed), numpy.random.default_rng(seed)
        wanted = {chance.randrange(self.files) for _ in range(count)}
        known = [ranks for number, texts in self.documents() if number in wanted for ranks in texts]
        asked = [self.language.question(chance.choice(known).tolist(), chance) for _ in range(count)]
        vectors = Directions(self.language).of([numpy.array(one.ranks, numpy.int32) for one in asked], noise)
        (self.folder / "questions.json").write_text(json.dumps([one.text for one in asked]), "utf-8")
        numpy.save(self.folder / "questions.npy", vectors)


def environ_of(folder: Path) -> Mapping[str, str]:
    home = str(folder)
    return {"HOME": home, "EVERSELF_HOME": f"{home}/everself", "EVERSELF_KEYS": f"{home}/keys", "TZ": "UTC"}


def open_index(
    app: Runtime,
    embedder: "Embedder | None",
    made: type[Index] = Index,
    options: IndexOptions = IndexOptions(),  # noqa: B008 (frozen, so it may be shared)
) -> Index:
    """Open the index of an app as the app would, with the given embedder."""
    ensure_folder(app.agent.state)
    place = IndexPlace(RealFileSystem(app.agent.state), app.agent.state, "index.db")
    return made(app.workspace, place, app.clock, f"{app.agent.id} {app.agent.workspace}", embedder, options=options)


def units_in(folder: Path) -> int:
    """The number of units of a complete store in this folder."""
    return int(json.loads((folder / NOTE).read_text("utf-8"))["units"])


def load_questions(folder: Path) -> tuple[list[str], Stub]:
    """The stored questions, and an embedder with their vectors."""
    asked: list[str] = json.loads((folder / "questions.json").read_text("utf-8"))
    return asked, Stub(dict(zip(asked, numpy.load(folder / "questions.npy"), strict=True)))


def name_of(number: int) -> str:
    return f"memory/{(FIRST_DAY + timedelta(days=number)).isoformat()}.md"


def make_store(top: Path, units: int, language: Language) -> tuple[Store, Filled]:
    """The store of that size beneath a folder; created unless a complete one exists."""
    store = Store(top / str(units), units, language)
    note, chunking = store.folder / NOTE, default_chunking()
    if note.exists():
        known = Filled(**json.loads(note.read_text("utf-8")))
        if known.versions == chunking.versions:
            return store, known
        shutil.rmtree(store.folder)
    begin = time.perf_counter()
    store.write_files()
    written = time.perf_counter()
    with open_runtime(environ=environ_of(store.folder)) as app:
        index = open_index(app, Stub({}))
        index.fill(store.prepared(Sources(app.workspace, (), chunking)))
        index.close()
        filled = time.perf_counter()
        app.memory.catalog.refresh()
    store.write_questions()
    spent = (written - begin, filled - written, time.perf_counter() - filled)
    told = Filled(units, store.files, *spent, chunking.versions)
    note.write_text(json.dumps(asdict(told)), "utf-8")
    return store, told
