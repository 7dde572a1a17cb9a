"""How long a coding agent waits for its hooks if something is wrong: every event with every fault that the hooks' tests produce.

Each must end within the deadline of the settings and a fifth of a second, whatever is wrong.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

from tools.bench_integrations.figures import Figure
from tools.bench_integrations.processes import adopt_orphans, ended_seconds

_PROMISED = 1_000.0


def measure(folder: Path, rounds: int, entries: int) -> Iterator[Figure | str]:
    """Measure each case once; ignores `rounds` and `entries`."""
    from tests.interfaces.client_hooks.hooking import HookHome
    from tests.interfaces.client_hooks.troubles import EVENTS, TROUBLES, NotHere

    del rounds, entries
    adopt_orphans()
    made = HookHome(folder / "template")
    made.folder.mkdir()
    made.set_up()
    made.everself("config", "unset", "hooks.deadlineMs")
    yield f"hooks in trouble, {len(EVENTS)} events each, the longest of them"
    for number, (name, trouble) in enumerate(TROUBLES.items()):
        home = HookHome(folder / str(number))
        shutil.copytree(made.folder, home.folder, symlinks=True, ignore=shutil.ignore_patterns("models"))
        before = ended_seconds()
        try:
            with trouble(home) as met:
                ended = [met.meet(event, client) for event, client in EVENTS]
        except NotHere as error:
            yield f"{name}: not measured, {error}"
            continue
        used = (ended_seconds() - before) / len(EVENTS)
        failed = sum(one.code != 0 for one in ended)
        yield Figure(name, max(one.seconds for one in ended) * 1000, "ms", _PROMISED)
        yield Figure(f"{name}, processor time of one", used * 1000, "ms")
        if failed:
            yield Figure(f"{name}, not ended with 0", failed, f"of {len(ended)}", 0)
        shutil.rmtree(home.folder)
