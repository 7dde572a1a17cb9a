"""Log levels: turns EVERSELF_LOG and the number of -v into a level for each logger. Pure; knows no handler."""

from collections.abc import Mapping

from everself.errors import BadConfig

VARIABLE = "EVERSELF_LOG"
_ROOT = "everself"
_LEVELS = ("debug", "info", "warning", "error")
_VERBOSE = ("", "info", "debug")


def read_log_levels(environ: Mapping[str, str], verbose: int = 0) -> dict[str, str]:
    """Levels such as DEBUG by logger name; empty if nothing is logged.

    EVERSELF_LOG is a level, or a list such as `search=debug,models=info` whose names are relative to `everself`. -v sets the level of all
    loggers that the list does not name.
    """
    levels: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in environ.get(VARIABLE, "").split(","))):
        name, equals, level = item.rpartition("=")
        levels[_logger(name.strip()) if equals else _ROOT] = _level(level.strip())
    if verbose:
        levels[_ROOT] = _VERBOSE[min(verbose, 2)].upper()
    return levels


def _logger(name: str) -> str:
    return name if name == _ROOT or name.startswith(f"{_ROOT}.") else f"{_ROOT}.{name}".rstrip(".")


def _level(word: str) -> str:
    if word.lower() in _LEVELS:
        return word.upper()
    import difflib

    near = difflib.get_close_matches(word.lower(), _LEVELS, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise BadConfig(
        f'{VARIABLE} holds "{word[:40]}", which is not a level.{hint}',
        mend=f"Set it to one of {', '.join(_LEVELS)}, or to a list such as search=debug,models=info.",
    )
