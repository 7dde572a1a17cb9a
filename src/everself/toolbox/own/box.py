"""Which of our own tools a session gets. Fails closed: whoever is not known to be the owner gets what their kind is given, and no more."""

from everself.config.sections import WorkspaceAccess
from everself.recall.scopes import Scope, SessionKind
from everself.recall.sharing import effective, is_owner
from everself.toolbox.own.files import changing_tools, reading_tools
from everself.toolbox.own.kit import Kit
from everself.toolbox.own.promoting import promoting_tools
from everself.toolbox.own.proposing import proposing_tools
from everself.toolbox.own.recalling import recall_tools
from everself.toolbox.own.remembering import mending_tools, write_tools
from everself.toolbox.own.spawning import spawning_tools
from everself.toolbox.tool import Tool


def own_tools(kit: Kit, scope: Scope) -> tuple[Tool, ...]:
    kind = effective(scope).kind
    if kind is SessionKind.SUBAGENT:
        # no durable memory, neither to read nor to write
        return reading_tools(kit) if kit.access is WorkspaceAccess.RO else ()
    found = recall_tools(kit, kit.recall) if kit.recall is not None else ()
    if kind is SessionKind.GROUP:
        return found
    if not is_owner(scope):
        # a guest without a name has no memory that could be told from others'
        return (*found, *write_tools(kit)) if effective(scope).person else found
    spawn = spawning_tools(kit.spawn) if kit.spawn is not None else ()
    mending = mending_tools(kit) if kind is SessionKind.MAIN else ()
    files = (*reading_tools(kit), *changing_tools(kit))
    return (*found, *write_tools(kit), *mending, *files, *promoting_tools(kit), *proposing_tools(kit), *spawn)
