"""Flags of a chunk, and the fields whose words are separate terms."""

from enum import IntFlag

# Words of these fields are terms of their own, with the field's mark before them; the tokenizer never yields a control character.
SPEAKER = "\x01"
TITLE = "\x02"
DATE = "\x03"


class Flag(IntFlag):
    """What ranking wants to know of every chunk without reading it."""

    ALIVE = 1
    # it asks something: the answer is likely to stand in the chunk after it
    ASKS = 2
    # it speaks of a time: "yesterday", "in March", 去年
    TIMED = 4
    CORRECTION = 8
    # struck through, or with an end of validity in its comment
    CLOSED = 16
    # from memorySearch.extraPaths
    IMPORTED = 32
    SPOKEN = 64
