"""The verbs over the list of agents: who there is, one more, one less. Nobody's files are touched by leaving the list."""

import os
from dataclasses import dataclass

from everself.config import AgentSettings, Config, load_here
from everself.config.host_edits import Edited
from everself.config.json5_splice import Editor
from everself.config.places import MAIN
from everself.errors import EverselfError, NotFound, RefusedByRule, WrongUse
from everself.identity.card import IDENTITY_FILE, resolve
from everself.operations.settings import save_edit
from everself.operations.setup import Settled, settle
from everself.runtime import make_runtime
from everself.storage.host_files import find_file

_LIST = ("agents", "list")


@dataclass(frozen=True, slots=True)
class AgentLine:
    """One agent of the list. `answers`: it is meant where none is named; `lives`: its workspace is there."""

    id: str
    name: str
    emoji: str
    answers: bool
    lives: bool
    workspace: str
    state: str


@dataclass(frozen=True, slots=True)
class AgentReport:
    """One agent: where it lives and how it is set."""

    line: AgentLine
    model: str
    time_zone: str
    soul_policy: str
    soul_integrity: str
    profile: str
    entries: int | None


@dataclass(frozen=True, slots=True)
class Removed:
    """An agent that is no longer listed, and where its files still are."""

    id: str
    workspace: str
    state: str
    file: str


def list_agents() -> tuple[AgentLine, ...]:
    config = load_here().config
    return tuple(_line(config, one) for one in config.agents)


def show_agent(agent: str = "") -> AgentReport:
    """The agent of that id, or the one that answers when none is named."""
    config = load_here().config
    chosen = config.agent(agent)
    return AgentReport(
        line=_line(config, chosen),
        model=chosen.model,
        time_zone=chosen.time_zone,
        soul_policy=chosen.soul.policy.value,
        soul_integrity=chosen.soul.integrity.value,
        profile=chosen.context.profile.value,
        entries=_entries(chosen),
    )


def add_agent(agent: str, workspace: str = "") -> Settled:
    """One more agent, with a workspace, an index and a state of its own."""
    if not agent:
        raise WrongUse("An agent needs a name.", mend="everself agents add NAME")
    # ids that differ in case alone would share a folder on some systems
    known = next((one for one in load_here().config.agents if one.id.lower() == agent.lower()), None)
    # until somebody is listed there is `main`, whether or not it was ever set up
    if known is not None and (known.id != MAIN or os.path.isdir(known.workspace)):
        raise RefusedByRule(f"There is an agent {known.id} already.", mend=f"everself setup --agent {known.id}")
    return settle(agent, workspace)


def remove_agent(agent: str) -> Removed:
    """Take an agent off the list. Its workspace and its state stay where they are, so that adding it again brings it back."""
    config = load_here().config
    chosen = config.agent(agent)
    if len(config.agents) == 1:
        raise RefusedByRule(f"{chosen.id} is the only agent.", mend="everself agents add NAME, then remove it")

    def plan(host: str | None, _: str | None) -> Edited:
        editor = Editor(host or "")
        where, _found = editor.follow((*_LIST, chosen.id))
        if len(where) != len(_LIST) + 1:
            raise NotFound(f"{chosen.id} does not stand in agents.list.", mend="Edit the host file by hand.")
        return Edited(editor.remove((*_LIST, chosen.id)))

    saved = save_edit("agents.list", plan)
    return Removed(chosen.id, chosen.workspace, chosen.state, saved.file)


def _line(config: Config, agent: AgentSettings) -> AgentLine:
    lives = os.path.isdir(agent.workspace)
    try:
        said = find_file(f"{agent.workspace}/{IDENTITY_FILE}")
    except EverselfError:
        # whatever is wrong with the file, `everself identity` says
        said = None
    card = resolve(config.ui, agent.identity, said)
    answers = agent.id == (config.places.profile or config.default_agent)
    return AgentLine(agent.id, card.name.value, card.emoji.value, answers, lives, agent.workspace, agent.state)


def _entries(agent: AgentSettings) -> int | None:
    """How many entries it has; none where nothing has been set up yet."""
    if not os.path.isdir(agent.workspace) or not os.path.isdir(agent.state):
        return None
    with make_runtime(agent.id) as app:
        app.memory.catalog.refresh()
        return sum(app.state.entries.counts().values())
