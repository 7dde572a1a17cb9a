"""Finds what other installed packages add to Everself, by entry point. Loads no package."""

from typing import TYPE_CHECKING, Literal

from everself.frozen import Frozen

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

# the groups of entry points are everself.embedders and everself.models
PluginGroup = Literal["embedders", "models"]
EMBEDDERS: PluginGroup = "embedders"
MODELS: PluginGroup = "models"


class Plugin(Frozen):
    """`package` is the distribution with its version; `entry` loads the plugin."""

    name: str
    package: str
    entry: "EntryPoint"


def find_plugins(group: PluginGroup, name: str = "") -> tuple[Plugin, ...]:
    """All plugins of a group, or those of one name, sorted by name. Two packages may offer the same name."""
    # this reads the metadata of every installed distribution, so call it only for names that Everself does not know
    from importlib.metadata import distributions

    found: dict[tuple[str, str], Plugin] = {}
    for one in distributions():
        try:
            for entry in one.entry_points.select(group=f"everself.{group}"):
                # the first of two versions on sys.path counts, as for imports
                found.setdefault((entry.name, one.name), Plugin(entry.name, f"{one.name} {one.version}", entry))
        except (LookupError, OSError, TypeError, ValueError) as error:
            _log_unreadable(one, error)
    return tuple(found[key] for key in sorted(found) if name in ("", key[0]))


def _log_unreadable(one: "Distribution", error: Exception) -> None:
    """A broken package must not hide the others."""
    from everself.logs import get_logger

    where = getattr(one, "_path", "a package")
    get_logger(__name__).warning("The entry points of %s cannot be read (%s).", where, type(error).__name__)
