"""From checked values to sections: defaults filled in, agents merged, paths made absolute, references resolved.

Pure over what it is given. Values were checked before, so nothing here can be of the wrong type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from everself.config.choices import (
    ContextProfile,
    CorrectionOverflow,
    Embedding,
    Ranking,
    SoulIntegrity,
    SoulPolicy,
    WorkspaceAccess,
)
from everself.config.kinds import Plain, parse_duration
from everself.config.places import MAIN, Places
from everself.config.reading import Reading
from everself.config.secrets import Secret, Vault, expand_references
from everself.config.sections import (
    ActiveHours,
    Agent,
    AlternatePersona,
    Compaction,
    Config,
    ContextLimits,
    CustomPattern,
    Decay,
    Heartbeat,
    Hooks,
    Identity,
    Programs,
    Provider,
    Purge,
    Remote,
    Search,
    SessionNotes,
    Soul,
    Tunables,
)
from everself.config.settings import SETTINGS
from everself.values import Finding

_T = TypeVar("_T", bool, int, float, str)
_DEFAULTS: Mapping[str, Plain] = {setting.key: setting.default for setting in SETTINGS}
_SEARCH = "agents.defaults.memorySearch"
_EVIL = "hooks.internal.entries.soul-evil"
_NOTES = "hooks.internal.entries.session-memory"
# providers whose keys people keep in the environment under the provider's own name for it
_KEY_VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "voyage": "VOYAGE_API_KEY",
}


@dataclass(frozen=True, slots=True)
class _Values:
    """Layers of values, the first that holds a key winning, and the table's defaults under them."""

    layers: tuple[Mapping[str, Plain | Secret], ...]
    places: Places
    vault: Vault

    def find(self, key: str) -> Plain | Secret | None:
        return next((layer[key] for layer in self.layers if key in layer), None)

    def get(self, key: str, kind: type[_T]) -> _T:
        found = self.find(key)
        value = _DEFAULTS[key] if found is None else found
        assert isinstance(value, kind), key
        return value

    def text(self, key: str) -> str:
        return expand_references(self.get(key, str), self.vault, key)

    def path(self, key: str) -> str:
        """The absolute path, or "" where the person gave none."""
        found = self.find(key)
        return (
            self.places.expand(expand_references(found, self.vault, key), key)
            if isinstance(found, str) and found
            else ""
        )

    def secret(self, key: str) -> Secret | None:
        found = self.find(key)
        return found if isinstance(found, Secret) and found else None

    def span(self, key: str) -> timedelta:
        return parse_duration(self.get(key, str)) or timedelta(0)

    def names_below(self, group: str) -> tuple[str, ...]:
        """The names a person chose directly below a group such as `provider`."""
        keys = {key for layer in self.layers for key in layer if key.startswith(f"{group}.")}
        return tuple(sorted({key.removeprefix(f"{group}.").partition(".")[0] for key in keys}))


def assemble(reading: Reading, tunables: Mapping[str, Plain], places: Places, vault: Vault) -> Config:
    """The sections; raises BadConfig where a path or a reference that is no secret makes no sense."""
    common = {key: given.value for key, given in reading.common.items()}
    values = _Values((tunables, common), places, vault)
    own = {agent: {key: given.value for key, given in found.items()} for agent, found in reading.agents.items()}
    default = _default_agent(own)
    agents = tuple(
        _agent(agent, _Values((found, common), places, vault), takes_shared=agent == default, own=found)
        for agent, found in (own or {MAIN: {}}).items()
    )
    return Config(
        places=places,
        ui=_identity(values, "ui.assistant"),
        agents=agents,
        default_agent=default,
        hooks=_hooks(values),
        history=values.get("history.enabled", bool),
        providers=_providers(values),
        tunables=_tunables(values),
        programs=Programs(values.text("recall_external_handler"), values.text("crm_hook")),
    )


def _default_agent(own: Mapping[str, Mapping[str, Plain | Secret]]) -> str:
    marked = [agent for agent, found in own.items() if found.get("agents.list[].default") is True]
    return next(iter([*marked, *([MAIN] if MAIN in own else []), *own]), MAIN)


