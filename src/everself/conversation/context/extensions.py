"""Text that other programs and files add to a prompt: the CRM hook and the external source. Always data, never instructions.

Runs the one command that the host file names, without a shell and with limits on time and output. Does not know budgets or sessions.
"""

import json
import os
import select
import shlex
import signal
import subprocess
from contextlib import suppress
from typing import Final

import re2

from everself.clock import monotonic
from everself.frozen import Frozen

SECONDS: Final = 5.0
MOST_BYTES: Final = 64_000
# this much fits into a pipe however it is escaped, so a program that reads nothing cannot block the write
_MESSAGE: Final = 8_000
_MOST_NAMES: Final = 20

_CAPITALISED: Final = re2.compile(r"\p{Lu}[\p{L}\p{M}'’\-]+(?:[ \t]+\p{Lu}[\p{L}\p{M}'’\-]+)*")
_HANDLE: Final = re2.compile(r"(?:^|\s)@([\p{L}\p{N}_.\-]{2,40})")
# words that are capitalised at the start of a sentence, or always
_OPENERS: Final = """
    a an and any are as at but can could did do does for from had has have hello hey hi how if in is it its let may my no not of on or
    our please she should so tell thanks that the their then there they this to today tomorrow was we were what when where which who
    whom whose why will with would yes yesterday you your i'm i'll i've i'd don't monday tuesday wednesday thursday friday saturday
    sunday january february march april june july august september october november december
"""
_ORDINARY: Final = frozenset(_OPENERS.split())


class ProgramAnswer(Frozen):
    """The output of a program, or a notice that says why there is none."""

    text: str = ""
    notice: str = ""


def find_names(message: str) -> tuple[str, ...]:
    """The names of people and things in a message, recognised by capital letters and @handles. Finds none in a script without capitals."""
    found: dict[str, None] = {}
    head = message[:_MESSAGE]
    for match in _CAPITALISED.finditer(head):
        words = match[0].split()
        while words and words[0].lower().replace("’", "'") in _ORDINARY:
            words = words[1:]
        if words:
            found[" ".join(words)] = None
    for match in _HANDLE.finditer(head):
        found[match[1]] = None
    return tuple(found)[:_MOST_NAMES]


def ask_program(command: str, message: str, *, seconds: float = SECONDS) -> ProgramAnswer:
    """Send the message and the names in it to a program as one JSON object on its stdin, and return what it prints."""
    told = {"message": message[:_MESSAGE], "names": find_names(message)}
    given = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
    try:
        words = shlex.split(command)
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError, IndexError) as error:
        return ProgramAnswer(notice=f"The CRM hook could not be started: {error}.")
    try:
        return _listen(process, given, seconds)
    finally:
        # its child processes are killed with it
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


def _listen(process: "subprocess.Popen[bytes]", given: bytes, seconds: float) -> ProgramAnswer:
    if process.stdin is None or process.stdout is None:
        raise AssertionError("a process that was given pipes has none")
    with suppress(BrokenPipeError):
        process.stdin.write(given)
        process.stdin.close()
    end = monotonic() + seconds
    said = b""
    while len(said) <= MOST_BYTES:
        left = end - monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            return ProgramAnswer(notice=f"The CRM hook took longer than {seconds:g} s and was stopped.")
        piece = os.read(process.stdout.fileno(), 65_536)
        if not piece:
            break
        said += piece
    if len(said) > MOST_BYTES:
        return ProgramAnswer(notice=f"The output of the CRM hook exceeds {MOST_BYTES:,} bytes and was ignored.")
    try:
        code = process.wait(max(0.0, end - monotonic()))
    except subprocess.TimeoutExpired:
        return ProgramAnswer(notice=f"The CRM hook took longer than {seconds:g} s and was stopped.")
    if code:
        return ProgramAnswer(notice=f"The CRM hook failed with exit code {code}.")
    return ProgramAnswer(said.decode("utf-8", "replace").strip())
