"""The page about how the agent is: trends, jobs, keepers, spend, index, benchmark, doctor."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest
from tests.interfaces.http.gateways import HOME, Gateway
from tests.interfaces.web.browsers import Browser, browse, sign_in

from everself.operations.caller import AT_TERMINAL
from everself.operations.entries import AddRequest, add_entry


def test_an_empty_agent_has_a_health_page_that_says_what_to_do() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("health")
        assert page.status == 200
        assert "Nothing was remembered or searched for" in page.words
        assert "No model was asked in these days." in page.words
        assert "memory-miner" in page.words
        assert (await browser.get("health?days=0")).status == 400

    browse(act)


def test_figures_are_there_as_a_table_for_those_without_scripts() -> None:
    async def act(browser: Browser) -> None:
        async with browser.gateway.service.pool.using("main") as runtime:
            add_entry(runtime, AT_TERMINAL, AddRequest(text="The heron is called Otto"))
        await browser.get("memory?q=heron")
        page = await browser.get("health?days=7")
        assert any(found.get("id") == "trend-table" for _, found in page.elements)
        assert "1 × You" in page.words

    browse(act)


def test_a_job_is_added_switched_run_and_removed_after_a_question() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("health")
        job = await browser.send(
            page, "health/job/add", name="Plan", when="cron", spec="0 9 * * *", verb="memory promote", message=""
        )
        assert "The job was added." in job.words
        off = await browser.send(job, "health/job/switch")
        assert "The job is off." in off.words
        on = await browser.send(off, "health/job/switch")
        assert "The job is on again." in on.words
        ran = await browser.send(on, "health/job/run")
        assert "The job ran." in ran.words
        asked = await browser.send(ran, "health/job/remove")
        assert "Remove this job?" in asked.words
        assert "Plan" in (await browser.get("health")).words
        gone = await browser.send(asked, "health/job/remove")
        assert "The job is gone" in gone.words
        assert "Plan" not in gone.words.partition("Jobs")[2].partition("Add a job")[0]
        assert "Plan" not in (await browser.get("health/runs")).words.partition("What came of it")[0]

    browse(act)


def test_a_keeper_is_rehearsed_and_run() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("health")
        rehearsed = await browser.send(page, "health/keepers/run", name="memory-miner", dry="1")
        assert "nothing was changed" in rehearsed.words
        done = await browser.send(page, "health/keepers/run", name="memory-miner", dry="")
        assert "There was nothing to do." in done.words
        assert "memory-miner" in (await browser.get("health/runs")).words

    browse(act)


def test_the_doctor_finds_and_mends_what_is_safe() -> None:
    async def act(browser: Browser) -> None:
        async with browser.gateway.service.pool.using("main") as runtime:
            workspace = Path(runtime.agent.workspace)
        os.chmod(workspace / "SOUL.md", 0o644)
        page = await browser.get("health/doctor")
        assert page.status == 200
        if "can be mended here" in page.words:
            mended = await browser.send(page, "health/doctor")
            assert "Mended:" in mended.words
        assert (await browser.get("health/log")).status == 200

    browse(act)


@pytest.mark.slow
def test_index_benchmark_and_archive() -> None:
    async def act(browser: Browser) -> None:
        async with browser.gateway.service.pool.using("main") as runtime:
            for bird in ("heron", "kestrel", "wren", "dipper", "crane", "swift"):
                add_entry(runtime, AT_TERMINAL, AddRequest(text=f"The {bird} of the northern pond sings before dawn"))
        page, index = await browser.get("health"), await browser.get("health/index")
        assert "The index is up to date." in (await browser.send(index, "health/index")).words
        assert "The index was built anew." in (await browser.send(index, "health/index/rebuild")).words
        assert "Checked" in (await browser.get("health/index?deep=1")).words
        measured = await browser.send(page, "health/eval", save="1")
        assert "Among the first five" in measured.words or "question" in measured.words
        assert "No day is that old." in (await browser.send(page, "health/compact", days="90")).words

    browse(act)


def test_health_and_settings_help_where_the_agent_cannot_be_opened() -> None:
    async def act(browser: Browser) -> None:
        async with browser.gateway.service.pool.using("main") as runtime:
            workspace = runtime.agent.workspace
        await browser.gateway.service.pool.close(5.0)
        shutil.rmtree(workspace)
        for path in ("health", "health/doctor", "settings", "settings/values"):
            page = await browser.get(path)
            assert page.status == 200, path
        assert (await browser.get("memory")).status >= 400
        assert "everself" in (await browser.get("health")).words

    browse(act)


def test_settings_that_are_broken_are_told_by_the_doctor() -> None:
    async def main() -> None:
        async with Gateway() as gateway:
            browser = await sign_in(gateway)
            Path(HOME.places.host_file).write_text("{ nothing")
            page = await browser.get("health/doctor")
            assert page.status == 200
            assert "error" in page.words

    asyncio.run(main())
