"""Finds the entries that a message may make wrong. A model is given their ids, because it understands more than a head does. Closes
nothing.

`classify/grounded.py` nearly always names the right one of two entries, but reports one message in five that corrects nothing: good enough
to inform a model, not good enough to close an entry.
"""

from collections.abc import Sequence
from typing import Final

from everself.classify.coverage import words_shared
from everself.classify.grounded import judge
from everself.frozen import Frozen
from everself.memory.contrasts import names_other_value
from everself.values import Entry

_NAMED: Final = 2
# lowest probability that the message makes something wrong, and lowest share of one entry among the others, for it to be worth the tokens:
# for 11 of 16 corrections in three scripted conversations the right entry is offered, and something is offered for one in five of the other
# messages
_MAY: Final = 0.26
_LEAST: Final = 0.2
_MOSTLY: Final = 0.5
# words that a message shares with an entry that the owner is asked about
_IN_COMMON: Final = 2


class Suspect(Frozen):
    """`asked`: the owner should be asked if no model answers. In three scripted conversations this holds for 5 of 20 corrections and 1 of
    324 other messages."""

    entry: Entry
    asked: bool = False


def find_suspects(
    message: str, reply: str, entries: Sequence[Entry], asked: Sequence[Entry] = ()
) -> tuple[Suspect, ...]:
    """The entries in `asked`, then the most likely ones. Only the former if the message is unlikely to make anything wrong."""
    known = [one for one in entries if not names_other_value(message, one.text)]
    judged = judge(message, [one.text for one in known], reply) if known else None
    shares = judged.shares if judged is not None and judged.likely >= _MAY else ()
    order = sorted(range(len(shares)), key=lambda at: -shares[at])
    first = known[order[0]] if order else None
    plain = judged is not None and first is not None and judged.sure and shares[order[0]] >= _MOSTLY
    plain = plain and first is not None and len(words_shared(message, first.text)) >= _IN_COMMON
    likely = [known[at] for at in order if shares[at] >= _LEAST]
    named = {one.id: one for one in (*(one for one in asked if one in known), *likely)}
    return tuple(Suspect(one, plain and one is first) for one in list(named.values())[:_NAMED])
