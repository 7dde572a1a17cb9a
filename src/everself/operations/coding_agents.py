"""What other programs tell through their hooks: a session begins, a person typed a prompt, a transcript grew, a session ends.

A prompt is kept as the owner's words, in a session of that program; nothing else that comes in here is anybody's statement. What is given
back stands in that program's prompt: the soul as it is, remembered words as data with citations. Knows no program's form of JSON.
"""

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, Literal

from everself.conversation.sessions.client_sessions import (
    ClientName,
    begin_session,
    disown_prompts,
    is_element,
    keep_prompt,
)
from everself.errors import EverselfError, WrongUse
from everself.operations.caller import Caller
from everself.operations.coding_memory import recall_for, session_context
from everself.operations.declaration import Argument, Option, Request, Result, owner_writes
from everself.operations.projects import find_project
from everself.storage.host_files import read_lines

if TYPE_CHECKING:
    from everself.conversation.sessions.session import Session
    from everself.runtime import Runtime

# start: a session begins, or goes on after a compaction; note: a turn or a session ends, or its context is about to be dropped
ClientEvent = Literal["start", "prompt", "note"]
_LONGEST_NAME: Final = 200
_ENDING: Final = ".jsonl"


class ClientEventRequest(Request):
    event: Annotated[ClientEvent, Argument("What happened.")]
    client: Annotated[ClientName, Option("The program.")]
    session: Annotated[str, Option("What the program calls the session.")] = ""
    folder: Annotated[str, Option("The folder that the program works in.")] = ""
    prompt: Annotated[str, Option("What the person typed.")] = ""
    id: Annotated[str, Option("What the program calls the prompt.")] = ""
    transcript: Annotated[str, Option("The program's own file about the session.")] = ""
    by_words: Annotated[bool, Option("Search by words alone, which is done sooner.")] = False


class ClientAnswer(Result):
    """`text` is for the program's model; `message` is the prompt as it was kept, `entries` counts the entries made of what was said."""

    text: str = ""
    session: str = ""
    message: str = ""
    project: str = ""
    entries: int = 0


@owner_writes("client.event", command=False, http=False, idempotent=True)
def take_event(runtime: "Runtime", caller: Caller, request: ClientEventRequest) -> ClientAnswer:
    """Keep what a coding agent's hook tells, and say what its model should know. Told again, nothing is kept twice."""
    del caller
    if not request.session or len(request.session) > _LONGEST_NAME:
        raise WrongUse("A session of another program needs a name.", mend="everself connect")
    found = find_project(request.folder)
    session = begin_session(runtime.log, request.client, request.session, found.slug if found is not None else "")
    # where the session began: its model may go to another folder, which must not bring another project's memory here
    project = session.scope.project or ""
    answer = ClientAnswer(session=session.id, project=project)
    match request.event:
        case "start":
            return replace(answer, text=session_context(runtime, session, project))
        case "prompt":
            return _prompted(runtime, request, session, answer)
        case "note":
            _note(runtime, request, session)
            # by rules alone and of the prompts alone, so that another session finds by search what was just said
            made = runtime.checkpoint.make(session)
            return replace(answer, entries=len(made.entries))


def _prompted(
    runtime: "Runtime", request: ClientEventRequest, session: "Session", answer: ClientAnswer
) -> ClientAnswer:
    """Kept first. Where that fails, what is remembered may be told all the same."""
    if not request.prompt.strip():
        return answer
    failure: EverselfError | None = None
    try:
        message = keep_prompt(runtime.log, session, request.prompt, request.id).id
    except EverselfError as error:
        message, failure = "", error
    if message and session.transcript != request.transcript and _is_transcript(request):
        # what the model writes before the turn ends is compared with it
        with suppress(EverselfError):
            runtime.log.mark(session, transcript=request.transcript)
    if is_element(request.prompt):
        return replace(answer, message=message)
    text = recall_for(runtime, session, request.prompt, answer.project, by_words=request.by_words)
    if failure is not None and not text:
        raise failure
    return replace(answer, text=text, message=message)


def _note(runtime: "Runtime", request: ClientEventRequest, session: "Session") -> None:
    """Queue the transcript for reading, with its current size, and find the prompts in it that no person typed."""
    if not _is_transcript(request):
        return
    with suppress(OSError, ValueError):
        size = os.stat(request.transcript, follow_symlinks=False).st_size
        noted = runtime.log.mark(runtime.log.keep(session), transcript=request.transcript, noted=size)
        disown_prompts(runtime.log, read_lines, noted, size)


def _is_transcript(request: ClientEventRequest) -> bool:
    """A file that does not bear the session's name is none of it."""
    path = request.transcript
    return os.path.isabs(path) and os.path.basename(path).endswith(f"{request.session}{_ENDING}")
