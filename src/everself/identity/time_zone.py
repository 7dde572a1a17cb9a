"""Determines the user's time zone: the setting, else USER.md, else the machine's."""

from zoneinfo import ZoneInfo

from everself.clock import find_zone, host_zone
from everself.errors import BadConfig

LABELS = ("time zone", "timezone", "时区", "시간대", "タイムゾーン")


def user_zone(setting: str, profile: bytes | None) -> ZoneInfo:
    """A zone that USER.md spells wrongly is passed over: doctor tells of it, and the day still needs a name."""
    if setting:
        return find_zone(setting)
    named = named_zone(profile or b"")
    if named:
        try:
            return find_zone(named)
        except BadConfig:
            return host_zone()
    return host_zone()


def named_zone(profile: bytes) -> str:
    """What stands after `- **Time zone:**`; empty for a blank that nobody filled in."""
    for line in profile.decode("utf-8", "replace").splitlines():
        label, colon, value = line.strip().lstrip("-*+ ").replace("**", "").partition(":")
        if colon and label.strip().lower() in LABELS:
            value = value.strip()
            return "" if value.startswith(("_(", "(", "<")) else value.split()[0] if value else ""
    return ""
