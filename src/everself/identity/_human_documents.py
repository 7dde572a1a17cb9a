"""Lists the guarded documents, which only humans change: the soul and other files that define the agent."""

from collections.abc import Iterable
from typing import Final, Protocol

from everself.errors import DiskError, UnsafePath
from everself.values import Document, FileStat
from everself.workspace.layout import place

# Documents that every workspace has or may get. No other file with these names enters a prompt.
FIXED: Final = ("SOUL.md", "IDENTITY.md", "SOUL_TESTS.md", "CONFIG.md", "BOOT.md")
KEEPERS: Final = "agents"


class Reader(Protocol):
    """What a look takes of a workspace."""

    def find(self, path: str) -> Document | None: ...

    def list(self, under: str = "") -> list[FileStat]: ...


def guarded_paths(documents: Reader, personas: tuple[str, ...], known: Iterable[str] = ()) -> list[str]:
    """Every name to look at: the fixed ones and the alternates whether they exist or not, what was known before, keepers' prompts.

    The workspace is not walked through: this happens before every prompt, and there may be thousands of daily logs.
    """
    return sorted({*FIXED, *personas, *known, *_keeper_prompts(documents, personas)})


def _keeper_prompts(documents: Reader, personas: tuple[str, ...]) -> Iterable[str]:
    try:
        found = documents.list(KEEPERS)
    except (UnsafePath, DiskError):
        # a link or a file where the folder should be: looked at by its own name
        return [KEEPERS]
    # a link may lead to a folder with prompts in it, whatever it is called
    return [
        one.path
        for one in found
        if place(one.path, personas).humans_only and (one.kind == "link" or one.path.lower().endswith(".md"))
    ]
