"""R2 over the gateway: it is killed under load, again and again, while two chats and a `cron tick` work on the same agent.

Programs talk to it in three ways: a reply that they wait for, a turn that outlives its connection, and webhooks, which are sent again
until they are accepted. What was accepted is in the store once and in memory once, whatever was not is there once at most, and of each
job one process at most has said something.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import httpx2
from tests.interfaces.http.gateways import free_port, make_agent, make_token
from tests.trust.rows.r04_full import at_home

from everself.agent import open_runtime
from everself.clock import Clock, monotonic, pause, system_now
from everself.keepers.scheduler import LEASE, NewJob
from everself.operations.caller import AT_TERMINAL
from everself.operations.home import Home
from everself.operations.hooks import AddHookRequest, add_hook, sign
from everself.operations.jobs import perform
from everself.testing.chat_model import FakeModel, Wait

TOP = Path(__file__).resolve().parents[3]
PATIENCE = 120.0
TALKERS = 3
JOBS = 2
CHATS = 2
# so much is accepted before it is killed, at most, and then it lives for a moment
MOST_ACCEPTED = 20
LONGEST_PAUSE = 0.3


@dataclass
class Said:
    """What was sent to the gateway, by its mark: whether it was accepted."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    accepted: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    hooks: dict[str, bool] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return len(self.accepted) + sum(self.hooks.values())

    def note(self, mark: str, text: str, *, accepted: bool) -> None:
        with self.lock:
            if accepted:
                self.accepted[mark] = text
                self.unknown.discard(mark)
            else:
                self.unknown.add(mark)


def serve(home: Path) -> None:
    """The side that is killed."""
    from everself.interfaces.cli.commands.gateway import surfaces
    from everself.interfaces.http.server import run_gateway

    def opener(agent: str) -> Any:
        runtime = open_runtime(agent)
        runtime.chat.use(FakeModel(("I ", Wait(0.02), "see ", Wait(0.02), "that.")))
        return runtime

    with at_home(home):
        run_gateway(Home(), surfaces(), opener, lambda found: print(found.url, flush=True))


def _start(*words: str) -> "subprocess.Popen[str]":
    environ = {**os.environ, "PYTHONPATH": f"{TOP / 'src'}:{TOP}"}
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=TOP, env=environ, text=True)


def _text(mark: str) -> str:
    return f"My locker at the quay {mark} has the colour Zel{mark.replace('-', 'q')}."


class Talker(threading.Thread):
    """One program. It ends when the gateway is gone."""

    def __init__(self, url: str, token: str, key: str, said: Said, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._client = httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)
        self._key = key
        self._said = said

    def run(self) -> None:
        ways = (self._wait, self._begin, self._post)
        try:
            for number in range(10_000):
                ways[(number + ord(self.name[0])) % len(ways)](f"{self.name}-{number}")
        except httpx2.HTTPError:
            # killed
            pass

    def _wait(self, mark: str) -> None:
        self._said.note(mark, _text(mark), accepted=False)
        stream = {"Accept": "text/event-stream"}
        given = {"text": _text(mark)}
        with self._client.stream("POST", "/api/v1/chat.say", json=given, headers=stream) as answer:
            assert answer.status_code == 200, answer.status_code
            for line in answer.iter_lines():
                if line == "event: accepted":
                    self._said.note(mark, _text(mark), accepted=True)

    def _begin(self, mark: str) -> None:
        self._said.note(mark, _text(mark), accepted=False)
        answer = self._client.post("/api/v1/chat/turns", json={"text": _text(mark)})
        assert answer.status_code == 202, answer.text
        self._said.note(mark, _text(mark), accepted=True)

    def _post(self, mark: str) -> None:
        """First what nobody answered before, under the same id."""
        with self._said.lock:
            self._said.hooks.setdefault(mark, False)
            again = [one for one, accepted in self._said.hooks.items() if not accepted and one.startswith(self.name[0])]
        for one in again:
            body = json.dumps({"mark": f"hook {one} end"}).encode()
            time = str(int(system_now().timestamp()))
            headers = {
                "webhook-id": one,
                "webhook-timestamp": time,
                "webhook-signature": sign(self._key, one, time, body),
            }
            answer = self._client.post(
                "/hooks/builds", content=body, headers=headers | {"Content-Type": "application/json"}
            )
            assert answer.status_code in (200, 202, 409), answer.text
            if answer.status_code != 409:
                self._said.hooks[one] = True


def _add_jobs(number: int) -> None:
    """Jobs that are due at once, as if they had been added a while ago."""
    with open_runtime() as app:
        clock = app.clock
        app.clock = Clock(clock.zone, lambda: system_now() - timedelta(minutes=5))
        for one in range(JOBS):
            name = f"job {number}x{one} end"
            app.schedule.add(NewJob(name, "at", "in 1 minutes", "message", f"Is {name} done?"))


