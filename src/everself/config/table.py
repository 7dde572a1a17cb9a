"""How a section declares its settings, and how the declarations become one table.

Knows no particular setting. `*` in a key stands for a name the person chooses, `[]` for one agent of the list.
"""

from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, Literal

from everself.config.kinds import Kind, Plain

Place = Literal["host", "both"]


@dataclass(frozen=True, slots=True)
class Setting:
    """`own` is the name under `agents.list[]` by which one agent may differ; empty where none may."""

    key: str
    kind: Kind
    default: Plain
    doc: str
    place: Place = "host"
    secret: bool = False
    own: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
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


def setting_of(member: "Field[Any]", scope: Scope) -> Setting | None:
    """The setting that a field declares, as it is called in that scope."""
    declared: Setting | None = member.metadata.get("setting")
    if declared is None:
        return None
    here = scope.inside(declared.key or member.name, member.metadata["shared"])
    key = f"agents.list[].{here.own}" if here.shared is None else here.shared
    return replace(declared, key=key, own=here.own or "")


def group_of(member: "Field[Any]", scope: Scope) -> tuple[type, Scope] | None:
    """The section that a field holds, and its scope."""
    section = member.metadata.get("group")
    return (section, scope.inside(member.metadata["name"], member.metadata["shared"])) if section else None


def list_table(section: type, scope: Scope) -> Iterator[Setting]:
    """Every setting of a section and of the sections in it."""
    for member in fields(section):
        declared, inner = setting_of(member, scope), group_of(member, scope)
        if declared is not None:
            yield declared
        elif inner is not None:
            yield from list_table(*inner)
