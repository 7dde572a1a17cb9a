"""The verbs over settings: get, list, set, unset. What may be set is the config room's knowledge; saving it is done here."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from everself.config import Loaded, Places, Vault, check, environment, find_places, load_here, with_tunables
from everself.config.display import SettingReport, get_setting, list_settings
from everself.config.host import decode, parse_secrets
from everself.config.host_edits import Edited, plan_set, plan_unset
from everself.config.schema import canonical, find_spot, get_spot, is_group, split_key
from everself.errors import BadConfig, ChangedMeanwhile, EverselfError, LockTimeout, WrongUse
from everself.storage.host_files import find_file, save_file, sweep
from everself.values import Finding

# each attempt is one read, plan and compare: this many rivals in a row do not happen by chance
ATTEMPTS = 50


@dataclass(frozen=True, slots=True)
class SettingsReport:
    settings: tuple[SettingReport, ...]
    remarks: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class SavedReport:
    """What saving did. `secrets_file` is empty where no secret was touched; `changed` is false where all was so before."""

    key: str
    file: str
    secrets_file: str
    changed: bool
    remarks: tuple[Finding, ...] = ()


def get_value(key: str, agent: str = "") -> SettingReport:
    """One setting; with an agent, as it is for that agent."""
    loaded = _load(agent)
    wanted = own_key(key, agent) if agent else key
    found = get_setting(loaded, wanted)
    spot = get_spot(wanted)
    if spot.agent and found.origin == "default" and spot.setting.key == "agents.defaults.workspace":
        # the usual folder of an agent has its name
        return replace(found, value=loaded.config.agent(spot.agent).workspace)
    return found


def list_values(agent: str = "", group: str = "", *, everything: bool = False) -> SettingsReport:
    """What differs from the defaults or stands in the host file; with `everything`, and beneath a group, all."""
    loaded = _load(agent)
    found = list(list_settings(loaded))
    if group:
        path = canonical(split_key(group))
        if not is_group(path):
            get_spot(group)
        found = [one for one in found if split_key(one.key)[: len(path)] == path]
    elif not everything:
        found = [one for one in found if not _is_usual(one)]
    return SettingsReport(tuple(found), loaded.findings)


def set_value(key: str, value: str, agent: str = "") -> SavedReport:
    """Set a key to what a person typed, comments kept. The value of a secret goes to the secrets file."""
    for text in (key, value):
        need_utf8(text)
    wanted = own_key(key, agent) if agent else key
    report = save_edit(wanted, lambda host, secrets: plan_set(host, secrets, wanted, value))
    return replace(report, remarks=(*report.remarks, *_overruled(wanted, agent)))


def unset_value(key: str, agent: str = "") -> SavedReport:
    """Back to the default. The secret that was stored for the key goes too."""
    need_utf8(key)
    wanted = own_key(key, agent) if agent else key
    return save_edit(wanted, lambda host, secrets: plan_unset(host, secrets, wanted), host_first=True)


def own_key(key: str, agent: str) -> str:
    """The key by which one agent differs from the others; refused for what is the same for all."""
    load_here().config.agent(agent)
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


def save_edit(key: str, plan: Callable[[str | None, str | None], Edited], *, host_first: bool = False) -> SavedReport:
    """Plan against the files as they are and save; whoever was faster makes it plan again, so that nothing of theirs is lost.

    When a secret is set it is saved before the reference to it, and when it is unset after: a reference never dangles.
    """
    places = find_places()
    # people keep these files in a repository of their own and link to them
    host_file, secrets_file = os.path.realpath(places.host_file), os.path.realpath(places.secrets_file)
    for path in (host_file, secrets_file):
        sweep(path)
    for _ in range(ATTEMPTS):
        host, secrets = find_file(host_file), find_file(secrets_file)
        before = Edited(decode(host, host_file) or "", decode(secrets, secrets_file))
        edited = plan(None if host is None else before.host, before.secrets)
        remarks = _examine(places, before, edited)
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


def host_file() -> str:
    """Where the settings of this machine and user stand."""
    return find_places().host_file


def _load(agent: str) -> Loaded:
    """The settings with the CONFIG.md of the agent. One that cannot be read is a remark: it never stops anything."""
    loaded = load_here()
    path = f"{loaded.config.agent(agent).workspace}/CONFIG.md"
    try:
        data = find_file(path)
    except EverselfError as error:
        remark = Finding("error", "tunables-broken", str(error), error.mend, path)
        return replace(loaded, findings=(*loaded.findings, remark))
    full = with_tunables(loaded, None if data is None else data.decode("utf-8", "replace"))
    return replace(full, findings=tuple(dict.fromkeys((*loaded.findings, *full.findings))))


def _is_usual(found: SettingReport) -> bool:
    """Whether nobody chose it. The CONFIG.md of a new workspace spells the defaults out, so that a person sees them there."""
    return found.origin == "default" or (
        found.origin == "CONFIG.md" and found.value == get_spot(found.key).setting.default
    )


def _examine(places: Places, before: Edited, after: Edited) -> tuple[Finding, ...]:
    """What the change would newly make odd. One that would leave the whole file unusable is not saved."""
    secrets = after.secrets if after.secrets is not None else before.secrets
    vault = Vault(environment(), parse_secrets(secrets, places.secrets_file) if secrets is not None else {})
    old, new = check(places, before.host, vault), check(places, after.host, vault)
    errors = [one for one in new if one.severity == "error"]
    if errors and not any(one.severity == "error" for one in old):
        raise BadConfig(f"{errors[0].message} Nothing was saved.", mend=errors[0].mend)
    known = {_unplaced(one) for one in old}
    return tuple(one for one in new if _unplaced(one) not in known)


def _unplaced(finding: Finding) -> tuple[str, str]:
    """A finding without its line, which moves when a line is added above it."""
    return finding.code, finding.message.rpartition(": ")[2]


def _overruled(key: str, agent: str) -> tuple[Finding, ...]:
    """A value in CONFIG.md stands above the host file: setting it there changes nothing, and the person should know."""
    try:
        shown = get_setting(_load(agent), key)
    except EverselfError:
        return ()
    if shown.origin != "CONFIG.md":
        return ()
    words = f"CONFIG.md in the workspace sets {key} too, and counts."
    return (Finding("warning", "setting-overruled", words, "Change it in CONFIG.md.", "CONFIG.md"),)


def need_utf8(text: str) -> None:
    """Words from a command line may hold any byte; what goes into a file of ours may not."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise WrongUse("That is not UTF-8 text.") from None
