"""What a value of a setting may look like: each kind checks one plain value and says in words what it wants.

Pure. Knows nothing of keys or files, and never repeats a value in its words, because the value may be a secret.
"""

import math
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

Plain = bool | int | float | str | tuple["Plain", ...] | Mapping[str, "Plain"]

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST = timedelta(days=366)
_TEXT_LIMIT = 4096
_LIST_LIMIT = 256


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a value does not fit, to be read after the name of the setting."""

    words: str


class Kind(Protocol):
    """`words` completes the sentence "KEY must be …"; `take` gives the value as it will be kept."""

    @property
    def words(self) -> str: ...

    def take(self, value: object) -> Plain | Misfit: ...


def _misfit(kind: Kind, value: object) -> Misfit:
    return Misfit(f"must be {kind.words}, but it is {name_type(value)}.")


def name_type(value: object) -> str:
    """What a person would call the value, without repeating it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number" if math.isfinite(value) else "no finite number"
    if isinstance(value, str):
        return "a text" if value else "an empty text"
    if isinstance(value, Mapping):
        return "a group {…}"
    return "a list […]" if isinstance(value, list | tuple) else "something else"


@dataclass(frozen=True, slots=True)
class Flag:
    @property
    def words(self) -> str:
        return "true or false"

    def take(self, value: object) -> Plain | Misfit:
        return value if isinstance(value, bool) else _misfit(self, value)


