"""The reference pages, generated from the declarations in the code: operations, settings, errors.

`tools/docs_site.py` generates them at every build; they are not in the repository, so they are never outdated.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, get_args, get_origin

import everself.errors
from everself.config.schema import SETTINGS
from everself.errors import EverselfError
from everself.operations.caller import Audience
from everself.operations.declaration import Argument, Field, Operation
from everself.operations.registry import all_operations

PAGES = {"operations": "Operations, all of them", "settings": "Settings, all of them", "errors": "Errors"}
_BY = "This page is made from {source} whenever the site is built."
_EFFECTS = {"read": "reads", "write": "changes something", "destructive": "cannot be undone"}
_DRAWN = re.compile(r"[├└]── (\w+) +(\S.*)")


def operations_page() -> str:
    """Every operation with its parameters, who may call it, and its interfaces."""
    lines = [
        "# Operations",
        "",
        "An operation is declared once; commands, `--json`, slash commands, tools of models, MCP tools and HTTP routes are made from it.",
        _BY.format(source="the registry of operations"),
        "How a command is typed stands in [commands](../commands.md).",
    ]
    found = sorted(all_operations(), key=lambda one: (one.name.partition(".")[0], one.name))
    for group, members in groupby(found, key=lambda one: one.name.partition(".")[0]):
        lines += ["", f"## {group}"]
        for one in members:
            lines += ["", f"### `{one.name}`", "", one.help, "", *_facts(one), *_fields(one)]
    return "\n".join(lines) + "\n"


def _facts(one: Operation[Any, Any]) -> Iterator[str]:
    yield f"- who may ask: {one.audience.words}"
    yield f"- effect: {_EFFECTS[one.effect]}{', the same when called again' if one.idempotent else ''}"
    ways = [
        f"`everself {one.name.replace('.', ' ')}`" if one.command else "",
        f"`{one.slash}` in a chat" if one.slash else "",
        f"tool `{one.tool.name}`" if one.tool else "",
        f"MCP tool `{one.mcp.name}`" if one.mcp else "",
        "HTTP" if one.http and one.audience is not Audience.OWNER_AT_TERMINAL else "",
        "Python: `Agent.run`",
    ]
    yield f"- reached by: {', '.join(way for way in ways if way)}"


def _fields(one: Operation[Any, Any]) -> Iterator[str]:
    if one.fields:
        yield from ("", "| field | type | default | meaning |", "|---|---|---|---|")
    for each in one.fields:
        default = (
            "required" if not each.optional else f"`{each.default!r}`" if each.default not in ("", None, ()) else "–"
        )
        yield f"| `{each.name}` | {_type(each)} | {default} | {_cell(each.option.help)} |"


def _type(each: Field) -> str:
    kind = get_args(each.kind)[0] if each.many else each.kind
    name = (
        " \\| ".join(f"`{one}`" for one in get_args(kind))
        if get_origin(kind) is not None
        else getattr(kind, "__name__", str(kind))
    )
    named = {"str": "text", "int": "number", "float": "number", "bool": "yes or no"}.get(name, name)
    return f"{named}, several" if each.many else named + (", positional" if isinstance(each.option, Argument) else "")


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Every key, its default and where it may stand: in the host file, or in the workspace's `CONFIG.md`.",
        _BY.format(source="the table of settings"),
        "How settings are read and changed stands in [configuration](../configuration.md).",
    ]
    ordered = sorted(SETTINGS, key=lambda one: (one.key.partition(".")[0], one.key))
    for group, members in groupby(ordered, key=lambda one: one.key.partition(".")[0]):
        lines += ["", f"## {group}", "", "| key | default | where | meaning |", "|---|---|---|---|"]
        for one in members:
            default = "–" if one.default in (None, "", [], (), {}) else f"`{_plain(one.default)}`"
            where = f"{one.place}{', own for an agent' if one.own else ''}{', secret' if one.secret else ''}"
            lines.append(f"| `{one.key}` | {default} | {where} | {_cell(one.doc)} |")
    return "\n".join(lines) + "\n"


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else _cell(str(value))


def errors_page() -> str:
    """Each error class with its description in the error tree, otherwise its first sentence."""
    drawn = dict(_DRAWN.findall(everself.errors.__doc__ or ""))
    lines = [
        "# Errors",
        "",
        "Every error of Everself is an `EverselfError` of `everself.errors`.",
        "`detail` says what exactly happened, `mend` which command or step helps.",
        "What is expected to happen, such as a conflict, is a value and no error.",
        _BY.format(source="`everself/errors.py`"),
        "",
        "| class | kind of | says |",
        "|---|---|---|",
    ]
    for one in _tree(EverselfError):
        above = one.__bases__[0].__name__ if one is not EverselfError else "Exception"
        lines.append(f"| `{one.__name__}` | `{above}` | {_cell(drawn.get(one.__name__, one.headline))} |")
    return "\n".join(lines) + "\n"


def _tree(above: type[EverselfError]) -> Iterator[type[EverselfError]]:
    yield above
    for one in above.__subclasses__():
        if one.__module__ == everself.errors.__name__:
            yield from _tree(one)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def render_pages() -> dict[str, str]:
    """The text of each of `PAGES`."""
    return {"operations": operations_page(), "settings": settings_page(), "errors": errors_page()}
