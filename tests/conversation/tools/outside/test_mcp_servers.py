"""Tools of MCP servers over real pipes and sockets; a server that fails is a notice."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from everself.config import Secret, Vault
from everself.config.installation import install_command
from everself.config.sections import McpServer
from everself.conversation.tools.outside.mcp import _connection as connection
from everself.conversation.tools.outside.mcp import _stdio as pipes
from everself.conversation.tools.outside.mcp.servers import safe_name
from everself.conversation.tools.outside.registry import (
    ExternalAccess,
    ExternalTools,
    open_external_tools,
)
from everself.conversation.tools.protocol import Outcome, ToolContext
from everself.models.chat.protocol import JsonObject
from everself.search.scopes import Scope, SessionKind

# every server here is a process or a port, and most of them misbehave until a time-out
pytestmark = pytest.mark.slow

MAIN = ToolContext(Scope(SessionKind.MAIN), "s", "m", "", by_owner=True)
SERVERS = Path(__file__).parent / "servers"
Scene = Callable[[ExternalTools], Awaitable[None]]


def secret(text: str) -> Secret:
    return Secret("mcp.servers.x", text, Vault({"T": "hidden-1"}))


def honest(name: str = "notes") -> McpServer:
    env = (("NOTES_TOKEN", secret("${T}")),)
    return McpServer(name, command=sys.executable, args=(str(SERVERS / "honest.py"),), env=env)


def odd(habit: str, name: str = "odd") -> McpServer:
    return McpServer(name, command=sys.executable, args=(str(SERVERS / "odd.py"), habit))


@asynccontextmanager
async def list_external_tools(reach: ExternalAccess, scope: Scope) -> AsyncIterator[ExternalTools]:
    outside = await open_external_tools(reach, scope)
    try:
        yield outside
    finally:
        await outside.close()


def play(scene: Scene, *servers: McpServer, folder: str = "") -> ExternalTools:
    async def run() -> ExternalTools:
        async with list_external_tools(ExternalAccess(servers=servers, folder=folder), MAIN.scope) as outside:
            await scene(outside)
        return outside

    return asyncio.run(run())


async def call(
    outside: ExternalTools, name: str, arguments: JsonObject | None = None, setting: ToolContext = MAIN
) -> Outcome:
    (tool,) = (tool for tool in outside.tools if tool.spec.name == name)
    return await tool.run(arguments or {}, setting)


async def nothing(_: ExternalTools) -> None: ...


@pytest.mark.slow
def test_the_tools_of_a_program_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hidden-2")

    async def scene(outside: ExternalTools) -> None:
        assert outside.take_notices() == ()
        assert {tool.spec.name for tool in outside.tools} >= {"notes__add", "notes__names_of_variables", "notes__long"}
        assert all(tool.stamp == "tool" and tool.changes for tool in outside.tools)
        (add,) = (tool for tool in outside.tools if tool.spec.name == "notes__add")
        assert "Add two numbers." in add.spec.description
        assert set(add.spec.parameters["properties"]) == {"a", "b"}
        both = await asyncio.gather(*(call(outside, "notes__add", {"a": 2, "b": n}) for n in range(20)))
        assert [outcome.content for outcome in both] == [str(2 + n) for n in range(20)]
        assert both[0] == Outcome("2", origin="notes")
        names = (await call(outside, "notes__names_of_variables")).content
        assert names.endswith(f"| hidden-1 | {tmp_path}")
        assert "API_KEY" not in names
        refused = await call(outside, "notes__refuse")
        assert refused.failed
        assert "not today" in refused.content
        assert (await call(outside, "notes__add", {"a": "x"})).failed
        assert "image/png, not shown" in (await call(outside, "notes__picture")).content
        assert (await call(outside, "notes__numbers")).content.split() == ["1", "2"]
        long = (await call(outside, "notes__long")).content
        assert len(long) < 20_000
        assert long.startswith("begin")
        assert long.endswith("end")
        guest = ToolContext(Scope(SessionKind.GUEST, person="p"), "s", "m", "", by_owner=False)
        assert (await call(outside, "notes__add", {"a": 1, "b": 1}, guest)).failed

    play(scene, honest(), folder=str(tmp_path))


@pytest.mark.slow
def test_the_tools_of_an_address_are_called() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = subprocess.Popen(
        [sys.executable, str(SERVERS / "honest.py"), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    server = McpServer("far", url=f"http://127.0.0.1:{port}/mcp", headers=(("Authorization", secret("Bearer ${T}")),))

    async def scene(outside: ExternalTools) -> None:
        assert outside.take_notices() == ()
        assert (await call(outside, "far__add", {"a": 2, "b": 3})).content == "5"
        assert (await call(outside, "far__long")).content.endswith("end")
        program.kill()
        program.wait()
        gone = await call(outside, "far__add", {"a": 2, "b": 3})
        assert gone.failed
        assert outside.take_notices() == ("The MCP server far exited.",)

    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                assert program.poll() is None
                asyncio.run(asyncio.sleep(0.02))
        play(scene, server)
    finally:
        program.kill()
        program.wait()


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs get two seconds to leave."""
    monkeypatch.setattr(pipes, "LEAVE", 0.1)


