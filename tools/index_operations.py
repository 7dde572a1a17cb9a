"""Writes `src/everself/operations/_index.py`: the operations by name, so that the command line starts without importing them."""

import importlib
import pkgutil
from pathlib import Path

import everself.operations
from everself.operations.declaration import declared

TARGET = Path(everself.operations.__file__).parent / "_index.py"
HEAD = '''"""Made by `python -m tools.index_operations`: name, module, help, tool, slash command, argument and MCP tool of each."""

# ruff: noqa: E501 (generated: one row a line)
# fmt: off
INDEX: tuple[tuple[str, str, str, str, str, str, str], ...] = (
'''


def render() -> str:
    """The table according to the declarations."""
    prefix = f"{everself.operations.__name__}."
    for module in pkgutil.walk_packages(everself.operations.__path__, prefix):
        importlib.import_module(module.name)
    rows = []
    for one in declared().values():
        module = one.module
        offered = (one.tool.name if one.tool else "", one.slash, one.takes, one.mcp.name if one.mcp else "")
        cells = (one.name, module, one.help, *offered)
        rows.append((module, f"    ({', '.join(map(_quoted, cells))}),\n"))
    # by module, and within one in the order of the declarations
    return HEAD + "".join(row for _, row in sorted(rows, key=lambda pair: pair[0])) + ")\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    TARGET.write_text(render(), "utf-8")
