"""What the tests of backups stand on: a small agent with odd files, in a home of its own."""

import os
from pathlib import Path

from everself.agent import open_runtime
from everself.errors import Damaged
from everself.operations.backup.check import verify
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.values import Append, Author, Change

ODD = {
    "memory/2026-03-19.md": b"\xef\xbb\xbf# Log\r\n\r\nnul \x00 and \xff\xfe\r\n",
    "memory/봄/" + "長" * 60 + ".md": "차\n".encode(),
    ".obsidian/app.json": b"{}",
    ".git/HEAD": b"ref: refs/heads/main\n",
    "empty.md": b"",
    "picture.bin": bytes(range(256)) * 20,
}


def agent_in(home: Path) -> Runtime:
    return open_runtime(environ={"HOME": str(home)})


def damage_of(backup: str) -> str:
    """What is wrong with it; empty where it is whole."""
    try:
        verify(backup)
    except Damaged as error:
        return error.detail
    return ""


def make_agent(home: Path) -> Path:
    """An agent with a little life. Its workspace."""
    with agent_in(home) as app:
        set_up(app)
        app.workspace.apply(Change(Author.OWNER, "tea", (Append("MEMORY.md", b"- likes tea\n"),)))
    workspace = Path(app.agent.workspace)
    for name, data in ODD.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_bytes(data)
    (workspace / ".git/hook").write_bytes(b"#!/bin/sh\n")
    (workspace / ".git/hook").chmod(0o755)
    (workspace / "nothing/here").mkdir(parents=True)
    return workspace


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, every folder with None."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if not path.is_symlink()
    }


def everything(home: Path) -> dict[str, bytes | None]:
    """A home as it stands, without what only opening a database or taking a lock leaves."""
    found = tree(home)
    return {name: data for name, data in found.items() if not name.endswith((".lock", "-wal", "-shm"))}


def modes(folder: Path) -> set[tuple[str, int]]:
    return {("folder" if path.is_dir() else "file", os.lstat(path).st_mode & 0o777) for path in folder.rglob("*")}
