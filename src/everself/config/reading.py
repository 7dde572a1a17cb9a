"""Checks the data of the host file against the table of settings: values by key and agent, problems, findings.

Pure. Knows no sections. Messages repeat no value, because it may be a secret.
"""

from collections.abc import Mapping
from dataclasses import field

from everself.config import schema
from everself.config.kinds import Misfit, Plain
from everself.config.places import is_agent_id
from everself.config.schema import Path, Spot, join_key
from everself.config.secrets import Secret, Vault
from everself.config.shape import Shape, Where, locate
from everself.errors import BadConfig, UnknownKey
from everself.frozen import Frozen
from everself.values import Finding

# limit of listed problems: finding the nearest key is slow
_MOST = 50
# groups whose keys are chosen by the person
_NAMED: frozenset[Path] = frozenset({("mcp", "servers"), ("provider",)})


class Given(Frozen):
    """A value from the host file, with its path there."""

    value: Plain | Secret
    path: Path
    alias: bool


class Reading(Frozen):
    """Values by key, for all agents and for single ones. `problems` make the file unusable, `findings` do not."""

    common: dict[str, Given] = field(default_factory=dict)
    agents: dict[str, dict[str, Given]] = field(default_factory=dict)
    problems: list[BadConfig] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_settings(data: Mapping[str, object], text: str, file: str, vault: Vault) -> Reading:
    """Check every key of `data`, which was parsed from `text`, the content of `file`."""
    reader = _Reader(locate(text), file, vault, Reading())
    for name, value in data.items():
        reader.walk(value, (name,), (name,))
    for where in reader.shape.repeated:
        words = f"{'.'.join(map(str, where))} occurs twice in the same group; the last one is used."
        reader.note("setting-repeated", words, where, f"Remove one of them from {file}.")
    return reader.done


class _Reader(Frozen):
    shape: Shape
    file: str
    vault: Vault
    done: Reading

    def walk(self, value: object, path: Path, where: Where) -> None:
        spot = schema.find_spot(path)
        skipped = path == ("$schema",) or (value is None and (spot or schema.is_group(path)))
        if skipped or len(self.done.problems) >= _MOST:
            return
        if schema.canonical(path) == ("agents", "list") and value is not None:
            self.walk_list(value, path, where)
        elif schema.is_foreign(path):
            words = f"{join_key(path)} is an OpenClaw setting that Everself does not use; it is ignored."
            self.note("setting-unused", words, where, "Nothing needs to be done.")
        elif spot is not None and not (isinstance(value, Mapping) and schema.is_group(path)):
            self.take(spot, value, path, where)
        elif schema.is_group(path):
            self.walk_group(value, path, where)
        else:
            words = f"{join_key(path)}{self.at(where)}. Did you mean {schema.nearest_key(path)}?"
            self.done.problems.append(UnknownKey(words, mend=f"Rename or remove it in {self.file}."))

    def walk_group(self, value: object, path: Path, where: Where) -> None:
        if not isinstance(value, Mapping):
            self.fail(path, where, "must be an object {…}.")
            return
        if path[:2] == ("agents", "entries") and len(path) == 3 and not self.open_agent(path[2], path, where):
            return
        for name, inner in value.items():
            if "." in str(name) and path in _NAMED:
                # keys are separated by dots, so this name could not be addressed
                words = (
                    f"{join_key(path)} contains the name {name}; names with a dot are not supported and are ignored."
                )
                self.note("setting-unused", words, (*where, str(name)), f"Rename it in {self.file}.")
            else:
                self.walk(inner, (*path, str(name)), (*where, str(name)))

    def walk_list(self, value: object, path: Path, where: Where) -> None:
        if not isinstance(value, list):
            self.fail(path, where, "must be a list […].")
            return
        for index, item in enumerate(value):
            here = (*where, index)
            if not isinstance(item, Mapping):
                self.fail((*path, str(index)), here, "must be an object {…}.")
                continue
            agent = item.get("id", item.get("agentId"))
            if isinstance(agent, str) and self.open_agent(agent, (*path, str(index)), here):
                for name, inner in item.items():
                    self.walk(inner, (*path, agent, str(name)), (*here, str(name)))
            elif not isinstance(agent, str):
                self.fail((*path, str(index)), here, "needs an id.")

    def open_agent(self, agent: str, path: Path, where: Where) -> bool:
        """Add an agent; False if its id cannot be used."""
        # ids name folders: on some systems, two ids that differ only in case are one folder
        if not is_agent_id(agent):
            self.fail(path, where, "has an id with characters other than letters, digits, - and _.")
        elif agent.lower() in (known.lower() for known in self.done.agents):
            self.fail(path, where, "has the id of another agent.")
        else:
            self.done.agents[agent] = {}
            return True
        return False

    def take(self, spot: Spot, value: object, path: Path, where: Where) -> None:
        setting = spot.setting
        if setting.secret and isinstance(value, Mapping) and value.get("source") == "env":
            # newer OpenClaw files refer to the environment like this
            value = f"${{{value.get('id')}}}"
        taken: Plain | Secret | Misfit = setting.kind.take(value)
        if isinstance(taken, Misfit):
            self.fail(path, where, taken.words)
            return
        key = schema.value_key(spot)
        if setting.secret and isinstance(taken, str):
            taken = Secret(join_key(spot.path), taken, self.vault)
            if taken.literal:
                words, mend = (
                    f"{join_key(path)} contains a secret in plain text.",
                    f"everself config set {join_key(path)} '${{NAME_OF_A_VARIABLE}}'",
                )
                self.note("secret-in-file", words, where, mend)
        values = self.done.agents.setdefault(spot.agent, {}) if spot.agent else self.done.common
        earlier = values.get(key)
        if earlier is not None and earlier.value != taken:
            winner = path if earlier.alias and not spot.alias else earlier.path
            words = f"{join_key(earlier.path)} and {join_key(path)} are the same setting with different values; {join_key(winner)} is used."
            self.note("setting-twice", words, where, f"Remove one of them from {self.file}.")
        if earlier is None or (earlier.alias and not spot.alias):
            values[key] = Given(taken, path, spot.alias)

    def fail(self, path: Path, where: Where, words: str) -> None:
        self.done.problems.append(BadConfig(f"{join_key(path)}{self.at(where)} {words}", mend=f"Edit {self.file}."))

    def note(self, code: str, words: str, where: Where, mend: str) -> None:
        line = self.shape.line_of(where)
        self.done.findings.append(Finding("warning", code, f"Line {line}: {words}" if line else words, mend, self.file))

    def at(self, where: Where) -> str:
        line = self.shape.line_of(where)
        return f" (line {line})" if line else ""
