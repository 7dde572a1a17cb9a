"""The outputs of the sentence heads: their names, in the order of the weights' columns. Constants only."""

from typing import Final, Literal, get_args

# fact: about the speaker or their world. wish: how the agent should behave. quoted: shown, not stated by the speaker.
Act = Literal[
    "fact",
    "wish",
    "decision",
    "plan",
    "correction",
    "forget",
    "remember",
    "question",
    "task",
    "smalltalk",
    "quoted",
]
ACTS: Final[tuple[Act, ...]] = get_args(Act)
# the acts worth keeping
KEPT: Final[frozenset[Act]] = frozenset({"fact", "wish", "decision", "plan", "correction", "remember"})

# small talk that gets an answer
SOCIAL: Final = ("greeting", "thanks")

# keep: contains something worth remembering. strong: says explicitly that something known is wrong. claim: a reply that
# claims to remember.
OUTPUTS: Final = (*ACTS, "keep", "strong", "claim", *SOCIAL)
