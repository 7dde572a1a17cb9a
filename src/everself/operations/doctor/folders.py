"""Checks folders, disk space and neighbouring workspaces."""

import os
from collections.abc import Iterator
from contextlib import suppress

from everself.operations.doctor.case import Case
from everself.operations.doctor.words import bad, command, megabytes, note, shown, warning
from everself.values import Finding

FULL = 1_000_000
NEARLY_FULL = 100_000_000
FEW_INODES = 100
_MARKS_OF_A_WORKSPACE = ("SOUL.md", "IDENTITY.md", "AGENTS.md", "MEMORY.md")


def check_workspace(case: Case) -> Iterator[Finding]:
    path = case.agent.workspace
    name = shown(path)
    if os.path.isdir(path):
        yield from _check_access(case)
    elif os.path.islink(path):
        words = f"{name} is a link to {shown(os.readlink(path))}, which is missing or not a folder."
        yield bad("workspace-dangling", words, f"Restore that folder, or set its new path: {case.relocation}", path)
    elif os.path.lexists(path):
        words = f"{name} should be the workspace, but it is not a folder."
        mend = f"{command('mv', path, path + '.old')}, then: {case.setup}"
        yield bad("workspace-no-folder", words, mend, path)
    else:
        # raises if it exists but is hidden by permissions, or by a file in place of a folder
        with suppress(FileNotFoundError):
            os.lstat(path)
        yield bad("workspace-missing", f"There is no workspace at {name} yet.", case.setup, path)


def _check_access(case: Case) -> Iterator[Finding]:
    path = case.agent.workspace
    mend = f"Check who owns it: {command('ls', '-ld', path)}"
    if not case.usable:
        words = "You may not look into the workspace; the agent cannot run."
        yield bad("workspace-unreadable", words, mend, path)
    elif os.statvfs(path).f_flag & os.ST_RDONLY:
        words = "The workspace is on a disk that is mounted read-only; the agent can read and remember nothing new."
        yield bad("workspace-read-only", words, f"Remount it writable, or move the folder and: {case.relocation}", path)
    elif not os.access(path, os.W_OK, effective_ids=True):
        words = "You may not write in the workspace; the agent can read and remember nothing new."
        yield bad("workspace-not-writable", words, mend, path)


def check_state(case: Case) -> Iterator[Finding]:
    path = case.agent.state
    if not case.usable:
        return
    if os.path.lexists(path) and not case.has_state:
        words = f"{shown(path)} should be the folder of the agent's state, but it is not a folder."
        mend = f"{command('mv', path, path + '.old')}, then: {case.setup}"
        yield bad("state-no-folder", words, mend, path)
    elif not case.has_state:
        words = "This workspace has no state on this machine yet: nothing of it is in a log or can be undone."
        yield warning("state-missing", words, case.setup, path)
    elif not os.access(path, os.R_OK | os.W_OK | os.X_OK, effective_ids=True):
        words = f"Permission denied: {shown(path)} cannot be read and written, which holds the agent's state; nothing can be changed."
        yield bad("state-not-writable", words, f"Check it: {command('ls', '-ld', path)}", path)
    if _is_inside(path, case.agent.workspace):
        words = "The agent's state is inside its own workspace, so everybody with access to the files can read it."
        yield bad("state-inside", words, "Set EVERSELF_HOME to a folder outside the workspace.", path)


def check_space(case: Case) -> Iterator[Finding]:
    seen = set()
    for path in (case.agent.workspace, case.agent.state, case.places.home):
        if not os.path.isdir(path) or os.stat(path).st_dev in seen:
            continue
        seen.add(os.stat(path).st_dev)
        disk = os.statvfs(path)
        free = disk.f_bavail * disk.f_frsize
        look = f"Free some space; {command('df', '-h', path)} shows it."
        if disk.f_blocks and free < FULL:
            words = f"The disk of {shown(path)} is full ({free:,} bytes left); nothing can be written."
            yield bad("disk-full", words, look, path)
        elif disk.f_blocks and free < NEARLY_FULL:
            words = f"The disk of {shown(path)} is nearly full ({megabytes(free)} left)."
            yield warning("disk-nearly-full", words, look, path)
        elif disk.f_files and disk.f_favail < FEW_INODES:
            words = f"The disk of {shown(path)} has no room for more files ({disk.f_favail} left)."
            mend = f"Remove files you do not need; {command('df', '-i', path)} shows it."
            yield bad("disk-full", words, mend, path)


def check_neighbours(case: Case) -> Iterator[Finding]:
    """Nested workspaces: two agents would remember the same files."""
    if not case.usable:
        return
    names = {one.path for one in case.listing.found}
    folders = {path.rpartition("/")[0] for path in names if path.endswith(_MARKS_OF_A_WORKSPACE) and "/" in path}
    for folder in sorted(folders):
        if folder.split("/")[0] != "agents" and _is_workspace(
            f"{folder}/{mark}" in names for mark in _MARKS_OF_A_WORKSPACE
        ):
            words = f"{shown(folder)} looks like another workspace; its files count as this agent's."
            yield warning("workspace-nested", words, "Move that folder out of this workspace.", folder)
    above = os.path.dirname(os.path.realpath(case.agent.workspace))
    while above != os.path.dirname(above):
        if _is_workspace(os.path.isfile(f"{above}/{mark}") for mark in _MARKS_OF_A_WORKSPACE):
            words = f"This workspace lies inside another one, {shown(above)}."
            yield warning("workspace-nested", words, f"Move the folder out and: {case.relocation}", above)
        above = os.path.dirname(above)


def check_own_git(case: Case) -> Iterator[Finding]:
    if not case.usable:
        return
    found = case.files.stat(".git/config")
    if found is None or found.kind != "file":
        return
    settings = case.files.read(".git/config", 0, 1 << 16).decode("utf-8", "replace")
    if '[remote "' in settings:
        words = "The workspace is your own git repository with a remote; Everself never writes to it."
        yield note("own-git", words, "Keep that remote private: what you push there is the memory.", ".git")


def _is_workspace(marks: Iterator[bool]) -> bool:
    return sum(marks) >= 2


def _is_inside(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + "/")
