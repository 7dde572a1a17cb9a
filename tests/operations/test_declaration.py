"""An operation is declared once, and every interface makes of it what it needs."""

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import pytest

from everself.errors import RefusedByRule, WrongUse
from everself.operations import registry
from everself.operations.caller import AT_TERMINAL, Audience, Caller
from everself.operations.declaration import Argument, Operation, Option, fields_of, operation
from everself.operations.registry import LISTED, all_operations
from tools import index_operations

TOP = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRequest:
    words: Annotated[str, Argument("What to count.", joined=True)]
    times: Annotated[int, Option("How often.", ge=1, le=9, tool="maxTimes")] = 1
    secretly: Annotated[bool, Option("Only the owner may ask for it.", only=("cli",))] = False


def count(_: object, __: Caller, request: CountRequest) -> int:
    """Count the words.

    More of it.
    """
    return len(request.words.split()) * request.times


def made(audience: Audience = Audience.AGENT) -> Operation[CountRequest, int]:
    return Operation(
        "memory.count", count, CountRequest, audience, "read", "Count the words.", fields=tuple(fields_of(CountRequest))
    )


def test_whoever_stands_lower_than_the_audience_is_refused() -> None:
    request = CountRequest(words="a b")
    assert made()(None, Caller(Audience.AGENT), request) == 2
    assert made()(None, AT_TERMINAL, request) == 2
    with pytest.raises(RefusedByRule, match="only the owner at a terminal"):
        made(Audience.OWNER_AT_TERMINAL)(None, Caller(Audience.OWNER), request)


def test_what_can_be_undone_needs_nobody_to_agree() -> None:
    def run(_: object, caller: Caller, request: CountRequest) -> int:
        caller.agree(request)
        return 1

    request = CountRequest(words="a b")
    assert replace(made(), run=run, effect="write")(None, AT_TERMINAL, request) == 1
    with pytest.raises(RefusedByRule, match="no person is present to confirm it"):
        replace(made(), run=run, effect="destructive")(None, AT_TERMINAL, request)


@pytest.mark.parametrize("times", [0, 10])
def test_a_number_beyond_its_limits_is_refused_for_every_interface(times: int) -> None:
    with pytest.raises(WrongUse, match=f"times is {times}, but must be at least 1 and at most 9"):
        made()(None, AT_TERMINAL, CountRequest(words="a", times=times))


@pytest.mark.parametrize(("needs_yes", "goes_on"), [("", True), ("This costs money", False)])
def test_nobodys_absence_is_a_yes_only_to_what_needs_none(needs_yes: str, goes_on: bool) -> None:
    def asks(_: object, caller: Caller, __: CountRequest) -> int:
        caller.agree("a plan")
        return 1

    asking = replace(made(), run=asks, effect="write", needs_yes=needs_yes)
    if goes_on:
        assert asking(None, AT_TERMINAL, CountRequest(words="a")) == 1
    else:
        with pytest.raises(RefusedByRule, match="no person is present to confirm it"):
            asking(None, AT_TERMINAL, CountRequest(words="a"))


