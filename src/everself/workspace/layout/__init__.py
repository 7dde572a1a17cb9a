"""Classifies every path of a workspace. Pure: looks at names only."""

from everself.workspace.layout._archives import MONTHS, archives_of, chronicle_of, is_day, is_quarter
from everself.workspace.layout._masking import masked
from everself.workspace.layout._names import fold, is_hidden, is_temporary
from everself.workspace.layout._places import Kind, Place, Writer, place

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
