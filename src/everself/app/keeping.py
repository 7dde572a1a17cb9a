"""Opens the keepers of an agent: what they read, what is done for them, and the model they may ask."""

from typing import TYPE_CHECKING, Final

from everself.app.modelling import REFLEX, open_chat_model
from everself.errors import RefusedByRule
from everself.keepers.execution import AsKeeper, Deeds
from everself.keepers.keeper import MoveTo, ProposeLine
from everself.keepers.roster import all_keepers
from everself.keepers.runner import Runner
from everself.keepers.world import PROMPTS, Sources
from everself.lazy import part
from everself.search.similarity import Likeness
from everself.values import Author, digest

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.classify.triage import Triage, Verdict
    from everself.keepers.keeper import Planned
    from everself.memory.memory import Memory
    from everself.models.chat.protocol import ChatModel

_MANY: Final = 10_000
_LOCAL: Final = "local"
# seconds that a keeper waits for vectors at most
_EMBEDDING: Final = 60


class _Parts:
    """What keepers share."""

    def __init__(self, app: "App") -> None:
        self._app = app

    @part
    def model(self) -> "ChatModel | None":
        return None if self._app.agent.model == REFLEX else open_chat_model(self._app)

    @part
    def likeness(self) -> Likeness:
        return Likeness(self._app.embedder)

    @part
    def triage(self) -> "Triage":
        from everself.classify.triage import Triage

        app = self._app
        return Triage(app.tunables.heartbeat_custom_patterns, app.loaded.config.programs.recall_external_handler)


def open_keepers(app: "App") -> Runner:
    """Nothing of it is opened before a keeper asks for it."""
    parts = _Parts(app)

    def triage(text: str) -> "Verdict":
        return parts.triage.read(text)

    def prompt(name: str) -> str:
        # as the owner accepted it: whoever changed it meanwhile instructs nobody
        found = app.integrity.text(PROMPTS.format(name=name))
        return "" if found is None else found.decode("utf-8", "replace")

    def embed() -> bool:
        if not app.agent.search.enabled or app.embedder is None:
            return False
        app.index.sync()
        # what costs money is embedded by who was asked for it
        free = app.embedder.provider == _LOCAL and not app.embedder.paid
        left = app.index.embed(seconds=_EMBEDDING).pending if free else app.index.pending()
        return left == 0

    sources = Sources(
        memory=app.memory,
        state=app.state,
        log=app.log,
        tunables=app.tunables,
        likeness=lambda: parts.likeness,
        recall=lambda: app.recall if app.agent.search.enabled else None,
        triage=triage,
        model=lambda: parts.model,
        prompt=prompt,
        embed=embed,
        policy=lambda: app.agent.soul.policy,
        allow=app.charger.allow,
        charge=app.charger.charge,
    )
    return Runner(sources, deeds_of(app), all_keepers())


def deeds_of(app: "App") -> Deeds:
    """What other rooms do for keepers."""

    def grow(memory: "Memory", planned: "Planned") -> str:
        from everself.keepers.soul.keeper import news

        wanted = planned.operation
        line, remove = (wanted.line, wanted.remove) if isinstance(wanted, ProposeLine) else ("", "")
        known = [
            one for one in app.state.proposals.list("", _MANY) if one.reason == planned.reason and line in one.content
        ]
        now = digest(app.growth.versions.soul() or b"")
        if any(one.status != "open" or one.base != now for one in known):
            # asked before; only a run that died leaves something to do, and to the soul as it was then
            return ""
        made = app.growth.add_line(line, planned.reason, planned.evidence, Author.KEEPER, remove)
        if not made.change:
            return "" if made.proposal in known else f"proposal:{made.proposal.id}"
        # whoever changes without having been asked says so, in the log of the day
        memory.remember(news(line, made.change, planned.evidence))
        return made.change

    def archive(memory: "Memory", planned: "Planned") -> str:
        from everself.keepers.compactor import put_away

        return put_away(memory, planned)

    return Deeds(move=move, archive=archive, grow=grow)


def move(memory: "Memory", planned: "Planned") -> str:
    """Into the curated core, for a keeper or for the owner who said yes to one."""
    from everself.memory.promotion.moves import Pick, apply_moves

    wanted = planned.operation
    if not isinstance(wanted, MoveTo):
        return ""
    author = memory.workspace.author if isinstance(memory.workspace, AsKeeper) else Author.KEEPER
    named = author is Author.OWNER
    done = apply_moves(memory, [Pick(wanted.entry, wanted.path, named, wanted.heading)], author)
    if done.left:
        raise RefusedByRule(done.left[0].reason)
    return done.change
