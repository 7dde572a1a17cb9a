"""The routes by which documents are written, for row S5. A new way to write needs a route here."""

from dataclasses import dataclass
from typing import Final

from tests.trust.hook_events import EVENTS
from tests.trust.mcp_calls import WRITING

from everself.values import Author
from everself.workspace.guards import HUMANS


@dataclass(frozen=True, slots=True)
class Route:
    """One way to write. `author` is whom the guards see."""

    name: str
    author: Author

    @property
    def human(self) -> bool:
        """A human stands behind each use of it."""
        return self.author in HUMANS


# own tools that write
TOOLS: Final = ("memory_write", "memory_correct", "memory_forget", "file_write", "file_edit", "soul_propose")
# commands of Anthropic's memory tool that write
COMMANDS: Final = ("create", "str_replace", "insert", "delete", "rename")

ROUTES: Final[tuple[Route, ...]] = (
    *(Route(f"change set of {author}", author) for author in Author),
    Route("setup", Author.RUNTIME),
    Route("remember for the agent", Author.AGENT),
    Route("remember for a tool", Author.AGENT),
    Route("remember for a page", Author.AGENT),
    Route("remember for an import", Author.IMPORT),
    Route("remember for another person", Author.AGENT),
    Route("bank page", Author.AGENT),
    Route("bank entity", Author.AGENT),
    Route("quarantine", Author.RUNTIME),
    Route("import of entries", Author.IMPORT),
    Route("undo by a machine", Author.AGENT),
    # tools of a conversation, called by a model; two of them act for the owner, with the same restrictions
    *(Route(f"tool {name}", Author.AGENT) for name in TOOLS),
    *(Route(f"memory tool {name}", Author.AGENT) for name in COMMANDS),
    # tools of the model of another program
    *(Route(f"MCP tool {name}", Author.AGENT) for name in WRITING),
    # hooks of another program, and the transcripts that they name
    *(Route(f"hook {name}", Author.AGENT) for name in EVENTS),
)
