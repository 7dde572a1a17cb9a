"""S4: whatever is done to the documents that only humans change is noticed before the next prompt, and what Everself did never is.

A life of lawful changes, looked at now and then, and at its end one act of somebody who can write workspace and state, but neither has the
key nor reaches the folder that it lies in.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

import apsw
from tests.identity.homes import PERSONAS, Home, habits
from tests.trust.worlds import find_memory

from everself.testing.workspaces import real_workspace
from everself.values import Append, Author, Create, Remove, Replace, digest

GUARDED = ("SOUL.md", "IDENTITY.md", "SOUL_TESTS.md", "CONFIG.md", "agents/miner/SOUL.md", *PERSONAS)
NEW = ("BOOT.md", "agents/another/SOUL.md", "agents/miner/EXTRA.md", "agents/deep/er/SOUL.md")


class Life:
    """One agent. Every step of `HABITS` is lawful; each act of `TAMPERS` gives the path that must be told, '' for the state."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.top = Path(tempfile.mkdtemp(dir=find_memory()))
        self._stack = ExitStack()
        self.home = self._open()
        # every text that a guarded document had
        self.texts: dict[str, list[bytes]] = {}
        for path in GUARDED:
            self.texts[path] = [b"# %s\n\n- be kind\n" % path.encode()]
            self.home.apply(Create(path, self.texts[path][0]))
        self.home.open().begin()
        self.looks = 0

    def _open(self) -> Home:
        bench = self._stack.enter_context(real_workspace(str(self.top), habits()))
        return Home(self.top, bench)

    def close(self) -> None:
        self._stack.close()
        shutil.rmtree(self.top)

    def quietly(self, act: Callable[[], object]) -> None:
        """With everything closed, as between two runs."""
        self._stack.close()
        act()
        self.home = self._open()

    def look(self) -> None:
        found = self.home.open().look()
        assert found == (), f"rang for {[(one.path, one.kind, one.why) for one in found]}"
        self.looks += 1

    def file(self, path: str) -> Path:
        return self.top / "workspace" / path

    def pick(self) -> str:
        return self.random.choice([path for path in GUARDED if self.file(path).exists()])

    def save(self, path: str, data: bytes) -> None:
        self.file(path).parent.mkdir(parents=True, exist_ok=True)
        self.file(path).write_bytes(data)


def grow(life: Life) -> None:
    path = life.pick()
    line = b"- learned %d\n" % life.random.randrange(10**6)
    life.home.apply(Append(path, line), author=life.random.choice((Author.OWNER, Author.HAND)))
    life.texts[path].append(life.file(path).read_bytes())


def reword(life: Life) -> None:
    path = life.pick()
    data = life.file(path).read_bytes()
    life.home.apply(Replace(path, digest(data), 0, 1, b"# %d" % life.random.randrange(10**6)))
    life.texts[path].append(life.file(path).read_bytes())


def remove_and_bring_back(life: Life) -> None:
    path = life.pick()
    data = life.file(path).read_bytes()
    life.home.apply(Remove(path, digest(data)))
    if life.random.random() < 0.5:
        life.look()
    life.home.apply(Create(path, data))


def remember(life: Life) -> None:
    life.home.apply(Append("memory/2026-01-01.md", b"- x%d\n" % life.random.randrange(10**6)), author=Author.AGENT)


def accept_by_hand(life: Life) -> None:
    path = life.pick()
    life.save(path, life.file(path).read_bytes() + b"- by hand\n")
    life.home.open().accept(by=Author.OWNER)
    life.texts[path].append(life.file(path).read_bytes())


def undo_by_hand(life: Life) -> None:
    life.save(life.random.choice((life.pick(), "BOOT.md")), b"something else\n")
    life.home.open().restore(by=Author.OWNER)


def restart(life: Life) -> None:
    life.quietly(lambda: None)


HABITS: tuple[Callable[[Life], None], ...] = (
    *(grow, grow, reword, remember, remember),
    *(remove_and_bring_back, accept_by_hand, undo_by_hand, restart),
)


def same_size_and_time(life: Life) -> str:
    path = life.pick()
    file, before = life.file(path), life.file(path).stat()
    data = bytearray(file.read_bytes())
    data[life.random.randrange(len(data))] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    return path


def edit(life: Life) -> str:
    path = life.pick()
    data = life.file(path).read_bytes()
    life.save(path, life.random.choice((data + b"- obey\n", b"", data[:-1], b"\xff\xfe", data.replace(b"\n", b"\r\n"))))
    return path


def remove(life: Life) -> str:
    path = life.pick()
    life.file(path).unlink()
    return path


def add(life: Life) -> str:
    path = life.random.choice(NEW)
    life.save(path, b"- obey\n")
    return path


def link(life: Life) -> str:
    """The same words, but from where somebody else can change them at any time."""
    path = life.pick()
    life.file(path).rename(life.top / "elsewhere.md")
    life.file(path).symlink_to(life.top / "elsewhere.md")
    return path


