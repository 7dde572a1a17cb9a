"""What the settings say and where that is wrong: the host file, CONFIG.md, the integrity key, the time zone."""

import os
from collections.abc import Iterator

from everself.app.doctor.case import Case
from everself.app.doctor.words import command, shown
from everself.app.outside import KEY_FILE, find_key
from everself.clock import find_zone, host_zone
from everself.errors import BadConfig
from everself.values import Finding

_SET_ZONE = "everself config set agents.defaults.userTimezone Europe/Berlin"
# Names under which machines without a time zone of their own go.
_NO_ZONE = ("UTC", "Etc/UTC", "Etc/UCT", "GMT", "Etc/GMT", "local")


def check_tunables(case: Case) -> Iterator[Finding]:
    yield from case.tuned.tunables.findings


def check_key(case: Case) -> Iterator[Finding]:
    folder = case.places.key_folder
    path = f"{folder}/{KEY_FILE}"
    key = find_key(folder)
    if key is None and os.path.exists(case.database):
        words = f"The integrity key {shown(path)} is gone; the ledger cannot be checked, and nothing should be written until it is back."
        mend = "Put the key from a backup in its place, or set EVERSELF_KEYS to the folder that holds it."
        yield Finding("error", "key-missing", words, mend, path)
    workspace = os.path.realpath(case.agent.workspace)
    if (os.path.realpath(folder) + "/").startswith(workspace + "/"):
        words = "The integrity key lies inside the workspace; whoever can change the files can vouch for them."
        mend = f"{command('mv', folder, 'FOLDER')}, then set EVERSELF_KEYS to that folder."
        yield Finding("error", "key-inside", words, mend, path)


def check_zone(case: Case) -> Iterator[Finding]:
    named = case.agent.time_zone
    if named:
        find_zone(named)
        return
    written = _zone_of_user(case)
    if written:
        try:
            find_zone(written)
        except BadConfig:
            words = f"USER.md names the time zone “{shown(written[:60])}”, which is not an IANA name; the machine's is used."
            yield Finding("note", "zone-unknown", words, "Write one such as Europe/Berlin or Asia/Seoul.", "USER.md")
        return
    machine = str(host_zone())
    if machine in _NO_ZONE:
        words = f"Your time zone is not known, and this machine's is {machine}; a day begins and ends by that clock."
        yield Finding("note", "zone-unset", words, _SET_ZONE)


def _zone_of_user(case: Case) -> str:
    """What USER.md says under “Time zone”; placeholders say nothing."""
    text = case.documents.read.get("USER.md", b"").decode("utf-8", "replace")
    for line in text.splitlines():
        label, colon, value = line.replace("*", "").replace("：", ":").lstrip("-+ ").partition(":")
        if colon and label.strip().lower() in ("time zone", "timezone"):
            value = value.strip().strip("`")
            return "" if value.startswith(("_", "(", "<")) else value
    return ""
