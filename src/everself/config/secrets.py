"""Secrets: held as references, looked up only when asked, never shown.

Knows `${NAME}` (the environment) and `${secret:NAME}` (the secrets file). Does not write that file.
"""

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from everself.errors import BadConfig

_OPEN, _CLOSE, _STORED = "${", "}", "secret:"
_ENV_SYMBOLS = frozenset(string.ascii_letters + string.digits + "_")
_STORED_SYMBOLS = _ENV_SYMBOLS | frozenset("-.")


@dataclass(frozen=True, slots=True, repr=False)
class Vault:
    """What references are looked up in."""

    environ: Mapping[str, str] = field(default_factory=dict)
    stored: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Vault({len(self.environ)} variables, {len(self.stored)} stored)"

    def look_up(self, reference: str, key: str) -> str:
        """The value behind one reference, such as OPENAI_API_KEY or secret:NAME."""
        if reference.startswith(_STORED):
            name = reference.removeprefix(_STORED)
            if not self.stored.get(name):
                raise BadConfig(
                    f"{key} refers to the secret {name}, which the secrets file does not hold.",
                    mend=f"everself config set {key} VALUE",
                )
            return self.stored[name]
        if not self.environ.get(reference):
            raise BadConfig(
                f"{key} refers to the environment variable {reference}, which is not set.",
                mend=f"Set {reference}, or run: everself config set {key} VALUE",
            )
        return self.environ[reference]


EMPTY_VAULT = Vault()


class Secret:
    """A value that shows itself only to who calls `reveal`; everything else sees the name of its setting."""

    __slots__ = ("_text", "_vault", "key")

    def __init__(self, key: str, text: str, vault: Vault) -> None:
        self.key = key
        self._text = text
        self._vault = vault

    def reveal(self) -> str:
        """The value; raises BadConfig naming the variable or secret that is missing."""
        return expand_references(self._text, self._vault, self.key)

    @property
    def origin(self) -> str:
        """Where the value comes from, safe to show."""
        found = references(self._text)
        return ", ".join(f"${{{name}}}" for name in found) if found else "the host file"

    @property
    def literal(self) -> bool:
        """Whether the value itself stands in the host file."""
        return bool(self._text) and not references(self._text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return f"Secret({self.key})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and (self.key, self._text) == (other.key, other._text)

    def __hash__(self) -> int:
        return hash((self.key, self._text))

    def __copy__(self) -> "Secret":
        return self

    def __deepcopy__(self, memo: object) -> "Secret":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")


def stored_reference(name: str) -> str:
    """What stands in the host file in the place of a secret that is kept in the secrets file."""
    return f"{_OPEN}{_STORED}{name}{_CLOSE}"


def references(text: str) -> tuple[str, ...]:
    """The names inside `${…}`, in order."""
    return tuple(name for _, name in _split(text) if name)


def expand_references(text: str, vault: Vault, key: str) -> str:
    """The text with every reference replaced by its value."""
    return "".join(plain + (vault.look_up(name, key) if name else "") for plain, name in _split(text))


def _split(text: str) -> list[tuple[str, str]]:
    """Pairs of plain text and the reference that follows it ("" at the end). Braces that hold no name are plain text."""
    parts: list[tuple[str, str]] = []
    plain = ""
    rest = text
    while True:
        before, opened, after = rest.partition(_OPEN)
        name, closed, remainder = after.partition(_CLOSE)
        plain += before
        if not opened or not closed:
            parts.append((plain + opened + after, ""))
            return parts
        if _is_name(name):
            parts.append((plain, name))
            plain, rest = "", remainder
        else:
            plain += opened
            rest = after


def _is_name(text: str) -> bool:
    if text.startswith(_STORED):
        name = text.removeprefix(_STORED)
        return bool(name) and set(name) <= _STORED_SYMBOLS
    return bool(text) and set(text) <= _ENV_SYMBOLS and not text[0].isdigit()
