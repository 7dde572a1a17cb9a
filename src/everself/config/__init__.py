"""Settings: parses the JSON5 host file and CONFIG.md into frozen sections. The only package that reads the environment.

Everything is pure except `find_places`, `read_host`, `read_vault` and `load_here`. Nothing is written: edits return texts that the caller
saves.
"""

from everself.config.host import read_host, read_vault
from everself.config.loading import Loaded, check, load, load_here, with_tunables
from everself.config.places import Places, environment, find_places
from everself.config.secrets import EMPTY_VAULT, Secret, Vault
from everself.config.sections import AgentSettings, Config

__all__ = [
    "EMPTY_VAULT",
    "AgentSettings",
    "Config",
    "Loaded",
    "Places",
    "Secret",
    "Vault",
    "check",
    "environment",
    "find_places",
    "load",
    "load_here",
    "read_host",
    "read_vault",
    "with_tunables",
]
