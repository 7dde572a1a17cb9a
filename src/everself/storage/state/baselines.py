"""What a human last accepted of the documents that only humans change, sealed as a whole. Knows hashes, not what they are of.

The seal covers paths, hashes and a counter of seals; the words beside them only serve for showing a difference, and forgetting may
change them. The counter is compared with a copy outside the database: an older copy of the database has a genuine seal, too.
"""

import hmac
from collections.abc import Iterable, Mapping

from everself.frozen import Frozen
from everself.storage.engine import Engine, Writer
from everself.storage.state._queries import load_queries
from everself.storage.state.ledger import canonical

_SQL = load_queries("identity")


class Baseline(Frozen):
    """One document as it was accepted; no hash means that it was missing then."""

    path: str
    hash: str
    content: str
    at: str


class Sealed(Frozen):
    """All baselines. `counter` is 0 where none was ever made; not `genuine` where rows or seal are not of this key's making."""

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
        """Put these in the place of what was accepted before, and seal all of it under this counter."""
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
