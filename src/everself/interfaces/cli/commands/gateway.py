"""`everself gateway`: runs the gateway, here or in the background. Defines the interfaces that it serves; other commands are operations."""

import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from everself.clock import monotonic, pause
from everself.config.installation import install_command
from everself.errors import EverselfError, NotFound, RefusedByRule
from everself.interfaces.cli.call import answer, json_option, show_lines, this_call
from everself.interfaces.cli.command_types import ExampleCommand
from everself.interfaces.cli.commands.groups import group
from everself.interfaces.cli.spawn import spawn
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import NoRequest
from everself.operations.gateway import Listening, find_listening, folder_of, stop_gateway
from everself.operations.home import Home

if TYPE_CHECKING:
    from everself.interfaces.http.app import Surface

# time to start; a busy machine needs ten times as long as an idle one
_START_SECONDS: Final = 30.0

gateway = group(
    "gateway",
    "run start stop restart status logs install sign-in sign-out token hook",
    """
    $ everself gateway token add editor --as main  # give your program access
    $ everself gateway start  # run it in the background
    $ everself gateway status  # whether it runs, and where
    """,
)
gateway.add_command(
    group(
        "gateway.token",
        "add list rotate rm",
        """
        $ everself gateway token add editor --as main  # your own program, with your rights
        $ everself gateway token list  # the tokens and their agents
        """,
        "Make, list, rotate and remove tokens, which say who may ask whom.",
    )
)
gateway.add_command(
    group(
        "gateway.hook",
        "add list rotate rm",
        """
        $ everself gateway hook add builds  # what is posted to /hooks/builds
        $ everself gateway hook list  # which there are, and who hears them
        """,
        "Make, list, rotate and remove webhooks, by which other programs tell an agent something.",
    )
)


def surfaces() -> "Sequence[Surface]":
    """The interfaces that the gateway serves."""
    from everself.interfaces.anthropic.routes import SURFACE as ANTHROPIC
    from everself.interfaces.api.routes import SURFACE as API
    from everself.interfaces.client_hooks.routes import SURFACE as CLIENT_HOOKS
    from everself.interfaces.mcp.routes import SURFACE as MCP
    from everself.interfaces.openai.routes import SURFACE as OPENAI
    from everself.interfaces.web.routes import SURFACES as WEB
    from everself.interfaces.webhooks.routes import SURFACE as HOOKS

    # the first one with a matching prefix formats the problems of a path
    return (API, ANTHROPIC, OPENAI, HOOKS, CLIENT_HOOKS, MCP, *WEB)


@gateway.command("run", cls=ExampleCommand)
@json_option
def run() -> int:
    """Run the gateway in this terminal, until Ctrl-C or a signal ends it.

    $ everself gateway run  # on this machine alone, unless the settings say otherwise
    """
    from everself.agent import open_runtime

    _need_extra()
    from everself.interfaces.http.server import run_gateway

    left = run_gateway(Home(), surfaces(), open_runtime, _tell)
    if left:
        # a running thread would keep the process alive; all acknowledged data is on disk
        sys.stdout.flush()
        os._exit(0)
    return 0


def _tell(found: Listening) -> None:
    if this_call().json:
        answer(found, ())
    else:
        from everself.operations.token_file import TokenFile

        lines = [f"The gateway listens on {found.url} and on {found.socket} (process {found.pid})."]
        if not TokenFile(os.path.dirname(found.socket)).tokens():
            lines.append("No program has access yet: everself gateway token add NAME --as main")
        show_lines(lines, err=True)
    sys.stdout.flush()


@gateway.command("start", cls=ExampleCommand)
@json_option
def start() -> int:
    """Start the gateway in the background.

    $ everself gateway start  # it goes on when the terminal is closed
    """
    _start()
    return 0


@gateway.command("restart", cls=ExampleCommand)
@json_option
def restart() -> int:
    """Stop the gateway, and start it again.

    $ everself gateway restart  # replies that are under way may end, for ten seconds
    """
    stop_gateway(Home(), AT_TERMINAL, NoRequest())
    _start()
    return 0


def _start() -> None:
    running = find_listening(Home().places)
    if running is not None:
        raise RefusedByRule(f"The gateway runs already: process {running.pid}.", mend="everself gateway restart")
    found = start_in_background()
    lines = [f"The gateway listens on {found.url} (process {found.pid}).", "Stop it with: everself gateway stop"]
    answer(found, lines)


def start_in_background() -> Listening:
    """Start it and return when it listens. Raises EverselfError if it does not start."""
    from everself.operations.token_file import TokenFile

    _need_extra()
    from everself.interfaces.http.server import address_of

    config = Home().load().config
    places = config.places
    # errors in the settings are reported here, where the user sees them
    address_of(config.gateway, TokenFile(folder_of(places)))
    process = spawn(sys.executable, "-P", "-m", "everself", "gateway", "run")
    end = monotonic() + _START_SECONDS
    while (found := find_listening(places)) is None:
        ended, _ = os.waitpid(process, os.WNOHANG)
        if ended or monotonic() >= end:
            raise EverselfError("The gateway did not start.", mend="everself gateway run says why.")
        pause(0.05)
    return found


def _need_extra() -> None:
    missing = [
        name for name in ("jinja2", "starlette", "uvicorn", "websockets") if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise NotFound(f"package {missing[0]}, which the gateway needs.", mend=install_command("gateway"))
