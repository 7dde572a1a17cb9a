"""R13: chains of growth, edits by hand, rollbacks and undoing. A rollback gives the named soul back to the byte; nothing kept is lost.

The register beside the soul is the judge: it remembers every copy and every row of the ledger from the moment each was first seen.
"""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from random import Random

from tests.operations.changes import Changes
from tests.trust.worlds import find_memory

from everself.config.sections import SoulPolicy
from everself.errors import ChangedMeanwhile, EverselfError
from everself.identity.growth import Growth
from everself.identity.soul import SoulRules
from everself.testing.frozen_time import FrozenTime
from everself.testing.workspaces import Bench, real_workspace
from everself.values import Applied, Author, Change, Remove, digest
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.guards import learned_exemption, standard_guards
from everself.workspace.learned_section import same_core, split_soul

FIRST = b"# Soul\n\nBe kind.\n\n## Learned\n\n- Tea, not coffee.\n\n## Voice\n\nPlain.\n"
ODD = (
    b"",
    b"\xff\xfe\x00 no text",
    b"# Soul",
    b"# Soul\r\n\r\n## Learned\r\n\r\n- One.\r\n",
    b"## Learned\n\n```\n- never closed\n",
    b"# Soul\n\n## Learned\n\n- a\n\n## Learned\n\n- b\n",
    "# 魂\n\n## Learned\n\n- お茶が好き\n".encode(),
)
WORDS = (
    "Ask",
    "before",
    "you",
    "book",
    "tea",
    "brief",
    "warm",
    "early",
    "plain",
    "listen",
    "お茶",
    "zuerst",
    "no *fanfare*",
)
# the newest of a day stays, so days have to pass
STEPS = (timedelta(seconds=1), timedelta(seconds=40), timedelta(hours=5), timedelta(days=1))


class Chain:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.time = FrozenTime()
        self.policy = random.choice(list(SoulPolicy))
        self.top = Path(tempfile.mkdtemp(dir=find_memory()))
        self._stack = ExitStack()
        self._open()
        self.copies: dict[str, bytes] = {}
        self.ledger: list[str] = []
        self.rollbacks = 0
        self.hand(FIRST)

    def _open(self) -> None:
        habits = WorkspaceOptions(guards=standard_guards(exemption=learned_exemption(self.policy)), background=False)
        clock = self.time.clock("Europe/Berlin")
        self.bench: Bench = self._stack.enter_context(real_workspace(str(self.top), habits, clock=clock))
        rules = SoulRules(self.policy, 2_000)
        self.growth = Growth(self.bench.workspace, self.bench.state, clock, rules)

    def reopen(self) -> None:
        self._stack.close()
        self._open()

    def close(self) -> None:
        self._stack.close()
        shutil.rmtree(self.top)

    @property
    def soul(self) -> bytes | None:
        path = self.top / "workspace" / "SOUL.md"
        return path.read_bytes() if path.exists() else None

    def hand(self, data: bytes | None) -> None:
        path = self.top / "workspace" / "SOUL.md"
        if data is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(data)

    def words(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(1, 5))) + f" {self.random.randint(1, 40)}."

    def kept(self) -> dict[str, bytes]:
        folder = self.top / "workspace" / "SOUL_HISTORY"
        return (
            {one.name.removesuffix(".md"): one.read_bytes() for one in sorted(folder.glob("*.md"))}
            if folder.is_dir()
            else {}
        )

    def check(self) -> None:
        """History and ledger only grow."""
        kept = self.kept()
        for name, data in self.copies.items():
            assert name in kept, f"the copy {name} is gone"
            assert kept[name] == data, f"the copy {name} was changed"
        assert len(set(kept.values())) == len(kept), "the same soul is kept twice"
        assert all(name.endswith(digest(data)[:8]) for name, data in kept.items()), "a copy is called after other bytes"
        self.copies = kept
        rows = [record.id for record in reversed(self.bench.workspace.changes(100_000))]
        assert rows[: len(self.ledger)] == self.ledger, "the ledger lost a row"
        self.ledger = rows

    def check_step(self, before: bytes | None, change: str) -> None:
        """The soul before a step is kept, and the log speaks of the step."""
        if change:
            assert before is None or before in self.kept().values(), "the soul before the step is not kept"
            paths = self.bench.workspace.record(change)[0].paths
            assert {"SOUL.md", "CHANGELOG.md"} <= set(paths), f"a step of {paths}"


def propose(chain: Chain) -> None:
    before = chain.soul
    author = chain.random.choice((Author.OWNER, Author.KEEPER, Author.KEEPER, Author.AGENT))
    evidence = chain.random.choice(((), ("entry:7K3QX9M2ABCD",)))
    if chain.random.random() < 0.7:
        made = chain.growth.add_line(chain.words(), "chain", evidence, author)
    else:
        lines = (before or b"").decode("utf-8", "replace").splitlines(keepends=True) or [""]
        lines[chain.random.randrange(len(lines))] = chain.random.choice(("", f"- {chain.words()}\n"))
        made = chain.growth.propose("".join(lines), "chain", evidence, author)
    if made.change:
        assert (chain.policy, author) == (SoulPolicy.EVOLVE, Author.KEEPER), "nobody approved this"
        assert same_core(before or b"", chain.soul or b""), "a keeper changed the core"
        chain.check_step(before, made.change)
    else:
        assert chain.soul == before, "a proposal changed the soul"
    human = author is Author.OWNER
    assert human or chain.policy is not SoulPolicy.LOCKED, "a locked soul was asked to grow"


