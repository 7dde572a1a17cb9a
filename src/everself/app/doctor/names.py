"""Files that are missing, and files that stand where nobody looks for them. Goes by names alone."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta

from everself.app.doctor.case import Case, is_markdown
from everself.app.doctor.words import command, counted, listed, shown
from everself.disk.paths import find_fault
from everself.values import Finding
from everself.workspace.layout import Kind, fold, place
from everself.workspace.layout.dates import find_day
from everself.workspace.seeding import plan_setup

SETUP = "setup"
_OURS = ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "CONFIG.md", "MEMORY.md")
# Before this nobody had an agent; a daily log of such a day is a slip of the pen.
_EARLIEST = date(2000, 1, 1)
# A day ahead is still today somewhere.
_AHEAD = timedelta(days=1)


def check_missing(case: Case) -> Iterator[Finding]:
    if not case.usable or not case.has_state or not case.listing.whole:
        return
    existing = {one.path: one.kind for one in case.listing.found}
    plan = plan_setup(existing)
    if plan is not None and case.state is not None:
        plan = plan_setup(existing, removed=_made_by_setup(case))
    if plan is not None:
        lost = [edit.path for edit in plan.edits]
        words = f"{counted(len(lost), 'file')} that setup creates {'is' if len(lost) == 1 else 'are'} not there: {listed(lost)}."
        yield Finding("note", "files-missing", words, case.setup)


def _made_by_setup(case: Case) -> set[str]:
    """What setup made once and is gone now was removed by a person, who had their reasons."""
    records = case.state.list_changes(1_000_000) if case.state is not None else ()
    return {path for record in records if record.reason == SETUP for path in record.paths}


def check_places(case: Case) -> Iterator[Finding]:
    names = {one.path for one in case.listing.found if is_markdown(one)}
    for path in sorted(names):
        folder, _, name = path.rpartition("/")
        if not folder:
            yield from _check_in_root(case, path, names)
        elif fold(folder.split("/")[0]) == "memory" and fold(name) in map(fold, _OURS):
            yield from _check_in_memory(case, path, names)


def _check_in_root(case: Case, path: str, names: set[str]) -> Iterator[Finding]:
    right = next((name for name in _OURS if fold(name) == fold(path) and name != path), "")
    if right and right in names:
        words = f"{shown(path)} and {right} are both there; only {right} is read."
        yield Finding(
            "warning", "file-twice", words, f"Move what you need into {right} and remove {shown(path)}.", path
        )
    elif right and path != "memory.md":
        words = f"{shown(path)} is not read: its name should be {right}."
        yield Finding("warning", "file-misspelt", words, _move(case, path, right), path)
    elif find_day(path.rpartition(".")[0]) and place(path).kind is Kind.OTHER:
        words = f"{shown(path)} is a daily log outside of memory/; it is not remembered."
        yield Finding("warning", "file-misplaced", words, _move(case, path, f"memory/{path}"), path)


def _check_in_memory(case: Case, path: str, names: set[str]) -> Iterator[Finding]:
    name = path.rpartition("/")[2]
    right = next(ours for ours in _OURS if fold(ours) == fold(name))
    if right in names:
        words = f"{shown(path)} and {right} are both there; the one in memory/ is taken for a mere note."
        yield Finding(
            "warning", "file-twice", words, f"Move what you need into {right} and remove {shown(path)}.", path
        )
    else:
        words = f"{shown(path)} belongs into the workspace itself; in memory/ it is taken for a mere note."
        yield Finding("warning", "file-misplaced", words, _move(case, path, right), path)


def check_dates(case: Case) -> Iterator[Finding]:
    today = case.now.date()
    days = defaultdict[date, list[str]](list)
    for one in case.listing.found:
        folder, _, name = one.path.rpartition("/")
        if one.kind != "file" or folder not in ("memory", "memory/daily") or not is_markdown(one):
            continue
        stem = name[: -len(".md")]
        day = find_day(stem)
        if day is None and _is_shaped_like_a_day(stem):
            words = f"{shown(one.path)} names a day that does not exist; it is kept as an undated note and never ages."
            yield Finding("warning", "date-impossible", words, "Rename it to the day it is about.", one.path)
        elif day is not None and stem == day.isoformat():
            days[day].append(one.path)
            if day > today + _AHEAD:
                words = f"{shown(one.path)} is dated {(day - today).days:,} days ahead of today, {today}."
                yield Finding("warning", "date-ahead", words, "Rename it to the day it is about.", one.path)
            elif day < _EARLIEST:
                words = f"{shown(one.path)} is a daily log of the year {day.year}."
                yield Finding("note", "date-early", words, "Rename it if that year is a slip.", one.path)
    for day, paths in sorted(days.items()):
        if len(paths) > 1:
            words = f"{day} has {len(paths)} daily logs: {listed(paths)}. All are read."
            yield Finding("note", "date-twice", words, "Join them if you want one.", paths[0])


def check_spelling(case: Case) -> Iterator[Finding]:
    """Names that the kernel refuses, because they mean something else on another system or deceive the reader."""
    for one in case.listing.found:
        fault = find_fault(one.path)
        if fault and (one.kind == "directory" or is_markdown(one)):
            words = f"{shown(one.path)} cannot be used: {fault}."
            yield Finding("warning", "name-unsafe", words, "Rename it.", one.path)
    yield from case.listing.troubles
    if not case.listing.whole:
        words = f"The workspace holds more than {len(case.listing.found):,} names; the rest was not looked at."
        yield Finding("note", "names-left", words, "Move what is no memory out of the workspace.")


def _move(case: Case, path: str, target: str) -> str:
    top = case.agent.workspace
    return command("mv", "-n", f"{top}/{path}", f"{top}/{target}")


def _is_shaped_like_a_day(stem: str) -> bool:
    return len(stem) == 10 and stem[4] == stem[7] == "-" and stem.replace("-", "").isdigit()
