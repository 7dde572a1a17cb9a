"""Flags of a chunk, and the prefixes of fields whose words are separate terms."""

from enum import IntFlag

# Prefixes of terms in these fields. The tokenizer never yields a control character.
SPEAKER = "\x01"
TITLE = "\x02"
DATE = "\x03"


class Flag(IntFlag):
    """Properties of a chunk that ranking uses without reading its text."""

    ALIVE = 1
    # it asks a question: the answer is likely in the next chunk
    ASKS = 2
    # it mentions a time: "yesterday", "in March", 去年
    TIMED = 4
    CORRECTION = 8
    # struck through, or with an end date in its comment
    CLOSED = 16
    # from memorySearch.extraPaths
    IMPORTED = 32
    SPOKEN = 64
