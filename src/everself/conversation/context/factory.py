"""Builds the assembler's inputs: verified documents, recall, and programs that may add to a prompt."""

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from everself.config.sections import ContextLimits, Programs, Tunables
from everself.conversation.context.extensions import MOST_BYTES, ProgramAnswer, ask_program
from everself.conversation.context.provenance import Passage
from everself.conversation.context.request import Parts, PromptRequest
from everself.errors import EverselfError
from everself.identity.outside_changes import Tamper
from everself.memory.entries import holds_memory
from everself.memory.sources import sources_of_hits
from everself.search.sharing import read_rules
from everself.storage.host_files import ensure_key, find_file, is_absolute
from everself.values import Document, Tag
from everself.workspace.layout import place

if TYPE_CHECKING:
    from everself.clock import Clock
    from everself.identity.integrity import Integrity
    from everself.identity.persona import Persona, Speaker
    from everself.memory.memory import Memory
    from everself.search.recall import Recall
    from everself.workspace.disk_workspace import DiskWorkspace

VERIFY: Final = "everself soul verify"
_NONCE_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class VerifiedDocuments:
    """Documents as they may be used: what only humans write passes integrity first. `souls` are the files of alternate personas."""

    workspace: "Callable[[], DiskWorkspace]"
    integrity: "Callable[[], Integrity]"
    souls: tuple[str, ...]

    def find(self, path: str) -> Document | None:
        if not place(path, self.souls).humans_only:
            return self.workspace().find(path)
        data = self.integrity().text(path)
        return None if data is None else Document(path, data)

    def paths(self, folder: str) -> Iterable[str]:
        return [one.path for one in self.workspace().list(folder) if one.kind == "file"]

    def changed_outside(self) -> tuple[str, ...]:
        """What the person was not told of yet."""
        return tuple(told_of(one) for one in self.integrity().look() if not one.told)


@dataclass(frozen=True, slots=True)
class ExternalFile:
    """The file that the settings name. Beyond the workspace only the host file may point: CONFIG.md travels with it.

    `allowed` is what the host file names; `expand` gives the whole path of one that begins with `~`.
    """

    named: str
    allowed: str
    workspace: "Callable[[], DiskWorkspace]"
    expand: Callable[[str], str]

    def read(self) -> ProgramAnswer:
        named = self.named
        outside = named.startswith("~") or is_absolute(named)
        if outside and named != self.allowed:
            return ProgramAnswer(
                notice=f"CONFIG.md names {named}, which is outside the workspace; only the host file may do that."
            )
        try:
            if outside:
                data = find_file(self.expand(named))
            else:
                found = self.workspace().find(named)
                data = found.data if found is not None else None
        except EverselfError as error:
            return ProgramAnswer(notice=f"The external source cannot be read: {error}")
        if data is None:
            return ProgramAnswer(notice=f"The external source {named} does not exist.")
        if len(data) > MOST_BYTES:
            return ProgramAnswer(notice=f"The external source {named} exceeds {MOST_BYTES:,} bytes and was ignored.")
        return ProgramAnswer(data.decode("utf-8", "replace").strip())


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """`external` is None where the settings name no file, or leave no room for it."""

    limits: ContextLimits
    tunables: Tunables
    programs: Programs
    key_folder: str
    external: ExternalFile | None = None


def gather_parts(
    settings: ContextSettings,
    clock: "Clock",
    usable: VerifiedDocuments,
    persona: "Callable[[], Persona]",
    memory: "Callable[[], Memory]",
    recall: "Callable[[], Recall] | None",
) -> Parts:
    """What the assembler is given; nothing of it is opened before it is asked for."""
    programs, external = settings.programs, settings.external

    def speak(ask: PromptRequest) -> "Speaker":
        """The persona: recorded for a turn of a session, only previewed where nothing is said."""
        return persona().speak(ask.session, ask.turn) if ask.session else persona().preview()

    return Parts(
        find=usable.find,
        paths=usable.paths,
        speak=speak,
        clock=clock,
        limits=settings.limits,
        tunables=settings.tunables,
        rules=read_rules(settings.limits.share),
        look=usable.changed_outside,
        recall=(lambda request: recall().search(request)) if recall is not None else None,
        passages=lambda path, data: _passages(memory(), path, data) if holds_memory(path) else [],
        sources=lambda hits: sources_of_hits(memory(), hits),
        worth=lambda path: _worth(memory, path),
        crm=(lambda message: ask_program(programs.crm_hook, message)) if programs.crm_hook else None,
        external=external.read if external is not None else None,
        seal=lambda made_of: _seal(settings.key_folder, made_of),
    )


def _seal(key_folder: str, made_of: str) -> str:
    return hmac.digest(ensure_key(key_folder), f"prompt {made_of}".encode(), "sha256").hex()[:_NONCE_DIGITS]


def told_of(tamper: Tamper) -> str:
    if not tamper.path:
        return f"The accepted state of the guarded documents is not known ({tamper.kind}): {tamper.why} → {VERIFY}"
    return f"Changed outside Everself: {tamper.path} ({tamper.kind}). → {VERIFY}"


def _worth(memory: "Callable[[], Memory]", path: str) -> dict[int, float]:
    """What each entry of a document is worth where not all of it fits: how sure it is, corrections first, what is closed last."""
    try:
        entries = memory().catalog.of(path)
    except EverselfError:
        # an entry that cannot be looked up is ranked by its position
        return {}
    return {
        entry.first_line: memory().confidence(entry)
        + (1.0 if entry.tag is Tag.CORRECTION else 0.0)
        - (2.0 if entry.closed or entry.struck else 0.0)
        for entry in entries
    }


def _passages(memory: "Memory", path: str, data: bytes) -> list[Passage]:
    """The entries of a document with the source that each rests on."""
    found = memory.catalog.within(path, data)
    return [Passage(one.start, one.end, one.first_line, one.last_line, memory.trust(one)) for one in found]
