"""An agent's own tools, called as a model calls them."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from everself.agent import open_runtime
from everself.conversation.tools.calls import CallResult, call_tools
from everself.conversation.tools.protocol import Stamp, ToolContext
from everself.models.chat.protocol import ToolCall
from everself.operations.setup import set_up
from everself.operations.tools import own_tools
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind

OWNER = Scope(SessionKind.MAIN)


class Box:
    """The tools of one session. `said` is the message that is being answered."""

    def __init__(
        self, app: Runtime, scope: Scope = OWNER, said: str = "", *, taint: Stamp = "own", message: str = "MESSAGE"
    ) -> None:
        self.app = app
        by_owner = scope == OWNER
        self.setting = ToolContext(scope, "SESSION", message, said, by_owner, taint)
        self.tools = {tool.spec.name: tool for tool in own_tools(app, scope)}

    def said(self, text: str) -> "Box":
        """The next message."""
        return Box(self.app, self.setting.scope, text, taint=self.setting.taint, message=f"{self.setting.message}N")

    def tainted(self, taint: Stamp = "web") -> "Box":
        self.setting = replace(self.setting, taint=taint)
        return self

    def call(self, name: str, **arguments: object) -> CallResult:
        async def run() -> CallResult:
            calls = [ToolCall("1", name, json.dumps(arguments))]
            (called,) = [one async for one in call_tools(self.tools, calls, self.setting)]
            return called

        return asyncio.run(run())

    def get(self, name: str, **arguments: object) -> Any:
        """What a call gave, which must not have failed."""
        called = self.call(name, **arguments)
        assert not called.outcome.failed, called.outcome.content
        return json.loads(called.outcome.content)

    def refused(self, name: str, **arguments: object) -> str:
        called = self.call(name, **arguments)
        assert called.outcome.failed, called.outcome.content
        assert not called.outcome.written
        return called.outcome.content


@contextmanager
def living(home: Path, **settings: object) -> Iterator[Runtime]:
    folder = home / "e"
    folder.mkdir(exist_ok=True)
    defaults = {"memorySearch": {"provider": "none"}, **settings}
    told = {"agents": {"defaults": defaults}, "history": {"enabled": False}}
    (folder / "everself.json5").write_text(json.dumps(told))
    with open_runtime(environ={"HOME": str(home), "EVERSELF_HOME": str(folder), "EVERSELF_KEYS": f"{home}/k"}) as app:
        if not Path(app.agent.workspace, "SOUL.md").exists():
            set_up(app)
        yield app
