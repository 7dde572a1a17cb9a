"""Paths of the host file, the keys and the agents on this machine, read once from the environment.

Knows the names of variables and folders. Does not check whether they exist, and creates nothing.
"""

import os
import string
from collections.abc import Mapping

from everself.errors import BadConfig
from everself.frozen import Frozen

MAIN = "main"
_ID_SYMBOLS = frozenset(string.ascii_letters + string.digits + "-_")
_ID_LIMIT = 64


def environment() -> Mapping[str, str]:
    """The environment variables of this process."""
    return dict(os.environ)


def is_agent_id(text: str) -> bool:
    """Whether the text is a valid agent id. Ids become folder names, so only plain characters are allowed."""
    return 0 < len(text) <= _ID_LIMIT and set(text) <= _ID_SYMBOLS and text[0].isalnum()


def _checked_id(agent: str) -> str:
    if not is_agent_id(agent):
        mend = f"Use 1 to {_ID_LIMIT} ASCII letters, digits, - and _, beginning with a letter or digit."
        raise BadConfig(f'"{agent[:_ID_LIMIT]}" is not a valid agent id.', mend=mend)
    return agent


class Places(Frozen):
    """Absolute paths. `user_home` is empty if the environment sets none and none is needed."""

    home: str
    host_file: str
    key_folder: str
    user_home: str = ""
    profile: str = ""
    color: bool = True

    @property
    def secrets_file(self) -> str:
        return os.path.join(os.path.dirname(self.host_file), "secrets.json")

    def state_of(self, agent: str) -> str:
        return os.path.join(self.home, "agents", _checked_id(agent))

    def default_workspace_of(self, agent: str) -> str:
        name = "workspace" if _checked_id(agent) == MAIN else f"workspace-{agent}"
        return os.path.join(self.home, name)

    def expand(self, path: str, named: str) -> str:
        """The absolute path for `path`; `named` is the setting or variable to name in an error."""
        return _expand(path, self.user_home, named)


def find_places(environ: Mapping[str, str] | None = None) -> Places:
    """Read EVERSELF_HOME, EVERSELF_CONFIG, EVERSELF_KEYS, EVERSELF_PROFILE, XDG_CONFIG_HOME, HOME and NO_COLOR."""
    found = environment() if environ is None else environ
    user_home, profile = found.get("HOME", ""), found.get("EVERSELF_PROFILE", "")
    if user_home and not os.path.isabs(user_home):
        raise BadConfig("HOME is not an absolute path.", mend="Set HOME to your home folder.")
    if profile and not is_agent_id(profile):
        raise BadConfig("EVERSELF_PROFILE does not name an agent.", mend="Set it to an id of agents.list, or unset it.")

    def place(variable: str, fallback: str) -> str:
        given = found.get(variable, "")
        return _expand(given or fallback, user_home, variable if given else "The default place")

    home = place("EVERSELF_HOME", "~/.everself")
    # the XDG specification says to ignore a relative value
    xdg = found.get("XDG_CONFIG_HOME", "")
    return Places(
        home=home,
        host_file=place("EVERSELF_CONFIG", os.path.join(home, "everself.json5")),
        key_folder=place("EVERSELF_KEYS", os.path.join(xdg if os.path.isabs(xdg) else "~/.config", "everself")),
        user_home=user_home,
        profile=profile,
        color=not found.get("NO_COLOR") and found.get("TERM") != "dumb",
    )


def _expand(path: str, user_home: str, named: str) -> str:
    if path == "~" or path.startswith("~/"):
        if not user_home:
            mend = "Set HOME, or set EVERSELF_HOME and EVERSELF_KEYS to absolute paths."
            raise BadConfig(f"{named} needs the home folder, but HOME is not set.", mend=mend)
        path = user_home + path[1:]
    if not os.path.isabs(path):
        mend = "Use an absolute path: a relative path depends on the current folder."
        raise BadConfig(f"{named} must be an absolute path or begin with ~/.", mend=mend)
    # ".." is kept: after a symbolic link it does not mean the parent in the text
    return path if ".." in path.split("/") else os.path.normpath(path)