@dataclass(frozen=True, slots=True)
class Whole:
    least: int = 0
    most: int = 1_000_000_000

    @property
    def words(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def take(self, value: object) -> Plain | Misfit:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            return _misfit(self, value)
        return value if self.least <= value <= self.most else Misfit(f"must be {self.words}.")


@dataclass(frozen=True, slots=True)
class Number:
    least: float = 0.0
    most: float = 1.0

    @property
    def words(self) -> str:
        return f"a number from {self.least:g} to {self.most:g}"

    def take(self, value: object) -> Plain | Misfit:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return _misfit(self, value)
        # written so that NaN, which compares false with everything, does not pass
        return float(value) if self.least <= value <= self.most else Misfit(f"must be {self.words}.")


@dataclass(frozen=True, slots=True)
class Text:
    """A short text; empty means "not set"."""

    @property
    def words(self) -> str:
        return "a text"

    def take(self, value: object) -> Plain | Misfit:
        if not isinstance(value, str):
            return _misfit(self, value)
        if len(value) > _TEXT_LIMIT:
            return Misfit(f"must be a text of at most {_TEXT_LIMIT} characters.")
        if any(ord(char) < 32 or 0xD800 <= ord(char) <= 0xDFFF for char in value):
            return Misfit("must be a text without control characters.")
        return value


@dataclass(frozen=True, slots=True)
class Folder(Text):
    """A path, empty for "not set"; a reference to a variable is checked when it is resolved."""

    @property
    def words(self) -> str:
        return "an absolute path or one that begins with ~/"

    def take(self, value: object) -> Plain | Misfit:
        taken = Text.take(self, value)
        if isinstance(taken, str) and taken not in ("", "~") and not taken.startswith(("/", "~/", "${")):
            return Misfit(f"must be {self.words}.")
        return taken


@dataclass(frozen=True, slots=True)
class Inside(Text):
    """The name of a file inside the workspace."""

    @property
    def words(self) -> str:
        return "the name of a file inside the workspace"

    def take(self, value: object) -> Plain | Misfit:
        taken = Text.take(self, value)
        if isinstance(taken, str) and (taken.startswith(("/", "~")) or "\\" in taken or ".." in taken.split("/")):
            return Misfit(f"must be {self.words}.")
        return taken


@dataclass(frozen=True, slots=True)
class Choice:
    options: tuple[str, ...]
    # values of other products that are read as one of ours
    read_as: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        return "one of " + ", ".join(f'"{option!s}"' for option in self.options)

    def take(self, value: object) -> Plain | Misfit:
        if not isinstance(value, str):
            return _misfit(self, value)
        value = self.read_as.get(value, value)
        return str(value) if value in self.options else Misfit(f"must be {self.words}.")


@dataclass(frozen=True, slots=True)
class Duration:
    @property
    def words(self) -> str:
        return 'a duration such as "30m", "1h30m" or "45s"'

    def take(self, value: object) -> Plain | Misfit:
        if not isinstance(value, str):
            return _misfit(self, value)
        return value if value == "" or parse_duration(value) is not None else Misfit(f"must be {self.words}.")


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
            return timedelta(seconds=seconds) if seconds <= _LONGEST.total_seconds() else None
        rest = after_unit.lstrip(" ")


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """ "02:30"; `midnight_end` also allows "24:00", which an end of hours may be; `optional` allows none."""

    optional: bool = False
    midnight_end: bool = False

    @property
    def words(self) -> str:
        return 'a time of day such as "02:30"'

    def take(self, value: object) -> Plain | Misfit:
        if not isinstance(value, str):
            return _misfit(self, value)
        if parse_time(value) is not None or (self.midnight_end and value == "24:00"):
            return value
        if self.optional and value == "":
            return value
        return Misfit(f"must be {self.words}.")


def parse_time(text: str) -> tuple[int, int] | None:
    """ "02:30" → (2, 30)."""
    hour, colon, minute = text.partition(":")
    if not colon or not (text.isascii() and hour.isdigit() and minute.isdigit()) or len(hour) > 2 or len(minute) != 2:
        return None
    return (int(hour), int(minute)) if int(hour) < 24 and int(minute) < 60 else None


@dataclass(frozen=True, slots=True)
class WeeklyTime:
    @property
    def words(self) -> str:
        return 'a day and time such as "Sunday 03:00"'

    def take(self, value: object) -> Plain | Misfit:
        if not isinstance(value, str):
            return _misfit(self, value)
        return value if parse_weekly(value) is not None else Misfit(f"must be {self.words}.")


def parse_weekly(text: str) -> tuple[int, int, int] | None:
    """ "Sunday 03:00" → (6, 3, 0), Monday being 0; three letters of the day are enough."""
    name, _, rest = text.strip().partition(" ")
    time = parse_time(rest.strip())
    name = name.lower()
    for number, day in enumerate(DAYS):
        if time is not None and name in (day, day[:3]):
            return (number, *time)
    return None


@dataclass(frozen=True, slots=True)
class Zone(Text):
    """An IANA time zone, or one of the `words_for` that stand for one."""

    words_for: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        return 'a time zone such as "Europe/Berlin"'

    def take(self, value: object) -> Plain | Misfit:
        taken = Text.take(self, value)
        if not isinstance(taken, str) or taken == "" or taken in self.words_for:
            return taken
        from everself.clock import find_zone
        from everself.errors import BadConfig

        try:
            find_zone(taken)
        except BadConfig:
            return Misfit(f"must be {self.words}.")
        return taken


@dataclass(frozen=True, slots=True)
class TextList:
    @property
    def words(self) -> str:
        return "a list of texts"

    def take(self, value: object) -> Plain | Misfit:
        if not isinstance(value, list | tuple) or len(value) > _LIST_LIMIT:
            return _misfit(self, value)
        taken = [Text().take(item) for item in value]
        texts = [text for text in taken if isinstance(text, str) and text]
        return tuple(texts) if len(texts) == len(value) else Misfit(f"must be {self.words}, none of them empty.")


@dataclass(frozen=True, slots=True)
class Patterns:
    """Triage patterns of the person's own. A route that runs a program is only for the host file."""

    programs: bool = True

    @property
    def words(self) -> str:
        return 'a list of {pattern: "…", route: "miner" or "validator"}'

    def take(self, value: object) -> Plain | Misfit:
        if not isinstance(value, list | tuple) or len(value) > _LIST_LIMIT:
            return _misfit(self, value)
        taken: list[Plain] = []
        for item in value:
            if not isinstance(item, Mapping) or set(item) != {"pattern", "route"}:
                return Misfit(f"must be {self.words}.")
            pattern, route = Text().take(item["pattern"]), Text().take(item["route"])
            if not isinstance(pattern, str) or not isinstance(route, str) or not pattern or not route:
                return Misfit(f"must be {self.words}.")
            if not self.programs and route not in ("miner", "validator"):
                return Misfit("names a program to run, which belongs into the host file.")
            if not _compiles(pattern):
                return Misfit("holds a pattern that RE2 cannot read.")
            taken.append({"pattern": pattern, "route": route})
        return tuple(taken)


def _compiles(pattern: str) -> bool:
    import re2

    quiet = re2.Options()
    quiet.log_errors = False
    try:
        re2.compile(pattern, quiet)
    except re2.error:
        return False
    return True
