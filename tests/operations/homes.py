"""Settings, setup and restore as the owner asks for them at a terminal, for tests that are about what they do."""

from everself.operations import settings
from everself.operations.backups import BroughtBack, RestoreRequest
from everself.operations.backups import bring_back as restore
from everself.operations.caller import AT_TERMINAL
from everself.operations.home import Home
from everself.operations.settings import KeyRequest, SavedReport, SetRequest, SettingReport, SettingsReport, ShowRequest
from everself.operations.setup import SetupRequest, SetupResult
from everself.operations.setup import set_up_agent as set_up

HOME = Home()


def settle(agent: str = "", workspace: str = "") -> SetupResult:
    return set_up(HOME, AT_TERMINAL, SetupRequest(agent=agent, workspace=workspace))


def bring_back(source: str, *, replace: bool = False) -> BroughtBack:
    return restore(HOME, AT_TERMINAL, RestoreRequest(file=source, replace=replace))


def get_value(key: str, agent: str = "") -> SettingReport:
    return settings.get_value(HOME, AT_TERMINAL, KeyRequest(key=key, agent=agent))


def list_values(agent: str = "", group: str = "", *, everything: bool = False) -> SettingsReport:
    return settings.list_values(HOME, AT_TERMINAL, ShowRequest(agent=agent, group=group, everything=everything))


def set_value(key: str, value: str, agent: str = "") -> SavedReport:
    return settings.set_value(HOME, AT_TERMINAL, SetRequest(key=key, value=value, agent=agent))


def unset_value(key: str, agent: str = "") -> SavedReport:
    return settings.unset_value(HOME, AT_TERMINAL, KeyRequest(key=key, agent=agent))


def own_key(key: str, agent: str) -> str:
    return settings.own_key(HOME, key, agent)
