"""Searches every byte for forgotten words: documents, history objects, journal, database pages, and files of others.

Also the register of places in an agent's folders that contain text. Changes nothing.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from everself.memory.forgetting.forgotten_words import ForgottenWords, is_open
from everself.memory.forgetting.proof import RemainingMention, Unreachable
from everself.storage import writes
from everself.storage.damaged_files import FOLDER as ASIDE
from everself.storage.filesystem import READ_LIMIT, FileSystem
from everself.storage.history.commits import FOLDER as HISTORY
from everself.storage.history.rewriting import RewritableHistory, git_objects, remotes
from everself.storage.journal import FOLDER as JOURNAL
from everself.storage.state.scrub import Scrub
from everself.values import FileStat
from everself.workspace.layout import Kind, place

GIT: Final = ".git"
NO_TEXT: Final = "holds no text"
NOT_OURS: Final = "not Everself's"
DATABASE: Final = "database"
PAGES: Final = "database pages and write-ahead log"
HISTORY_PLACE: Final = "history"
JOURNAL_PLACE: Final = "journal"
TRANSCRIPTS: Final = "transcripts"
# the folder of `conversation.sessions`, which this package does not know
TRANSCRIPTS_FOLDER: Final = "sessions"
SET_ASIDE: Final = "files set aside as damaged"
OTHER_STATE: Final = "other state"
# open in SQLite: closing a second reader in this process would release its locks, so the file is read through SQLite
_DATABASES: Final = (".db", ".db-wal", ".db-shm", ".db-journal")

Root = Literal["workspace", "state"]


def place_of(root: Root, path: str) -> str:
    """The place that a file belongs to; empty for an unregistered file."""
    if root == "workspace":
        if path == GIT or path.startswith(f"{GIT}/"):
            return NOT_OURS
        return place(path).kind.value if is_open(path) or place(path).humans_only else NOT_OURS
    if path.startswith(f"{HISTORY}/"):
        return HISTORY_PLACE
    if path.startswith(f"{JOURNAL}/"):
        return JOURNAL_PLACE
    if path.startswith(f"{TRANSCRIPTS_FOLDER}/"):
        return TRANSCRIPTS
    if path.startswith(f"{ASIDE}/"):
        return SET_ASIDE
    if path.endswith(".lock"):
        return NO_TEXT
    return DATABASE if path.endswith(_DATABASES) and "/" not in path else ""


def search_documents(files: FileSystem, words: ForgottenWords) -> tuple[Counter[str], Counter[str]]:
    """What is left and what is mentioned in documents, by kind."""
    left, mentioned = Counter[str](), Counter[str]()
    for one in walk(files, ""):
        data = _whole(files, one) if _is_document(one) else None
        if data is not None:
            left[place_of("workspace", one.path)] += len(words.in_document(one.path, data).pieces)
            mentioned[place_of("workspace", one.path)] += words.count(data)
    return left, mentioned


class SeenFiles(NamedTuple):
    """The files below the workspace, and in which lines of the documents that were read the words remain."""

    files: Sequence[FileStat]
    lines: Mapping[str, Sequence[int]]


def search_strangers(files: FileSystem, words: ForgottenWords, seen: SeenFiles | None = None) -> list[Unreachable]:
    """Files in the workspace that contain the words and that Everself does not change. Its own documents are not read."""
    remains = []
    for one in walk(files, "") if seen is None else seen.files:
        if _is_document(one) or not words.count(_whole(files, one) or b""):
            continue
        if place(one.path).kind is Kind.TEMPORARY:
            reason = "an editor or another program keeps a copy here; close it there"
        elif is_open(one.path):
            reason = f"larger than the {READ_LIMIT} bytes that Everself reads; edit it"
        elif place(one.path).humans_only:
            continue
        else:
            reason = "not a document of Everself's; edit or remove it yourself"
        remains.append(Unreachable(one.path, reason, True))
    return remains


def _is_document(one: FileStat) -> bool:
    return is_open(one.path) and one.size <= READ_LIMIT


def search_git(files: FileSystem, real: str | None, words: ForgottenWords) -> list[Unreachable]:
    """Search the user's own repository in the workspace, which is never changed."""
    found = files.stat(GIT)
    if found is None:
        return []
    if found.kind != "directory":
        return [Unreachable(GIT, "your own git repository is in another folder and was not searched")]
    holds = any(words.count(data) for _, data in git_objects(files, GIT, None if real is None else f"{real}/{GIT}"))
    names = remotes(files, GIT)
    pushed = f", and so may its remotes ({', '.join(names)})" if names else "; it has no remote"
    says = "still holds it" if holds else "does not hold it" + (", its remotes may" if names else "")
    return [
        Unreachable(
            GIT, f"your own git repository {says}{pushed if holds else ''}", holds or (None if names else False)
        )
    ]


