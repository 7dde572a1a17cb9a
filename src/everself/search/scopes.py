"""Decides which documents a search may see, by kind of session and path. Pure; fails closed.

Does not know how documents are found. The person of a private chat is passed in.
"""

from enum import StrEnum
from typing import Final

from everself.frozen import Frozen
from everself.text.markdown.blocks import scan
from everself.text.markdown.sections import sections
from everself.workspace.layout import place


class SessionKind(StrEnum):
    MAIN = "main"
    GUEST = "guest"
    GROUP = "group"
    SUBAGENT = "subagent"
    CRON = "cron"
    HEARTBEAT = "heartbeat"


# the owner in private, and what runs for the owner
_OWNERS: Final = frozenset({SessionKind.MAIN, SessionKind.CRON, SessionKind.HEARTBEAT})
# kinds that a label in a document may let in; the others need none
_LET_IN: Final = frozenset({SessionKind.GUEST, SessionKind.GROUP, SessionKind.SUBAGENT})


class Scope(Frozen):
    """The viewer of a search. `person` is the id of someone other than the owner; `project` adds one project's memory to that of no
    project."""

    kind: SessionKind
    person: str | None = None
    project: str | None = None


def sees(scope: Scope, path: str, *, imported: bool = False) -> bool:
    """Whether a search may find this document as a whole. `imported`: it is in a folder of `memorySearch.extraPaths`."""
    # a person with an id is never the owner, whatever the kind of session
    owner = scope.kind in _OWNERS and scope.person is None
    if imported:
        return owner
    where = place(path)
    if not where.indexed:
        return False
    if owner:
        return scope.project is None or where.project in (None, scope.project)
    private_chat = scope.kind in _OWNERS or scope.kind == SessionKind.GUEST
    return private_chat and bool(scope.person) and where.person == scope.person


def shares(scope: Scope, path: str, *, imported: bool = False) -> bool:
    """Whether sharing labels in this document apply to the scope, see `shared_lines`. A label never shares another person's memory."""
    if imported or scope.kind not in _LET_IN:
        return False
    where = place(path)
    return where.indexed and where.person is None and where.project in (None, scope.project)


def shared_lines(data: bytes, kind: SessionKind) -> tuple[tuple[int, int], ...]:
    """The ranges of lines that labels share with that kind of session, with sub-sections, sorted and disjoint."""
    # most documents have no label, and parsing Markdown costs more than everything else here
    if kind not in _LET_IN or b"share" not in data:
        return ()
    found: list[tuple[int, int]] = []
    for section in sections(scan(data)):
        if kind not in section.share or (found and section.last_line <= found[-1][1]):
            continue
        if found and section.first_line == found[-1][1] + 1:
            found[-1] = (found[-1][0], section.last_line)
        else:
            found.append((section.first_line, section.last_line))
    return tuple(found)
