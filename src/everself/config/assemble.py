"""Builds the sections from checked values: fills in defaults, merges agents, makes paths absolute, resolves references.

Pure. Values have been checked before, so their types are right.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from everself.config.kinds import FOLDER, TEXT, TEXTS, Plain
from everself.config.places import MAIN, Places
from everself.config.reading import Reading
from everself.config.secrets import Secret, Vault, expand_references
from everself.config.sections import AgentSettings, Config, McpServer, Provider
from everself.config.table import AGENT, EVERYONE, Scope, Setting, members_of
from everself.values import Finding

_Section = TypeVar("_Section")
_WORKSPACE = "agents.defaults.workspace"
_SERVERS = "mcp.servers"
# providers whose API key may be set in an environment variable
_WITH_KEYS = ("anthropic", "openai", "gemini", "voyage")


@dataclass(frozen=True, slots=True, repr=False)
class _Values:
    """Layers of values; the first layer that contains a key wins."""

    layers: tuple[Mapping[str, Plain | Secret], ...]
    places: Places
    vault: Vault

    def find(self, key: str) -> Plain | Secret | None:
        return next((layer[key] for layer in self.layers if key in layer), None)

    def names_below(self, group: str) -> tuple[str, ...]:
        """The names that the user chose directly below a group such as `provider`."""
        keys = {key.removeprefix(f"{group}.") for layer in self.layers for key in layer if key.startswith(f"{group}.")}
        return tuple(sorted({key.partition(".")[0] for key in keys}))


def assemble(reading: Reading, tunables: Mapping[str, Plain], places: Places, vault: Vault) -> Config:
    """Build all sections. Raises BadConfig for an invalid path or reference."""
    common = {key: given.value for key, given in reading.common.items()}
    own = {agent: {key: given.value for key, given in found.items()} for agent, found in reading.agents.items()}
    agents = [
        _build(AgentSettings, AGENT, _Values((found, common), places, vault), {"id": id_}) for id_, found in own.items()
    ]
    agents = agents or [_build(AgentSettings, AGENT, _Values((common,), places, vault), {"id": MAIN})]
    default = min(agents, key=lambda agent: (not agent.marked, agent.id != MAIN)).id
    values = _Values((tunables, common), places, vault)
    known = {
        "places": places,
        "agents": tuple(_placed(agent, own.get(agent.id, {}), default, places) for agent in agents),
        "default_agent": default,
        "providers": _providers(values),
        "mcp_servers": _mcp_servers(values),
    }
    config = _build(Config, EVERYONE, values, known)
    if config.hooks.enabled:
        return config
    persona = replace(config.hooks.persona, enabled=False)
    return replace(config, hooks=replace(config.hooks, persona=persona, session_notes=False))


def find_shared(config: Config) -> tuple[Finding, ...]:
    """Findings about workspaces and index files that two agents would both write to."""
    findings: list[Finding] = []
    owners: dict[str, str] = {}
    for agent in config.agents:
        for path, key in ((agent.workspace, "workspace"), (agent.search.store_path, "memorySearch.store.path")):
            owner = owners.setdefault(path, agent.id)
            if owner != agent.id:
                words = f"The agents {owner} and {agent.id} share {path}, so they would share their memory."
                mend = f"everself config set agents.list.{agent.id}.{key} PATH"
                findings.append(Finding("error", "agents-share", words, mend, path))
    return tuple(findings)


def _build(section: type[_Section], scope: Scope, values: _Values, known: Mapping[str, object]) -> _Section:
    """A section filled from the values; `known` holds the fields that are not settings."""
    arguments: dict[str, Any] = {}
    for name, found in members_of(section, scope):
        if not isinstance(found, Setting):
            arguments[name] = _build(*found, values, {})
        elif found.key.endswith("*"):
            prefix = found.key.removesuffix(".*")
            pairs = ((below, values.find(f"{prefix}.{below}")) for below in values.names_below(prefix))
            arguments[name] = tuple((below, secret) for below, secret in pairs if secret)
        elif (value := values.find(found.key)) is not None:
            arguments[name] = _told(found, value, values)
    return section(**{**arguments, **known})


def _told(declared: Setting, value: Plain | Secret, values: _Values) -> object:
    """The value in the form that other packages use."""
    if isinstance(value, Secret):
        return value or None
    if isinstance(value, str) and declared.kind in (TEXT, FOLDER):
        value = expand_references(value, values.vault, declared.key)
    if isinstance(value, str) and value and (declared.kind is FOLDER or value.startswith("~/")):
        value = values.places.expand(value, declared.key)
    if isinstance(value, tuple) and declared.kind is TEXTS:
        value = tuple(values.places.expand(str(path), declared.key) if str(path)[:1] == "~" else path for path in value)
    return declared.kind.convert(value)


def _placed(agent: AgentSettings, own: Mapping[str, object], default: str, places: Places) -> AgentSettings:
    # two agents never share a folder by accident: the common setting is the folder of the default agent only
    named = agent.workspace if _WORKSPACE in own or agent.id == default else ""
    if not os.path.isabs(named):
        named = places.default_workspace_of(agent.id)
    state = places.state_of(agent.id)
    store = agent.search.store_path.replace("{agentId}", agent.id).replace("<agentId>", agent.id)
    search = replace(agent.search, store_path=store or f"{state}/index.db")
    return replace(agent, workspace=named, state=state, search=search)


def _providers(values: _Values) -> tuple[Provider, ...]:
    named = dict.fromkeys((*values.names_below("provider"), *_WITH_KEYS))
    found = (_provider(name, values) for name in named)
    return tuple(provider for provider in found if provider.api_key or provider.base_url or provider.context_window)


def _mcp_servers(values: _Values) -> tuple[McpServer, ...]:
    names = values.names_below(_SERVERS)
    return tuple(_build(McpServer, Scope(f"{_SERVERS}.{name}"), values, {"name": name}) for name in names)


def _provider(name: str, values: _Values) -> Provider:
    provider = _build(Provider, Scope(f"provider.{name}"), values, {"name": name})
    variable = f"{name.upper().replace('-', '_')}_API_KEY"
    if provider.api_key or not values.vault.environ.get(variable):
        return provider
    return replace(provider, api_key=Secret(f"provider.{name}.apiKey", f"${{{variable}}}", values.vault))