def _agent(agent: str, values: _Values, *, takes_shared: bool, own: Mapping[str, Plain | Secret]) -> Agent:
    workspace = "agents.defaults.workspace"
    # agents never share a folder by accident: what is set for all is the folder of the one that answers by default
    named = values.path(workspace) if takes_shared or workspace in own else ""
    return Agent(
        id=agent,
        workspace=named or values.places.default_workspace_of(agent),
        state=values.places.state_of(agent),
        identity=_identity(values, "agents.list[].identity"),
        model=values.text("agents.defaults.model"),
        time_zone=values.get("agents.defaults.userTimezone", str),
        subagent_access=WorkspaceAccess(values.get("agents.defaults.sandbox.workspaceAccess", str)),
        context=ContextLimits(
            ContextProfile(values.get("context.profile", str)),
            values.get("agents.defaults.bootstrapMaxChars", int),
            values.get("agents.defaults.bootstrapTotalMaxChars", int),
        ),
        compaction=Compaction(
            values.get("agents.defaults.compaction.reserveTokensFloor", int),
            values.get("agents.defaults.compaction.memoryFlush.enabled", bool),
            values.get("agents.defaults.compaction.memoryFlush.softThresholdTokens", int),
        ),
        heartbeat=_heartbeat(values),
        search=_search(agent, values),
        soul=Soul(SoulPolicy(values.get("soul.policy", str)), SoulIntegrity(values.get("soul.integrity", str))),
    )


def _identity(values: _Values, group: str) -> Identity:
    return Identity(values.text(f"{group}.name"), values.text(f"{group}.emoji"), values.text(f"{group}.avatar"))


def _heartbeat(values: _Values) -> Heartbeat:
    hours = "agents.defaults.heartbeat.activeHours"
    start, end = values.get(f"{hours}.start", str), values.get(f"{hours}.end", str)
    active = (
        ActiveHours(start or "00:00", end or "24:00", values.get(f"{hours}.timezone", str)) if start or end else None
    )
    return Heartbeat(values.span("agents.defaults.heartbeat.every"), active)


def _search(agent: str, values: _Values) -> Search:
    remote = Remote(
        values.text(f"{_SEARCH}.remote.baseUrl"),
        values.secret(f"{_SEARCH}.remote.apiKey"),
        tuple(
            (name, secret)
            for name in values.names_below(f"{_SEARCH}.remote.headers")
            if (secret := values.secret(f"{_SEARCH}.remote.headers.{name}")) is not None
        ),
    )
    store = values.path(f"{_SEARCH}.store.path").replace("{agentId}", agent).replace("<agentId>", agent)
    decay = f"{_SEARCH}.query.hybrid.temporalDecay"
    return Search(
        enabled=values.get(f"{_SEARCH}.enabled", bool),
        provider=Embedding(values.get(f"{_SEARCH}.provider", str)),
        model=values.text(f"{_SEARCH}.model"),
        fallback=Embedding(values.get(f"{_SEARCH}.fallback", str)),
        store_path=store or f"{values.places.state_of(agent)}/index.db",
        model_path=_from_home(values, values.text(f"{_SEARCH}.local.modelPath")),
        remote=remote,
        max_results=values.get(f"{_SEARCH}.query.maxResults", int),
        min_score=values.get(f"{_SEARCH}.query.minScore", float),
        vector_weight=values.get(f"{_SEARCH}.query.hybrid.vectorWeight", float),
        text_weight=values.get(f"{_SEARCH}.query.hybrid.textWeight", float),
        decay=Decay(values.get(f"{decay}.enabled", bool), values.get(f"{decay}.halfLifeDays", float)),
        extra_paths=tuple(_from_home(values, path) for path in _texts(values, f"{_SEARCH}.extraPaths")),
        ranking=Ranking(values.get(f"{_SEARCH}.ranking", str)),
    )


def _texts(values: _Values, key: str) -> tuple[str, ...]:
    found = values.find(key)
    return tuple(text for text in found if isinstance(text, str)) if isinstance(found, tuple) else ()


def _from_home(values: _Values, path: str) -> str:
    """A path that may also be relative to the workspace."""
    return values.places.expand(path, path) if path.startswith("~") else path


