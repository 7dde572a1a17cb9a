"""Checks who else can read the files: permissions of all our folders, and secrets in documents."""

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.operations.doctor.case import Case
from everself.operations.doctor.words import FIX, counted, shown, warning
from everself.operations.gateway import folder_of
from everself.storage.host_files import KEY_FILE
from everself.storage.real_disk import RealFileSystem
from everself.values import FileStat, Finding

OTHERS = 0o077
OTHERS_WRITE = 0o022
_SEPARATOR = "\n\n\n"


class Exposed(Frozen):
    """Files with permissions for others below a folder; `""` is the folder itself."""

    what: str
    folder: str
    modes: dict[str, int]


def find_exposed(case: Case) -> Iterator[Exposed]:
    """All files of the agent that the group or others can access, by folder."""
    if case.usable:
        yield _exposed("workspace", case.agent.workspace, case.listing.found)
    if case.has_state:
        yield _exposed("state folder", case.agent.state, _state_files(case.state_files))
    index, name = os.path.split(case.agent.search.store_path)
    if index != case.agent.state and os.path.isdir(index):
        yield _exposed("index", index, _named(index, name, f"{name}.lock", f"{name}-journal"), itself=False)
    keys = case.places.key_folder
    if os.path.isdir(keys):
        yield _exposed("key folder", keys, _named(keys, KEY_FILE))
    gateway = folder_of(case.places)
    if os.path.isdir(gateway):
        yield _exposed("gateway", gateway, RealFileSystem(gateway).list(""))
    folder, host = os.path.split(case.places.host_file)
    secrets = os.path.basename(case.places.secrets_file)
    if os.path.isdir(folder):
        ours = folder in (case.places.home, keys)
        yield _exposed("settings", folder, _named(folder, host, secrets), itself=ours)


def check_permissions(case: Case) -> Iterator[Finding]:
    for one in find_exposed(case):
        if not one.modes:
            continue
        writable = [path for path, mode in one.modes.items() if mode & OTHERS_WRITE]
        example = min(writable or one.modes, key=lambda path: (path.count("/"), path))
        name = shown(f"{one.folder}/{example}" if example else one.folder)
        right, found = ("change", writable) if writable else ("read", list(one.modes))
        many = counted(len(found), "file or folder", "files and folders")
        words = (
            f"Others on this machine may {right} {many} of the {one.what}, such as {name} ({one.modes[example]:04o})."
        )
        severe = bool(writable) or one.what == "key folder"
        yield Finding("error" if severe else "warning", "open-to-others", words, FIX, one.folder, fixable=True)


def check_secrets(case: Case) -> Iterator[Finding]:
    if not case.changed:
        return
    from everself.text.redaction import find_secrets

    starts: list[int] = []
    parts: list[str] = []
    length = 0
    for data in case.changed.values():
        starts.append(length)
        parts += (data.decode("utf-8", "replace"), _SEPARATOR)
        length += len(parts[-2]) + len(_SEPARATOR)
    text = "".join(parts)
    paths = list(case.changed)
    for secret in find_secrets(text):
        which = bisect_right(starts, secret.start) - 1
        line = text.count("\n", starts[which], secret.start) + 1
        words = f"Line {line} of {shown(paths[which])} holds what looks like a secret ({secret.kind})."
        mend = "Take it out, and replace it where it was issued: whoever can read the file has it."
        yield warning("secret-in-document", words, mend, paths[which])


def _exposed(what: str, folder: str, found: Sequence[FileStat], *, itself: bool = True) -> Exposed:
    modes = {one.path: one.mode for one in found if one.kind in ("file", "directory") and one.mode & OTHERS}
    mode = os.stat(folder).st_mode & 0o7777
    if itself and mode & OTHERS:
        modes[""] = mode
    return Exposed(what, folder, modes)


def _state_files(files: RealFileSystem) -> list[FileStat]:
    """The state without the thousands of objects in the history, whose folders are checked."""
    found: list[FileStat] = []
    for folder in ("", "journal", "history.git"):
        try:
            found += files.list(folder)
        except (OSError, EverselfError):
            continue
    return found


def _named(folder: str, *names: str) -> list[FileStat]:
    files = RealFileSystem(folder)
    return [found for name in names if (found := files.stat(name)) is not None]
