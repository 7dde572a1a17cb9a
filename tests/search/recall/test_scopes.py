"""Who sees what: every kind of session against every place, and that nothing else ever opens a door."""

from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everself.search.scopes import Scope, SessionKind, sees, shared_lines, shares
from everself.workspace.layout import place

OWNERS = (SessionKind.MAIN, SessionKind.CRON, SessionKind.HEARTBEAT)
OTHERS = (SessionKind.GUEST, SessionKind.GROUP, SessionKind.SUBAGENT)
STRANGER = cast(SessionKind, "intruder")

OWN_MEMORY = (
    *("MEMORY.md", "memory.md", "CORRECTIONS.md", "memory/2026-03-19.md", "memory/2026-03-19-tea.md"),
    *("memory/projects.md", "memory/archive/2026-Q1.md", "bank/world.md", "bank/entities/anna.md"),
    *("Archive/Chronicles/2026-March.md", "Archive/Corrections/2025.md"),
)
OF_MAX = ("users/max/MEMORY.md", "users/max/memory/2026-03-19.md", "users/max/memory/tea.md")
OF_PROJECT = ("projects/web/MEMORY.md", "projects/web/memory/2026-03-19.md")
NEVER_FOUND = (
    *("SOUL.md", "IDENTITY.md", "AGENTS.md", "TOOLS.md", "USER.md", "HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md"),
    *("CONFIG.md", "CONFLICTS.md", "CHANGELOG.md", "SOUL_HISTORY/2026-03-19.md", "quarantine/2026-03-19.md"),
    *("agents/miner/SOUL.md", "users/max/USER.md", "users/max/photo.png", "users/max", "notes.txt", "README.md"),
    *("memory/.hidden.md", "memory/../SOUL.md", "memory/x.md~", "/etc/passwd", "", "memory//x.md", "users//x.md"),
)
EVERY_PATH = (*OWN_MEMORY, *OF_MAX, *OF_PROJECT, *NEVER_FOUND)


@pytest.mark.parametrize("kind", [*SessionKind, STRANGER])
@pytest.mark.parametrize("person", [None, "max", "anna", ""])
@pytest.mark.parametrize("project", [None, "web", "app"])
def test_every_kind_sees_its_places_and_no_other(kind: SessionKind, person: str | None, project: str | None) -> None:
    seen = {path for path in EVERY_PATH if sees(Scope(kind, person, project), path)}
    if kind in OWNERS and person is None:
        assert seen == {*OWN_MEMORY, *OF_MAX, *(OF_PROJECT if project != "app" else ())}
    elif kind in (*OWNERS, SessionKind.GUEST) and person == "max":
        assert seen == {*OF_MAX}
    else:
        assert seen == set()


@pytest.mark.parametrize("kind", [*SessionKind, STRANGER])
def test_what_lies_outside_is_the_owners_alone(kind: SessionKind) -> None:
    for path in ("MEMORY.md", "/srv/notes/tea.md", "notes/tea.md", "users/max/memory/tea.md"):
        assert sees(Scope(kind), path, imported=True) is (kind in OWNERS)
        assert not sees(Scope(kind, "max"), path, imported=True)
        assert not shares(Scope(kind), path, imported=True)


@pytest.mark.parametrize("kind", [*SessionKind, STRANGER])
def test_labels_count_in_the_agents_own_memory_for_those_who_need_one(kind: SessionKind) -> None:
    for path in EVERY_PATH:
        assert shares(Scope(kind, "max"), path) is (kind in OTHERS and path in OWN_MEMORY)
        assert shares(Scope(kind, project="app"), path) is (kind in OTHERS and path in OWN_MEMORY)
        assert shares(Scope(kind, project="web"), path) is (kind in OTHERS and path in (*OWN_MEMORY, *OF_PROJECT))


@pytest.mark.parametrize("path", ["users/Max/MEMORY.md", "Users/max2/MEMORY.md", "users/max./memory/x.md"])
def test_another_spelling_of_a_person_is_another_person(path: str) -> None:
    assert not sees(Scope(SessionKind.GUEST, "max"), path)


NAMES = st.sampled_from(["users", "Users", "max", "anna", "memory", "MEMORY.md", "x.md", "..", ".", "", "projects"])
PATHS = st.one_of(st.text(), st.lists(NAMES | st.text(max_size=5), max_size=5).map("/".join))
KINDS = st.sampled_from([*SessionKind]) | st.text(max_size=8).map(lambda kind: cast(SessionKind, kind))


@given(KINDS, st.none() | st.sampled_from(["max", "anna", ""]) | st.text(), st.none() | st.text(), PATHS)
@example(SessionKind.GUEST, "", None, "users//MEMORY.md")
@example(cast(SessionKind, "MAIN"), None, None, "MEMORY.md")
def test_only_the_owner_sees_what_is_not_their_own(
    kind: SessionKind, person: str | None, project: str | None, path: str
) -> None:
    scope = Scope(kind, person, project)
    seen = sees(scope, path)
    assert not seen or place(path).indexed
    if kind not in OWNERS or person is not None:
        assert not seen or (bool(person) and place(path).person == person)
        assert not sees(scope, path, imported=True)


DOCUMENT = b"""\
# Notes

Private.

## House
<!-- share: group, subagent -->

The wifi is called *Nest*.

### Garden

Roses.

## Money

Secret.

## Trips

<!-- share: guest -->
Lisbon.

### Packing
<!-- share: group -->
Socks.

## Food
<!-- share: guest -->
Soup.
"""


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (SessionKind.GROUP, ((5, 13), (23, 26))),
        (SessionKind.SUBAGENT, ((5, 13),)),
        (SessionKind.GUEST, ((18, 29),)),
        (SessionKind.MAIN, ()),
        (SessionKind.CRON, ()),
        (STRANGER, ()),
    ],
)
def test_a_label_shares_its_section_with_what_is_under_it(
    kind: SessionKind, expected: tuple[tuple[int, int], ...]
) -> None:
    assert shared_lines(DOCUMENT, kind) == expected
    assert shared_lines(DOCUMENT.replace(b"\n", b"\r\n"), kind) == expected


@pytest.mark.parametrize(
    "text",
    [
        b"# A\n\n```\n# B\n<!-- share: group -->\n```\n",
        b"# A\nText first.\n<!-- share: group -->\n",
        b"<!-- share: group -->\nNo heading.\n",
        b"# A\n<!-- share: group; all -->\nx\n",
        b"# A\n<!-- everself: share: group -->\nx\n",
        b"# A\n<!-- share: groups -->\nx\n",
        b"# A\n- item\n  <!-- share: group -->\n",
        b"# A\n> ## B\n> <!-- share: group -->\n",
    ],
)
def test_what_only_looks_like_a_label_shares_nothing(text: bytes) -> None:
    assert shared_lines(text, SessionKind.GROUP) == ()


def test_a_label_for_the_owner_means_nothing() -> None:
    assert shared_lines(b"# A\n<!-- share: main -->\nx\n", SessionKind.MAIN) == ()


@given(st.lists(st.sampled_from([b"# a", b"## b", b"### c", b"text", b"", b"<!-- share: group -->", b"```"])))
def test_shared_lines_rise_stay_apart_and_lie_in_the_document(lines: list[bytes]) -> None:
    found = shared_lines(b"\n".join(lines), SessionKind.GROUP)
    flat = [number for first, last in found for number in (first, last + 1)]
    assert flat == sorted(set(flat))
    assert not found or (found[0][0] >= 1 and found[-1][1] <= len(lines))