@pytest.mark.usefixtures("_impatient")
def test_a_server_that_stays_silent_is_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "START", 0.5)
    outside = play(nothing, odd("silent", "silent"))
    assert outside.tools == ()
    assert ["did not answer within 0.5 s" in one for one in outside.take_notices()] == [True]


@pytest.mark.usefixtures("_impatient")
def test_servers_that_do_not_start_are_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "START", 300.0)
    env = (("KEY", secret("${MISSING}")),)
    outside = play(
        nothing,
        odd("no-server", "wrong"),
        McpServer("absent", command="no-such-program-at-all"),
        McpServer("closed", url="http://127.0.0.1:1/mcp"),
        McpServer("bad", url="no address"),
        McpServer("unset", command=sys.executable, env=env),
        McpServer("neither"),
        McpServer("both", command="a", url="http://b"),
        McpServer("off", command="no-such-program-at-all", enabled=False),
        odd("well", "well"),
    )
    assert [tool.spec.name for tool in outside.tools] == ["well__go"]
    told = {notice.split()[3]: notice for notice in outside.take_notices()}
    assert told.keys() == {"wrong", "absent", "closed", "bad", "unset", "neither", "both"}
    assert "no such file" in told["absent"]
    assert "MISSING" in told["unset"]


def test_what_a_server_says_of_itself_is_cut_to_size() -> None:
    outside = play(nothing, odd("odd-offers", "My Notes 1"))
    specs = {tool.spec.name: tool.spec for tool in outside.tools}
    assert list(specs)[:2] == ["My_Notes_1__same_name", "My_Notes_1__same_name_2"]
    assert all(len(name) <= 64 and name.isascii() for name in specs)
    assert len(specs) == 5
    wordy = specs["My_Notes_1__wordy"].description
    assert len(wordy) < 1_100
    assert wordy.isprintable()
    (notice,) = outside.take_notices()
    assert notice == "The tool vast of the MCP server My Notes 1 has no usable schema and was skipped."


def test_a_list_that_is_none_is_a_notice() -> None:
    (notice,) = play(nothing, odd("bad-offers")).take_notices()
    assert notice.startswith("The MCP server odd offers no tools: ")


def test_a_list_without_end_is_left_at_its_limit() -> None:
    outside = play(nothing, odd("flood-list"))
    assert len(outside.tools) == 64
    assert "no more than 64" in outside.take_notices()[0]


def test_a_server_that_died_is_started_again_by_the_next_call(tmp_path: Path) -> None:
    async def scene(outside: ExternalTools) -> None:
        assert (await call(outside, "odd__go")).failed
        assert outside.take_notices() == ("The MCP server odd exited.",)
        both = await asyncio.gather(call(outside, "odd__go"), call(outside, "odd__go"))
        assert [outcome.content for outcome in both] == ["went", "went"]
        assert outside.take_notices() == ("The MCP server odd was restarted.",)

    play(scene, odd("die-once"), folder=str(tmp_path))


def test_a_server_that_keeps_dying_is_left_alone(tmp_path: Path) -> None:
    async def scene(outside: ExternalTools) -> None:
        for _ in range(4):
            assert (await call(outside, "odd__go")).failed
        last = await call(outside, "odd__go")
        assert "exited too often" in last.content

    outside = play(scene, odd("die"), folder=str(tmp_path))
    assert outside.take_notices().count("The MCP server odd exited.") == 4


