"""When each line of a document was written, according to the user's own git repository. Reads only, to a limited depth.

Everself's own history is `commits.py`; the user's may be shallow, damaged or very long. A line that it cannot date has no day.
"""

import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dulwich.diff_tree import TreeChange
    from dulwich.objects import Commit, ObjectID
    from dulwich.repo import Repo

# limits: commits examined, newest first, and bytes of one version of a document
COMMITS: Final = 5_000
LARGEST: Final = 4 << 20
Days = tuple[date | None, ...]


def line_days(folder: str, documents: Mapping[str, bytes], *, commits: int = COMMITS) -> dict[str, Days]:
    """The day of each line of these documents, by path: the day of the commit that added the line in its present form.

    Empty if the folder is in no repository. None for a line that was never committed, or before the examined commits.
    """
    from dulwich.errors import FileFormatException, NotGitRepository, ObjectFormatException
    from dulwich.repo import Repo

    try:
        with Repo.discover(folder) as repo:
            top = os.path.relpath(os.path.realpath(folder), os.path.realpath(repo.path))
            prefix = "" if top == "." else f"{top}/".replace(os.sep, "/")
            follower = _Follower(repo, {f"{prefix}{path}": data for path, data in documents.items()})
            follower.follow(commits)
    except NotGitRepository:
        return {}
    except (FileFormatException, ObjectFormatException, zlib.error, OSError, KeyError, ValueError, AssertionError):
        # an unreadable repository gives no dates
        return {}
    return {path: follower.days(f"{prefix}{path}") for path in documents}


@dataclass(slots=True)
class _Followed:
    """A document traced back through the commits: its path there, the lines still without a day, and the days found."""

    at: bytes
    left: set[bytes]
    days: dict[bytes, date]


class _Follower:
    def __init__(self, repo: "Repo", documents: Mapping[str, bytes]) -> None:
        self._repo = repo
        self._lines = {path: _lines(data) for path, data in documents.items()}
        self._followed = {path: _Followed(path.encode(), set(), {}) for path in documents}

    def days(self, path: str) -> Days:
        found = self._followed[path].days
        return tuple(found.get(line) for line in self._lines[path])

    def follow(self, most: int) -> None:
        commits = list(self._commits(most))
        if not commits:
            return
        self._begin(commits[0])
        for number, commit in enumerate(commits):
            if not any(one.left for one in self._followed.values()):
                return
            before = commits[number + 1] if number + 1 < len(commits) else None
            if before is None and commit.parents:
                # earlier commits are missing, so it is unknown whether this commit added the lines
                return
            self._compare(commit, before)

    def _commits(self, most: int) -> "Iterator[Commit]":
        """Yield the commits from HEAD along the first parents."""
        from dulwich.objects import Commit

        try:
            name = self._repo.head()
        except KeyError:
            return
        for _ in range(most):
            try:
                found = self._repo.object_store[name]
            except KeyError:
                # end of a shallow clone
                return
            if not isinstance(found, Commit):
                return
            yield found
            if not found.parents:
                return
            name = found.parents[0]

    def _begin(self, head: "Commit") -> None:
        """Start with the lines that HEAD contains; lines that were never committed have no day."""
        from dulwich.object_store import tree_lookup_path

        for path, followed in self._followed.items():
            try:
                _, sha = tree_lookup_path(self._repo.object_store.__getitem__, head.tree, followed.at)
            except (KeyError, NotADirectoryError):
                continue
            followed.left = set(self._lines[path]) & self._read(sha)

    def _compare(self, commit: "Commit", before: "Commit | None") -> None:
        from dulwich.diff_tree import tree_changes

        changes = list(tree_changes(self._repo.object_store, before.tree if before else None, commit.tree))
        by_name = {one.new.path: one for one in changes if one.new is not None and one.new.path is not None}
        gone = {one.old.sha: one.old.path for one in changes if one.new is None and one.old is not None}
        for followed in self._followed.values():
            change = by_name.get(followed.at)
            if change is not None and followed.left:
                self._date(followed, change, gone, _day(commit))

    def _date(
        self,
        followed: _Followed,
        change: "TreeChange",
        gone: "Mapping[ObjectID, bytes]",
        day: date,
    ) -> None:
        old, new = change.old, change.new
        if old is None or old.sha is None:
            moved = gone.get(new.sha) if new is not None else None
            if moved is not None:
                followed.at = moved
                return
        kept = self._read(old.sha) if old is not None and old.sha is not None else set()
        for line in followed.left - kept:
            followed.days[line] = day
        followed.left &= kept

    def _read(self, sha: bytes) -> set[bytes]:
        from dulwich.objects import Blob, ObjectID

        found = self._repo.object_store[ObjectID(sha)]
        if not isinstance(found, Blob) or found.raw_length() > LARGEST:
            return set()
        return set(_lines(found.data))


def _lines(data: bytes) -> tuple[bytes, ...]:
    return tuple(line.rstrip() for line in data.split(b"\n"))


def _day(commit: "Commit") -> date:
    """The commit's date in the author's time zone."""
    local = datetime.fromtimestamp(commit.author_time, UTC) + timedelta(seconds=commit.author_timezone)
    return local.date()