def approve(chain: Chain) -> None:
    waiting = chain.growth.open()
    if not waiting:
        return
    one = chain.random.choice(waiting)
    before, foreseen = chain.soul, chain.growth.preview(one)
    try:
        grown = chain.growth.approve(one.id)
    except ChangedMeanwhile:
        assert chain.growth.find(one.id).status == "outdated", "it neither became the soul nor is it outdated"
        raise
    assert chain.soul == foreseen or (before is None and not grown.change), "another soul than the one foreseen"
    if one.author != Author.OWNER:
        assert same_core(before or b"", chain.soul or b""), "a keeper changed the core"
    chain.check_step(before, grown.change)


def refuse(chain: Chain) -> None:
    waiting = chain.growth.open()
    if waiting:
        before = chain.soul
        chain.growth.refuse(chain.random.choice(waiting).id, chain.random.choice(("", "no")))
        assert chain.soul == before, "a refusal changed the soul"


def edit_by_hand(chain: Chain) -> None:
    now = chain.soul or b""
    lines = now.splitlines(keepends=True) or [b""]
    at = chain.random.randrange(len(lines))
    changed = b"".join((*lines[:at], f"- {chain.words()}\n".encode(), *lines[at + chain.random.randint(0, 1) :]))
    changed = chain.random.choice(
        (changed, changed.rstrip(), changed + b" \t\n\n", changed.replace(b"\n", b"\r\n").replace(b"\r\r", b"\r"))
    )
    others = (now + b"- more\n", None, chain.random.choice(ODD), FIRST)
    chain.hand(changed if chain.random.random() < 0.6 else chain.random.choice(others))


def rollback(chain: Chain) -> None:
    if not chain.copies:
        return
    name = chain.random.choice(list(chain.copies))
    before = chain.soul
    grown = chain.growth.rollback(name)
    assert chain.soul == chain.copies[name], f"the soul is not {name}"
    chain.check_step(before, grown.change)
    chain.rollbacks += 1


def rollback_line(chain: Chain) -> None:
    before = chain.soul or b""
    learned = [line for line in split_soul(before).learned.splitlines() if line.startswith(b"- ")]
    if not learned:
        return
    line = chain.random.choice(learned)
    grown = chain.growth.rollback_line(line.decode("utf-8", "replace"))
    after = chain.soul or b""
    assert same_core(before, after), "taking a line back changed the core"
    assert after.count(line) == before.count(line) - 1, "the line stands as before"
    chain.check_step(before, grown.change)
    chain.rollbacks += 1


def undo_at_once(chain: Chain) -> None:
    """A step and its undoing: the soul is what it was."""
    before = chain.soul
    if not chain.copies or before is None:
        return
    grown = chain.growth.rollback(chain.random.choice(list(chain.copies)))
    if grown.change:
        done = Changes(chain.bench.workspace).undo(grown.change)
        assert done.applied, "the last step cannot be undone"
        assert chain.soul == before, "undoing the last step gives another soul"


def undo_earlier(chain: Chain) -> None:
    records = [one for one in chain.bench.workspace.changes(30) if "SOUL.md" in one.paths]
    if records:
        Changes(chain.bench.workspace).undo(chain.random.choice(records).id)


def thin(chain: Chain) -> None:
    """What the plan lets go is taken away, as a keeper will do it."""
    going = chain.growth.versions.thin(2, [one.base for one in chain.growth.open()])
    months = {path.rpartition("/")[2][:7] for path in going}
    edits = tuple(Remove(path, digest(chain.bench.workspace.read(path).data)) for path in going)
    if edits:
        assert isinstance(chain.bench.workspace.apply(Change(Author.OWNER, "thin", edits)), Applied)
    for path in going:
        del chain.copies[path.rpartition("/")[2].removesuffix(".md")]
    left = {name[:7] for name in chain.kept()}
    assert months <= left, f"no soul is left of {sorted(months - left)}"


OPERATIONS: dict[str, Callable[[Chain], None]] = {
    "propose": propose,
    "approve": approve,
    "refuse": refuse,
    "edit_by_hand": edit_by_hand,
    "rollback": rollback,
    "rollback_line": rollback_line,
    "undo_at_once": undo_at_once,
    "undo_earlier": undo_earlier,
    "thin": thin,
    "reopen": Chain.reopen,
}
WEIGHTS = (6, 5, 1, 4, 4, 2, 2, 2, 1, 1)


def live(seed: int, steps: int) -> int:
    """One chain; how many rollbacks were in it."""
    random = Random(seed)
    chain = Chain(random)
    done: list[str] = []
    try:
        for _ in range(steps):
            chain.time.advance(random.choice(STEPS))
            done.extend(random.choices(list(OPERATIONS), WEIGHTS))
            before = chain.soul
            try:
                OPERATIONS[done[-1]](chain)
            except EverselfError as error:
                done[-1] += f" ({type(error).__name__})"
                assert chain.soul == before, "what was refused changed the soul"
            chain.check()
        return chain.rollbacks
    except AssertionError as error:
        raise AssertionError(f"R13 seed {seed}, after {' '.join(done)}: {error}") from error
    finally:
        chain.close()


def run_r13(count: int, seed: int, steps: int = 25) -> str:
    rollbacks = sum(live(number, steps) for number in range(seed * 1_000_000, seed * 1_000_000 + count))
    assert rollbacks > count // 2, f"R13 seed {seed}: {rollbacks} rollbacks in {count} chains show nothing"
    return (
        f"R13 {count} chains × {steps} steps, {rollbacks} rollbacks, 0 bytes differ, 0 earlier souls lost, seed {seed}"
    )
