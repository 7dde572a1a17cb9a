"""R6 below an entry: a person writes lines under entries, before and at any moment of whatever is done to these, forgetting and undo
included. No byte of theirs is lost, in the file or in the history, and no entry of the owner's becomes another's because of them."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.memory.minds import Mind, open_mind
from tests.operations.changes import Changes
from tests.trust.operations import contents, random_id
from tests.trust.rows.r06 import Person, save_by_rename, save_in_place

from everself.errors import EverselfError
from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
from everself.memory.forgetting.proof import Target
from everself.memory.promotion.moves import Pick, apply_moves
from everself.memory.writing import NewEntry
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.testing.faulty_disk import MeddledFileSystem
from everself.testing.origins import origin_of
from everself.values import Author

KNOWN = (
    "The ferry leaves at ten past eight.",
    "The office closes at six in the evening.",
    "Hana lives in Busan with two cats.",
    "Prefers green tea to any coffee.",
)
NEW = "The lighthouse was painted in nineteen ninety."
# how people write below something: at once, after a blank line, as a list, indented, under a heading of their own
FORMS = (
    "{}\n",
    "\n{}\n",
    "- {}\n",
    "  {}\n",
    "  - {}\n",
    "\n### {}\n\n{}\n",
    "> {}\n",
    "```\n{}\n```\n",
    "<!-- {} -->\n",
)


def forgetting_of(mind: Mind) -> Forgetting:
    return Forgetting(
        mind.catalog, ForgettingResources(mind.bench.workspace, mind.bench.state, mind.bench.storage), mind.bench.clock
    )


def _forget(mind: Mind, words: str, _: str) -> None:
    forgetting = forgetting_of(mind)
    entry = next(one.id for one in mind.catalog.all() if one.text == words)
    proof = forgetting.carry_out(forgetting.plan(Target(ids=(entry,))))
    assert proof.gone, proof.render()


def _forget_words(mind: Mind, words: str, _: str) -> None:
    forgetting = forgetting_of(mind)
    assert forgetting.carry_out(forgetting.plan(Target(words=words))).gone


def _undo(mind: Mind, _: str, change: str) -> None:
    Changes(mind.bench.workspace).undo(change)


def _correct(mind: Mind, words: str, _: str) -> None:
    mind.memory.correct(words, NEW, origin_of("owner"))


def _edit(mind: Mind, words: str, _: str) -> None:
    entry = next(one for one in mind.catalog.all() if one.text == words)
    mind.memory.edit(entry.id, NEW, origin_of("owner"), seen=entry.text)


def _mention(mind: Mind, words: str, _: str) -> None:
    mind.memory.remember(NewEntry(words, origin_of("owner")))


def _remember(mind: Mind, _: str, __: str) -> None:
    mind.memory.remember(NewEntry(NEW, origin_of("owner")))


def _promote(mind: Mind, words: str, _: str) -> None:
    entry = next(one for one in mind.catalog.all() if one.text == words)
    apply_moves(mind.memory, [Pick(entry.id, "memory/topics.md", named=True)], Author.OWNER)


ACTS: tuple[Callable[[Mind, str, str], None], ...] = (
    *(_forget, _forget, _forget_words, _undo, _undo, _correct, _edit, _mention, _remember, _promote),
)


def below(data: bytes, mark: str, random: Random) -> bytes:
    """The document with a line of the person's right below some comment of Everself's."""
    lines = data.splitlines(keepends=True)
    ends = [at for at, line in enumerate(lines, 1) if line.rstrip().endswith(b"-->") and b"everself:" in line]
    ends += [at for at, line in enumerate(lines, 1) if b"(entry:" in line]
    if not ends:
        return data
    lines.insert(random.choice(ends), random.choice(FORMS).replace("{}", mark).encode())
    return b"".join(lines)


class Below(Person):
    """Writes under an entry before the n-th call that Everself makes."""

    def edit(self) -> None:
        target = self.folder / (self.choose() or "")
        if not target.is_file():
            return
        mark, old = f"my own words {random_id(self.random)}", target.read_bytes()
        new = below(old, mark, self.random)
        if new != old:
            self.random.choice((save_in_place, save_by_rename))(target, new)
            self.marks.append(mark.encode())


def live(top: Path, seed: int, *, exchanges: bool) -> tuple[str, int]:
    """One act on entries that a person wrote below, and writes below once more meanwhile. What was done, and how many lines they wrote."""
    random = Random(seed)
    folder = top / "workspace"
    changes = {}
    with open_mind(str(top)) as mind:
        for number, text in enumerate(KNOWN):
            changes[text] = mind.memory.remember(NewEntry(text, origin_of("owner"), explicit=number == 3)).change
    documents = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    person = Below(folder, random, random.randrange(1, 400), lambda: random.choice(documents))
    for _ in range(random.randrange(3)):
        person.edit()
    with open_mind(str(top)) as mind:
        # the history gets to know what the person wrote
        mind.memory.remember(NewEntry("Something else altogether happened.", origin_of("owner"), explicit=True))
        owned = {one.text for one in mind.catalog.all() if one.vouched}
        assert owned >= set(KNOWN), f"no longer the owner's: {set(KNOWN) - owned}"
    known = list(person.marks)
    past = history(top)
    stood = {mark: past.count(mark) for mark in known}
    words = random.choice(KNOWN)
    act = random.choice(ACTS)

    def wrap(files: object) -> MeddledFileSystem:
        return MeddledFileSystem(files, person, exchanges=exchanges)  # type: ignore[arg-type]

    done = "done"
    with open_mind(str(top), wrap=wrap) as mind:
        person.armed = True
        try:
            act(mind, words, changes[words])
        except EverselfError as error:
            assert str(error)  # noqa: PT017 — raising is allowed here, being silent is not
            done = "refused"
        person.armed = False
    check(top, act.__name__, person.marks, stood)
    with open_mind(str(top)) as mind:
        found = {one.text: one for one in mind.catalog.all()}
        for text in KNOWN:
            if text != words:
                assert text in found, f"{act.__name__}: {text} is gone"
                assert found[text].vouched, f"{act.__name__}: {text} is no longer the owner's"
        assert all(not one.vouched for one in found.values() if "my own words" in one.text)
    return done, len(person.marks)


def check(top: Path, act: str, marks: list[bytes], stood: dict[bytes, int]) -> None:
    with open_mind(str(top)) as mind:
        mind.bench.workspace.recover()
        text = b"\n".join(contents(mind.bench.workspace).values())
        for mark in marks:
            assert mark in text, f"{act}: the person's line is gone from the file"
    past = history(top)
    for mark, count in stood.items():
        assert count, f"{act}: the history never had the person's line"
        assert mark in past, f"{act}: the person's line is gone from the history"
    left = list((top / "workspace").rglob(f"{TEMPORARY_PREFIX}*"))
    assert left == [], f"{act} left {left}"


def history(top: Path) -> bytes:
    git = ["git", "--git-dir", str(top / "state" / "history.git"), "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.run(git, capture_output=True, check=True).stdout


def run_r6_below(count: int, seed: int) -> str:
    done = written = 0
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        top = Path(tempfile.mkdtemp())
        try:
            how, lines = live(top, number, exchanges=bool(number % 3))
        except AssertionError as error:
            raise AssertionError(f"R6 (below) seed {number}: {error}") from error
        finally:
            shutil.rmtree(top)
        done, written = done + (how == "done"), written + lines
    return (
        f"R6 (below) {count} interleavings, {written} written by the person, {done} acts done, {count - done} refused, "
        f"0 human bytes lost in file and history, seed {seed}"
    )
