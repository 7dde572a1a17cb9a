"""What the sentence heads are trained to answer: the names of their outputs, in the order of the columns of the weights. Values only."""

from typing import Final, Literal, get_args

# fact: of the speaker or their world. wish: how the agent should behave. quoted: shown, not said.
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
# the acts of what is worth keeping
KEPT: Final[frozenset[Act]] = frozenset({"fact", "wish", "decision", "plan", "correction", "remember"})

# what small talk there is that is answered
SOCIAL: Final = ("greeting", "thanks")

# keep: something in it is worth remembering. strong: it says outright that something known is wrong. claim: a reply says that it remembers.
OUTPUTS: Final = (*ACTS, "keep", "strong", "claim", *SOCIAL)
