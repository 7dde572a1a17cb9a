"""S11: a fact that stands in every place there is, forgotten. 0 occurrences by raw byte search; all else is as it was.

Every kind of target is forgotten once per life, on a real home with a packed and a loose history; then once more with the process
killed at a moment of chance, and on a disk that loses power. The search here is the test's own and shares no code with forgetting.
The index holds hashes instead of words, so these are what is searched for there, and vectors that no chunk has.
"""

import copy
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import zlib
from contextlib import suppress
from datetime import date
from functools import cache
from pathlib import Path
from random import Random

import apsw

from everself.agent import open_runtime
from everself.conversation.sessions.forgetting import TranscriptTraces
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.transcripts import Transcripts
from everself.errors import EverselfError, NotFound, RefusedByRule
from everself.memory.catalog import Catalog
from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
from everself.memory.forgetting.guard import tombstone_guard
from everself.memory.forgetting.proof import ForgetProof, Target
from everself.memory.memory import Memory
from everself.memory.writing import NewEntry
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.search.index_file.rows import TEXT_FROM
from everself.storage.engine import Writer
from everself.storage.lock import OpenLock
from everself.storage.simulated_disk import PowerCut, SimulatedDisk, SimulatedFileSystem
from everself.storage.state.database import State
from everself.testing.embedder import FakeEmbedder
from everself.testing.origins import origin_of
from everself.testing.workspaces import Bench, simulated_workspace
from everself.text.search import index_terms
from everself.values import Append, Applied, Author, Change, Conflict, Create
from everself.workspace.assembly import WorkspaceOptions, assemble, real_storage
from everself.workspace.disk_workspace import DiskWorkspace
from everself.workspace.guards import standard_guards

TOP = Path(__file__).resolve().parents[3]
CANARY = "KESTREL-4471-ZYGOTE"
FACT = f"The code of the vault is {CANARY}."
DAY = date(2026, 1, 5)
# every kind of document that holds text, with a neighbour above and below
DOCUMENTS = {
    f"memory/{DAY}.md": f"# Memory Log: {DAY}\n\n## [08:00:00] a\n\nBefore.\n\n## [08:01:00] b\n\n{FACT}\n\n## [08:02:00] c\n\nAfter.\n",
    "memory/topics.md": f"# Topics\n\n- Before.\n- {FACT}\n- After.\n",
    "memory/2026-01-06-plans.md": f"# Session\n\nBefore.\n\n{FACT}\n\nAfter.\n",
    "Archive/2025-Q4.md": f"# Archive\n\n- Before.\n- {FACT}\n- After.\n",
    "Archive/chronicles/2025.md": f"# Chronicle\n\n- Before.\n- {FACT}\n- After.\n",
    "bank/world.md": f"# World\n\n- Before.\n- {FACT}\n- After.\n",
    "quarantine/2026-01-05.md": f"# Quarantine\n\n- Before.\n- {FACT}\n- After.\n",
    "projects/vault/memory/notes.md": f"# Vault\n\n- Before.\n- {FACT}\n- After.\n",
    "users/eve/MEMORY.md": f"# Eve\n\n- Before.\n- {FACT}\n- After.\n",
    "CONFLICTS.md": f'# Conflicts\n\n- Before.\n- One says "{FACT}", another does not.\n- After.\n',
    "COMPACTION_LOG.md": f"# Log\n\n- Before.\n- **Dropped:** {FACT}\n- After.\n",
    "NOTES.md": f"Before.\n\n{FACT}\n\nAfter.\n",
}
# a forgetting syncs about this often
REACH = 400
ORPHANS = f"SELECT count(*) FROM embeddings WHERE hash NOT IN (SELECT substr(data, {TEXT_FROM}, 16) FROM units)"
KINDS = ("ids", "words", "part", "session", "person", "date")


