"""Finds a setting by a path from a file or the user: aliases, keys of other products, the nearest known key.

Knows the table of settings; knows no values or files.
"""

import os
from functools import lru_cache

from everself.config.sections import SETTINGS
from everself.config.table import Setting
from everself.errors import UnknownKey, WrongUse
from everself.frozen import Frozen

Path = tuple[str, ...]

ANY, ITEM = "*", "[]"
_LIST: Path = ("agents", "list")
_SERVERS: Path = ("mcp", "servers")

# newer and older OpenClaw spellings with our name for each, applied in this order
_ALIASES: tuple[tuple[Path, Path], ...] = tuple(
    (tuple(old.split(".")), tuple(new.split(".")))
    for old, new in (
        ("memorySearch", "agents.defaults.memorySearch"),
        ("memory.search", "agents.defaults.memorySearch"),
        ("heartbeat", "agents.defaults.heartbeat"),
        ("agents.defaults.model.primary", "agents.defaults.model"),
        ("crm_context_budget", "crm_tokens"),
        ("agents.entries.[]", "agents.list.[]"),
        ("agents.list.[].agentId", "agents.list.[].id"),
        ("agents.list.[].memory.search", "agents.list.[].memorySearch"),
        ("agents.list.[].model.primary", "agents.list.[].model"),
    )
)


class Spot(Frozen):
    """The setting that a path names, and the agent it is for ("" for all)."""

    setting: Setting
    agent: str
    path: Path
    alias: bool = False


def split_key(key: str) -> Path:
    """ "agents.list.aria.identity.name" or "agents.list[aria].identity.name" → its parts."""
    return tuple(key.replace("[", ".").replace("]", "").split("."))


def join_key(path: Path) -> str:
    return ".".join(path).replace(f".{ITEM}", ITEM)


def canonical(path: Path) -> Path:
    """The path under the name in the table; a path without an alias is returned as it is."""
    for old, new in _ALIASES:
        path = _renamed(path, old, new) or path
    return path


def spellings(path: Path) -> tuple[Path, ...]:
    """The canonical path first, then every alias that leads to it."""
    forms = [canonical(path)]
    for old, new in reversed(_ALIASES):
        forms += [form for known in forms if (form := _renamed(known, new, old))]
    return tuple(form for form in dict.fromkeys(forms) if canonical(form) == forms[0])


def find_spot(path: Path) -> Spot | None:
    """The setting that a path names, under any of its names; None if there is none."""
    known = canonical(path)
    setting = _by_template().get(_template(known))
    if setting is None or not set(path).isdisjoint((ITEM, ANY, "")):
        return None
    agent = known[2] if known[:2] == _LIST else ""
    return Spot(setting, agent, known, alias=known != path)


def get_spot(key: str) -> Spot:
    """The setting for a key that the user typed. Raises WrongUse or UnknownKey if it is not one of ours."""
    path = split_key(key)
    spot = find_spot(path)
    if spot is not None:
        return spot
    if is_group(path):
        raise WrongUse(f"{key} is a group of settings, not a single setting.", mend=f"everself config show {key}")
    if is_foreign(path):
        raise UnknownKey(f"{key} is an OpenClaw setting that Everself does not use.", mend="Edit the file by hand.")
    raise UnknownKey(f"{key}. Did you mean {nearest_key(path)}?", mend="everself config show")


def value_key(spot: Spot) -> str:
    """The key under which the value is stored: the setting's key with the names that the user chose."""
    parts = _parts(spot.setting.key)
    return join_key(tuple(spot.path[at] if part == ANY else part for at, part in enumerate(parts, -len(parts))))


def is_group(path: Path) -> bool:
    """Whether the path is a group that contains settings, under any of its names."""
    return _template(path) in _groups() or _template(canonical(path)) in _groups()


def is_foreign(path: Path) -> bool:
    """Whether the path is an OpenClaw setting that Everself does not use."""
    forms = (_template(path), _template(canonical(path)))
    if any(form in _foreign() for form in forms):
        return True
    # unknown keys in a group that OpenClaw has too belong to OpenClaw
    beside = any((*form[:-1], ANY) in _foreign() for form in forms)
    return beside and find_spot(path) is None and not is_group(path)


def nearest_key(path: Path) -> str:
    """The known key that the user most likely meant."""
    import difflib

    def alike(left: str, right: str) -> float:
        return difflib.SequenceMatcher(None, left.lower(), right.lower()).ratio()

    parent, name = _template(path[:-1]), path[-1]
    siblings = {known[len(parent)] for known in _names() if known[: len(parent)] == parent and len(known) > len(parent)}
    siblings -= {ANY, ITEM}
    best = max(siblings, key=lambda sibling: (alike(sibling, name), sibling), default="")
    if best and alike(best, name) >= 0.6:
        return join_key((*path[:-1], best))
    wanted = join_key(path)
    same_name = [join_key(known) for known in _names() if known[-1].lower() == name.lower()]
    return max(same_name or [join_key(known) for known in _names()], key=lambda known: (alike(known, wanted), known))


def _renamed(path: Path, old: Path, new: Path) -> Path:
    """The path with `new` in place of its beginning `old`, where `[]` is any agent; empty if it begins otherwise."""
    if len(path) < len(old) or any(want not in (ITEM, have) for want, have in zip(old, path, strict=False)):
        return ()
    return (*(path[old.index(ITEM)] if part == ITEM else part for part in new), *path[len(old) :])


def _template(path: Path) -> Path:
    """The path with `[]` and `*` in place of names that the user chooses."""
    parts = list(path)
    if path[:2] in (_LIST, ("agents", "entries")) and len(path) > 2:
        parts[2] = ITEM
    if path[:1] == ("provider",) and len(path) > 1:
        parts[1] = ANY
    if path[-3:-1] == ("remote", "headers"):
        parts[-1] = ANY
    if path[:2] == _SERVERS and len(path) > 2:
        parts[2] = ANY
        parts[4:5] = [ANY] * len(parts[4:5])
    return tuple(parts)


@lru_cache(maxsize=1)
def _by_template() -> dict[Path, Setting]:
    shared = {_parts(setting.key): setting for setting in SETTINGS}
    return shared | {(*_LIST, ITEM, *setting.own.split(".")): setting for setting in SETTINGS if setting.own}


@lru_cache(maxsize=1)
def _names() -> frozenset[Path]:
    """All spellings of all settings."""
    return frozenset(form for path in _by_template() for form in spellings(path))


@lru_cache(maxsize=1)
def _groups() -> frozenset[Path]:
    return frozenset(path[:length] for path in _names() for length in range(1, len(path)))


@lru_cache(maxsize=1)
def _foreign() -> frozenset[Path]:
    with open(os.path.join(os.path.dirname(__file__), "foreign.txt"), encoding="utf-8") as file:
        words = [word for line in file if not line.startswith("#") for word in line.split()]
    names = [tuple(word.split(".")) for word in words if word[0] != "@"]
    of_agents = [tuple(word[1:].split(".")) for word in words if word[0] == "@"]
    places: tuple[Path, ...] = (("agents", "defaults"), (*_LIST, ITEM))
    return frozenset([*names, *((*place, *name) for place in places for name in of_agents)])


def _parts(key: str) -> Path:
    return tuple(key.replace(ITEM, f".{ITEM}").split("."))
