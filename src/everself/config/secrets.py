"""Secrets: stored as references, resolved on demand, never shown.

Knows `${NAME}` (the environment) and `${secret:NAME}` (the secrets file). Does not write that file.
"""

import string
from collections.abc import Mapping
from dataclasses import field
from typing import NoReturn

from everself.errors import BadConfig
from everself.frozen import Frozen

_STORED = "secret:"
_ENV_SYMBOLS = frozenset(string.ascii_letters + string.digits + "_")
_STORED_SYMBOLS = _ENV_SYMBOLS | frozenset("-.")


class Vault(Frozen):
    """The sources of secrets: the environment and the secrets file."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    stored: Mapping[str, str] = field(default_factory=dict, repr=False)

    def look_up(self, reference: str, key: str) -> str:
        """The value of one reference, such as OPENAI_API_KEY or secret:NAME."""
        stored = reference.startswith(_STORED)
        name = reference.removeprefix(_STORED)
        value = (self.stored if stored else self.environ).get(name)
        if not value:
            kind, missing = ("secret", "in the secrets file") if stored else ("environment variable", "set")
            words = f"{key} refers to the {kind} {name}, which is not {missing}."
            raise BadConfig(words, mend=f"everself config set {key} VALUE")
        return value


EMPTY_VAULT = Vault()


class Secret:
    """A secret value. Only `reveal` returns it; its representation is the name of its setting."""

    __slots__ = ("_text", "_vault", "key")

    def __init__(self, key: str, text: str, vault: Vault) -> None:
        self.key, self._text, self._vault = key, text, vault

    def reveal(self) -> str:
        """The value. Raises BadConfig with the name of the missing variable or secret."""
        return expand_references(self._text, self._vault, self.key)

    @property
    def origin(self) -> str:
        """The origin of the value, safe to show."""
        return ", ".join(f"${{{name}}}" for name in references(self._text)) or "the host file"

    @property
    def literal(self) -> bool:
        """Whether the host file contains the value itself."""
        return bool(self._text) and not references(self._text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return f"Secret({self.key})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and (self.key, self._text) == (other.key, other._text)

    def __hash__(self) -> int:
        return hash((self.key, self._text))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")


def stored_reference(name: str) -> str:
    """The reference that the host file contains for a secret in the secrets file."""
    return f"${{{_STORED}{name}}}"


def references(text: str) -> tuple[str, ...]:
    """The names inside `${…}`, in order."""
    return tuple(name for _, name in _split(text) if name)


def expand_references(text: str, vault: Vault, key: str) -> str:
    """The text with every reference replaced by its value."""
    return "".join(plain + (vault.look_up(name, key) if name else "") for plain, name in _split(text))


def _split(text: str) -> list[tuple[str, str]]:
    """Pairs of plain text and the reference that follows it ("" at the end). Braces without a valid name are plain text."""
    parts: list[tuple[str, str]] = []
    plain, *rest = text.split("${")
    for piece in rest:
        name, closed, after = piece.partition("}")
        if closed and _is_name(name):
            parts.append((plain, name))
            plain = after
        else:
            plain += "${" + piece
    return [*parts, (plain, "")]


def _is_name(text: str) -> bool:
    if text.startswith(_STORED):
        return text != _STORED and set(text.removeprefix(_STORED)) <= _STORED_SYMBOLS
    return bool(text) and set(text) <= _ENV_SYMBOLS and not text[0].isdigit()
