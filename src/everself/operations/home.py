"""The home of all agents: settings and paths. For operations that need no opened agent."""

from collections.abc import Mapping

from everself.config import Loaded, Places, environment, find_places, load_here
from everself.frozen import Frozen


class Home(Frozen):
    """`environ` locates the home; None means the environment of this process."""

    environ: Mapping[str, str] | None = None

    @property
    def variables(self) -> Mapping[str, str]:
        return environment() if self.environ is None else self.environ

    @property
    def places(self) -> Places:
        return find_places(self.variables)

    def load(self) -> Loaded:
        return load_here(self.environ)
