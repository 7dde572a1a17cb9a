"""What installed packages of others add to Everself, by entry point. Finds names; loads no package."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# the entry points are called everself.embedders and everself.models
PluginGroup = Literal["embedders", "models"]
EMBEDDERS: PluginGroup = "embedders"
MODELS: PluginGroup = "models"


@dataclass(frozen=True, slots=True)
class Plugin:
    """`package` is the distribution with its version; `entry` loads what it adds."""

    name: str
    package: str
    entry: "EntryPoint"


def find_plugins(group: PluginGroup, name: str = "") -> tuple[Plugin, ...]:
    """All of a group or of a name, in the order of their names. Two packages may offer the same name."""
    # reads the metadata of every installed distribution, so it is asked for names that are not Everself's own only
    from importlib.metadata import entry_points

    full = f"everself.{group}"
    found = {}
    for entry in entry_points(group=full, name=name) if name else entry_points(group=full):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value
        # an editable install and its twin on sys.path are one package
        found[entry.name, package] = Plugin(entry.name, package, entry)
    return tuple(found[key] for key in sorted(found))
