"""The part of a prompt that is new in each turn: the time, changes since the prefix was built, and search results.

Recalled text, and text from programs and files outside, is framed as data. Does not know how the prefix was laid out.
"""

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from everself.conversation.context import _prompt as prompt
from everself.conversation.context._shown_text import shown_text
from everself.conversation.context._sources import CORRECTIONS, DocumentReader, Source, recent_days
from everself.conversation.context.budget import Slot
from everself.conversation.context.extensions import ProgramAnswer
from everself.conversation.context.framing import FrameItem, frame, frame_within, neutralise, quote
from everself.conversation.context.packing import Omission, PackItem, Reason, fit, readable
from everself.conversation.context.receipt import Prefix, ReceiptPart
from everself.conversation.context.request import PromptInputs, PromptRequest, room_for
from everself.errors import ContextTooSmall, EverselfError
from everself.frozen import Frozen
from everself.memory.provenance import IMPORT, OWN, TOOL, taint_of
from everself.search.recall import RecallRequest, SearchResult
from everself.search.sharing import effective
from everself.storage.state.searches import LeftOut
from everself.text.markdown.entries import heading_time
from everself.text.normalise import one_line
from everself.values import Hit

# beyond this many lines texts are not compared, because that costs the square of their lines
_COMPARED_LINES: Final = 2_000
# the category of an entry without one of its own
_NOTE: Final = "note"


class FileDelta(Frozen):
    """`text` is what is new in the document; `quoted`: it is data, as logs are."""

    path: str
    text: str
    quoted: bool
    tokens: int
    omissions: tuple[Omission, ...] = ()


def tell_change(
    path: str, before: Source | None, after: Source | None, tokens: int, count: Callable[[str], int]
) -> FileDelta | None:
    """What changed in the visible part of a document; None if nothing did."""
    old = b"" if before is None else before.data
    new = b"" if after is None else after.data
    if old == new and (before is None) == (after is None):
        return None
    dated = after or before
    quoted = dated is not None and dated.day is not None
    if after is None:
        return _fitting(path, f"({path} is not there any more.)", quoted, tokens, count)
    if new.startswith(old) and quoted:
        return _growth(path, old, new, tokens, count)
    return _fitting(path, _difference(readable(old), readable(new)), quoted, tokens, count)


def _growth(path: str, old: bytes, new: bytes, tokens: int, count: Callable[[str], int]) -> FileDelta:
    """The text added to a log; if it does not all fit, the newest is kept."""
    packed = fit(path, new[len(old) :], tokens, _newest, count)
    skipped = old.count(b"\n")
    omitted = tuple(replace(one, lines=(one.lines[0] + skipped, one.lines[1] + skipped)) for one in packed.omitted)
    text = _on_one_line(packed.text)
    return FileDelta(path, text, True, count(text), omitted)


def _on_one_line(log: str) -> str:
    """Put each entry on one line after its time: a heading for every note costs a third as much as the notes."""
    lines: list[str] = []
    stamp = ""
    for line in log.splitlines():
        if line.startswith("# "):
            # the day's heading repeats the path
            continue
        time, kind, bracketed = heading_time(line.removeprefix("## ")) if line.startswith("## [") else ("", "", False)
        if bracketed and time:
            lines += [stamp] if stamp else []
            stamp = f"[{time[:5]}]" if kind == _NOTE else f"[{time[:5]} {kind}]"
        elif line.strip():
            lines.append(f"{stamp} {line}" if stamp else line)
            stamp = ""
    return "\n".join([*lines, stamp] if stamp else lines)


def _newest(piece: PackItem) -> float:
    return piece.first_line


def _fitting(path: str, text: str, quoted: bool, tokens: int, count: Callable[[str], int]) -> FileDelta | None:
    if not text:
        return None
    size = count(text)
    if size <= tokens:
        return FileDelta(path, text, quoted, size)
    added = sum(line.startswith("+") for line in text.splitlines())
    removed = sum(line.startswith("-") for line in text.splitlines())
    said = f"({path} changed: {added} lines added, {removed} removed. Read it if needed.)"
    gap = Omission(path, (), (1, max(1, added)), size, "larger than all the room there is")
    cost = count(said)
    return FileDelta(path, said if cost <= tokens else "", quoted, cost if cost <= tokens else 0, (gap,))


