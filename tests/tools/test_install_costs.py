"""What a dependency costs is what would not be there without it."""

from tools.install_costs import Package, brings, direct_dependencies, megabytes, needed, only_by, table
from tools.interpreters import TOP

PACKAGES = {
    "everself": Package("everself", 3_000_000, ("A_b", "c")),
    "a-b": Package("A.b", 1_000_000, ("shared", "own")),
    "c": Package("c", 500_000, ("shared", "not-installed")),
    "own": Package("own", 250_000, ("a-b",)),
    "shared": Package("shared", 10_000_000, ()),
}


def test_what_others_bring_too_is_not_counted() -> None:
    assert brings("c", PACKAGES) == {"c", "shared"}
    assert only_by("c", ["A-b", "c"], PACKAGES) == {"c"}
    # asked for by ourselves as well
    assert only_by("c", ["c", "shared"], PACKAGES) == {"c"}
    assert megabytes(only_by("c", ["c"], PACKAGES), PACKAGES) == 10.5


def test_the_table_ends_with_the_whole(tmp_path) -> None:
    lines = table(tmp_path, {name: PACKAGES[name] for name in ("everself", "c", "shared")}, ["c"])
    assert lines[2] == "| c | 10.5 | shared | 0 |"
    assert lines[-1] == "| **2 packages** | **13.5** | | |"


def test_the_dependencies_of_this_package_are_read() -> None:
    assert {"numpy", "dulwich", "ruamel.yaml"} <= set(direct_dependencies(TOP / "pyproject.toml"))


def test_what_only_another_system_needs_does_not_count() -> None:
    lines = ['tzdata; sys_platform == "win32"', "idna>=2", 'trio; extra == "trio"']
    assert needed(lines) == ("idna",)
