"""Which documents and sections a kind of session may see in its prompt. Pure; fails closed.

Goes by the kind of session, the person and the path, as search does in `scopes`. Does not know who somebody is, nor reads a file.
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
# Files that the setting `context.share` may give or take: those that are whole in a prompt and belong to no single person.
LISTABLE: Final = ("SOUL.md", "IDENTITY.md", "AGENTS.md", "TOOLS.md", "USER.md", "MEMORY.md")


class SharingRules(Frozen):
    """What the settings of one agent change: files that a kind gets as well, and files that it does not get after all."""

    given: frozenset[tuple[SessionKind, str]] = frozenset()
    taken: frozenset[tuple[SessionKind, str]] = frozenset()


def read_rules(texts: Sequence[str]) -> SharingRules:
    """From words such as `group+USER.md` (give it too) and `guest-TOOLS.md` (do not give it)."""
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
    """A person with an id is not the owner, whatever the kind of session; in a group no single person is addressed."""
    if scope.kind in _OWNERS and scope.person is not None:
        return replace(scope, kind=SessionKind.GUEST)
    if scope.kind in (SessionKind.GROUP, SessionKind.SUBAGENT) and scope.person is not None:
        return replace(scope, person=None)
    return scope


def is_owner(scope: Scope) -> bool:
    return effective(scope).kind in _OWNERS


def speaker_of(scope: Scope, person: str = "") -> str:
    """Who speaks in a conversation, as far as that taints it: another person. A guest without a name is one too."""
    whose = effective(scope)
    others = person or whose.kind in (SessionKind.GUEST, SessionKind.GROUP)
    return f"{PERSON}{person or whose.person or UNKNOWN}" if others else OWN


def files_of(scope: Scope, rules: SharingRules, run: Run = "ordinary") -> tuple[str, ...]:
    """The files that stand outside the slots, in their order. A list of the settings may take one of them away."""
    kind = effective(scope).kind
    names = list(_NAMED)
    if kind in _OWNERS:
        names += ["HEARTBEAT.md"] if kind in _HEARTBEATS else []
        names += {"boot": ["BOOT.md"], "ritual": ["BOOTSTRAP.md"], "ordinary": []}[run]
    return tuple(name for name in names if gets(scope, name, rules, run))


def gets(scope: Scope, path: str, rules: SharingRules, run: Run = "ordinary") -> bool:
    """Whether this document is given whole."""
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
    """What of a document is given: all of it, the sections whose label lets this kind in, or nothing."""
    if gets(scope, path, rules, run):
        return data
    scope = effective(scope)
    where = place(path)
    shareable = (where.injected or where.indexed) and where.person is None and where.kind not in _NEVER
    if not shareable or (scope.kind, path) in rules.taken or where.project not in (None, scope.project):
        return b""
    lines = data.splitlines(keepends=True)
    return b"".join(line for first, last in shared_lines(data, scope.kind) for line in lines[first - 1 : last])
