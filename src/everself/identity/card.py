"""Resolves the agent's name, emoji and avatar, each with the source that defines it. Pure."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Final, Literal
from urllib.parse import urlsplit

from everself.config.sections import Identity
from everself.frozen import Frozen
from everself.storage.paths import find_fault
from everself.text.markdown.labels import read_labels
from everself.workspace.layout import is_hidden

IDENTITY_FILE: Final = "IDENTITY.md"
DEFAULT_NAME: Final = "Assistant"
DEFAULT_AVATAR: Final = "A"

NAME_CHARS: Final = 60
EMOJI_CHARS: Final = 16  # a family of four with skin tones has eleven
DESCRIPTION_CHARS: Final = 200
URL_CHARS: Final = 2_048
DATA_CHARS: Final = 2 * 1024 * 1024
_LETTERS: Final = 4
# so that an interface never shows another document of the workspace as an avatar
_PICTURES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp", ".ico")


class CardSource(StrEnum):
    UI = "ui.assistant"
    OWN = "agents.list"
    FILE = IDENTITY_FILE
    DEFAULT = "default"


AvatarKind = Literal["file", "url", "data", "text"]
# why a value is invalid, in words; empty if it is valid
Rule = Callable[[str], str]


class CardField(Frozen):
    value: str
    source: CardSource


class Card(Frozen):
    """`notices` report ignored values; `missing`: there is no IDENTITY.md."""

    name: CardField
    emoji: CardField
    avatar: CardField
    creature: CardField
    vibe: CardField
    missing: bool = False
    notices: tuple[str, ...] = ()


def read_card(identity_md: bytes | None) -> dict[str, str]:
    """The filled-in labels of IDENTITY.md in lower case; the first one counts."""
    found: dict[str, str] = {}
    for label in read_labels(identity_md or b""):
        if label.value:
            found.setdefault(label.name, label.value)
    return found


def resolve(ui: Identity, own: Identity, identity_md: bytes | None) -> Card:
    """Each value from the first valid source: the interface's settings, the agent's settings, IDENTITY.md, the default."""
    written = read_card(identity_md)
    notices: list[str] = []

    def first(label: str, configured: Sequence[str], rule: Rule, default: str = "") -> CardField:
        asked = [
            *zip((CardSource.UI, CardSource.OWN), configured, strict=False),
            (CardSource.FILE, written.get(label, "")),
        ]
        for source, value in asked:
            value = value.strip()
            fault = rule(value) if value else ""
            if fault:
                named = "agents.list[].identity" if source is CardSource.OWN else source.value
                notices.append(f"The {label} in {named} is ignored: {fault}.")
            elif value:
                return CardField(value, source)
        return CardField(default, CardSource.DEFAULT)

    card = Card(
        name=first("name", (ui.name, own.name), name_fault, DEFAULT_NAME),
        emoji=first("emoji", (ui.emoji, own.emoji), emoji_fault),
        avatar=first("avatar", (ui.avatar, own.avatar), avatar_fault, DEFAULT_AVATAR),
        creature=first("creature", (), description_fault),
        vibe=first("vibe", (), description_fault),
    )
    missing = identity_md is None
    if missing:
        notices.append(f"{IDENTITY_FILE} is missing.")
    return Card(card.name, card.emoji, card.avatar, card.creature, card.vibe, missing, tuple(notices))


def name_fault(name: str) -> str:
    return _line_fault(name, NAME_CHARS)


def emoji_fault(emoji: str) -> str:
    return _line_fault(emoji, EMOJI_CHARS)


def description_fault(text: str) -> str:
    return _line_fault(text, DESCRIPTION_CHARS)


def avatar_fault(avatar: str) -> str:
    match avatar_kind(avatar):
        case "data":
            return next(_data_faults(avatar), "")
        case "url":
            return next(_url_faults(avatar), "")
        case "text":
            return _line_fault(avatar, _LETTERS)
    return next(_path_faults(avatar), "")


def avatar_kind(avatar: str) -> AvatarKind:
    """The kind: a data URI, a URL, a few letters, otherwise a path in the workspace."""
    scheme = avatar[:8].lower()
    if scheme.startswith("data:"):
        return "data"
    if scheme.startswith(("http://", "https://")):
        return "url"
    return "text" if len(avatar) <= _LETTERS and not set(avatar) & set("/.\\:") else "file"


def _line_fault(text: str, most: int) -> str:
    if len(text) > most:
        return f"it has {len(text):,} characters; the limit is {most}"
    # Python counts joiners and variation selectors as not printable, but emoji contain them
    if len(text.splitlines()) > 1 or any(ord(char) < 32 or 127 <= ord(char) < 160 for char in text):
        return "it must be one line of plain text"
    if any("\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069" for char in text):
        return "it changes the writing direction"
    return ""


def _data_faults(avatar: str) -> Iterator[str]:
    if len(avatar) > DATA_CHARS:
        yield f"it has {len(avatar):,} characters; the limit is {DATA_CHARS:,}"
    head, comma, body = avatar.partition(",")
    kind = head[len("data:") :].partition(";")[0].lower()
    if not kind.startswith("image/") or not kind.removeprefix("image/").replace("+", "").replace("-", "").isalnum():
        yield "it is not a data:image/… address"
    if not comma or not body or not avatar.isascii() or not avatar.isprintable() or " " in avatar:
        yield "its data is invalid"


def _url_faults(avatar: str) -> Iterator[str]:
    if len(avatar) > URL_CHARS:
        yield f"it has {len(avatar):,} characters; the limit is {URL_CHARS:,}"
    if not avatar.isprintable() or any(char.isspace() or char in "<>\"'\\`" for char in avatar):
        yield "the address contains invalid characters"
    try:
        parts = urlsplit(avatar)
        host = parts.hostname
    except ValueError:
        host = None
    if not host:
        yield "the address names no host"
    elif parts.username is not None or parts.password is not None:
        yield "the address contains a user name or password"


def _path_faults(avatar: str) -> Iterator[str]:
    fault = find_fault(avatar)
    if fault:
        yield fault
    if ":" in avatar:
        yield "it is neither a path in the workspace nor an address that begins with http:, https: or data:image/"
    if is_hidden(avatar):
        yield "the file is hidden"
    if not avatar.lower().endswith(_PICTURES):
        yield "it is not a picture"
