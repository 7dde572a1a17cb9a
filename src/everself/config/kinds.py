"""The types of settings: each checks one plain value and describes what it accepts.

Pure. Knows no keys or files. Messages never repeat a value, because it may be a secret.
"""

import string
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum

from everself.clock import find_zone
from everself.config.plugins import PluginGroup, find_plugins
from everself.errors import BadConfig
from everself.frozen import Frozen
from everself.text.patterns import LARGEST_TOGETHER, size_of

Plain = bool | int | float | str | tuple["Plain", ...] | Mapping[str, "Plain"]

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST = 366 * 86400.0
_TEXT_LIMIT = 4096
_LIST_LIMIT = 256


class Misfit(Frozen):
    """The reason why a value does not fit, to follow the name of the setting."""

    words: str


class Kind(Frozen):
    """`words` completes "KEY must be …". `check` returns the value to store, None or a Misfit if it does not fit. `convert` turns the
    stored value into the one that other packages use."""

    words: str
    check: Callable[[object], Plain | Misfit | None]
    convert: Callable[[Plain], object] = lambda value: value

    def take(self, value: object) -> Plain | Misfit:
        taken = self.check(value)
        return Misfit(f"must be {self.words}.") if taken is None else taken


def whole(least: int = 0, most: int = 1_000_000_000) -> Kind:
    return _number("a whole number", int, least, most)


def number(least: float, most: float) -> Kind:
    return _number("a number", float, least, most)


def _number(words: str, keep: type[int] | type[float], least: float, most: float) -> Kind:
    def check(value: object) -> Plain | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            return None
        return kept if (kept := keep(value)) == value else None

    return Kind(f"{words} from {least} to {most}", check)


def one_of(words: type[StrEnum], read_as: Mapping[str, str] | None = None, but: str = "") -> Kind:
    """One of the words of an enum except `but`; `read_as` maps words of other products to ours."""
    options = tuple(str(word) for word in words if word != but)

    def check(value: object) -> Plain | None:
        word = (read_as or {}).get(value, value) if isinstance(value, str) else value
        return word if isinstance(word, str) and word in options else None

    listed = ", ".join(f'"{option}"' for option in options)
    return Kind(f"one of {listed}" if len(options) > 1 else listed, check, lambda value: words(str(value)))


def or_plugin(own: Kind, group: PluginGroup) -> Kind:
    """One of our own words, or a name that an installed package adds."""

    def check(value: object) -> Plain | Misfit | None:
        taken = own.check(value)
        if taken is None and isinstance(value, str) and value and find_plugins(group, value):
            return value
        return taken

    return Kind(f"{own.words}, or a name that an installed package adds", check, str)


def _text(value: object) -> str | None:
    if not isinstance(value, str) or len(value) > _TEXT_LIMIT:
        return None
    return None if any(ord(char) < 32 or 0xD800 <= ord(char) <= 0xDFFF for char in value) else value


def _text_kind(words: str, fits: Callable[[str], bool]) -> Kind:
    def check(value: object) -> Plain | None:
        text = _text(value)
        return text if text is not None and fits(text) else None

    return Kind(words, check)


def _texts(value: object) -> Plain | None:
    if not isinstance(value, list | tuple) or len(value) > _LIST_LIMIT:
        return None
    taken = tuple(text for item in value if (text := _text(item)))
    return taken if len(taken) == len(value) else None


def parse_duration(text: str) -> timedelta | None:
    """ "1h30m" → ninety minutes; a bare number counts minutes, as OpenClaw reads it."""
    rest = text.strip().lower()
    if rest.isascii() and rest.isdigit():
        rest += "m"
    seconds = 0.0
    while True:
        after_digits = rest.lstrip(string.digits)
        after_unit = after_digits.lstrip(string.ascii_lowercase)
        digits = rest[: len(rest) - len(after_digits)]
        unit = after_digits[: len(after_digits) - len(after_unit)]
        if not digits or len(digits) > 9 or unit not in _SECONDS:
            return None
        seconds += int(digits) * _SECONDS[unit]
        if not after_unit:
            return timedelta(seconds=seconds) if seconds <= _LONGEST else None
        rest = after_unit.lstrip(" ")


