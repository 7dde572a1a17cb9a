"""The base class of values: frozen dataclasses with slots.

A command makes hundreds of such classes when it starts. Comparing, hashing and showing are therefore written once here, not generated
for each of them, which is two fifths of what making a class costs.
"""

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _FrozenType(type):
    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        # without one, `dataclass` renders the signature
        namespace.setdefault("__doc__", name)
        made: Any = super().__new__(cls, name, bases, namespace)
        if "__slots__" in namespace:
            # `dataclass` makes the class a second time, with the slots
            return made
        made = dataclass(frozen=True, slots=True, eq=False, repr=False)(made)
        compared = [one.name for one in fields(made) if one.compare]
        made._key = attrgetter(*compared) if compared else type
        return made


class Frozen(metaclass=_FrozenType):
    """Its subclasses are frozen dataclasses with slots."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    # what two values are compared by
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
