"""The verbs over the first conversation: whether it is still to be had, what its end would write, and its end. Knows no face."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from everself.errors import ChangedMeanwhile
from everself.identity.ritual import Answers, Finished
from everself.values import Conflict
from everself.workspace.diff import render_diff
from everself.workspace.seeding import BOOTSTRAP

if TYPE_CHECKING:
    from everself.app.app import App

_OFFERED: Final = "ritual offered"


@dataclass(frozen=True, slots=True)
class Meeting:
    """What a yes would write, as a diff; `redacted` names the kinds of secrets that were taken out of the answers."""

    diff: str
    redacted: tuple[str, ...]


def has_met(app: "App") -> bool:
    """Whether the first conversation was had, or the person did without."""
    return not app.ritual.is_open()


def offers_meeting(app: "App") -> bool:
    """Whether it is to be had and was not offered yet; whoever asks offers it. For those who cannot be asked at every start."""
    if has_met(app) or app.state.get_meta(_OFFERED) is not None:
        return False
    app.state.set_meta(_OFFERED, app.clock.now().isoformat())
    return True


def plan_meeting(app: "App", answers: Answers) -> Meeting:
    """The lines that would be written, without the guide to the conversation, which goes. Nothing happens yet."""
    plan = app.ritual.plan(answers)
    files = app.workspace.preview(plan.change)
    if isinstance(files, Conflict):
        raise ChangedMeanwhile(f"({', '.join(files.paths)})")
    return Meeting(render_diff([one for one in files if one.path != BOOTSTRAP]), plan.redacted)


def finish_meeting(app: "App", answers: Answers) -> Finished:
    """Write what the person said yes to."""
    return app.ritual.finish(answers)
