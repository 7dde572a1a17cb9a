"""R2 over conversations: the process is killed at any moment of one. What was accepted is in the store once, the next start goes on
with it, and what was stated is in memory.

One home, one conversation, many processes: each goes on where the last was killed. Some answer with the reflex, some with a model that
writes what it is told, and some with one that never writes anything.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from everself.agent import open_runtime
from everself.clock import pause
from everself.conversation.events import Accepted
from everself.conversation.sessions.transcripts import path_of
from everself.models.chat.protocol import ChatRequest, ToolTurn, UserTurn
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.testing.chat_model import Answer, FakeModel, call

TOP = Path(__file__).resolve().parents[3]
MOST_TURNS = 6
LONGEST_PAUSE = 0.15
MODELS = ("reflex", "writing", "silent")


def _open(home: Path) -> Runtime:
    return open_runtime(environ={"HOME": str(home), "EVERSELF_HOME": f"{home}/e", "EVERSELF_KEYS": f"{home}/k"})


def _writing(request: ChatRequest) -> Answer:
    """A model that writes down what was said, in the same words, and then says so."""
    last = request.turns[-1]
    if isinstance(last, UserTurn) and "NO_REPLY" not in last.text:
        return call("memory_write", content=last.text)
    return "NO_REPLY" if isinstance(last, ToolTurn) else "Done."


def fact(seed: int, number: int) -> str:
    return f"My locker at the harbour {seed}x{number} has the colour Zel{seed}q{number}."


def talk(home: Path, seed: int, turns: int) -> None:
    """The side that is killed: goes on with the last conversation and says what was accepted as soon as it is."""
    with _open(home) as app:
        kind = MODELS[seed % len(MODELS)]
        if kind != "reflex":
            app.chat.use(FakeModel(_writing if kind == "writing" else "I see."))
        session = app.chat.begin(resume="last")
        _say(f"resumed {session.id} {len(app.log.messages(session))}")

        async def converse() -> None:
            for number in range(turns):
                async for event in app.chat.converse(session, fact(seed, number)):
                    if isinstance(event, Accepted):
                        _say(f"accepted {event.message} {fact(seed, number)}")

        asyncio.run(converse())
        asyncio.run(app.chat.close(session))
        _say("closed")


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def _kill_one(home: Path, seed: int, random: Random) -> tuple[list[str], bool]:
    """What one process said before it was killed, and whether it was."""
    command = [sys.executable, "-m", "tests.trust.rows.r02_chat", str(home), str(seed), str(MOST_TURNS)]
    environ = {**os.environ, "PYTHONPATH": f"{TOP / 'src'}:{TOP}"}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=TOP, env=environ)
    assert child.stdout is not None
    said = []
    for _ in range(random.randrange(1, MOST_TURNS + 2)):
        line = child.stdout.readline()
        if not line:
            break
        said.append(line)
    pause(random.random() * LONGEST_PAUSE)
    child.send_signal(signal.SIGKILL)
    rest, trouble = child.communicate(timeout=600)
    assert child.returncode in (0, -signal.SIGKILL), f"seed {seed}: {trouble.decode()}"
    lines = (b"".join(said) + rest).decode().split("\n")
    # a line that was cut off was not seen
    return lines[:-1], child.returncode != 0


def run_r2_chat(count: int, seed: int) -> str:
    random = Random(seed)
    accepted: dict[str, str] = {}
    kills = 0
    session = ""
    with tempfile.TemporaryDirectory() as top:
        home = Path(top)
        (home / "e").mkdir()
        (home / "e" / "everself.json5").write_text('{agents: {defaults: {memorySearch: {provider: "none"}}}}')
        with _open(home) as app:
            set_up(app)
        for number in range(seed * 1_000, seed * 1_000 + count):
            lines, killed = _kill_one(home, number, random)
            kills += killed
            for line in lines:
                word, _, rest = line.partition(" ")
                if word == "resumed":
                    name, _, said = rest.partition(" ")
                    assert session in ("", name) or not accepted, f"seed {number}: began anew"
                    assert int(said) >= len(accepted), f"seed {number}: resumed with {said} messages"
                    session = name if accepted else ""
                elif word == "accepted":
                    message, _, text = rest.partition(" ")
                    accepted[message] = text
                    session = session or lines[0].split()[1]
            _check_store(home, session, accepted, number)
        _check_memory(home, session, accepted)
    return f"R2 chat: {kills} kills of {count} conversations, {len(accepted)} messages accepted, 0 lost, 0 doubled, seed {seed}"


def _check_store(home: Path, session: str, accepted: dict[str, str], seed: int) -> None:
    with _open(home) as app:
        said = {one.id: one.content for one in app.log.messages(session) if one.role == "user"}
        lost = [text for message, text in accepted.items() if said.get(message) != text]
        assert not lost, f"seed {seed}: lost {lost}"
        # one more may have become durable before it could be said
        texts = list(said.values())
        assert len(set(texts)) == len(texts), f"seed {seed}: doubled"


def _check_memory(home: Path, session: str, accepted: dict[str, str]) -> None:
    """Once more without a kill: then everything that was stated is in memory once, and the transcript is whole."""
    with _open(home) as app:
        app.chat.use(FakeModel("Hello."))
        now = app.chat.begin(resume="last")
        assert now.id == session or not accepted

        async def greet() -> None:
            async for _ in app.chat.converse(now, "Hello!"):
                pass

        asyncio.run(greet())
        entries = [(one.text, one.mentions) for one in app.memory.catalog.all()]
        for text in accepted.values():
            found = [mentions for words, mentions in entries if text.rstrip(".") in words]
            assert found == [1], f"{text}: {found}"
        assert Path(app.agent.state, path_of(now.id)).read_bytes() == app.log.export(now)


if __name__ == "__main__":
    talk(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
