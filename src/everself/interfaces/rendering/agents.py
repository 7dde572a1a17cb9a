"""Output of `everself agents`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, entries_of, paint
from everself.interfaces.rendering.view import Look, View
from everself.operations.agents import AgentLine, AgentReport, Removed
from everself.operations.setup import SetupResult


def _listed(found: tuple[AgentLine, ...], _: Look) -> Iterable[Line]:
    width = max(len(one.id) for one in found)
    return [_told(one, width) for one in found]


def _added(done: SetupResult, _: Look) -> Iterable[Line]:
    agent, where = done.report.agent, paint(done.report.workspace, bold=True)
    return [
        f"The agent {agent} lives in " + where + ".",
        f"Name it with --agent {agent}, or with EVERSELF_PROFILE={agent}.",
    ]


def _removed(gone: Removed, _: Look) -> Iterable[Line]:
    return [
        f"The agent {gone.id} is no longer listed in {gone.file}.",
        f"Its files stay: {gone.workspace} and {gone.state}.",
        f"To bring it back: everself agents add {gone.id} --workspace {gone.workspace}",
    ]


def _told(one: AgentLine, width: int) -> Line:
    mark = paint("*", "green") if one.answers else " "
    name = f"{one.name} {one.emoji}".strip()
    where = one.workspace if one.lives else f"{one.workspace} (not set up yet: everself setup --agent {one.id})"
    return mark + " " + paint(f"{one.id:<{width}}", bold=one.answers) + f"  {name}  {where}"


def _described(found: AgentReport, _: Look) -> Iterator[Line]:
    line = found.line
    yield (
        paint(f"{line.name} {line.emoji}".strip(), bold=True)
        + f" ({line.id})"
        + (", who answers when none is named" if line.answers else "")
    )
    yield f"  workspace    {line.workspace}" + ("" if line.lives else " (not set up yet)")
    yield f"  state        {line.state}"
    yield f"  entries      {'-' if found.entries is None else entries_of(found.entries)}"
    yield f"  model        {found.model}"
    yield f"  time zone    {found.time_zone or 'from USER.md, else the machine'}"
    yield f"  soul         {found.soul_policy}; changes from outside: {found.soul_integrity}"
    yield f"  context      {found.profile}"


VIEWS: Final = {
    "agents.list": View(_listed),
    "agents.show": View(_described),
    "agents.add": View(_added, data=lambda done: done.report),
    "agents.remove": View(_removed),
}
