"""Release a version: check that all files agree, build and try the packages, and tag the commit.

usage: python -m tools.release [--check] VERSION

`--check` changes nothing. Publishing is a separate step: the built packages are in dist/, and the tag is local until it
is pushed.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tools.interpreters import TOP, promised
from tools.wheel import main as try_wheels

_PLUGIN = "plugins/everself/.claude-plugin/plugin.json"
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")


def git(top: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=top, check=True, capture_output=True, text=True).stdout.strip()


def find_faults(top: Path, version: str) -> list[str]:
    """What prevents the release of this version, each with what to do."""
    faults = []
    if not _VERSION.fullmatch(version):
        faults.append(f"“{version}” is no version: write MAJOR.MINOR.PATCH, as 0.2.0 or 0.2.0rc1.")
    source = (top / "src/everself/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    if found is None or found[1] != version:
        faults.append(
            f"src/everself/__init__.py says {found[1] if found else 'nothing'}: set __version__ to {version}."
        )
    listed = json.loads((top / "server.json").read_text(encoding="utf-8"))
    if {listed["version"], *(one["version"] for one in listed["packages"])} != {version}:
        faults.append(f"server.json says another version: set each of its versions to {version}.")
    plugin = json.loads((top / _PLUGIN).read_text(encoding="utf-8"))
    if plugin["version"] != version:
        faults.append(f"{_PLUGIN} says another version: set it to {version}.")
    changes = (top / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE):
        faults.append(
            f"CHANGELOG.md has no heading “## [{version}] - YYYY-MM-DD”: move what is under Unreleased there."
        )
    faults += _names_that_differ(top, str(listed.get("name", "")))
    if git(top, "status", "--porcelain"):
        faults.append("There are changes that are not committed: commit them.")
    if (branch := git(top, "rev-parse", "--abbrev-ref", "HEAD")) != "main":
        faults.append(f"The branch is {branch}: releases are made from main.")
    if git(top, "tag", "--list", f"v{version}"):
        faults.append(f"The tag v{version} exists: a released version is never changed. Take the next number.")
    return faults


def _names_that_differ(top: Path, server: str) -> list[str]:
    """Names that only the maintainers can decide, because they follow from where the repository is published."""
    urls = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8")).get("project", {}).get("urls", {})
    if not urls:
        return ["pyproject.toml has no [project.urls]: say there where the source and the issues are."]
    faults = []
    owners = {found[1].lower() for url in urls.values() if (found := re.match(r"https://github\.com/([^/]+)/", url))}
    if owners and not any(server.startswith(f"io.github.{one}/") for one in owners):
        faults.append(
            f"server.json is named “{server}”: a registry takes io.github.{min(owners)}/everself from this repository."
        )
    if f"mcp-name: {server} " not in (top / "README.md").read_text(encoding="utf-8"):
        faults.append(
            f"README.md does not say “mcp-name: {server}”, by which the registry knows that the package is ours."
        )
    return faults


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.release", description="Check, build and tag a release.")
    parser.add_argument("--check", action="store_true", help="look only; change nothing")
    parser.add_argument("version", metavar="VERSION")
    given = parser.parse_args(arguments)
    faults = find_faults(TOP, given.version)
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    if given.check:
        print(f"{given.version} can be released.")
        return 0
    for target in ("check", "test", "test-all"):
        subprocess.run(["make", target], cwd=TOP, check=True)
    if try_wheels(promised(TOP / "pyproject.toml")):
        return 1
    shutil.rmtree(TOP / "dist", ignore_errors=True)
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist", "."], cwd=TOP, check=True)
    git(TOP, "tag", "--annotate", f"v{given.version}", "--message", f"Everself {given.version}")
    made = ", ".join(sorted(one.name for one in (TOP / "dist").iterdir()))
    print(
        f"Tagged v{given.version}; dist/ holds {made}. Next: git push origin main v{given.version}, then upload dist/."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
