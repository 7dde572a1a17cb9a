"""Every verb of the Runtime, the faces that offer it, and the reason where one does not. Faces are tested against this table."""

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
_UNASKED = "what runs unasked is decided by the person"
_MEETS = "chat does it: /bootstrap"
_BY_A_HUMAN = "no model decides who the agent is"

VERBS: tuple[Verb, ...] = (
    _cli("everself.operations.setup:settle", "setup", "an agent does not make agents"),
    _cli("everself.operations.agents:list_agents", "agents list"),
    _cli("everself.operations.agents:show_agent", "agents show"),
    _cli("everself.operations.agents:add_agent", "agents add", "an agent does not make agents"),
    _cli("everself.operations.agents:remove_agent", "agents remove", "an agent does not remove agents"),
    Verb("everself.operations.templates:set_up", withheld=(("cli", "settle does it, and remembers the place"),)),
    _cli(
        "everself.operations.backup.create:make_backup", "backup", "a backup holds everything, for whoever has the file"
    ),
    _cli("everself.operations.backup.restore_agent:bring_back", "restore", "an agent does not replace itself"),
    Verb(
        "everself.operations.backup.restore:restore_backup",
        withheld=(("cli", "bring_back does it, and remembers the place"),),
    ),
    Verb(
        "everself.operations.backup.check:check_backup",
        withheld=(("cli", "restore --dry-run checks it and says more"),),
    ),
    _cli("everself.conversation.conversation:Chat.converse", "chat"),
    Verb("everself.identity.ritual:Ritual.is_open", withheld=(("cli", "chat offers the first conversation by it"),)),
    Verb("everself.identity.ritual:Ritual.preview", withheld=(("cli", _MEETS),)),
    Verb("everself.identity.ritual:Ritual.finish", withheld=(("cli", _MEETS),), humans_only=_BY_A_HUMAN),
    _cli("everself.operations.settings:get_value", "config get"),
    _cli("everself.operations.settings:list_values", "config show"),
    _cli("everself.operations.settings:set_value", "config set", _SETTINGS_RULE),
    _cli("everself.operations.settings:unset_value", "config unset", _SETTINGS_RULE),
    _cli("everself.operations.settings:host_file", "config path"),
    _cli("everself.memory.selection:list_entries", "memory list"),
    _cli("everself.operations.entry_account:account_of", "memory show"),
    Verb("everself.operations.search:catch_up", withheld=(("cli", "memory search does it after it has answered"),)),
    _cli("everself.operations.index:update_index", "memory index", "embedding may cost money"),
    _cli("everself.operations.index:rebuild_index", "memory rebuild"),
    _cli("everself.operations.index:memory_status", "memory status"),
    Verb("everself.operations.index:find_price", withheld=(("cli", "memory index shows it before it asks"),)),
    _cli("everself.operations.evaluation:evaluate_memory", "memory eval"),
    _cli("everself.operations.models:list_models", "model list"),
    _cli("everself.operations.models:use_model", "model use", _SETTINGS_RULE),
    _cli("everself.operations.models:try_model", "model test", "asking a model may cost money"),
    _cli("everself.operations.models:show_spend", "spend"),
    _cli("everself.operations.jobs:add_job", "cron add", _UNASKED),
    _cli("everself.operations.jobs:list_jobs", "cron list"),
    _cli("everself.operations.jobs:show_job", "cron show"),
    _cli("everself.operations.jobs:remove_job", "cron rm", _UNASKED),
    _cli("everself.operations.jobs:enable_job", "cron enable", _UNASKED),
    _cli("everself.operations.jobs:disable_job", "cron disable", _UNASKED),
    _cli("everself.operations.jobs:run_job", "cron run", "asking a model may cost money"),
    _cli("everself.operations.jobs:list_runs", "cron history"),
    _cli("everself.operations.jobs:tick", "cron tick", "asking a model may cost money"),
    Verb("everself.operations.jobs:is_anything_due", withheld=(("cli", "chat asks it at its begin and its end"),)),
    Verb("everself.operations.jobs:tell_news", withheld=(("cli", "chat begins with it"),)),
    _cli("everself.operations.keepers:list_keepers", "keepers list"),
    _cli("everself.operations.keepers:run_keeper", "keepers run", "asking a model may cost money"),
    _cli("everself.operations.keepers:list_keeper_runs", "keepers history"),
    _cli(
        "everself.operations.memory:export_memory",
        "memory export",
        "an export holds everything, for whoever has the file",
    ),
    _cli(
        "everself.operations.memory:import_memory", "memory import", "only the owner says whose memories a file holds"
    ),
    _cli("everself.memory.adoption:vouch_for", "memory vouch", "a model cannot vouch for itself"),
    _cli("everself.memory.quarantine:release", "memory release", "what was kept from a model is not released by one"),
    _cli("everself.operations.compaction:compact_memory", "memory compact", "a model does not move a person's files"),
    _cli("everself.memory.bank:Bank.pages", "memory bank list"),
    _cli("everself.memory.bank:Bank.read", "memory bank show"),
    _cli("everself.memory.bank:Bank.write", "memory bank add"),
    Verb("everself.operations.memory:adopt_workspace", withheld=(("cli", "setup does it, and says so"),)),
)
