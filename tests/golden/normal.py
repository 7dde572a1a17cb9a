"""What is left of an answer when everything is taken out that another machine, another version or other wording may change."""

import re
from pathlib import Path
from typing import Any

from tests.golden.product import VERSION

WORDS = "<words>"
VARIES = "<varies>"
_DIGITS = 2
# of whatever command: what explains, and how long it took
_WORDED = frozenset({"doc", "help", "install", "meaning", "problem", "script"})
_TIMED = frozenset({"seconds"})
# of one command: how much room a file takes where compression or SQLite decide
_SIZES = {
    "backup": frozenset({"bytes"}),
    "memory status": frozenset({"size"}),
    # a secret, which no file of ours holds
    **dict.fromkeys(("gateway token add", "gateway token rotate"), frozenset({"token"})),
    **dict.fromkeys(("gateway hook add", "gateway hook rotate"), frozenset({"key"})),
}
# SQLite's and git's own, the embedder's, and what `restore` kept
_PASSING = re.compile(r"-(journal|wal|shm)$|/objects/|^models/|before-restore.*/")
_EMBEDDER = re.compile(r"(local/[\w-]+)/\d+(?:\.\d+)+(?:\+[0-9a-f]{8})?")


def normal_case(case: dict[str, Any], home: str) -> dict[str, Any]:
    varies = _TIMED | _SIZES.get(case["command"], frozenset())
    return {name: _normal(value, home, varies) for name, value in case.items()}


def _normal(value: Any, home: str, varies: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: _field(key, inner, value.keys(), home, varies) for key, inner in value.items()}
    if isinstance(value, list):
        return [_normal(one, home, varies) for one in value]
    if isinstance(value, float):
        # vectors differ in their last bits from machine to machine; and no -0.0
        return round(value, _DIGITS) + 0.0
    if isinstance(value, str):
        return _EMBEDDER.sub(r"\1/VERSION", value.replace(home, "HOME").replace(VERSION, "VERSION"))
    return value


def _field(key: str, value: Any, beside: Any, home: str, varies: frozenset[str]) -> Any:
    if key in varies:
        return VARIES
    # `message` alone is a message's id
    if key in _WORDED or (key in ("message", "mend") and {"message", "mend"} <= set(beside)):
        return WORDS if value else value
    if key == "notices" and isinstance(value, list):
        return [WORDS] * len(value)
    return _normal(value, home, varies)


def render_files(home: Path) -> str:
    """The bytes of the workspace and of the settings, line by line, and the names of all else that is kept."""
    top = home / ".everself"
    workspace = top / "workspace"
    shown = [workspace, *workspace.rglob("*"), top / "everself.json5"]
    beside = sorted(
        {path.relative_to(top).as_posix() for path in top.rglob("*")}
        - {path.relative_to(top).as_posix() for path in shown}
    )
    names = "".join(f"{name}\n" for name in beside if not _PASSING.search(name))
    return (
        "".join(_render_file(path, path.relative_to(top).as_posix(), home) for path in sorted(shown))
        + f"=== beside\n{names}"
    )


def _render_file(path: Path, name: str, home: Path) -> str:
    """Each line after a bar; what follows the last line feed after a backslash."""
    mode = path.lstat().st_mode & 0o777
    if path.is_dir():
        return f"=== {name}/ {mode:o}\n"
    *lines, rest = path.read_bytes().replace(str(home).encode(), b"HOME").split(b"\n")
    shown = "".join(f"|{_shown(line)}\n" for line in lines) + (f"\\{_shown(rest)}\n" if rest else "")
    return f"=== {name} {mode:o}\n{shown}"


def _shown(line: bytes) -> str:
    """As it is; where it holds anything but plain text, as Python writes its bytes."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return f" {line!r}"
    return text if text.isprintable() and not text.startswith(" b'") else f" {line!r}"