def _hooks(values: _Values) -> Hooks:
    on = values.get("hooks.internal.enabled", bool)
    at, duration = values.get(f"{_EVIL}.purge.at", str), values.span(f"{_EVIL}.purge.duration")
    persona = AlternatePersona(
        enabled=on and values.get(f"{_EVIL}.enabled", bool),
        file=values.get(f"{_EVIL}.file", str),
        chance=values.get(f"{_EVIL}.chance", float),
        purge=Purge(at, duration) if at and duration else None,
    )
    notes = SessionNotes(on and values.get(f"{_NOTES}.enabled", bool), values.get(f"{_NOTES}.messages", int))
    return Hooks(persona, notes)


def _providers(values: _Values) -> tuple[Provider, ...]:
    named = values.names_below("provider")
    present = tuple(name for name, variable in _KEY_VARIABLES.items() if values.vault.environ.get(variable))
    return tuple(_provider(values, name) for name in dict.fromkeys((*named, *present)))


def _provider(values: _Values, name: str) -> Provider:
    key = f"provider.{name}.apiKey"
    secret = values.secret(key)
    variable = _KEY_VARIABLES.get(name, f"{name.upper().replace('-', '_')}_API_KEY")
    if secret is None and values.vault.environ.get(variable):
        secret = Secret(key, f"${{{variable}}}", values.vault)
    base_url = values.find(f"provider.{name}.baseUrl")
    return Provider(name, secret, expand_references(base_url, values.vault, key) if isinstance(base_url, str) else "")


def _tunables(values: _Values) -> Tunables:
    def whole(key: str) -> int:
        return values.get(key, int)

    def number(key: str) -> float:
        return values.get(key, float)

    def text(key: str) -> str:
        return values.get(key, str)

    return Tunables(
        context_budget_tokens=whole("context_budget_tokens"),
        identity_tokens=whole("identity_tokens"),
        user_profile_tokens=whole("user_profile_tokens"),
        corrections_tokens=whole("corrections_tokens"),
        recent_memory_tokens=whole("recent_memory_tokens"),
        semantic_recall_tokens=whole("semantic_recall_tokens"),
        crm_tokens=whole("crm_tokens"),
        longterm_memory_tokens=whole("longterm_memory_tokens"),
        memory_retention_hours=whole("memory_retention_hours"),
        compaction_age_days=whole("compaction_age_days"),
        correction_archive_days=whole("correction_archive_days"),
        correction_overflow_strategy=CorrectionOverflow(text("correction_overflow_strategy")),
        corrected_embedding_grace_days=whole("corrected_embedding_grace_days"),
        confidence_decay_interval_days=whole("confidence_decay_interval_days"),
        confidence_decay_amount=number("confidence_decay_amount"),
        confidence_floor=number("confidence_floor"),
        confidence_boost_per_mention=number("confidence_boost_per_mention"),
        correction_relevance_boost=number("correction_relevance_boost"),
        soul_max_tokens=whole("soul_max_tokens"),
        soul_history_retention_days=whole("soul_history_retention_days"),
        cron_soul_keeper=text("cron_soul_keeper"),
        cron_memory_miner=text("cron_memory_miner"),
        cron_conflict_detector=text("cron_conflict_detector"),
        cron_compactor_weekly=text("cron_compactor_weekly"),
        external_context_budget=whole("external_context_budget"),
        external_context_source=text("external_context_source"),
        heartbeat_custom_patterns=_patterns(values),
    )


def _patterns(values: _Values) -> tuple[CustomPattern, ...]:
    found = values.find("heartbeat_custom_patterns")
    items = found if isinstance(found, tuple) else ()
    return tuple(CustomPattern(str(item["pattern"]), str(item["route"])) for item in items if isinstance(item, Mapping))


def find_shared(config: Config) -> tuple[Finding, ...]:
    """Folders and index files that two agents would write to at once."""
    findings: list[Finding] = []
    owners: dict[str, str] = {}
    for agent in config.agents:
        for path, key in ((agent.workspace, "workspace"), (agent.search.store_path, "memorySearch.store.path")):
            owner = owners.setdefault(path, agent.id)
            if owner != agent.id:
                words = f"The agents {owner} and {agent.id} share {path}; what one remembers, the other would too."
                mend = f"everself config set agents.list.{agent.id}.{key} PATH"
                findings.append(Finding("error", "agents-share", words, mend, path))
    return tuple(findings)
