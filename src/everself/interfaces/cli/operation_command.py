"""From the declaration of an operation to a command: its options and arguments, the call, and what is shown of the result.

Knows click and declarations, and no particular operation. What a result looks like is said by a `View`.
"""

import enum
import sys
import typing
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from everself.interfaces.cli.call import (
    agent_option,
    answer,
    json_option,
    opened,
    recovery_notices,
    show_notices,
    this_call,
)
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.parameters import DAY, words_of
from everself.interfaces.cli.progress import progress
from everself.interfaces.rendering.view import Look, View, view_of
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import Argument, Field, Operation
from everself.operations.registry import get_operation

if TYPE_CHECKING:
    pass

# seconds that a person waits without a word
A_WORD_AFTER = 1.0


def command_of(operation: Operation[Any, Any], view: View) -> click.Command:
    """The command that offers an operation."""
    offered = [one for one in operation.fields if one.offered_by("cli")]
    flags = {name: click.Option([f"--{name}"], is_flag=True, help=words) for name, words in view.flags}

    def run(agent: str, **given: Any) -> int:
        look_flags = frozenset(name for name in flags if given.pop(name))
        request = operation.request(
            **{one.name: _value(one, given[one.name]) for one in offered if _is_given(one, given)}
        )
        with opened(agent) as app:
            if operation.progress:
                with progress(operation.progress, A_WORD_AFTER) as tell:
                    result = operation(app, AT_TERMINAL, request, tell)
            else:
                result = operation(app, AT_TERMINAL, request)
            lines = list(view.lines(result, Look(app.clock.zone, look_flags)))
            answer(view.data(result), lines, [*view.notices(result), *recovery_notices(app)])
            # whoever asked has the answer; what follows is for the next one
            sys.stdout.flush()
            if view.after is not None:
                left = view.after(app)
                show_notices([] if this_call().json else left)
        return view.code(result)

    words = f"{operation.help}\n\n{operation.details}" if operation.details else operation.help
    made: Any = agent_option(json_option(run))
    command = click.command(operation.name.rpartition(".")[2], cls=Verb, help=words, examples=operation.examples)(made)
    command.params[:0] = [*map(_parameter, offered), *flags.values()]
    return command


def find_command(name: str) -> click.Command:
    """The command of an operation by its name."""
    operation = get_operation(name)
    return command_of(operation, view_of(operation))


def _parameter(one: Field) -> click.Parameter:
    option = one.option
    if isinstance(option, Argument):
        named = {"metavar": option.metavar} if option.metavar else {}
        nargs = -1 if option.joined or one.many else 1
        return click.Argument([one.name], nargs=nargs, required=not one.optional, type=_type(one), **named)
    is_flag = one.kind is bool
    return click.Option(
        [option.cli or f"--{one.name.replace('_', '-')}", one.name],
        type=None if is_flag else _type(one),
        is_flag=is_flag,
        multiple=one.many,
        required=not one.optional,
        default=None if one.many or is_flag else one.default,
        show_default=bool(one.default) and not is_flag,
        metavar=option.metavar or None,
        help=option.help,
    )


def _type(one: Field) -> click.ParamType[Any]:
    kind = typing.get_args(one.kind)[0] if one.many else one.kind
    low, high = one.option.ge, one.option.le
    if kind is date:
        return DAY
    if kind is int:
        return click.IntRange(None if low is None else int(low), None if high is None else int(high))
    if kind is float:
        return click.FloatRange(low, high)
    if typing.get_origin(kind) is typing.Literal:
        return click.Choice(typing.get_args(kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return click.Choice([member.value for member in kind])
    return click.STRING


def _is_given(one: Field, given: Mapping[str, Any]) -> bool:
    return given[one.name] is not None and not (one.many and not given[one.name])


def _value(one: Field, given: Any) -> Any:
    if isinstance(one.kind, type) and issubclass(one.kind, enum.Enum):
        return one.kind(given)
    if not isinstance(one.option, Argument):
        return given
    if one.option.joined:
        return " ".join(given)
    return words_of(given) if one.option.stdin else given
