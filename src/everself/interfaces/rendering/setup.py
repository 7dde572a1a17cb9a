"""Output of `everself setup`."""

from collections.abc import Iterator, Sequence

from everself.interfaces.rendering.lines import Line, count_of, entries_of, paint, recovered_notices
from everself.interfaces.rendering.view import Look, View
from everself.operations.memory import AdoptionPlan
from everself.operations.setup import SetupResult

REVIEW = 'everself cron add --name "Weekly review" --cron "0 18 * * 5" --verb "memory promote --review" --announce'
# the purpose of each file of a new workspace, in reading order
PURPOSES = {
    "SOUL.md": "who the agent is: character, values, tone",
    "IDENTITY.md": "its name, nature, vibe and emoji",
    "USER.md": "what it knows about you",
    "AGENTS.md": "how it works, and how it remembers",
    "TOOLS.md": "notes about your tools and devices",
    "MEMORY.md": "what it keeps for good",
    "memory/": "what happened, day by day",
    "HEARTBEAT.md": "what it looks after on its own",
    "BOOTSTRAP.md": "your first conversation; it is deleted afterwards",
    "CONFIG.md": "budgets and times you may tune",
    "CORRECTIONS.md": "what you corrected",
    "CONFLICTS.md": "memories that contradict each other",
    "CHANGELOG.md": "how the soul grew, and why",
    "COMPACTION_LOG.md": "what was moved to the archive",
    "SOUL_HISTORY/": "earlier souls",
    "Archive/": "old days, in full",
    "agents/": "the prompts of the keepers that look after memory",
}


def _notices(done: SetupResult) -> Iterator[str]:
    yield from recovered_notices(done.recovered)
    if done.remembered:
        yield f"Remembered in {done.host_file}: {', '.join(done.remembered)}"
    if done.adopted is not None and done.adopted.entries:
        yield (
            f"Taken over as they were: {entries_of(done.adopted.entries)}. Where they come from is what they say "
            "themselves, until you vouch for them: everself memory vouch --all"
        )


def _describe(done: SetupResult | AdoptionPlan, _: Look) -> Iterator[Line]:
    if isinstance(done, AdoptionPlan):
        # already part of the question
        return
    report = done.report
    where = paint(report.workspace, bold=True)
    if not report.created and not report.folders:
        yield "Nothing was missing in " + where + f" ({report.kept} files, all untouched)."
        yield from _stayed_away(report.removed_by_you)
        return
    new = not report.kept
    who = "Your agent" if report.agent == "main" else f"The agent {report.agent}"
    yield f"{who} lives in " + where + (":" if new else ". What was missing has been added:")
    yield ""
    yield from _tree(done)
    yield ""
    if report.kept:
        yield f"{count_of(report.kept, 'file')} that {'was' if report.kept == 1 else 'were'} there already: untouched."
    yield from _stayed_away(report.removed_by_you)
    yield "What comes next:"
    yield "  everself chat      talk to it"
    yield "  edit SOUL.md       say who the agent should be; USER.md, who you are"
    yield "  everself doctor    see whether all is well"
    yield "  everself log       see every change; everself undo last takes one back"
    if done.better_model:
        yield "Search understands more with a second model, which works on this machine and in many languages (95 MB):"
        yield f"  {done.better_model}"


def _tree(done: SetupResult) -> Iterator[Line]:
    """The top-level names of the workspace with their purpose; new ones are marked with a plus."""
    created = {_top(path) for path in (*done.report.created, *(f"{folder}/" for folder in done.report.folders))}
    there = {_top(path) for path in done.documents} | created
    for name, purpose in PURPOSES.items():
        if name in there:
            fresh = name in created
            mark = paint("+", "green") if fresh else " "
            yield "  " + mark + " " + paint(f"{name:<18}", bold=fresh) + f" {purpose}"
    others = len([path for path in done.documents if _top(path) not in PURPOSES])
    if others:
        yield f"    and {count_of(others, 'other file')} of yours"


def _top(path: str) -> str:
    first, slash, _ = path.partition("/")
    return first + slash


def _stayed_away(removed: Sequence[str]) -> Iterator[str]:
    if removed:
        yield f"Removed by you, and left so: {', '.join(removed)} (everself setup --restore)"


VIEWS = {"setup": View(_describe, data=lambda done: done.report, notices=_notices)}