def live(workspace: DiskWorkspace, state: State, memory: Memory) -> str:
    """A life in which the fact gets everywhere, several times. The id of its entry."""

    def write(path: str, text: str, reason: str = "note") -> None:
        outcome = workspace.apply(Change(Author.OWNER, reason, (Append(path, text.encode()),)))
        assert isinstance(outcome, Applied), outcome

    memory.remember(NewEntry("Before.", origin_of("owner"), explicit=True))
    entry = memory.remember(NewEntry(FACT, origin_of("owner", "msg:m1"), explicit=True))
    memory.remember(NewEntry(FACT, origin_of("person:max"), person="max"))
    memory.remember(NewEntry("After.", origin_of("owner"), explicit=True))
    for path, text in DOCUMENTS.items():
        change = Change(Author.OWNER, f'keep "{FACT}"', (Append(path, text.encode()),), (f"file:{FACT}",))
        outcome = workspace.apply(change)
        assert isinstance(outcome, Applied), outcome
    write("USER.md", f"\n- {FACT}\n- After.\n")
    workspace.close()
    memory.correct(entry.entry, "The vault has no code.", origin_of("owner"), trigger="No")
    state.engine.write(_talk)
    write("memory/other.md", "# Other\n\n- Nothing of it here.\n")
    return entry.entry


def _talk(writer: Writer) -> None:
    said = ((1, f"Please remember that {FACT}"), (2, f"Noted: {FACT} Anything else?"), (3, "No."))
    at = f"{DAY}T09:00:00+00:00"
    writer.run("INSERT INTO sessions VALUES ('s1', 'main', '', 'cli', ?, ?)", (at, f'{{"title": "{FACT}"}}'))
    for number, text in said:
        values = (f"m{number}", number, at, "max" if number == 2 else "", text)
        writer.run("INSERT INTO messages VALUES (?, 's1', ?, ?, 'user', ?, ?, '{}')", values)


def target_of(kind: str, entry: str) -> Target:
    return {
        "ids": Target(ids=(entry,)),
        "words": Target(words=f"  {FACT.lower()} "),
        # words that are a part of every entry and message that holds them
        "part": Target(words=CANARY.lower()),
        "session": Target(session="s1"),
        "person": Target(person="max"),
        "date": Target(since=DAY, until=DAY),
    }[kind]


class Home:
    """An agent in a home of its own; history waits until it is told, so that the journal holds something."""

    def __init__(self, folder: Path) -> None:
        self.app: Runtime = open_runtime(environ={"HOME": str(folder)})
        self.app.__dict__["embedder"] = FakeEmbedder()
        set_up(self.app)
        self.app.workspace.close()
        storage = real_storage(self.app.agent.workspace, self.app.agent.state)
        state = self.app.state
        guards = (*standard_guards(), tombstone_guard(state.entries))
        self.workspace = assemble(storage, state, self.app.clock, WorkspaceOptions(guards=guards, background=False))
        self.workspace.recover()
        catalog = Catalog(self.workspace, state.entries, state.provenance, self.app.clock)
        self.memory = Memory(self.workspace, catalog, self.app.clock)
        derived, places = (self.app.index_traces(),), (self.app.transcript_traces(),)
        resources = ForgettingResources(self.workspace, state, storage, places, derived, root=self.app.agent.workspace)
        self.forgetting = Forgetting(catalog, resources, self.app.clock)

    def update_index(self) -> None:
        self.app.index.sync()
        assert self.app.index.embed().pending == 0

    def close(self) -> None:
        self.app.close()

    def forget(self, target: Target) -> ForgetProof:
        return self.forgetting.carry_out(self.forgetting.plan(target))


def search(home: Path) -> dict[str, int]:
    """Every byte of every file, git objects unpacked. The agent is closed."""
    found = {}
    for path in home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if "objects" in path.parts and len(path.parent.name) == 2:
                data = zlib.decompress(data)
            found[str(path.relative_to(home))] = data.count(CANARY.encode())
    for index in home.rglob("index.db*"):
        found[f"hashes in {index.name}"] = sum(mark in index.read_bytes() for mark in marks())
    for index in home.rglob("index.db"):
        connection = apsw.Connection(str(index))
        ((orphans,),) = connection.execute(ORPHANS)
        connection.close()
        found["vectors"] = int(str(orphans))
    for git in home.rglob("history.git"):
        found["packs"] = run_git(git, "cat-file", "--batch-all-objects", "--batch").count(CANARY.encode())
    return {name: count for name, count in found.items() if count}


@cache
def marks() -> tuple[bytes, ...]:
    """The hashes under which the canary is indexed, as they stand in a list and as the key of a row."""
    hashes = [hashlib.blake2b(term.encode(), digest_size=8).digest() for term in index_terms(CANARY).counts]
    return tuple(one for hashed in hashes for one in (hashed, hashed[::-1]))


def run_git(git: Path, *words: str) -> bytes:
    return subprocess.run(["git", "--git-dir", str(git), *words], capture_output=True, check=True).stdout


