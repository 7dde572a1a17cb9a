"""Files and folders outside the workspace that the settings include in searches. Read-only."""

import os
from dataclasses import replace

from everself.config import AgentSettings, Places
from everself.storage.filesystem import READ_LIMIT, disk_errors
from everself.storage.real_disk import RealFileSystem
from everself.values import Document, FileStat


class ExtraPath:
    """A file or folder of `memorySearch.extraPaths`, read only. Its documents have absolute paths."""

    def __init__(self, path: str) -> None:
        self._path = path

    def list(self, under: str = "") -> list[FileStat]:  # noqa: ARG002 (the protocol's)
        found: list[FileStat] = []
        if os.path.isfile(self._path):
            folder, name = os.path.split(self._path)
            with disk_errors(self._path):
                stat = RealFileSystem(folder).stat(name)
            return [replace(stat, path=self._path)] if stat is not None else []
        if not os.path.isdir(self._path):
            return []
        files = RealFileSystem(self._path)
        folders = [""]
        while folders:
            with disk_errors(self._path):
                for one in files.list(folders.pop()):
                    if one.path.rpartition("/")[2].startswith("."):
                        continue
                    if one.kind == "directory":
                        folders.append(one.path)
                    elif one.path.endswith((".md", ".markdown", ".txt")):
                        found.append(replace(one, path=f"{self._path}/{one.path}"))
        return sorted(found, key=lambda one: one.path)

    def find(self, path: str) -> Document | None:
        folder, name = os.path.split(path)
        if path != self._path and not path.startswith(f"{self._path}/"):
            return None
        files = RealFileSystem(folder)
        with disk_errors(path):
            stat = files.stat(name)
            if stat is None or stat.kind != "file":
                return None
            return Document(path, files.read(name), max(0, stat.size - READ_LIMIT))


def open_extra_paths(agent: AgentSettings, places: Places) -> list[ExtraPath]:
    """The extra paths in the settings of an agent."""
    return [ExtraPath(_absolute(agent, places, path)) for path in agent.search.extra_paths]


def _absolute(agent: AgentSettings, places: Places, path: str) -> str:
    """Expand `~`; a relative path starts at the workspace."""
    if path.startswith("~"):
        path = places.expand(path, "memorySearch.extraPaths")
    return os.path.normpath(os.path.join(agent.workspace, path))
