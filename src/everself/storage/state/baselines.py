"""The last versions of human-only documents that a human accepted, sealed together. Handles hashes, not the documents' meaning.

The seal covers paths, hashes and a counter of seals. The stored text only serves to show a difference, and forgetting
may change it. The counter is compared with a copy outside the database, because an older copy of the database has a
genuine seal as well.
"""

import hmac
from collections.abc import Iterable, Mapping

from everself.frozen import Frozen
from everself.storage.engine import Engine, Writer
from everself.storage.state._queries import load_queries
from everself.storage.state.ledger import canonical

_SQL = load_queries("identity")


class Baseline(Frozen):
    """One document as it was accepted; an empty hash means that it was missing then."""

    path: str
    hash: str
    content: str
    at: str


class Sealed(Frozen):
    """All baselines. `counter`: 0 if none was ever sealed. `genuine`: rows and seal were made with this key."""

    baselines: Mapping[str, Baseline]
    counter: int
    genuine: bool


class Baselines:
    def __init__(self, engine: Engine, key: bytes) -> None:
        self._engine = engine
        self._key = key

    def load(self) -> Sealed:
        with self._engine.snapshot() as reader:
            found = {str(row[0]): Baseline(*row) for row in reader.rows(_SQL["baselines"])}
            counter, mac = reader.row(_SQL["seal"]) or (0, "")
        genuine = hmac.compare_digest(mac, self._mac(found.values(), counter)) if counter else not found
        return Sealed(found, counter, genuine)

    def accept(self, accepted: Iterable[Baseline], counter: int) -> None:
        """Replace the accepted versions of these documents, and seal all baselines under this counter."""
        rows = tuple(accepted)

        def work(writer: Writer) -> None:
            for one in rows:
                writer.run(_SQL["put_baseline"], (one.path, one.hash, one.content, one.at))
            found = [Baseline(*row) for row in writer.rows(_SQL["baselines"])]
            writer.run(_SQL["put_seal"], (counter, self._mac(found, counter)))

        self._engine.write(work)

    def _mac(self, baselines: Iterable[Baseline], counter: int) -> str:
        said = canonical([counter, sorted([one.path, one.hash] for one in baselines)])
        return hmac.digest(self._key, b"baselines " + said.encode("utf-8", "surrogatepass"), "sha256").hex()
