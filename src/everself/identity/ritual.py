"""Completes the first conversation: writes the answers and removes BOOTSTRAP.md for good.

An interface leads the conversation, and supplies the answers and the person's consent. No model calls this.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Final

from everself.clock import Clock, find_zone
from everself.errors import BadConfig, ChangedMeanwhile, NotFound, RefusedByRule, TooLarge, WrongUse
from everself.frozen import Frozen
from everself.identity.card import (
    IDENTITY_FILE,
    Rule,
    description_fault,
    emoji_fault,
    name_fault,
    read_card,
)
from everself.identity.persona import SOUL_FILE
from everself.identity.time_zone import find_place
from everself.identity.versions import CHANGELOG, ChangelogEntry, Versions, append_entry
from everself.memory.forgetting.forgotten_words import FORGOTTEN
from everself.storage.state.database import State
from everself.text.markdown.blocks import scan
from everself.text.markdown.edit import append_item, apply_splice
from everself.text.markdown.labels import fill_labels, read_labels
from everself.text.normalise import without_surrogates
from everself.text.redaction import redact, strip_private
from everself.text.search import is_one_emoji
from everself.values import Author, Change, Conflict, Create, Edit, Remove, digest
from everself.workspace.learned_section import changed_lines
from everself.workspace.merge import render_diff
from everself.workspace.protocol import Workspace, need_done
from everself.workspace.setup import BOOTSTRAP
from everself.workspace.undo import edit_between

USER_FILE: Final = "USER.md"
META: Final = "ritual"
REASON: Final = "first conversation"
_REMOVED: Final = "removed by hand"
_OFFERED: Final = "ritual offered"
_VALUES: Final = "What matters to you"
# the name of the wishes in a draft
_SOUL: Final = "soul"
# stored answers without consent yet; forgetting uses this name (storage/state/sql/scrub.sql)
DRAFT: Final = "ritual draft"


class Answers(Frozen):
    """The answers about the agent and its person. An empty value leaves its line unchanged. `wishes` are lines to add to SOUL.md."""

    name: str = ""
    nature: str = ""
    vibe: str = ""
    emoji: str = ""
    your_name: str = ""
    address: str = ""
    pronouns: str = ""
    time_zone: str = ""
    languages: str = ""
    wishes: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Answers":
        """The answers of a draft, whose names have spaces; the wishes are a line each, under `soul`."""
        plain = {one.name: given.get(one.name.replace("_", " "), "") for one in fields(cls) if one.name != "wishes"}
        return cls(**plain, wishes=tuple(given.get(_SOUL, "").splitlines()))

    def draft(self) -> dict[str, str]:
        """The inverse of `of`."""
        plain = {one.name.replace("_", " "): getattr(self, one.name) for one in fields(self) if one.name != "wishes"}
        return plain | {_SOUL: "\n".join(self.wishes)}


class RitualPlan(Frozen):
    """`redacted` names the kinds of secrets removed from the answers."""

    change: Change
    redacted: tuple[str, ...] = ()


class Preview(Frozen):
    """The diff of what would be written, without the removed guide and the records of the old soul."""

    diff: str
    redacted: tuple[str, ...] = ()


class Finished(Frozen):
    change: str
    paths: tuple[str, ...]
    redacted: tuple[str, ...] = ()


class _Line(Frozen):
    """One label with its value; `also` are its names in other templates."""

    label: str
    value: str
    rule: Rule
    also: tuple[str, ...] = ()


class Ritual:
    """`accept` marks the written documents as accepted, so that no warning follows."""

    def __init__(
        self, workspace: Workspace, state: State, clock: Clock, accept: Callable[[], object] = lambda: None
    ) -> None:
        self._workspace = workspace
        self._state = state
        self._clock = clock
        self._accept = accept

    def is_open(self) -> bool:
        """Whether the first conversation did not take place yet."""
        return self._stands() and not self.is_over()

    def is_over(self) -> bool:
        """Whether the first conversation is finished, or the owner removed BOOTSTRAP.md, which is recorded. Only their undo reopens it."""
        newest = next(iter(self._state.list_changes(1, path=BOOTSTRAP)), None)
        undone = newest is not None and bool(newest.undoes)
        if self._state.get_meta(META) is not None:
            return not (self._stands() and undone and newest is not None and newest.author is Author.OWNER)
        if newest is None or undone or self._stands():
            return False
        self._state.set_meta(META, _REMOVED)
        return True

    def plan(self, answers: Answers) -> RitualPlan:
        """The single change that writes everything, to be shown before consent."""
        if not self.is_open():
            raise RefusedByRule(
                "The first conversation has already been completed.", mend="Edit the files, or: everself soul propose"
            )
        redacted: set[str] = set()
        edits: list[Edit] = [
            *self._fill(IDENTITY_FILE, b"# Identity\n", _identity_lines(answers), redacted),
            *self._fill(USER_FILE, b"# User\n", _person_lines(answers), redacted),
            *self._keep_soul(self._wished(answers.wishes, redacted)),
            Remove(BOOTSTRAP, digest(self._workspace.read(BOOTSTRAP).data)),
        ]
        return RitualPlan(Change(Author.OWNER, REASON, tuple(edits)), tuple(sorted(redacted)))

    def preview(self, answers: Answers) -> Preview:
        """The preview before consent. Nothing is written."""
        plan = self.plan(answers)
        files = self._workspace.preview(plan.change)
        if isinstance(files, Conflict):
            raise ChangedMeanwhile(f"({', '.join(files.paths)})")
        shown = [one for one in files if one.path in (IDENTITY_FILE, USER_FILE, SOUL_FILE)]
        return Preview(render_diff(shown), plan.redacted)

    def offer(self) -> bool:
        """Whether it is open and was not offered yet; calling this counts as an offer. For interfaces that speak only once."""
        if not self.is_open() or self._state.get_meta(_OFFERED) is not None:
            return False
        self._state.set_meta(_OFFERED, self._clock.now().isoformat())
        return True

    def finish(self, answers: Answers) -> Finished:
        """Write what the person agreed to. After a crash, the missing BOOTSTRAP.md still shows that it took place."""
        planned: list[RitualPlan] = []

        def plan() -> Change:
            planned.append(self.plan(answers))
            return planned[-1].change

        done = need_done(self._workspace.apply_plan(plan))
        if done is None:
            raise NotFound(f"{BOOTSTRAP}.")
        self._state.set_meta(META, done.id)
        self._state.set_meta(DRAFT, "{}")
        self._accept()
        return Finished(done.id, done.paths, planned[-1].redacted)

    def _stands(self) -> bool:
        found = self._workspace.stat(BOOTSTRAP)
        return found is not None and found.kind == "file"

    def _fill(self, path: str, fresh: bytes, lines: Iterable[_Line], redacted: set[str]) -> Iterator[Edit]:
        before = self._bytes(path)
        data = fresh if before is None else before
        known = {label.name for label in read_labels(data)}
        values = {}
        for line in lines:
            value = _tidy(line.value, redacted)
            fault = line.rule(value) if value else ""
            if fault:
                raise WrongUse(f"{line.label}: {fault}.")
            if value:
                names = (line.label, *line.also)
                values[next((name for name in names if name.lower() in known), line.label)] = value
        filled = fill_labels(data, values)
        _check(path, filled, values)
        if filled != data:
            yield from self._write(path, filled)

    def draft(self) -> dict[str, str]:
        """Stored answers that are not written yet, by the interface's names."""
        kept = json.loads(self._state.get_meta(DRAFT) or "{}")
        found = {str(name): str(value) for name, value in kept.items()} if isinstance(kept, dict) else {}
        # an answer with a forgotten part is asked again
        return {name: value for name, value in found.items() if FORGOTTEN not in value}

    def keep_draft(self, given: Mapping[str, str]) -> None:
        """Store answers until they are written, without secrets, so that nobody is asked twice. Forgetting also covers them."""
        kept = {name: _clean(value, set()) for name, value in given.items()}
        self._state.set_meta(DRAFT, json.dumps(kept, ensure_ascii=False))

    def values(self) -> list[tuple[str, tuple[str, ...]]]:
        """The lists in SOUL.md, to be discussed: each heading with the first sentence of its items."""
        found: list[tuple[str, list[str]]] = []
        for line in (self._bytes(SOUL_FILE) or b"").decode("utf-8", "replace").splitlines():
            if line.startswith("#"):
                found.append((line.lstrip("# ").strip(), []))
            elif line.startswith(("- ", "* ")) and found:
                found[-1][1].append(line[2:])
            elif line.startswith("  ") and found and found[-1][1]:
                found[-1][1][-1] += f" {line.strip()}"
        return [(heading, tuple(map(_first_sentence, items))) for heading, items in found if items]

    def _wished(self, wishes: Sequence[str], redacted: set[str]) -> bytes | None:
        """The soul with these lines added; None without any."""
        lines = [line for wish in wishes if (line := _tidy(wish, redacted).replace("<!--", "&lt;!--"))]
        data = self._bytes(SOUL_FILE) or b"# Soul\n"
        for line in lines:
            data = apply_splice(data, append_item(scan(data), _VALUES, line.encode()))
        return data if lines else None

    def _keep_soul(self, soul: bytes | None) -> Iterator[Edit]:
        """A new soul archives the old one and is logged, like every growth."""
        before = self._bytes(SOUL_FILE)
        if soul is None or before == soul:
            return
        versions = Versions(self._workspace, self._clock)
        copy = "" if before is None else versions.place_for(before)
        if before is not None and copy:
            yield Create(copy, before)
        yield from self._write(SOUL_FILE, soul)
        removed, added = changed_lines(before or b"", soul)
        told = ChangelogEntry("growth", Author.OWNER.value, REASON, (), copy, removed, added)
        yield append_entry(self._bytes(CHANGELOG), told, self._clock.now())

    def _write(self, path: str, data: bytes) -> Iterator[Edit]:
        edit = edit_between(path, self._bytes(path), data)
        if edit is not None:
            yield edit

    def _bytes(self, path: str) -> bytes | None:
        found = self._workspace.find(path)
        if found is not None and found.cut:
            raise TooLarge(f"{path} exceeds the size that Everself reads.", mend="Shorten it by hand.")
        return None if found is None else found.data


