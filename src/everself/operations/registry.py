"""The table of operations, without importing them, and access by name.

`python -m tools.index_operations` generates `_index.py`; `make check` compares it with the declarations.
"""

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

from everself.errors import NotFound
from everself.operations._index import INDEX

if TYPE_CHECKING:
    from everself.operations.declaration import Operation


class Listed(NamedTuple):
    """A row of the table of operations."""

    name: str
    module: str
    help: str
    tool: str
    slash: str
    takes: str
    mcp: str = ""


LISTED = tuple(Listed(*row) for row in INDEX)
_BY_NAME = {one.name: one for one in LISTED}


def get_operation(name: str) -> "Operation[Any, Any]":
    from everself.operations.declaration import declared

    found = _BY_NAME.get(name)
    if found is None:
        raise NotFound(f"operation {name}.")
    importlib.import_module(f"everself.operations.{found.module}")
    return declared()[name]


def all_operations() -> "tuple[Operation[Any, Any], ...]":
    """Every operation, in the order of the table. Imports them all."""
    return tuple(get_operation(one.name) for one in LISTED)
