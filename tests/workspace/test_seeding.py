import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.storage.paths import check_path
from everself.values import Author, Change, Create, FileKind
from everself.workspace.layout import Kind, fold, place
from everself.workspace.setup import BOOTSTRAP, KEEPERS, plan_folders, plan_setup, templates

ALL = {path for path, _ in templates()}


def created(change: Change | None) -> set[str]:
    if change is None:
        return set()
    assert all(isinstance(edit, Create) for edit in change.edits)
    return {edit.path for edit in change.edits}


def files(*paths: str) -> dict[str, FileKind]:
    return dict.fromkeys(paths, "file")


def test_a_brand_new_workspace_gets_everything() -> None:
    change = plan_setup({})
    assert change is not None
    assert (change.author, change.reason) == (Author.RUNTIME, "setup")
    assert {edit.path: edit.data for edit in change.edits if isinstance(edit, Create)} == dict(templates())


def test_setup_creates_what_the_product_promises_and_no_more() -> None:
    logs = {"CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md"}
    identity = {
        "SOUL.md",
        "IDENTITY.md",
        "AGENTS.md",
        "USER.md",
        "TOOLS.md",
        "HEARTBEAT.md",
        "BOOTSTRAP.md",
        "MEMORY.md",
    }
    keepers = {f"agents/{keeper}/SOUL.md" for keeper in KEEPERS}
    assert identity | logs | keepers | {"CONFIG.md"} == ALL
    assert set(plan_folders({})) == {"memory", "SOUL_HISTORY", "Archive", "Archive/Chronicles", "Archive/Corrections"}


@pytest.mark.parametrize("path", sorted(ALL))
def test_every_template_goes_to_a_known_place(path: str) -> None:
    check_path(path)
    assert place(path).kind not in (Kind.OTHER, Kind.FOREIGN, Kind.TEMPORARY)


def test_running_it_twice_changes_nothing() -> None:
    existing = files(*ALL) | dict.fromkeys(plan_folders({}), "directory")
    assert plan_setup(existing) is None
    assert plan_folders(existing) == ()


def test_only_what_is_missing_is_created() -> None:
    existing = files(*(ALL - {"TOOLS.md", "agents/soul-keeper/SOUL.md"}))
    assert created(plan_setup(existing)) == {"TOOLS.md", "agents/soul-keeper/SOUL.md"}


@pytest.mark.parametrize(
    ("present", "stands_for"),
    [
        ("memory.md", "MEMORY.md"),
        ("Soul.md", "SOUL.md"),
        ("IDENTITY.MD", "IDENTITY.md"),
        ("Agents/Memory-Miner/soul.md", "agents/memory-miner/SOUL.md"),
    ],
)
def test_another_spelling_counts_as_existing(present: str, stands_for: str) -> None:
    assert stands_for not in created(plan_setup(files(present)))


@pytest.mark.parametrize("kind", ["link", "other", "directory"])
def test_a_link_a_fifo_or_a_folder_in_the_place_of_a_file_is_left_alone(kind: FileKind) -> None:
    plan = created(plan_setup({"MEMORY.md": kind, "SOUL.md": kind}))
    assert plan.isdisjoint({"MEMORY.md", "SOUL.md"})
    assert "USER.md" in plan


@pytest.mark.parametrize("kind", ["link", "other", "file"])
def test_nothing_is_planned_below_what_is_no_folder(kind: FileKind) -> None:
    existing: dict[str, FileKind] = {"agents": kind, "Archive": kind, "memory": kind}
    assert not any(path.startswith("agents/") for path in created(plan_setup(existing)))
    assert plan_folders(existing) == ("SOUL_HISTORY",)


def test_a_folder_that_shows_only_through_its_files_is_not_made_again() -> None:
    existing = files("memory/2026-03-19.md", "archive/chronicles/2026-March.md")
    assert plan_folders(existing) == ("SOUL_HISTORY", "Archive/Corrections")


@pytest.mark.parametrize(
    "sign", ["SOUL.md", "identity.md", "USER.md", "AGENTS.md", "memory.md", "memory/2026-03-19.md"]
)
def test_the_ritual_is_only_for_a_workspace_nobody_lived_in(sign: str) -> None:
    assert BOOTSTRAP not in created(plan_setup(files(sign)))


def test_an_empty_memory_folder_means_that_somebody_lived_here() -> None:
    assert BOOTSTRAP not in created(plan_setup({"memory": "directory"}))


def test_unrelated_files_do_not_prevent_the_ritual() -> None:
    assert BOOTSTRAP in created(plan_setup(files("README.md", ".git/config", "memory-of-water.txt")))


@pytest.mark.parametrize("restore", [False, True])
def test_a_finished_ritual_never_comes_back(restore: bool) -> None:
    plan = created(plan_setup({}, ritual_done=True, removed=[BOOTSTRAP], restore=restore))
    assert plan == ALL - {BOOTSTRAP}


def test_what_a_person_removed_stays_removed() -> None:
    existing = files(*(ALL - {"TOOLS.md", "HEARTBEAT.md"}))
    assert created(plan_setup(existing, removed=["TOOLS.md"])) == {"HEARTBEAT.md"}
    assert created(plan_setup(existing, removed=["TOOLS.md"], restore=True)) == {"HEARTBEAT.md", "TOOLS.md"}


@given(
    st.dictionaries(st.sampled_from([*sorted(ALL), *plan_folders({}), "soul.md"]), st.sampled_from(["file", "link"]))
)
def test_no_plan_touches_a_name_that_exists(existing: dict[str, FileKind]) -> None:
    taken = {fold(path) for path in existing}
    assert taken.isdisjoint(map(fold, created(plan_setup(existing))))
    assert taken.isdisjoint(map(fold, plan_folders(existing)))
