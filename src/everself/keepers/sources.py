"""What keepers read of an agent: its memory and conversations, search, and the model that they may ask. Opens what is slow on first use."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from everself.classify.triage import Triage
from everself.config.sections import SoulPolicy, Tunables
from everself.conversation.sessions.log import SessionLog
from everself.frozen import Frozen
from everself.identity.integrity import Integrity
from everself.lazy import part
from everself.memory.memory import Memory
from everself.models.chat.protocol import ChatModel
from everself.models.spend_meter import SpendMeter
from everself.search.similarity import TextSimilarity
from everself.storage.state.database import State

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Embedder
    from everself.search.index import Index
    from everself.search.recall import Recall

PROMPTS: Final = "agents/{name}/SOUL.md"
_LOCAL: Final = "local"
# maximum time in seconds that a keeper waits for vectors
_EMBEDDING: Final = 60


class KeeperSearch:
    """Recall and text similarity. `enabled` is False if search is disabled in the settings."""

    def __init__(
        self,
        embedder: "Embedder | None",
        open_index: "Callable[[], Index]",
        open_recall: "Callable[[], Recall]",
        *,
        enabled: bool,
    ) -> None:
        self._embedder = embedder
        self._open_index = open_index
        self._open_recall = open_recall
        self._enabled = enabled

    @part
    def likeness(self) -> TextSimilarity:
        return TextSimilarity(self._embedder)

    def recall(self) -> "Recall | None":
        return self._open_recall() if self._enabled else None

    def embed(self) -> bool:
        """Embed waiting texts. Returns whether all have vectors; False without an embedder."""
        embedder = self._embedder
        if not self._enabled or embedder is None:
            return False
        index = self._open_index()
        index.sync()
        # a paid embedder is only used with the person's consent
        free = embedder.provider == _LOCAL and not embedder.paid
        left = index.embed(seconds=_EMBEDDING).pending if free else index.pending()
        return left == 0


class KeeperModel:
    """The model for keepers, within the limits of `spend_meter`. `found` is None without a model, or with only the reflex."""

    def __init__(
        self, open_model: Callable[[], ChatModel | None], spend_meter: SpendMeter, integrity: Integrity
    ) -> None:
        self.spend_meter = spend_meter
        self._open_model = open_model
        self._integrity = integrity

    @part
    def found(self) -> ChatModel | None:
        return self._open_model()

    def prompt(self, keeper: str) -> str:
        """The keeper's own SOUL.md as the owner accepted it: an outside edit must not instruct a keeper."""
        found = self._integrity.text(PROMPTS.format(name=keeper))
        return "" if found is None else found.decode("utf-8", "replace")


class KeeperSources(Frozen):
    memory: Memory
    state: State
    log: SessionLog
    tunables: Tunables
    policy: SoulPolicy
    triage: Triage
    search: KeeperSearch
    model: KeeperModel
    # the owner's program keeps profiles of people
    profiled: bool = False
    # imports messages from other programs before a keeper reads
    take_in: Callable[[], object] = lambda: None
