"""Plugs triage and corrections into a conversation: the patterns of the settings, and the programs that they may pass messages on to."""

from typing import TYPE_CHECKING

from everself.conversation.parts import Acted
from everself.lazy import part

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.conversation.corrections import Correcting
    from everself.conversation.tools.protocol import Setting


class Heeding:
    """What happens to a message before any model sees it. Nothing is compiled or opened before the first message."""

    def __init__(self, app: "App") -> None:
        self._app = app

    def __call__(self, text: str, setting: "Setting") -> Acted:
        return self._correcting.heed(text, setting)

    @part
    def _correcting(self) -> "Correcting":
        from everself.classify.triage import Triage
        from everself.conversation.corrections import Correcting
        from everself.search.similarity import Likeness

        app = self._app
        triage = Triage(app.tunables.heartbeat_custom_patterns, app.loaded.config.programs.recall_external_handler)
        alike = Likeness(app.embedder).of
        return Correcting(app.memory, app.recall, triage, self._handle, self._before, alike)

    def _before(self, setting: "Setting") -> None:
        """What was said before this message is kept first, so that a correction finds what it corrects."""
        self._app.checkpoint.make(self._app.log.find(setting.session), before=setting.message)

    def _handle(self, program: str, text: str) -> bool:
        """Pass a message on to a program, which only the host file may name."""
        from everself.conversation.context.extensions import ask_program

        return not ask_program(program, text).notice
