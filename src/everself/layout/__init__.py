"""Where every path of a workspace belongs. Pure: it judges names, and knows neither contents nor the disk."""

from everself.layout.names import fold, is_hidden, is_temporary
from everself.layout.places import Kind, Place, Writer, place

__all__ = ["Kind", "Place", "Writer", "fold", "is_hidden", "is_temporary", "place"]