def test_an_error_of_the_servers_own_is_not_taken_for_its_death() -> None:
    async def scene(outside: ExternalTools) -> None:
        outcome = await call(outside, "odd__go")
        assert outcome.content == "odd: out of [31m paper."
        assert outcome.failed

    assert play(scene, odd("own-error")).take_notices() == ()


def test_garbage_between_the_messages_is_passed_over(capfd: pytest.CaptureFixture[str]) -> None:
    async def scene(outside: ExternalTools) -> None:
        assert [(await call(outside, f"{name}__go")).content for name in ("odd", "loud")] == ["went", "went"]

    assert play(scene, odd("garbage"), odd("noisy", "loud")).take_notices() == ()
    assert capfd.readouterr() == ("", "")


def test_a_line_without_end_ends_the_server() -> None:
    async def scene(outside: ExternalTools) -> None:
        assert (await call(outside, "odd__go")).failed

    before = programs()
    assert play(scene, odd("endless-line")).take_notices() == ("The MCP server odd exited.",)
    assert programs() == before


@pytest.mark.usefixtures("_impatient")
def test_a_server_that_does_not_leave_is_made_to() -> None:
    before = programs()
    play(nothing, odd("stays"))
    assert programs() == before


def test_a_loop_that_ends_takes_its_servers_with_it() -> None:
    async def scene() -> ExternalTools:
        return await open_external_tools(ExternalAccess(servers=(odd("well"),)), MAIN.scope)

    before = programs()
    assert len(asyncio.run(scene()).tools) == 1
    assert programs() == before


@pytest.mark.parametrize(
    "headers",
    [{"Content-Type": "application/json"}, {"Content-Type": "text/event-stream"}, {"Content-Encoding": "gzip"}],
)
def test_an_answer_without_end_is_left(headers: dict[str, str]) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(b"x" * 1_000_000)

        def log_message(self, *_: object) -> None: ...

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.daemon_threads = True
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        outside = play(nothing, McpServer("far", url=f"http://127.0.0.1:{web.server_address[1]}/mcp"))
    finally:
        web.shutdown()
        web.server_close()
        thread.join()
    assert outside.tools == ()
    assert outside.take_notices()[0].startswith("The MCP server far did not start: ")


def test_without_the_library_the_command_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everself.conversation.tools.outside.registry.find_spec", lambda _: None)
    outside = play(nothing, odd("well"))
    assert outside.tools == ()
    assert install_command("mcp") in outside.take_notices()[0]


def test_two_servers_of_one_name_keep_their_tools_apart() -> None:
    outside = play(nothing, odd("a", "x y"), odd("b", "x/y"))
    assert [tool.spec.name for tool in outside.tools] == ["x_y__go", "x_y__go_2"]


def programs() -> int:
    """How many programs this process has started and not seen the end of."""
    found = 0
    for task in Path("/proc/self/task").glob("*/children"):
        # a thread may end while one looks
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += len(task.read_text().split())
    return found


def test_nothing_runs_once_the_conversation_is_closed_by_another_task() -> None:
    async def scene() -> None:
        entered = list_external_tools(ExternalAccess(servers=(odd("well"), odd("well", "other"))), MAIN.scope)
        outside = await asyncio.create_task(entered.__aenter__())
        assert (await asyncio.create_task(call(outside, "other__go"))).content == "went"
        await asyncio.create_task(entered.__aexit__(None, None, None))
        assert (await call(outside, "odd__go")).failed

    before = programs()
    asyncio.run(scene())
    assert programs() == before


@pytest.mark.usefixtures("_impatient")
def test_stopping_while_servers_start_leaves_none_behind() -> None:
    async def scene() -> None:
        entered = list_external_tools(ExternalAccess(servers=(odd("silent"),)), MAIN.scope)
        entering = asyncio.ensure_future(entered.__aenter__())
        await asyncio.sleep(0.2)
        entering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await entering

    before = programs()
    asyncio.run(scene())
    assert programs() == before


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("notes", "add", "notes__add"),
        ("", "", "server__tool"),
        ("9 lives", "x", "s9_lives__x"),
        ("__", "__", "server____"),
        ("메모", "찾기", "server____"),
        ("s" * 99, "t" * 99, "s" * 24 + "__" + "t" * 38),
    ],
)
def test_names_are_such_as_every_vendor_takes(server: str, tool: str, name: str) -> None:
    assert safe_name(server, tool, set()) == name
