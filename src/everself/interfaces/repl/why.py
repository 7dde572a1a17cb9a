"""What /why says: on what a reply rested, from the receipt that was kept with it. Pure; a receipt holds places and numbers, no words."""

from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo
from typing import TYPE_CHECKING, Final

from everself.text.normalise import one_line

if TYPE_CHECKING:
    from everself.conversation.receipts import ReplyReceipt
    from everself.models.chat.protocol import JsonObject

_SHOWN: Final = 12
_WIDE: Final = 72


def told(why: "ReplyReceipt", zone: tzinfo) -> Iterator[str]:
    receipt = why.receipt
    yield f"reply     {why.message}, {why.at.astimezone(zone).strftime('%Y-%m-%d %H:%M')}, by {why.model or 'nobody'}"
    yield f"          {one_line(why.text, _WIDE)}"
    if not receipt:
        yield "No receipt was kept with it."
        return
    limit = f" of {receipt['limit']}" if receipt.get("limit") else ""
    yield f"prompt    {receipt.get('tokens', 0)} tokens{limit}, {receipt.get('memory', 0)} of them memory"
    files = [f"{name} {tokens}" for name, tokens in receipt.get("files", ())]
    if files:
        yield f"files     {', '.join(files)}"
    recalled = receipt.get("recalled", ())
    yield f"recalled  {len(recalled) or 'nothing'}" + (f", by {receipt['provider']}" if receipt.get("provider") else "")
    yield from (f"          {hit.get('score', 0):.2f}  {_place(hit)}" for hit in recalled[:_SHOWN])
    left = receipt.get("left_out", ())
    if left:
        yield f"left out  {receipt.get('left_out_count', len(left))}"
        counted = Counter(f"{one_line(str(one.get('reason', '')), _WIDE)}: {_place(one)}" for one in left)
        for line, times in counted.most_common(_SHOWN):
            yield f"          {line}" + (f" ({times} times)" if times > 1 else "")
    for name, failed, stamp, seconds in receipt.get("tools", ()):
        outside = "" if stamp == "own" else f", from outside ({stamp})"
        yield f"tool      {name}, {seconds:.2f} s{outside}{', failed' if failed else ''}"
    if receipt.get("changed"):
        yield f"changed   {', '.join(receipt['changed'])} since the conversation began"


def _place(one: "JsonObject") -> str:
    first, last = one.get("from"), one.get("to")
    lines = "" if not first else f"#L{first}" + (f"-L{last}" if last and last > first else "")
    return f"{one.get('path', '')}{lines}" + (f"  {one['entry']}" if one.get("entry") else "")
