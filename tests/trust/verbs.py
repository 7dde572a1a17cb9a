"""The operations that write, as plays for the row that kills: set up, change a setting, make a backup, restore one.

A verb that was killed is looked at after the next start, and then done again, as a person would: it must come to its end and leave
nothing over.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

import time_machine
from tests.operations.backup.backup_ground import damage_of
from tests.operations.homes import bring_back, set_value, settle
from tests.operations.promotions import promote
from tests.trust.operations import entry
from tests.trust.tracing import ACKNOWLEDGED, Act, Stage, begin, work_on_one_thread

from everself import values
from everself.agent import open_runtime
from everself.clock import monotonic
from everself.errors import NotFound
from everself.memory.provenance import OWNER
from everself.memory.writing import NewEntry
from everself.operations.backup.create import make_backup
from everself.operations.promotion import PromoteRequest
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.storage.journal import FOLDER as JOURNAL
from everself.testing.frozen_time import MOMENT
from everself.testing.origins import origin_of
from everself.values import Append, Applied, Author, Change

SECRET_KEY = "provider.anthropic.apiKey"
RECOVER = Act(f"{__name__}:recover_verb", {})
BACKUP, EARLIER = "backup.tar.gz", "earlier.tar.gz"


@dataclass(frozen=True, slots=True)
class Look:
    """What a person would miss."""

    documents: tuple[tuple[str, bytes], ...]
    host: bytes | None
    secrets: bytes | None
    backup: bool


@dataclass(frozen=True, slots=True)
class Verb:
    """`prepare` and `do` run in children; `between` says which states beside before and after may be seen."""

    prepare: Callable[[str], None]
    do: Callable[[str], None]
    between: Callable[[Look, Look], tuple[Look, ...]] = lambda _before, _after: ()


def settle_in(top: str, seed: int) -> None:
    """In a child: a home of its own, a clock that stands still, randomness that repeats itself, one thread."""
    for name in [name for name in os.environ if name.startswith(("EVERSELF_", "XDG_"))]:
        del os.environ[name]
    os.environ |= {"HOME": top, "EVERSELF_HOME": f"{top}/home", "TZ": "UTC"}
    time_machine.travel(MOMENT, tick=False).start()
    os.urandom = Random(f"verb {seed}").randbytes
    values.new_id.__defaults__ = (os.urandom,)
    work_on_one_thread()


def perform_verb(name: str, top: str, seed: int) -> None:
    """In a child."""
    settle_in(top, seed)
    said = begin(top)
    VERBS[name].do(top)
    said.say(ACKNOWLEDGED)


def prepare_in_child(name: str, top: str, seed: int) -> None:
    settle_in(top, seed - 1)
    VERBS[name].prepare(top)


def recover_verb(top: str) -> None:
    """In a child: what any next command does first."""
    settle_in(top, 0)
    begin(top)
    with open_runtime() as app, suppress(NotFound):
        app.workspace.recover()


def verify_verb(top: str) -> None:
    """In a child: the records of an agent that was opened and closed since are whole and wait for nothing."""
    settle_in(top, 0)
    with open_runtime() as app:
        if not os.path.isdir(app.agent.workspace):
            return
        app.workspace.close()
        report = app.state.verify_ledger()
        assert report.ok, report
        assert app.state.changes_without_commit() == []
        assert not os.path.isdir(f"{app.agent.state}/{JOURNAL}") or os.listdir(f"{app.agent.state}/{JOURNAL}") == []


def look(top: str) -> Look:
    documents = []
    for folder, _, names in os.walk(f"{top}/home/workspace"):
        documents += [(f"{folder}/{name}", _read(f"{folder}/{name}") or b"") for name in names]
    backup = os.path.lexists(f"{top}/{BACKUP}")
    assert not backup or not damage_of(f"{top}/{BACKUP}"), "a backup has its name, but is not whole"
    host, secrets = _read(f"{top}/home/everself.json5"), _read(f"{top}/home/secrets.json")
    return Look(tuple(sorted(documents)), host, secrets, backup)


def leftovers(top: str) -> list[str]:
    found = [f"{folder}/{name}" for folder, some, more in os.walk(top) for name in (*some, *more)]
    return [path for path in found if os.path.basename(path).startswith(TEMPORARY_PREFIX)]


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class VerbPlay:
    name: str
    prepared: str
    act: Act
    before: Look
    after: Look
    recovery: Act = RECOVER

    def check(self, stage: Stage, *, acknowledged: bool, deep: bool) -> float:
        del deep
        started = monotonic()
        stage.run(self.recovery)
        took = monotonic() - started
        stage.run(Act(f"{__name__}:verify_verb", {}))
        now = look(stage.top)
        allowed = (self.after, self.before, *VERBS[self.name].between(self.before, self.after))
        assert now in allowed, (
            f"neither before nor after: {_differences(now, self.before)}; {_differences(now, self.after)}"
        )
        assert now == self.after or not acknowledged, "what was acknowledged is gone"
        if now != self.after or leftovers(stage.top):
            stage.run(self.act)
            assert look(stage.top) == self.after, "done again, it does not come to the same end"
        assert not leftovers(stage.top), f"left over: {leftovers(stage.top)}"
        return took


def _differences(one: Look, other: Look) -> str:
    mine, theirs = dict(one.documents), dict(other.documents)
    paths = [path for path in sorted(mine.keys() | theirs.keys()) if mine.get(path) != theirs.get(path)]
    fields = [name for name in ("host", "secrets", "backup") if getattr(one, name) != getattr(other, name)]
    return f"{paths} {fields}"


def prepare_verb(stage: Stage, folder: str, name: str, seed: int) -> VerbPlay:
    prepared = f"{folder}/prepared"
    os.makedirs(stage.top, exist_ok=True)
    stage.run(Act(f"{__name__}:prepare_in_child", {"name": name, "seed": seed}))
    before = look(stage.top)
    os.rename(stage.top, prepared)
    act = Act(f"{__name__}:perform_verb", {"name": name, "seed": seed})
    stage.set(prepared)
    stage.run(act)
    after = look(stage.top)
    assert after != before, f"{name} finds nothing to do"
    return VerbPlay(name, prepared, act, before, after)


def live_not_yet(_: str) -> None: ...


def set_up(_: str) -> None:
    settle()


def live_a_little(top: str, steps: int = 3) -> None:
    settle()
    with open_runtime() as app:
        for step in range(steps):
            text = entry(Random(f"{top[-4:]} {step}"))
            edit = Append("memory/2026-03-19.md", text, header=b"# Memory Log: 2026-03-19\n")
            assert isinstance(app.workspace.apply(Change(Author.OWNER, "append", (edit,))), Applied)


def set_a_secret(_: str) -> None:
    set_value(SECRET_KEY, "sk-ant-not-a-real-key")


def live_with_settings(top: str) -> None:
    live_a_little(top)
    set_value(SECRET_KEY, "sk-ant-an-older-key")
    set_value("agents.defaults.userTimezone", "Asia/Seoul")


def back_up(top: str) -> None:
    # a backup never overwrites: whoever makes another gives it another name
    name = BACKUP if not os.path.lexists(f"{top}/{BACKUP}") else f"another-{BACKUP}"
    with open_runtime() as app:
        make_backup(app, f"{top}/{name}")


def live_after_a_backup(top: str) -> None:
    live_a_little(top)
    with open_runtime() as app:
        make_backup(app, f"{top}/{EARLIER}")
        edit = Append("memory/2026-03-20.md", entry(Random(7)), header=b"# Memory Log: 2026-03-20\n")
        assert isinstance(app.workspace.apply(Change(Author.OWNER, "append", (edit,))), Applied)


def restore(top: str) -> None:
    bring_back(f"{top}/{EARLIER}", replace=True)


def live_with_a_decision(top: str) -> None:
    live_a_little(top)
    with open_runtime() as app:
        app.memory.remember(NewEntry("We decided on oak.", origin_of(OWNER)))


def promote_it(_: str) -> None:
    with open_runtime() as app:
        promote(app, PromoteRequest())


def _secret_first(before: Look, after: Look) -> tuple[Look, ...]:
    """A secret is saved before what refers to it."""
    return (Look(before.documents, before.host, after.secrets, before.backup),)


VERBS: dict[str, Verb] = {
    "setup": Verb(live_not_yet, set_up),
    "config set": Verb(live_a_little, set_a_secret, _secret_first),
    "config set again": Verb(live_with_settings, set_a_secret, _secret_first),
    "backup": Verb(live_a_little, back_up),
    "restore": Verb(live_after_a_backup, restore),
    "promote --apply": Verb(live_with_a_decision, promote_it),
}
