"""A lazily created attribute: created on first access, exactly once, even if several threads access it at the same time.

`functools.cached_property` has no lock since Python 3.12, so several threads would each open a database.
"""

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")

_LOCK = "lock of {}"


class part(Generic[T]):  # noqa: N801 — a decorator, as property is
    """The decorated function creates the value, which is stored in the instance's `__dict__` under its name. A failure is not cached: the
    next access tries again.

    Each attribute of each instance has its own lock, so creating one may wait for a thread that needs another.
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
        # once created, the attribute is found in `__dict__` and this method is not called
        held: dict[str, Any] = instance.__dict__
        with held.setdefault(_LOCK.format(self._name), RLock()):
            if self._name not in held:
                held[self._name] = self._make(instance)
            made: T = held[self._name]
            return made
