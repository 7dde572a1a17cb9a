"""`state.db`: which changes were applied, by whom and why, and the ledger that proves them.

Handles tables and the hash chain. Does not read files or history and does not apply changes; callers report those.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Self

from everself.errors import Damaged, NotFound, WrongUse
from everself.storage.engine import Engine, Reader, Row, Value, Writer
from everself.storage.state._queries import load_queries
from everself.storage.state.baselines import Baselines
from everself.storage.state.entries import EntryRows
from everself.storage.state.jobs import Jobs
from everself.storage.state.ledger import (
    GENESIS,
    ChangeSide,
    FileHashes,
    LedgerHead,
    LedgerReport,
    LedgerRow,
    Since,
    canonical,
    check_chain,
    follow,
    keyed_hash,
    next_row,
    render_files,
)
from everself.storage.state.messages import Messages
from everself.storage.state.migrate import apply_migrations, load_migrations, plan_migrations
from everself.storage.state.personas import Personas
from everself.storage.state.proposals import Proposals
from everself.storage.state.provenance import ProvenanceRecords, mac_of, record_provenance
from everself.storage.state.reviews import Reviews
from everself.storage.state.scrub import Scrub
from everself.storage.state.searches import Searches
from everself.storage.state.spend import Spend
from everself.text.folding import whole
from everself.values import Author, ChangeRecord, ProvenanceRecord

_SQL = load_queries("state")
_PAGE = 500
_CANDIDATES_SHOWN = 10
_SMALLEST_SEQ = -(2**63)
_LARGEST_SEQ = 2**63 - 1
_SHORTEST_KEY = 16


def open_state(
    path: str,
    key: bytes,
    *,
    vfs: str | None = None,
    exclusive: bool = False,
    busy_timeout: float = 10.0,
    read_only: bool = False,
) -> "State":
    """Open `state.db` and migrate it to the newest schema. `key`: the integrity key of the ledger's chain."""
    engine = Engine.open(path, vfs=vfs, exclusive=exclusive, busy_timeout=busy_timeout, read_only=read_only)
    state = None
    try:
        known = load_migrations("state")
        if not read_only:
            apply_migrations(engine, known)
        elif plan_migrations(engine, known):
            raise WrongUse(f"{path} has an older schema and must be opened for writing once.")
        state = State(engine, key)
    finally:
        if state is None:
            engine.close()
    return state


