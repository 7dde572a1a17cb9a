"""Decides whose words a model of another program writes, from the prompts that the owner typed there.

A coding agent reads files and pages that Everself does not see. Its model's text is trusted like a tool's, unless it is a whole statement
of an owner's prompt that a hook delivered. Nothing that a client says about itself changes this.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Final

from everself.memory.provenance import TOOL
from everself.operations.caller import Audience, Caller
from everself.operations.origins import states, tells_of
from everself.runtime import Runtime
from everself.search.scopes import Scope
from everself.search.sharing import is_owner
from everself.storage.host_files import read_lines
from everself.storage.state.messages import StoredMessage

MCP: Final = "mcp"
# maximum age of an owner's prompt that a model may write down
_RECENT: Final = timedelta(days=1)
_LOOKED_AT: Final = 400
# maximum number of prompts to classify, which takes milliseconds each
_MOST_PROMPTS: Final = 50


def client_caller(scope: Scope) -> Caller:
    """The caller for a model of another program, before its words are compared with the owner's prompts."""
    audience = Audience.AGENT if is_owner(scope) else Audience.GUEST
    return Caller(audience, scope, taint=TOOL, unwatched=True, channel=MCP)


def with_prompt(runtime: Runtime, caller: Caller, words: str) -> Caller:
    """Attach the newest owner's prompt that states these words to the caller. If no prompt states them completely, attach the newest one
    that they are derived from, so that the owner's own sentence is kept. The caller stays tainted, because the client has read other
    things.

    A caller that is not a model of another program is returned unchanged.
    """
    if not (caller.is_model and caller.unwatched) or not is_owner(caller.scope) or not words.strip():
        return caller
    prompts = list(islice(recent_prompts(runtime), _MOST_PROMPTS))
    stating = (one for one in prompts if states(one.content, words))
    telling = (one for one in prompts if tells_of(words, one.content))
    found = next((one for one in chain(stating, telling) if is_typed(runtime, one.session, one.id)), None)
    if found is None:
        return caller
    return replace(caller, session=found.session, message=found.id, said=found.content, by_owner=True)


def is_typed(runtime: Runtime, session: str, message: str) -> bool:
    """Whether a person typed a prompt that a hook delivered. Hooks also deliver prompts that a program sends itself; its transcript tells
    them apart."""
    from everself.conversation.sessions.client_sessions import disown_prompts

    found = runtime.log.find(session)
    with suppress(OSError, ValueError):
        if found.transcript:
            size = os.stat(found.transcript, follow_symlinks=False).st_size
            disown_prompts(runtime.log, read_lines, found, size)
    return runtime.state.messages.is_told(message)


def recent_prompts(runtime: Runtime) -> Iterator[StoredMessage]:
    """The owner's recent prompts in other programs, as hooks delivered them, newest first."""
    # imported here so that the command line starts without it
    from everself.conversation.sessions.client_sessions import CLIENTS

    messages = runtime.state.messages
    oldest = runtime.clock.now() - _RECENT
    theirs: dict[str, bool] = {}
    for number, said in enumerate(messages.newest()):
        if number >= _LOOKED_AT or datetime.fromisoformat(said.at) < oldest:
            return
        if said.role != "user" or said.person:
            continue
        if said.session not in theirs:
            rows = messages.named(said.session, 1)
            theirs[said.session] = bool(rows) and rows[0].channel in CLIENTS
        if theirs[said.session] and messages.is_told(said.id):
            yield said
