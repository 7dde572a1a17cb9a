"""The home of all agents, for operations that need no opened agent: the settings file and where agents live."""

from collections.abc import Mapping
from dataclasses import dataclass

from everself.config import Loaded, load_here


@dataclass(frozen=True, slots=True)
class Home:
    """`environ` says where it is; None is the environment of this process."""

    environ: Mapping[str, str] | None = None

    def load(self) -> Loaded:
        return load_here(self.environ)
