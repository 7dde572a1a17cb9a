"""An agent's folders with the folder of its keys beside them, for whoever looks at what was done outside."""

from pathlib import Path

import apsw

from everself.config.sections import SoulIntegrity
from everself.identity.integrity import Integrity
from everself.identity.seal_counter import KeptCounter
from everself.testing.workspaces import KEY, Bench
from everself.values import Applied, Author, Change, Edit
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.guards import standard_guards

SOUL = b"# Soul\n\nI am kind.\n"
PERSONAS = ("souls/night.md",)


class Home:
    """One agent with its folder of keys, whose parts can be opened anew as another process does."""

    def __init__(self, top: Path, bench: Bench) -> None:
        self.top = top
        self.bench = bench
        self.workspace = top / "workspace"

    @property
    def counter(self) -> KeptCounter:
        return KeptCounter(str(self.top / "keys" / "main.count"), KEY)

    def open(self, policy: SoulIntegrity = SoulIntegrity.NOTICE) -> Integrity:
        bench = self.bench
        return Integrity(bench.workspace, bench.state, self.counter, bench.clock, personas=PERSONAS, policy=policy)

    def apply(self, *edits: Edit, author: Author = Author.OWNER) -> None:
        assert isinstance(self.bench.workspace.apply(Change(author, "test", edits)), Applied)

    def look(self) -> list[tuple[str, str]]:
        return [(one.path, one.kind) for one in self.open().look()]

    def forge(self, *statements: str) -> None:
        """Whoever can write state.db can drop what keeps it append-only, too."""
        with apsw.Connection(str(self.top / "state" / "state.db")) as connection:
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.execute(statement)


def habits() -> WorkspaceOptions:
    return WorkspaceOptions(guards=standard_guards(personas=PERSONAS), background=False)
