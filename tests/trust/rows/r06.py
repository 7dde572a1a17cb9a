"""R6: a person saves a document at any moment of a job that took its time, between the swaps of a replacement too. No byte of theirs is
lost."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.trust.operations import OPERATIONS, contents, random_id, seeded

from everself.errors import EverselfError
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.testing.faulty_disk import MeddledFileSystem
from everself.testing.workspaces import real_workspace
from everself.values import Applied, Conflict, Outcome
from everself.workspace.assembly import WorkspaceOptions


def save_in_place(path: Path, text: bytes) -> None:
    path.write_bytes(text)


def save_by_rename(path: Path, text: bytes) -> None:
    beside = path.with_name(f"{path.name}~new")
    beside.write_bytes(text)
    os.replace(beside, path)


def save_by_appending(path: Path, text: bytes) -> None:
    """What a shell does with `>>`: below whatever stands there at that moment."""
    with open(path, "ab") as file:
        file.write(text)


SWAPS = frozenset({"exchange", "publish", "rename"})
INTENTS = (".intent", ".done", ".abort")


class Person:
    """Edits one document before the n-th call that Everself makes, as an editor would: all of it, from what it holds now.

    And before so many calls that give a document another file, one after the other: between the two swaps of a replacement as well.
    """

    def __init__(
        self, folder: Path, random: Random, n: int, choose: Callable[[], str | None], *, swaps: int = 0
    ) -> None:
        self.folder = folder
        self.random = random
        self.n = n
        self.choose = choose
        self.swaps = swaps
        self.calls = 0
        self.armed = False
        self.marks: list[bytes] = []

    def __call__(self, call: str, path: str) -> None:
        if not self.armed:
            return
        self.calls += 1
        if self.calls == self.n:
            self.edit()
        if call in SWAPS and self.swaps and (self.folder / path).parent.is_dir() and not path.endswith(INTENTS):
            self.swaps -= 1
            self.edit(path if (self.folder / path).suffix == ".md" else None)

    def edit(self, name: str | None = None) -> None:
        name = name or self.choose()
        target = self.folder / name if name else None
        if target is None or not target.exists():
            return
        mark = f"my own words {random_id(self.random)}\n".encode()
        if self.random.random() < 0.3:
            save_by_appending(target, mark)
        else:
            lines = target.read_bytes().splitlines(keepends=True)
            lines.insert(self.random.randrange(len(lines) + 1), mark)
            self.random.choice((save_in_place, save_by_rename))(target, b"".join(lines))
        self.marks.append(mark.strip())


def live(top: Path, seed: int, *, exchanges: bool) -> tuple[Outcome | None, int]:
    """One job with one edit of a person somewhere inside it. What came of the job, and at which call the edit was made."""
    random = Random(seed)
    touched: list[str] = []
    person = Person(
        top / "workspace",
        random,
        random.randrange(1, 60),
        lambda: random.choice(touched) if touched else None,
        swaps=random.choice((0, 2, 3, 5)),
    )

    def wrap(files: object) -> MeddledFileSystem:
        return MeddledFileSystem(files, person, exchanges=exchanges)  # type: ignore[arg-type]

    name = random.choice(list(OPERATIONS))
    outcome: Outcome | None = None
    with real_workspace(str(top), WorkspaceOptions(background=False), wrap=wrap) as bench:
        change = OPERATIONS[name](bench.workspace, random)
        if change is None:
            return None, 0
        touched += [edit.path for edit in change.edits]
        if random.random() < 0.3:
            # during the slow step, before anything is written
            person.edit()
        person.armed = True
        try:
            outcome = bench.workspace.apply(change)
        except EverselfError as error:
            assert str(error)  # noqa: PT017 — raising is allowed here, being silent is not
        person.armed = False
    with real_workspace(str(top), WorkspaceOptions(background=False)) as bench:
        bench.workspace.recover()
        text = b"\n".join(contents(bench.workspace).values())
        for mark in person.marks:
            assert mark in text, f"{name}: the person's line is gone after {outcome}"
        if isinstance(outcome, Conflict):
            assert person.marks, f"{name} conflicts with nobody"
        left = list((top / "workspace").rglob(f"{TEMPORARY_PREFIX}*"))
        assert left == [], f"{name} left {left}"
        assert bench.state.verify_ledger().ok
    return outcome, person.calls


def run_r6(count: int, seed: int) -> str:
    merged = conflicts = 0
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first"
        first.mkdir()
        with real_workspace(str(first), WorkspaceOptions(background=False)) as bench:
            seeded(bench.workspace, Random(0))
        for number in range(seed * 1_000_000, seed * 1_000_000 + count):
            top = Path(folder) / "life"
            shutil.copytree(first, top)
            try:
                outcome, _ = live(top, number, exchanges=bool(number % 3))
            except AssertionError as error:
                raise AssertionError(f"R6 seed {number}: {error}") from error
            merged += isinstance(outcome, Applied)
            conflicts += isinstance(outcome, Conflict)
            shutil.rmtree(top)
    return f"R6 {count} interleavings, {merged} applied, {conflicts} conflicts, 0 human bytes lost, seed {seed}"
