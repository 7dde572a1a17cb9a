"""The table of verbs says which faces offer what, and the faces agree."""

import importlib
from collections import Counter
from collections.abc import Iterator

import click
import pytest

from everself.interfaces.cli.root import everself
from everself.interfaces.cli.verbs import VERBS
from everself.operations.registry import all_operations

# What belongs to the command line itself and calls no verb.
OF_THE_FACE = {"completion", "help"}


def leaves(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from leaves(found, (*words, name))
    else:
        yield " ".join(words)


def offered_by_cli() -> list[str]:
    declared = [one.name.replace(".", " ") for one in all_operations() if one.command]
    return [*declared, *(name for verb in VERBS for face, name in verb.offered if face == "cli")]


def test_every_command_offers_one_verb_of_the_table() -> None:
    assert Counter(offered_by_cli()) == Counter(name for name in leaves(everself) if name not in OF_THE_FACE)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.called)
def test_a_verb_exists_and_each_face_offers_it_or_has_a_reason(verb) -> None:
    module, _, name = verb.called.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    assert callable(found)
    withheld = dict(verb.withheld)
    assert set(dict(verb.offered)) | set(withheld) == {"cli"}
    assert not set(dict(verb.offered)) & set(withheld)
    assert all(withheld.values())
