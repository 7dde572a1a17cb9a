"""Every verb of the App, the faces that offer it, and the reason where one does not. Faces are tested against this table."""

from dataclasses import dataclass
from typing import Literal

Face = Literal["cli"]


@dataclass(frozen=True, slots=True)
class Verb:
    """`called` is module:name or module:Class.name.

    `offered` says under which name each face offers the verb, `withheld` why a face does not. `humans_only` is the reason why no
    face that a model can reach may ever offer it.
    """

    called: str
    offered: tuple[tuple[Face, str], ...] = ()
    withheld: tuple[tuple[Face, str], ...] = ()
    humans_only: str = ""


def _cli(called: str, command: str, humans_only: str = "") -> Verb:
    return Verb(called, offered=(("cli", command),), humans_only=humans_only)


_SETTINGS_RULE = "settings name the programs that run and what the agent may do to itself"

VERBS: tuple[Verb, ...] = (
    _cli("everself.app.agents:settle", "setup", "an agent does not make agents"),
    Verb("everself.app.seeding:set_up", withheld=(("cli", "settle does it, and remembers the place"),)),
    _cli("everself.backups.make:make_backup", "backup", "a backup holds everything, for whoever has the file"),
    _cli("everself.backups.bringing:bring_back", "restore", "an agent does not replace itself"),
    Verb(
        "everself.backups.restore:restore_backup",
        withheld=(("cli", "bring_back does it, and remembers the place"),),
    ),
    Verb("everself.backups.check:check_backup", withheld=(("cli", "restore --dry-run checks it and says more"),)),
    _cli("everself.doctor:examine", "doctor"),
    _cli("everself.app.settings:get_value", "config get"),
    _cli("everself.app.settings:list_values", "config show"),
    _cli("everself.app.settings:set_value", "config set", _SETTINGS_RULE),
    _cli("everself.app.settings:unset_value", "config unset", _SETTINGS_RULE),
    _cli("everself.app.settings:host_file", "config path"),
    _cli("everself.app.changes:Changes.log", "log"),
    _cli("everself.app.changes:Changes.show", "show"),
    _cli("everself.app.changes:Changes.undo", "undo"),
)
