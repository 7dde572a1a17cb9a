"""The base class of values: frozen dataclasses with slots.

A command creates hundreds of these classes at start-up. Equality, hash and repr are therefore defined once here, not generated for each
class; generating them takes two fifths of the time.
"""

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _FrozenType(type):
    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        # without a docstring, `dataclass` would render the signature
        namespace.setdefault("__doc__", name)
        made: Any = super().__new__(cls, name, bases, namespace)
        if "__slots__" in namespace:
            # `dataclass` creates the class a second time, with slots
            return made
        made = dataclass(frozen=True, slots=True, eq=False, repr=False)(made)
        compared = [one.name for one in fields(made) if one.compare]
        made._key = attrgetter(*compared) if compared else type
        return made


class Frozen(metaclass=_FrozenType):
    """Base class: subclasses become frozen dataclasses with slots."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    # returns the values that equality and hash use
    _key: ClassVar[Any]

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        same: bool = self._key(self) == self._key(other)
        return same

    def __hash__(self) -> int:
        return hash(self._key(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
        return f"{self.__class__.__qualname__}({shown})"
