"""Classifies every path of a workspace. Pure: looks at names only."""

from everself.workspace.layout._places import (
    MONTHS,
    Kind,
    Place,
    Writer,
    archives_of,
    chronicle_of,
    fold,
    is_day,
    is_hidden,
    is_quarter,
    is_temporary,
    masked,
    place,
)

__all__ = [
    "MONTHS",
    "Kind",
    "Place",
    "Writer",
    "archives_of",
    "chronicle_of",
    "fold",
    "is_day",
    "is_hidden",
    "is_quarter",
    "is_temporary",
    "masked",
    "place",
]
