"""Runs the command line from arguments to exit code. Every error is shown as a message with an exit code."""

import errno
import io
import os
import sys
from collections.abc import Sequence

import click

from everself import __version__
from everself.errors import DiskError, EverselfError, Interrupted, WrongUse
from everself.interfaces.cli.call import Call, say_error, show_notices, wants_json
from everself.interfaces.cli.root import everself
from everself.interfaces.rendering.view import ExitCode

KEPT_BYTES = 64 * 1024
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def run(arguments: Sequence[str]) -> int:
    for name in ("stdin", "stdout", "stderr"):
        # a stream that was closed before the process started (`>&-`) is None in Python
        if getattr(sys, name) is None:
            setattr(sys, name, _Nobody())
    for stream in (sys.stdout, sys.stderr):
        # show a question mark for characters that the terminal cannot display
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    as_json = wants_json(arguments)
    try:
        try:
            code = _obey(arguments, as_json)
        except EverselfError as error:
            code = say_error(error, as_json=as_json)
        except BrokenPipeError:
            return _hang_up()
        except OSError as error:
            # help and completion write to stdout without their own error handling
            code = _say_unwritable(error) if error.errno in _UNWRITABLE else _apologise(error, as_json)
        except Exception as error:  # noqa: BLE001 the outermost fence: no traceback reaches a person
            code = _apologise(error, as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        return _hang_up()
    except OSError as error:
        return _say_unwritable(error)
    return code


def _obey(arguments: Sequence[str], as_json: bool) -> int:
    stdout = sys.stdout
    call = Call(json=as_json)
    try:
        returned = everself.main(list(arguments), prog_name="everself", standalone_mode=False, obj=call)
    except click.Abort:
        raise Interrupted from None
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "everself"
        raise WrongUse(_usage(error), mend=f"{command} --help") from error
    except click.ClickException as error:
        raise EverselfError(error.format_message()) from error
    except SystemExit as stopped:
        # after completing a word for the shell, and when the reader is gone, click exits by itself; it has replaced stdout by then, so
        # that Python does not complain while flushing
        if sys.stdout is not stdout:
            return ExitCode.DONE
        return stopped.code if isinstance(stopped.code, int) else ExitCode.FAILED
    code = returned if isinstance(returned, int) else ExitCode.DONE
    show_notices(call.untold())
    return ExitCode.DEGRADED if call.warnings and code == ExitCode.DONE else code


def _usage(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        hint = f" Did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return f"Unknown option: {error.option_name[:60]}.{hint}"
    # click lists choices on separate lines
    return " ".join(error.format_message().split())


class _Nobody(io.TextIOBase):
    """A stream that discards all output and has no input."""

    def read(self, _: int | None = -1, /) -> str:
        return ""

    def readline(self, _: int = -1, /) -> str:  # type: ignore[override] # typeshed gives text streams the bytes of their parent
        return ""

    def write(self, text: str, /) -> int:
        return len(text)


def _hang_up() -> ExitCode:
    """The reader is gone (`| head`): exit silently, and keep Python from complaining while flushing."""
    sys.stdout = sys.stderr = _Nobody()
    return ExitCode.DONE


def _say_unwritable(error: OSError) -> ExitCode:
    """Report that the answer could not be written, for example to a full disk."""
    sys.stdout = _Nobody()
    return say_error(DiskError(f"The answer could not be written: {error.strerror}."), as_json=False)


def note_crash(error: Exception) -> str:
    """Write the traceback of an internal error to `crash.log`, without secrets. Returns its path, empty if that failed."""
    try:
        import traceback

        from everself.clock import system_now
        from everself.config import find_places
        from everself.storage.host_files import find_file, save_file
        from everself.text.redaction import redact

        path = os.path.join(find_places().home, "crash.log")
        trace = redact("".join(traceback.format_exception(error))[-KEPT_BYTES // 4 :]).text
        text = f"{system_now().isoformat(timespec='seconds')} everself {__version__}\n{trace}\n"
        before = find_file(path)
        save_file(path, ((before or b"") + text.encode("utf-8", "replace"))[-KEPT_BYTES:], before)
    except (EverselfError, OSError, ImportError):
        return ""
    return path


def _apologise(error: Exception, as_json: bool) -> ExitCode:
    kept = note_crash(error)
    mend = f"Please report it with the end of {kept}" if kept else "Please report it."
    said = EverselfError(f"This is a mistake in Everself, not yours ({type(error).__name__}).", mend=mend)
    return say_error(said, as_json=as_json)