def _each_once(changes: Sequence[FileDelta]) -> list[FileDelta]:
    """Drop repetitions of a correction: the record of corrections, the corrected memory and the marked wrong entry all contain it."""
    record = next((one.text for one in changes if one.path == CORRECTIONS), "")
    found: list[FileDelta] = []
    for one in changes:
        lines = one.text.splitlines()
        kept = [line for line in lines if not record or _words(line) not in record]
        if one.path == CORRECTIONS:
            # keep what was wrong and what is right; the conversation says when it was said
            one = replace(one, text="\n".join(line for line in lines if not _is_head(line)))
        elif len(kept) < len(lines):
            # a heading with nothing left below it is dropped as well
            after = [*kept[1:], "+#"][: len(kept)]
            told = [line for line, below in zip(kept, after, strict=True) if not (_is_head(line) and _is_head(below))]
            one = replace(one, text="\n".join(told))
        found.append(one)
    return found


def _words(line: str) -> str:
    """A changed line without the marks that the diff and the log put around it; the line itself if nothing else is left."""
    bare = line.removeprefix("+").removeprefix("-").removeprefix("- ")
    stamp, closed, rest = bare.partition("] ")
    bare = rest if stamp.startswith("[") and closed else bare
    # "(until 2026-03-19)" marks a closed entry
    words, marked, _ = bare.rpartition(" (")
    return (words if marked and bare.endswith(")") and "“" not in bare[len(words) :] else bare).strip() or line


def _is_head(line: str) -> bool:
    return line.startswith("+#")


