"""Which entries a message may make wrong, for whoever understands more of it than a head does: a model is told their ids. Closes nothing.

`classify/grounded.py` names the right one among two nearly always, and speaks up at one message in five that corrects nothing: enough to
tell a model, and not to close by.
"""

from collections.abc import Sequence
from typing import Final

from everself.classify.coverage import words_shared
from everself.classify.grounded import judge
from everself.frozen import Frozen
from everself.memory.contrasts import names_other_value
from everself.values import Entry

_NAMED: Final = 2
# how likely the message makes something wrong, and how likely it is this entry beside the others, to be worth the tokens: of 16 corrections
# in three scripted conversations 11 are offered with the right entry, and something is at one in five of the other messages
_MAY: Final = 0.26
_LEAST: Final = 0.2
_MOSTLY: Final = 0.5
# words that a message has in common with an entry that is asked about
_IN_COMMON: Final = 2


class Suspect(Frozen):
    """`asked`: worth a question where no model understands it: in three scripted conversations 5 of 20 corrections and 1 of 324 other
    messages."""

    entry: Entry
    asked: bool = False


def find_suspects(
    message: str, reply: str, entries: Sequence[Entry], asked: Sequence[Entry] = ()
) -> tuple[Suspect, ...]:
    """Those that the owner is `asked` about, then the likeliest; only the former where the message is not likely to make anything wrong."""
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
