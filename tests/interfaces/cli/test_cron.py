"""`everself cron`, called as a person calls it, and what a chat has to do with it."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.operations.jobs import run_job, tick

from everself.agent import Agent, open_runtime
from everself.clock import Clock, system_now
from everself.errors import ModelFailed
from everself.interfaces.cli.commands import conversation as awake
from everself.keepers.scheduler import HEARTBEAT, NewJob
from everself.operations.jobs import find_job_action, perform, tell_news
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel
from everself.testing.embedder import FakeEmbedder

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

FRIDAY = ("--cron", "0 18 * * 5", "--tz", "Asia/Seoul")
HOURLY = NewJob("tea", "every", "1h", "message", "Is there tea?")


@pytest.fixture
def app(workspace: Path) -> Iterator[Runtime]:
    assert workspace.is_dir()
    with open_runtime() as opened:
        yield opened


def backdate(app: Runtime, wish: NewJob, ago: timedelta) -> None:
    """Add a job as if that had been a while ago. The standing jobs are there from now on: else they would be due at some hours of a day."""
    clock = app.clock
    app.schedule.due()
    del app.schedule
    app.clock = Clock(clock.zone, lambda: system_now() - ago)
    app.schedule.add(wish)
    app.clock = clock
    del app.schedule


@pytest.mark.usefixtures("workspace")
def test_the_keepers_have_their_times_from_the_first_look(everself) -> None:
    everself("cron", "add", "--name", "Call", "--at", "tomorrow", "--message", "Call the miller")
    out = everself("cron", "list").out
    assert out.startswith("NAME               TIMES       NEXT              STATE     LAST\n")
    assert "Call               once        20" in out
    assert "heartbeat          every " in out
    assert "soul-keeper        30 2 * * *" in out
    assert "memory-miner       0 6 * * *" in out
    assert "conflict-detector  0 7 * * *" in out
    assert "recall-validator   30 7 * * *" in out
    assert "memory-compactor   0 3 * * 0" in out
    assert "vector-hygiene     30 3 * * 0" in out
    assert everself("cron", "rm", "memory-miner").code == 3


def test_the_times_of_the_keepers_are_those_of_config_md(everself, workspace: Path) -> None:
    everself("cron", "list")
    page = workspace / "CONFIG.md"
    text = page.read_text().replace('"06:00"', '"05:45"').replace('"Sunday 03:00"', '"Wednesday 04:15"')
    page.write_text(text)
    specs = {one["job"]["name"]: one["job"]["spec"] for one in everself("cron", "list", "--json").json["data"]}
    assert (specs["memory-miner"], specs["memory-compactor"]) == ("45 5 * * *", "15 4 * * 3")


def test_every_keeper_has_a_job_of_the_house(app: Runtime) -> None:
    names = {job.name for job in app.schedule.jobs.every()}
    missing = {keeper.name for keeper in app.keepers.keepers} - names
    assert not missing
    for job in app.schedule.jobs.every():
        if job.name != HEARTBEAT:
            find_job_action(job.words)


@pytest.mark.usefixtures("workspace")
def test_a_job_is_added_shown_switched_and_removed(everself) -> None:
    added = everself("cron", "add", "--name", "Review", *FRIDAY, "--verb", "memory index", "--announce")
    assert added.code == 0
    assert 'Added "Review"; it runs next at' in added.out
    shown = everself("cron", "show", "Review").out
    assert "cron 0 18 * * 5, Asia/Seoul" in shown
    assert "memory index" in shown
    assert everself("cron", "disable", "Review").out == '"Review" is disabled.\n'
    assert everself("cron", "show", "Review", "--json").json["data"]["line"]["standing"] == "disabled"
    assert "enabled; it runs next" in everself("cron", "enable", "Review").out
    assert everself("cron", "rm", "Review").out == 'Removed "Review".\n'
    assert everself("cron", "show", "Review").code == 5


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    "words",
    [
        ("--cron", "0 18 * * 5"),
        ("--message", "Hello"),
        ("--cron", "0 18 * * 5", "--every", "1h", "--message", "Hello"),
        ("--cron", "0 18 * * 5", "--message", "Hello", "--verb", "memory index"),
        ("--cron", "0 18 * *", "--message", "Hello"),
        ("--every", "1h", "--verb", "memory forget"),
        ("--every", "1h", "--message", "Hello", "--session", "main"),
    ],
)
def test_half_a_job_is_refused(everself, words: tuple[str, ...]) -> None:
    assert everself("cron", "add", "--name", "Odd", *words).code == 2


@pytest.mark.usefixtures("workspace")
def test_a_job_without_a_name_is_asked_for_one(everself) -> None:
    called = everself("cron", "add", "--at", "tomorrow", "--message", "Call the miller")
    assert called.code == 2
    assert "--name" in called.err


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("when", ["tomorrow", "in 2 hours", "tomorrow at 9"])
def test_a_job_comes_once_when_people_say(everself, when: str) -> None:
    called = everself("cron", "add", "--name", "Call", "--at", when, "--message", "Call the miller")
    assert (called.code, "it runs next at" in called.out) == (0, True)


@pytest.mark.usefixtures("workspace")
def test_a_verb_runs_without_a_model_and_its_slot_is_in_the_history(everself) -> None:
    everself("cron", "add", "--name", "Index", "--every", "1h", "--verb", "memory index")
    assert everself("cron", "history").out == "Nothing has run yet.\n"
    ran = everself("cron", "run", "Index")
    assert (ran.code, "done" in ran.out) == (0, True)
    (line,) = everself("cron", "history", "Index", "--json").json["data"]
    assert (line["name"], line["run"]["state"]) == ("Index", "done")
    assert everself("cron", "tick").out == ""


def test_tick_runs_what_is_due_once_and_says_what_failed(everself, app: Runtime) -> None:
    backdate(app, replace(HOURLY, action="verb", words="keepers run nobody"), timedelta(hours=3))
    ran = everself("cron", "tick")
    assert (ran.code, "Not found: keeper" in ran.out) == (1, True)
    assert everself("cron", "tick").out == ""
    states = [one["run"]["state"] for one in everself("cron", "history", "tea", "--json").json["data"]]
    assert states == ["failed", "skipped", "skipped"]


def test_a_message_is_answered_in_a_session_of_its_own_and_logged_as_the_agents(app: Runtime) -> None:
    app.schedule.add(replace(HOURLY, words="Remember that I love tea. Is there any?"))
    app.chat.use(FakeModel("There is green tea."))
    run = run_job(app, "tea")
    assert (run.state, run.detail.startswith("There is green tea. (session ")) == ("done", True)
    (entry,) = [one for one in app.memory.catalog.all() if "green tea" in one.text]
    assert (entry.source, entry.path.startswith("memory/"), entry.category) == ("agent", True, "heartbeat")
    assert not [one for one in app.memory.catalog.all() if "love tea" in one.text]
    (session,) = app.log.list()
    assert (session.scope.kind.value, session.channel) == ("cron", "cron")


def test_several_messages_that_are_due_at_once_are_answered_one_after_the_other(app: Runtime) -> None:
    for name in ("tea", "coffee"):
        backdate(app, replace(HOURLY, name=name), timedelta(hours=2))
    app.chat.use(FakeModel("There is some."))
    assert [one.state for one in tick(app).runs] == ["done", "done"]
    assert len(app.log.list()) == 2


def test_an_agent_that_is_not_there_has_no_jobs_and_nothing_is_made_for_them(everself, home: Path) -> None:
    for words in (("list",), ("tick",), ("add", "--name", "a", "--every", "1h", "--message", "b")):
        assert everself("cron", *words).code == 5
    assert not (home / ".everself").exists()


def test_a_slot_that_is_done_again_after_a_death_is_logged_once(app: Runtime) -> None:
    job = app.schedule.add(HOURLY)
    app.chat.use(FakeModel("There is green tea."))
    for _ in range(2):
        perform(app, job, "2026-03-19T09:00:00+00:00")
    assert len([one for one in app.memory.catalog.all() if "green tea" in one.text]) == 1


def test_a_model_that_fails_fails_the_job_and_a_spent_day_passes_the_slot_over(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.schedule.add(HOURLY)
    app.chat.use(FakeModel(ModelFailed("Nobody is there.", reason="network")))
    run = run_job(app, "tea")
    assert (run.state, "Nobody is there." in run.detail) == ("failed", True)

    def stop(_: str) -> None:
        raise ModelFailed("The day is spent.", reason="spend")

    monkeypatch.setattr(app.spend_meter, "allow", stop)
    assert run_job(app, "tea").state == "skipped"


def test_a_job_embeds_nothing_that_costs_money(app: Runtime) -> None:
    embedder = FakeEmbedder(paid=True)
    app.__dict__["embedder"] = embedder
    Agent(app, fresh=False).remember("I love tea.")
    app.schedule.add(replace(HOURLY, action="verb", words="memory index"))
    run = run_job(app, "tea")
    assert (run.state, " 0 embedded, 1 wait" in run.detail, embedder.calls) == ("done", True, [])


def test_news_are_told_once_and_only_of_jobs_that_announce_or_gave_up(app: Runtime) -> None:
    app.schedule.add(replace(HOURLY, name="loud", action="verb", words="memory index", announce=True))
    app.schedule.add(replace(HOURLY, name="quiet", action="verb", words="memory index"))
    app.schedule.add(replace(HOURLY, name="sick", action="verb", words="keepers run nobody"))
    for name in ("loud", "quiet", "sick", "sick", "sick", "sick", "sick"):
        run_job(app, name)
    assert [one.job.name for one in tell_news(app)] == ["loud", "sick"]
    assert tell_news(app) == ()


def test_a_chat_starts_what_is_due_elsewhere_and_tells_what_came_of_it(
    everself, app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(awake, "spawn", lambda *words: started.append(words))
    assert everself("chat", typed="").code == 0
    assert started == []
    backdate(app, replace(HOURLY, action="verb", words="memory index", announce=True), timedelta(hours=2))
    assert everself("chat", typed="").code == 0
    assert [words[2:] for words in started] == [("-m", "everself", "cron", "tick", "--agent", "main")] * 2
    assert len(tick(app).runs) == 1
    assert "Note: tea (done): " in everself("chat", typed="").err
    assert "tea (done)" not in everself("chat", typed="").err


@pytest.mark.slow
def test_what_a_chat_starts_runs_after_it_has_ended(everself, app: Runtime) -> None:
    from everself.clock import pause

    backdate(app, replace(HOURLY, action="verb", words="memory index"), timedelta(hours=2))
    everself("chat", typed="")
    for _ in range(6_000):
        if [one for one in app.state.jobs.runs() if one.state == "done"]:
            break
        pause(0.05)
    assert [one.state for one in app.state.jobs.runs()] == ["done", "skipped"]


def test_setup_offers_a_weekly_review_that_works_as_it_is_offered(everself, home: Path) -> None:
    assert home.is_dir()
    (offer,) = [line for line in everself("setup").out.splitlines() if "everself cron add" in line]
    words = shlex.split(offer)
    assert everself(*words[1:]).code == 0
    everself("memory", "add", "We decided to use SQLite for the project.")
    ran = everself("cron", "run", "Weekly review")
    assert (ran.code, "done" in ran.out) == (0, True), ran.out


@pytest.mark.usefixtures("workspace")
def test_what_deserves_promotion_is_listed_and_not_moved(everself, workspace: Path) -> None:
    everself("memory", "add", "We decided to use SQLite for the project.")
    everself("cron", "add", "--name", "List", "--every", "7d", "--verb", "memory promote")
    before = (workspace / "MEMORY.md").read_bytes()
    assert "to promote: We decided to use SQLite" in everself("cron", "run", "List").out
    assert (workspace / "MEMORY.md").read_bytes() == before