def search_state(files: FileSystem, words: ForgottenWords) -> Counter[str]:
    """What is left in files of the agent's state, except history and databases."""
    left = Counter[str]()
    for one in walk(files, ""):
        where = place_of("state", one.path)
        if where in (HISTORY_PLACE, DATABASE, NO_TEXT, SET_ASIDE) or one.path.endswith(_DATABASES):
            continue
        data = _whole(files, one) or b""
        kept = len(words.mentions("journal.md", data)) if where == JOURNAL_PLACE else 0
        left[where or OTHER_STATE] += max(0, words.count(data) - kept)
    return left


def search_history(history: RewritableHistory, words: ForgottenWords) -> tuple[int, int]:
    """The number of rewrites that another rewriting would make, and of mentions in all objects."""
    again = history.rewrite(words.in_document, words.in_message, keep=False)
    return again.documents + again.messages, sum(words.count(data) for _, data in history.objects())


def search_database(scrub: Scrub, words: ForgottenWords) -> tuple[int, int]:
    """The number of database texts that contain the words, and of further occurrences in its raw bytes."""
    texts = [text for _, text in scrub.texts()]
    left = sum(words.in_text(text) is not None for text in texts)
    left += scrub.searches_naming(words.ids, words.folders)
    known = sum(words.count(text.encode("utf-8", "surrogatepass")) for text in texts)
    return left, max(0, sum(words.count(data) for _, data in scrub.raw()) - known)


def mentions_in(files: FileSystem, words: ForgottenWords, seen: SeenFiles | None = None) -> list[RemainingMention]:
    """The places in documents where the words remain. Documents that the caller has seen are not read again."""
    found = []
    for one in walk(files, "") if seen is None else seen.files:
        if one.size > READ_LIMIT or not one.path.lower().endswith(".md") or one.path.startswith(words.folders):
            continue
        lines = None if seen is None else seen.lines.get(one.path)
        if lines is None:
            data = words.in_document(one.path, _whole(files, one) or b"").data or b""
            lines = words.mentions(one.path, data)
        reason = "part of another sentence, not removed" if is_open(one.path) else "yours alone to edit, not removed"
        found += [RemainingMention(f"{one.path}#L{line}", reason) for line in lines]
    return found


def backups_in(names: Sequence[str]) -> list[Unreachable]:
    return [
        Unreachable(name, "a backup made before; it may contain it, and restoring it would bring it back")
        for name in names
    ]


def walk(files: FileSystem, folder: str) -> Iterator[FileStat]:
    """Every regular file below a folder, hidden ones included, except the user's own git repository."""
    for one in files.list(folder):
        if one.kind == "directory":
            if one.path not in (GIT, HISTORY):
                yield from walk(files, one.path)
        elif one.kind == "file" and one.links == 1:
            yield one


def _whole(files: FileSystem, one: FileStat) -> bytes | None:
    try:
        return writes.find(files, one.path)
    except OSError:
        return None
