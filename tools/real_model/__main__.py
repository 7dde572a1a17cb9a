"""Run Everself with a real small model on this machine, set up as a person would, and print what was observed.

usage: python -m tools.real_model

Exits with 1 if something that this model can do was not observed. It is small: it cannot call tools, and Everself must
report that.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.real_model.serving import NAME, WINDOW

TOP = Path(__file__).resolve().parents[2]
MODEL = f"here/{NAME}"
ABLE = ("answer", "stream", "usage", "schema", "memory")
UNABLE = ("tool", "tools")


def environment(home: Path) -> dict[str, str]:
    """This process's environment variables with a separate home and without the machine's keys."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return {**kept, "HOME": str(home), "EVERSELF_HOME": str(home / ".everself"), "PYTHONPATH": str(TOP / "src")}


def everself(home: Path, *words: str) -> tuple[int, str]:
    """Run one command in its own home; returns its exit code and output."""
    done = subprocess.run(
        [sys.executable, "-m", "everself", *words],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode and done.stderr:
        print(done.stderr.rstrip(), file=sys.stderr)
    return done.returncode, done.stdout


def judge(data: dict[str, Any]) -> list[str]:
    """The differences from the expected result."""
    able = {one["skill"]: one["able"] for one in data["tried"]}
    missing = [f"not seen: {skill}" for skill in ABLE if not able.get(skill)]
    return missing + [f"wrongly seen: {skill}" for skill in UNABLE if able.get(skill)]


def try_it(address: str, home: Path) -> list[str]:
    everself(home, "setup")
    for words in (
        ("config", "set", "provider.here.baseUrl", address),
        ("config", "set", "provider.here.contextWindow", str(WINDOW)),
        ("model", "use", MODEL),
    ):
        code, said = everself(home, *words)
        print(f"$ everself {' '.join(words)}\n{said.rstrip()}\n")
        if code:
            return [f"everself {words[0]} ended with {code}"]
    code, said = everself(home, "model", "test")
    print(f"$ everself model test\n{said.rstrip()}\n")
    code, said = everself(home, "model", "test", "--json")
    if code:
        return [f"everself model test ended with {code}"]
    return judge(json.loads(said)["data"]) + converse(home)


def converse(home: Path) -> list[str]:
    """One turn through all of Everself: stored, recalled into the prompt, answered by the model."""
    from everself.agent import Agent, open_runtime
    from everself.conversation.events import Done, Text

    question = "What is my cat called?"

    async def talk() -> str:
        with open_runtime(environ=environment(home)) as app:
            Agent(app, fresh=False).remember("My cat is called Miso.")
            session = app.chat.begin(channel="test")
            answer = ""
            print(f"A conversation about what was remembered:\n> {question}")
            async for event in app.chat.converse(session, question):
                if isinstance(event, Text):
                    print(event.text, end="", flush=True)
                elif isinstance(event, Done):
                    answer = event.text
                    print(f"\n({event.usage.sent} tokens sent, {event.usage.received} received)\n")
            return answer

    answer = asyncio.run(talk())
    return [] if "miso" in answer.casefold() else ["not seen: an answer from memory in a conversation"]


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="everself-model-") as folder:
        log = Path(folder) / "server.log"
        with log.open("w") as words:
            server = subprocess.Popen(
                [sys.executable, "-m", "tools.real_model.serving"],
                cwd=TOP,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                text=True,
            )
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            if not address:
                print(log.read_text(errors="replace")[-2_000:], file=sys.stderr)
                return 1
            print(f"{NAME} answers at {address}\n")
            wrong = try_it(address, Path(folder))
        finally:
            server.stdin.close()
            server.terminate()
            server.wait(30)
    print("\n".join(wrong) if wrong else "All that this model can do was seen, and what it cannot do was said.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
