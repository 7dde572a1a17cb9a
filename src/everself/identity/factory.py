"""Opens the persona and the growth of an agent, with the checks that growth needs from memory and integrity."""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from everself.errors import TooLarge
from everself.memory.provenance import CORRECTION
from everself.storage.filesystem import READ_LIMIT
from everself.values import Tag
from everself.workspace.learned import SOUL

if TYPE_CHECKING:
    from everself.clock import Clock
    from everself.config.sections import AgentSettings, AlternatePersona, Tunables
    from everself.identity.growth import Growth
    from everself.identity.integrity import Integrity
    from everself.identity.persona import Persona
    from everself.memory.memory import Memory
    from everself.storage.state.database import State
    from everself.workspace.disk_workspace import DiskWorkspace


def open_persona(
    settings: "AlternatePersona", clock: "Clock", state: "State", integrity: "Callable[[], Integrity]"
) -> "Persona":
    """It reads what integrity saw at its last check: the caller checks before each turn."""
    from everself.identity.persona import Persona

    return Persona(
        settings, clock, state.personas, lambda path: _whole(integrity(), path), random.SystemRandom().random
    )


def _whole(integrity: "Integrity", path: str) -> bytes | None:
    """A soul is used whole or not at all."""
    found = integrity.text(path)
    if found is not None and len(found) >= READ_LIMIT:
        raise TooLarge(f"{path} exceeds the size that Everself reads.", mend="Shorten it.")
    return found


def open_growth(
    agent: "AgentSettings",
    tunables: "Tunables",
    workspace: "DiskWorkspace",
    state: "State",
    clock: "Clock",
    memory: "Callable[[], Memory]",
    integrity: "Callable[[], Integrity]",
) -> "Growth":
    from everself.identity.growth import Growth, GrowthChecks
    from everself.identity.soul import SoulRules

    rules = SoulRules(agent.soul.policy, tunables.soul_max_tokens, tunables.soul_history_retention_days)

    def is_correction(reference: str) -> bool:
        kind, _, name = reference.partition(":")
        if kind != "entry":
            return kind == "file" and name.startswith("CORRECTIONS.md")
        entry = memory().catalog.find(name)
        # the last is left by a correction that found no wrong entry
        return entry is not None and (
            entry.tag is Tag.CORRECTION or entry.source == CORRECTION or entry.category == "correction"
        )

    def withheld() -> bool:
        # a breach has no path: then no document can be trusted
        strict = agent.soul.integrity == "strict"
        return strict and any(one.path in ("", SOUL) for one in integrity().look())

    return Growth(workspace, state, clock, rules, GrowthChecks(is_correction, withheld))
