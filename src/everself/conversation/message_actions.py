"""Acts on a message before any model sees it: triage, corrections, and programs that the settings route messages to."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from everself.conversation.resources import Acted
from everself.lazy import part

if TYPE_CHECKING:
    from everself.classify.triage import Triage
    from everself.conversation.corrections import CorrectionHandler, OwnersQuestions
    from everself.conversation.sessions.checkpoint import Checkpoint
    from everself.conversation.sessions.log import SessionLog
    from everself.conversation.suspects import Suspect
    from everself.conversation.tools.protocol import ToolContext
    from everself.memory.memory import Memory
    from everself.models.embedding.protocol import Embedder
    from everself.search.recall import Recall

# enough for the last message, its reply, and the tool calls and results between them
_LOOKED_AT: Final = 16


class MessageActions:
    """Processes a message before any model sees it. Compiles no patterns and opens no index before the first message."""

    def __init__(
        self,
        memory: "Memory",
        checkpoint: "Checkpoint",
        log: "SessionLog",
        embedder: "Embedder | None",
        open_triage: "Callable[[], Triage]",
        open_recall: "Callable[[], Recall]",
        open_questions: "Callable[[], OwnersQuestions]",
        has_model: "Callable[[], bool]",
    ) -> None:
        self._memory = memory
        self._checkpoint = checkpoint
        self._log = log
        self._embedder = embedder
        self._open_triage = open_triage
        self._open_recall = open_recall
        self._open_questions = open_questions
        self._has_model = has_model

    def __call__(self, text: str, setting: "ToolContext") -> Acted:
        return self._corrections.process(text, setting)

    def suspects(self, text: str, setting: "ToolContext") -> "tuple[Suspect, ...]":
        """The entries that a message may make wrong, for a model to judge."""
        return self._corrections.suspects(text, setting)

    @part
    def _corrections(self) -> "CorrectionHandler":
        from everself.conversation.corrections import CorrectionHandler
        from everself.search.similarity import TextSimilarity

        triage, alike = self._open_triage(), TextSimilarity(self._embedder).of
        asks = (self._handle, self._before, alike, self._said_before, self._open_questions, self._has_model)
        return CorrectionHandler(self._memory, self._open_recall(), triage, *asks)

    def _before(self, setting: "ToolContext") -> None:
        """Make the checkpoint up to this message, so that a correction finds the entry it corrects."""
        self._checkpoint.make(self._log.find(setting.session), before=setting.message)

    def _said_before(self, setting: "ToolContext") -> tuple[str, ...]:
        """The agent's last reply before this message and the person's message that it answered; empty if there is none, or if somebody else
        spoke last."""
        message = self._log.message(setting.message)
        if message is None:
            return ()
        found = [one for one in self._log.messages(setting.session, message.seq - _LOOKED_AT) if one.seq < message.seq]
        asked = next((one for one in reversed(found) if one.role == "user"), None)
        if asked is None or found[-1].role != "assistant":
            return ()
        return found[-1].content, asked.content

    def _handle(self, program: str, text: str) -> bool:
        """Pass a message to a program, which only the host file may name. Returns whether it succeeded."""
        from everself.conversation.context.extensions import ask_program

        return not ask_program(program, text).notice
