"""A lazily created attribute: made on first access, exactly once, also when several threads ask at the same time.

`functools.cached_property` has no lock since Python 3.12: threads that ask at once each open a database of their own.
"""

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")

_LOCK = "lock of {}"


class part(Generic[T]):  # noqa: N801 — a decorator, as property is
    """A failure is not cached: the next access tries again. The value is stored in the instance's `__dict__` under its name.

    Every part of every instance has a lock of its own, so that making one may wait for a thread that asks for another.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        # a created part is found in `__dict__` before this method is called
        held: dict[str, Any] = instance.__dict__
        with held.setdefault(_LOCK.format(self._name), RLock()):
            if self._name not in held:
                held[self._name] = self._make(instance)
            made: T = held[self._name]
            return made
