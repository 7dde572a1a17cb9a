"""S11 in an open conversation: another process forgets at any moment of it. No later request to a model holds the words, and neither does
anything that the conversation writes afterwards."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.conversation.talks import say, talking
from tests.trust.rows.s11 import CANARY, FACT

from everself.memory.writing import NewEntry
from everself.models.chat.protocol import ChatRequest, ReplyCall
from everself.testing.chat_model import FakeModel, call
from everself.testing.origins import origin_of

KINDS = ("ids", "words", "part", "days")
STEPS = 3


def forget(home: Path, kind: str, entry: str) -> None:
    environ = {
        "HOME": str(home),
        "EVERSELF_HOME": f"{home}/e",
        "EVERSELF_KEYS": f"{home}/k",
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    words = {
        "ids": [entry],
        "words": ["--words", FACT],
        "part": ["--words", CANARY.lower()],
        "days": ["--since", "2000-01-01"],
    }[kind]
    command = [sys.executable, "-m", "everself", "memory", "forget", *words, "--yes"]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode in (0, 6), ran.stdout + ran.stderr


class Forgetful:
    """Somebody forgets while the n-th request is answered; the answer repeats what the model was told."""

    def __init__(self, home: Path, kind: str, n: int) -> None:
        self.home, self.kind, self.n = home, kind, n
        self.entry = ""
        self.asked = 0
        self.after: list[str] = []
        self.stood = False

    def __call__(self, request: ChatRequest) -> list[str | ReplyCall]:
        told = f"{request.prefix}\n{request.delta}\n{request.turns!r}"
        self.asked += 1
        if self.asked > self.n:
            self.after.append(told)
        if self.asked == self.n:
            self.stood = CANARY in told
            forget(self.home, self.kind, self.entry)
        echo = f"I was told: {FACT} Was I not?" if CANARY in told else "I was told nothing."
        return [echo] if self.asked % STEPS == 0 else [echo, call("memory_search", query="code of the vault")]


def live(home: Path, seed: int) -> int:
    """One conversation of three turns, of three requests each. How many requests came after the words were forgotten."""
    random = Random(seed)
    model = Forgetful(home, random.choice(KINDS), random.randrange(1, 3 * STEPS))
    with talking(home) as (app, _):
        model.entry = app.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True)).entry
        app.chat.use(FakeModel(model))
        session = app.chat.begin()
        for text in (f"Hello. {FACT} Keep it in mind.", "What is the code of the vault?", "And once more?"):
            if model.kind == "days" and model.after:
                break
            say(app, text, session)
        if model.kind != "days":
            app.chat.shared.checkpoint.make(session)
    assert model.stood, "the words were not in what the model was told before"
    for told in model.after:
        assert CANARY not in told, f"{model.kind}: request after {model.n} still holds the words: …{_near(told)}…"
    left = [str(path) for path in home.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    assert not left, f"{model.kind} at request {model.n}: {left}"
    return len(model.after)


def _near(told: str) -> str:
    at = told.find(CANARY)
    return told[max(0, at - 80) : at + 40]


def run_s11_chat(count: int, seed: int) -> str:
    after = 0
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                after += live(Path(folder), number)
            except AssertionError as error:
                raise AssertionError(f"S11 (chat) seed {number}: {error}") from error
    return (
        f"S11 (chat) {count} conversations, {after} requests after the words were forgotten, 0 occurrences, seed {seed}"
    )
