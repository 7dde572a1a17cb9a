"""Finding settings by the path a file or a person gives: aliases, keys of other products, the nearest known key.

Knows the table of settings; does not know values or files.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from everself.config import foreign
from everself.config.settings import SETTINGS, Setting

Path = tuple[str, ...]

ANY, ITEM = "*", "[]"
_LIST: Path = ("agents", "list")

# newer and older OpenClaw spellings of a group, and the group they are read as
_GROUP_ALIASES: tuple[tuple[Path, Path], ...] = (
    (("memorySearch",), ("agents", "defaults", "memorySearch")),
    (("memory", "search"), ("agents", "defaults", "memorySearch")),
    (("heartbeat",), ("agents", "defaults", "heartbeat")),
    (("agents", "entries", ITEM), ("agents", "list", ITEM)),
    (("crm_context_budget",), ("crm_tokens",)),
    (("agents", "defaults", "model", "primary"), ("agents", "defaults", "model")),
)
_AGENT_ALIASES: tuple[tuple[Path, Path], ...] = (
    (("agentId",), ("id",)),
    (("memory", "search"), ("memorySearch",)),
    (("model", "primary"), ("model",)),
)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a path leads: the setting, and the agent it is for ("" where it is for all)."""

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
    """The path under the name that the table uses; paths nobody renamed come back as they are."""
    for old, new in _GROUP_ALIASES:
        if _begins(path, old):
            named = tuple(path[old.index(ITEM)] if part == ITEM else part for part in new)
            path = (*named, *path[len(old) :])
            break
    if path[:2] == _LIST and len(path) > 3:
        for old, new in _AGENT_ALIASES:
            if path[3 : 3 + len(old)] == old:
                return (*path[:3], *new, *path[3 + len(old) :])
    return path


def find_spot(path: Path) -> Spot | None:
    """The setting that the path names, under any of its names."""
    known = canonical(path)
    setting = _by_template().get(_template(known))
    if setting is None or not set(path).isdisjoint((ITEM, ANY, "")):
        return None
    agent = known[2] if known[:2] == _LIST else ""
    return Spot(setting, agent, known, alias=known != path)


def value_key(spot: Spot) -> str:
    """The key under which the value is kept: the setting's, with the names that the person chose."""
    parts = _parts(spot.setting.key)
    for back in range(1, len(parts) + 1):
        if parts[-back] == ANY:
            parts = (*parts[: len(parts) - back], spot.path[-back], *parts[len(parts) - back + 1 :])
    return join_key(parts)


def is_group(path: Path) -> bool:
    """Whether settings stand below this path, under any of their names."""
    return _template(path) in _groups() or _template(canonical(path)) in _groups()


def is_foreign(path: Path) -> bool:
    """Whether OpenClaw knows this path and Everself has no use for it."""
    return _template(path) in _foreign() or _template(canonical(path)) in _foreign()


def spellings(path: Path) -> Iterator[Path]:
    """The canonical path first, then every alias that leads to it."""
    path = canonical(path)
    forms = [path]
    if path[:2] == _LIST and len(path) > 3:
        forms += [
            (*path[:3], *old, *path[3 + len(new) :]) for old, new in _AGENT_ALIASES if path[3 : 3 + len(new)] == new
        ]
    for form in forms:
        yield form
        for old, new in _GROUP_ALIASES:
            if _begins(form, new) and canonical(form) == path:
                named = tuple(form[new.index(ITEM)] if part == ITEM else part for part in old)
                yield (*named, *form[len(new) :])


def nearest_key(path: Path) -> str:
    """The known key that a person most likely meant."""
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


def _begins(path: Path, pattern: Path) -> bool:
    return len(path) >= len(pattern) and all(want in (ITEM, have) for want, have in zip(pattern, path, strict=False))


def _template(path: Path) -> Path:
    """The path with `[]` and `*` in the places where a person chooses the name."""
    parts = list(path)
    if path[:2] in (_LIST, ("agents", "entries")) and len(path) > 2:
        parts[2] = ITEM
    if path[:1] == ("provider",) and len(path) > 1:
        parts[1] = ANY
    if path[-3:-1] == ("remote", "headers"):
        parts[-1] = ANY
    return tuple(parts)


@lru_cache(maxsize=1)
def _by_template() -> dict[Path, Setting]:
    table: dict[Path, Setting] = {}
    for setting in SETTINGS:
        table[_parts(setting.key)] = setting
        if setting.own:
            table[(*_LIST, ITEM, *setting.own.split("."))] = setting
    return table


@lru_cache(maxsize=1)
def _names() -> frozenset[Path]:
    """Every way to write every setting."""
    table = _by_template()
    return frozenset(form for path in table for form in spellings(path))


@lru_cache(maxsize=1)
def _groups() -> frozenset[Path]:
    return frozenset(path[:length] for path in _names() for length in range(1, len(path)))


@lru_cache(maxsize=1)
def _foreign() -> frozenset[Path]:
    agent = [tuple(name.split(".")) for name in foreign.OF_AGENTS.split()]
    return frozenset(
        [tuple(name.split(".")) for name in (foreign.TOP + foreign.IN_GROUPS).split()]
        + [("agents", "defaults", *name) for name in agent]
        + [(*_LIST, ITEM, *name) for name in agent]
    )


def _parts(key: str) -> Path:
    return tuple(key.replace(ITEM, f".{ITEM}").split("."))
