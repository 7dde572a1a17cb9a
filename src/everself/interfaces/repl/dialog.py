"""One conversation in a terminal or a pipe: what is typed is a command or a message, what happens is shown. Knows no keyboard."""

from typing import Final

import re2

from everself.conversation.events import Done
from everself.errors import EverselfError
from everself.interfaces.repl.commands import COMMANDS
from everself.interfaces.repl.dialog_state import DialogState
from everself.operations.caller import Audience, Caller
from everself.operations.registry import get_operation

# a path or a fraction at the beginning of a message is no command
_COMMAND: Final = re2.compile(r"^(/[a-z]+)(?:\s+(.*))?$")


class Talk(DialogState):
    __slots__ = ()

    async def hear(self, text: str) -> None:
        """A command or a message. What goes wrong is told, and the conversation goes on."""
        found = _COMMAND.match(text.rstrip()) if "\n" not in text.strip() else None
        try:
            if found is not None:
                await self._obey(found[1], (found[2] or "").strip())
            else:
                await self._converse(text)
        except EverselfError as error:
            self.failed = True
            self.screen.trouble(error)

    async def close(self) -> None:
        """The end: what is worth keeping is kept."""
        try:
            await self.chat.close(self.session)
        except EverselfError as error:
            self.failed = True
            self.screen.trouble(error)

    async def _obey(self, name: str, words: str) -> None:
        command = COMMANDS.get(name)
        if command is not None:
            await command.run(self, words)
            return
        import difflib

        near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]}?" if near else ""
        self.failed = True
        self.screen.say((f"There is no command {name}.{hint} /help lists them; a blank before it makes it a message.",))

    async def _converse(self, text: str) -> None:
        say = get_operation("chat.say")
        request = say.request(text=text, session=self.session.id, stay=True)
        async for event in say(self.app, Caller(Audience.OWNER_AT_TERMINAL, by_owner=True), request):
            if isinstance(event, Done):
                self.last = event
                self.spent += event.cost or 0.0
                self.failed = self.failed or event.why == "failed"
            self.screen.show(event)
