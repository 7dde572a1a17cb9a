"""Reads the written side of the project: the tree in ARCHITECTURE.md, and every tracked file for what must not be in it."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.architecture.sources import Violation

FENCE = re.compile(r"^(```+|~~~+)[^\n]*\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
BRANCH = re.compile(r"^([\s│├└─|`+-]*)([A-Za-z_][\w.]*/?)")
TREE_TOP = "src/everself/"
# Folders of somebody's machine, and the hosts packages come from: neither belongs into a file that others read.
MACHINE = re.compile(r"(?<![\w.~/-])/(?:home/[A-Za-z0-9_][\w.-]*|Users/[A-Za-z0-9_][\w.-]*|root|work)/")
REGISTRY = re.compile(
    r"https?://(?:[^\s/@]+@)?(?:[\w-]+\.)*(?:pypi|pythonhosted|artifactory|nexus|devpi|registry)[\w.-]*"
    r"|https?://[^\s\"'<>)]+/simple\b",
    re.IGNORECASE,
)
LINK = re.compile(r"\]\(([^)#\s]+)")
# In prose a file is named with its folder, in the repository or in the package.
NAMED = re.compile(r"`([\w.-]+(?:/[\w.-]+)+)/?`")
ROOTS = ("", "src/everself")
# Texts made up to be full of paths, hosts and secrets; none of it is anybody's.
INVENTED = "tests/corpora/"
MADE = frozenset({".git", "__pycache__", "build", "dist", ".soak", ".hypothesis"})


def packages_in_tree(readme: str) -> tuple[str, ...] | None:
    """The packages named in an annotated tree, or nothing where there is no such tree.

    The tree is the fenced block whose first line starts with `src/everself/`; a package is a name at its first level.
    """
    for block in FENCE.finditer(readme):
        lines = block[2].splitlines()
        if lines and lines[0].startswith(TREE_TOP):
            return tuple(_first_level(lines[1:]))
    return None


def _first_level(lines: Iterable[str]) -> Iterable[str]:
    level: int | None = None
    for line in lines:
        branch = BRANCH.match(line)
        if branch is None:
            continue
        depth = len(branch[1])
        if depth == 0:
            return
        level = depth if level is None else level
        if depth == level:
            yield branch[2].rstrip("/").removesuffix(".py")


def packages_on_disk(top: Path) -> frozenset[str]:
    """The folders and single modules of the package, its dunder modules aside."""
    folders = {path.name for path in top.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    modules = {path.stem for path in top.glob("*.py")}
    return frozenset(name for name in folders | modules if not name.startswith("__"))


def tracked_files(top: Path) -> tuple[Path, ...]:
    """What git keeps of the project; outside a checkout (an unpacked sdist) everything that was not made here."""
    # the command-line scope is needed where the checkout belongs to another user and HOME holds no git settings
    listing = ["git", "-c", "safe.directory=*", "-C", str(top), "ls-files", "-z"]
    if (top / ".git").exists():
        done = subprocess.run(listing, capture_output=True, text=True, check=True, timeout=60)
        found = [top / name for name in done.stdout.split("\0") if name]
    else:
        found = [path for path in top.rglob("*") if not _is_made(path.relative_to(top))]
    return tuple(path for path in found if path.is_file() and not path.is_symlink())


def _is_made(path: Path) -> bool:
    return any(
        part in MADE or part.startswith(".venv") or part.endswith(("_cache", ".egg-info")) for part in path.parts
    )


def private_text(top: Path, files: Iterable[Path]) -> Iterable[Violation]:
    """Paths of a developer's machine and hosts of a registry, wherever they stand."""
    for path in files:
        name = path.relative_to(top).as_posix()
        if name.startswith(INVENTED):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        for rule, pattern in (("machine-paths", MACHINE), ("registries", REGISTRY)):
            for hit in pattern.finditer(text):
                yield Violation(rule, name, text.count("\n", 0, hit.start()) + 1, hit[0])


def lost_references(top: Path, page: Path) -> Iterable[Violation]:
    """Links and file names of a page that lead nowhere."""
    name = page.relative_to(top).as_posix()
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        for target in LINK.findall(line):
            if "://" not in target and not (page.parent / target).exists():
                yield Violation("links", name, number, target)
        for target in NAMED.findall(line):
            if target.endswith(".py") and not any((top / root / target).is_file() for root in ROOTS):
                yield Violation("file-names", name, number, target)
            if target.startswith(("tests/", "docs/", "src/")) and not (top / target).exists():
                yield Violation("file-names", name, number, target)
