from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.values import Tier
from everself.workspace.layout import Kind, Place, fold, is_hidden, is_temporary, masked, place

T0, T1, T2, NONE = Tier.SOUL, Tier.CORE, Tier.WORKING, Tier.NONE


def day(text: str) -> date:
    return date.fromisoformat(text)


# path, kind, tier a person would name, the day it ages by
PLACES: list[tuple[str, Kind, Tier, str]] = [
    ("SOUL.md", Kind.SOUL, T0, ""),
    ("IDENTITY.md", Kind.IDENTITY, T0, ""),
    ("SOUL_EVIL.md", Kind.PERSONA, NONE, ""),
    ("SOUL-night.md", Kind.PERSONA, NONE, ""),
    ("SOUL.evil.md", Kind.PERSONA, NONE, ""),
    ("SOUL_TESTS.md", Kind.SOUL_TESTS, NONE, ""),
    ("AGENTS.md", Kind.AGENTS, NONE, ""),
    ("USER.md", Kind.USER, NONE, ""),
    ("TOOLS.md", Kind.TOOLS, NONE, ""),
    ("HEARTBEAT.md", Kind.HEARTBEAT, NONE, ""),
    ("BOOT.md", Kind.BOOT, NONE, ""),
    ("BOOTSTRAP.md", Kind.BOOTSTRAP, NONE, ""),
    ("CONFIG.md", Kind.CONFIG, NONE, ""),
    ("CORRECTIONS.md", Kind.CORRECTIONS, NONE, ""),
    ("CONFLICTS.md", Kind.CONFLICTS, NONE, ""),
    ("CHANGELOG.md", Kind.CHANGELOG, NONE, ""),
    ("COMPACTION_LOG.md", Kind.COMPACTION_LOG, NONE, ""),
    ("MEMORY.md", Kind.CORE_MEMORY, T1, ""),
    ("memory.md", Kind.CORE_MEMORY, T1, ""),
    ("README.md", Kind.OTHER, NONE, ""),
    ("soulmates.md", Kind.OTHER, NONE, ""),
    ("skills/weather/SKILL.md", Kind.OTHER, NONE, ""),
    ("2026-03-19.md", Kind.OTHER, NONE, ""),
    # the daily log and its neighbours
    ("memory/2026-03-19.md", Kind.DAILY_LOG, T2, "2026-03-19"),
    ("memory/daily/2026-03-19.md", Kind.DAILY_LOG, T2, "2026-03-19"),
    ("Memory/2026-03-19.md", Kind.DAILY_LOG, T2, "2026-03-19"),
    ("memory/2026-03-19.MD", Kind.DAILY_LOG, T2, "2026-03-19"),
    ("memory/2026-03-19-api-design.md", Kind.SESSION_NOTE, T2, "2026-03-19"),
    ("memory/2026-02-18-0017.md", Kind.SESSION_NOTE, T2, "2026-02-18"),
    ("memory/2026-02-04-workflow-steps.md", Kind.SESSION_NOTE, T2, "2026-02-04"),
    ("memory/2026-02-04-compressed.md", Kind.SESSION_NOTE, T2, "2026-02-04"),
    ("memory/2026-02-04_standup.md", Kind.SESSION_NOTE, T2, "2026-02-04"),
    ("memory/2026-02-04T10-20-30.md", Kind.SESSION_NOTE, T2, "2026-02-04"),
    ("memory/review-2026-01-31.md", Kind.SESSION_NOTE, T2, "2026-01-31"),
    ("memory/会议记录-2026-01-31.md", Kind.SESSION_NOTE, T2, "2026-01-31"),
    ("memory/会议2026-01-31记录.md", Kind.SESSION_NOTE, T2, "2026-01-31"),
    ("memory/2026-01-31日记.md", Kind.SESSION_NOTE, T2, "2026-01-31"),
    ("memory/2026-02-18-typeerror-cannot-read-prop.md", Kind.SESSION_NOTE, T2, "2026-02-18"),
    ("memory/2026-02-18-plan-for-2026-12-24.md", Kind.SESSION_NOTE, T2, "2026-02-18"),
    ("memory/from-2026-02-01-to-2026-02-07.md", Kind.SESSION_NOTE, T2, "2026-02-07"),
    ("memory/2006-02-18.md", Kind.DAILY_LOG, T2, "2006-02-18"),
    ("memory/2024-02-29.md", Kind.DAILY_LOG, T2, "2024-02-29"),
    ("memory/work/2026-03-19.md", Kind.SESSION_NOTE, T2, "2026-03-19"),
    ("memory/dreaming/light/2026-03-19.md", Kind.SESSION_NOTE, T2, "2026-03-19"),
    ("memory/dreaming/rem/2026-03-19.md", Kind.SESSION_NOTE, T2, "2026-03-19"),
    ("memory/2026-03-19/summary.md", Kind.SESSION_NOTE, T2, "2026-03-19"),
    ("memory/MEMORY-backup-2026-02-01.md", Kind.SESSION_NOTE, T2, "2026-02-01"),
    ("memory/2026-Q1.md", Kind.SESSION_NOTE, T2, "2026-03-31"),
    ("memory/2026-March.md", Kind.SESSION_NOTE, T2, "2026-03-31"),
    ("memory/2026-02.md", Kind.SESSION_NOTE, T2, "2026-02-28"),
    # no day in the name, or none that exists: evergreen
    ("memory/roadmap.md", Kind.TOPIC, T1, ""),
    ("memory/roadmap.markdown", Kind.TOPIC, T1, ""),
    ("memory/路线图.md", Kind.TOPIC, T1, ""),
    ("memory/로드맵.md", Kind.TOPIC, T1, ""),
    ("memory/people/anna.md", Kind.TOPIC, T1, ""),
    ("memory/dreaming/rem/themes.md", Kind.TOPIC, T1, ""),
    ("memory/MEMORY.md", Kind.TOPIC, T1, ""),
    ("memory/SOUL.md", Kind.TOPIC, T1, ""),
    ("memory/2026-02-30.md", Kind.TOPIC, T1, ""),
    ("memory/2025-02-29.md", Kind.TOPIC, T1, ""),
    ("memory/2026-13-01.md", Kind.TOPIC, T1, ""),
    ("memory/2026-00-10.md", Kind.TOPIC, T1, ""),
    ("memory/0206-02-18.md", Kind.TOPIC, T1, ""),
    ("memory/12026-03-19.md", Kind.TOPIC, T1, ""),
    ("memory/2026-03-190.md", Kind.TOPIC, T1, ""),
    ("memory/2026-3-19.md", Kind.TOPIC, T1, ""),
    ("memory/٢٠٢٦-٠٣-١٩.md", Kind.TOPIC, T1, ""),
    ("memory/2026-Q5.md", Kind.TOPIC, T1, ""),
    ("memory/2026-roadmap.md", Kind.TOPIC, T1, ""),
    ("memory/2026-Q1-goals.md", Kind.TOPIC, T1, ""),
    ("memory/2026.md", Kind.TOPIC, T1, ""),
    ("memory/port-8080-22-33.md", Kind.TOPIC, T1, ""),
    # archives never turn evergreen, dated or not
    ("memory/archive/2026-Q1.md", Kind.ARCHIVE, T2, "2026-03-31"),
    ("memory/archive/2025-Q4.md", Kind.ARCHIVE, T2, "2025-12-31"),
    ("memory/archive/2026-Q1-part-2.md", Kind.ARCHIVE, T2, "2026-03-31"),
    ("memory/archive/2026-02-04.md", Kind.ARCHIVE, T2, "2026-02-04"),
    ("memory/archive/2025/old.md", Kind.ARCHIVE, T2, ""),
    ("memory/archive/roadmap.md", Kind.ARCHIVE, T2, ""),
    ("memory/work/Archive/roadmap.md", Kind.ARCHIVE, T2, ""),
    ("Archive/Chronicles/2026-March.md", Kind.CHRONICLE, T2, "2026-03-31"),
    ("Archive/Chronicles/2024-February.md", Kind.CHRONICLE, T2, "2024-02-29"),
    ("Archive/Chronicles/2026-Mar.md", Kind.CHRONICLE, T2, "2026-03-31"),
    ("Archive/Chronicles/2026-Marmalade.md", Kind.CHRONICLE, T2, ""),
    ("archive/chronicles/2026-March.md", Kind.CHRONICLE, T2, "2026-03-31"),
    ("Archive/Corrections/2026-03.md", Kind.CORRECTIONS, NONE, "2026-03-31"),
    ("Archive/2025.md", Kind.ARCHIVE, T2, "2025-12-31"),
    ("Archive/old.md", Kind.ARCHIVE, T2, ""),
    ("Archive/Chronicles.md", Kind.ARCHIVE, T2, ""),
    # other folders
    ("bank/world.md", Kind.BANK, T1, ""),
    ("bank/entities/anna.md", Kind.BANK, T1, ""),
    ("bank/experience/2026-03-19.md", Kind.BANK, T2, "2026-03-19"),
    ("agents/memory-miner/SOUL.md", Kind.KEEPER_PROMPT, NONE, ""),
    ("agents/memory-miner/notes.md", Kind.OTHER, NONE, ""),
    ("SOUL_HISTORY/2026-03-19.md", Kind.SOUL_HISTORY, NONE, "2026-03-19"),
    ("SOUL_HISTORY/2026-03-19T02-30-00.md", Kind.SOUL_HISTORY, NONE, "2026-03-19"),
    ("quarantine/2026-03-19.md", Kind.QUARANTINE, NONE, "2026-03-19"),
    ("users/anna/USER.md", Kind.PERSON_USER, NONE, ""),
    ("users/anna/MEMORY.md", Kind.PERSON_MEMORY, T1, ""),
    ("users/anna/memory/likes.md", Kind.PERSON_MEMORY, T1, ""),
    ("users/anna/memory/2026-03-19.md", Kind.PERSON_MEMORY, T2, "2026-03-19"),
    ("users/anna/memory/archive/likes.md", Kind.PERSON_MEMORY, T2, ""),
    ("users/anna/secrets.md", Kind.OTHER, NONE, ""),
    ("users/anna.md", Kind.OTHER, NONE, ""),
    ("projects/tundra/memory/stack.md", Kind.PROJECT_MEMORY, T1, ""),
    ("projects/tundra/memory/2026-03-19-release.md", Kind.PROJECT_MEMORY, T2, "2026-03-19"),
    ("projects/tundra/README.md", Kind.OTHER, NONE, ""),
    # nobody's documents
    ("MEMORY.md.bak", Kind.FOREIGN, NONE, ""),
    ("memory/2026-03-19.md.bak", Kind.FOREIGN, NONE, ""),
    ("memory/2026-03-19.jsonl", Kind.FOREIGN, NONE, ""),
    ("memory/heartbeat-state.json", Kind.FOREIGN, NONE, ""),
    ("memory/2026-03-19.png", Kind.FOREIGN, NONE, ""),
    ("memory/no-ending", Kind.FOREIGN, NONE, ""),
    ("memory/.dreams/short-term.md", Kind.FOREIGN, NONE, ""),
    ("memory/.2026-03-19.md", Kind.FOREIGN, NONE, ""),
    ("memory", Kind.FOREIGN, NONE, ""),
    (".git/config", Kind.FOREIGN, NONE, ""),
    (".DS_Store", Kind.FOREIGN, NONE, ""),
    ("avatars/aria.png", Kind.FOREIGN, NONE, ""),
    ("SOUL.md~", Kind.TEMPORARY, NONE, ""),
    (".SOUL.md.swp", Kind.TEMPORARY, NONE, ""),
    ("memory/4913", Kind.TEMPORARY, NONE, ""),
    ("memory/.#2026-03-19.md", Kind.TEMPORARY, NONE, ""),
    ("memory/#2026-03-19.md#", Kind.TEMPORARY, NONE, ""),
    ("memory/~$notes.md", Kind.TEMPORARY, NONE, ""),
    ("memory/2026-03-19.md.tmp", Kind.TEMPORARY, NONE, ""),
    ("memory/.everself-8f3a.tmp", Kind.TEMPORARY, NONE, ""),
    ("memory/.everself-8f3a.md", Kind.TEMPORARY, NONE, ""),
]


