"""R6 over memory: a person saves a document at any moment of remembering, correcting, editing, releasing. No byte of theirs is lost."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.memory.minds import Mind, open_mind
from tests.trust.operations import contents, random_id
from tests.trust.rows.r06 import Person, save_by_rename, save_in_place

from everself.errors import EverselfError
from everself.memory.memory_bank import Bank
from everself.memory.quarantine import quarantine, release
from everself.memory.writing import NewEntry
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.testing.faulty_disk import MeddledFileSystem
from everself.testing.origins import origin_of

KNOWN = ("Hana lives in Busan.", "The office closes at six.", "Prefers green tea.")
ASIDE = "The wallet is seventeen words long."
NEW = "The ferry leaves at ten past eight."


def _find(mind: Mind, words: str) -> str:
    """The entry with these words, the person's own beside them or not."""
    return next(entry.id for entry in mind.catalog.all() if words in entry.text)


def _remember(mind: Mind) -> str:
    return mind.memory.remember(NewEntry(NEW, origin_of("owner"))).entry


def _remember_explicitly(mind: Mind) -> str:
    return mind.memory.remember(NewEntry(NEW, origin_of("owner"), explicit=True)).entry


def _correct(mind: Mind) -> str:
    return mind.memory.correct(KNOWN[0], NEW, origin_of("owner")).entry


def _edit(mind: Mind) -> str:
    entry = mind.catalog.get(_find(mind, KNOWN[1]))
    return mind.memory.edit(entry.id, f"{entry.text}\n\n{NEW}", origin_of("owner"), seen=entry.text).entry


def _mention(mind: Mind) -> str:
    mind.memory.remember(NewEntry(KNOWN[2], origin_of("owner")))
    return ""


def _release(mind: Mind) -> str:
    return release(mind.memory, _find(mind, ASIDE)).entry


def _write_to_bank(mind: Mind) -> str:
    return Bank(mind.memory).write("world", NEW, origin_of("owner")).entry


ACTS: tuple[Callable[[Mind], str], ...] = (
    *(_remember, _remember_explicitly, _correct, _edit, _mention, _release, _write_to_bank),
)


def seed_mind(top: Path) -> None:
    with open_mind(str(top)) as mind:
        for number, text in enumerate(KNOWN):
            mind.memory.remember(NewEntry(text, origin_of("owner"), explicit=number < 2))
        quarantine(mind.memory, NewEntry(ASIDE, origin_of("web")), "looks like a wallet")
        Bank(mind.memory).write("world", "Busan is by the sea.", origin_of("owner"))


class Neighbour(Person):
    """Writes mostly right where memory writes: under the words of an entry that it knows."""

    def edit(self, name: str | None = None) -> None:
        name = name or self.choose()
        target = self.folder / (name or "")
        lines = target.read_bytes().splitlines(keepends=True) if target.is_file() else []
        near = [at for at, line in enumerate(lines, 1) if any(words.encode() in line for words in (*KNOWN, ASIDE))]
        if not near or self.random.random() < 0.3:
            super().edit(name)
            return
        mark = f"my own words {random_id(self.random)}\n".encode()
        lines.insert(self.random.choice(near), mark)
        self.random.choice((save_in_place, save_by_rename))(target, b"".join(lines))
        self.marks.append(mark.strip())


def live(top: Path, seed: int, *, exchanges: bool) -> tuple[bool, int]:
    """One act with one edit of a person somewhere inside it. Whether the act was acknowledged, and how often the person saved."""
    random = Random(seed)
    documents = sorted(path for path in (top / "workspace").rglob("*.md"))
    person = Neighbour(
        top / "workspace",
        random,
        random.randrange(1, 70),
        lambda: random.choice(documents).relative_to(top / "workspace").as_posix(),
        swaps=random.choice((0, 0, 2, 3)),
    )

    def wrap(files: object) -> MeddledFileSystem:
        return MeddledFileSystem(files, person, exchanges=exchanges)  # type: ignore[arg-type]

    act = random.choice(ACTS)
    done = None
    with open_mind(str(top), wrap=wrap) as mind:
        if random.random() < 0.3:
            mind.catalog.refresh()
            # after the catalog was read, before anything is written
            person.edit()
        person.armed = True
        try:
            done = act(mind)
        except EverselfError as error:
            assert str(error)  # noqa: PT017 — raising is allowed here, being silent is not
        person.armed = False
    with open_mind(str(top)) as mind:
        mind.bench.workspace.recover()
        text = b"\n".join(contents(mind.bench.workspace).values())
        for mark in person.marks:
            assert mark in text, f"{act.__name__}: the person's line is gone"
        for words in (*KNOWN[:1], *KNOWN[2:], ASIDE):
            assert text.count(words.encode()) >= 1, f"{act.__name__}: {words} is gone"
        if done and act is not _release:
            # the person's line may stand between an entry and its comment, so the words count, not the id
            assert NEW.encode() in text, f"{act.__name__} was acknowledged and is not there"
        left = list((top / "workspace").rglob(f"{TEMPORARY_PREFIX}*"))
        assert left == [], f"{act.__name__} left {left}"
    return done is not None, len(person.marks)


def run_r6_memory(count: int, seed: int) -> str:
    done = saved = 0
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first"
        first.mkdir()
        seed_mind(first)
        for number in range(seed * 1_000_000, seed * 1_000_000 + count):
            top = Path(folder) / "life"
            shutil.copytree(first, top)
            try:
                acknowledged, edits = live(top, number, exchanges=bool(number % 3))
                done, saved = done + acknowledged, saved + edits
            except AssertionError as error:
                raise AssertionError(f"R6 (memory) seed {number}: {error}") from error
            shutil.rmtree(top)
    return (
        f"R6 (memory) {count} interleavings, {saved} saved by the person, {done} acts done, {count - done} refused, "
        f"0 human bytes lost, seed {seed}"
    )
