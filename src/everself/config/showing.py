"""Settings as a person asks for them: the value in force, where it comes from, and its line of documentation.

Never holds the value of a secret.
"""

from dataclasses import dataclass
from typing import Literal, NoReturn

from everself.config.kinds import Plain
from everself.config.loading import Loaded
from everself.config.places import MAIN
from everself.config.schema import find_spot, is_foreign, is_group, join_key, nearest_key, split_key, value_key
from everself.config.secrets import Secret
from everself.config.settings import SETTINGS, Setting
from everself.errors import UnknownKey, WrongUse

Origin = Literal["default", "host file", "CONFIG.md"]


@dataclass(frozen=True, slots=True)
class Shown:
    key: str
    value: Plain
    origin: Origin
    doc: str


def list_settings(loaded: Loaded) -> tuple[Shown, ...]:
    """Every setting in force: the table's, the names a person chose, and what agents have of their own."""
    plain = [setting for setting in SETTINGS if "[]" not in setting.key and "*" not in setting.key]
    shown = [_common(loaded, setting, setting.key) for setting in plain]
    chosen = loaded.reading.common.keys() - {setting.key for setting in plain}
    agents = [
        f"agents.list.{agent}.{_own_name(key)}" for agent, values in loaded.reading.agents.items() for key in values
    ]
    return (*shown, *(get_setting(loaded, key) for key in (*sorted(chosen), *agents)))


def get_setting(loaded: Loaded, key: str) -> Shown:
    """One setting under any of its names; for an agent, what it shares unless it has its own."""
    path = split_key(key)
    spot = find_spot(path)
    if spot is None:
        refuse_key(path)
    setting, kept = spot.setting, value_key(spot)
    own = loaded.reading.agents.get(spot.agent, {}).get(kept)
    if own is not None:
        return Shown(join_key(spot.path), _safe(own.value), "host file", setting.doc)
    common = _common(loaded, setting, kept)
    return Shown(join_key(spot.path), common.value, common.origin, setting.doc)


def refuse_key(path: tuple[str, ...]) -> NoReturn:
    """Raise the error for a key that names no setting of ours."""
    key = join_key(path)
    if is_group(path):
        raise WrongUse(f"{key} is a group of settings, not one.", mend=f"everself config show {key}")
    if is_foreign(path):
        raise UnknownKey(f"{key} is a setting of OpenClaw that Everself does not use.", mend="Edit the file by hand.")
    raise UnknownKey(f"{key}; the nearest known one is {nearest_key(path)}.", mend="everself config show")


def _common(loaded: Loaded, setting: Setting, key: str) -> Shown:
    if key in loaded.tunables.values:
        return Shown(key, loaded.tunables.values[key], "CONFIG.md", setting.doc)
    given = loaded.reading.common.get(key)
    if given is not None:
        return Shown(key, _safe(given.value), "host file", setting.doc)
    default = setting.default
    if key == "agents.defaults.workspace":
        default = loaded.config.places.default_workspace_of(MAIN)
    return Shown(key, default, "default", setting.doc)


def _safe(value: Plain | Secret) -> Plain:
    if isinstance(value, Secret):
        return f"(secret from {value.origin})" if value else ""
    return value


def _own_name(key: str) -> str:
    return key.removeprefix("agents.list[].").removeprefix("agents.defaults.")