def second_name(life: Life) -> str:
    path = life.pick()
    os.link(life.file(path), life.top / "elsewhere.md")
    return path


def link_folder(life: Life) -> str:
    def swap() -> None:
        (life.top / "workspace" / "agents").rename(life.top / "elsewhere")
        (life.top / "workspace" / "agents").symlink_to(life.top / "elsewhere")

    life.quietly(swap)
    return "agents/miner/SOUL.md"


def bring_back_old_words(life: Life) -> str:
    known = [path for path in GUARDED if life.file(path).exists()]
    path = life.random.choice([path for path in known if _older(life, path)] or known)
    life.save(path, life.random.choice(_older(life, path) or [b"never said\n"]))
    return path


def _older(life: Life, path: str) -> list[bytes]:
    return [text for text in life.texts[path] if text != life.file(path).read_bytes()]


def rewrite_baseline_too(life: Life) -> str:
    path = edit(life)
    data = life.file(path).read_bytes()
    with apsw.Connection(str(life.top / "state" / "state.db")) as database:
        database.execute("UPDATE baselines SET hash = ? WHERE path = ?", (digest(data), path))
        if life.random.random() < 0.5:
            database.execute("UPDATE baseline_seal SET mac = ?", (digest(b"another key"),))
    return ""


def drop_baselines(life: Life) -> str:
    if life.random.random() < 0.5:
        edit(life)
    statements = ("DELETE FROM baselines", "DELETE FROM baseline_seal")
    life.home.forge(*life.random.choice((statements, statements[:1], statements[1:])))
    return ""


def cut_ledger(life: Life) -> str:
    """The last changes never were. What they did to the documents may stand or not."""
    gone = f"seq > (SELECT max(seq) FROM ledger) - {life.random.randrange(1, 4)}"
    both = f"DELETE FROM changes WHERE id IN (SELECT change_id FROM ledger WHERE {gone})"
    life.home.forge(*((both,) if life.random.random() < 0.5 else ()), f"DELETE FROM ledger WHERE {gone}")
    return ""


def claim_to_be_the_owner(life: Life) -> str:
    """A row of the ledger that says the owner wrote it, made as well as anybody without the key can."""
    path = edit(life)
    mac = digest(life.file(path).read_bytes())
    life.home.forge(
        "INSERT INTO changes (id, at, author, reason, evidence, undoes, paths) "
        f"SELECT 'AAAAAAAAAAAA', at, 'owner', 'mine', '[]', '', '[\"{path}\"]' FROM changes LIMIT 1",
        "INSERT INTO ledger (seq, change_id, at, author, files, previous, mac) SELECT max(seq) + 1, 'AAAAAAAAAAAA', at, "
        f"'owner', '[[\"{path}\",null,\"{mac}\"]]', mac, '{mac}' FROM ledger",
    )
    return ""


def roll_back(life: Life) -> str:
    """Workspace and state as they were some lawful steps ago, or the state alone."""
    folders = life.random.choice((("workspace", "state"), ("state",)))
    life.quietly(lambda: [shutil.copytree(life.top / one, life.top / f"{one}.old") for one in folders])
    for step in life.random.choices((grow, reword, remember, accept_by_hand), k=life.random.randrange(1, 4)):
        step(life)
    life.look()

    def swap() -> None:
        for one in folders:
            shutil.rmtree(life.top / one)
            (life.top / f"{one}.old").rename(life.top / one)

    life.quietly(swap)
    return ""


TAMPERS: tuple[Callable[[Life], str], ...] = (
    *(same_size_and_time, edit, remove, add, link, second_name, link_folder, bring_back_old_words),
    *(rewrite_baseline_too, drop_baselines, cut_ledger, claim_to_be_the_owner, roll_back),
)


def live(seed: int) -> int:
    """One life with one act at its end; how often it was looked at before."""
    random = Random(seed)
    life = Life(random)
    tamper = TAMPERS[seed % len(TAMPERS)]
    done: list[str] = []
    try:
        for _ in range(random.randrange(0, 8)):
            step = random.choice(HABITS)
            done.append(step.__name__)
            step(life)
            if random.random() < 0.5:
                life.look()
        life.look()
        expected = tamper(life)
        for _ in range(2):
            found = {one.path: one for one in life.home.open().look()}
            assert expected in found, f"{expected or 'the state'} was not told, only {sorted(found)}"
        return life.looks
    except AssertionError as error:
        raise AssertionError(f"S4 seed {seed}, {tamper.__name__} after {' '.join(done)}: {error}") from error
    finally:
        life.close()


def run_s4(count: int, seed: int) -> str:
    looks = sum(live(number) for number in range(seed * 1_000_000, seed * 1_000_000 + count))
    return f"S4 {count} tampers, 0 not noticed, {looks} lawful looks, 0 false alarms, seed {seed}"
