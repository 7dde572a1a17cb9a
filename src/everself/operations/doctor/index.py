"""Checks the index, which is derived and can be rebuilt at any time.

The check is fast and works from outside. `everself memory status --deep` checks every row and every byte of the model's weights.
"""

import os
from collections.abc import Iterator

from everself.config.installation import install_command
from everself.errors import Damaged, DiskError, StoreBusy
from everself.operations.doctor.case import Case
from everself.operations.doctor.words import FIX, counted, listed, note, shown, warning
from everself.search.factory import index_identity, index_place, unused_place
from everself.storage.lock import FileLock
from everself.values import Finding
from everself.workspace.layout import place

# a search reads so many documents without a noticeable delay
MANY_STALE = 200
# above so many chunks the vectors are not counted
MOST_CHUNKS = 100_000
_UPDATE = "everself memory index"
_REBUILD = "everself memory rebuild"


def check_index(case: Case) -> Iterator[Finding]:
    search = case.agent.search
    if not case.usable or not search.enabled:
        return
    where = index_place(case.agent)
    whole = f"{where.folder}/{where.name}"
    away = where.folder != case.agent.state
    if away and os.path.lexists(where.folder) and not os.access(where.folder, os.W_OK | os.X_OK, effective_ids=True):
        words = (
            f"{shown(where.folder)} cannot be written: the index is kept in memory, and every command makes it again."
        )
        mend = "Make that folder writable, or: everself config unset memorySearch.store.path"
        yield warning("index-in-memory", words, mend, where.folder)
    if not os.path.lexists(whole):
        return
    from everself.search.index_file.header import read_outline

    try:
        found = read_outline(where, MOST_CHUNKS)
    except StoreBusy:
        yield note("index-busy", "Another process is writing the index.", "Wait a moment, then: everself doctor", whole)
        return
    except (Damaged, DiskError) as error:
        words = f"The index cannot be used as it is; the next search rebuilds it: {error.detail}"
        yield warning("index-broken", words, _REBUILD, whole)
        return
    if found is None:
        return
    if found.header.identity != index_identity(case.agent):
        words = "The index was made for another workspace; the next search rebuilds it."
        yield warning("index-foreign", words, _REBUILD, whole)
        return
    stale = _count_stale(case, found.stamps)
    if stale > MANY_STALE:
        words = f"Changed since they were indexed: {counted(stale, 'document')}. The next search reads them first."
        yield note("index-stale", words, _UPDATE, whole)
    waiting = 0 if found.embedded is None or search.provider == "none" else found.header.living - found.embedded
    if waiting > 0:
        words = f"Found by their words alone, because they have no vector yet: {counted(waiting, 'chunk')}."
        yield note("index-pending", words, _UPDATE, whole)


def _count_stale(case: Case, stamps: "dict[str, tuple[int, int, int, int, int]]") -> int:
    if not case.listing.whole:
        return 0
    now = {
        one.path: (one.device, one.inode, one.size, one.mtime_ns, one.ctime_ns)
        for one in case.listing.found
        if one.kind == "file" and place(one.path).indexed
    }
    changed = sum(stamps.get(path) != stamp for path, stamp in now.items())
    # documents from extra paths are named by absolute path
    return changed + sum(path not in now for path in stamps if not path.startswith("/"))


def check_index_leftovers(case: Case) -> Iterator[Finding]:
    left = find_unfinished(case)
    if left:
        words = f"Left behind by a rebuild of the index that was killed: {listed(left)}."
        yield note("index-left", words, FIX, index_place(case.agent).folder, fixable=True)
    unused = unused_place(case.agent)
    if unused is not None and unused.files.stat(unused.name) is not None:
        whole = f"{unused.folder}/{unused.name}"
        words = f"{shown(whole)} is an unused index: memorySearch.store.path names another place."
        yield note("index-unused", words, FIX, whole, fixable=True)


def find_unfinished(case: Case) -> list[str]:
    """New index files that no process is building."""
    where = index_place(case.agent)
    if not os.path.isdir(where.folder):
        return []
    left = [one.path for one in where.files.list("") if one.path.startswith(f"{where.name}.new-")]
    return [] if left and FileLock(f"{where.folder}/{where.name}.lock").is_held() else left


def check_better_model(case: Case) -> Iterator[Finding]:
    """This is an offer, not a problem."""
    from everself.models.embedding import misses_second

    if case.usable and misses_second(case.agent.search, case.loaded.config.provider):
        words = "A better model for search is not installed (95 MB, works on this machine, many languages)."
        yield note("search-better", words, install_command("quality"), case.agent.workspace)
