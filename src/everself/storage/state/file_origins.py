"""Whose words the plain files hold that tools wrote: rows of keyed hashes of path and content. Knows no ranks and reads no file."""

from everself.clock import system_now
from everself.storage.engine import Engine
from everself.storage.state._queries import load_queries
from everself.storage.state.ledger import keyed_hash
from everself.values import digest

_SQL = load_queries("file_origins")


class FileOrigins:
    """Every content that was ever written is kept: what comes back by undoing or copying is known again."""

    def __init__(self, engine: Engine, key: bytes) -> None:
        self._engine = engine
        self._key = key

    def note(self, path: str, data: bytes, source: str) -> None:
        """A tool is about to write this. Of the same content each source is kept."""
        values = (self._mac(_bytes(path)), self._mac(data), source, system_now().isoformat())
        self._engine.write(lambda writer: writer.run(_SQL["note_file"], values))

    def of_content(self, data: bytes) -> tuple[str, ...]:
        """The sources that this content was written from, under whatever name."""
        return tuple(str(row[0]) for row in self._engine.read(_SQL["sources_of_content"], (self._mac(data),)))

    def of_path(self, path: str) -> str:
        """The source of what was last written there; empty where no tool ever wrote there."""
        found = self._engine.read(_SQL["last_source_of_path"], (self._mac(_bytes(path)),))
        return str(found[0][0]) if found else ""

    def _mac(self, data: bytes) -> str:
        return keyed_hash(self._key, digest(data)) or ""


def _bytes(path: str) -> bytes:
    return b"path " + path.encode("utf-8", "surrogatepass")
