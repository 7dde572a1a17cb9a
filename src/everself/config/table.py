"""Declares settings in sections, and collects the declarations in one table.

Knows no particular setting. In a key, `*` is a name that the user chooses and `[]` is one agent of the list.
"""

from collections.abc import Iterator
from dataclasses import field, fields, replace
from typing import Any, Literal

from everself.config.kinds import Kind, Plain
from everself.frozen import Frozen

Place = Literal["host", "both"]


class Setting(Frozen):
    """`own` is the name under `agents.list[]` by which one agent may override it; empty if none may."""

    key: str
    kind: Kind
    default: Plain
    doc: str
    place: Place = "host"
    secret: bool = False
    own: str = ""


class Scope(Frozen):
    """The prefix of a section's settings: for all agents, and for one agent; None if not allowed there."""

    shared: str | None = ""
    own: str | None = None

    def inside(self, name: str, shared: str | None) -> "Scope":
        """The scope of the group `name` in this one; a non-empty `shared` replaces the shared prefix."""

        def join(place: str | None) -> str | None:
            return place if place is None or not name else f"{place}.{name}".lstrip(".")

        return Scope(join(self.shared) if shared == "" else shared, join(self.own))


EVERYONE = Scope()
AGENT = Scope("agents.defaults", "")


def setting(name: str, kind: Kind, default: Plain, doc: str, **options: Any) -> Any:
    """A field that is one setting; with an empty `name`, it is called like the field.

    Options: `place`, `secret`, and `shared`: None if only single agents have the setting, or its shared key if that does not follow from
    the section.
    """
    shared = options.pop("shared", "")
    told = () if name.endswith("*") else None if options.get("secret") else kind.convert(default)
    declared = Setting(name, kind, default, doc, **options)
    return field(default=told, metadata={"setting": declared, "shared": shared})


def group(name: str, section: type, *, shared: str | None = "") -> Any:
    """A field that is a section with its settings below `name`; `shared` as for a setting."""
    return field(default_factory=section, metadata={"group": section, "name": name, "shared": shared})


def members_of(section: type, scope: Scope) -> Iterator[tuple[str, Setting | tuple[type, Scope]]]:
    """For each field, its name and the setting with its key in that scope, or the nested section and its scope."""
    for member in fields(section):
        told = member.metadata
        if "group" in told:
            yield member.name, (told["group"], scope.inside(told["name"], told["shared"]))
        elif "setting" in told:
            here = scope.inside(told["setting"].key or member.name, told["shared"])
            key = f"agents.list[].{here.own}" if here.shared is None else here.shared
            yield member.name, replace(told["setting"], key=key, own=here.own or "")


def list_table(section: type, scope: Scope) -> Iterator[Setting]:
    """Every setting of a section and its nested sections."""
    for _, found in members_of(section, scope):
        yield from (found,) if isinstance(found, Setting) else list_table(*found)
