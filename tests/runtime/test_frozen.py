"""The base class of values."""

import copy
import pickle
from dataclasses import FrozenInstanceError, field, replace

import pytest

from everself.frozen import Frozen


class Point(Frozen):
    x: int
    y: int = 0
    secret: str = field(default="", repr=False)
    note: str = field(default="", compare=False)


class Named(Point):
    """A point with a name."""

    name: str = ""


class Empty(Frozen):
    pass


def test_values_are_compared_by_their_fields_and_by_their_class() -> None:
    assert Point(1, 2) == Point(1, 2)
    assert Point(1, 2) != Point(1, 3)
    assert Point(1, note="a") == Point(1, note="b")
    assert Named(1) != Point(1)
    assert Named(1, name="a") != Named(1, name="b")
    assert Point(1) != 1
    assert Empty() == Empty()


def test_equal_values_have_one_hash() -> None:
    assert len({Point(1, 2), Point(1, 2), Point(1, 3), Named(1, 2)}) == 3
    assert hash(Point(1, note="a")) == hash(Point(1, note="b"))
    assert hash(Empty()) == hash(Empty())


def test_what_shall_not_be_shown_is_not_shown() -> None:
    assert repr(Point(1, 2, "hidden")) == "Point(x=1, y=2, note='')"


def test_a_value_cannot_be_changed_and_has_no_room_for_more() -> None:
    point = Named(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.name
    assert not hasattr(point, "__dict__")


def test_values_are_replaced_copied_pickled_and_matched() -> None:
    point = Named(1, 2, "s", "n", "a")
    assert replace(point, y=3) == Named(1, 3, "s", "n", "a")
    assert copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    match point:
        case Named(x, y):
            assert (x, y) == (1, 2)
