"""A fence around code of other packages: its exceptions become PluginFailed, which names the package.

Knows neither embedders nor chat models.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from everself.config.plugins import Plugin, PluginGroup, find_plugins
from everself.errors import EverselfError


class PluginFailed(Exception):
    """Another package cannot be used; `words` names it, `mend` says what helps."""

    def __init__(self, words: str, mend: str) -> None:
        super().__init__(words)
        self.words = words
        self.mend = mend


def find_plugin(group: PluginGroup, name: str) -> Plugin | None:
    """The package that adds a name; None if there is none. Raises PluginFailed if several do."""
    found = find_plugins(group, name)
    if len(found) > 1:
        packages = " and ".join(one.package for one in found)
        raise PluginFailed(f'"{name}" is added by several packages: {packages}.', "Uninstall all but one of them.")
    return found[0] if found else None


def make_from(plugin: Plugin, find_fault: Callable[[Any, str], str], *arguments: object) -> Any:
    """The object that the plugin's factory returns, checked with `find_fault`. Raises PluginFailed."""
    with fenced(plugin):
        made = plugin.entry.load()(*arguments)
        fault = find_fault(made, plugin.name)
    if fault:
        raise _failed(plugin, fault)
    return made


@contextmanager
def fenced(plugin: Plugin) -> Iterator[None]:
    """Turn exceptions into PluginFailed. Errors of Everself pass, so a package may raise ModelFailed or EmbeddingFailed."""
    try:
        yield
    except EverselfError:
        raise
    except Exception as error:  # noqa: BLE001 the fence around code of others, which raises what it likes
        # only the type, and no cause: an exception of another client may contain a key
        raise _failed(plugin, type(error).__name__) from None


def _failed(plugin: Plugin, what: str) -> PluginFailed:
    words = f'The package {plugin.package}, which adds "{plugin.name}", failed: {what}.'
    return PluginFailed(words, f"Update or uninstall {plugin.package.partition(' ')[0]}.")
