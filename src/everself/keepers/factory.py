"""Opens the keepers of an agent: their context, the functions that execute their actions, and the model they may use."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from everself.errors import RefusedByRule
from everself.keepers.execution import ActionFunctions, KeeperWorkspace
from everself.keepers.keeper import MoveTo, ProposeLine
from everself.keepers.keeper_context import PROMPTS, Sources
from everself.keepers.roster import all_keepers
from everself.keepers.runner import Runner
from everself.lazy import part
from everself.search.similarity import TextSimilarity
from everself.values import Author, digest

if TYPE_CHECKING:
    from everself.classify.triage import Triage, Verdict
    from everself.config.sections import SoulPolicy, Tunables
    from everself.conversation.sessions.log import SessionLog
    from everself.identity.growth import Growth
    from everself.identity.integrity import Integrity
    from everself.keepers.keeper import Planned
    from everself.memory.memory import Memory
    from everself.models.chat.protocol import ChatModel
    from everself.models.embedding.protocol import Embedder
    from everself.models.spend_meter import SpendMeter
    from everself.search.index import Index
    from everself.search.recall import Recall
    from everself.storage.state.database import State
    from everself.storage.state.proposals import Proposals

_MANY: Final = 10_000
_LOCAL: Final = "local"
# seconds that a keeper waits for vectors at most
_EMBEDDING: Final = 60


@dataclass(frozen=True)
class KeeperResources:
    """What keepers share. Nothing of it is opened before a keeper asks for it."""

    open_model: "Callable[[], ChatModel | None]"
    open_triage: "Callable[[], Triage]"
    embedder: "Callable[[], Embedder | None]"
    # None where searching is switched off
    index: "Callable[[], Index] | None"
    recall: "Callable[[], Recall | None]"
    integrity: "Callable[[], Integrity]"
    growth: "Callable[[], Growth]"

    @part
    def _model(self) -> "ChatModel | None":
        return self.open_model()

    @part
    def _likeness(self) -> TextSimilarity:
        return TextSimilarity(self.embedder())

    @part
    def _triage(self) -> "Triage":
        return self.open_triage()

    def model(self) -> "ChatModel | None":
        return self._model

    def likeness(self) -> TextSimilarity:
        return self._likeness

    def triage(self, text: str) -> "Verdict":
        return self._triage.read(text)

    def prompt(self, name: str) -> str:
        # the version that the owner accepted: an outside edit must not instruct a keeper
        found = self.integrity().text(PROMPTS.format(name=name))
        return "" if found is None else found.decode("utf-8", "replace")

    def embed(self) -> bool:
        """Embed what waits for it; whether everything has its vector then."""
        if self.index is None:
            return False
        embedder = self.embedder()
        if embedder is None:
            return False
        index = self.index()
        index.sync()
        # a paid embedder is only used with the person's consent
        free = embedder.provider == _LOCAL and not embedder.paid
        left = index.embed(seconds=_EMBEDDING).pending if free else index.pending()
        return left == 0


def open_keepers(
    shared: KeeperResources,
    memory: "Memory",
    state: "State",
    log: "SessionLog",
    tunables: "Tunables",
    policy: "SoulPolicy",
    spend_meter: "SpendMeter",
    *,
    profiled: bool = False,
) -> Runner:
    sources = Sources(
        memory=memory,
        state=state,
        log=log,
        tunables=tunables,
        likeness=shared.likeness,
        recall=shared.recall,
        triage=shared.triage,
        model=shared.model,
        prompt=shared.prompt,
        embed=shared.embed,
        policy=lambda: policy,
        allow=spend_meter.allow,
        charge=spend_meter.charge,
        profiled=profiled,
    )
    return Runner(sources, action_functions(state.proposals, shared.growth), all_keepers())


def action_functions(proposals: "Proposals", growth: "Callable[[], Growth]") -> ActionFunctions:
    """What is done for keepers elsewhere."""

    def grow(memory: "Memory", planned: "Planned") -> str:
        from everself.keepers.soul.keeper import news

        wanted = planned.operation
        line, remove = (wanted.line, wanted.remove) if isinstance(wanted, ProposeLine) else ("", "")
        known = [one for one in proposals.list("", _MANY) if one.reason == planned.reason and line in one.content]
        now = digest(growth().versions.soul() or b"")
        if any(one.status != "open" or one.base != now for one in known):
            # already proposed; only an interrupted run leaves something to do, for the soul as it was then
            return ""
        made = growth().add_line(line, planned.reason, planned.evidence, Author.KEEPER, remove)
        if not made.change:
            return "" if made.proposal in known else f"proposal:{made.proposal.id}"
        # a change that nobody asked for is noted in the daily log
        memory.remember(news(line, made.change, planned.evidence))
        return made.change

    def archive(memory: "Memory", planned: "Planned") -> str:
        from everself.keepers.compactor import put_away

        return put_away(memory, planned)

    return ActionFunctions(move=move, archive=archive, grow=grow)


def move(memory: "Memory", planned: "Planned") -> str:
    """Into the curated core, for a keeper or for the owner who said yes to one."""
    from everself.memory.promotion.moves import Pick, apply_moves

    wanted = planned.operation
    if not isinstance(wanted, MoveTo):
        return ""
    author = memory.workspace.author if isinstance(memory.workspace, KeeperWorkspace) else Author.KEEPER
    named = author is Author.OWNER
    done = apply_moves(memory, [Pick(wanted.entry, wanted.path, named, wanted.heading)], author)
    if done.left:
        raise RefusedByRule(done.left[0].reason)
    return done.change
