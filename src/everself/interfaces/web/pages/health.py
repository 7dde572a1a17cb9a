"""How the agent is: how memory grows, jobs and keepers, spend against its limits, the index, its own benchmark, the doctor."""

import json
from datetime import datetime
from typing import Any, Final

from everself.errors import EverselfError, WrongUse
from everself.interfaces.web.visit import Answer, Moved, Page, Shown, Visit

_SPANS: Final = (7, 30, 90, 365)
_MICROS: Final = 1_000_000
_LINES: Final = 100
_REMOVE: Final = "cron.rm"


def show_health(visit: Visit) -> Answer:
    """Each part stands by itself: one that cannot be shown says why, and the others are there."""
    days = visit.query.number("days", 30, 1, 3_660)
    spend = visit.attempt("spend", days=min(days, 30))
    return Shown(
        "health/health.html",
        {
            "days": days,
            "spans": _SPANS,
            "trends": visit.attempt("memory.trends", days=days),
            "jobs": visit.attempt("cron.list"),
            "keepers": visit.attempt("keepers.list"),
            "spend": spend,
            "spent": None if isinstance(spend, EverselfError) else _spent(spend),
            "gateway": visit.attempt("gateway.status"),
        },
    )


def _spent(found: Any) -> dict[str, float]:
    """Dollars and tokens: of all that is listed, and today's of what ran unasked, with its share of each limit."""
    dollars, tokens = found.background.micros / _MICROS, found.background.unpriced
    return {
        "total": sum(one.micros for one in found.days) / _MICROS,
        "requests": sum(one.requests for one in found.days),
        "dollars": dollars,
        "tokens": tokens,
        "dollar_share": dollars / found.dollars_a_day if found.dollars_a_day else 0.0,
        "token_share": tokens / found.tokens_a_day if found.tokens_a_day else 0.0,
    }


def show_doctor(visit: Visit) -> Answer:
    """Looked at when it is asked for: a large memory takes a while."""
    return Shown("health/doctor.html", {"report": visit.look("doctor", agent=visit.agent)})


def mend(visit: Visit) -> Answer:
    """What can be mended without a decision."""
    return Shown("health/doctor.html", {"report": visit.look("doctor", agent=visit.agent, fix=True)})


def show_index(visit: Visit) -> Answer:
    """Counted when it is asked for, or when the page of health is there: a large memory takes a moment."""
    return Shown("health/index.html", {"status": visit.attempt("memory.status", deep=bool(visit.query["deep"]))})


def update_index(visit: Visit) -> Answer:
    visit.run_agreed("memory.index")
    return Moved(visit.url("health"), "indexed")


def rebuild_index(visit: Visit) -> Answer:
    visit.run("memory.rebuild")
    return Moved(visit.url("health"), "rebuilt")


def evaluate(visit: Visit) -> Answer:
    """Ask memory questions made from its own notes, and compare with the result that was kept."""
    report = visit.run("memory.eval", save=bool(visit.form["save"]))
    return Shown("health/eval.html", {"report": report})


def show_job(visit: Visit) -> Answer:
    return Shown("health/job.html", {"view": visit.run("cron.show", name=visit.query["name"])})


def show_runs(visit: Visit) -> Answer:
    runs = visit.run("cron.history", limit=_LINES)
    return Shown("health/runs.html", {"runs": runs, "keepers": visit.run("keepers.history", limit=50)})


def run_job(visit: Visit) -> Answer:
    name = visit.form["name"]
    run = visit.run("cron.run", name=name)
    return Moved(visit.url("health/job", name=name), "job-failed" if run.state == "failed" else "job-ran")


def switch_job(visit: Visit) -> Answer:
    name, on = visit.form["name"], bool(visit.form["on"])
    visit.run("cron.enable" if on else "cron.disable", name=name)
    return Moved(visit.url("health/job", name=name), "job-on" if on else "job-off")


def add_job(visit: Visit) -> Answer:
    kinds = ("cron", "at", "every")
    if visit.form["when"] not in kinds:
        raise WrongUse("Say when the job runs.")
    given: dict[str, object] = dict(visit.form.given("name", "message", "verb", "tz"))
    given[visit.form["when"]] = visit.form["spec"].strip()
    if visit.form["announce"]:
        given["announce"] = True
    line = visit.run("cron.add", **given)
    return Moved(visit.url("health/job", name=line.job.name), "job-added")


def remove_job(visit: Visit) -> Answer:
    """Asked about first: the job's history goes with it."""
    name = visit.form["name"]
    if not visit.confirmed(_REMOVE, name):
        values = {
            "view": visit.run("cron.show", name=name),
            "action": visit.url("health/job/remove"),
            "fields": [("name", name)],
            "ticket": visit.ticket(_REMOVE, name),
            "back": visit.url("health/job", name=name),
        }
        return Shown("health/remove_job.html", values)
    visit.run_agreed(_REMOVE, name=name)
    return Moved(visit.url("health"), "job-removed")


def run_keeper(visit: Visit) -> Answer:
    """As a rehearsal, or for good; either way what it did is shown."""
    found = visit.run("keepers.run", name=visit.form["name"], dry_run=bool(visit.form["dry"]))
    return Shown("health/keeper.html", {"found": found, "dry": bool(visit.form["dry"])})


def show_log(visit: Visit) -> Answer:
    lines = visit.run("gateway.logs", lines=_LINES).lines
    return Shown("health/log.html", {"lines": [_told(one) for one in reversed(lines)]})


def _told(line: str) -> dict[str, Any]:
    """What one line of the log holds; a damaged one is shown as it stands."""
    try:
        found: dict[str, Any] = json.loads(line)
        datetime.fromisoformat(found["time"])
    except (ValueError, KeyError, TypeError):
        return {"event": line}
    return found


def compact(visit: Visit) -> Answer:
    """Days that are old enough for the archive; the originals go where that is asked for, and undo brings them back."""
    given = {"days": visit.form.number("days", 90, 1, 36_500), "apply": bool(visit.form["apply"])}
    found = visit.run("memory.compact", **given, remove=bool(visit.form["remove"]))
    return Shown("health/compact.html", {"found": found})


PAGES: Final = (
    Page("health", show_health, "health", slow=True),
    Page("health/doctor", show_doctor, "health", slow=True),
    Page("health/doctor", mend, "health", "POST", slow=True),
    Page("health/index", show_index, "health", slow=True),
    Page("health/index", update_index, "health", "POST", slow=True),
    Page("health/index/rebuild", rebuild_index, "health", "POST", slow=True),
    Page("health/eval", evaluate, "health", "POST", slow=True),
    Page("health/job", show_job, "health"),
    Page("health/runs", show_runs, "health"),
    Page("health/job/run", run_job, "health", "POST", slow=True),
    Page("health/job/switch", switch_job, "health", "POST"),
    Page("health/job/add", add_job, "health", "POST"),
    Page("health/job/remove", remove_job, "health", "POST"),
    Page("health/keepers/run", run_keeper, "health", "POST", slow=True),
    Page("health/log", show_log, "health"),
    Page("health/compact", compact, "health", "POST", slow=True),
)
