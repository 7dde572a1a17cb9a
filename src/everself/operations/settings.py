"""Operations on settings: get, list, set, unset. The config package defines them; saving is done here."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Final

from everself.config import Loaded, Vault, check, with_tunables
from everself.config.display import SettingReport, get_setting, list_settings
from everself.config.host import decode, parse_secrets
from everself.config.host_edits import Edited, plan_set, plan_unset
from everself.config.schema import canonical, find_spot, get_spot, is_group, split_key
from everself.errors import BadConfig, ChangedMeanwhile, EverselfError, LockTimeout, WrongUse
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, NoRequest, Option, Request, Result, owner_reads, terminal_writes
from everself.operations.home import Home
from everself.storage.host_files import find_file, save_file, sweep
from everself.values import Finding

# each attempt is one read, plan and compare; this many conflicts in a row do not happen by chance
ATTEMPTS = 50
AGENT: Final = Option("The agent to use, if there are several.", "NAME")


class SettingsReport(Result):
    """`documented`: descriptions were requested."""

    settings: tuple[SettingReport, ...]
    remarks: tuple[Finding, ...]
    documented: bool = False


class SavedReport(Result):
    """The result of saving. `secrets_file` is empty if no secret changed; `changed` is false if nothing changed."""

    key: str
    file: str
    secrets_file: str
    changed: bool
    remarks: tuple[Finding, ...] = ()


class HostFile(Result):
    path: str


class KeyRequest(Request):
    key: Annotated[str, Argument("The name of the setting.")]
    agent: Annotated[str, AGENT] = ""


@owner_reads("config.get", on="home")
def get_value(home: Home, _: Caller, request: KeyRequest) -> SettingReport:
    """Print the value of one setting.

    $ everself config get agents.defaults.heartbeat.every  # the value in force, and nothing else
    """
    key, agent = request.key, request.agent
    loaded = _load(home, agent)
    wanted = own_key(home, key, agent) if agent else key
    found = get_setting(loaded, wanted)
    spot = get_spot(wanted)
    if spot.agent and found.origin == "default" and spot.setting.key == "agents.defaults.workspace":
        # the default workspace depends on the agent's name
        return replace(found, value=loaded.config.agent(spot.agent).workspace)
    return found


class ShowRequest(Request):
    group: Annotated[str, Argument("Only what stands beneath this name.", "[GROUP]")] = ""
    everything: Annotated[bool, Option("Defaults too, each with what it is for.", cli="--all")] = False
    agent: Annotated[str, AGENT] = ""


@owner_reads("config.show", on="home")
def list_values(home: Home, _: Caller, request: ShowRequest) -> SettingsReport:
    """Show settings and where each comes from. A secret is never shown.

    $ everself config show  # what is set
    $ everself config show --all  # every setting with its default and what it is for
    $ everself config show agents.defaults.heartbeat  # one group
    """
    loaded = _load(home, request.agent)
    found = list(list_settings(loaded))
    if request.group:
        path = canonical(split_key(request.group))
        if not is_group(path):
            get_spot(request.group)
        found = [one for one in found if split_key(one.key)[: len(path)] == path]
    elif not request.everything:
        found = [one for one in found if not _is_usual(one)]
    return SettingsReport(tuple(found), loaded.findings, documented=request.everything or bool(request.group))


class SetRequest(Request):
    key: Annotated[str, Argument("The name of the setting.")]
    value: Annotated[str, Argument("Its value as one types it.", stdin=True, most=2**20)]
    agent: Annotated[str, AGENT] = ""


@terminal_writes("config.set", idempotent=True, on="home")
def set_value(home: Home, _: Caller, request: SetRequest) -> SavedReport:
    """Set one setting; with -, the value is read from standard input.

    A secret is saved to a file that only you can read, and the host file gets a reference to it.

    $ everself config set agents.defaults.heartbeat.every 45m  # set one; comments in the file stay
    $ everself config set identity.name Aria --agent aria  # for one agent only
    $ everself config set provider.openai.apiKey - < key.txt  # read the value from a file, so that your shell's history does not keep it
    """
    if "\ufffd" in request.value:
        # invalid bytes would change a secret
        raise WrongUse("That is not UTF-8 text.")
    # the final newline of a file is not part of the value
    return save_value(home, request.key, request.value.removesuffix("\n"), request.agent)


def save_value(home: Home, key: str, value: str, agent: str = "", first: Sequence[tuple[str, str]] = ()) -> SavedReport:
    """Set a key to a typed value and keep comments. A secret goes to the secrets file. `first` are other keys that this one requires; they
    are set in the same write."""
    for text in (key, value, *(text for pair in first for text in pair)):
        need_utf8(text)
    wanted = own_key(home, key, agent) if agent else key

    def plan(host: str | None, secrets: str | None) -> Edited:
        for name, given in first:
            host = plan_set(host, secrets, name, given).host
        return plan_set(host, secrets, wanted, value)

    report = save_edit(home, wanted, plan)
    return replace(report, remarks=(*report.remarks, *_overruled(home, wanted, agent)))


@terminal_writes("config.unset", idempotent=True, on="home")
def unset_value(home: Home, _: Caller, request: KeyRequest) -> SavedReport:
    """Reset one setting to its default.

    $ everself config unset agents.defaults.heartbeat.every  # back to the default
    """
    need_utf8(request.key)
    # also removes the secret stored for the key
    wanted = own_key(home, request.key, request.agent) if request.agent else request.key
    return save_edit(home, wanted, lambda host, secrets: plan_unset(host, secrets, wanted), host_first=True)


@owner_reads("config.path", on="home")
def host_file(home: Home, _: Caller, __: NoRequest) -> HostFile:
    """Print the path of the host file, whether or not it exists.

    $ $EDITOR $(everself config path)  # edit the host file by hand
    """
    return HostFile(home.places.host_file)


def own_key(home: Home, key: str, agent: str) -> str:
    """The agent's own key for a setting; refused for settings that are global."""
    home.load().config.agent(agent)
    spot = find_spot(split_key(key))
    if spot is not None and spot.agent:
        if spot.agent != agent:
            raise WrongUse(f"{key} belongs to the agent {spot.agent}.", mend="Leave --agent out.")
        return key
    own = spot.setting.own if spot is not None else ""
    for name in (key, key.removeprefix("agents.defaults."), own):
        if name and find_spot(split_key(f"agents.list.{agent}.{name}")) is not None:
            return f"agents.list.{agent}.{name}"
    get_spot(key)
    raise WrongUse(f"{key} is the same for all agents.", mend="Leave --agent out.")


