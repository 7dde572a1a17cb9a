"""Output of `everself why` and `/why`: the basis of a reply, and who taught a belief. Words first, numbers on request."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from everself.interfaces.rendering.lines import entries_of, minute
from everself.interfaces.rendering.view import Look, View
from everself.models.chat.protocol import JsonObject
from everself.operations.why import Basis, Lesson, Origins, ReplyAccount
from everself.text.normalise import one_line

_SHOWN: Final = 12
_LOOKS_UP: Final = "memory_get"
_WIDE: Final = 90
# plain names of sources
_SOURCES: Final = {
    "owner": "you said it",
    "correction": "you corrected it",
    "hand": "written into the file by hand",
    "agent": "the agent concluded it",
    "tool": "from a tool",
    "web": "from a web page",
    "import": "imported",
}
_NO_REPLY: Final = "Your last message got no reply. It is kept; say it again, or go on."


def _lines(found: ReplyAccount | Origins, look: Look) -> Iterator[str]:
    return _origins(found, look) if isinstance(found, Origins) else _reply(found, look)


def _reply(found: ReplyAccount, look: Look) -> Iterator[str]:
    if found.asked:
        yield f"You said:   {one_line(found.asked, _WIDE)}"
    if found.message:
        by = "without a model" if found.model == "reflex" else f"by {found.model or 'nobody'}"
        yield f"The reply:  {one_line(found.text, _WIDE)}  ({minute(found.at, look.zone)}, {by})"
    else:
        yield _NO_REPLY
    quotes = found.model == "reflex"
    if found.based_on:
        yield "It quotes these memories:" if quotes else "It was given these memories:"
        yield from _listed(found.based_on, look)
    elif found.message:
        yield "It quotes no memory." if quotes else "No memory was recalled for it."
    yield from (f"Done before it: {one_line(one, _WIDE)}" for one in found.done)
    if found.wrote:
        yield "Remembered from your message:"
        yield from _listed(found.wrote, look)
    used = Counter(_tools(found.receipt, look))
    yield from (f"Tool used: {line}" + (f" ({times} times)" if times > 1 else "") for line, times in used.items())
    if found.receipt.get("changed") and "verbose" in look.flags:
        yield f"Changed since the conversation began: {', '.join(found.receipt['changed'])}"
    if "verbose" in look.flags:
        yield from _numbers(found.receipt)
    yield from _offers([one.entry for one in (*found.wrote, *found.based_on) if one.entry and one.text], look)


def _tools(receipt: JsonObject, look: Look) -> Iterator[str]:
    verbose = "verbose" in look.flags
    for name, failed, stamp, seconds in receipt.get("tools", ()):
        outside = "" if stamp == "own" else f", from outside ({stamp})"
        took = f", {seconds:.2f} s" if verbose else ""
        # a day without a log is no failure to whoever asks why
        if verbose or not (failed and name == _LOOKS_UP):
            yield f"{name}{took}{outside}{', which failed' if failed else ''}"


def _listed(found: Sequence[Basis], look: Look) -> Iterator[str]:
    for at, one in enumerate(found[:_SHOWN], 1):
        words = one_line(one.text, _WIDE) if one.text else f"something that stood in {one.place} and is gone since"
        # lines without an entry are cited by their file
        notes = [] if one.entry else [one.place.partition("#")[0]]
        notes += [_SOURCES.get(one.source.partition(":")[0], one.source)] if one.source else []
        notes += [] if one.holds else ["no longer holds"]
        if "verbose" in look.flags:
            notes += [one.place, *([f"{one.score:.2f}"] if one.score else [])]
        yield (
            f"  {at}  {words}" + (f"  ({', '.join(notes)})" if notes else "") + (f"  {one.entry}" if one.entry else "")
        )
    if len(found) > _SHOWN:
        yield f"  and {len(found) - _SHOWN} more"


def _offers(entries: Sequence[str], look: Look) -> Iterator[str]:
    """Commands to correct a mistake."""
    if not entries:
        return
    one = entries[0]
    chat = look.chat
    yield f"Fix it:     {'/fix' if chat else 'everself memory correct'} {one} “what is right”"
    yield f"Forget it:  {'/forget' if chat else 'everself memory forget'} {one}"
    yield f"Who taught it first:  {'/why' if chat else 'everself why --bisect'} {one}"


def _numbers(receipt: JsonObject) -> Iterator[str]:
    if not receipt:
        yield "No receipt was kept with it."
        return
    limit = f" of {receipt['limit']}" if receipt.get("limit") else ""
    yield f"prompt    {receipt.get('tokens', 0)} tokens{limit}, {receipt.get('memory', 0)} of them memory"
    files = [f"{name} {tokens}" for name, tokens in receipt.get("files", ())]
    if files:
        yield f"files     {', '.join(files)}"
    if receipt.get("provider"):
        yield f"recalled  by {receipt['provider']}"
    left = receipt.get("left_out", ())
    if left:
        yield f"left out  {receipt.get('left_out_count', len(left))}"
        counted = Counter(f"{one_line(str(one.get('reason', '')), _WIDE)}: {_place(one)}" for one in left)
        for line, times in counted.most_common(_SHOWN):
            yield f"          {line}" + (f" ({times} times)" if times > 1 else "")


def _place(one: JsonObject) -> str:
    first, last = one.get("from"), one.get("to")
    lines = "" if not first else f"#L{first}" + (f"-L{last}" if last and last > first else "")
    return f"{one.get('path', '')}{lines}" + (f"  {one['entry']}" if one.get("entry") else "")


def _origins(found: Origins, look: Look) -> Iterator[str]:
    belief, first, taught = found.belief, found.first, found.taught
    yield f"{belief.entry}  {one_line(belief.text, _WIDE)}" + ("" if belief.holds else "  (no longer holds)")
    if first.entry != belief.entry:
        yield f"It rests on {first.entry}: {one_line(first.text, _WIDE)}"
    if taught is not None:
        who = taught.person or "you"
        yield f"First taught on {minute(taught.at, look.zone)} by {who}, in session {taught.session}, message {taught.message}:"
        yield f"  “{one_line(taught.text, _WIDE)}”"
    else:
        yield "No message is known as its source: it was written outside a conversation, or the message is gone."
    if first.change and first.at is not None:
        yield f"Written by change {first.change}, {minute(first.at, look.zone)}."
    else:
        yield "No change of the history wrote it: it was put into the file by hand, or the history does not reach so far."
    for one in found.replaced:
        yield f"It took the place of {one.entry}: {one_line(one.text, _WIDE)}"
    if found.derived:
        yield f"Derived from it: {entries_of(len(found.derived))}"
        yield from (f"  {one.entry}  {one_line(one.text, _WIDE)}" for one in found.derived)
    yield from _take_back(belief, first, found.derived)
    if found.others:
        yield "Others that it could have meant:"
        yield from (f"  {one.entry}  {one_line(one.text, _WIDE)}" for one in found.others[:_SHOWN])


def _take_back(belief: Lesson, first: Lesson, derived: Sequence[Lesson]) -> Iterator[str]:
    """Derived entries are undone first: undoing works by line, and the newest change is on top."""
    changes = [one.change for one in (*reversed(derived), belief, first) if one.change]
    if changes:
        yield "Take it back, and what was derived from it:" if derived else "Take it back:"
        yield from (f"  everself undo {one}" for one in dict.fromkeys(changes))
    yield f"Forget it for good: everself memory forget {first.entry}"


VIEWS: Final = {"why": View(_lines, flags=(("verbose", "Show places, scores and token counts."),))}
