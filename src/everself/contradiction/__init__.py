"""Whether two statements can both be true, in English, Chinese, Korean and Japanese. Pure: knows no memory, model or clock."""

from everself.contradiction.frames import attributes_of
from everself.contradiction.verdict import Kind, Verdict
from everself.contradiction.weighing import contradicts

__all__ = ["Kind", "Verdict", "attributes_of", "contradicts"]
