"""Determines the project of a folder from the origin of its git repository. Only git's own files are read, no file of the repository.

Worktrees of a repository are one project, a fork is another. A repository without an origin is identified by its folder. A folder outside
of repositories belongs to no project.
"""

import os
import stat
from hashlib import sha256
from typing import Final

from everself.frozen import Frozen
from everself.text.normalise import slug

# limit for git's small files
_MOST: Final = 256 * 1024
_DEEPEST: Final = 64
_NAME: Final = 55
_MARK: Final = 8
_SCHEMES: Final = ("https://", "http://", "ssh://", "git://", "git+ssh://", "ssh+git://")


class Project(Frozen):
    """`slug` is the folder name below `projects/`; `origin` is the normalised address that identifies the project."""

    slug: str
    origin: str


def find_project(folder: str) -> Project | None:
    """The project of a folder; None outside of repositories. Never raises."""
    try:
        top = _top_of(os.path.realpath(folder)) if os.path.isabs(folder) else ""
    except (OSError, ValueError):
        return None
    if not top:
        return None
    origin = normal_origin(_origin_of(_common_folder(top))) or f"folder:{os.path.dirname(_common_folder(top)) or top}"
    name = slug(origin.removeprefix("folder:").rpartition("/")[2] if origin.startswith("folder:") else origin)
    mark = sha256(origin.encode("utf-8", "surrogateescape")).hexdigest()[:_MARK]
    return Project(f"{name[:_NAME].rstrip('-')}-{mark}", origin)


def normal_origin(url: str) -> str:
    """Gives `git@github.com:Acme/Rocket.git` and `https://me:pw@github.com/Acme/Rocket` the same form; empty for a local path."""
    text = url.strip()
    lower = text.lower()
    scheme = next((one for one in _SCHEMES if lower.startswith(one)), "")
    if scheme:
        host, _, path = text[len(scheme) :].partition("/")
        host = host.rpartition("@")[2]
    else:
        # git's short form user@host:path; a colon after a slash belongs to a path
        host, colon, path = text.partition(":")
        if not colon or "/" in host or len(host.rpartition("@")[2]) < 2:
            return ""
        host = host.rpartition("@")[2]
    name, _, port = host.rpartition(":")
    host = name if name and port.isdigit() else host
    # host names ignore case, and so do the large forges
    path = path.strip("/").removesuffix(".git").strip("/").lower()
    return f"{host.lower()}/{path}" if host and path else ""


def _top_of(folder: str) -> str:
    """The nearest parent folder that contains a repository."""
    for _ in range(_DEEPEST):
        if _common_folder(folder):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return ""


def _common_folder(top: str) -> str:
    """git's own folder for the repository at this path; empty if there is none.

    A `.git` file names it. It is accepted only if that folder points back here, because a repository could name any folder.
    """
    named = os.path.join(top, ".git")
    try:
        kind = os.lstat(named).st_mode
    except OSError:
        return ""
    if stat.S_ISDIR(kind):
        return named if os.path.isfile(os.path.join(named, "HEAD")) else ""
    if not stat.S_ISREG(kind):
        return ""
    text = _read(named).strip()
    if not text.startswith("gitdir:"):
        return ""
    own = os.path.realpath(os.path.join(top, text.removeprefix("gitdir:").strip()))
    back = _read(os.path.join(own, "gitdir")).strip()
    if back and os.path.realpath(os.path.join(own, back)) == os.path.realpath(named):
        return os.path.realpath(os.path.join(own, _read(os.path.join(own, "commondir")).strip() or "."))
    # a submodule: its config names the worktree
    tree = _setting(_read(os.path.join(own, "config")), "core", "worktree")
    return own if tree and os.path.realpath(os.path.join(own, tree)) == os.path.realpath(top) else ""


def _origin_of(git: str) -> str:
    return _setting(_read(os.path.join(git, "config")), 'remote "origin"', "url")


def _setting(text: str, section: str, key: str) -> str:
    """The last value of a key. Includes are not followed."""
    inside, found = False, ""
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("["):
            inside = bare.partition("]")[0].removeprefix("[").strip().casefold() == section.casefold()
        elif inside:
            name, equals, value = bare.partition("=")
            if equals and name.strip().lower() == key:
                found = value.strip().strip('"')
    return found


def _read(path: str) -> str:
    try:
        # non-blocking: the path may be a FIFO or a device
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    with open(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return ""
        return file.read(_MOST).decode("utf-8", "replace")
