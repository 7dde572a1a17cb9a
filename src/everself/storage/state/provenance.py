"""Provenance records of entries: who stated their text, keyed so that only this installation can create them.

Also the origins of text that tools wrote, as keyed hashes of contents, of single lines and of entries' texts. Reads no
file and no entry.
"""

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence

from everself.clock import system_now
from everself.storage.engine import Engine, Row, Writer
from everself.storage.state._queries import load_queries
from everself.storage.state.ledger import canonical, keyed_hash
from everself.values import ProvenanceRecord, digest

_SQL = load_queries("vouchers")
_FILES_SQL = load_queries("file_origins")


def mac_of(key: bytes, text: str) -> str:
    """A keyed hash, meaningless without the key."""
    return hmac.digest(key, b"text " + text.encode("utf-8", "surrogatepass"), "sha256").hex()


def record_provenance(writer: Writer, key: bytes, provenance: Iterable[ProvenanceRecord], at: str) -> None:
    """Write provenance records within the caller's transaction. A newer record of an entry replaces the older one."""
    for one in provenance:
        lineage = canonical(list(one.lineage))
        text = mac_of(key, one.text)
        mac = _seal(key, one.entry, one.source, one.tag, lineage, text)
        writer.run(_SQL["put_voucher"], (one.entry, one.source, one.tag, lineage, text, at, mac))
        writer.run(_SQL["mark_vouched"], (one.entry, text))


class ProvenanceRecords:
    """Returns only genuine provenance records. `written`: the origins of text without a record of its own."""

    def __init__(self, engine: Engine, key: bytes) -> None:
        self._engine = engine
        self._key = key
        self.written = FileOrigins(engine, key)

    def all(self) -> dict[str, ProvenanceRecord]:
        """Every genuine provenance record, by entry. `text` is the keyed hash of the entry's text, see `mac_of`."""
        return self._genuine(self._engine.read(_SQL["all_vouchers"]))

    def find(self, entries: Sequence[str]) -> dict[str, ProvenanceRecord]:
        return self._genuine(self._engine.read(_SQL["find_vouchers"], (json.dumps(list(entries)),)))

    def put(self, provenance: Sequence[ProvenanceRecord], at: str) -> None:
        """Write provenance records outside a change: when the owner vouches for an adopted workspace or releases a quarantined entry."""
        self._engine.write(lambda writer: record_provenance(writer, self._key, provenance, at))

    def forget(self, entries: Sequence[str]) -> int:
        return self._engine.write(lambda writer: writer.run(_SQL["forget_vouchers"], (json.dumps(list(entries)),)))

    def _genuine(self, rows: Iterable[Row]) -> dict[str, ProvenanceRecord]:
        found = {}
        for entry, source, tag, lineage, text, mac in rows:
            if hmac.compare_digest(mac, _seal(self._key, entry, source, tag, lineage, text)):
                rests_on = tuple(json.loads(lineage)) if lineage != "[]" else ()
                found[entry] = ProvenanceRecord(entry, source, tag, text, rests_on)
        return found


def _seal(key: bytes, *fields: str) -> str:
    # lengths first, so that different lists of fields never give the same bytes
    framed = "".join([f"{len(field)}:{field}" for field in fields])
    return hmac.digest(key, b"voucher " + framed.encode("utf-8", "surrogatepass"), "sha256").hex()


class FileOrigins:
    """Records the origin of everything tools write. Nothing is removed: text that returns by undo or copying is recognised."""

    def __init__(self, engine: Engine, key: bytes) -> None:
        self._engine = engine
        self._key = key
        # sources of texts by the hash of the text, and the number of the last row read
        self._texts: dict[str, set[str]] = {}
        self._looked = 0

    def note(self, path: str, data: bytes, source: str) -> None:
        """Record that a tool is about to write this content. All sources of the same content are kept."""
        values = (self._mac(_bytes(path)), self._mac(data), source, system_now().isoformat())
        self._engine.write(lambda writer: writer.run(_FILES_SQL["note_file"], values))

    def of_content(self, data: bytes) -> tuple[str, ...]:
        """The sources of this content, whatever its path was."""
        return tuple(str(row[0]) for row in self._engine.read(_FILES_SQL["sources_of_content"], (self._mac(data),)))

    def of_path(self, path: str) -> str:
        """The source of the content last written to this path; empty if no tool wrote there."""
        found = self._engine.read(_FILES_SQL["last_source_of_path"], (self._mac(_bytes(path)),))
        return str(found[0][0]) if found else ""

    def note_written(self, path: str, lines: Mapping[bytes, str], texts: Mapping[str, str]) -> None:
        """Record the lines and entries that a tool is about to write into a document.

        `lines`: line → source; `texts`: keyed hash of an entry's text → source.
        """
        at, home = system_now().isoformat(), self._mac(_bytes(path))
        rows = [(home, self._mac(_line(line)), source, at) for line, source in lines.items()]
        rows += [(_TEXTS, text, source, at) for text, source in texts.items()]

        def work(writer: Writer) -> None:
            for row in rows:
                writer.run(_FILES_SQL["note_file"], row)

        if rows:
            self._engine.write(work)

    def of_lines(self, path: str, lines: Iterable[bytes]) -> dict[bytes, tuple[str, ...]]:
        """The sources of those lines that a tool wrote into this document."""
        asked = {self._mac(_line(line)): line for line in dict.fromkeys(lines) if line.strip()}
        values = (self._mac(_bytes(path)), json.dumps(list(asked)))
        found: dict[bytes, tuple[str, ...]] = {}
        for content, source in self._engine.read(_FILES_SQL["sources_of_lines"], values) if asked else ():
            found[asked[content]] = (*found.get(asked[content], ()), str(source))
        return found

    def of_text(self, text_mac: str) -> Iterable[str]:
        """The sources of an entry's text, by its keyed hash, if a tool wrote it into any document. `refresh` loads new ones."""
        return self._texts.get(text_mac, ())

    def refresh(self) -> bool:
        """Load texts recorded since the last call. Returns whether there are any at all."""
        for seq, text, source in self._engine.read(_FILES_SQL["texts_since"], (_TEXTS, self._looked)):
            self._texts.setdefault(str(text), set()).add(str(source))
            self._looked = int(seq)
        return bool(self._texts)

    def _mac(self, data: bytes) -> str:
        return keyed_hash(self._key, digest(data)) or ""


# value of the path column for texts of entries, which are recognised in any document
_TEXTS = "texts"


def _line(line: bytes) -> bytes:
    return b"line " + line.strip()


def _bytes(path: str) -> bytes:
    return b"path " + path.encode("utf-8", "surrogatepass")
