"""Which of our own tools a session gets. Fails closed: whoever is not known to be the owner gets what their kind is given, and no more."""

from everself.config.sections import WorkspaceAccess
from everself.conversation.tools.own._files import changing_tools, reading_tools
from everself.conversation.tools.own._memory import mending_tools, write_tools
from everself.conversation.tools.own._promotion import promoting_tools
from everself.conversation.tools.own._soul_proposal import proposing_tools
from everself.conversation.tools.own._subagent import spawning_tools
from everself.conversation.tools.own.kit import Kit
from everself.conversation.tools.own.search import recall_tools
from everself.conversation.tools.protocol import Tool
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import effective, is_owner


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
