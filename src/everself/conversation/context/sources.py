"""The sources of prompt text for an opened agent: verified documents, recall, and programs that may add to a prompt."""

import hmac
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from everself.conversation.context.budget import Slot
from everself.conversation.context.extensions import MOST_BYTES, ProgramAnswer, ask_program
from everself.conversation.context.framing import new_nonce
from everself.conversation.context.provenance import Passage
from everself.conversation.context.request import PromptRequest
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.identity.integrity import Integrity
from everself.identity.persona import Persona, Speaker
from everself.memory.entries import holds_memory
from everself.memory.memory import Memory
from everself.memory.selection import sources_of_hits
from everself.storage.host_files import ensure_key, find_file, is_absolute
from everself.values import Document, Hit, Tag
from everself.workspace.layout import place
from everself.workspace.protocol import Workspace

if TYPE_CHECKING:
    from everself.config import Places
    from everself.search.recall import Recall, RecallRequest, SearchResult

_NONCE_DIGITS: Final = 16


class VerifiedDocuments(Frozen):
    """Documents as they may be used: files that only humans write are checked for integrity first. `souls` are the files of alternate
    personas."""

    workspace: Workspace
    integrity: Integrity
    souls: tuple[str, ...]

    def find(self, path: str) -> Document | None:
        if not place(path, self.souls).humans_only:
            return self.workspace.find(path)
        data = self.integrity.text(path)
        return None if data is None else Document(path, data)


class ExternalFile(Frozen):
    """The external file that the settings name. Only the host file may name one outside the workspace, because CONFIG.md travels with the
    workspace.

    `allowed` is the path that the host file names; `places` expands a path that begins with `~`.
    """

    named: str
    allowed: str
    workspace: Workspace
    places: "Places"

    def read(self) -> ProgramAnswer:
        named = self.named
        outside = named.startswith("~") or is_absolute(named)
        if outside and named != self.allowed:
            return ProgramAnswer(
                notice=f"CONFIG.md names {named}, which is outside the workspace; only the host file may do that."
            )
        try:
            if outside:
                data = find_file(self.places.expand(named, "external_context_source"))
            else:
                found = self.workspace.find(named)
                data = found.data if found is not None else None
        except EverselfError as error:
            return ProgramAnswer(notice=f"The external source cannot be read: {error}")
        if data is None:
            return ProgramAnswer(notice=f"The external source {named} does not exist.")
        if len(data) > MOST_BYTES:
            return ProgramAnswer(notice=f"The external source {named} exceeds {MOST_BYTES:,} bytes and was ignored.")
        return ProgramAnswer(data.decode("utf-8", "replace").strip())


class AgentSources:
    """The prompt sources of an opened agent. The index is opened by the first search; if that fails, the turn continues."""

    def __init__(
        self,
        documents: VerifiedDocuments,
        persona: Persona,
        memory: Memory,
        key_folder: str,
        open_recall: "Callable[[], Recall]",
        *,
        searched: bool = True,
        crm_hook: str = "",
        external: ExternalFile | None = None,
    ) -> None:
        """`searched`: memory is searched at each turn. `crm_hook` and `external` are empty if not configured."""
        self._documents = documents
        self._persona = persona
        self._memory = memory
        self._key_folder = key_folder
        self._open_recall = open_recall
        self._crm_hook = crm_hook
        self._external = external
        present = {Slot.SEMANTIC: searched, Slot.CRM: crm_hook, Slot.EXTERNAL: external}
        self.optional = frozenset(slot for slot, given in present.items() if given)

    def find(self, path: str) -> Document | None:
        return self._documents.find(path)

    def paths(self, folder: str) -> Iterable[str]:
        return [one.path for one in self._documents.workspace.list(folder) if one.kind == "file"]

    def passages(self, path: str, data: bytes) -> Sequence[Passage]:
        if not holds_memory(path):
            return ()
        found = self._memory.catalog.within(path, data)
        return [Passage(one.start, one.end, one.first_line, one.last_line, self._memory.trust(one)) for one in found]

    def speak(self, ask: PromptRequest) -> Speaker:
        """The persona: recorded for a turn of a session, only previewed without a session."""
        return self._persona.speak(ask.session, ask.turn) if ask.session else self._persona.preview()

    def changed_outside(self) -> tuple[str, ...]:
        """Warnings that were not reported yet."""
        return tuple(one.warning for one in self._documents.integrity.look() if not one.told)

    def recall(self, request: "RecallRequest") -> "SearchResult":
        return self._open_recall().search(request)

    def sources_of(self, hits: Sequence[Hit]) -> Sequence[str]:
        return sources_of_hits(self._memory, hits)

    def worth(self, path: str) -> dict[int, float]:
        """The worth of each entry of a document: its confidence, with corrections first and closed entries last."""
        try:
            entries = self._memory.catalog.of(path)
        except EverselfError:
            # entries that cannot be looked up are ranked by their position
            return {}
        return {
            entry.first_line: self._memory.confidence(entry)
            + (1.0 if entry.tag is Tag.CORRECTION else 0.0)
            - (2.0 if entry.closed or entry.struck else 0.0)
            for entry in entries
        }

    def ask_crm(self, message: str) -> ProgramAnswer:
        return ask_program(self._crm_hook, message)

    def read_external(self) -> ProgramAnswer:
        return self._external.read() if self._external is not None else ProgramAnswer()

    def seal(self, made_of: str) -> str:
        key = ensure_key(self._key_folder)
        return hmac.digest(key, f"prompt {made_of}".encode(), "sha256").hex()[:_NONCE_DIGITS]

    def nonce(self) -> str:
        return new_nonce()