def _identity_lines(answers: Answers) -> tuple[_Line, ...]:
    return (
        _Line("Name", answers.name, name_fault),
        _Line("Creature", answers.nature, description_fault),
        _Line("Vibe", answers.vibe, description_fault),
        _Line("Emoji", _as_emoji(answers.emoji), _emoji_fault),
    )


def _person_lines(answers: Answers) -> tuple[_Line, ...]:
    return (
        _Line("Name", answers.your_name, description_fault),
        _Line("Call them", answers.address, description_fault, ("What to call them", "Preferred address")),
        _Line("Pronouns", answers.pronouns, description_fault),
        _Line("Time zone", _as_zone(answers.time_zone), _zone_fault, ("Timezone",)),
        _Line("Languages", answers.languages, description_fault, ("Language",)),
    )


def _first_sentence(item: str) -> str:
    text = " ".join(item.replace("**", "").split())
    end = min((at for mark in (". ", "! ", "? ", "。") if (at := text.find(mark)) >= 0), default=len(text))
    return text[: end + 1]


def _as_emoji(said: str) -> str:
    """An emoji, or its Unicode name: otter, fox face, :sparkles:."""
    named = said.strip().strip(":").replace("_", " ")
    try:
        return unicodedata.lookup(named.upper()) if named.isascii() and named else said
    except KeyError:
        return said


def _emoji_fault(emoji: str) -> str:
    return emoji_fault(emoji) or ("" if is_one_emoji(emoji) else "it must be one emoji, such as 🦊")


def _as_zone(said: str) -> str:
    try:
        return find_place(said).key if said.strip() else said
    except BadConfig:
        return said


def _zone_fault(name: str) -> str:
    try:
        find_zone(name)
    except BadConfig:
        return f'no time zone is called "{name}". Name the nearest big city, such as Berlin or New York'
    return ""


def _tidy(text: str, redacted: set[str]) -> str:
    """On one line, without private parts and secrets."""
    return " ".join(_clean(text, redacted).split())


def _clean(text: str, redacted: set[str]) -> str:
    found = redact(strip_private(without_surrogates(text)))
    redacted.update(secret.kind for secret in found.found)
    return found.text


def _check(path: str, filled: bytes, values: dict[str, str]) -> None:
    """Raises WrongUse if a value could be read as a placeholder, a comment or a second line."""
    found = read_card(filled)
    for name, value in values.items():
        if found.get(name.lower()) != value:
            raise WrongUse(
                f"{name}: {path} cannot hold {value!r} in a way that can be read back.", mend="Use plain words."
            )
