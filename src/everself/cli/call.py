"""How one call of the command answers: data as JSON or as lines for a person, with notices. Knows no verb."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from everself.cli.exit_codes import ExitCode
from everself.errors import DiskError, EverselfError

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.workspace.on_disk import Recovery

JSON_FLAG = "--json"


def wants_json(arguments: Sequence[str]) -> bool:
    """Asked of the bare words, so that even a call that cannot be parsed is answered in the form it asked for."""
    words = list(arguments)
    return JSON_FLAG in (words[: words.index("--")] if "--" in words else words)


@dataclass(frozen=True, slots=True)
class Call:
    json: bool = False


def this_call() -> Call:
    found = click.get_current_context().find_object(Call)
    return found or Call()


def agent_option(command: Callable[..., object]) -> Callable[..., object]:
    """`--agent` after the command's name; where it is not given there, the one before it counts."""
    words = "Which agent, where there are several."
    return click.option("--agent", metavar="NAME", default="", callback=_inherited, help=words)(command)


def json_option(command: Callable[..., object]) -> Callable[..., object]:
    # read off the bare words by `wants_json`; declared so that click knows it and the help shows it
    return click.option(JSON_FLAG, is_flag=True, expose_value=False, help="Answer with one JSON object.")(command)


def _inherited(context: click.Context, _: click.Parameter, value: str) -> str:
    outer = context.find_root().params.get("agent")
    return value or (outer if isinstance(outer, str) else "")


def answer(data: object, lines: Sequence[str], notices: Sequence[str] = ()) -> None:
    """What came of the call, on stdout; notices for a person go to stderr, so that a pipe holds the data alone."""
    if this_call().json:
        print_json({"ok": True, "data": data, "notices": list(notices)})
        return
    if lines:
        write_out("\n".join(lines))
    for notice in notices:
        click.echo(f"Note: {safe(notice)}", err=True)


def print_json(value: object) -> None:
    from everself.cli.json_form import render_json

    write_out(render_json(value, getattr(sys.stdout, "encoding", None)))


def write_out(text: str) -> None:
    """The answer, on stdout. Where that cannot be written (a full disk behind it), words about it go where they are seen."""
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = sys.stderr
        raise DiskError(f"The answer could not be written: {error.strerror}.") from error


def say_error(error: EverselfError, *, as_json: bool, data: object = None) -> ExitCode:
    """The one place where an error becomes words: what, then what helps."""
    from everself.cli.exit_codes import code_of

    if as_json:
        said: dict[str, object] = {"ok": False}
        if data is not None:
            said["data"] = data
        trouble = {"kind": type(error).__name__, "message": str(error), "mend": error.mend}
        print_json({**said, "error": trouble, "notices": []})
    else:
        click.echo(safe(str(error)), err=True)
        if error.mend:
            click.echo(f"→ {safe(error.mend)}", err=True)
    return code_of(error)


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def entries_of(number: int) -> str:
    return f"{number} entry" if number == 1 else f"{number} entries"


def safe(text: str) -> str:
    """Any text as lines that cannot move a cursor, set a colour or turn the writing direction; spaces stay as they are."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from everself.text import one_line

    def shown(word: str) -> str:
        return one_line(word, 2 * len(word)) if word else ""

    visible = text.replace("\t", "    ").replace("\r", "␍")
    return "\n".join(" ".join(map(shown, line.split(" "))) for line in visible.split("\n"))


@contextmanager
def opened(agent: str) -> Iterator["App"]:
    from everself.app.opening import open_app

    with open_app(agent) as app:
        yield app


def recovery_notices(app: "App") -> list[str]:
    return recovered_notices(app.recovered)


def recovered_notices(found: "Recovery") -> list[str]:
    """What a process that died had left half done, and what became of it."""
    notices = [f"A change that was cut short earlier has been completed: {one}" for one in found.completed]
    return notices + [f"A change that was cut short earlier has been taken back: {one}" for one in found.undone]
