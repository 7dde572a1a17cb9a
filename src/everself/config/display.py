"""One setting as `config show` prints it: its value, the origin of the value, and its documentation.

Never contains the value of a secret.
"""

from dataclasses import replace
from typing import Literal

from everself.config.kinds import Plain
from everself.config.loading import Loaded
from everself.config.places import MAIN
from everself.config.schema import get_spot, join_key, value_key
from everself.config.secrets import Secret
from everself.config.sections import SETTINGS
from everself.config.table import Setting
from everself.config.tunables import PATTERNS
from everself.frozen import Frozen

Origin = Literal["default", "host file", "CONFIG.md", "both files", "environment"]


class SettingReport(Frozen):
    """A setting in force. A secret shows its origin instead of its value."""

    key: str
    value: Plain
    origin: Origin
    doc: str


def list_settings(loaded: Loaded) -> tuple[SettingReport, ...]:
    """Every setting in force: those of the table, names that the user chose, and settings of single agents."""
    plain = [setting for setting in SETTINGS if "[]" not in setting.key and "*" not in setting.key]
    shown = [_common(loaded, setting, setting.key) for setting in plain]
    chosen = loaded.reading.common.keys() - {setting.key for setting in plain}
    own = [join_key(given.path) for values in loaded.reading.agents.values() for given in values.values()]
    return (*shown, *(get_setting(loaded, key) for key in (*sorted(chosen), *own, *_in_environment(loaded))))


def get_setting(loaded: Loaded, key: str) -> SettingReport:
    """One setting under any of its names; for an agent, its own value or else the shared one."""
    spot = get_spot(key)
    setting, kept = spot.setting, value_key(spot)
    own = loaded.reading.agents.get(spot.agent, {}).get(kept)
    if own is not None:
        return SettingReport(join_key(spot.path), _safe(own.value), "host file", setting.doc)
    return replace(_common(loaded, setting, kept), key=join_key(spot.path))


def _common(loaded: Loaded, setting: Setting, key: str) -> SettingReport:
    given = loaded.reading.common.get(key)
    if key in loaded.tunables.values:
        joined = key == PATTERNS and given is not None and given.value
        return SettingReport(key, loaded.tunables.values[key], "both files" if joined else "CONFIG.md", setting.doc)
    if given is not None:
        return SettingReport(key, _safe(given.value), "host file", setting.doc)
    if key in (found := _in_environment(loaded)):
        return SettingReport(key, _safe(found[key]), "environment", setting.doc)
    home = loaded.config.places.default_workspace_of(MAIN)
    return SettingReport(key, home if key == "agents.defaults.workspace" else setting.default, "default", setting.doc)


def _in_environment(loaded: Loaded) -> dict[str, Secret]:
    """API keys of providers that are set in the environment only."""
    keys = {f"provider.{one.name}.apiKey": one.api_key for one in loaded.config.providers if one.api_key}
    return {key: secret for key, secret in keys.items() if key not in loaded.reading.common}


def _safe(value: Plain | Secret) -> Plain:
    return value if not isinstance(value, Secret) else f"(secret from {value.origin})" if value else ""
