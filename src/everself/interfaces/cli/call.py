"""The output of one command: data as JSON or as lines for a person, and notices. Knows no operation."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

import click

from everself.errors import ChangedMeanwhile, Damaged, DiskError, EverselfError, Unfinished
from everself.frozen import Frozen
from everself.interfaces.rendering.lines import Line, recovered_notices, render
from everself.interfaces.rendering.view import ExitCode, code_of

if TYPE_CHECKING:
    from everself.runtime import Runtime

JSON_FLAG = "--json"


def wants_json(arguments: Sequence[str]) -> bool:
    """Reads the plain arguments, so that a call that cannot be parsed is also answered in the requested format."""
    words = list(arguments)
    return JSON_FLAG in (words[: words.index("--")] if "--" in words else words)


class Call(Frozen):
    """The state of one command. `warnings` concern completed work and make the answer degraded. `told` counts those shown."""

    json: bool = False
    warnings: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def untold(self) -> list[str]:
        """The warnings that were not shown yet; marks them as shown."""
        new = [one for one in self.warnings if one not in self.told]
        self.told.extend(new)
        return new


def this_call() -> Call:
    found = click.get_current_context().find_object(Call)
    return found or Call()


def agent_option(command: Callable[..., object]) -> Callable[..., object]:
    """Add `--agent` to a command. Without it, the `--agent` before the command's name applies."""
    words = "The agent to use, if there are several."
    return click.option("--agent", metavar="NAME", default="", callback=inherited, help=words)(command)


def json_option(command: Callable[..., object]) -> Callable[..., object]:
    # `wants_json` reads it from the arguments; declared so that click accepts it and the help shows it
    return click.option(JSON_FLAG, is_flag=True, expose_value=False, help="Print the answer as one JSON object.")(
        command
    )


def inherited(context: click.Context, _: click.Parameter, value: str) -> str:
    """The agent named here, otherwise the one before the command's name."""
    outer = context.find_root().params.get("agent")
    return value or (outer if isinstance(outer, str) else "")


def answer(data: object, lines: Sequence[Line], notices: Sequence[str] = ()) -> None:
    """Write the result to stdout. Notices for a person go to stderr, so that a pipe contains only data."""
    notices = [*notices, *this_call().untold()]
    if this_call().json:
        print_json({"ok": True, "data": data, "notices": list(notices)})
        return
    show_lines(lines)
    show_notices(notices)


def show_lines(lines: Iterable[Line], *, err: bool = False) -> None:
    """Write lines for a person. Control characters are made visible, whatever text the lines quote."""
    text = "\n".join(render(line) for line in lines)
    if text and err:
        click.echo(text, err=True)
    elif text:
        write_out(text)


def show_notices(notices: Sequence[str]) -> None:
    show_lines([f"Note: {notice}" for notice in notices], err=True)


def print_json(value: object) -> None:
    from everself.interfaces.rendering.json_form import render_json

    write_out(render_json(value, getattr(sys.stdout, "encoding", None)))


def write_out(text: str) -> None:
    """Write the answer to stdout. If that fails, for example on a full disk, report it on stderr."""
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = sys.stderr
        raise DiskError(f"The answer could not be written: {error.strerror}.") from error


def say_error(error: EverselfError, *, as_json: bool, data: object = None, details: Sequence[str] = ()) -> ExitCode:
    """Show an error: message, details on separate lines, then the advice. All errors are shown here."""
    if as_json:
        said: dict[str, object] = {"ok": False}
        if data is not None:
            said["data"] = data
        trouble = {"kind": type(error).__name__, "message": "\n".join([str(error), *details]), "mend": error.mend}
        print_json({**said, "error": trouble, "notices": []})
    else:
        show_lines([str(error), *details, *([f"→ {error.mend}"] if error.mend else [])], err=True)
    return code_of(error)


@contextmanager
def opened(agent: str) -> Iterator["Runtime"]:
    """Open an agent for one command. After a change, an error that says "nothing was changed" is replaced by `Unfinished`."""
    from everself.agent import open_runtime

    app = open_runtime(agent)
    try:
        yield app
    except (DiskError, Damaged, ChangedMeanwhile) as error:
        if not app.acknowledged:
            raise
        raise unfinished(error, app.acknowledged) from error
    finally:
        app.close()
        this_call().warnings.extend(app.unsettled)
        # the history is written last, after the answer
        show_notices([" ".join(one.lines()) for one in app.mended])


def unfinished(error: EverselfError, changes: Sequence[str]) -> Unfinished:
    """The error after a completed change."""
    done = (
        f"Change {changes[-1]} stands" if len(changes) == 1 else f"{len(changes)} changes stand, the last {changes[-1]}"
    )
    return Unfinished(
        f"{done}; what came after failed: {error}",
        mend=error.mend or "Check what was done before you retry: everself log",
    )


def recovery_notices(app: "Runtime") -> list[str]:
    """Notices about a read-only agent, missing documents, and unfinished changes of a crashed process."""
    found: list[str] = []
    if app.impaired is not None:
        mend = f" → {app.impaired.mend}" if app.impaired.mend else ""
        found.append(f"Reading only; nothing can be changed. {app.impaired}{mend}")
    unread = app.unread.items()
    found += [f"Left out, because it cannot be read: {path}. {why} → everself doctor" for path, why in unread]
    return [*found, *recovered_notices(app.recovered)]
