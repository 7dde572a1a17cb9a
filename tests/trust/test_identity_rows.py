"""S4 and S5 at CI size, the registry that S5 runs over, and whether both notice what they are there for."""

from pathlib import Path
from typing import get_args

import pytest
from tests.conversation.tools.kits import box_of, runtime_over
from tests.memory.minds import mind_over
from tests.trust.hook_events import EVENTS
from tests.trust.mcp_calls import WRITING
from tests.trust.routes import COMMANDS, ROUTES, TOOLS
from tests.trust.rows.s04 import run_s4
from tests.trust.rows.s05 import ATTEMPTS, NAMES, run_s5

from everself.identity import integrity_check
from everself.identity.integrity_check import Examination
from everself.operations import files
from everself.operations.registry import get_operation
from everself.storage.state.database import State
from everself.testing.workspaces import real_workspace
from everself.values import Author
from everself.workspace import guards


def test_every_author_has_a_route_and_every_route_is_tried() -> None:
    assert {route.author for route in ROUTES} == set(Author)
    assert {route.name for route in ROUTES} == set(ATTEMPTS)
    assert len(NAMES) == len(set(NAMES))


def test_every_own_tool_that_writes_is_a_route(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path)) as bench:
        tools = box_of(runtime_over(mind_over(bench).memory, bench.workspace, bench.state))
        # memory_promote asks the owner and writes nothing itself
        assert {name for name, tool in tools.items() if tool.changes} - {"memory_promote"} == set(TOOLS)


def test_every_command_of_the_memory_tool_that_writes_is_a_route() -> None:
    (command,) = [one for one in get_operation("tool.memory").fields if one.name == "command"]
    assert set(get_args(command.kind)) - {"view"} == set(COMMANDS)


@pytest.mark.trust
def test_s4_every_tampering_is_noticed_and_nothing_lawful_rings(seed: int) -> None:
    print(run_s4(50, seed))


@pytest.mark.trust
def test_s5_no_route_without_a_human_writes_what_only_humans_change(seed: int) -> None:
    print(run_s5(NAMES, seed))


@pytest.mark.trust
def test_a_look_that_believes_the_database_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrity_check, "find_breach", lambda *_: None)
    with pytest.raises(AssertionError, match="S4 seed"):
        run_s4(26, 1)


@pytest.mark.trust
def test_a_look_that_takes_everything_for_its_own_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Examination, "_is_own", lambda *_: True)
    with pytest.raises(AssertionError, match="S4 seed"):
        run_s4(13, 1)


@pytest.mark.trust
def test_a_look_that_takes_nothing_for_its_own_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "keyed", lambda *_: "")
    with pytest.raises(AssertionError, match=r"S4 seed .* rang for"):
        run_s4(26, 1)


@pytest.mark.trust
def test_a_barrier_that_knows_no_alternate_souls_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    known = guards.place
    monkeypatch.setattr(guards, "place", lambda path, _=(): known(path))
    with pytest.raises(AssertionError, match=r"S5: .*night"):
        run_s5(("change set of agent",), 1)


@pytest.mark.trust
def test_a_runtime_that_may_begin_any_document_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "_lays_down", lambda author, file, _: author is Author.RUNTIME and file.before is None)
    with pytest.raises(AssertionError, match="S5: change set of runtime"):
        run_s5(("change set of runtime",), 1)


# These choose the document themselves, or take none but those that hold memory: the barrier has nothing to do.
# The tools refuse before it is asked; see below.
SAFE_ALONE = {
    *("bank page", "bank entity", "quarantine", "import of entries"),
    *(f"tool {name}" for name in TOOLS),
    *(f"MCP tool {name}" for name in WRITING),
    *(f"hook {name}" for name in EVENTS),
}
# from beneath memory/ no path leads to a document of humans
SAFE_ALONE |= {f"memory tool {name}" for name in COMMANDS}


@pytest.mark.trust
@pytest.mark.parametrize("name", sorted({one.name for one in ROUTES if not one.human} - SAFE_ALONE))
def test_without_a_barrier_every_route_that_can_be_led_astray_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(guards, "write_barrier", lambda *_, **__: iter(()))
    with pytest.raises(AssertionError, match=f"S5: {name}"):
        run_s5((name,), 1)


@pytest.mark.trust
@pytest.mark.parametrize("name", ["tool file_write", "tool file_edit"])
def test_a_tool_that_asks_nobody_is_found_where_there_is_no_barrier(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(files, "permission", lambda *_, **__: "write")
    assert "0 writes" in run_s5((name,), 1), "the barrier holds alone"
    monkeypatch.setattr(guards, "write_barrier", lambda *_, **__: iter(()))
    with pytest.raises(AssertionError, match=f"S5: {name}"):
        run_s5((name,), 1)
