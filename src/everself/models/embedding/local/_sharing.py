"""Loaded models, shared by all agents of a process. A model is released with the last embedder that uses it."""

import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

_lock = threading.Lock()
_loaded: "WeakValueDictionary[tuple[str, str], Any]" = WeakValueDictionary()


def share(model: str, cache: str, load: Callable[[], Any]) -> Any:
    """The result of `load`, created once for all users of this model and cache."""
    with _lock:
        found = _loaded.get((model, cache))
        if found is None:
            found = _loaded[model, cache] = load()
        return found


def installed_version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
