"""The host file's data checked against the table: values by key and agent, problems and findings.

Pure. Knows nothing of the sections that rooms use, and repeats no value in its words.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from everself.config.kinds import Misfit, Plain, name_type
from everself.config.places import is_agent_id
from everself.config.positions import Positions, Where, locate
from everself.config.schema import (
    Path,
    Spot,
    canonical,
    find_spot,
    is_foreign,
    is_group,
    join_key,
    nearest_key,
    value_key,
)
from everself.config.secrets import Secret, Vault, references
from everself.errors import BadConfig, UnknownKey
from everself.values import Finding

_SECRET_NAMES = ("apikey", "token", "password", "secret", "bottoken", "apptoken")


@dataclass(frozen=True, slots=True)
class Given:
    """A value that the host file gives; `line` is 0 where it is not known."""

    value: Plain | Secret
    line: int
    path: Path
    alias: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """Values by key, for all agents and for each. `problems` make the file unusable, `findings` do not."""

    common: dict[str, Given] = field(default_factory=dict)
    agents: dict[str, dict[str, Given]] = field(default_factory=dict)
    problems: tuple[BadConfig, ...] = ()
    findings: tuple[Finding, ...] = ()


def read_settings(data: Mapping[str, object], text: str, file: str, vault: Vault) -> Reading:
    """Check every key of `data`, which was parsed from `text`, the content of `file`."""
    reader = _Reader(locate(text), file, vault)
    for name, value in data.items():
        reader.walk(value, (name,), (name,))
    for where in reader.positions.repeated:
        words = f"{_dotted(where)} stands twice in the same group; the last one counts."
        reader.note("warning", "setting-repeated", words, where, f"Remove one of them from {file}.")
    return Reading(reader.common, reader.agents, tuple(reader.problems), tuple(reader.findings))


class _Reader:
    def __init__(self, positions: Positions, file: str, vault: Vault) -> None:
        self.positions = positions
        self.file = file
        self.vault = vault
        self.common: dict[str, Given] = {}
        self.agents: dict[str, dict[str, Given]] = {}
        self.problems: list[BadConfig] = []
        self.findings: list[Finding] = []

    def walk(self, value: object, path: Path, where: Where) -> None:
        spot = find_spot(path)
        if value is None and (spot or is_group(path)):
            return
        if canonical(path) == ("agents", "list") and value is not None:
            self.walk_list(value, path, where)
        elif is_foreign(path):
            self.skip_foreign(value, path, where)
        elif spot is not None and not (isinstance(value, Mapping) and is_group(path)):
            self.take(spot, value, path, where)
        elif is_group(path):
            self.walk_group(value, path, where)
        else:
            words = f"{join_key(path)}{self.at(where)}; the nearest known one is {nearest_key(path)}."
            self.problems.append(UnknownKey(words, mend=f"Rename or remove it in {self.file}."))

    def walk_group(self, value: object, path: Path, where: Where) -> None:
        if not isinstance(value, Mapping):
            self.fail(path, where, f"must be a group {{…}}, but it is {name_type(value)}.")
            return
        if path[:2] == ("agents", "entries") and len(path) == 3 and not self.open_agent(path[2], path, where):
            return
        for name, inner in value.items():
            self.walk(inner, (*path, str(name)), (*where, str(name)))

    def walk_list(self, value: object, path: Path, where: Where) -> None:
        if not isinstance(value, list):
            self.fail(path, where, f"must be a list […], but it is {name_type(value)}.")
            return
        for index, item in enumerate(value):
            here = (*where, index)
            if not isinstance(item, Mapping):
                self.fail((*path, str(index)), here, f"must be a group {{…}}, but it is {name_type(item)}.")
                continue
            agent = item.get("id", item.get("agentId"))
            if isinstance(agent, str) and self.open_agent(agent, (*path, str(index)), here):
                for name, inner in item.items():
                    self.walk(inner, (*path, agent, str(name)), (*here, str(name)))
            elif not isinstance(agent, str):
                self.fail((*path, str(index)), here, "needs an id.")

    def open_agent(self, agent: str, path: Path, where: Where) -> bool:
        """Begin an agent; false when its id cannot be used."""
        if not is_agent_id(agent):
            self.fail(path, where, "has an id that is not made of letters, digits, - and _.")
            return False
        # names of folders: two ids that differ in case only would be one folder on some systems
        if agent.lower() in (known.lower() for known in self.agents):
            self.fail(path, where, f"repeats the id of the agent {agent}.")
            return False
        self.agents[agent] = {}
        return True

    def take(self, spot: Spot, value: object, path: Path, where: Where) -> None:
        setting = spot.setting
        if setting.place == "workspace":
            self.fail(path, where, "belongs into CONFIG.md of the workspace.")
            return
        if setting.secret and isinstance(value, Mapping) and value.get("source") == "env":
            # the way newer OpenClaw files refer to the environment
            value = f"${{{value.get('id')}}}"
        taken: Plain | Secret | Misfit = setting.kind.take(value)
        if isinstance(taken, Misfit):
            self.fail(path, where, taken.words)
            return
        key = value_key(spot)
        if setting.secret and isinstance(taken, str):
            taken = Secret(join_key(spot.path), taken, self.vault)
            if taken.literal:
                self.literal_secret(path, where, f"everself config set {join_key(path)} '${{NAME_OF_A_VARIABLE}}'")
        values = self.agents.setdefault(spot.agent, {}) if spot.agent else self.common
        earlier = values.get(key)
        if earlier is not None and earlier.value != taken:
            winner = path if earlier.alias and not spot.alias else earlier.path
            words = (
                f"{join_key(earlier.path)} and {join_key(path)} mean the same and differ; {join_key(winner)} counts."
            )
            self.note("warning", "setting-twice", words, where, f"Remove one of them from {self.file}.")
        if earlier is None or (earlier.alias and not spot.alias):
            values[key] = Given(taken, self.positions.line_of(where), path, spot.alias)

    def skip_foreign(self, value: object, path: Path, where: Where) -> None:
        if path != ("$schema",):
            words = f"{join_key(path)} is a setting of OpenClaw that Everself does not use; it is left as it is."
            self.note("warning", "setting-unused", words, where, "Nothing needs to be done.")
        for place, inner in _leaves(value, where):
            name = str(place[-1]).lower().replace("_", "")
            if name in _SECRET_NAMES and isinstance(inner, str) and inner and not references(inner):
                self.literal_secret(tuple(str(part) for part in place), place, f"Write ${{NAME}} there in {self.file}.")

    def literal_secret(self, path: Path, where: Where, mend: str) -> None:
        words = f"{join_key(path)} holds a secret in plain sight."
        self.note("warning", "secret-in-file", words, where, mend)

    def fail(self, path: Path, where: Where, words: str) -> None:
        self.problems.append(BadConfig(f"{join_key(path)}{self.at(where)} {words}", mend=f"Edit {self.file}."))

    def note(self, severity: Literal["warning", "note"], code: str, words: str, where: Where, mend: str) -> None:
        line = self.positions.line_of(where)
        self.findings.append(Finding(severity, code, f"Line {line}: {words}" if line else words, mend, self.file))

    def at(self, where: Where) -> str:
        line = self.positions.line_of(where)
        return f" (line {line})" if line else ""


def _leaves(value: object, where: Where) -> list[tuple[Where, object]]:
    if isinstance(value, Mapping):
        return [leaf for name, inner in value.items() for leaf in _leaves(inner, (*where, str(name)))]
    if isinstance(value, list):
        return [leaf for index, inner in enumerate(value) for leaf in _leaves(inner, (*where, index))]
    return [(where, value)]


def _dotted(where: Where) -> str:
    return ".".join(str(part) for part in where)
