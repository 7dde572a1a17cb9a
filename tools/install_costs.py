"""Print the cost of every dependency: megabytes on disk, the packages it requires, and the seconds of its first import.

usage: make install-costs [EXTRAS="models mcp"], or python -m tools.install_costs [EXTRA …]

Installs this checkout into an empty environment, without extras and then with each named one, and measures the result.
Produces the table of docs/install.md. Needs the package index, or a cache of it.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from tools.interpreters import TOP
from tools.make_venv import uv_environment

# run by the Python of the measured environment, which knows its packages and nothing of this repository
_WEIGH = """
import json
from importlib.metadata import distributions, packages_distributions
modules = {}
for module, names in packages_distributions().items():
    for name in names:
        modules.setdefault(name, []).append(module)
out = []
for one in distributions():
    name = one.metadata["Name"]
    size = 0
    for file in one.files or ():
        place = one.locate_file(file)
        # what Python compiles at its first run comes on top, and is no part of the package
        if place.is_file() and place.suffix != ".pyc":
            size += place.stat().st_size
    out.append({"name": name, "size": size, "needs": one.requires or [], "modules": modules.get(name, [])})
print(json.dumps(out))
"""
_IMPORT = "import time; began = time.process_time(); import {module}; print(time.process_time() - began)"
_SEEDS = {"pip", "setuptools", "wheel"}


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    size: int
    needs: tuple[str, ...]
    modules: tuple[str, ...] = ()


def key_of(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def brings(name: str, packages: Mapping[str, Package]) -> frozenset[str]:
    """The package and everything it requires."""
    found: set[str] = set()
    waiting = [key_of(name)]
    while waiting:
        one = waiting.pop()
        if one in packages and one not in found:
            found.add(one)
            waiting += map(key_of, packages[one].needs)
    return frozenset(found)


def only_by(name: str, direct: Iterable[str], packages: Mapping[str, Package]) -> frozenset[str]:
    """The packages that would not be installed without this one. Direct dependencies have a row of their own."""
    others = (brings(one, packages) for one in direct if key_of(one) != key_of(name))
    own = brings(name, packages) - frozenset().union(*others) - {key_of(one) for one in direct}
    return own | {key_of(name)}


def megabytes(names: Iterable[str], packages: Mapping[str, Package]) -> float:
    return sum(packages[one].size for one in names) / 1e6


def install(folder: Path, extras: Sequence[str]) -> dict[str, Package]:
    python = folder / "bin/python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    wanted = f"{TOP}[{','.join(extras)}]" if extras else str(TOP)
    limits = ["--constraint", str(TOP / "constraints.txt")]
    uv = shutil.which("uv")
    # this environment's pip installs into the other one, which has no pip that would be measured too
    pip = (
        [uv, "pip", "install", "--python", str(python)]
        if uv
        else [sys.executable, "-m", "pip", "--python", str(python), "install"]
    )
    subprocess.run([*pip, "--quiet", *limits, wanted], check=True, env=uv_environment(sys.executable))
    said = subprocess.run([python, "-c", _WEIGH], check=True, capture_output=True, text=True).stdout
    found = (Package(one["name"], one["size"], needed(one["needs"]), tuple(one["modules"])) for one in json.loads(said))
    return {key_of(one.name): one for one in found if key_of(one.name) not in _SEEDS}


def needed(lines: Iterable[str]) -> tuple[str, ...]:
    """The names that count here: without packages of extras and of other systems."""
    asked = map(Requirement, lines)
    return tuple(one.name for one in asked if one.marker is None or one.marker.evaluate({"extra": ""}))


def seconds(python: Path, package: Package) -> float:
    """Processor seconds of the package's first import; the least of three."""
    modules = [name for name in package.modules if name.isidentifier() and not name.startswith("_")]
    if not modules:
        return 0.0
    code = _IMPORT.format(module=min(modules, key=len))
    runs = (subprocess.run([python, "-c", code], capture_output=True, text=True, check=False).stdout for _ in range(3))
    return min((float(run) for run in runs if run), default=0.0)


def direct_dependencies(pyproject: Path) -> list[str]:
    listed = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["dependencies"]
    return [re.split(r"[\[<>=!~; ]", one, maxsplit=1)[0] for one in listed]


def table(python: Path, packages: Mapping[str, Package], direct: Sequence[str]) -> list[str]:
    lines = ["| dependency | MB | with what only it brings | import, ms |", "|---|--:|---|--:|"]
    rows = []
    for name in direct:
        own = only_by(name, direct, packages)
        along = ", ".join(sorted(packages[one].name for one in own - {key_of(name)}))
        cost = seconds(python, packages[key_of(name)]) * 1000
        rows.append((megabytes(own, packages), f"{name} |", along or "–", cost))
    lines += [f"| {name} {size:.1f} | {along} | {cost:.0f} |" for size, name, along, cost in sorted(rows, reverse=True)]
    count = len(packages) - 1
    whole = megabytes(packages, packages)
    return [
        *lines,
        f"| everself itself | {megabytes(['everself'], packages):.1f} | – | – |",
        f"| **{count} packages** | **{whole:.1f}** | | |",
    ]


def main(extras: Sequence[str]) -> int:
    direct = direct_dependencies(TOP / "pyproject.toml")
    with tempfile.TemporaryDirectory() as made:
        core = install(Path(made) / "core", ())
        print("\n".join(table(Path(made) / "core/bin/python", core, direct)))
        for extra in extras:
            more = install(Path(made) / extra, (extra,))
            added = more.keys() - core.keys()
            print(f"| everself[{extra}] | +{megabytes(added, more):.1f} | {len(added)} more packages | |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
