"""R9: whatever happens to index.db, closed or while it is searched, a search answers as a fresh index does, and the index ends as one.

Damage is done to a copy of a whole index, the same for every case; a fresh index of the same files is the judge.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

from tests.memory.minds import open_mind
from tests.trust.damages import CLOSED, OPEN, Case, other_database
from tests.trust.finding import Finder, Meddler, differing, everything
from tests.trust.worlds import find_memory

from everself.memory.writing import NewEntry
from everself.search.index import Index
from everself.testing.origins import origin_of
from everself.values import Hit

WORDS = ("tea", "coffee", "harbour", "rust", "tundra", "window", "Monday", "keeps", "likes", "the", "of", "and")
WORDS += ("茶", "봄비", "v1.2.3", "a_b")
NAMES = ("Anna", "Hana", "Bob")
QUERIES = ("tea", "Anna likes coffee", "harbour Monday", "茶", "what does Hana keep", "tundra window rust", "nothing77")
# a new world after so many damages
LIFE = 40
# long before any sync: nothing is read again because it may have been saved twice
OLD = 1_760_000_000


def write_documents(folder: Path, random: Random) -> None:
    (folder / "memory" / "topics").mkdir(parents=True, exist_ok=True)
    (folder / "bank").mkdir(exist_ok=True)

    def words(count: int) -> str:
        return " ".join(random.choices(WORDS, k=count))

    for number in range(10):
        day = f"2026-02-{number + 10}"
        turns = "".join(f"**{random.choice(NAMES)}:** {words(7)} mark{number}x{at}\n" for at in range(4))
        (folder / f"memory/{day}.md").write_text(f"# {day}\n\n## [09:30:00] {words(2)}\n\n{turns}\n- {words(9)}\n")
    items = "".join(f"- {random.choice(NAMES)} {words(6)}.\n" for _ in range(15))
    (folder / "MEMORY.md").write_text(f"# Memory\n\n## People\n\n{items}")
    (folder / "memory/topics/long.md").write_text(f"# Long\n\n{words(1200)}\n\n```sh\n{words(80)}\n```\n")
    (folder / "bank/world.md").write_text(f"# World\n\n|a|b|\n|-|-|\n|{words(3)}|{words(3)}|\n")
    for path in folder.rglob("*.md"):
        os.utime(path, (OLD, OLD))


def whole_index(finder: Finder, name: str, identity: str = "an agent") -> bytes:
    index = finder.index(Meddler(), name=name, identity=identity)
    index.view()
    assert not index.embed().failure
    index.close()
    path = finder.state / name
    data = path.read_bytes()
    path.unlink()
    return data


@contextmanager
def make_case(seed: int) -> Iterator[Case]:
    random = Random(f"R9 {seed}")
    with tempfile.TemporaryDirectory(dir=find_memory()) as top, open_mind(top) as mind:
        finder = Finder(mind, Path(top))
        try:
            write_documents(finder.files, random)
            for text in ("Anna keeps her tea in the harbour.", "Hana likes rust and rain."):
                mind.memory.remember(NewEntry(text, origin_of("owner"), explicit=True))
            foreign = whole_index(finder, "foreign.db", "somebody else")
            older = whole_index(finder, "older.db")
            # the older one knows other documents and has other words under the same numbers
            for name in ("memory/2026-02-12.md", "memory/2026-02-15.md", "MEMORY.md"):
                path = finder.files / name
                path.write_text(path.read_text().replace("tea", "gin").replace("harbour", "airport"))
            (finder.files / "memory/2026-02-19.md").unlink()
            with finder.fresh() as index:
                said, plain = everything(index.view()), finder.search(index, QUERIES)
            with finder.fresh(Meddler()) as index:
                said, meant = everything(index.view()), finder.search(index, QUERIES)
            assert any(plain)
            assert plain != meant
            whole = whole_index(finder, "whole.db")
            stranger = other_database(finder.state / "stranger.db", "DELETE").read_bytes()
            yield Case(finder, random, whole, older, foreign, stranger, said, plain, meant)
        finally:
            finder.close()


# the moment of the damage: nobody has it open; open and searched before; in the middle of a search, before or after the ranking
MOMENTS = ("closed", "closed", "closed", "open", "before", "after")


def cases(count: int, random: Random) -> list[tuple[str, str]]:
    """Every damage in turn, each at a moment of chance: (damage, moment)."""
    names = list(CLOSED)
    chosen = []
    for number in range(count):
        if number % len(names) == 0:
            random.shuffle(names)
        name = names[number % len(names)]
        moment = random.choice(MOMENTS) if name in OPEN else "closed"
        chosen.append((name, "relapse" if name == "put_an_older_one" and moment == "open" else moment))
    return chosen


def suffer(case: Case, name: str, moment: str) -> None:
    """One damage, and what is searched and found afterwards."""
    embedder = Meddler() if case.random.random() < 0.6 else None
    finder = case.finder
    _put_back(case)
    index = finder.index(embedder)
    try:
        if moment != "closed":
            finder.search(index, QUERIES[:2])
        damage = CLOSED[name]
        if moment in ("closed", "open"):
            damage(case)
            found = finder.search(index, QUERIES)
        else:
            found = _search_meanwhile(case, index, embedder, lambda: damage(case), moment)
        _judge(case, index, found, embedder)
        with ExitStack() as stack:
            while case.undo:
                stack.callback(case.undo.pop())
        again = finder.index(embedder)
        _judge(case, again, finder.search(again, QUERIES), embedder)
        assert name in ("put_a_folder",) or not again.status().in_memory, "the index stays in memory"
    finally:
        while case.undo:
            case.undo.pop()()
        _close(finder)


def _search_meanwhile(
    case: Case, index: Index, embedder: Meddler | None, act: Callable[[], None], moment: str
) -> list[tuple[Hit, ...]]:
    """Search with the damage done in the middle of the first query that gets there."""
    finder = case.finder

    def happens() -> None:
        finder.happens = None
        if embedder is not None:
            embedder.happens = None
        act()

    if moment == "before" and embedder is not None:
        embedder.happens = happens
    else:
        finder.happens = happens
    found = finder.search(index, QUERIES)
    assert finder.happens is None, "nothing happened meanwhile"
    return found


def _judge(case: Case, index: Index, found: list[tuple[Hit, ...]], embedder: Meddler | None) -> None:
    """What was found is there; by words alone it is what a fresh index finds, and with vectors once lost ones are made again."""
    for hits in found:
        for hit in hits:
            text = (case.finder.files / hit.path).read_text()
            lines = text.splitlines()[hit.first_line - 1 : hit.last_line]
            assert hit.text.split()[0] in "\n".join(lines), f"{hit.reference} does not say {hit.text!r}"
    if embedder is None:
        wrong = differing(found, case.plain, QUERIES)
        assert not wrong, wrong
    wrong = index.ask(everything).differs(case.said, vectors=False)
    assert not wrong, wrong
    if embedder is not None:
        report = index.embed()
        assert not report.failure, report.failure
        assert not report.pending, report
        wrong = index.ask(everything).differs(case.said)
        assert not wrong, wrong
        wrong = differing(case.finder.search(index, QUERIES), case.meant, QUERIES)
        assert not wrong, wrong


def relapse(case: Case) -> None:
    """A copy of the index is put back under a process that has it open, and what is written then has the numbers of something else."""
    finder, queries = case.finder, ("cocoa", "cider", "coffee tea", *QUERIES)
    _put_back(case)
    index = finder.index(Meddler())
    finder.search(index, queries)
    whole = case.database.read_bytes()
    path = finder.files / f"memory/2026-02-{case.random.randrange(10, 19)}.md"
    before = path.read_text()
    try:
        path.write_text(before.replace("coffee", "cocoa").replace("rust", "dust"))
        finder.search(index, queries)
        index.embed()
        finder.search(index, queries)
        case.database.write_bytes(whole)
        path.write_text(before.replace("coffee", "cider").replace("rust", "snow"))
        early = finder.search(index, queries)
        index.embed()
        with finder.fresh() as fresh:
            words = finder.search(fresh, queries[:2])
        assert [bool(hits) for hits in early[:2]] == [bool(hits) for hits in words], "words of a copy were served"
        with finder.fresh(Meddler()) as fresh:
            wrong = index.ask(everything).differs(everything(fresh.view()))
            wrong = wrong or differing(finder.search(index, queries), finder.search(fresh, queries), queries)
        assert not wrong, wrong
    finally:
        path.write_text(before)
        os.utime(path, (OLD, OLD))
        _close(finder)


def _close(finder: Finder) -> None:
    finder.happens = None
    for one in finder.opened:
        one.close()
    finder.opened.clear()


def _put_back(case: Case) -> None:
    for path in case.finder.state.glob("index.db*"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    case.database.write_bytes(case.whole)
    case.database.chmod(0o600)


def run_r9(count: int, seed: int) -> str:
    kinds: set[str] = set()
    moments: dict[str, int] = {}
    for first in range(0, count, LIFE):
        number = seed * 1_000_000 + first
        with make_case(number) as case:
            for name, moment in cases(min(LIFE, count - first), case.random):
                kinds.add(name)
                moments[moment] = moments.get(moment, 0) + 1
                try:
                    relapse(case) if moment == "relapse" else suffer(case, name, moment)
                except AssertionError as error:
                    raise AssertionError(f"R9 seed {number}, {name} ({moment}): {error}") from error
    running = count - moments.get("closed", 0)
    told = f"{count} damages of {len(kinds)} kinds, {running} of them under an open index or a search"
    return f"R9 {told}, 0 errors, 0 wrong rows, 0 unlike a fresh index, seed {seed}"
