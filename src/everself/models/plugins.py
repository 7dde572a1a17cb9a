"""The fence around packages of others: what they raise becomes PluginFailed, which names the package.

Knows neither embedders nor chat models.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from everself.config.plugins import Plugin, PluginGroup, find_plugins
from everself.errors import EverselfError


class PluginFailed(Exception):
    """A package of others cannot be used; `words` name it, `mend` says what helps."""

    def __init__(self, words: str, mend: str) -> None:
        super().__init__(words)
        self.words = words
        self.mend = mend


def find_plugin(group: PluginGroup, name: str) -> Plugin | None:
    """The package that adds that name. Raises PluginFailed where several do."""
    found = find_plugins(group, name)
    if len(found) > 1:
        packages = " and ".join(one.package for one in found)
        raise PluginFailed(f'"{name}" is added by several packages: {packages}.', "Uninstall all but one of them.")
    return found[0] if found else None


def make_from(plugin: Plugin, find_fault: Callable[[Any, str], str], *arguments: object) -> Any:
    """What the plugin's factory makes of the arguments, once `find_fault` has nothing against it. Raises PluginFailed."""
    with fenced(plugin):
        made = plugin.entry.load()(*arguments)
        fault = find_fault(made, plugin.name)
    if fault:
        raise _failed(plugin, fault)
    return made


@contextmanager
def fenced(plugin: Plugin) -> Iterator[None]:
    """Errors of Everself's own pass, so that a package may raise ModelFailed or EmbeddingFailed."""
    try:
        yield
    except EverselfError:
        raise
    except Exception as error:  # noqa: BLE001 the fence around code of others, which raises what it likes
        # its type alone, and no cause: what somebody else's client raises may carry a key
        raise _failed(plugin, type(error).__name__) from None


def _failed(plugin: Plugin, what: str) -> PluginFailed:
    words = f'The package {plugin.package}, which adds "{plugin.name}", failed: {what}.'
    return PluginFailed(words, f"Update or uninstall {plugin.package.partition(' ')[0]}.")
