"""Whose words the model of another program writes, and what the owner typed into that program.

A coding agent reads files and pages all the time, and Everself does not see which. What its model writes is worth what a tool says, unless
it is a whole statement of a prompt of the owner's that a hook delivered. Nothing that a client says about itself changes that.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from everself.memory.provenance import TOOL
from everself.operations.caller import Audience, Caller
from everself.operations.origins import states, tells_of
from everself.search.scopes import Scope
from everself.search.sharing import is_owner
from everself.storage.state.messages import StoredMessage

if TYPE_CHECKING:
    from everself.runtime import Runtime

MCP: Final = "mcp"
# how far back a prompt of the owner's may lie for a model to write it down
_RECENT: Final = timedelta(days=1)
_LOOKED_AT: Final = 400
# of these, so many are read for what they state, which takes milliseconds each
_MOST_PROMPTS: Final = 50


def client_caller(scope: Scope) -> Caller:
    """A model of another program, before it is known whether the owner said what it writes."""
    audience = Audience.AGENT if is_owner(scope) else Audience.GUEST
    return Caller(audience, scope, taint=TOOL, unwatched=True, channel=MCP)


def with_prompt(runtime: "Runtime", caller: Caller, words: str) -> Caller:
    """The same caller, answering the newest prompt of the owner's that states these words; where none states them as a whole, the newest
    one that they tell of, so that the owner's own sentence is kept instead. The caller stays tainted: the client has read other things.

    Whoever is no model of another program is given back as they are.
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


def is_typed(runtime: "Runtime", session: str, message: str) -> bool:
    """Whether a person typed a prompt that a hook delivered, as far as the program's transcript says by now: a hook is told what a program
    sends itself, too."""
    from everself.conversation.sessions.client_sessions import disown_prompts
    from everself.storage.host_files import read_lines

    found = runtime.log.find(session)
    with suppress(OSError, ValueError):
        if found.transcript:
            size = os.stat(found.transcript, follow_symlinks=False).st_size
            disown_prompts(runtime.log, read_lines, found, size)
    return runtime.state.messages.is_told(message)


def recent_prompts(runtime: "Runtime") -> Iterator[StoredMessage]:
    """What the owner typed into other programs of late, the newest first, as hooks delivered it."""
    # imported here: the command line, at which nobody else's model writes, starts without it
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
