"""The gateway as a process of its own, over real sockets: one a home, private, and gone within its time."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from tests.interfaces.http.gateways import HOME, free_port, make_agent, make_token

from everself.operations.caller import AT_TERMINAL
from everself.operations.gateway import folder_of
from everself.operations.settings import SetRequest, set_value

pytestmark = pytest.mark.slow
LONG = 60.0
# a gateway whose model is silent for an hour after one word
SILENT = """
import sys
from everself.agent import open_runtime
from everself.interfaces.cli.commands.gateway import surfaces
from everself.interfaces.http.server import run_gateway
from everself.operations.home import Home
from everself.testing.chat_model import FakeModel, Wait

def opener(agent):
    runtime = open_runtime(agent)
    runtime.chat.use(FakeModel(("One ", Wait())))
    return runtime

run_gateway(Home(), surfaces(), opener, lambda found: print(found.url, flush=True))
"""


# one whose model says what it was told to
TALKING = SILENT.replace('("One ", Wait())', '"Hello from the script."')


def configure(key: str, value: str) -> None:
    set_value(HOME, AT_TERMINAL, SetRequest(key=key, value=value))


def everself(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "everself", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)


@contextmanager
def running(*command: str) -> "Iterator[subprocess.Popen[str]]":
    words = command or (sys.executable, "-m", "everself", "gateway", "run", "--json")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until_it_listens(process: "subprocess.Popen[str]") -> dict[str, Any]:
    assert process.stdout is not None
    text = ""
    while True:
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        text += line
        try:
            found: dict[str, Any] = json.loads(text)["data"]
        except ValueError:
            continue
        return found


@pytest.fixture(autouse=True)
def _agent() -> None:
    make_agent()
    configure("gateway.port", str(free_port()))


def test_it_answers_on_loopback_and_on_a_socket_that_only_its_owner_opens() -> None:
    token = make_token()
    with running() as process:
        found = wait_until_it_listens(process)
        assert httpx2.get(f"{found['url']}/healthz").text == "ok"
        signed = {"Authorization": f"Bearer {token}"}
        local = httpx2.HTTPTransport(uds=found["socket"])
        with httpx2.Client(transport=local, base_url="http://localhost", headers=signed, timeout=LONG) as client:
            assert client.post("/api/v1/memory.add", json={"content": "Herons are grey."}).status_code == 200
            hits = client.post("/api/v1/memory.search", json={"query": "herons"}).json()["data"]["hits"]
            assert [hit["hit"]["text"] for hit in hits] == ["Herons are grey."]
            assert client.post("/api/v1/memory.list", content=b"{}").status_code == 415
            big = client.post("/api/v1/memory.add", json={"content": "x" * 2**20})
            assert big.status_code == 413
        assert Path(found["socket"]).stat().st_mode & 0o777 == 0o600
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        answer = httpx2.get(
            f"{found['url']}/api/v1/chat.say", headers=upgrade | {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
        )
        assert answer.status_code == 401
        second = everself("gateway", "run")
        assert second.returncode == 3
        assert f"process {process.pid}" in second.stderr
        stopped = everself("gateway", "stop", "--json")
        assert json.loads(stopped.stdout)["data"]["pid"] == process.pid
        assert process.wait(LONG) == 0
    assert not os.path.exists(found["socket"])
    assert everself("gateway", "status").returncode == 5
    assert token not in Path(folder_of(HOME.places), "gateway.log").read_text("utf-8")


def test_every_file_of_it_is_private_whatever_the_umask() -> None:
    make_token()
    before = os.umask(0)
    try:
        with running() as process:
            wait_until_it_listens(process)
            folder = Path(folder_of(HOME.places))
            modes = {one.name: one.lstat().st_mode & 0o777 for one in folder.iterdir()}
            assert {"gateway.sock", "gateway.log", "gateway.lock", "tokens.json"} <= modes.keys()
            assert set(modes.values()) == {0o600}
            assert folder.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)


def test_after_a_kill_the_next_one_starts_in_its_place() -> None:
    for _ in range(2):
        with running() as process:
            found = wait_until_it_listens(process)
            assert httpx2.get(f"{found['url']}/healthz").text == "ok"
            process.kill()
            process.wait(LONG)
        assert os.path.exists(found["socket"])


def test_a_reply_under_way_is_stopped_in_time_and_what_was_said_is_kept() -> None:
    token = make_token()
    with running(sys.executable, "-c", SILENT) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
        asked = {"text": "The herons come back on Monday."}
        lines: list[str] = []

        def hear() -> None:
            with (
                httpx2.Client(timeout=LONG) as client,
                client.stream("POST", f"{url}/api/v1/chat.say", json=asked, headers=headers) as answer,
            ):
                for line in answer.iter_lines():
                    lines.append(line)
                    if line == "event: text":
                        process.send_signal(signal.SIGTERM)

        # the connection ends without the end of the answer, so that nobody takes it for whole
        with pytest.raises(httpx2.HTTPError):
            hear()
        assert process.wait(LONG) == 0, process.stderr.read() if process.stderr else ""
    session = json.loads(next(line for line in lines if line.startswith("data: "))[6:])["session"]
    shown = everself("sessions", "show", session, "--json").stdout
    assert "The herons come back on Monday." in shown


def test_where_other_machines_reach_it_it_runs_only_if_that_is_meant_and_there_is_a_token() -> None:
    configure("gateway.bind", "lan")
    refused = everself("gateway", "run")
    assert refused.returncode == 3
    assert "gateway.allowRemote" in refused.stderr
    configure("gateway.allowRemote", "true")
    refused = everself("gateway", "start")
    assert refused.returncode == 3
    assert "token" in refused.stderr
    make_token()
    with running() as process:
        found = wait_until_it_listens(process)
        assert found["url"].startswith("http://0.0.0.0:")
        port = found["url"].rpartition(":")[2]
        assert httpx2.get(f"http://127.0.0.1:{port}/healthz").text == "ok"
        assert httpx2.get(f"http://127.0.0.1:{port}/healthz", headers={"Host": "evil.example"}).status_code == 403


def test_a_port_that_is_taken_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        configure("gateway.port", str(taken.getsockname()[1]))
        refused = everself("gateway", "run")
    assert refused.returncode == 1
    assert "gateway.port" in refused.stderr


def test_in_the_background_it_starts_restarts_and_stops() -> None:
    try:
        started = json.loads(everself("gateway", "start", "--json").stdout)["data"]
        assert httpx2.get(f"{started['url']}/healthz").text == "ok"
        again = everself("gateway", "start")
        assert again.returncode == 3
        assert f"process {started['pid']}" in again.stderr
        restarted = json.loads(everself("gateway", "restart", "--json").stdout)["data"]
        assert restarted["pid"] != started["pid"]
        assert httpx2.get(f"{restarted['url']}/healthz").text == "ok"
        shown = json.loads(everself("gateway", "status", "--json").stdout)["data"]
        assert (shown["running"], shown["pid"]) == (True, restarted["pid"])
    finally:
        assert everself("gateway", "stop").returncode == 0
    events = [
        json.loads(line)["event"] for line in json.loads(everself("gateway", "logs", "--json").stdout)["data"]["lines"]
    ]
    assert [one for one in events if one != "request"] == ["start", "end"] * 2


def test_the_official_package_talks_to_it_over_a_socket() -> None:
    token = make_token()
    said: Any = [{"role": "user", "content": "My heron is called Otto."}]
    with running(sys.executable, "-c", TALKING) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with openai.OpenAI(api_key=token, base_url=f"{url}/v1", timeout=LONG, max_retries=0) as client:
            whole = client.chat.completions.create(model="main", messages=said)
            assert whole.choices[0].message.content == "Hello from the script."
            said += [{"role": "assistant", "content": "Hello from the script."}, {"role": "user", "content": "And?"}]
            parts = list(client.chat.completions.create(model="main", messages=said, stream=True))
            assert "".join(part.choices[0].delta.content or "" for part in parts) == "Hello from the script."
            assert parts[-1].choices[0].finish_reason == "stop"
        with (
            openai.OpenAI(api_key="evs_wrong", base_url=f"{url}/v1", max_retries=0) as stranger,
            pytest.raises(openai.AuthenticationError),
        ):
            stranger.models.list()
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 0
    found = json.loads(everself("memory", "search", "heron", "--json").stdout)["data"]["hits"]
    assert [hit["hit"]["text"] for hit in found] == ["My heron is called Otto."]
    # both requests were one conversation
    assert len(json.loads(everself("sessions", "list", "--json").stdout)["data"]) == 1


def test_whoever_hangs_up_half_way_stops_the_reply() -> None:
    token = make_token()
    with running(sys.executable, "-c", SILENT) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with openai.OpenAI(api_key=token, base_url=f"{url}/v1", timeout=LONG, max_retries=0) as client:
            stream = client.chat.completions.create(
                model="main", messages=[{"role": "user", "content": "My heron is called Otto."}], stream=True
            )
            for part in stream:
                if part.choices[0].delta.content:
                    break
            stream.close()
        signed = {"Authorization": f"Bearer {token}"}
        # the session can be spoken in again at once, and what was said is in it
        shown = httpx2.post(f"{url}/api/v1/sessions.show", json={"name": "last"}, headers=signed, timeout=LONG)
        assert "My heron is called Otto." in shown.text
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 0


def test_a_browser_signs_in_and_talks_over_a_socket_and_a_turn_that_nobody_hears_ends_with_the_gateway() -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    with running(sys.executable, "-c", SILENT) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        link = json.loads(everself("gateway", "sign-in", "--json").stdout)["data"]["link"]
        assert link.startswith(f"{url}/sign-in/")
        with httpx2.Client(timeout=LONG) as browser:
            assert browser.get(link).status_code == 200
            assert browser.get(link).status_code == 401
            asked = browser.post(f"{url}/api/v1/memory.list", json={}, headers={"Origin": url})
            assert asked.status_code == 200
            [(name, value)] = browser.cookies.items()
            cookie = f"{name}={value}"
        address = f"{url.replace('http', 'ws', 1)}/api/v1/chat/socket"
        for headers in ({}, {"Cookie": f"{name}=evs_wrong"}):
            with pytest.raises(InvalidStatus) as refused:
                connect(address, additional_headers=headers, origin=url).close()
            assert refused.value.response.status_code == 401
        with pytest.raises(InvalidStatus) as refused:
            connect(address, additional_headers={"Cookie": cookie}, origin="http://evil.example").close()
        assert refused.value.response.status_code == 403
        with connect(address, additional_headers={"Cookie": cookie}, origin=url) as talking:
            talking.send(json.dumps({"type": "say", "text": "The herons come back on Monday."}))
            accepted, text = (json.loads(talking.recv(LONG)) for _ in range(2))
            assert (accepted["event"], text["data"]) == ("accepted", {"text": "One "})
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 0, process.stderr.read() if process.stderr else ""
    shown = everself("sessions", "show", accepted["data"]["session"], "--json").stdout
    assert "The herons come back on Monday." in shown
    assert "One " in shown
    log = Path(folder_of(HOME.places), "gateway.log").read_text("utf-8")
    assert cookie.partition("=")[2] not in log
    assert link.rpartition("/")[2] not in log


def test_jobs_that_came_due_while_no_gateway_ran_are_run_when_one_starts() -> None:
    from datetime import timedelta

    from everself.agent import open_runtime
    from everself.clock import Clock, pause, system_now
    from everself.keepers.scheduler import NewJob

    with open_runtime() as app:
        app.schedule.due()
        clock = app.clock
        app.clock = Clock(clock.zone, lambda: system_now() - timedelta(hours=8))
        del app.schedule
        app.schedule.add(NewJob("tea", "every", "1h", "message", "Is there tea?"))

    def states() -> list[str]:
        with open_runtime() as app:
            return [one.state for one in app.state.jobs.runs(app.schedule.jobs.find("tea").id)]

    with running(sys.executable, "-c", TALKING) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        for _ in range(1_200):
            if "done" in states():
                break
            pause(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 0, process.stderr.read() if process.stderr else ""
    assert states() == ["done"] + ["skipped"] * 7
