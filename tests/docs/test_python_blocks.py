"""Python of README.md, gateway.md, coming-from.md and logging.md runs, the gateway's against a real one over real sockets."""

import json
import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.docs.fences import all_fences, commands
from tests.interfaces.http.running import Running, running_gateway

from everself import Agent

ADDRESS = "http://localhost:7373"
IMPORTS = "from anthropic import Anthropic\nfrom openai import OpenAI\n"


def python_of(page: str, words: str) -> str:
    """The one block of a page that holds these words."""
    (found,) = [one.text for one in all_fences() if (one.page, one.language) == (page, "python") and words in one.text]
    return found


def run(code: str, **known: Any) -> dict[str, Any]:
    names = {"__name__": "page", **known}
    exec(compile(code, "page", "exec"), names)  # noqa: S102 the pages are ours
    return names


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running_gateway(tmp_path_factory.mktemp("gateway")) as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/gateway.md"])
def test_the_clients_of_vendors_talk_to_the_gateway(page: str, gateway: Running) -> None:
    code = python_of(page, "OpenAI(base_url=")
    token = gateway.token(page.lower().replace("/", "-").removesuffix(".md"))
    before = len(gateway.model.asked)
    assert ADDRESS in code
    run(IMPORTS + code.replace(ADDRESS, gateway.url), TOKEN=token)
    assert len(gateway.model.asked) - before == code.count(".create(")


@pytest.mark.slow
def test_curl_asks_the_gateway(gateway: Running) -> None:
    shown = [one.text for one in all_fences() if one.page == "docs/gateway.md" and "curl " in one.text]
    answers = []
    for script in shown:
        assert [words[0] for words in commands(script)] == ["curl"]
        done = subprocess.run(
            script.replace("curl ", "curl -sS ").replace(ADDRESS, gateway.url),
            shell=True,
            env={**gateway.environ, "TOKEN": gateway.token(f"curl-{len(answers)}")},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        answers.append(done.stdout)
    search, health = answers
    assert json.loads(search)["ok"]
    assert health == "ok"


@pytest.mark.slow
def test_the_library_in_the_readme_remembers_and_finds(capsys: pytest.CaptureFixture[str]) -> None:
    run(python_of("README.md", "Agent.create"))
    assert "The demo is on 3 April." in capsys.readouterr().out


@pytest.mark.slow
def test_memories_of_mem0_come_in_once_and_as_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": "a1", "memory": "Likes oat milk."}, {"id": "b2", "memory": "Lives in Bern."}]
    Path("exported.json").write_text(json.dumps({"results": rows}))
    for _ in range(2):
        run(python_of("docs/coming-from.md", "exported.json"))
    with Agent.open() as agent:
        kept = [(one.text, one.source) for one in agent.runtime.memory.catalog.all()]
    assert sorted(kept) == [("Likes oat milk.", "import"), ("Lives in Bern.", "import")]


def test_a_program_of_yours_sees_the_log() -> None:
    levels = logging.getLogger("everself").level, logging.getLogger().level
    run(python_of("docs/logging.md", "basicConfig"))
    try:
        assert logging.getLogger("everself").isEnabledFor(logging.INFO)
    finally:
        logging.getLogger("everself").setLevel(levels[0])
        logging.getLogger().setLevel(levels[1])