def begin(folder: Path) -> str:
    """A home after a rich life, part of its history packed, something in the journal. The id of the fact's entry."""
    home = Home(folder)
    entry = live(home.workspace, home.app.state, home.memory)
    home.app.log.mend("s1")
    home.update_index()
    git = Path(home.app.agent.state) / "history.git"
    run_git(git, "repack", "-q", "-a", "-d")
    outcome = home.workspace.apply(
        Change(Author.OWNER, FACT, (Append("memory/late.md", f"- {FACT}\n- Late.\n".encode()),))
    )
    assert isinstance(outcome, Applied), outcome
    # once more, so that there are chunks that died since
    home.update_index()
    home.app.index.close()
    # as a process leaves it that was killed: the journal holds what was not committed
    home.app.state.close()
    return entry


def check(folder: Path, before: dict[str, bytes], kind: str) -> None:
    """Nothing of it is left, all else is as it was, and it does not come back."""
    assert search(folder) == {}, f"{kind}: {search(folder)}"
    work = next(folder.rglob("MEMORY.md")).parent
    for path, old in before.items():
        file = work / path
        if kind == "person" and path.startswith("users/max/"):
            assert not file.exists(), path
            continue
        new = file.read_bytes()
        if CANARY.encode() not in old and FACT.encode() not in old and kind != "date":
            # references by id go with what they refer to
            assert new == old or path.startswith("memory/20"), path
        for word in (b"Before.", b"After.", b"Late."):
            # the day itself was forgotten with its neighbours
            if not (kind == "date" and f"{DAY}" in path):
                assert new.count(word) == old.count(word), f"{kind}: {path} lost {word!r}"
    home = Home(folder)
    try:
        assert home.app.state.verify_ledger().ok
        assert run_git(Path(home.app.agent.state) / "history.git", "fsck", "--strict", "--full") == b""
        comes_back(home)
        home.update_index()
    finally:
        home.close()
    assert search(folder) == {}, f"{kind}: came back: {search(folder)}"


def comes_back(home: Home) -> None:
    for source in ("import", "agent", "web"):
        with suppress(RefusedByRule):
            home.memory.remember(NewEntry(FACT, origin_of(source)))
            raise AssertionError(f"{source} brought it back")
    change = Change(Author.IMPORT, "import", (Create("memory/imported.md", f"- {FACT}\n".encode()),))
    outcome = home.workspace.apply(change)
    assert not isinstance(outcome, Applied | Conflict), "an import brought it back"


def forget_all_kinds(seed: int) -> int:
    """One home per kind of target. How many occurrences there were."""
    total = 0
    with tempfile.TemporaryDirectory() as top:
        for kind in KINDS:
            folder = Path(top) / f"{kind}-{seed}"
            entry = begin(folder)
            stood = search(folder)
            assert stood["hashes in index.db"] == len(marks())
            assert any(name.endswith("/sessions/s1.jsonl") for name in stood)
            total += sum(stood.values())
            before = documents(folder)
            home = Home(folder)
            proof = home.forget(target_of(kind, entry))
            home.close()
            assert proof.gone, proof.render()
            assert CANARY not in proof.render() + proof.to_json()
            check(folder, before, kind)
    return total


def documents(folder: Path) -> dict[str, bytes]:
    work = next(folder.rglob("MEMORY.md")).parent
    return {str(path.relative_to(work)): path.read_bytes() for path in work.rglob("*.md")}


def kill_and_go_on(seed: int) -> int:
    """The forgetting process is killed at some moment, perhaps again while it goes on; then it is run to its end. How many kills hit."""
    random = Random(seed)
    kind = random.choice(KINDS)
    hits = 0
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "home"
        entry = begin(folder)
        before = documents(folder)
        for _ in range(random.randrange(1, 3)):
            hits += kill_once(folder, kind, entry, random)
        finish(folder, kind, entry)
        check(folder, before, kind)
    return hits


def kill_once(folder: Path, kind: str, entry: str, random: Random) -> bool:
    command = [sys.executable, "-m", "tests.trust.rows.s11", str(folder), kind, entry, str(random.randrange(1, REACH))]
    environ = {"HOME": str(folder), "PYTHONPATH": f"{TOP / 'src'}:{TOP}", "PATH": os.environ["PATH"]}
    code = subprocess.run(command, env=environ, cwd=TOP, check=False, timeout=600).returncode
    assert code in (0, -signal.SIGKILL), code
    return code != 0


