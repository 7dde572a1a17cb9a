"""Decides which documents and sections a kind of session may see in its prompt. Pure; fails closed.

Uses the kind of session, the person and the path, like `scopes` for search. Reads no file.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from everself.errors import BadConfig
from everself.frozen import Frozen
from everself.memory.provenance import OWN, PERSON
from everself.search.scopes import Scope, SessionKind, shared_lines
from everself.workspace.layout import Kind, place

# The kind of run. Some files are only part of special runs.
Run = Literal["ordinary", "boot", "ritual"]

_OWNERS: Final = frozenset({SessionKind.MAIN, SessionKind.CRON, SessionKind.HEARTBEAT})
_HEARTBEATS: Final = frozenset({SessionKind.CRON, SessionKind.HEARTBEAT})
_EVERYONE: Final = ("AGENTS.md", "TOOLS.md")
_NAMED: Final = (*_EVERYONE, "IDENTITY.md")
_GIVEN: Final = {SessionKind.GUEST: _NAMED, SessionKind.GROUP: _NAMED, SessionKind.SUBAGENT: _EVERYONE}
_OWN_RUNS: Final = frozenset({Kind.HEARTBEAT, Kind.BOOT, Kind.BOOTSTRAP})
_NEVER: Final = frozenset({Kind.KEEPER_PROMPT, *_OWN_RUNS})
UNKNOWN: Final = "unknown"
# Files that the setting `context.share` may add or remove: they are in the prompt as a whole and belong to no single person.
LISTABLE: Final = ("SOUL.md", "IDENTITY.md", "AGENTS.md", "TOOLS.md", "USER.md", "MEMORY.md")


class SharingRules(Frozen):
    """The settings of an agent: additional files for a kind of session, and excluded files."""

    given: frozenset[tuple[SessionKind, str]] = frozenset()
    taken: frozenset[tuple[SessionKind, str]] = frozenset()


def read_rules(texts: Sequence[str]) -> SharingRules:
    """Parse rules such as `group+USER.md` (add) and `guest-TOOLS.md` (remove)."""
    given: set[tuple[SessionKind, str]] = set()
    taken: set[tuple[SessionKind, str]] = set()
    for text in texts:
        sign = "+" if "+" in text else "-"
        kind, _, name = (part.strip() for part in text.partition(sign))
        if kind not in list(SessionKind) or name not in LISTABLE:
            raise BadConfig(
                f'context.share: "{text[:60]}" is not a valid rule.',
                mend=f"Say KIND+FILE or KIND-FILE: {', '.join(SessionKind)}; {', '.join(LISTABLE)}.",
            )
        (given if sign == "+" else taken).add((SessionKind(kind), name))
    return SharingRules(frozenset(given), frozenset(taken))


def effective(scope: Scope) -> Scope:
    """The scope that applies to a session. A person with an id is never the owner; a group session has no single person."""
    if scope.kind in _OWNERS and scope.person is not None:
        return replace(scope, kind=SessionKind.GUEST)
    if scope.kind in (SessionKind.GROUP, SessionKind.SUBAGENT) and scope.person is not None:
        return replace(scope, person=None)
    return scope


def is_owner(scope: Scope) -> bool:
    return effective(scope).kind in _OWNERS


def speaker_of(scope: Scope, person: str = "") -> str:
    """The speaker of a conversation as its taint: `own` for the owner, else a person. A nameless guest is a person too."""
    whose = effective(scope)
    others = person or whose.kind in (SessionKind.GUEST, SessionKind.GROUP)
    return f"{PERSON}{person or whose.person or UNKNOWN}" if others else OWN


def files_of(scope: Scope, rules: SharingRules, run: Run = "ordinary") -> tuple[str, ...]:
    """The files outside the prompt slots, in order."""
    kind = effective(scope).kind
    names = list(_NAMED)
    if kind in _OWNERS:
        names += ["HEARTBEAT.md"] if kind in _HEARTBEATS else []
        names += {"boot": ["BOOT.md"], "ritual": ["BOOTSTRAP.md"], "ordinary": []}[run]
    return tuple(name for name in names if gets(scope, name, rules, run))


def gets(scope: Scope, path: str, rules: SharingRules, run: Run = "ordinary") -> bool:
    """Whether a document is included as a whole."""
    scope = effective(scope)
    where = place(path)
    if (scope.kind, path) in rules.taken:
        return False
    if where.person is not None:
        return scope.kind is SessionKind.GUEST and bool(scope.person) and where.person == scope.person
    if where.kind in _OWN_RUNS:
        return scope.kind in _OWNERS and (
            (where.kind is Kind.HEARTBEAT and scope.kind in _HEARTBEATS)
            or (where.kind is Kind.BOOT and run == "boot")
            or (where.kind is Kind.BOOTSTRAP and run == "ritual")
        )
    if not (where.injected or where.indexed) or where.kind in _NEVER:
        return False
    return scope.kind in _OWNERS or path in _GIVEN[scope.kind] or (scope.kind, path) in rules.given


def visible(scope: Scope, path: str, data: bytes, rules: SharingRules, run: Run = "ordinary") -> bytes:
    """The visible part of a document: all of it, the sections whose label allows this kind, or nothing."""
    if gets(scope, path, rules, run):
        return data
    scope = effective(scope)
    where = place(path)
    shareable = (where.injected or where.indexed) and where.person is None and where.kind not in _NEVER
    if not shareable or (scope.kind, path) in rules.taken or where.project not in (None, scope.project):
        return b""
    lines = data.splitlines(keepends=True)
    return b"".join(line for first, last in shared_lines(data, scope.kind) for line in lines[first - 1 : last])