def test_a_request_is_read_by_the_names_of_the_interface() -> None:
    assert made().read({"words": "a", "maxTimes": 3}, "tool") == CountRequest(words="a", times=3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"words": 3}, "words"),
        ({}, "words"),
        ({"words": "a", "times": 3}, "Unknown field: times"),
        ({"words": "a", "secretly": True}, "Unknown field: secretly"),
        ({"words": "a", "maxTimes": "three"}, "times"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_field(given: dict[str, object], said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        made().read(given, "tool")


def test_the_schema_holds_what_the_interface_offers_and_no_more() -> None:
    assert made().schema("tool") == {
        "type": "object",
        "properties": {
            "words": {"type": "string", "description": "What to count."},
            "maxTimes": {"type": "integer", "default": 1, "minimum": 1, "maximum": 9, "description": "How often."},
        },
        "required": ["words"],
        "additionalProperties": False,
    }


def test_two_operations_of_one_name_are_a_mistake() -> None:
    registry.get_operation("memory.search")
    with pytest.raises(ValueError, match="declared twice"):
        operation("memory.search", audience=Audience.OWNER, effect="read")(count)


def test_the_index_is_what_the_declarations_say() -> None:
    assert index_operations.TARGET.read_text("utf-8") == index_operations.render(), (
        "run python -m tools.index_operations"
    )


def test_every_operation_says_what_it_does_and_shows_an_example() -> None:
    found = all_operations()
    assert [one.name for one in found] == [one.name for one in LISTED]
    for one in found:
        assert one.help.endswith("."), one.name
        assert one.examples or not one.command, one.name
        assert all(field.option.help.endswith(".") for field in one.fields), one.name


# each with why no interface that a model can reach may ever offer it
AT_A_TERMINAL = {
    **dict.fromkeys(
        ("setup", "setup.offers", "agents.add", "agents.remove"), "an agent neither makes nor removes agents"
    ),
    **dict.fromkeys(("backup", "memory.export"), "the file holds everything, for whoever has it"),
    "restore": "an agent does not replace itself",
    **dict.fromkeys(("connect", "disconnect"), "the settings of other programs are the person's own"),
    **dict.fromkeys(("config.set", "config.unset", "model.use"), "settings name what the agent may do to itself"),
    **dict.fromkeys(("cron.add", "cron.rm", "cron.enable", "cron.disable"), "a person decides what runs unasked"),
    **dict.fromkeys(("cron.run", "cron.tick", "keepers.run", "model.test"), "asking a model may cost money"),
    "memory.import": "only the owner says whose memories a file holds",
    "memory.vouch": "a model cannot vouch for itself",
    "memory.release": "what was kept from a model is not released by one",
    "memory.compact": "a model does not move a person's files",
    **{f"soul.{name}": "no model decides who the agent is" for name in ("approve", "refuse", "rollback")},
    **{f"review.{name}": "what waits for a human is not decided by a model" for name in ("accept", "edit", "refuse")},
    "review.list": "what was kept from a model is not shown to one",
    **{f"gateway.token.{name}": "no program lets itself in" for name in ("add", "list", "rotate", "rm")},
    **{f"gateway.hook.{name}": "no program lets others in" for name in ("add", "list", "rotate", "rm")},
    **dict.fromkeys(("gateway.sign-in", "gateway.sign-out"), "who is at the terminal decides who signs in"),
    **dict.fromkeys(
        ("gateway.stop", "gateway.logs", "gateway.install"), "what answers for all agents is not one agent's"
    ),
    **dict.fromkeys(("ritual.show", "ritual.finish"), "a person says who the agent is"),
    "sessions.export": "a transcript holds everything that was said",
    "sessions.delete": "what is deleted is gone",
}


def test_what_is_done_at_a_terminal_alone_has_a_reason() -> None:
    found = {one.name for one in all_operations() if one.audience is Audience.OWNER_AT_TERMINAL}
    assert found == set(AT_A_TERMINAL)


@pytest.mark.parametrize("name", AT_A_TERMINAL)
def test_what_needs_a_human_is_refused_to_whoever_is_not_at_a_terminal(name: str) -> None:
    found = registry.get_operation(name)
    assert found.tool is None
    for standing in (Audience.GUEST, Audience.AGENT, Audience.OWNER):
        with pytest.raises(RefusedByRule, match="only the owner at a terminal"):
            found(None, Caller(standing), None)


NEW = '''"""An operation that somebody added."""
from dataclasses import dataclass, replace
from typing import Annotated
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, ToolOffer, operation

@dataclass(frozen=True, slots=True, kw_only=True)
class EchoRequest:
    words: Annotated[str, Argument("What to say.", joined=True)]

@operation("memory.echo", audience=Audience.AGENT, effect="read", tool=ToolOffer("memory_echo"), slash="/echo")
def echo(app: object, _: Caller, request: EchoRequest) -> dict[str, str]:
    """Say it again.

    $ everself memory echo hello  # says hello
    """
    return {"said": request.words}
'''
TRY = """
import asyncio, sys
from everself.interfaces.cli.entry import run
from everself.interfaces.repl.commands import COMMANDS
from everself.interfaces.repl.commands import run_slash
from everself.agent import open_runtime
code = run(["memory", "echo", "hello", "there", "--json"])
print(COMMANDS["/echo"].summary, COMMANDS["/echo"].takes)
from everself.conversation.tools.protocol import ToolContext
from everself.search.scopes import Scope, SessionKind
with open_runtime() as app:
    setting = ToolContext(Scope(SessionKind.MAIN), "s", "m", "hello", True)
    tool = next(one for one in app.tools(setting.scope) if one.spec.name == "memory_echo")
    print(tool.spec.parameters["required"], asyncio.run(tool.run({"words": "by a model"}, setting)))
    print(asyncio.run(run_slash("memory.echo", app, "s", "once more", None)))
sys.exit(code)
"""


@pytest.mark.slow
def test_a_new_operation_is_one_module_and_a_generated_row(tmp_path: Path) -> None:
    import shutil

    shutil.copytree(TOP / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "src" / "everself" / "operations" / "echoes.py").write_text(NEW)
    environ = {"PYTHONPATH": f"{tmp_path / 'src'}:{TOP}", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}

    def python(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], env=environ, capture_output=True, text=True, timeout=300, check=False
        )

    assert python("-m", "tools.index_operations").returncode == 0
    assert python("-m", "everself", "setup").returncode == 0
    done = python("-c", TRY)
    assert done.returncode == 0, done.stderr
    assert '"said": "hello there"' in done.stdout
    assert "Say it again. WORDS" in done.stdout
    assert "once more" in done.stdout
    # as a tool; nobody says whose words it hands on, so they count as from outside
    assert "['words'] Outcome(content='{\"said\":\"by a model\"}'" in done.stdout
    assert "stamp='tool'" in done.stdout
    helped = python("-m", "everself", "memory", "--help").stdout
    assert "echo" in helped


def test_an_operation_that_is_not_listed_is_not_found() -> None:
    from everself.errors import NotFound

    with pytest.raises(NotFound, match=r"memory\.nothing"):
        registry.get_operation("memory.nothing")
