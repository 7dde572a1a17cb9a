"""`everself web`: opens the web page in a signed-in browser, and starts the gateway if needed."""

import sys
from dataclasses import replace

import click

from everself.interfaces.cli.call import agent_option, answer, json_option
from everself.interfaces.cli.command_types import ExampleCommand


@click.command("web", cls=ExampleCommand)
@click.option("--no-open", is_flag=True, help="Print the link, and open nothing.")
@agent_option
@json_option
def web(agent: str, no_open: bool) -> int:
    """Open the web page in a browser, signed in.

    The gateway is started if it does not run.

    $ everself web  # see what your agent knows, and change it
    $ everself web --no-open  # only print the link, which works once, for five minutes
    """
    from everself.interfaces.cli.commands.gateway import start_in_background
    from everself.operations.caller import AT_TERMINAL
    from everself.operations.gateway import find_listening
    from everself.operations.home import Home
    from everself.operations.sign_ins import SignInRequest, make_link

    home = Home()
    started = find_listening(home.places) is None
    if started:
        start_in_background()
    # the caller may be a program, not a person
    made = make_link(home, replace(AT_TERMINAL, present=sys.stdin.isatty()), SignInRequest(agent=agent))
    opened = not no_open and _open(made.link)
    begun = ["The gateway was started; stop it with: everself gateway stop"] if started else []
    if opened:
        lines = [*begun, "Your browser opens the page. If it does not, run: everself web --no-open"]
    else:
        lines = [*begun, "Open this link in your browser. It works once, for five minutes:", made.link]
    answer({"link": "" if opened else made.link, "opened": opened, "started": started, "until": made.until}, lines)
    return 0


def _open(link: str) -> bool:
    """Whether a graphical browser was started; a text browser would take over the terminal."""
    import webbrowser

    from everself.config import environment

    variables = environment()
    windows = sys.platform in ("darwin", "win32") or variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY")
    try:
        return bool(windows) and webbrowser.open(link)
    except webbrowser.Error:
        return False
