"""`everself demo`: plays an invented month in its own folder and explains each step. Does not touch the user's files."""

import os
import socket
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from everself.errors import RefusedByRule, WrongUse
from everself.interfaces.cli.call import json_option, show_lines, this_call
from everself.interfaces.cli.command_types import ExampleCommand
from everself.interfaces.cli.spawn import run_everself
from everself.interfaces.rendering.lines import Line, paint

if TYPE_CHECKING:
    from everself.interfaces.cli.demo.story import Piece


@click.command("demo", cls=ExampleCommand)
@click.option("--web", is_flag=True, help="Open the web page on it afterwards, until you press Enter.")
@click.option("--keep", metavar="DIR", default="", help="Play it in this new or empty folder, and leave it there.")
@json_option
def demo(keep: str, web: bool) -> int:
    """Play an invented month of an agent's life, with each step explained.

    It searches, explains, corrects, resolves a conflict, lets the soul grow and forgets. It needs no key and no network.

    $ everself demo  # a month in a few seconds; nothing of yours is touched
    $ everself demo --web  # and then look at it in a browser
    $ everself demo --keep /tmp/mina  # look at the files afterwards
    """
    from everself.interfaces.cli.demo.stage import open_stage
    from everself.interfaces.cli.demo.story import play
    from everself.storage.host_files import temporary_folder

    if this_call().json:
        raise WrongUse("The demo cannot be printed as one JSON object.", mend="everself demo")
    with nullcontext(_empty(keep)) if keep else temporary_folder("everself-demo-") as folder:
        show_lines(["An invented month of an agent whose owner is Mina. Your own files are neither read nor changed."])
        with open_stage(folder) as stage:
            for piece in play(stage):
                show_lines(lines_of(piece))
        code = _show_page(folder) if web else 0
    show_lines(["", *_farewell(keep)])
    return code


def lines_of(piece: "Piece") -> list[Line]:
    """The piece as terminal lines."""
    first = piece.lines[0] if piece.lines else ""
    text = first if isinstance(first, str) else ""
    match piece.kind:
        case "title":
            return ["", paint(text, "cyan", bold=True)]
        case "words":
            return [paint(text, dim=True)]
        case "day":
            return [paint(text, bold=True)]
        case "said":
            return [paint("  mina  ", "green") + text]
        case "reply":
            return [paint("  agent ", "magenta") + text]
        case "command":
            return [paint("  $ ", "yellow") + paint(text, bold=True)]
        case _:
            return ["    " + line for line in piece.lines]


def _show_page(folder: str) -> int:
    """Open the page of the demo's own gateway, on a free port, beside a gateway of the user."""
    from everself.operations.home import Home
    from everself.operations.settings import save_value

    places = {"EVERSELF_HOME": f"{folder}/.everself", "EVERSELF_KEYS": f"{folder}/.config/everself"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    save_value(Home({"HOME": folder}), "gateway.port", str(port), "")
    show_lines(["", "The page:"])
    code = run_everself(places, "web")
    if code == 0:
        show_lines(["Press Enter to end the demo."], err=True)
        sys.stdin.readline()
        run_everself(places, "gateway", "stop")
    return code


def _farewell(keep: str) -> list[Line]:
    if not keep:
        return ["The folder of the demo is gone again. Talk to an agent of your own: everself"]
    there = os.path.join(os.path.abspath(keep), ".everself")
    return [
        f"It is all in {there}. Look at the files in {os.path.join(there, 'workspace')}, or ask it yourself:",
        f"  EVERSELF_HOME={there} EVERSELF_KEYS={os.path.join(os.path.abspath(keep), '.config', 'everself')} everself memory list",
    ]


def _empty(folder: str) -> str:
    from everself.storage.host_files import ensure_folder

    path = os.path.abspath(folder)
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise RefusedByRule(
            f"{path} is not an empty folder.", mend="everself demo --keep DIR, with a folder that is new"
        )
    ensure_folder(path)
    return path
