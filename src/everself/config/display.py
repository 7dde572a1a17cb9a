"""One setting as `config show` prints it: its value, where the value comes from, and its documentation.

Never holds the value of a secret.
"""

from dataclasses import dataclass
from typing import Literal

from everself.config.kinds import Plain
from everself.config.loading import Loaded
from everself.config.places import MAIN
from everself.config.schema import get_spot, join_key, value_key
from everself.config.secrets import Secret
from everself.config.sections import SETTINGS
from everself.config.table import Setting
from everself.config.tunables import PATTERNS

Origin = Literal["default", "host file", "CONFIG.md", "both files"]


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
    own = [join_key(given.path) for values in loaded.reading.agents.values() for given in values.values()]
    return (*shown, *(get_setting(loaded, key) for key in (*sorted(chosen), *own)))


def get_setting(loaded: Loaded, key: str) -> Shown:
    """One setting under any of its names; for an agent, what it shares unless it has its own."""
    spot = get_spot(key)
    setting, kept = spot.setting, value_key(spot)
    own = loaded.reading.agents.get(spot.agent, {}).get(kept)
    if own is not None:
        return Shown(join_key(spot.path), _safe(own.value), "host file", setting.doc)
    common = _common(loaded, setting, kept)
    return Shown(join_key(spot.path), common.value, common.origin, setting.doc)


def _common(loaded: Loaded, setting: Setting, key: str) -> Shown:
    given = loaded.reading.common.get(key)
    if key in loaded.tunables.values:
        joined = key == PATTERNS and given is not None and given.value
        return Shown(key, loaded.tunables.values[key], "both files" if joined else "CONFIG.md", setting.doc)
    if given is not None:
        return Shown(key, _safe(given.value), "host file", setting.doc)
    home = loaded.config.places.default_workspace_of(MAIN)
    return Shown(key, home if key == "agents.defaults.workspace" else setting.default, "default", setting.doc)


def _safe(value: Plain | Secret) -> Plain:
    return value if not isinstance(value, Secret) else f"(secret from {value.origin})" if value else ""
