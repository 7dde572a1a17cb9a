"""Handles events from the hooks of other programs: session start, prompt, transcript update, session end.

A prompt is stored as the owner's words; no other input is treated as a statement. The answer becomes part of the program's prompt: the soul
unchanged, memories as quoted data with citations. Does not know the programs' JSON formats.
"""

import os
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Final, Literal

from everself.conversation.sessions.client_sessions import (
    ClientName,
    begin_session,
    disown_prompts,
    is_element,
    keep_prompt,
)
from everself.conversation.sessions.session import Session
from everself.errors import EverselfError, WrongUse
from everself.operations.caller import Caller
from everself.operations.coding_memory import recall_for, session_context
from everself.operations.declaration import Argument, Option, Request, Result, owner_writes
from everself.operations.projects import find_project
from everself.runtime import Runtime
from everself.storage.host_files import read_lines

# start: a session begins, or continues after compaction; note: a turn or session ends, or the context is about to be compacted
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
    """`text` is for the program's model; `message` is the id of the stored prompt, `entries` counts the entries made of it."""

    text: str = ""
    session: str = ""
    message: str = ""
    project: str = ""
    entries: int = 0


@owner_writes("client.event", command=False, http=False, idempotent=True)
def take_event(runtime: Runtime, caller: Caller, request: ClientEventRequest) -> ClientAnswer:
    """Store an event of a coding agent's hook, and return context for its model. A repeated event is stored once."""
    del caller
    if not request.session or len(request.session) > _LONGEST_NAME:
        raise WrongUse("A session of another program needs a name.", mend="everself connect")
    found = find_project(request.folder)
    session = begin_session(runtime.log, request.client, request.session, found.slug if found is not None else "")
    # the project of the session's first folder: its model may change folders, which must not reveal another project's memory
    project = session.scope.project or ""
    answer = ClientAnswer(session=session.id, project=project)
    match request.event:
        case "start":
            return replace(answer, text=session_context(runtime, session, project))
        case "prompt":
            return _prompted(runtime, request, session, answer)
        case "note":
            _note(runtime, request, session)
            # from the prompts alone and without a model, so that other sessions can find them at once
            made = runtime.checkpoint.make(session)
            return replace(answer, entries=len(made.entries))


def _prompted(runtime: Runtime, request: ClientEventRequest, session: Session, answer: ClientAnswer) -> ClientAnswer:
    """Store the prompt, then recall. Memories are returned even if storing fails."""
    if not request.prompt.strip():
        return answer
    failure: EverselfError | None = None
    try:
        message = keep_prompt(runtime.log, session, request.prompt, request.id).id
    except EverselfError as error:
        message, failure = "", error
    if message and session.transcript != request.transcript and _is_transcript(request):
        # the transcript is needed to compare what the model writes before the turn ends
        with suppress(EverselfError):
            runtime.log.mark(session, transcript=request.transcript)
    if is_element(request.prompt):
        return replace(answer, message=message)
    text = recall_for(runtime, session, request.prompt, answer.project, by_words=request.by_words)
    if failure is not None and not text:
        raise failure
    return replace(answer, text=text, message=message)


def _note(runtime: Runtime, request: ClientEventRequest, session: Session) -> None:
    """Queue the transcript for reading, with its current size, and find the prompts in it that no person typed."""
    if not _is_transcript(request):
        return
    with suppress(OSError, ValueError):
        size = os.stat(request.transcript, follow_symlinks=False).st_size
        noted = runtime.log.mark(runtime.log.keep(session), transcript=request.transcript, noted=size)
        disown_prompts(runtime.log, read_lines, noted, size)


def _is_transcript(request: ClientEventRequest) -> bool:
    """The file name has to contain the session's name."""
    path = request.transcript
    return os.path.isabs(path) and os.path.basename(path).endswith(f"{request.session}{_ENDING}")
