"""The tool exec: runs one program in its own process group, with limits on time and output and without the owner's secrets.

Knows no settings file. A program may do everything that the user who runs Everself may do, as docs/tools.md says.
"""

import asyncio
import json
import os
import shlex
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal

from everself.clock import monotonic
from everself.config.sections import Exec
from everself.conversation.tools.outside._pipe_reader import open_pipe_reader
from everself.conversation.tools.outside._truncation import clip
from everself.conversation.tools.protocol import MOST_CHARACTERS, REFUSED, Outcome, Tool, ToolContext, one_text
from everself.frozen import Frozen
from everself.models.chat.protocol import JsonObject, ToolSpec
from everself.search.sharing import is_owner

_SHELL: Final = "/bin/sh"
_LONGEST: Final = 20_000
# how much of the output is kept: more at both ends than a model is shown
_HEAD: Final = 64 * 1024
_TAIL: Final = 64 * 1024
# a program that prints more than this is killed: reading it would occupy a core
_FLOOD: Final = 64 * 1024 * 1024
_CONTROLS: Final = {number: None for number in (*range(32), *range(127, 160)) if chr(number) not in "\t\n"}
# added to the tool loop's time limit, so that our own message is the one shown
_GRACE: Final = 10.0
# seconds to read what a killed program left in its pipe
_DRAIN: Final = 0.5
# an allow-list, because a list of secret variables could never be complete
_VARIABLES: Final = frozenset({"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR"})

End = Literal["exit", "timeout", "flood"]


class ProgramResult(Frozen):
    """How a program ended. `code` is negative if a signal ended it."""

    end: End
    code: int
    output: str
    seconds: float


def exec_tool(settings: Exec, folder: str, environ: Mapping[str, str]) -> Tool:
    """`folder` is where programs start; they inherit the variables of `environ` that are not secret."""
    variables = safe_variables(environ)
    listed = f" Only these programs, without a shell: {', '.join(settings.allow)}." if settings.allow else ""
    description = (
        f"Run one command line on the owner's machine, not in the workspace, for at most {settings.timeout} s.{listed} "
        "Gives its exit code and what it printed."
    )

    async def run(arguments: JsonObject, setting: ToolContext) -> Outcome:
        if not is_owner(setting.scope):
            return REFUSED
        command = arguments.get("command")
        if not isinstance(command, str) or not command.strip() or "\0" in command or len(command) > _LONGEST:
            return Outcome(f'exec needs "command": a text of at most {_LONGEST:,} characters.', failed=True)
        words = plan_words(command, settings.allow)
        if isinstance(words, str):
            return Outcome(words, failed=True)
        try:
            ran = await run_program(words, folder, variables, float(settings.timeout))
        # a name that cannot be encoded raises ValueError
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "it cannot be started"
            return Outcome(f"{words[0]}: {reason}.", failed=True, origin="exec")
        return _outcome(ran, settings)

    return Tool(
        ToolSpec("exec", description, one_text("command", "The command line.")),
        run,
        stamp="tool",
        changes=True,
        timeout=settings.timeout + _GRACE,
        most_characters=2 * MOST_CHARACTERS,
    )


def plan_words(command: str, allow: Sequence[str]) -> tuple[str, ...] | str:
    """The program and its arguments, or the error message for the model. With an allow-list there is no shell, because a shell would run
    anything."""
    if not allow:
        return (_SHELL, "-c", command)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        return f"The command line cannot be split into words: {error}."
    if not words or words[0] not in allow:
        return f"Refused: the first word must be one of {', '.join(allow)}. No shell is used; one program a call."
    return words


def safe_variables(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name in _VARIABLES or name.startswith("LC_")}


async def run_program(words: Sequence[str], folder: str, variables: Mapping[str, str], seconds: float) -> ProgramResult:
    """Run the program to its end, or to one of its limits. However it ends, cancellation included, its whole process group is killed."""
    begun = monotonic()
    output = _Output()
    transport, writing = await open_pipe_reader(lambda: output)
    try:
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                cwd=folder,
                env=dict(variables),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        finally:
            os.close(writing)
        ending = asyncio.ensure_future(process.wait())
        try:
            waited: set[asyncio.Future[Any]] = {ending, output.flooded}
            await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            end: End = "exit" if ending.done() else "flood" if output.flooded.done() else "timeout"
            # also after a normal exit, because background processes would outlive the call
            _kill(process.pid)
            await asyncio.wait({output.closed}, timeout=_DRAIN)
        finally:
            _kill(process.pid)
            await asyncio.shield(ending)
    finally:
        transport.close()
    return ProgramResult(end, process.returncode or 0, output.text(), monotonic() - begun)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class _Output(asyncio.Protocol):
    """The beginning and the end of the output, read until every process has closed the pipe; the middle is counted and dropped."""

    def __init__(self) -> None:
        self.head, self.tail, self.count = bytearray(), bytearray(), 0
        loop = asyncio.get_running_loop()
        self.flooded: asyncio.Future[None] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 the name is the protocol's
        if not self.closed.done():
            self.closed.set_result(None)

    def data_received(self, data: bytes) -> None:
        self.count += len(data)
        space = _HEAD - len(self.head)
        self.head += data[:space]
        self.tail += data[space:] if space > 0 else data
        if len(self.tail) > 2 * _TAIL:
            del self.tail[:-_TAIL]
        if self.count > _FLOOD and not self.flooded.done():
            self.flooded.set_result(None)

    def text(self) -> str:
        tail = self.tail[-_TAIL:]
        lost = self.count - len(self.head) - len(tail)
        between = f"\n[… {lost:,} bytes left out …]\n".encode() if lost else b""
        text = bytes(self.head + between + tail).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        # output shown in a terminal must not control it
        return text.translate(_CONTROLS)


def _outcome(ran: ProgramResult, settings: Exec) -> Outcome:
    words = {
        "exit": "",
        "timeout": f"Killed: it ran longer than {settings.timeout} s.",
        "flood": f"Killed: it printed more than {_FLOOD // 1024 // 1024} MiB.",
    }[ran.end]
    told = {"exit": ran.code, "seconds": round(ran.seconds, 1), "output": clip(ran.output, MOST_CHARACTERS * 3 // 4)}
    if words:
        told = {"ended": words, **told}
    return Outcome(json.dumps(told, ensure_ascii=False), failed=ran.end != "exit" or ran.code != 0, origin="exec")
