"""The receipt stored with a reply and shown by /why: paths, numbers and reasons, never the text itself."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from everself.conversation.context.receipt import Receipt
from everself.errors import NotFound, WrongUse
from everself.frozen import Frozen
from everself.models.chat.protocol import JsonObject
from everself.storage.state.searches import Searches, SearchRecord

# stored with every reply: in a large memory hundreds of places are left out each time, and the search record lists them all
_LISTED: Final = 40


class ToolUse(Frozen):
    name: str
    failed: bool
    stamp: str
    seconds: float


def find_search(searches: Searches, name: str) -> SearchRecord | None:
    """The search of a receipt; None if nothing was searched for or the record was deleted."""
    try:
        return searches.find(name) if name else None
    except (NotFound, WrongUse):
        return None


def receipt_json(receipt: Receipt, search: SearchRecord | None, used: Sequence[ToolUse] = ()) -> JsonObject:
    return {
        "tokens": receipt.total,
        "limit": receipt.limit,
        "prefix_tokens": receipt.prefix_tokens,
        "delta_tokens": receipt.delta_tokens,
        "prefix": receipt.prefix_hash,
        "soul": receipt.soul,
        "profile": receipt.profile.value,
        "memory": receipt.memory,
        "memory_limit": receipt.memory_limit,
        "slots": [[one.slot.value, one.tokens, one.given, one.whole] for one in receipt.slots],
        "files": [[one.name, one.tokens] for one in receipt.files],
        "search": receipt.search,
        "provider": search.provider if search else "",
        "recalled": [
            {
                "path": hit.path,
                "from": hit.first_line,
                "to": hit.last_line,
                "entry": hit.entry,
                "score": round(hit.score, 3),
                "parts": [[name, round(value, 3)] for name, value in hit.parts],
            }
            for hit in (search.hits if search else ())
        ],
        "left_out": list(islice(_left_out(receipt), _LISTED)),
        "left_out_count": len(receipt.omissions) + len(receipt.not_recalled),
        "missing": list(receipt.missing),
        "notices": list(receipt.notices),
        "changed": list(receipt.changed),
        "tools": [[one.name, one.failed, one.stamp, round(one.seconds, 3)] for one in used],
    }


def _left_out(receipt: Receipt) -> Iterator[JsonObject]:
    for omission in receipt.omissions:
        first, last = omission.lines
        yield {"path": omission.path, "from": first, "to": last, "reason": "no room"}
    for one in receipt.not_recalled:
        yield {"path": one.path, "entry": one.entry, "reason": one.reason}