def _difference(old: str, new: str) -> str:
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > _COMPARED_LINES:
        # too many lines to compare: the full lists make the change too long, so only their number is reported
        return "\n".join([*(f"-{line}" for line in before), *(f"+{line}" for line in after)])
    lines = difflib.unified_diff(before, after, lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---") and line[1:].strip())


# token limit for changes in one turn; a longer change is only named
CHANGE_TOKENS: Final = 600
# token limit and line width of suspects
_SUSPECT_TOKENS: Final = 300
_SUSPECT_WIDTH: Final = 110
# how many tokens joining two texts may add
_SEAM: Final = 4
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TOO_SHORT: Final = 4
# tokens of a short hit with its label and quotation marks: limits the number of hits to search for
_LEAST_TOKENS: Final = 32
# only letters and digits are compared; punctuation and spacing are layout
_MARKS: Final = dict.fromkeys(code for code in range(128) if not chr(code).isalnum())


@dataclass(slots=True)
class Delta:
    text: str = ""
    parts: list[ReceiptPart] = field(default_factory=list)
    used: dict[Slot, int] = field(default_factory=dict)
    omissions: list[Omission] = field(default_factory=list)
    not_recalled: list[LeftOut] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    search: str = ""
    sources: list[str] = field(default_factory=list)


def now_text(inputs: PromptInputs, ask: PromptRequest) -> str:
    """The facts that hold for this turn alone: time, host, model, channel and kind of session."""
    now = inputs.clock.now()
    zone = getattr(inputs.clock.zone, "key", "") or now.tzname() or ""
    scope = effective(ask.scope)
    lines = [
        ("Date", f"{_DAYS[now.weekday()]}, {now:%Y-%m-%d %H:%M} ({zone})"),
        ("Host", ask.facts.host),
        ("Model", ask.facts.model),
        ("Channel", ask.facts.channel),
        ("Session", f"{scope.kind} with {scope.person}" if scope.person else str(scope.kind)),
    ]
    return "## Now\n\n" + "\n".join(f"- {name}: {value}" for name, value in lines if value)


class DeltaBuilder:
    def __init__(self, inputs: PromptInputs, ask: PromptRequest, prefix: Prefix) -> None:
        self.inputs = inputs
        self.sources = inputs.sources
        self.ask = ask
        self.prefix = prefix
        self.count = inputs.count
        self.nonce = inputs.sources.nonce()
        self.viewer = inputs.viewer(ask, prefix.receipt.soul)
        self.made = Delta()
        limit = room_for(ask)
        self.left = None if limit is None else limit - prefix.tokens
        self.texts: list[str] = []

    def build(self) -> Delta:
        self._add("now", now_text(self.inputs, self.ask))
        if self.left is not None and self.left < 0:
            raise ContextTooSmall(
                "The conversation so far fills the model's context window.",
                mend="Start a new conversation, or choose a model with a larger window.",
            )
        changes = self._changes()
        self._add("changes", self._tell_changes([one for one in _each_once(changes) if one.text]))
        given = _stands(self.prefix.words, changes)
        if self.ask.message.strip():
            self._add("recalled", self._recall(given))
            self._add("suspects", self._suspects())
        if self.viewer.owner:
            message = self.ask.message
            if Slot.CRM in self.sources.optional and message.strip():
                asked = self._bring(Slot.CRM, ("the CRM hook", TOOL), lambda: self.sources.ask_crm(message))
                self._add("crm", asked)
            if Slot.EXTERNAL in self.sources.optional:
                name = self.inputs.tunables.external_context_source
                self._add("external", self._bring(Slot.EXTERNAL, (name, IMPORT), self.sources.read_external))
        self.made.text = "\n\n".join(self.texts) + "\n"
        return self.made

    def _add(self, name: str, text: str) -> None:
        if not text:
            return
        tokens = self.count(text)
        self.texts.append(text)
        self.made.parts.append(ReceiptPart(name, tokens))
        if self.left is not None:
            self.left -= tokens + _SEAM

    def _room(self, most: int) -> int:
        return most if self.left is None else max(0, min(most, self.left - _SEAM))

    def _changes(self) -> list[FileDelta]:
        """Changes of the documents in the prefix, and logs created since."""
        known = {one.path: one for one in self.prefix.seen}
        days = recent_days(self.inputs.clock.today(), self.inputs.tunables.memory_retention_hours)
        fresh = [f"memory/{day.isoformat()}.md" for day in days]
        if self.viewer.person:
            fresh += [f"users/{self.viewer.person}/memory/{day.isoformat()}.md" for day in days]
        paths = dict.fromkeys([*known, *self.prefix.receipt.missing, CORRECTIONS, *fresh])
        now = DocumentReader(self.sources).again(self.viewer, {path: known.get(path) for path in paths})
        found: list[FileDelta] = []
        room = self._room(CHANGE_TOKENS)
        for path in paths:
            before, after = known.get(path), now[path]
            if before is not None and after is not None and before.hash == after.hash:
                continue
            # quoted lines cost more, and it is not known yet which will be quoted
            one = tell_change(path, before, after, room, lambda text: self.count(quote(text, self.nonce)))
            if one is not None:
                found.append(one)
                self.made.changed.append(path)
                self.made.sources += after.sources if after is not None else ()
                self.made.omissions += one.omissions
                room = max(0, room - one.tokens)
        return [one for one in found if one.text]

    def _tell_changes(self, changes: Sequence[FileDelta]) -> str:
        if not changes:
            return ""
        room = self._room(CHANGE_TOKENS + 200)
        while True:
            text = self._laid(changes)
            if not changes or self.count(text) <= room:
                return text
            last = changes[-1]
            self.made.omissions.append(
                Omission(last.path, (), (1, 1), last.tokens, "larger than all the room there is")
            )
            changes = changes[:-1]

    def _laid(self, changes: Sequence[FileDelta]) -> str:
        if not changes:
            return ""
        plain = [f"### {one.path}\n\n{one.text}" for one in changes if not one.quoted]
        quoted = frame([FrameItem(one.text, one.path) for one in changes if one.quoted], self.nonce).strip()
        head = "## Changed since this conversation began\n\nThis holds now; above it stands as it was."
        return "\n\n".join(text for text in (head, *plain, quoted) if text)

    def _recall(self, given: dict[str, str]) -> str:
        tokens = self._room(self.prefix.kept.get(Slot.SEMANTIC, 0))
        head = prompt.PREFACES[Slot.SEMANTIC]
        room = tokens - self.count(head) - _SEAM
        if Slot.SEMANTIC not in self.sources.optional or room <= 0:
            return ""
        found = self._search(room)
        if found is None:
            return ""
        hits = [_shown(hit) for hit in found.hits]
        fresh = [hit for hit in hits if not _is_given(hit, given)]
        self.made.not_recalled += found.left_out
        self.made.not_recalled += [
            LeftOut(hit.entry, hit.path, "already in the prompt") for hit in hits if _is_given(hit, given)
        ]
        sources = self.sources.sources_of(fresh)
        # a hit that is hardly about the message must not bring text from outside into a conversation, because it would taint it
        strange = [at for at, hit in enumerate(fresh) if hit.weak and taint_of((sources[at],)) != OWN]
        self.made.not_recalled += [LeftOut(fresh[at].entry, fresh[at].path, "from outside and weak") for at in strange]
        sources = [one for at, one in enumerate(sources) if at not in strange]
        fresh = [hit for at, hit in enumerate(fresh) if at not in strange]
        items = [_item(hit, source) for hit, source in zip(fresh, sources, strict=True)]
        framed = frame_within(items, self.nonce, room, self.count)
        self.made.sources += [sources[at] for at in framed.kept]
        over = [hit for at, hit in enumerate(fresh) if at not in framed.kept]
        self.made.not_recalled += [LeftOut(hit.entry, hit.path, "beyond the limit") for hit in over]
        return self._spent(Slot.SEMANTIC, f"{head}\n\n{framed.text.strip()}" if framed.kept else "")

    def _search(self, room: int) -> SearchResult | None:
        request = RecallRequest(
            self.ask.message,
            budget=room,
            limit=max(1, room // _LEAST_TOKENS),
            scope=effective(self.ask.scope),
            session=self.ask.session,
            recorded=self.ask.recorded,
            # framed text is counted here
            counted=False,
        )
        try:
            found = self.sources.recall(request)
        except EverselfError as error:
            # the turn continues without search results
            self.made.notices.append(f"Memory could not be searched: {error}")
            return None
        self.made.notices += found.notices
        self.made.search = found.id
        return found

    def _suspects(self) -> str:
        """The entries that the message may make wrong, with their ids. They are not framed, because they are the owner's or the agent's
        own."""
        lines = [
            f"- {one.id}: {one_line(neutralise(one.text, self.nonce), _SUSPECT_WIDTH)}" for one in self.ask.suspects
        ]
        text = "\n".join((prompt.SUSPECTS, *lines)) if lines else ""
        return text if self.count(text) <= self._room(_SUSPECT_TOKENS) else ""

    def _bring(self, slot: Slot, whose: tuple[str, str], ask: Callable[[], ProgramAnswer]) -> str:
        """Text from a program or file outside, framed as data paragraph by paragraph. `whose` is its name and its source."""
        name, source = whose
        tokens = self._room(self.prefix.kept.get(slot, 0))
        head = prompt.PREFACES[slot]
        room = tokens - self.count(head) - _SEAM
        if room <= 0:
            return ""
        brought = ask()
        if brought.notice:
            self.made.notices.append(brought.notice)
        items = [FrameItem(text, name, source=source) for text in brought.text.split("\n\n") if text.strip()]
        framed = frame_within(items, self.nonce, room, self.count)
        self.made.sources += [source] if framed.kept else []
        for at, one in enumerate(items):
            if at not in framed.kept:
                self.made.omissions.append(_gap(name, at + 1, self.count(one.text), room))
        return self._spent(slot, f"{head}\n\n{framed.text.strip()}" if framed.kept else "")

    def _spent(self, slot: Slot, text: str) -> str:
        self.made.used[slot] = self.count(text)
        return text


def _shown(hit: Hit) -> Hit:
    """The hit with its text as a prompt shows it, so that a copy already in the prompt is recognised."""
    words = shown_text(hit.path, hit.text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass").strip()
    return hit if words == hit.text else hit._replace(text=words or hit.text)


def _item(hit: Hit, source: str) -> FrameItem:
    # the mark is quoted together with the text: the current text is data too
    gap = " " if "\n" not in hit.text else "\n"
    text = f"{hit.text}{gap}({hit.mark})" if hit.mark else hit.text
    return FrameItem(text, hit.reference, hit.day, source)


def _gap(name: str, paragraph: int, size: int, room: int) -> Omission:
    reason: Reason = "larger than all the room there is" if size > room else "less important than what was kept"
    return Omission(name, (), (paragraph, paragraph), size, reason)


def _stands(words: Iterable[tuple[str, str]], changes: Sequence[FileDelta]) -> dict[str, str]:
    """The text of each document that the prompt already contains, normalised for comparison."""
    found: dict[str, str] = {}
    for path, text in (*words, *((one.path, one.text) for one in changes)):
        found[path] = found.get(path, "") + "\n" + text.translate(_MARKS)
    return found


def _is_given(hit: Hit, given: dict[str, str]) -> bool:
    words = hit.text.translate(_MARKS)
    # a hit with a later version is always shown, because the prompt contains its text as if it held
    return not hit.later and len(words) >= _TOO_SHORT and words in given.get(hit.path, "")
