"""How a section declares its settings, and how the declarations become one table.

Knows no particular setting. `*` in a key stands for a name the person chooses, `[]` for one agent of the list.
"""

from collections.abc import Iterator
from dataclasses import field, fields, replace
from typing import Any, Literal

from everself.config.kinds import Kind, Plain
from everself.frozen import Frozen

Place = Literal["host", "both"]


class Setting(Frozen):
    """`own` is the name under `agents.list[]` by which one agent may differ; empty where none may."""

    key: str
    kind: Kind
    default: Plain
    doc: str
    place: Place = "host"
    secret: bool = False
    own: str = ""


class Scope(Frozen):
    """Where the settings of a section stand: for all agents, and below one agent; None where they may not."""

    shared: str | None = ""
    own: str | None = None

    def inside(self, name: str, shared: str | None) -> "Scope":
        """The scope of what is called `name` in this one; `shared` replaces the first place unless it is empty."""

        def join(place: str | None) -> str | None:
            return place if place is None or not name else f"{place}.{name}".lstrip(".")

        return Scope(join(self.shared) if shared == "" else shared, join(self.own))


EVERYONE = Scope()
AGENT = Scope("agents.defaults", "")


def setting(name: str, kind: Kind, default: Plain, doc: str, **options: Any) -> Any:
    """A field of a section that is one setting, called as the field is where `name` is empty.

    Options: `place`, `secret`, and `shared`, which is None where only single agents have it, or its key for all of them
    where that does not follow from the section's place.
    """
    shared = options.pop("shared", "")
    told = () if name.endswith("*") else None if options.get("secret") else kind.convert(default)
    declared = Setting(name, kind, default, doc, **options)
    return field(default=told, metadata={"setting": declared, "shared": shared})


def group(name: str, section: type, *, shared: str | None = "") -> Any:
    """A field of a section that is a section itself, its settings below `name`; `shared` as for a setting."""
    return field(default_factory=section, metadata={"group": section, "name": name, "shared": shared})


def members_of(section: type, scope: Scope) -> Iterator[tuple[str, Setting | tuple[type, Scope]]]:
    """By the name of a field: the setting that it declares, as it is called in that scope, or the section that it holds and its scope."""
    for member in fields(section):
        told = member.metadata
        if "group" in told:
            yield member.name, (told["group"], scope.inside(told["name"], told["shared"]))
        elif "setting" in told:
            here = scope.inside(told["setting"].key or member.name, told["shared"])
            key = f"agents.list[].{here.own}" if here.shared is None else here.shared
            yield member.name, replace(told["setting"], key=key, own=here.own or "")


def list_table(section: type, scope: Scope) -> Iterator[Setting]:
    """Every setting of a section and of the sections in it."""
    for _, found in members_of(section, scope):
        yield from (found,) if isinstance(found, Setting) else list_table(*found)
