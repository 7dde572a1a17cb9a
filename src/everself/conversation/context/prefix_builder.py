"""Builds the prefix of a prompt: soul, rules, files, stable memory.

Built once, when a session begins, and cached by the conversation. Does not know the message of the turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from everself.config.sections import ContextProfile
from everself.conversation.context import _prompt as prompt
from everself.conversation.context._shown_text import beyond_template, without_gaps
from everself.conversation.context._slot_text import Filled, Filler
from everself.conversation.context._sources import DocumentReader, Material, Source, recent_days
from everself.conversation.context.budget import Allotment, Slot, allot, budgets_of, demands, scaled
from everself.conversation.context.framing import FrameItem, frame
from everself.conversation.context.packing import Omission, fit
from everself.conversation.context.receipt import Prefix, Receipt, ReceiptPart, SlotUse
from everself.conversation.context.request import COMPACT_TOKENS, PromptInputs, PromptRequest, room_for
from everself.errors import ContextTooSmall
from everself.frozen import Frozen
from everself.identity.persona import Speaker
from everself.memory.entries import holds_memory
from everself.search.sharing import effective
from everself.values import digest

SEPARATOR: Final = "\n\n---\n\n"
# filled at each turn, in the delta
TURNING: Final = (Slot.SEMANTIC, Slot.CRM, Slot.EXTERNAL)
_STABLE: Final = (Slot.USER, Slot.CORRECTIONS, Slot.RECENT, Slot.LONGTERM)
# the layered profile puts lasting memory before recent memory and includes three days
_LAYERED: Final = (Slot.USER, Slot.CORRECTIONS, Slot.LONGTERM, Slot.RECENT)
_LAYERED_HOURS: Final = 72
_LAYERED_PREFACES: Final = {Slot.LONGTERM: "## Evergreen Memory", Slot.RECENT: "## Recent Memory Context"}
_GUESTS_PREFACES: Final = {Slot.USER: "## The person you talk with", Slot.LONGTERM: "## What you know about them"}
_TRIES: Final = 6
# memory gets this fraction of a small window
_COMPACT_SHARE: Final = 6
_RULES: Final = "AGENTS.md"
_SEARCH: Final = b"memory_search"


class _Files(Frozen):
    text: str
    uses: tuple[ReceiptPart, ...]
    omissions: tuple[Omission, ...]
    words: tuple[tuple[str, str], ...]


class _Made(Frozen):
    sections: tuple[tuple[str, str], ...]
    words: tuple[tuple[str, str], ...]
    receipt: Receipt
    kept: Mapping[Slot, int]


class PrefixBuilder:
    def __init__(self, inputs: PromptInputs, ask: PromptRequest, speaker: Speaker) -> None:
        self.inputs = inputs
        self.ask = ask
        self.speaker = speaker
        self.count = inputs.count
        self.viewer = inputs.viewer(ask, speaker.file)
        self.layered = inputs.limits.profile is ContextProfile.LAYERED
        hours = inputs.tunables.memory_retention_hours
        days = recent_days(inputs.clock.today(), _LAYERED_HOURS if self.layered else hours)
        self.material: Material = DocumentReader(inputs.sources).gather(self.viewer, days, speaker)
        made_of = "".join(f"{one.path} {one.hash}\n" for one in self.material.documents())
        self.nonce = inputs.sources.seal(digest(made_of.encode("utf-8", "surrogatepass")))

    def freeze(self, turn_tokens: int) -> Prefix:
        """Build the prefix of a session. `turn_tokens` is what each turn needs in addition to its slots."""
        limit = room_for(self.ask)
        room = None if limit is None else limit - turn_tokens
        for _ in range(_TRIES):
            made = (
                self._verbatim(room) if self.inputs.limits.profile is ContextProfile.VERBATIM else self._budgeted(room)
            )
            text = SEPARATOR.join(said for _, said in made.sections if said) + "\n"
            tokens = self.count(text)
            over = 0 if limit is None else tokens + sum(made.kept.values()) + turn_tokens - limit
            if over <= 0 or room is None:
                return self._prefix(text, tokens, made)
            # the size of the frame and of the list of omitted parts is known only now
            room -= over
        raise ContextTooSmall(
            f"The prompt needs more than the {limit} tokens that the model's window leaves.",
            mend="Choose a model with a larger window, or shorten SOUL.md and AGENTS.md.",
        )

    def _prefix(self, text: str, tokens: int, made: _Made) -> Prefix:
        hashed = digest(text.encode("utf-8", "surrogatepass"))
        parts = tuple(ReceiptPart(name, self.count(said)) for name, said in made.sections if said)
        receipt = replace(made.receipt, parts=parts, prefix_tokens=tokens, prefix_hash=hashed)
        seen = self.material.documents()
        return Prefix(text, hashed, tokens, self.ask.scope, self.ask.run, seen, made.words, made.kept, receipt)

    def _receipt(self, omissions: tuple[Omission, ...], files: tuple[ReceiptPart, ...]) -> Receipt:
        scope = effective(self.ask.scope)
        omissions = (*omissions, *self._withheld())
        return Receipt(
            scope.kind,
            scope.person or "",
            self.inputs.limits.profile,
            self.speaker.file,
            files=files,
            omissions=omissions,
            missing=self.material.missing,
            notices=self.material.notices,
        )

    def _withheld(self) -> tuple[Omission, ...]:
        """One omission for each document with entries from outside, without any of their text."""
        found = []
        for one in self.material.documents():
            if one.withheld:
                lines = (min(each.first_line for each in one.withheld), max(each.last_line for each in one.withheld))
                found.append(Omission(one.path, (), lines, 0, "from outside; it can be recalled"))
        return tuple(found)

    def _soul(self) -> str:
        source = self.material.soul
        if source is not None:
            return without_gaps(source.data.decode("utf-8", "replace").removeprefix("\ufeff")).strip()
        return prompt.missing(self.speaker.file) if self.speaker.file in self.material.missing else ""

    def _base(self) -> str:
        """The instructions for every agent. Their first paragraph refers to the soul above them, which not every session has."""
        told = any(one.path == _RULES and _SEARCH in one.data for one in self.material.files)
        there = self.material.soul is not None
        return prompt.base_prompt(soul=there, tools=self.ask.tools, rules=not told, compact=self.ask.compact)

    def _budgeted(self, room: int | None) -> _Made:
        files = self._files(self._listed(), room)
        total = self.inputs.tunables.context_budget_tokens
        if self.ask.compact and self.ask.window is not None:
            # the conversation itself needs the rest of a small window
            total = min(total, self.count(self._soul()) + self.ask.window // _COMPACT_SHARE)
        if room is not None:
            total = min(total, room - sum(map(self.count, (self._base(), self.ask.extra, files.text))))
        return self._slots(files, total)

    def _slots(self, files: _Files, total: int) -> _Made:
        """Fill the slots within their budgets, and reserve the room of the slots filled at each turn."""
        prefaces = {**(_LAYERED_PREFACES if self.layered else {}), **(_GUESTS_PREFACES if self.viewer.person else {})}
        tunables = self.inputs.tunables
        filler = Filler(self.count, self.nonce, prefaces, tunables.correction_overflow_strategy)
        soul = self._soul()
        budgets = budgets_of(tunables)
        if self.ask.compact:
            budgets = scaled(budgets, max(0, total - self.count(soul)))
        slots = self.material.slots
        whole = {Slot.IDENTITY: self.count(soul)}
        whole |= {slot: filler.whole(slot, slots[slot]).tokens for slot in _STABLE}
        present = self.inputs.sources.optional & (frozenset(TURNING) if self.viewer.owner else {Slot.SEMANTIC})
        whole |= {slot: budgets[slot] if slot in present else 0 for slot in TURNING}
        asked = demands(whole, budgets, unverified=filler.unverified(slots[Slot.CORRECTIONS]))
        allotment = allot(asked.needs, budgets, total, wants=asked.wants)
        filled = {
            slot: filler.fill(slot, slots[slot], allotment.given[slot], self.inputs.sources.worth) for slot in _STABLE
        }
        filled[Slot.IDENTITY] = Filled(soul, whole[Slot.IDENTITY], ((self.speaker.file, soul),))
        order = _LAYERED if self.layered else _STABLE
        omissions = (*files.omissions, *(one for slot in _STABLE for one in filled[slot].omissions))
        said = [self._body(slot, filled[slot]) for slot in order]
        told = self._told(omissions)
        memory = "\n\n".join(text for text in (*said, *told) if text)
        sections = (
            ("soul", soul),
            ("base", self._base()),
            ("files", files.text),
            ("extra", self.ask.extra.strip()),
            ("memory", memory),
        )
        words = (*files.words, *(word for one in filled.values() for word in one.words))
        kept = {slot: allotment.given[slot] for slot in TURNING}
        receipt = replace(
            self._receipt(omissions, files.uses),
            slots=tuple(_use(slot, budgets, whole, allotment, filled) for slot in Slot),
            stolen=allotment.stolen,
            offered=allotment.offered,
            memory_limit=allotment.total,
        )
        return _Made(sections, words, receipt, MappingProxyType(kept))

    def _told(self, omissions: Sequence[Omission]) -> tuple[str, str]:
        """The sentences about what was left out of the documents, and why."""
        tools = self.ask.tools
        return prompt.left_out(omissions, tools=tools), prompt.not_shown(self._withheld(), tools=tools)

    def _body(self, slot: Slot, filled: Filled) -> str:
        """A slot's text, or the line that says that its document does not exist."""
        names = {Slot.USER: "USER.md", Slot.LONGTERM: "MEMORY.md"}
        gap = names.get(slot, "")
        return filled.text or (prompt.missing(gap) if gap in self.material.missing else "")

    def _verbatim(self, room: int | None) -> _Made:
        """All files in full, up to the character limits; logs are quoted as data."""
        soul, limits = self._soul(), self.inputs.limits
        if len(soul) > min(limits.file_chars, limits.total_chars):
            raise ContextTooSmall(
                f"{self.speaker.file} has {len(soul):,} characters, and bootstrapMaxChars allows {limits.file_chars:,}.",
                mend="Raise bootstrapMaxChars, or shorten the soul.",
            )
        slots = self.material.slots
        plain = [*self._listed(), *self._expected("USER.md", slots[Slot.USER]), *slots[Slot.CORRECTIONS]]
        plain += self._expected("MEMORY.md", slots[Slot.LONGTERM])
        files = self._files([*plain, *slots[Slot.RECENT]], room, spent=len(soul))
        told = self._told(files.omissions)
        sections = (
            ("soul", soul),
            ("base", self._base()),
            ("files", "\n\n".join(text for text in (files.text, *told) if text)),
            ("extra", self.ask.extra.strip()),
        )
        receipt = self._receipt(files.omissions, files.uses)
        return _Made(sections, files.words, receipt, MappingProxyType(dict.fromkeys(TURNING, 0)))

    def _expected(self, name: str, sources: Sequence[Source]) -> "list[Source | str]":
        return [*sources, *([name] if name in self.material.missing else [])]

    def _listed(self) -> "list[Source | str]":
        """The files outside the slots, in order; a missing file is listed by its name only."""
        known = {one.path: one for one in self.material.files}
        return [known.get(name, name) for name in self.viewer.files if name in known or name in self.material.missing]

    def _files(self, listed: "Sequence[Source | str]", room: int | None, *, spent: int = 0) -> _Files:
        """The files, up to the character limits and, if the window is limited, up to half of its remaining room."""
        limits = self.inputs.limits
        left = limits.total_chars - spent
        allowed: dict[str, int] = {}
        for one in listed:
            if isinstance(one, Source):
                allowed[one.path] = max(0, min(limits.file_chars, left))
                left -= min(allowed[one.path], len(one.data.decode("utf-8", "replace")))
        made = self._lay_files(listed, allowed)
        if room is None:
            return made
        fixed = self.count(self._base()) + self.count(self._soul())
        rest = room - fixed - self.count(self.ask.extra)
        share = max(0, rest if spent else rest // 2)
        if self.ask.compact:
            share = max(0, min(share, COMPACT_TOKENS - fixed))
        tokens = self.count(made.text)
        for _ in range(_TRIES):
            if tokens <= share:
                break
            allowed = {path: chars * share // (tokens + 1) * 9 // 10 for path, chars in _lengths(made, allowed).items()}
            made = self._lay_files(listed, allowed)
            tokens = self.count(made.text)
        return made

    def _lay_files(self, listed: "Sequence[Source | str]", allowed: Mapping[str, int]) -> _Files:
        texts: list[str] = []
        quoted: list[FrameItem] = []
        uses: list[ReceiptPart] = []
        omissions: list[Omission] = []
        words: list[tuple[str, str]] = []
        for one in listed:
            if isinstance(one, str):
                texts.append(prompt.missing(one))
                continue
            # memory entries are kept whole or omitted; a block of rules may be cut, because its beginning is better than nothing
            data = beyond_template(one.path, one.data) if self.ask.compact else one.data
            packed = fit(one.path, data, allowed[one.path], count=len, cut=not holds_memory(one.path))
            said = packed.text.strip()
            if self.ask.compact and not said:
                omissions += packed.omitted
                continue
            uses.append(ReceiptPart(one.path, self.count(said)))
            words.append((one.path, said))
            omissions += packed.omitted
            if one.day is not None:
                quoted.append(FrameItem(said, one.path, one.day))
            else:
                texts.append(f"{prompt.file_heading(one.path)}\n\n{said}".strip())
        if quoted:
            texts.append(frame(quoted, self.nonce).strip())
        return _Files("\n\n".join(texts), tuple(uses), tuple(omissions), tuple(words))


def _lengths(files: _Files, allowed: Mapping[str, int]) -> dict[str, int]:
    said = dict(files.words)
    return {path: min(chars, len(said.get(path, ""))) for path, chars in allowed.items()}


def _use(
    slot: Slot,
    budgets: Mapping[Slot, int],
    whole: Mapping[Slot, int],
    allotment: Allotment,
    filled: Mapping[Slot, Filled],
) -> SlotUse:
    tokens = filled[slot].tokens if slot in filled else 0
    return SlotUse(slot, budgets[slot], whole[slot], allotment.given[slot], tokens)
