"""`everself config`: settings read, set and unset."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.interfaces.cli.call import agent_option, answer, json_option
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.config.display import SettingReport
    from everself.operations.settings import SavedReport

_MOST = 256 * 1024


@click.group(
    "config",
    cls=Family,
    examples=[
        ("everself config show", "what is set, and where"),
        ("everself config set agents.defaults.userTimezone Europe/Berlin", "set one"),
    ],
)
@json_option
@click.pass_context
def config(context: click.Context) -> None:
    """Read and change settings."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@config.command(
    "get",
    cls=Verb,
    examples=[("everself config get agents.defaults.heartbeat.every", "the value in force, and nothing else")],
)
@click.argument("key")
@agent_option
@json_option
def get(key: str, agent: str) -> None:
    """Print the value of one setting."""
    from everself.operations.settings import get_value

    found = get_value(key, agent)
    # a value of several lines is printed as it is set
    answer(found, _shown(found).split("\n"))


@config.command(
    "set",
    cls=Verb,
    examples=[
        ("everself config set agents.defaults.heartbeat.every 45m", "set one; comments in the file stay"),
        ("everself config set identity.name Aria --agent aria", "for one agent only"),
        (
            "everself config set provider.openai.apiKey - < key.txt",
            "read the value from a file, so that no shell keeps it",
        ),
    ],
)
@click.argument("key")
@click.argument("value")
@agent_option
@json_option
def set_command(key: str, value: str, agent: str) -> None:
    """Set one setting; with -, the value is read from standard input.

    A secret goes to a file that only you can read, and a reference to it into the host file.
    """
    from everself.operations.settings import set_value

    if value == "-":
        # one character more than may be, so that what is too large is refused and not cut
        value = sys.stdin.read(_MOST + 1).removesuffix("\n")
    saved = set_value(key, value, agent)
    _tell(saved, f"{saved.key} is set in {saved.file}")


@config.command(
    "unset",
    cls=Verb,
    examples=[("everself config unset agents.defaults.heartbeat.every", "back to the default")],
)
@click.argument("key")
@agent_option
@json_option
def unset(key: str, agent: str) -> None:
    """Put one setting back to its default."""
    from everself.operations.settings import unset_value

    saved = unset_value(key, agent)
    _tell(saved, f"{saved.key} is no longer set in {saved.file}")


@config.command(
    "show",
    cls=Verb,
    examples=[
        ("everself config show", "what is set"),
        ("everself config show --all", "every setting with its default and what it is for"),
        ("everself config show agents.defaults.heartbeat", "one group"),
    ],
)
@click.argument("group", required=False, default="")
@click.option("--all", "everything", is_flag=True, help="Defaults too, each with what it is for.")
@agent_option
@json_option
def show(group: str, everything: bool, agent: str) -> None:
    """Show settings and where each comes from. A secret is never shown."""
    from everself.operations.settings import list_values

    found = list_values(agent, group, everything=everything)
    lines = [line for one in found.settings for line in _described(one, everything or bool(group))]
    count = len(found.remarks)
    notices = [f"{count_of(count, 'remark')} about the settings: everself doctor"] if count else []
    nothing = "Nothing is set; all defaults are in force (everself config show --all)."
    answer(found, lines or [nothing], notices)


@config.command("path", cls=Verb, examples=[("$EDITOR $(everself config path)", "edit the host file by hand")])
@json_option
def path_command() -> None:
    """Print where the host file is, whether or not it exists yet."""
    from everself.operations.settings import host_file

    path = host_file()
    answer({"path": path}, [path])


def _tell(saved: "SavedReport", words: str) -> None:
    done = words if saved.changed else f"{saved.key} was so already; nothing was written"
    secret = f"The secret itself is in {saved.secrets_file}, which only you can read."
    lines = [f"{done}."] + ([secret] if saved.secrets_file else [])
    answer(saved, lines, [f"{one.message} {one.mend}".strip() for one in saved.remarks])


def _described(found: "SettingReport", documented: bool) -> Iterator[Line]:
    yield f"{found.key} = {_shown(found)}  ({found.origin})"
    if documented:
        yield paint(f"    {found.doc}", dim=True)


def _shown(found: "SettingReport") -> str:
    """The value as one would type it for `config set`."""
    if isinstance(found.value, str):
        return found.value
    import json

    from everself.interfaces.rendering.json_form import to_json

    return json.dumps(to_json(found.value), ensure_ascii=False)
