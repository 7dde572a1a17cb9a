"""Who is given what: by file, by labelled section, by person, by the settings of an agent."""

import pytest

from everself.errors import BadConfig
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import LISTABLE, SharingRules, files_of, gets, is_owner, read_rules, visible

MAIN, GUEST, GROUP = SessionKind.MAIN, SessionKind.GUEST, SessionKind.GROUP
SUBAGENT, CRON, HEARTBEAT = SessionKind.SUBAGENT, SessionKind.CRON, SessionKind.HEARTBEAT
NONE = SharingRules()
PRIVATE = ("SOUL.md", "USER.md", "MEMORY.md", "CORRECTIONS.md", "memory/2026-03-19.md", "bank/world.md")
SOUL = b"""# Soul

Secret of the heart.

## In company
<!-- share: group, subagent -->

Be brief.

### More

Kind, too.

## Learned

Only for one.
"""


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        (Scope(MAIN), ("AGENTS.md", "TOOLS.md", "IDENTITY.md")),
        (Scope(CRON), ("AGENTS.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md")),
        (Scope(HEARTBEAT), ("AGENTS.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md")),
        (Scope(GUEST, "jun"), ("AGENTS.md", "TOOLS.md", "IDENTITY.md")),
        (Scope(GROUP), ("AGENTS.md", "TOOLS.md", "IDENTITY.md")),
        (Scope(SUBAGENT), ("AGENTS.md", "TOOLS.md")),
    ],
)
def test_each_kind_gets_its_files(scope: Scope, names: tuple[str, ...]) -> None:
    assert files_of(scope, NONE) == names


@pytest.mark.parametrize("path", PRIVATE)
def test_the_owner_alone_gets_what_is_private(path: str) -> None:
    for kind in SessionKind:
        for person in (None, "jun"):
            scope = Scope(kind, person)
            owner = kind in (MAIN, CRON, HEARTBEAT) and person is None
            assert gets(scope, path, NONE) is owner, scope
            assert bool(visible(scope, path, b"- words\n", NONE)) is owner, scope


def test_somebody_with_an_id_is_never_the_owner() -> None:
    assert is_owner(Scope(MAIN))
    assert not is_owner(Scope(MAIN, "jun"))
    assert not is_owner(Scope(CRON, "jun"))
    assert not is_owner(Scope(GUEST))


def test_a_guest_gets_their_own_memory_and_nobody_elses() -> None:
    jun = Scope(GUEST, "jun")
    for name in ("USER.md", "MEMORY.md", "memory/2026-03-19.md"):
        assert gets(jun, f"users/jun/{name}", NONE)
        assert not gets(jun, f"users/mia/{name}", NONE)
        assert not gets(Scope(GUEST), f"users/jun/{name}", NONE)
        assert not gets(Scope(GROUP, "jun"), f"users/jun/{name}", NONE)
        assert not gets(Scope(SUBAGENT, "jun"), f"users/jun/{name}", NONE)
    assert gets(Scope(MAIN, "jun"), "users/jun/USER.md", NONE)


def test_a_person_whose_id_climbs_gets_nothing() -> None:
    for person in ("..", "../..", "", "jun/../mia", "."):
        scope = Scope(GUEST, person)
        assert not gets(scope, f"users/{person}/USER.md", NONE)
        assert visible(scope, f"users/{person}/USER.md", b"words", NONE) == b""


def test_a_label_shares_its_section_with_those_it_names_and_no_more() -> None:
    shared = b"## In company\n<!-- share: group, subagent -->\n\nBe brief.\n\n### More\n\nKind, too.\n\n"
    assert visible(Scope(GROUP), "SOUL.md", SOUL, NONE) == shared
    assert visible(Scope(SUBAGENT), "SOUL.md", SOUL, NONE) == shared
    assert visible(Scope(GUEST, "jun"), "SOUL.md", SOUL, NONE) == b""
    assert visible(Scope(MAIN), "SOUL.md", SOUL, NONE) == SOUL


def test_a_label_counts_with_every_kind_of_line_end() -> None:
    for end in (b"\r\n", b"\r"):
        text = visible(Scope(GROUP), "SOUL.md", SOUL.replace(b"\n", end), NONE)
        assert b"Be brief." in text
        assert b"heart" not in text
        assert b"Only for one" not in text


def test_no_label_gives_away_another_persons_memory_or_what_stands_in_runs_of_its_own() -> None:
    for path in ("users/mia/MEMORY.md", "users/mia/USER.md", "HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md", "CONFIG.md"):
        assert visible(Scope(GROUP), path, SOUL, NONE) == b"", path
        assert visible(Scope(GUEST, "jun"), path, SOUL.replace(b"group", b"guest"), NONE) == b"", path


def test_some_files_stand_only_in_their_own_runs() -> None:
    assert "BOOT.md" in files_of(Scope(MAIN), NONE, "boot")
    assert "BOOTSTRAP.md" in files_of(Scope(MAIN), NONE, "ritual")
    assert "BOOT.md" not in files_of(Scope(GUEST, "jun"), NONE, "boot")
    assert not gets(Scope(MAIN), "HEARTBEAT.md", NONE)
    assert not gets(Scope(MAIN), "BOOTSTRAP.md", NONE, "boot")


def test_an_agents_list_widens_and_narrows() -> None:
    rules = read_rules(["group+USER.md", "guest-TOOLS.md", "subagent + SOUL.md"])
    assert gets(Scope(GROUP), "USER.md", rules)
    assert not gets(Scope(GUEST, "jun"), "USER.md", rules)
    assert files_of(Scope(GUEST, "jun"), rules) == ("AGENTS.md", "IDENTITY.md")
    assert gets(Scope(SUBAGENT), "SOUL.md", rules)


def test_a_list_that_takes_a_file_away_takes_its_labelled_sections_too() -> None:
    assert visible(Scope(GROUP), "SOUL.md", SOUL, read_rules(["group-SOUL.md"])) == b""


@pytest.mark.parametrize("text", ["", "group", "group+users/mia/USER.md", "all+USER.md", "group+../x", "group+BOOT.md"])
def test_a_list_that_makes_no_sense_is_told(text: str) -> None:
    with pytest.raises(BadConfig, match="not a valid rule"):
        read_rules([text])


def test_what_a_list_may_name_is_injected() -> None:
    assert all(gets(Scope(MAIN), name, NONE) for name in LISTABLE)