class State:
    def __init__(self, engine: Engine, key: bytes) -> None:
        if len(key) < _SHORTEST_KEY:
            raise WrongUse(f"The integrity key has {len(key)} bytes; it needs {_SHORTEST_KEY}.")
        self.engine = engine
        self._key = key
        self.provenance = ProvenanceRecords(engine, key)
        self.entries = EntryRows(engine, key)
        self.scrub = Scrub(engine)
        self.searches = Searches(engine)
        self.baselines = Baselines(engine, key)
        self.proposals = Proposals(engine)
        self.personas = Personas(engine)
        self.reviews = Reviews(engine)
        self.jobs = Jobs(engine)
        self.messages = Messages(engine, key)
        self.spend = Spend(engine)
        self.files = self.provenance.written

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.engine.close()

    def record_change(
        self,
        record: ChangeRecord,
        files: Sequence[FileHashes],
        provenance: Sequence[ProvenanceRecord] = (),
        key: str = "",
    ) -> bool:
        """Record an applied change with its provenance records and its key. Returns false if the change id is already recorded.

        `files` must name the paths of the record, with plain content hashes; only keyed hashes are stored.
        """
        if record.at.tzinfo is None:
            raise WrongUse(f"The time of change {record.id} has no UTC offset.")
        if {path for path, _, _ in files} != set(record.paths):
            raise WrongUse(f"The files of change {record.id} do not match its record.")
        at = record.at.isoformat()
        rendered = render_files(self._key, files)

        def insert(writer: Writer) -> bool:
            if writer.row(_SQL["has_change"], (record.id,)) is not None:
                return False
            row = next_row(self._key, _head(writer), record.id, (at, record.author.value), rendered)
            writer.run(_SQL["add_change"], _to_row(record, at))
            values = (row.seq, row.change_id, row.at, row.author, row.files, row.previous, row.mac)
            writer.run(_SQL["add_ledger_row"], values)
            record_provenance(writer, self._key, provenance, at)
            self.entries.note_expected(writer, files)
            if key:
                writer.run(_SQL["add_key"], (mac_of(self._key, key), record.id))
            return True

        return self.engine.write(insert)

    def change_of_key(self, key: str) -> ChangeRecord | None:
        """The change that was recorded with this key."""
        found = self.engine.read(_SQL["change_of_key"], (mac_of(self._key, key),))
        return self._to_record(found[0]) if found else None

    def has_change(self, change_id: str) -> bool:
        return bool(self.engine.read(_SQL["has_change"], (change_id,)))

    def find_change(self, name: str) -> ChangeRecord:
        """Find a change by its id, by a unique beginning of it, or by `last` for the newest."""
        name = whole(name)
        if not name:
            raise WrongUse("Give the id of a change, the beginning of its id, or `last`.")
        found = self.engine.read(_SQL["get_change"], (name,))
        if not found and name == "last":
            found = self.engine.read(_SQL["newest_change"])
        if not found:
            asked: dict[str, Value] = {"prefix": name, "limit": _CANDIDATES_SHOWN + 1}
            found = self.engine.read(_SQL["changes_by_prefix"], asked)
        if not found:
            raise _unknown(name)
        if len(found) > 1:
            shown = ", ".join(row[0] for row in found[:_CANDIDATES_SHOWN])
            more = " and more" if len(found) > _CANDIDATES_SHOWN else ""
            raise WrongUse(f'"{name}" is ambiguous: {shown}{more}.', mend="Give more characters of the id.")
        return self._to_record(found[0])

    def list_changes(self, limit: int = 50, *, path: str | None = None) -> list[ChangeRecord]:
        """The changes, newest first."""
        params: dict[str, Value] = {"limit": limit, "path": None if path is None else whole(path)}
        return [self._to_record(row) for row in self.engine.read(_SQL["list_changes"], params)]

    def set_commits(self, commits: Mapping[str, str | None]) -> None:
        """Store the history commit of each change (None: no longer in the history). Unknown changes are ignored.

        Called again after a rewrite of the history.
        """

        def note(writer: Writer) -> None:
            for change_id, commit_id in commits.items():
                writer.run(_SQL["set_commit"], (change_id, commit_id))

        if commits:
            self.engine.write(note)

    def commit_of(self, change_id: str) -> str | None:
        found = self.engine.read(_SQL["commit_of"], (change_id,))
        if not found:
            raise _unknown(change_id)
        commit: str | None = found[0][0]
        return commit

    def commits(self) -> dict[str, str]:
        """The commit of each change, oldest first."""
        return {str(change): str(commit) for change, commit in self.engine.read(_SQL["commits"])}

    def newest_commit(self) -> str | None:
        """The commit of the newest change that has one."""
        found = self.engine.read(_SQL["newest_commit"])
        return str(found[0][0]) if found else None

    def changes_without_commit(self) -> list[ChangeRecord]:
        """Changes that the history does not contain yet, oldest first."""
        return [self._to_record(row) for row in self.engine.read(_SQL["changes_without_commit"])]

    def ledger_head(self) -> LedgerHead:
        with self.engine.snapshot() as view:
            return _head(view)

    def verify_ledger(self, expected_head: LedgerHead | None = None) -> LedgerReport:
        """Check that every row is unaltered. A truncated end is detected only against a head that was stored elsewhere."""
        with self.engine.snapshot() as view:
            report = check_chain(self._key, _walk(view), expected_head)
            stray = view.rows(_SQL["change_without_ledger_row"])[0][0]
        if report.ok and stray:
            return LedgerReport(report.rows, False, None, f"{stray} recorded changes are not in the ledger")
        return report

    def ledger_since(self, kept: LedgerHead) -> Since:
        """The changes recorded after a head that was stored elsewhere, provided the chain still continues from it."""
        with self.engine.snapshot() as view:
            return follow(self._key, kept, _walk(view, kept.seq if kept.seq else _SMALLEST_SEQ))

    def keyed(self, text: str) -> str:
        """The keyed hash of a text as in the ledger; it cannot be computed without the key."""
        return keyed_hash(self._key, text) or ""

    def get_meta(self, key: str) -> str | None:
        found = self.engine.read(_SQL["get_meta"], (key,))
        return str(found[0][0]) if found else None

    def set_meta(self, key: str, value: str) -> None:
        self.engine.write(lambda writer: writer.run(_SQL["set_meta"], (key, value)))

    def _to_record(self, row: Row) -> ChangeRecord:
        change_id, at, author, reason, paths, evidence, undoes, forgotten = row
        try:
            return ChangeRecord(
                id=change_id,
                at=datetime.fromisoformat(at),
                author=Author(author),
                reason=reason,
                paths=tuple(json.loads(paths)),
                evidence=tuple(json.loads(evidence)),
                undoes=undoes,
                forgotten=bool(forgotten),
            )
        except ValueError as error:
            raise Damaged(f"{self.engine.path}: change {change_id} cannot be read ({error}).") from error


def _head(reader: Reader) -> LedgerHead:
    row = reader.row(_SQL["ledger_head"])
    return LedgerHead(0, GENESIS) if row is None else LedgerHead(row[0], row[1])


def _walk(view: Reader, start: int = _SMALLEST_SEQ) -> Iterator[tuple[LedgerRow, ChangeSide | None] | int]:
    # start at the lowest possible number, because a forged row may have any
    while page := view.rows(_SQL["ledger_page"], (start, _PAGE)):
        for seq, *columns in page:
            row, side = _decode(columns[:6]), _decode(columns[6:])
            if row is None or (side is None and columns[6] is not None):
                yield seq
            else:
                yield LedgerRow(seq, *row), ChangeSide(*side) if side is not None else None
        if page[-1][0] == _LARGEST_SEQ:
            return
        start = page[-1][0] + 1


def _decode(columns: list[bytes | None]) -> list[str] | None:
    try:
        return [column.decode() for column in columns if column is not None] if None not in columns else None
    except UnicodeDecodeError:
        return None


def _to_row(record: ChangeRecord, at: str) -> tuple[str, ...]:
    evidence, paths = canonical(record.evidence), canonical(record.paths)
    # a lone surrogate cannot be encoded in UTF-8, but the change is on disk already and must be recorded
    return record.id, at, record.author.value, whole(record.reason), evidence, record.undoes, paths


def _unknown(name: str) -> NotFound:
    return NotFound(f'change "{name}".', mend="everself log")
