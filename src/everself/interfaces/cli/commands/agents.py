"""`everself agents`: who there is, one more, one less."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.interfaces.cli.call import answer, json_option
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import entries_of

if TYPE_CHECKING:
    from everself.operations.agents import AgentLine, AgentReport


@click.group(
    "agents",
    cls=Family,
    examples=[
        ("everself agents list", "who there is, and where each lives"),
        ("everself agents add aria", "one more, with a workspace of its own"),
    ],
)
@json_option
@click.pass_context
def agents(context: click.Context) -> None:
    """List, add and remove agents."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@agents.command("list", cls=Verb, examples=[("everself agents list", "the one with * answers when none is named")])
@json_option
def list_command() -> None:
    """List the agents, each with its name and where it lives."""
    from everself.operations.agents import list_agents

    found = list_agents()
    width = max(len(one.id) for one in found)
    answer(found, [_told(one, width) for one in found])


@agents.command("show", cls=Verb, examples=[("everself agents show aria", "where it lives and how it is set")])
@click.argument("agent", metavar="[NAME]", default="")
@json_option
def show(agent: str) -> None:
    """Show one agent: where it lives and how it is set."""
    from everself.operations.agents import show_agent

    found = show_agent(agent)
    answer(found, list(_described(found)))


@agents.command(
    "add",
    cls=Verb,
    examples=[
        ("everself agents add aria", "in its usual place"),
        ("everself agents add aria --workspace ~/aria", "in a folder of yours; what is there is not touched"),
    ],
)
@click.argument("agent", metavar="NAME")
@click.option("--workspace", metavar="PATH", default="", help="The folder to use; remembered in the host file.")
@json_option
def add(agent: str, workspace: str) -> None:
    """Add an agent with a workspace, an index and a state of its own.

    Nothing bleeds from one agent to another: not their memories, not their names, not their souls.
    """
    from everself.operations.agents import add_agent

    done = add_agent(agent, workspace)
    where = paint(done.report.workspace, bold=True)
    lines: list[Line] = [f"The agent {done.report.agent} lives in " + where + "."]
    lines.append(f"Name it with --agent {done.report.agent}, or with EVERSELF_PROFILE={done.report.agent}.")
    answer(done.report, lines)


@agents.command("remove", cls=Verb, examples=[("everself agents remove aria", "its files stay where they are")])
@click.argument("agent", metavar="NAME")
@json_option
def remove(agent: str) -> None:
    """Take an agent off the list; its files stay where they are.

    To bring it back, add it again with the same folder.
    """
    from everself.operations.agents import remove_agent

    gone = remove_agent(agent)
    lines: list[Line] = [
        f"The agent {gone.id} is no longer listed in {gone.file}.",
        f"Its files stay: {gone.workspace} and {gone.state}.",
        f"To bring it back: everself agents add {gone.id} --workspace {gone.workspace}",
    ]
    answer(gone, lines)


def _told(one: "AgentLine", width: int) -> Line:
    mark = paint("*", "green") if one.answers else " "
    name = f"{one.name} {one.emoji}".strip()
    where = one.workspace if one.lives else f"{one.workspace} (not set up yet: everself setup --agent {one.id})"
    return mark + " " + paint(f"{one.id:<{width}}", bold=one.answers) + f"  {name}  {where}"


def _described(found: "AgentReport") -> Iterator[Line]:
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