@pytest.mark.parametrize(("path", "kind", "tier", "when"), PLACES, ids=[row[0] for row in PLACES])
def test_each_name_has_the_place_a_person_would_give_it(path: str, kind: Kind, tier: Tier, when: str) -> None:
    at = place(path)
    assert (at.kind, at.tier) == (kind, tier)
    assert at.day == (day(when) if when else None)


def test_the_same_date_in_two_places_is_the_same_day() -> None:
    assert place("memory/2026-03-19.md").day == place("memory/work/2026-03-19.md").day == day("2026-03-19")


INDEXED = {
    *["MEMORY.md", "memory.md", "CORRECTIONS.md", "memory/2026-03-19.md", "memory/people/anna.md", "bank/world.md"],
    *["Archive/Chronicles/2026-March.md", "Archive/Corrections/2026-03.md", "memory/archive/2026-Q1.md"],
    *["users/anna/memory/likes.md", "projects/tundra/memory/stack.md"],
}
NOT_INDEXED = {
    *["SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "CONFIG.md", "CONFLICTS.md", "CHANGELOG.md", "SOUL_EVIL.md"],
    *["quarantine/2026-03-19.md", "SOUL_HISTORY/2026-03-19.md", "agents/memory-miner/SOUL.md", "README.md"],
    *["memory/.dreams/x.md", "memory/x.jsonl", "memory/x.md~", "memory/x.md.bak", "MEMORY.md.bak", "Memory.md"],
    *["users/anna/USER.md", "users/anna/diary.md", "projects/tundra/README.md", "Archive/photo.png"],
}


@pytest.mark.parametrize("path", sorted(INDEXED | NOT_INDEXED))
def test_search_sees_memory_and_nothing_else(path: str) -> None:
    assert place(path).indexed is (path in INDEXED)


HUMANS_ONLY = {
    *["SOUL.md", "SOUL_TESTS.md", "IDENTITY.md", "SOUL_EVIL.md", "CONFIG.md", "BOOT.md"],
    *["agents/memory-miner/SOUL.md", "agents/anything/SOUL.md", "agents/memory-miner/extra.md"],
}
RUNTIME_ONLY = {
    *["CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md", "BOOTSTRAP.md"],
    *["SOUL_HISTORY/2026-03-19.md", "quarantine/2026-03-19.md", "Archive/Chronicles/2026-March.md"],
}
AGENT_MAY = {
    *["USER.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md", "memory/2026-03-19.md", "memory/roadmap.md"],
    *["bank/world.md", "users/anna/USER.md", "users/anna/memory/likes.md", "drafts/letter.md", "memory/state.json"],
}


@pytest.mark.parametrize("path", sorted(HUMANS_ONLY | RUNTIME_ONLY | AGENT_MAY))
def test_who_may_write_follows_from_the_path(path: str) -> None:
    expected = "human" if path in HUMANS_ONLY else "runtime" if path in RUNTIME_ONLY else "agent"
    assert place(path).writer == expected
    assert place(path).humans_only is (expected == "human")


@pytest.mark.parametrize(
    "spelling",
    [
        *["soul.md", "Soul.md", "SOUL.MD", "sOuL.mD", "identity.md", "Identity.MD", "config.md", "Boot.md"],
        *["soul_tests.md", "Soul_Evil.md", "ſoul.md", "ＳＯＵＬ.md", "SOUL．md", "SOUL\u200b.md", "SO\u00adUL.md"],
        *["SOUL.md\ufeff", "SOUL.md.", "SOUL.md ", "SOUL.md::$DATA", "SOUL.md:stream", "\u2060IDENTITY.md"],
        *["agents/memory-miner/soul.md", "Agents/memory-miner/Soul.MD", "agents/x/y/SOUL.md", "agents/miner/SOUL.md."],
        *["ａｇｅｎｔｓ/x/SOUL.md", "agents /x/SOUL.md"],
        *["./SOUL.md", "memory/../SOUL.md", "/SOUL.md", "memory\\..\\SOUL.md", "//SOUL.md", "SOUL.md\0", ""],
        *[".git/hooks/pre-commit", ".env", ".mcp.json", "memory/.hidden/x.md"],
    ],
)
def test_no_spelling_slips_past_the_write_barrier(spelling: str) -> None:
    assert place(spelling).humans_only


@pytest.mark.parametrize("name", ["soul.md", "Memory.md", "user.MD", "agents.md", "Corrections.md"])
def test_a_stray_spelling_is_never_read_as_the_real_file(name: str) -> None:
    assert not place(name).injected
    assert not place(name).indexed


def test_a_configured_persona_is_for_humans_only_wherever_it_lies() -> None:
    assert not place("personas/night.md").humans_only
    for spelling in ("personas/night.md", "Personas/Night.md"):
        at = place(spelling, personas=("./personas/night.md",))
        assert (at.kind, at.humans_only) == (Kind.PERSONA, True)
    assert place("personas/day.md", personas=("./personas/night.md",)).kind is Kind.OTHER


@pytest.mark.parametrize(
    ("path", "person", "project"),
    [
        ("users/anna/USER.md", "anna", None),
        ("users/anna/memory/2026-03-19.md", "anna", None),
        ("users/anna/memory/deep/er/x.md", "anna", None),
        ("users/anna/MEMORY.md", "anna", None),
        ("users/anna/photo.png", "anna", None),
        ("Users/anna/memory/likes.md", "anna", None),
        ("users/anna/memory/projects/x.md", "anna", None),
        ("projects/tundra/memory/stack.md", None, "tundra"),
        ("projects/tundra/memory/users/anna/x.md", None, "tundra"),
        ("projects/tundra/notes.txt", None, "tundra"),
        ("memory/users/anna/x.md", None, None),
        ("MEMORY.md", None, None),
    ],
)
def test_scope_follows_from_the_folder(path: str, person: str | None, project: str | None) -> None:
    assert (place(path).person, place(path).project) == (person, project)


def test_another_persons_memory_is_no_kind_of_the_owners() -> None:
    own = {place(path).kind for path in ("MEMORY.md", "USER.md", "memory/2026-03-19.md", "memory/x.md")}
    theirs = {
        place(f"users/anna/{path}").kind for path in ("MEMORY.md", "USER.md", "memory/2026-03-19.md", "memory/x.md")
    }
    assert own.isdisjoint(theirs)


_PIECES = st.sampled_from(
    [
        *[
            "memory",
            "users",
            "agents",
            "Archive",
            "projects",
            "SOUL.md",
            "2026-03-19",
            "2026-02-30",
            "-",
            "/",
            ".",
            "~",
        ],
        *[".md", "Q1", "archive", "bank", "\\", "\0", "é", "ß", "İ", ":", " ", "\udcff", "quarantine", "2026", "#"],
    ]
)


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=9).map("".join)))
def test_every_string_has_a_place(path: str) -> None:
    at = place(path)
    assert isinstance(at, Place)
    assert place(path) == at
    assert not (at.indexed and at.kind in (Kind.FOREIGN, Kind.TEMPORARY, Kind.OTHER))
    assert at.day is None or 1900 <= at.day.year <= 2199


