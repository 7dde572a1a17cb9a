"""What an operator sees in the log, and what nobody may find there: words of a person, of a model, and secrets."""

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conversation.talks import notices, say, talking

from everself.agent import Agent
from everself.errors import ModelFailed
from everself.keepers.scheduler import NewJob
from everself.logs import ROOT, get_logger
from everself.memory.forgetting.proof import Target
from everself.testing.chat_model import call
from everself.testing.embedder import FakeEmbedder

KEY = "sk-ant-api03-" + "Zq8" * 31 + "AA"
# of a person, of a model, and of a page; none is a word of Everself's own
WORDS = ("quokkaville", "zephyrine", "marzipanic", "brontolith")


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.name}: {self.format(record)}")


@pytest.fixture
def log() -> Iterator[list[str]]:
    kept, root = Kept(), logging.getLogger(ROOT)
    before = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(kept)
    yield kept.lines
    root.removeHandler(kept)
    root.setLevel(before)


@pytest.mark.slow
def test_a_scripted_life_is_logged_without_a_word_of_it(log: list[str], tmp_path: Path) -> None:
    script = (
        [call("memory_write", content="The user lives in quokkaville.", category="home")],
        "I wrote that down: quokkaville, zephyrine.",
        [call("memory_search", query="quokkaville"), call("zephyrine_tool", query="quokkaville")],
        "You live in quokkaville.",
        ModelFailed("The vendor says: zephyrine.", reason="server"),
    )
    with talking(tmp_path, *script) as (app, _):
        app.embedder = FakeEmbedder()
        session = app.chat.begin()
        say(app, f"I live in quokkaville, and my key is {KEY}.", session)
        say(app, "Where do I live, zephyrine?", session)
        assert any("zephyrine" in one for one in notices(say(app, "And now, marzipanic?", session)))
        Agent(app, fresh=False).remember("Remember marzipanic.", person="zephyrine", category="brontolith")
        Agent(app, fresh=False).correct("Remember marzipanic.", "Remember brontolith.")
        app.index.embed()
        Agent(app, fresh=False).search("brontolith")
        asyncio.run(app.keepers.run(app.keepers.find("memory-miner")))
        app.schedule.add(NewJob("marzipanic job", "every", "1h", "message", "Say zephyrine."))

        def fails(*_: object) -> str:
            raise ModelFailed("zephyrine")

        app.schedule.run("marzipanic job", fails)
        asyncio.run(app.compactor.compact(session))
        app.forgetting.carry_out(app.forgetting.plan(Target(words="quokkaville")))
    told = "\n".join(log)
    for wanted in (
        r"INFO everself\.workspace\.state_factory: Opened agent main: workspace /\S+, state /\S+\.",
        r"INFO everself\.workspace\.disk_workspace: Change \w+ of owner applied in \d+ ms: memory/\d{4}-\d\d-\d\d\.md",
        r"INFO everself\.search\.sync\.sync: Index synced in \d+ ms: \d+ documents read",
        r"DEBUG everself\.search\.sync\.embedding: \S+ embedded \d+ texts for \d+ chunks in \d+ ms\.",
        r"DEBUG everself\.search\.recall: Search \w+: \d+ hits by \S+ in \d+ ms\.",
        r"DEBUG everself\.models\.spend_meter: Request of fake/1 by chat: \d+ tokens in, \d+ out, price \S+\.",
        r"INFO everself\.conversation\.tools\.calls: Tool memory_write returned in \d+ ms\.",
        r"INFO everself\.conversation\.tools\.calls: A tool was called that does not exist\.",
        r"INFO everself\.conversation\.turn: Turn \w+ of session \w+: stop, 2 steps, \d+ ms\.",
        r"INFO everself\.conversation\.turn: Turn \w+ of session \w+: failed,",
        r"INFO everself\.keepers\.runner: Keeper memory-miner: \d+ applied, \d+ queued for review, \d+ refused",
        r"WARNING everself\.keepers\.scheduler: Job \w+ of slot \S+: failed\.",
        r"INFO everself\.memory\.forgetting\.forgetting: Forgetting \w+: \d+ traces removed, 0 left, \d+ commits",
    ):
        assert re.search(wanted, told), f"{wanted}\n{told}"
    for word in (*WORDS, KEY, KEY[:24]):
        assert word not in told.lower(), [line for line in log if word in line.lower()]


def test_a_name_that_somebody_chose_is_masked_in_a_path(log: list[str], tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        log.clear()
        Agent(app, fresh=False).remember("Brought by marzipanic.", person="Quokkaville")
    assert any(re.search(r"users/…/memory/\d{4}-\d\d-\d\d\.md", line) for line in log), log
    assert "quokkaville" not in "\n".join(log).lower()


def test_a_record_is_redacted_whoever_handles_it(log: list[str]) -> None:
    logger = get_logger(f"{ROOT}.test")
    logger.info("The key is %s.", KEY)
    try:
        json.loads("quokkaville")
    except ValueError:
        logger.error("It failed.", exc_info=True)
    assert log == [
        "INFO everself.test: The key is [redacted: anthropic key].",
        "ERROR everself.test: It failed. (JSONDecodeError)",
    ]