def save_edit(
    home: Home, key: str, plan: Callable[[str | None, str | None], Edited], *, host_first: bool = False
) -> SavedReport:
    """Plan against the current files and save. If a file changed meanwhile, plan again.

    A new secret is saved before its reference, and a removed one after it, so that no reference dangles.
    """
    places = home.places
    # the files may be links into a user's own repository
    host_file, secrets_file = os.path.realpath(places.host_file), os.path.realpath(places.secrets_file)
    for path in (host_file, secrets_file):
        sweep(path)
    for _ in range(ATTEMPTS):
        host, secrets = find_file(host_file), find_file(secrets_file)
        before = Edited(decode(host, host_file) or "", decode(secrets, secrets_file))
        edited = plan(None if host is None else before.host, before.secrets)
        remarks = _examine(home, before, edited)
        saves = [(host_file, edited.host, host), (secrets_file, edited.secrets, secrets)]
        due = [(path, text.encode(), base) for path, text, base in saves if text is not None and text.encode() != base]
        try:
            for path, data, base in due if host_first else reversed(due):
                save_file(path, data, base)
        except LockTimeout:
            raise
        except ChangedMeanwhile:
            continue
        touched = secrets_file if any(path == secrets_file for path, _, _ in due) else ""
        return SavedReport(key, host_file, touched, bool(due), remarks)
    raise ChangedMeanwhile(f"({host_file})")


def _load(home: Home, agent: str) -> Loaded:
    """The settings with the agent's CONFIG.md. An unreadable CONFIG.md is reported as a finding."""
    loaded = home.load()
    path = f"{loaded.config.agent(agent).workspace}/CONFIG.md"
    try:
        data = find_file(path)
    except EverselfError as error:
        remark = Finding("error", "tunables-broken", str(error), error.mend, path)
        return replace(loaded, findings=(*loaded.findings, remark))
    full = with_tunables(loaded, None if data is None else data.decode("utf-8", "replace"))
    return replace(full, findings=tuple(dict.fromkeys((*loaded.findings, *full.findings))))


def _is_usual(found: SettingReport) -> bool:
    """Whether nobody chose it. The CONFIG.md of a new workspace lists the defaults for information."""
    return found.origin == "default" or (
        found.origin == "CONFIG.md" and found.value == get_spot(found.key).setting.default
    )


def _examine(home: Home, before: Edited, after: Edited) -> tuple[Finding, ...]:
    """New problems caused by the change. Raises BadConfig if the file would become unusable."""
    places = home.places
    secrets = after.secrets if after.secrets is not None else before.secrets
    vault = Vault(home.variables, parse_secrets(secrets, places.secrets_file) if secrets is not None else {})
    old, new = check(places, before.host, vault), check(places, after.host, vault)
    errors = [one for one in new if one.severity == "error"]
    if errors and not any(one.severity == "error" for one in old):
        raise BadConfig(f"{errors[0].message} Nothing was saved.", mend=errors[0].mend)
    known = {_unplaced(one) for one in old}
    return tuple(one for one in new if _unplaced(one) not in known)


def _unplaced(finding: Finding) -> tuple[str, str]:
    """A finding without its line number, which moves when lines are added above."""
    return finding.code, finding.message.rpartition(": ")[2]


def _overruled(home: Home, key: str, agent: str) -> tuple[Finding, ...]:
    """Warn if CONFIG.md sets the key too: its value overrides the host file."""
    try:
        shown = get_setting(_load(home, agent), key)
    except EverselfError:
        return ()
    if shown.origin != "CONFIG.md":
        return ()
    words = f"CONFIG.md in the workspace sets {key} too, and counts."
    return (Finding("warning", "setting-overruled", words, "Change it in CONFIG.md.", "CONFIG.md"),)


def need_utf8(text: str) -> None:
    """Raises WrongUse for text that is not UTF-8: command lines may contain any byte, our files may not."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise WrongUse("That is not UTF-8 text.") from None
