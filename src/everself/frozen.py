"""The base class of values: frozen dataclasses with slots.

A command creates hundreds of these classes at start-up. Equality, hash, repr and the refusal to change are therefore defined once here, not
generated for each class; generating them takes half of the time. Only the initialiser is generated.
"""

from collections.abc import Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
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
        made = dataclass(init=False, slots=True, eq=False, repr=False)(made)
        every = fields(made)
        made.__init__ = _initialiser(made, every)
        compared = [one.name for one in every if one.compare]
        made._key = attrgetter(*compared) if compared else type
        return made


def _initialiser(made: type, every: Iterable["Field[Any]"]) -> Any:
    """`__init__` as `dataclass` writes it for a frozen class."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    parameters, lines = ["self"], []
    for one in every:
        name = value = one.name
        if one.default is not MISSING:
            known[f"_default_{name}"] = one.default
            parameters.append(f"{name}=_default_{name}")
        elif one.default_factory is not MISSING:
            known[f"_make_{name}"] = one.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        else:
            parameters.append(name)
        lines.append(f" _set(self, {name!r}, {value})")
    source = f"def __init__({', '.join(parameters)}):\n" + ("\n".join(lines) or " pass")
    exec(source, known)  # noqa: S102 - made of names of fields only, as in `dataclass`
    written = known["__init__"]
    written.__qualname__, written.__module__ = f"{made.__qualname__}.__init__", made.__module__
    return written


class Frozen(metaclass=_FrozenType):
    """Base class: subclasses become frozen dataclasses with slots."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    # returns the values that equality and hash use
    _key: ClassVar[Any]

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> list[Any]:
        return [getattr(self, one.name) for one in fields(self)]

    def __setstate__(self, state: list[Any]) -> None:
        for one, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, one.name, value)

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
