"""Whatever can be called explains itself, in the terminal and in docs/commands.md."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from everself.interfaces.cli.command_types import ExampleCommand, ExampleGroup
from everself.interfaces.cli.root import GROUPS
from everself.interfaces.cli.root import everself as root
from everself.interfaces.rendering.view import MEANINGS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "commands.md").read_text("utf-8")


def all_commands(command: click.Command = root, name: str = "everself") -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from all_commands(found, f"{name} {inner}")


ALL = dict(all_commands())


def options_of(command: click.Command) -> set[str]:
    """The long name of each; a short one stands beside it."""
    names = {name for one in command.params if isinstance(one, click.Option) for name in one.opts}
    return {name for name in names if name.startswith("--")} - {"--help"}


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_help_with_an_example_and_takes_json(name: str, everself) -> None:
    words = name.split()[1:]
    said = everself(*words, "--help")
    assert said.code == 0
    assert "Examples:" in said.out
    command = ALL[name]
    assert isinstance(command, ExampleCommand | ExampleGroup)
    assert command.examples
    assert "--json" in options_of(command)


@pytest.mark.parametrize("name", ALL)
def test_examples_name_commands_and_options_that_exist(name: str) -> None:
    command = ALL[name]
    assert isinstance(command, ExampleCommand | ExampleGroup)
    for example, _ in command.examples:
        start = re.search(r"\beverself ([^)>|\"<]*)", example)
        assert start, example
        place, words = "everself", start[1].split()
        while words and f"{place} {words[0]}" in ALL:
            place += f" {words.pop(0)}"
        given = {word for word in words if word.startswith("--")}
        # `everself --agent aria log` stands before the command
        assert given <= options_of(ALL[place]) | options_of(root), example


def test_the_line_in_the_table_is_the_first_line_of_the_command() -> None:
    for name, (summary, _) in GROUPS.items():
        assert (ALL[f"everself {name}"].help or "").splitlines()[0] == summary


def test_alone_it_prints_its_help(everself) -> None:
    alone, asked = everself(), everself("--help")
    assert alone == asked
    assert alone.code == 0
    assert all(name in alone.out for name in root.list_commands(click.Context(root)))


def test_the_page_lists_exactly_the_commands_that_exist() -> None:
    assert re.findall(r"^## `(everself[^`]*)`$", PAGE, re.MULTILINE) == list(ALL)


@pytest.mark.parametrize("name", ALL)
def test_the_page_lists_exactly_the_options_and_arguments_that_exist(name: str) -> None:
    section = PAGE.split(f"\n## `{name}`\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^- `(--[\w-]+)", section, re.MULTILINE)) == options_of(ALL[name])
    arguments = {
        one.make_metavar(click.Context(ALL[name])) for one in ALL[name].params if isinstance(one, click.Argument)
    }
    shown = set(re.findall(r"^- `([A-Z\[{][^`]*)`", section, re.MULTILINE))
    assert shown == arguments


def test_the_page_and_the_help_show_the_exit_codes(everself) -> None:
    listed = dict(re.findall(r"^\| (\d+) \| ([^|]+?) \|$", PAGE, re.MULTILINE))
    assert listed == {str(int(code)): words for code, words in MEANINGS.items()}
    shown = everself("help", "exit-codes").out
    assert {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in shown.splitlines()} == listed
    assert everself("help", "exit-codes", "--json").json["data"][-1] == {"code": 130, "meaning": "interrupted"}


def test_help_by_name_is_the_commands_own(everself) -> None:
    assert everself("help", "config", "set").out == everself("config", "set", "--help").out
    assert everself("help").out == everself("--help").out


@pytest.mark.parametrize("words", [("help", "lgo"), ("help", "log", "x"), ("help", "--", "--x"), ("help", "")])
def test_help_about_nothing_is_wrong_use(everself, words: tuple[str, ...]) -> None:
    assert everself(*words).code == 2


@pytest.mark.parametrize(("typed", "meant"), [("lgo", "log"), ("und", "undo"), ("stup", "setup"), ("conifg", "config")])
def test_an_unknown_command_names_the_nearest(everself, typed: str, meant: str) -> None:
    said = everself(typed)
    assert said.code == 2
    assert f'Did you mean "{meant}"?' in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("status", '"gateway status" or "memory status"'),
        ("export", '"memory export" or "sessions export"'),
        ("persona", '"identity"'),
    ],
)
def test_a_command_of_a_group_or_of_a_chat_is_named_as_it_is_typed_here(everself, typed: str, meant: str) -> None:
    assert f"Did you mean {meant}?" in everself(typed).err


def test_an_unknown_command_within_a_family_names_the_nearest(everself) -> None:
    said = everself("config", "sett", "--json")
    assert said.code == 2
    assert 'Did you mean "set"?' in said.json["error"]["message"]
    assert said.json["error"]["mend"] == "everself config --help"


def test_an_unknown_option_is_named_with_the_nearest_one(everself) -> None:
    said = everself("log", "--limt", "3")
    assert said.code == 2
    assert said.err == "Unknown option: --limt. Did you mean --limit?\n→ everself log --help\n"
    assert everself("log", "--zzz").err == "Unknown option: --zzz.\n→ everself log --help\n"


def test_the_version_is_told(everself) -> None:
    from everself import __version__

    assert everself("--version").out == f"everself {__version__}\n"
    assert everself("--version", "--json").json["data"] == {"version": __version__}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_and_how_to_install_it(everself, shell: str) -> None:
    said = everself("completion", shell)
    first, *script = said.out.splitlines()
    assert said.code == 0
    assert first.startswith("# Install: ")
    assert shell in first
    assert "_EVERSELF_COMPLETE" in "\n".join(script)


def test_completion_for_another_shell_is_wrong_use(everself) -> None:
    assert everself("completion", "tcsh").code == 2


def test_words_are_completed(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_EVERSELF_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "everself config s")
    monkeypatch.setenv("COMP_CWORD", "2")
    said = everself()
    assert said.code == 0
    assert said.out.split() == ["plain,set", "plain,show"]
