"""How `everself memory vouch` and `release` show what they did for an entry."""

from typing import TYPE_CHECKING, Final

from everself.interfaces.rendering.lines import entries_of
from everself.interfaces.rendering.view import Look, View
from everself.operations.vouchers import Vouched, VouchPlan

if TYPE_CHECKING:
    from everself.memory.quarantine import Released


def _vouched(done: Vouched | VouchPlan, _: Look) -> list[str]:
    if isinstance(done, VouchPlan):
        return [f"Nobody vouches for {entries_of(done.entries)} yet."]
    return [f"Vouched for {entries_of(len(done.vouched))}." if done.vouched else "All of it was vouched for already."]


def _released(done: "Released", _: Look) -> list[str]:
    return [f"{done.entry} stands in {done.path} now; its source is still {done.source}."]


VIEWS: Final = {"memory.vouch": View(_vouched), "memory.release": View(_released)}
