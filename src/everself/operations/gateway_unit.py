"""A systemd user unit that runs the gateway, so that it starts with the session and again when it fell over."""

import os
import sys
from typing import TYPE_CHECKING, Final

from everself.errors import RefusedByRule
from everself.frozen import Frozen
from everself.operations.caller import Caller
from everself.operations.declaration import NoRequest, terminal_writes
from everself.storage.host_files import find_file, save_file

if TYPE_CHECKING:
    from everself.operations.home import Home

NAME: Final = "everself-gateway.service"
_MARK: Final = "# Written by everself gateway install."
# what says where the agents are; a session's other variables are not a service's
_VARIABLES: Final = ("EVERSELF_HOME", "EVERSELF_CONFIG", "EVERSELF_KEYS", "XDG_CONFIG_HOME")


class UnitWritten(Frozen):
    """`changed` is false where it stood there already."""

    file: str
    changed: bool


@terminal_writes("gateway.install", on="home", idempotent=True)
def install_unit(home: "Home", _: Caller, __: NoRequest) -> UnitWritten:
    """Write a systemd user unit for the gateway, and show the command that enables it.

    $ everself gateway install  # then: systemctl --user enable --now everself-gateway
    """
    variables, places = home.variables, home.places
    xdg = variables.get("XDG_CONFIG_HOME", "")
    config = xdg if os.path.isabs(xdg) else places.expand("~/.config", "The folder of systemd's units")
    path = os.path.join(config, "systemd", "user", NAME)
    text = render_unit(sys.executable, {name: variables[name] for name in _VARIABLES if variables.get(name)})
    before = find_file(path)
    if before is not None and _MARK.encode() not in before:
        raise RefusedByRule(f"{path} was not written by Everself.", mend="Move it away first.")
    if before != text.encode():
        save_file(path, text.encode(), before)
    return UnitWritten(path, before != text.encode())


def render_unit(python: str, variables: dict[str, str]) -> str:
    """The unit. It gives the gateway more time to end than it takes."""
    environment = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in sorted(variables.items()))
    return (
        f"{_MARK}\n[Unit]\nDescription=Everself gateway\n\n[Service]\n"
        f"ExecStart={_quoted(python.replace('$', '$$'))} -P -m everself gateway run\n{environment}"
        "Restart=on-failure\nRestartSec=5\nTimeoutStopSec=20\nUMask=0077\nNoNewPrivileges=yes\n"
        "\n[Install]\nWantedBy=default.target\n"
    )


def _quoted(word: str) -> str:
    """One word as systemd reads it: `%`, quotes and backslashes stand for themselves. A `$` means something in commands alone."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain}"'
