"""Words that several views share: numbers with their nouns, and what a process that died had left."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everself.workspace.disk_workspace import Recovery


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def entries_of(number: int) -> str:
    return f"{number} entry" if number == 1 else f"{number} entries"


def recovered_notices(found: "Recovery") -> list[str]:
    """What a process that died had left half done, and what became of it."""
    notices = [f"A change that was cut short earlier has been completed: {one}" for one in found.completed]
    return notices + [f"A change that was cut short earlier has been taken back: {one}" for one in found.undone]