def parse_time(text: str) -> tuple[int, int] | None:
    """ "02:30" → (2, 30)."""
    hour, colon, minute = text.partition(":")
    if not colon or not (text.isascii() and hour.isdigit() and minute.isdigit()) or len(hour) > 2 or len(minute) != 2:
        return None
    return (int(hour), int(minute)) if int(hour) < 24 and int(minute) < 60 else None


def parse_weekly(text: str) -> tuple[int, int, int] | None:
    """ "Sunday 03:00" → (6, 3, 0), where Monday is 0; the first three letters of the day are enough."""
    name, _, rest = text.strip().lower().partition(" ")
    time = parse_time(rest.strip())
    days = [number for number, day in enumerate(DAYS) if name in (day, day[:3])]
    return (days[0], *time) if days and time is not None else None


def _parsed(parse: Callable[[str], object], *also: str) -> Callable[[object], str | None]:
    """A check for texts that `parse` accepts, or that are in `also`."""
    return lambda value: value if isinstance(value, str) and (value in also or parse(value) is not None) else None


def times(*also: str) -> Kind:
    return Kind('a time of day such as "02:30"', _parsed(parse_time, *also))


def zone(*also: str) -> Kind:
    return _text_kind('a time zone such as "Europe/Berlin"', lambda text: text in also or _is_zone(text))


def _is_zone(text: str) -> bool:
    try:
        return bool(find_zone(text))
    except BadConfig:
        return False


def patterns(told: Callable[[str, str], object], *, programs: bool = True) -> Kind:
    """The user's own triage patterns. Only the host file may name a program as a route."""
    words = 'a list of {pattern: "…", route: "miner" or "validator"}'

    def check(value: object) -> Plain | Misfit | None:
        if not isinstance(value, list | tuple) or len(value) > _LIST_LIMIT:
            return None
        taken: list[Plain] = []
        together = 0
        for item in value:
            fields = item if isinstance(item, Mapping) and set(item) == {"pattern", "route"} else {}
            pattern, route = _text(fields.get("pattern")), _text(fields.get("route"))
            if not pattern or not route:
                return None
            if not programs and route not in ("miner", "validator"):
                return Misfit("names a program to run; only the host file may do that.")
            size = size_of(pattern)
            if isinstance(size, str):
                return Misfit(f"contains an unusable pattern, number {len(taken) + 1}: {size}.")
            together += size
            if together > LARGEST_TOGETHER:
                return Misfit(f"contains patterns that are too large together, from number {len(taken) + 1} on.")
            taken.append({"pattern": pattern, "route": route})
        return tuple(taken)

    def convert(value: Plain) -> object:
        items = value if isinstance(value, tuple) else ()
        return tuple(told(str(item["pattern"]), str(item["route"])) for item in items if isinstance(item, Mapping))

    return Kind(words, check, convert)


def _bind(value: object) -> Plain | None:
    """OpenClaw's words for features that Everself does not have are read as the narrowest address."""
    import ipaddress

    if not isinstance(value, str):
        return None
    if value in ("loopback", "lan"):
        return value
    if value in ("auto", "tailnet", "custom"):
        return "loopback"
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        return None


BIND = Kind('"loopback", "lan" or an IP address', _bind)
FLAG = Kind("true or false", lambda value: value if isinstance(value, bool) else None)
TEXT = Kind("a short text without control characters", _text)
TEXTS = Kind("a list of texts, none of them empty", _texts)
FOLDER = _text_kind(
    "an absolute path or one that begins with ~/",
    lambda text: text in ("", "~") or text.startswith(("/", "~/", "${")),
)
INSIDE = _text_kind(
    "the name of a file inside the workspace",
    lambda text: not text.startswith(("/", "~")) and "\\" not in text and ".." not in text.split("/"),
)
WEEKLY = Kind('a day and time such as "Sunday 03:00"', _parsed(parse_weekly))
_SPAN = _parsed(parse_duration, "")
DURATION = Kind('a duration such as "1h30m"', _SPAN, lambda text: parse_duration(str(text)) or timedelta(0))
