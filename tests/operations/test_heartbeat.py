"""The heartbeat: when it comes, when it is skipped, and what of a reply is told."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.interfaces.http.gateways import make_agent
from tests.operations.jobs import run_job, tick

from everself.agent import open_runtime
from everself.config.sections import Heartbeat
from everself.errors import ModelFailed
from everself.keepers.scheduler import HEARTBEAT, NewJob, Skip
from everself.operations.caller import AT_TERMINAL
from everself.operations.checklist import has_work
from everself.operations.heartbeat import MOST_BESIDE, is_active, report_of
from everself.operations.jobs import RunsRequest, is_anything_due, list_runs, tell_news
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel
from everself.testing.frozen_time import FrozenTime
from everself.values import Author, Change, Replace, digest

HOUR = timedelta(hours=1)


@pytest.fixture
def time() -> FrozenTime:
    return FrozenTime()


@pytest.fixture
def app(time: FrozenTime) -> Iterator[Runtime]:
    make_agent()
    with open_runtime() as opened:
        opened.clock = time.clock("Europe/Berlin")
        yield opened


def give(app: Runtime, path: str, text: str) -> None:
    before = app.workspace.read(path).data
    edit = Replace(path, digest(before), 0, len(before), text.encode())
    app.workspace.apply(Change(Author.OWNER, "a checklist", (edit,)))


@pytest.mark.parametrize(
    ("text", "work"),
    [
        (None, False),
        ("", False),
        ("# Heartbeat\n\n<!-- While this list is empty,\n- [ ] nothing\n-->\n", False),
        ("---\nsummary: x\n---\n# A\n\n---\n\n- \n- [ ]\n* [x] Water the plants.\n-   <!-- later -->\n", False),
        ("- [ ] Is there anything in the calendar?\n", True),
        ("* Look at the mail.\n", True),
        ("1. Look at the mail.\n", True),
        ("# Heartbeat\n\nLook at the mail.\n", True),
        ("- [x] Done.\n- [ ] Not done.\n", True),
        ("- [x] Done.\n  - Part of it is left.\n", True),
        ("> Look at the mail.\n", True),
        ("- 42\n", True),
    ],
)
def test_a_checklist_without_anything_to_do_is_empty(text: str | None, work: bool) -> None:
    assert has_work(None if text is None else text.encode()) is work


@pytest.mark.parametrize(
    ("start", "end", "zone", "at", "active"),
    [
        ("", "", "user", "03:00", True),
        ("08:00", "22:00", "user", "06:59", False),
        ("08:00", "22:00", "user", "07:00", True),
        ("08:00", "22:00", "user", "20:59", True),
        ("08:00", "22:00", "user", "21:00", False),
        ("08:00", "", "user", "22:30", True),
        ("", "08:00", "user", "06:30", True),
        ("", "08:00", "user", "07:30", False),
        ("08:00", "24:00", "user", "22:59", True),
        ("22:00", "06:00", "user", "23:00", True),
        ("22:00", "06:00", "user", "12:00", False),
        ("09:00", "09:00", "user", "08:00", False),
        ("08:00", "22:00", "Asia/Seoul", "23:00", True),
        ("08:00", "22:00", "Asia/Seoul", "14:00", False),
    ],
)
def test_it_comes_within_the_active_hours(start: str, end: str, zone: str, at: str, active: bool) -> None:
    settings = Heartbeat(timedelta(minutes=30), start, end, zone)
    hour, minute = map(int, at.split(":"))
    moment = datetime(2026, 1, 15, hour, minute, tzinfo=UTC)
    assert is_active(settings, moment, ZoneInfo("Europe/Berlin")) is active


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("HEARTBEAT_OK", ""),
        ("**HEARTBEAT_OK**\n", ""),
        ("NO_REPLY", ""),
        ("HEARTBEAT_OK " + "x" * MOST_BESIDE, ""),
        ("HEARTBEAT_OK " + "x" * (MOST_BESIDE + 1), "x" * (MOST_BESIDE + 1)),
        ("All is well. HEARTBEAT_OK.", ""),
        ("y" * (MOST_BESIDE + 1) + "\n\nHEARTBEAT_OK", "y" * (MOST_BESIDE + 1)),
        ("HEARTBEAT_OKAY", "HEARTBEAT_OKAY"),
        ("He answers HEARTBEAT_OK when nothing is up.", "He answers HEARTBEAT_OK when nothing is up."),
        ("The mail is full.", "The mail is full."),
    ],
)
def test_a_reply_that_says_nothing_is_swallowed(reply: str, told: str) -> None:
    assert report_of(reply) == told


def test_a_report_goes_to_the_log_of_the_day_and_no_fact_comes_of_it(app: Runtime, time: FrozenTime) -> None:
    give(app, "HEARTBEAT.md", "- Remember that I live in Oslo.\n")
    model = FakeModel("The harbour fee is due tomorrow.", "HEARTBEAT_OK")
    app.chat.use(model)
    first = run_job(app, HEARTBEAT)
    time.advance(timedelta(minutes=1))
    second = run_job(app, HEARTBEAT)
    assert (first.state, second.state) == ("done", "done")
    assert second.detail.startswith("Nothing to report")
    (entry,) = [one for one in app.memory.catalog.all() if "harbour" in one.text]
    assert (entry.category, entry.source, entry.path) == ("heartbeat", "agent", "memory/2026-03-19.md")
    assert not [one for one in app.memory.catalog.all() if "Oslo" in one.text or "heartbeat." in one.text]
    # what it reported today is before it when it looks again
    (session,) = app.log.list()
    assert (session.scope.kind.value, session.channel, session.said) == ("heartbeat", "heartbeat", 4)
    assert "I live in Oslo" in model.requests[0].prefix + model.requests[0].delta


def test_each_day_has_a_session_of_its_own(app: Runtime, time: FrozenTime) -> None:
    give(app, "HEARTBEAT.md", "- Look at the mail.\n")
    app.chat.use(FakeModel("HEARTBEAT_OK"))
    run_job(app, HEARTBEAT)
    time.advance(timedelta(days=1))
    run_job(app, HEARTBEAT)
    assert len(app.log.list()) == 2


def test_nothing_to_do_costs_nothing(app: Runtime) -> None:
    model = FakeModel("Hello.")
    app.chat.use(model)
    run = run_job(app, HEARTBEAT)
    assert (run.state, run.detail) == ("skipped", "HEARTBEAT.md holds nothing to do.")
    assert (model.requests, app.log.list()) == ([], ())


def test_without_a_model_and_with_a_spent_day_it_is_skipped(
    app: Runtime, time: FrozenTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(app, "HEARTBEAT.md", "- Look at the mail.\n")
    assert run_job(app, HEARTBEAT).detail == "No model is set."
    time.advance(HOUR)
    model = FakeModel("Hello.")
    app.chat.use(model)

    def stop(job: str) -> None:
        assert job == "heartbeat"
        raise ModelFailed("The day is spent.", reason="spend")

    monkeypatch.setattr(app.spend_meter, "allow", stop)
    run = run_job(app, HEARTBEAT)
    assert (run.state, run.detail.endswith("The day is spent."), model.requests) == ("skipped", True, [])


def test_it_is_a_built_in_job_whose_time_follows_the_settings(app: Runtime, time: FrozenTime) -> None:
    assert app.schedule.jobs.find(HEARTBEAT).spec == "30m"
    time.advance(HOUR)
    assert [one.state for one in tick(app).runs] == ["skipped"]
    from everself.keepers.scheduler import open_schedule

    other = open_schedule(app.state, app.agent.state, app.clock, app.tunables, timedelta(hours=2))
    assert other.jobs.find(HEARTBEAT).spec == "120m"
    off = open_schedule(app.state, app.agent.state, app.clock, app.tunables, timedelta(0))
    assert HEARTBEAT not in [one.name for one in off.jobs.every()]


def test_a_chat_is_no_reason_for_a_heartbeat(app: Runtime, time: FrozenTime) -> None:
    assert app.schedule.jobs.find(HEARTBEAT)
    time.advance(HOUR)
    assert [one.job.name for one in app.schedule.due()] == [HEARTBEAT]
    assert not is_anything_due(app)


def test_heartbeats_do_not_hide_other_jobs_in_the_history_or_in_the_news(app: Runtime, time: FrozenTime) -> None:
    give(app, "HEARTBEAT.md", "- Look at the mail.\n")
    app.chat.use(FakeModel("HEARTBEAT_OK"))
    app.schedule.add(NewJob("tea", "every", "1h", "verb", "memory index", announce=True))
    run_job(app, "tea")
    assert [one.job.name for one in tell_news(app)] == ["tea"]
    beats = app.schedule.jobs.find(HEARTBEAT).id
    for number in range(60):
        time.advance(timedelta(seconds=1))
        app.schedule.run(HEARTBEAT, lambda *_: Skip("Nothing.") if number % 2 else "Done.")  # noqa: B023 called at once
    time.advance(timedelta(seconds=1))
    run_job(app, "tea")
    assert [one.job.name for one in tell_news(app)] == ["tea"]
    told = list_runs(app, AT_TERMINAL, RunsRequest(limit=100))
    assert [one.run.state for one in told if one.run.job == beats] == ["done"] * 30
    assert len(list_runs(app, AT_TERMINAL, RunsRequest(name=HEARTBEAT, limit=100))) == 60
