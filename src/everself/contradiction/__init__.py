"""Whether two statements can both be true, by rules, in English, Chinese, Korean and Japanese. Pure: knows no memory and no clock."""

from everself.contradiction.comparing import contradicts
from everself.contradiction.frames import attributes_of
from everself.contradiction.verdict import Kind, Verdict

__all__ = ["Kind", "Verdict", "attributes_of", "contradicts"]
