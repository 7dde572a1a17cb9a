"""Whether two statements can both be true, in English, Chinese, Korean and Japanese. Pure: knows no memory, model or clock."""

from everself.classify.contradiction._decision import contradicts
from everself.classify.contradiction._frames import attributes_of
from everself.classify.contradiction._verdict import Kind, Verdict

__all__ = ["Kind", "Verdict", "attributes_of", "contradicts"]