@given(st.lists(_PIECES, max_size=9).map("".join))
def test_guarding_does_not_depend_on_upper_and_lower_case(path: str) -> None:
    assert place(path.upper()).humans_only == place(path.lower()).humans_only


@given(
    st.dates(date(1900, 1, 1), date(2199, 12, 31)), st.sampled_from(["{}", "{}-note", "note-{}", "n-{}-m", "笔记{}"])
)
def test_every_day_is_read_back_from_a_name(when: date, shape: str) -> None:
    at = place(f"memory/{shape.format(when.isoformat())}.md")
    assert (at.tier, at.day) == (Tier.WORKING, when)


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=9).map("".join)))
def test_folding_twice_changes_nothing_more(path: str) -> None:
    assert fold(fold(path)) == fold(path)


@pytest.mark.parametrize(
    "name", ["x~", "x.tmp", "x.SWP", ".#x", "#x#", "4913", "~$x.md", ".everself-x", "x___jb_tmp___"]
)
def test_editors_scratch_files_are_known(name: str) -> None:
    assert is_temporary(name)


@pytest.mark.parametrize("name", ["2026-03-19.md", "tmp.md", "#channel.md", "x.swap.md", "4913.md", "~notes.md"])
def test_ordinary_names_are_no_scratch_files(name: str) -> None:
    assert not is_temporary(name)


