"""One table says which error has which exit code."""

from collections.abc import Iterator

import pytest

from everself import errors
from everself.errors import EverselfError
from everself.interfaces.rendering.view import BY_ERROR, MEANINGS, ExitCode, code_of


def tree(kind: type[EverselfError] = EverselfError) -> Iterator[type[EverselfError]]:
    yield kind
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from tree(below)


def test_every_branch_of_the_tree_is_in_the_table() -> None:
    branches = [kind for kind in EverselfError.__subclasses__() if kind.__module__ == errors.__name__]
    assert set(branches) | {EverselfError} == set(BY_ERROR)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.WrongUse, 2),
        (errors.UnsafePath, 3),
        (errors.LockTimeout, 4),
        (errors.StoreBusy, 4),
        (errors.NotFound, 5),
        (errors.UnknownKey, 1),
        (errors.ReadOnlyDisk, 1),
        (errors.NewerSchema, 1),
        (errors.Interrupted, 130),
    ],
)
def test_an_error_has_the_code_of_its_nearest_ancestor(kind: type[EverselfError], code: int) -> None:
    assert code_of(kind("x")) == code


def test_every_code_has_a_meaning_and_no_error_means_done() -> None:
    assert set(MEANINGS) == set(ExitCode)
    assert {code_of(kind()) for kind in tree()} == set(ExitCode) - {ExitCode.DONE}
