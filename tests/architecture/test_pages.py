"""What is written about the package is true, and tells nothing about the machine it was written on."""

import re
from pathlib import Path

import pytest
from tests.architecture.package_rules import PACKAGES
from tests.architecture.pages import lost_references, packages_in_tree, packages_on_disk, private_text, tracked_files
from tests.architecture.sources import read_tree

TOP = Path(__file__).resolve().parents[2]

TREE = """# Everself

```sh
make chat
```

```
src/everself/        the package
├── errors.py        one tree
├── disk/            the only writer
│   └── lock.py      who holds what
└── faces/           repl, web
tests/               as the packages
```
"""
PLAIN = """```text
src/everself/
  errors.py   one tree
  disk/       the only writer
    lock.py   who holds what

  faces/      repl, web
```
"""


def test_the_architecture_names_every_package_in_its_order_and_no_other() -> None:
    named = packages_in_tree((TOP / "ARCHITECTURE.md").read_text("utf-8"))
    assert named is not None, "ARCHITECTURE.md has no fenced block that starts with src/everself/"
    assert named == PACKAGES
    assert set(named) == packages_on_disk(TOP / "src" / "everself")


def test_every_step_of_a_walk_names_a_function_that_exists() -> None:
    steps = STEP.findall((TOP / "ARCHITECTURE.md").read_text("utf-8"))
    assert len(steps) >= 25
    known = {f"{module.file}:{name}" for module in read_tree(TOP / "src" / "everself") for name, _ in module.functions}
    assert [step for step in steps if step not in known] == []


def test_each_walk_has_at_most_fifteen_steps() -> None:
    walks = (TOP / "ARCHITECTURE.md").read_text("utf-8").partition("## Four walks")[2].split("\n**")[1:]
    rows = [[line for line in walk.splitlines() if line.startswith("|")][2:] for walk in walks]
    assert len(rows) == 4
    assert all(0 < len(steps) <= 15 for steps in rows)


@pytest.mark.parametrize("readme", [TREE, PLAIN], ids=["drawn with lines", "drawn with spaces"])
def test_a_tree_is_read_at_its_first_level(readme: str) -> None:
    assert packages_in_tree(readme) == ("errors", "disk", "faces")


def test_a_readme_without_a_tree_is_noticed() -> None:
    assert packages_in_tree("```sh\nmake chat\n```\nsrc/everself/ holds it.") is None


def test_packages_on_disk_are_folders_with_code_and_single_modules(tmp_path: Path) -> None:
    for name in ("disk/lock.py", "errors.py", "__init__.py", "empty/notes.txt", "__pycache__/x.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert packages_on_disk(tmp_path) == {"disk", "errors"}


def test_no_file_tells_of_a_developers_machine() -> None:
    files = tracked_files(TOP)
    assert TOP / "pyproject.toml" in files
    found = list(private_text(TOP, files))
    assert not found, "\n" + "\n".join(map(str, found))


@pytest.mark.parametrize(
    "line",
    [
        "cd /{}/ada/everself",
        'PATH = "/{}/ada/x"',
    ],
)
@pytest.mark.parametrize("folder", ["home", "Users"])
def test_a_path_of_a_home_is_found(line: str, folder: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("fine\n" + line.format(folder))
    assert [(each.rule, each.line) for each in private_text(tmp_path, [page])] == [("machine-paths", 2)]


@pytest.mark.parametrize("folder", ["root", "work"])
def test_a_path_of_a_build_machine_is_found(folder: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"see /{folder}/x")
    assert [each.rule for each in private_text(tmp_path, [page])] == ["machine-paths"]


@pytest.mark.parametrize("host", ["{}.org", "files.{}.org/packages", "me:word@{}.example.com", "example.com/{}/simple"])
def test_a_registry_is_found(host: str, tmp_path: Path) -> None:
    page = tmp_path / "page.toml"
    page.write_text("url = https://" + host.format("py" + "pi"))
    assert [each.rule for each in private_text(tmp_path, [page])] == ["registries"]


def test_made_up_texts_may_name_any_path(tmp_path: Path) -> None:
    page = tmp_path / "tests" / "corpora" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text("see /{}/x".format("root"))
    assert list(private_text(tmp_path, [page])) == []


def test_ordinary_paths_and_addresses_pass(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "~/.everself/ src/work/ ../root/x /etc/passwd /home/<name>/ /tmp/work/ https://example.com/simpler\n"
    )
    assert list(private_text(tmp_path, [page])) == []


# decision records are history: what they name was so then
PAGES = [*sorted(TOP.glob("*.md")), *sorted((TOP / "docs").glob("*.md"))]
STEP = re.compile(r"`([\w/]+\.py:[\w.]+)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_refers_to_exists(page: Path) -> None:
    assert list(lost_references(TOP, page)) == []


def test_a_lost_reference_is_found(tmp_path: Path) -> None:
    (tmp_path / "src" / "everself" / "disk").mkdir(parents=True)
    (tmp_path / "src" / "everself" / "disk" / "lock.py").touch()
    page = tmp_path / "page.md"
    page.write_text(
        "`disk/lock.py` [here](page.md#top) [out](https://example.com) `memory/notes.md`\n"
        "`disk/gone.py`\n[gone](gone.md)\n`tests/gone`\n"
    )
    assert [(each.rule, each.line) for each in lost_references(tmp_path, page)] == [
        ("file-names", 2),
        ("links", 3),
        ("file-names", 4),
    ]


def test_the_architecture_stays_short() -> None:
    # the tree, the invariants, a change set, and four walks of at most fifteen steps
    assert len((TOP / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= 180


def test_every_decision_is_in_the_index() -> None:
    folder = TOP / "docs" / "decisions"
    written = sorted(path.name for path in folder.glob("[0-9]*.md"))
    index = (folder / "README.md").read_text("utf-8")
    assert written
    assert [name for name in written if f"({name})" not in index] == []
    assert len({name[:4] for name in written}) == len(written), "two decisions share a number"
