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
    _cli("everself.memory.selection:list_entries", "memory list"),
    _cli("everself.app.account:account_of", "memory show"),
    _cli("everself.app.recalls:search_memory", "memory search"),
    _cli("everself.app.recalls:get_lines", "memory get"),
    _cli("everself.app.recalls:explain_search", "memory why"),
    Verb("everself.app.recalls:list_searches", withheld=(("cli", "memory why --list does it"),)),
    Verb("everself.app.recalls:catch_up", withheld=(("cli", "memory search does it after it has answered"),)),
    _cli("everself.app.indexing:update_index", "memory index", "embedding may cost money"),
    _cli("everself.app.indexing:rebuild_index", "memory rebuild"),
    _cli("everself.app.indexing:memory_status", "memory status"),
    Verb("everself.app.indexing:find_price", withheld=(("cli", "memory index shows it before it asks"),)),
    _cli("everself.app.evaluating:evaluate_memory", "memory eval"),
    _cli("everself.app.app:App.remember", "memory add"),
    _cli("everself.memory.memory:Memory.edit", "memory edit"),
    _cli("everself.memory.memory:Memory.correct", "memory correct"),
    _cli("everself.memory.memory:Memory.supersede", "memory supersede"),
    _cli("everself.forgetting.forgetting:Forgetting.carry_out", "memory forget", "what is forgotten is gone"),
    _cli(
        "everself.app.memories:export_memory", "memory export", "an export holds everything, for whoever has the file"
    ),
    _cli("everself.app.memories:import_memory", "memory import", "only the owner says whose memories a file holds"),
    _cli("everself.memory.adoption:vouch_for", "memory vouch", "a model cannot vouch for itself"),
    _cli("everself.memory.quarantine:release", "memory release", "what was kept from a model is not released by one"),
    _cli("everself.memory.bank:Bank.pages", "memory bank list"),
    _cli("everself.memory.bank:Bank.read", "memory bank show"),
    _cli("everself.memory.bank:Bank.write", "memory bank add"),
    Verb("everself.app.memories:adopt_workspace", withheld=(("cli", "setup does it, and says so"),)),
)
