"""One conversation in a terminal or a pipe: runs commands, sends messages and shows the events. Knows no keyboard."""

import difflib
from typing import Final

import re2

from everself.conversation.events import Done
from everself.errors import EverselfError, NotFound, WrongUse
from everself.interfaces.repl.commands import COMMANDS
from everself.interfaces.repl.dialog_state import DialogState
from everself.operations.caller import Audience, Caller
from everself.operations.registry import get_operation

# a path or a fraction at the beginning of a message is not a command
_COMMAND: Final = re2.compile(r"^(/[A-Za-z]+)(?:\s+(.*))?$")
# what people type into a program before they know its commands
_BARE: Final = {"exit": "/quit", "quit": "/quit", ":q": "/quit", "help": "/help", "?": "/help"}
# typing errors, which are not failures
_SLIPS: Final = (NotFound, WrongUse)


class Talk(DialogState):
    __slots__ = ()

    async def hear(self, text: str) -> None:
        """Run a command or send a message. Errors are shown, and the conversation continues."""
        first, _, more = text.strip("\n").partition("\n")
        found = _COMMAND.match(first.rstrip())
        try:
            if bare := _BARE.get(text.strip().casefold()):
                await self._obey(bare, "")
            elif found is None:
                await self._converse(text)
            elif more.strip():
                # not executed, because the rest may be meant as an answer; not sent as a message, because it would be remembered
                self.screen.say((f"{found[1]} takes one line, and this has more. Nothing was done.",))
            else:
                await self._obey(found[1].lower(), (found[2] or "").strip())
        except EverselfError as error:
            self.failed = self.failed or not isinstance(error, _SLIPS)
            self.screen.trouble(error)

    async def close(self) -> bool:
        """End the conversation, and store what is worth keeping. Returns whether that succeeded."""
        try:
            await self.chat.close(self.session)
        except EverselfError as error:
            self.failed = True
            self.screen.trouble(error)
            return False
        return True

    async def _obey(self, name: str, words: str) -> None:
        command = COMMANDS.get(name)
        if command is not None:
            await command.run(self, words)
            return
        near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]}?" if near else ""
        self.screen.say((f"There is no command {name}.{hint} /help lists them; a space before it makes it a message.",))

    async def _converse(self, text: str) -> None:
        say = get_operation("chat.say")
        request = say.request(text=text, session=self.session.id, stay=True)
        async for event in say(self.app, Caller(Audience.OWNER_AT_TERMINAL, by_owner=True), request):
            if isinstance(event, Done):
                self.last = event
                self.tokens += event.usage.sent + event.usage.received
                # a turn without tokens costs nothing
                if event.usage.sent:
                    self.spent = None if self.spent is None or event.cost is None else self.spent + event.cost
                self.failed = self.failed or event.why == "failed"
            self.screen.show(event)