def _round(home: Path, number: int, random: Random, keys: tuple[str, str], said: Said) -> list[str]:
    """One life of the gateway; what the chats beside it said."""
    _add_jobs(number)
    gateway = _start("tests.trust.rows.r02_gateway", str(home))
    others: list[subprocess.Popen[str]] = []
    try:
        assert gateway.stdout is not None
        url = gateway.stdout.readline().strip()
        assert url, gateway.stderr.read() if gateway.stderr else ""
        wanted, end = said.count + random.randrange(1, MOST_ACCEPTED), monotonic() + PATIENCE
        talkers = [Talker(url, *keys, said, f"{name}{number}") for name in "abc"[:TALKERS]]
        for one in talkers:
            one.start()
        others = [
            _start("tests.trust.rows.r02_chat", str(home), str(900_000 + 10 * number + one), "3")
            for one in range(CHATS)
        ]
        others.append(_start("everself", "cron", "tick"))
        while said.count < wanted:
            assert monotonic() < end, f"{said.count} of {wanted} were accepted"
            pause(0.01)
        pause(random.random() * LONGEST_PAUSE)
    finally:
        gateway.send_signal(signal.SIGKILL)
        gateway.communicate(timeout=PATIENCE)
    for one in talkers:
        one.join(PATIENCE)
        assert not one.is_alive()
    lines: list[str] = []
    for one in others:
        out, trouble = one.communicate(timeout=PATIENCE)
        assert one.returncode == 0, trouble
        lines += out.splitlines()
    return lines


def _check_store(said: Said, chats: dict[str, str], where: str) -> None:
    with open_runtime() as app:
        told = [one for session in app.log.list(100_000) for one in app.log.messages(session) if one.role == "user"]
        texts = Counter(one.content for one in told)
        for mark, text in said.accepted.items():
            assert texts[text] == 1, f"{where}: {mark} was accepted and is there {texts[text]} times"
        for mark in said.unknown:
            assert texts[_text(mark)] <= 1, f"{where}: {mark} was not accepted and is there twice"
        known = {one.id: one.content for one in told}
        for message, text in chats.items():
            assert known.get(message) == text, f"{where}: a chat lost {text}"
            assert texts[text] == 1, f"{where}: a chat doubled {text}"
        for one, accepted in said.hooks.items():
            found = sum(f"hook {one} end" in text for text in texts.elements())
            assert found == 1 if accepted else found <= 1, f"{where}: the webhook {one} is there {found} times"
        for job in app.schedule.jobs.every():
            if job.name.startswith("job "):
                runs = app.state.jobs.runs(job.id)
                # none where it still waits: whoever ran the jobs was killed before its turn came
                assert len(runs) <= 1, f"{where}: {job.name} has {len(runs)} runs"
                count = texts[job.words]
                assert count <= 1, f"{where}: {job.name} was said {count} times"
                if runs and runs[0].state == "done":
                    assert count == 1, f"{where}: {job.name} is done and was never said"


def _check_jobs(count: int) -> int:
    """After the leases of the dead: every job has run, and what came of it is in the log of the day once. How many were done again."""
    with open_runtime() as app:
        app.chat.use(FakeModel("I see that."))
        left = list(app.state.jobs.under_way())
        app.clock = Clock(app.clock.zone, lambda: system_now() + 2 * LEASE)
        app.schedule.tick(lambda job, slot: perform(app, job, slot))
        entries = [one.text for one in app.memory.catalog.all()]
        jobs = [job for job in app.schedule.jobs.every() if job.name.startswith("job ")]
        assert len(jobs) == count
        for job in jobs:
            (run,) = app.state.jobs.runs(job.id)
            assert run.state == "done", f"{job.name} is {run.state}: {run.detail}"
            told = sum(text.startswith(f"{job.name}:") for text in entries)
            assert told == 1, f"what came of {job.name} is in the log {told} times"
    return len(left)


def _check_memory(said: Said, chats: dict[str, str]) -> int:
    """Once more without a kill: what was stated is in memory once, and nothing of jobs and webhooks is anybody's word."""
    with open_runtime() as app:
        app.chat.use(FakeModel("Hello."))
        session = app.chat.begin()

        async def greet() -> None:
            async for _ in app.chat.converse(session, "Hello!"):
                pass

        asyncio.run(greet())
        entries = list(app.memory.catalog.all())
        for text in (*said.accepted.values(), *chats.values()):
            found = [one.mentions for one in entries if text.rstrip(".") in one.text]
            assert found == [1], f"{text}: {found}"
        for one in entries:
            if "hook " in one.text or "job " in one.text:
                assert one.source in ("agent", "web"), one
    return len(entries)


def run_r2_gateway(count: int, seed: int) -> str:
    random = Random(seed)
    said = Said()
    chats: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="everself-r2g-") as top, at_home(Path(top)):
        home = Path(top)
        (home / "e").mkdir(mode=0o700)
        settings = f'{{gateway: {{port: {free_port()}}}, agents: {{defaults: {{memorySearch: {{provider: "none"}}}}}}}}'
        (home / "e" / "everself.json5").write_text(settings)
        make_agent()
        keys = make_token(), add_hook(Home(), AT_TERMINAL, AddHookRequest(name="builds")).key
        begun = monotonic()
        for number in range(count):
            for line in _round(home, seed * 1_000 + number, random, keys, said):
                word, _, rest = line.partition(" ")
                if word == "accepted":
                    message, _, text = rest.partition(" ")
                    chats[message] = text
            _check_store(said, chats, f"R2-GATEWAY seed {seed}, kill {number}")
        _check_memory(said, chats)
        again = _check_jobs(count * JOBS)
        took = monotonic() - begun
    hooks = sum(said.hooks.values())
    return (
        f"R2-GATEWAY {count} kills under load in {took:.0f} s, {len(said.accepted)} messages, {hooks} webhooks and {len(chats)} "
        f"messages of chats accepted, 0 lost, 0 doubled, {count * JOBS} jobs, each logged once ({again} taken over), seed {seed}"
    )


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
