"""One agent under examination: its paths, the list of its files, and its documents, each read once.

The work is bounded, so that a huge workspace costs little more than a small one; what was skipped is counted.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Self

from everself.config import AgentSettings, Config, Loaded, Places, with_tunables
from everself.errors import Damaged, EverselfError, NewerSchema, UnsafePath
from everself.frozen import Frozen
from everself.lazy import part
from everself.operations.doctor.state_reading import REBUILD, RESTORE, open_readable
from everself.operations.doctor.words import failed
from everself.storage.filesystem import READ_LIMIT, TEMPORARY_PREFIX
from everself.storage.host_files import find_key
from everself.storage.paths import find_fault
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State
from everself.values import FileStat, Finding
from everself.workspace.layout import is_temporary, place

# copied from everself.workspace.state_factory, which is too slow to import for this
STATE_FILE = "state.db"
NAMES = 50_000
READ_FILES = 2_000
READ_BYTES = 16 * 1024 * 1024
# scanning Markdown and secrets costs more than reading
SCAN_BYTES = 1024 * 1024


class Listing(Frozen):
    """The files of the workspace: `found` without hidden names, `temporaries` that Everself creates."""

    found: tuple[FileStat, ...]
    temporaries: tuple[FileStat, ...]
    troubles: tuple[Finding, ...]
    whole: bool


class Documents(Frozen):
    """The contents of plain Markdown files. `left` counts those that were skipped."""

    read: Mapping[str, bytes]
    troubles: tuple[Finding, ...]
    left: int


class Case:
    """Use as a context manager, which closes the database."""

    def __init__(self, loaded: Loaded, agent: AgentSettings, now: datetime) -> None:
        self.loaded = loaded
        self.agent = agent
        self.now = now
        self.files = RealFileSystem(agent.workspace)
        self.state_files = RealFileSystem(agent.state)
        self.database = f"{agent.state}/{STATE_FILE}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if "peeked" in self.__dict__ and self.state is not None:
            self.state.close()

    @property
    def config(self) -> Config:
        return self.loaded.config

    @property
    def places(self) -> Places:
        return self.config.places

    @property
    def setup(self) -> str:
        """The command that creates what is missing."""
        return "everself setup" + ("" if self.agent.id == self.config.default_agent else f" --agent {self.agent.id}")

    @property
    def relocation(self) -> str:
        """The command that sets a new path of the workspace."""
        own = "defaults" if self.agent.id == self.config.default_agent else f"list.{self.agent.id}"
        return f"everself config set agents.{own}.workspace PATH"

    @part
    def usable(self) -> bool:
        """Whether the workspace exists and can be read."""
        folder = self.agent.workspace
        return os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK, effective_ids=True)

    @part
    def has_state(self) -> bool:
        return os.path.isdir(self.agent.state)

    @part
    def key(self) -> bytes | None:
        """The integrity key if it is valid; `check_key` reports faults."""
        try:
            return find_key(self.places.key_folder)
        except (EverselfError, OSError):
            return None

    @part
    def peeked(self) -> State | Finding | None:
        """The opened state database, or why it cannot be opened; None if there is no state."""
        if not self.has_state:
            return None
        try:
            return open_readable(self.database, self.key)
        except NewerSchema as error:
            return failed("database-newer", error, self.database)
        except (Damaged, UnsafePath) as error:
            return replace(failed("database-broken", error, self.database), mend=f"{REBUILD} {RESTORE}", fixable=True)
        except (EverselfError, OSError) as error:
            return failed("database-broken", error, self.database)

    @property
    def state(self) -> State | None:
        return self.peeked if isinstance(self.peeked, State) else None

    @part
    def listing(self) -> Listing:
        found: list[FileStat] = []
        temporaries: list[FileStat] = []
        troubles: list[Finding] = []
        folders = [""] if self.usable else []
        while folders and len(found) < NAMES:
            folder = folders.pop()
            try:
                names = self.files.list(folder)
            except FileNotFoundError:
                continue
            except (OSError, EverselfError) as error:
                troubles.append(failed("folder-unreadable", error, folder))
                continue
            for one in names:
                name = one.path.rpartition("/")[2]
                if name.startswith(TEMPORARY_PREFIX):
                    temporaries.append(one)
                elif not name.startswith("."):
                    found.append(one)
                    if one.kind == "directory" and not find_fault(one.path):
                        folders.append(one.path)
        found.sort(key=lambda one: one.path)
        return Listing(tuple(found), tuple(temporaries), tuple(troubles), not folders)

    @part
    def documents(self) -> Documents:
        """Injected files first, then the newest, which are most likely to have new faults."""
        plain = [one for one in self.listing.found if is_markdown(one) and one.kind == "file" and one.links == 1]
        plain = [one for one in plain if not find_fault(one.path)]
        plain.sort(key=lambda one: (not place(one.path).injected, -one.mtime_ns))
        read: dict[str, bytes] = {}
        troubles: list[Finding] = []
        room = READ_BYTES
        for one in plain:
            if len(read) == READ_FILES or min(one.size, READ_LIMIT) > room:
                break
            try:
                read[one.path] = self.files.read(one.path)
                room -= len(read[one.path])
            except FileNotFoundError:
                continue
            except (OSError, EverselfError) as error:
                troubles.append(failed("file-unreadable", error, one.path))
        return Documents(read, tuple(troubles), len(plain) - len(read) - len(troubles))

    @part
    def templates(self) -> Mapping[str, bytes]:
        from everself.workspace.setup import templates

        return dict(templates())

    @part
    def changed(self) -> Mapping[str, bytes]:
        """Documents that differ from their templates, as many as may be scanned."""
        taken: dict[str, bytes] = {}
        room = SCAN_BYTES
        for path, data in self.documents.read.items():
            if len(data) <= room and self.templates.get(path) != data:
                taken[path] = data
                room -= len(data)
        return taken

    @part
    def tuned(self) -> Loaded:
        """The settings with CONFIG.md applied. An unchanged template is skipped, because YAML is slow to parse."""
        data = self.documents.read.get("CONFIG.md", b"")
        same = data == self.templates["CONFIG.md"]
        return with_tunables(self.loaded, None if same else data.decode("utf-8", "replace"))


def is_markdown(one: FileStat) -> bool:
    name = one.path.rpartition("/")[2]
    return name.lower().endswith((".md", ".markdown")) and not is_temporary(name)
