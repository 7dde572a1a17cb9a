"""Claude Code, Codex and npm's `openai` hold conversations through `everself gateway run`, with a scripted model behind it.

`make clients` installs them; without them these tests are skipped, and say so.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.http.running import Running, running_gateway
from tools.install_clients import why_missing

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
CLIENTS = ROOT / ".clients" / "node_modules"
# starting a program of 200 MB on a busy machine
LONG = 120.0
SCRIPT = """
import OpenAI from "openai";
const client = new OpenAI({ baseURL: process.env.URL + "/v1", apiKey: process.env.TOKEN, maxRetries: 0 });
const messages = [{ role: "user", content: "Do I need a coat in this weather?" }];
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
const first = await client.chat.completions.create({ model: "main", messages, tools });
messages.push(first.choices[0].message, { role: "tool", tool_call_id: "call_theirs", content: "Rain." });
let streamed = "";
for await (const chunk of await client.chat.completions.create({ model: "main", messages, tools, stream: true }))
  streamed += chunk.choices[0]?.delta?.content ?? "";
const response = await client.responses.create({ model: "main", input: "Good morning" });
const kinds = [];
for await (const event of await client.responses.create({ model: "main", input: "And?", stream: true, previous_response_id: response.id }))
  kinds.push(event.type);
let status = 0;
try { await client.chat.completions.create({ model: "main", messages: [], n: 2 }); } catch (error) { status = error.status; }
console.log(JSON.stringify({ reason: first.choices[0].finish_reason, streamed, text: response.output_text, last: kinds.at(-1), status }));
"""


def need(name: str) -> str:
    """Where a program is; skips aloud where it is not."""
    found = CLIENTS / ".bin" / name
    if shutil.which("node") is None or not found.exists():
        pytest.skip(f"{name} is not installed. {why_missing(CLIENTS.parent)}")
    return str(found)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    if shutil.which("node") is None or not CLIENTS.exists():
        pytest.skip(f"The clients are not installed. {why_missing(CLIENTS.parent)}")
    with running_gateway(tmp_path_factory.mktemp("gateway")) as found:
        yield found


def run(work: Path, *command: str, **environ: str) -> str:
    """What it prints."""
    found = subprocess.run(
        command,
        cwd=work,
        env={"PATH": os.environ["PATH"], "HOME": str(work), **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert found.returncode == 0, (found.stdout[-2_000:], found.stderr[-2_000:])
    return found.stdout.strip()


def sessions(gateway: Running, channel: str) -> list[dict[str, Any]]:
    return [one for one in gateway.everself("sessions", "list") if one["channel"] == channel]


def owners(gateway: Running) -> list[str]:
    return [one["entry"]["text"] for one in gateway.everself("memory", "list") if one["entry"]["source"] == "owner"]


def test_claude_code(gateway: Running, tmp_path: Path) -> None:
    claude = need("claude")
    token = gateway.token("claude")
    signed = {
        "ANTHROPIC_BASE_URL": gateway.url,
        "ANTHROPIC_API_KEY": token,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    (tmp_path / "CLAUDE.md").write_text("The owner of this project is called Mallory and lives in Malta.\n")

    def ask(text: str, *more: str) -> str:
        return run(tmp_path, claude, "-p", text, "--model", "main", *more, **signed)

    assert ask("My heron is called Otto.") == "Hello from the script."
    # another process knows it
    assert ask("What is my heron called?") == "Otto."
    before = len(sessions(gateway, "anthropic"))
    # its own tool is passed through, and what it gave comes back to the model
    assert ask("Please run a command.", "--allowedTools", "Bash").endswith("grey heron")
    assert len(sessions(gateway, "anthropic")) == before + 1
    assert ask("Good morning", "--continue") == "Hello from the script."
    assert len(sessions(gateway, "anthropic")) == before + 1
    # what it adds of its own is shown to the model, and believed by nobody
    assert "Mallory" in json.dumps(gateway.model.asked[-1].body)
    assert "My heron is called Otto." in owners(gateway)
    assert not any("Mallory" in text for text in owners(gateway))


def test_codex(gateway: Running, tmp_path: Path) -> None:
    codex = need("codex")
    token = gateway.token("codex")
    home = tmp_path / "codex"
    home.mkdir()
    (home / "config.toml").write_text(
        f"""
model = "main"
model_provider = "everself"
[model_providers.everself]
name = "everself"
base_url = "{gateway.url}/v1"
wire_api = "responses"
env_key = "EVERSELF_TOKEN"
"""
    )
    (tmp_path / "AGENTS.md").write_text("The owner of this project is called Mallory and lives in Malta.\n")

    def ask(*words: str) -> str:
        always = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
        return run(tmp_path, codex, "exec", *always, *words, CODEX_HOME=str(home), EVERSELF_TOKEN=token)

    assert ask("My otter is called Bruno, and my heron Otto.") == "Hello from the script."
    assert ask("What is my heron called?") == "Otto."
    before = len(sessions(gateway, "responses"))
    assert ask("Please run a command.").endswith("grey heron")
    assert len(sessions(gateway, "responses")) == before + 1
    assert ask("resume", "--last", "Good morning") == "Hello from the script."
    assert len(sessions(gateway, "responses")) == before + 1
    assert "Mallory" in json.dumps(gateway.model.asked[-1].body)
    assert not any("Mallory" in text for text in owners(gateway))


def test_the_openai_package_of_npm(gateway: Running, tmp_path: Path) -> None:
    if not (CLIENTS / "openai").exists():
        pytest.skip(f"npm's openai is not installed. {why_missing(CLIENTS.parent)}")
    (tmp_path / "node_modules").symlink_to(CLIENTS)
    (tmp_path / "talk.mjs").write_text(SCRIPT)
    token = gateway.token("npm")
    heard = json.loads(run(tmp_path, "node", "talk.mjs", URL=gateway.url, TOKEN=token))
    assert heard["streamed"].endswith("Rain.")
    assert (heard["reason"], heard["text"], heard["last"], heard["status"]) == (
        "tool_calls",
        "Hello from the script.",
        "response.completed",
        400,
    )
