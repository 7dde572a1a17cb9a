"""Checks for missing and misplaced files, by their names."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta

from everself.operations.doctor.case import Case, is_markdown
from everself.operations.doctor.words import bad, command, counted, listed, note, shown, warning
from everself.storage.paths import find_fault
from everself.values import Finding
from everself.workspace.layout import Kind, fold, place
from everself.workspace.layout.dates import find_day
from everself.workspace.setup import plan_setup

SETUP = "setup"
SOUL = "SOUL.md"
_BLANK = b" \t\r\n\0\xef\xbb\xbf"
_OURS = ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "CONFIG.md", "MEMORY.md")
# one day ahead may be today in another time zone; no agent existed before the other date
_AHEAD = timedelta(days=1)
_EARLIEST = date(2000, 1, 1)


def check_missing(case: Case) -> Iterator[Finding]:
    if not case.usable or not case.has_state or not case.listing.whole:
        return
    existing = {one.path: one.kind for one in case.listing.found}
    plan = plan_setup(existing)
    if plan is not None and case.state is not None:
        # a person deliberately removed files that setup created once
        records = (record for record in case.state.list_changes(1_000_000) if record.reason == SETUP)
        plan = plan_setup(existing, removed={path for record in records for path in record.paths})
    if plan is not None:
        lost = [edit.path for edit in plan.edits]
        words = f"Of the files that setup creates, {counted(len(lost), 'file')} cannot be found: {listed(lost)}."
        yield note("files-missing", words, case.setup)


def check_soul(case: Case) -> Iterator[Finding]:
    """Without a soul the agent has no character, and nothing else reports this."""
    if not case.usable or not case.has_state:
        return
    found = next((one for one in case.listing.found if one.path == SOUL), None)
    back = "Bring back the one you had: everself soul history, everself soul rollback ID"
    if found is None and case.listing.whole and not any(fold(one.path) == fold(SOUL) for one in case.listing.found):
        mend = f"{back}; or begin with a new one: {case.setup} --restore"
        yield bad("soul-missing", "SOUL.md does not exist: the agent has no soul to speak from.", mend, SOUL)
    elif found is not None and found.kind == "file" and not case.documents.read.get(SOUL, b"x").strip(_BLANK):
        whole = f"{case.agent.workspace}/{SOUL}"
        mend = f"{back}; or begin with a new one: {command('rm', whole)} && {case.setup} --restore"
        yield bad("soul-empty", "SOUL.md is empty: the agent has no soul to speak from.", mend, SOUL)


def check_places(case: Case) -> Iterator[Finding]:
    names = {one.path for one in case.listing.found if is_markdown(one)}
    for path in sorted(names):
        folder, _, name = path.rpartition("/")
        top = fold(folder.partition("/")[0])
        right = next((ours for ours in _OURS if fold(ours) == fold(name)), "")
        move, both = _move(case, path, right), f"Move what you need into {right} and remove {shown(path)}."
        if top not in ("", "memory") or (path in (right, "memory.md") and right not in names - {path}):
            continue
        if right in names:
            words = f"{shown(path)} and {right} are both there; only {right} is read as such."
            yield warning("file-twice", words, both, path)
        elif right and not top:
            yield warning("file-misspelt", f"{shown(path)} is not read: its name should be {right}.", move, path)
        elif right:
            words = f"{shown(path)} is taken for a mere note; its place is the workspace itself."
            yield warning("file-misplaced", words, move, path)
        elif not top and find_day(path.rpartition(".")[0]) and place(path).kind is Kind.OTHER:
            words = f"{shown(path)} is a daily log outside of memory/; it is not remembered."
            yield warning("file-misplaced", words, _move(case, path, f"memory/{path}"), path)


def check_dates(case: Case) -> Iterator[Finding]:
    today = case.now.date()
    days = defaultdict[date, list[str]](list)
    for one in case.listing.found:
        folder, _, name = one.path.rpartition("/")
        if one.kind != "file" or folder not in ("memory", "memory/daily") or not is_markdown(one):
            continue
        stem, rename = name.rpartition(".")[0], "Rename it to the day it is about."
        day = find_day(stem)
        if day is None and len(stem) == 10 and stem[4] == stem[7] == "-" and stem.replace("-", "").isdigit():
            words = f"{shown(one.path)} names a day that does not exist; it counts as an undated note and never ages."
            yield warning("date-impossible", words, rename, one.path)
        elif day is not None and stem == day.isoformat():
            days[day].append(one.path)
            if day > today + _AHEAD or day < _EARLIEST:
                words = (
                    f"{shown(one.path)} is {abs((day - today).days):,} days from today, {today}: the date looks wrong."
                )
                yield warning("date-far", words, rename, one.path)
    for day, paths in sorted(days.items()):
        if len(paths) > 1:
            words = f"{day} has {len(paths)} daily logs: {listed(paths)}. All are read."
            yield note("date-twice", words, "Join them if you want one.", paths[0])


def check_spelling(case: Case) -> Iterator[Finding]:
    """Names that are refused because they are invalid on other systems or deceptive."""
    yield from case.listing.troubles
    for one in case.listing.found:
        fault = find_fault(one.path)
        if fault and (one.kind == "directory" or is_markdown(one)):
            yield warning("name-unsafe", f"{shown(one.path)} cannot be used: {fault}.", "Rename it.", one.path)
    if not case.listing.whole:
        words = f"The workspace holds more than {len(case.listing.found):,} names; the rest was not looked at."
        yield note("names-left", words, "Move files that are not memory out of the workspace.")


def _move(case: Case, path: str, target: str) -> str:
    return command("mv", "-n", f"{case.agent.workspace}/{path}", f"{case.agent.workspace}/{target}")
