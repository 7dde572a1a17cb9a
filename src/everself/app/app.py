"""App: one agent, opened. Its parts are made when they are first asked for, so that a command pays only for what it uses."""

import os
from functools import cached_property
from typing import Self

from everself.app.changes import Changes
from everself.app.outside import ensure_folder, ensure_key
from everself.clock import Clock, find_zone, host_zone
from everself.config import Agent, Loaded, Places
from everself.errors import NotFound
from everself.store.state import State, open_state
from everself.workspace.assembly import Habits, assemble, real_grounds
from everself.workspace.guards import standard_guards
from everself.workspace.on_disk import DiskWorkspace, Recovery

STATE_FILE = "state.db"


class App:
    """Use as a context manager: leaving it commits what still waits for the history."""

    def __init__(self, places: Places, loaded: Loaded, agent: Agent) -> None:
        self.places = places
        self.loaded = loaded
        self.agent = agent
        self.recovered = Recovery()

    @cached_property
    def clock(self) -> Clock:
        return Clock(find_zone(self.agent.time_zone) if self.agent.time_zone else host_zone())

    @cached_property
    def state(self) -> State:
        ensure_folder(self.agent.state)
        return open_state(f"{self.agent.state}/{STATE_FILE}", ensure_key(self.places.key_folder))

    @cached_property
    def workspace(self) -> DiskWorkspace:
        """The agent's workspace, with whatever a dead process left half done completed first."""
        if not os.path.isdir(self.agent.workspace):
            raise NotFound(f"There is no workspace at {self.agent.workspace} yet.", mend="everself setup")
        ensure_folder(self.agent.state)
        grounds = real_grounds(self.agent.workspace, self.agent.state)
        made = assemble(grounds, self.state, self.clock, Habits(guards=standard_guards()))
        self.recovered = made.recover()
        return made

    @cached_property
    def changes(self) -> Changes:
        return Changes(self.workspace)

    def close(self) -> None:
        if "workspace" in self.__dict__:
            self.workspace.close()
        if "state" in self.__dict__:
            self.state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
