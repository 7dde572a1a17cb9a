"""Determines the user's time zone: the setting, else USER.md, else the machine's. Understands the city that a zone is named for."""

import unicodedata
from zoneinfo import ZoneInfo, available_timezones

from everself.clock import find_zone, host_zone
from everself.errors import BadConfig

LABELS = ("time zone", "timezone", "时区", "시간대", "タイムゾーン")


def user_zone(setting: str, profile: bytes | None) -> ZoneInfo:
    """An invalid zone in USER.md is ignored: doctor reports it, and the day still needs a date."""
    if setting:
        return find_zone(setting)
    named = named_zone(profile or b"")
    try:
        return find_place(named) if named else host_zone()
    except BadConfig:
        return host_zone()


def find_place(said: str) -> ZoneInfo:
    """The zone of an IANA name in any case, or of the city that a zone is named for: "Berlin", "new york", "São Paulo"."""
    try:
        return find_zone(said)
    except BadConfig:
        wanted = _bare(said)
        names = [
            name for name in available_timezones() if wanted and wanted in (_bare(name), _bare(name.rpartition("/")[2]))
        ]
        if not names:
            raise
        # the others are older names of the same zone: America/Buenos_Aires, America/Argentina/Buenos_Aires
        return find_zone(min(names, key=lambda name: (len(name), name)))


def named_zone(profile: bytes) -> str:
    """The zone that is named after `- **Time zone:**`; empty if the field is blank or names none."""
    for line in profile.decode("utf-8", "replace").splitlines():
        label, colon, value = line.strip().lstrip("-*+ ").replace("**", "").partition(":")
        if colon and label.strip().lower() in LABELS:
            value = value.strip()
            return "" if not value or value.startswith(("_(", "(", "<")) else _as_far_as_known(value)
    return ""


def _as_far_as_known(value: str) -> str:
    """Its first words that name a zone, without a remark after them; the whole text if none do."""
    words = value.split()
    for count in range(min(len(words), 4), 0, -1):
        named = " ".join(words[:count]).rstrip(",;.")
        try:
            return find_place(named).key
        except BadConfig:
            continue
    return value


def _bare(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.strip()).replace("_", " ").replace("-", " ")
    return " ".join("".join(char for char in plain if not unicodedata.combining(char)).casefold().split())