def finish(folder: Path, kind: str, entry: str) -> None:
    home = Home(folder)
    try:
        home.forgetting.resume()
        with suppress(NotFound):
            home.forget(target_of(kind, entry))
    finally:
        home.close()


@cache
def first_disk() -> tuple[SimulatedDisk, str]:
    """A simulated disk after the same life, and the id of the fact's entry."""
    disk = SimulatedDisk()
    with simulated_workspace(disk, WorkspaceOptions(background=False)) as bench:
        _, memory = simulated_mind(bench)
        entry = live(bench.workspace, bench.state, memory)
        simulated_log(bench)[0].mend("s1")
    return disk, entry


def simulated_log(bench: Bench) -> tuple[SessionLog, Transcripts]:
    transcripts = Transcripts(bench.storage.state, OpenLock())
    return SessionLog(bench.state.messages, transcripts, bench.clock), transcripts


def simulated_mind(bench: Bench) -> tuple[Forgetting, Memory]:
    catalog = Catalog(bench.workspace, bench.state.entries, bench.state.provenance, bench.clock)
    log, transcripts = simulated_log(bench)
    resources = ForgettingResources(bench.workspace, bench.state, bench.storage, (TranscriptTraces(log, transcripts),))
    return Forgetting(catalog, resources, bench.clock), Memory(bench.workspace, catalog, bench.clock)


def lose_power(seed: int, reach: int = 4600) -> int:
    """Power goes at some call of the disk, perhaps again while it goes on, and once more right after the end. How often it went."""
    random = Random(seed)
    disk = copy.deepcopy(first_disk()[0])
    target = target_of(random.choice(KINDS), first_disk()[1])
    cuts = 0
    for _ in range(random.randrange(1, 4)):
        disk.ticks, disk.cut_at = 0, random.randrange(1, reach)
        with suppress(PowerCut, EverselfError), simulated_workspace(disk, WorkspaceOptions(background=False)) as bench:
            forget_simulated(bench, target)
        cuts += disk.dead
        disk.cut_power(random)
    with simulated_workspace(disk, WorkspaceOptions(background=False)) as bench:
        forget_simulated(bench, target)
    disk.cut_power(random)
    with simulated_workspace(disk, WorkspaceOptions(background=False)) as bench:
        bench.workspace.recover()
        bench.workspace.close()
        assert bench.state.verify_ledger().ok
    left = {name: count for root in ("workspace", "state") for name, count in search_disk(disk.root(root)).items()}
    assert left == {}, f"seed {seed}: {left}"
    return cuts


def forget_simulated(bench: Bench, target: Target) -> None:
    bench.workspace.recover()
    forgetting, _ = simulated_mind(bench)
    forgetting.resume()
    with suppress(NotFound):
        proof = forgetting.carry_out(forgetting.plan(target))
        assert proof.gone, proof.render()
    bench.workspace.close()


def search_disk(files: SimulatedFileSystem, folder: str = "") -> dict[str, int]:
    found: dict[str, int] = {}
    for one in files.list(folder):
        if one.kind == "directory":
            found |= search_disk(files, one.path)
            continue
        data = files.read(one.path, 0, one.size + 1)
        with suppress(zlib.error):
            data = zlib.decompress(data) if "/objects/" in one.path else data
        if CANARY.encode() in data:
            found[one.path] = data.count(CANARY.encode())
    return found


def run_s11(count: int, seed: int) -> str:
    """`count` lives of every kind; as many kills; twenty times as many power cuts."""
    seeds = range(seed * 1_000_000, seed * 1_000_000 + count)
    occurrences = sum(forget_all_kinds(number) for number in seeds)
    kills = sum(kill_and_go_on(number) for number in seeds)
    cuts = sum(lose_power(number) for number in range(seed * 1_000_000, seed * 1_000_000 + 20 * count))
    return (
        f"S11 {count * len(KINDS)} forgettings of {occurrences} occurrences, {kills} kills and {cuts} power cuts on the way, "
        f"0 occurrences left, 0 came back, seed {seed}"
    )


def forget_and_die(folder: Path, kind: str, entry: str, last: int) -> None:
    """The other side of `kill_once`: this process is killed before it syncs something for the `last` time."""
    home = Home(folder)
    left, sync = last, os.fsync

    def count(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        sync(descriptor)

    os.fsync = count
    home.forgetting.resume()
    with suppress(NotFound):
        home.forget(target_of(kind, entry))


if __name__ == "__main__":
    forget_and_die(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
