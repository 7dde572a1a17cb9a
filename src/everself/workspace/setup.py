"""Plans a new workspace, or what an existing one lacks. The workspace applies the plan.

Handles templates and the names that exist, not the content of files: an existing file is never changed.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from everself.values import Author, Change, ChangeRecord, Create, FileKind
from everself.workspace.layout import fold

# the reason of the change that creates the missing documents
SETUP: Final = "setup"
BOOTSTRAP: Final = "BOOTSTRAP.md"
KEEPERS: Final = ("memory-miner", "soul-keeper", "recall-validator", "conflict-detector", "memory-compactor")

_FILES: Final = (
    *(
        "SOUL.md",
        "IDENTITY.md",
        "AGENTS.md",
        "USER.md",
        "TOOLS.md",
        "HEARTBEAT.md",
        BOOTSTRAP,
        "MEMORY.md",
        "CONFIG.md",
    ),
    *("CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md"),
    *(f"agents/{keeper}/SOUL.md" for keeper in KEEPERS),
)
_FOLDERS: Final = ("memory", "SOUL_HISTORY", "Archive", "Archive/Chronicles", "Archive/Corrections")
# If one of these exists, the workspace was used before.
_SIGNS_OF_LIFE: Final = ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "MEMORY.md", "memory")


def templates() -> tuple[tuple[str, bytes], ...]:
    """Every document that setup can create, with its text."""
    return tuple((path, _template(path)) for path in _FILES)


def plan_setup(
    existing: Mapping[str, FileKind],
    *,
    removed: Collection[str] = (),
    ritual_done: bool = False,
    restore: bool = False,
) -> Change | None:
    """The change that creates the missing documents; None if there are none.

    `existing` names everything in the workspace, folders, links and odd files included. `removed`: documents of an
    earlier setup that a person removed since; they stay removed unless `restore` is set.
    """
    taken = _Taken(existing)
    gone = set() if restore else {fold(path) for path in removed}
    wanted = [path for path in _FILES if taken.is_free(path) and fold(path) not in gone]
    if ritual_done or any(taken.exists(sign) for sign in _SIGNS_OF_LIFE):
        wanted = [path for path in wanted if path != BOOTSTRAP]
    if not wanted:
        return None
    return Change(Author.RUNTIME, SETUP, tuple(Create(path, _template(path)) for path in wanted))


def creates_agent(record: ChangeRecord) -> bool:
    """Whether a change created an agent, not only a missing file."""
    return record.author is Author.RUNTIME and record.reason == SETUP and "SOUL.md" in record.paths


def plan_folders(existing: Mapping[str, FileKind]) -> tuple[str, ...]:
    """The missing folders, parents first.

    Create them after applying the change of `plan_setup`: an empty `memory/` left by a crash in between would make the
    next setup believe that the workspace was used before, and the first conversation would be lost.
    """
    taken = _Taken(existing)
    return tuple(folder for folder in _FOLDERS if taken.is_free(folder))


class _Taken:
    """The names in use, in one spelling: `memory.md` and a link called `Memory.md` both occupy the name MEMORY.md."""

    def __init__(self, existing: Mapping[str, FileKind]) -> None:
        self._kinds = {fold(path): kind for path, kind in existing.items()}
        self._names = self._kinds.keys() | {parent for path in self._kinds for parent in _parents(path)}

    def exists(self, path: str) -> bool:
        return fold(path) in self._names

    def is_free(self, path: str) -> bool:
        """Whether the name is unused, and no file or link occupies the name of a folder in its path."""
        folded = fold(path)
        return folded not in self._names and all(
            self._kinds.get(parent, "directory") == "directory" for parent in _parents(folded)
        )


def _parents(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _template(path: str) -> bytes:
    from importlib import resources

    return resources.files("everself.workspace").joinpath("templates", *path.split("/")).read_bytes()
