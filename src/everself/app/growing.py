"""Opens growth for an agent: its policy and limits, which evidence is a correction, and whether the soul is withheld now."""

from typing import TYPE_CHECKING

from everself.identity.growth import Growth, Outlook
from everself.identity.soul import Rules
from everself.memory.provenance import CORRECTION
from everself.values import Tag
from everself.workspace.learned import SOUL

if TYPE_CHECKING:
    from everself.app.app import App


def open_growth(app: "App") -> Growth:
    found = app.tunables
    rules = Rules(app.agent.soul.policy, found.soul_max_tokens, found.soul_history_retention_days)

    def is_correction(reference: str) -> bool:
        kind, _, name = reference.partition(":")
        if kind != "entry":
            return kind == "file" and name.startswith("CORRECTIONS.md")
        entry = app.memory.book.find(name)
        # the last is what a correction leaves that found nothing to correct
        return entry is not None and (
            entry.tag is Tag.CORRECTION or entry.source == CORRECTION or entry.category == "correction"
        )

    def withheld() -> bool:
        # a breach has no path: then no document is known for sure
        strict = app.agent.soul.integrity == "strict"
        return strict and any(one.path in ("", SOUL) for one in app.integrity.look())

    return Growth(app.workspace, app.state, app.clock, rules, Outlook(is_correction, withheld))
