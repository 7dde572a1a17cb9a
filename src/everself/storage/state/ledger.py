"""The hash chain of the ledger: what a row's MAC covers, and how a chain is verified. Pure.

Handles keys, rows and their order. Sees no database and no text of the workspace: only ids, paths and keyed hashes.
"""

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence

from everself.frozen import Frozen

GENESIS = "0" * 64

FileHashes = tuple[str, str | None, str | None]
"""A path and the hashes of its content before and after; None if it does not exist."""


class LedgerRow(Frozen):
    seq: int
    change_id: str
    at: str
    author: str
    files: str
    previous: str
    mac: str


class ChangeSide(Frozen):
    """The same change according to its readable record, which must agree with the ledger."""

    at: str
    author: str
    paths: str


class LedgerHead(Frozen):
    """The last row of the ledger. Stored outside the database, it reveals a truncated ledger or a restored old file."""

    seq: int
    mac: str


class LedgerReport(Frozen):
    """`rows`: the number of valid rows before the first bad one."""

    rows: int
    ok: bool
    first_bad_seq: int | None = None
    reason: str = ""


class Touch(Frozen):
    """The newest row about one document: who changed it, and the keyed hash of the result.

    `before`: the hash before the first of the rows that follow one another without a change from outside in between.
    """

    author: str
    before: str | None
    after: str | None


class Since(Frozen):
    """What the ledger recorded after a head that was stored elsewhere: the new head, and the newest row about each path.

    If the chain is broken, `broken` is the reason and `newest` is empty.
    """

    head: LedgerHead
    newest: Mapping[str, Touch]
    broken: str = ""


def keyed_hash(key: bytes, content_hash: str | None) -> str | None:
    """A keyed content hash: without the key short texts cannot be guessed from it."""
    return None if content_hash is None else hmac.digest(key, content_hash.encode(), "sha256").hex()


def render_files(key: bytes, files: Sequence[FileHashes]) -> str:
    return canonical([[path, keyed_hash(key, before), keyed_hash(key, after)] for path, before, after in files])


def next_row(key: bytes, head: LedgerHead, change_id: str, stamp: tuple[str, str], files: str) -> LedgerRow:
    """The row after `head`; `stamp` is time and author."""
    at, author = stamp
    seq = head.seq + 1
    mac = _mac(key, seq, change_id, at, author, files, head.mac)
    return LedgerRow(seq, change_id, at, author, files, head.mac, mac)


def check_chain(
    key: bytes,
    rows: Iterable[tuple[LedgerRow, ChangeSide | None] | int],
    expected: LedgerHead | None = None,
) -> LedgerReport:
    """Verify the chain from its beginning. An unreadable row is passed as its bare number."""
    head = LedgerHead(0, GENESIS)
    seen_expected = expected is None or expected == head
    for item in rows:
        if isinstance(item, int):
            return LedgerReport(head.seq, False, item, "the row is not readable text")
        row, side = item
        problem = _problem(key, head, row, side)
        if not problem and expected is not None and row.seq == expected.seq:
            seen_expected = hmac.compare_digest(row.mac, expected.mac)
            problem = "" if seen_expected else "the chain is not the one whose head was kept"
        if problem:
            return LedgerReport(head.seq, False, row.seq, problem)
        head = LedgerHead(row.seq, row.mac)
    if not seen_expected:
        return LedgerReport(head.seq, False, head.seq + 1, "the end is missing: the ledger was longer before")
    return LedgerReport(head.seq, True)


def follow(key: bytes, kept: LedgerHead, rows: Iterable[tuple[LedgerRow, ChangeSide | None] | int]) -> Since:
    """Verify the chain from a stored head. `rows` begin with the row of that head, unless it is the beginning of the chain."""
    head = LedgerHead(0, GENESIS)
    newest: dict[str, Touch] = {}
    found = kept == head
    for item in rows:
        if isinstance(item, int):
            return Since(head, {}, "a row is not readable text")
        row, side = item
        # rows before the stored head were checked when it was stored
        problem = _problem(key, head if found else LedgerHead(row.seq - 1, row.previous), row, side)
        if problem or (not found and (row.seq, row.mac) != (kept.seq, kept.mac)):
            return Since(head, {}, problem or "the chain is not the one whose head was kept")
        head = LedgerHead(row.seq, row.mac)
        if found:
            for path, before, after in json.loads(row.files):
                last = newest.get(path)
                joined = last is not None and last.after == before
                newest[path] = Touch(row.author, last.before if last is not None and joined else before, after)
        found = True
    return Since(head, newest) if found else Since(head, {}, "the end is missing: the ledger was longer before")


def canonical(value: object) -> str:
    """The single JSON form of a value. ASCII, so that odd file names survive."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _problem(key: bytes, head: LedgerHead, row: LedgerRow, side: ChangeSide | None) -> str:
    if row.seq != head.seq + 1:
        return f"row {head.seq + 1} is missing" if row.seq > head.seq else "the row stands before the beginning"
    if row.previous != head.mac:
        return "the row does not follow the one before it"
    expected = _mac(key, row.seq, row.change_id, row.at, row.author, row.files, row.previous)
    if not hmac.compare_digest(expected.encode(), row.mac.encode()):
        return "the row was altered, or written with another key"
    if side is not None and not _agrees(row, side):
        return "the record of the change disagrees with the ledger"
    return ""


def _agrees(row: LedgerRow, side: ChangeSide) -> bool:
    # row.files is verified at this point; side.paths is not
    try:
        paths = json.loads(side.paths)
    except ValueError:
        return False
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return False
    return (side.at, side.author, set(paths)) == (row.at, row.author, {file[0] for file in json.loads(row.files)})


def _mac(key: bytes, *fields: str | int) -> str:
    # the input begins with "[", and a content hash never does, so one key can serve both
    return hmac.digest(key, canonical(list(fields)).encode(), "sha256").hex()
