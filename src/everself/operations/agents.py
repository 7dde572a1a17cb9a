"""Operations on the list of agents: list, show, add, remove. Removing an agent from the list deletes no file."""

import os
from typing import Annotated

from everself.config import AgentSettings, Config
from everself.config.host_edits import Edited
from everself.config.json5_splice import Editor
from everself.config.places import MAIN
from everself.errors import EverselfError, NotFound, RefusedByRule, WrongUse
from everself.identity.card import IDENTITY_FILE, resolve
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, NoRequest, Option, Request, Result, owner_reads, terminal_writes
from everself.operations.home import Home
from everself.operations.settings import save_edit
from everself.operations.setup import FOLDER, SetupRequest, SetupResult, set_up_agent
from everself.runtime import Runtime, make_runtime
from everself.storage.host_files import find_file

_LIST = ("agents", "list")


class AgentLine(Result):
    """One agent of the list. `answers`: it is the default agent; `lives`: its workspace exists."""

    id: str
    name: str
    emoji: str
    answers: bool
    lives: bool
    workspace: str
    state: str


class AgentReport(Result):
    line: AgentLine
    model: str
    time_zone: str
    soul_policy: str
    soul_integrity: str
    profile: str
    entries: int | None


class Removed(Result):
    """An agent that was removed from the list. Its files still exist at these paths."""

    id: str
    workspace: str
    state: str
    file: str


@owner_reads("agents.list", on="home")
def list_agents(home: Home, _: Caller, __: NoRequest) -> tuple[AgentLine, ...]:
    """List the agents, each with its name and workspace.

    $ everself agents list  # the one with * answers when none is named
    """
    config = home.load().config
    return tuple(_line(config, one) for one in config.agents)


class AgentRequest(Request):
    name: Annotated[str, Argument("The agent; the default agent unless given.", "[NAME]")] = ""


class ShowAgentRequest(AgentRequest):
    count: Annotated[bool, Option("Count its entries, which opens it.", only=("http",))] = True


@owner_reads("agents.show", on="home")
def show_agent(home: Home, _: Caller, request: ShowAgentRequest) -> AgentReport:
    """Show one agent: its workspace and settings.

    $ everself agents show aria  # where it lives and how it is set
    """
    config = home.load().config
    chosen = config.agent(request.name)
    return AgentReport(
        line=_line(config, chosen),
        model=chosen.model,
        time_zone=chosen.time_zone,
        soul_policy=chosen.soul.policy.value,
        soul_integrity=chosen.soul.integrity.value,
        profile=chosen.context.profile.value,
        entries=_entries(home, chosen) if request.count else None,
    )


class AddAgentRequest(Request):
    name: Annotated[str, Argument("What it is called by --agent.", "NAME")]
    workspace: Annotated[str, FOLDER] = ""


@terminal_writes("agents.add", on="home")
def add_agent(home: Home, caller: Caller, request: AddAgentRequest) -> SetupResult:
    """Add an agent with its own workspace, index and state.

    Agents share nothing: no memories, no names, no souls.

    $ everself agents add aria  # in its usual place
    $ everself agents add aria --workspace ~/aria  # in a folder of yours; what is there is not touched
    """
    name = request.name
    if not name:
        raise WrongUse("An agent needs a name.", mend="everself agents add NAME")
    # on some systems, ids that differ only in case would share a folder
    known = next((one for one in home.load().config.agents if one.id.lower() == name.lower()), None)
    # with an empty list there is still the agent `main`, whether or not it was set up
    if known is not None and (known.id != MAIN or os.path.isdir(known.workspace)):
        raise RefusedByRule(f"An agent named {known.id} already exists.", mend=f"everself setup --agent {known.id}")
    # setup asks before it takes over a folder that holds notes
    return set_up_agent(home, Caller(caller.audience), SetupRequest(agent=name, workspace=request.workspace))


class RemoveAgentRequest(Request):
    name: Annotated[str, Argument("The agent.", "NAME")]


@terminal_writes("agents.remove", on="home")
def remove_agent(home: Home, _: Caller, request: RemoveAgentRequest) -> Removed:
    """Remove an agent from the list; its files stay.

    To bring it back, add it again with the same folder.

    $ everself agents remove aria  # its files stay where they are
    """
    config = home.load().config
    chosen = config.agent(request.name)
    if len(config.agents) == 1:
        raise RefusedByRule(f"{chosen.id} is the only agent.", mend="everself agents add NAME, then remove it")

    def plan(host: str | None, _: str | None) -> Edited:
        editor = Editor(host or "")
        where, _found = editor.follow((*_LIST, chosen.id))
        if len(where) != len(_LIST) + 1:
            raise NotFound(f"agent {chosen.id} in agents.list.", mend="Edit the host file by hand.")
        return Edited(editor.remove((*_LIST, chosen.id)))

    saved = save_edit(home, "agents.list", plan)
    return Removed(chosen.id, chosen.workspace, chosen.state, saved.file)


def _line(config: Config, agent: AgentSettings) -> AgentLine:
    lives = os.path.isdir(agent.workspace)
    try:
        said = find_file(f"{agent.workspace}/{IDENTITY_FILE}")
    except EverselfError:
        # `everself identity` reports what is wrong with the file
        said = None
    card = resolve(config.ui, agent.identity, said)
    answers = agent.id == (config.places.profile or config.default_agent)
    return AgentLine(agent.id, card.name.value, card.emoji.value, answers, lives, agent.workspace, agent.state)


def _entries(home: Home, agent: AgentSettings) -> int | None:
    """The number of its entries; None before setup."""
    if not os.path.isdir(agent.workspace) or not os.path.isdir(agent.state):
        return None
    with make_runtime(agent.id, environ=home.environ) as app:
        return count_entries(app)


def count_entries(runtime: Runtime) -> int:
    """The number of entries of an opened agent. In one that stays open, an edit within a document counts once it was read."""
    runtime.memory.catalog.refresh_shown()
    return runtime.state.entries.total()