def test_a_hidden_folder_hides_what_is_in_it() -> None:
    assert is_hidden(".git/config")
    assert is_hidden("memory/.dreams/x.md")
    assert not is_hidden("memory/a.b/x.md")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("MEMORY.md", "MEMORY.md"),
        ("CONFIG.md", "CONFIG.md"),
        ("memory/2026-11-16.md", "memory/2026-11-16.md"),
        ("memory/2026-11-16-otto-the-heron.md", "memory/2026-11-16-….md"),
        ("memory/otto.md", "memory/….md"),
        ("memory/archive/2026-Q1.md", "memory/archive/2026-Q1.md"),
        ("Archive/Chronicles/2026-May.md", "Archive/Chronicles/….md"),
        ("bank/people/Otto.md", "bank/…/….md"),
        ("users/otto/USER.md", "users/…/USER.md"),
        ("users/otto/memory/2026-11-16.md", "users/…/memory/2026-11-16.md"),
        ("projects/heron/MEMORY.md", "projects/…/MEMORY.md"),
        ("Otto.md", "….md"),
        ("SOUL_OTTO.md", "….md"),
        ("otto.txt", "….…"),
        ("otto", "…"),
        ("", "…"),
    ],
)
def test_a_log_shows_no_name_that_somebody_chose(path: str, shown: str) -> None:
    assert masked(path) == shown
