"""Makes a command from an operation's declaration: options, arguments, the call, and the output.

Knows click and declarations, and no particular operation. A `View` formats the result.
"""

import enum
import sys
import typing
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, date
from typing import TYPE_CHECKING, Any

import click

from everself.errors import Interrupted, WrongUse
from everself.interfaces.cli.call import (
    agent_option,
    answer,
    inherited,
    json_option,
    opened,
    recovery_notices,
    say_error,
    show_lines,
    show_notices,
    this_call,
    write_out,
)
from everself.interfaces.cli.command_types import ExampleCommand
from everself.interfaces.cli.commands.conversation import awake
from everself.interfaces.cli.parameters import DAY, words_of
from everself.interfaces.cli.progress import progress
from everself.interfaces.rendering.lines import plain
from everself.interfaces.rendering.view import Look, View, view_of
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import Argument, Field, Operation
from everself.operations.registry import get_operation

if TYPE_CHECKING:
    from everself.operations.home import Home
    from everself.runtime import Runtime

# seconds before progress is shown
A_WORD_AFTER = 1.0


def command_of(operation: Operation[Any, Any], view: View) -> click.Command:
    offered = [one for one in operation.fields if one.offered_by("cli")]
    flags = {name: click.Option([f"--{name}"], is_flag=True, help=words) for name, words in view.flags}
    if operation.question:
        name, words = operation.agreed_by
        flags[name] = click.Option([f"--{name}"], is_flag=True, help=words)

    own_agent = operation.on == "agent"

    def run(**given: Any) -> int:
        agent = given.pop("agent") if own_agent else ""
        look_flags = frozenset(name for name in flags if given.pop(name))
        request = operation.request(
            **{one.name: _value(one, given[one.name]) for one in offered if _is_given(one, given)}
        )
        if not own_agent:
            from everself.operations.home import Home

            return _finish(view, *_run(operation, view, Home(), request, Look(UTC, look_flags)))
        with awake(agent) if operation.makes_agent else opened(agent) as runtime:
            result, look = _run(operation, view, runtime, request, Look(runtime.clock.zone, look_flags))
            noted = recovery_notices(runtime)
            # one JSON object also reports errors while closing the agent
            answered = view.after is not None or not this_call().json
            code = _finish(view, result, look, noted) if answered else None
            left = view.after(runtime) if view.after is not None else ()
            show_notices([] if this_call().json else left)
        return _finish(view, result, look, noted) if code is None else code

    made: Any = json_option(run)
    made = agent_option(made) if own_agent else made
    command = click.command(operation.name.rpartition(".")[2], cls=ExampleCommand, help=operation.run.__doc__)(made)
    command.params[:0] = [*map(_parameter, offered), *flags.values()]
    return command


def _run(
    operation: Operation[Any, Any], view: View, runtime: "Runtime | Home", request: Any, look: Look
) -> tuple[Any, Look]:
    """Run the operation. Returns the result, and how to show it to a person who may have seen the plan."""
    agreed = False

    def agree(plan: object) -> None:
        nonlocal agreed
        agreed = _ask(operation, view, plan, look)

    # without a terminal the caller may be a program that the agent started
    caller = replace(AT_TERMINAL, present=sys.stdin.isatty(), agree=agree)
    with ExitStack() as bars:
        labels = (operation.progress,) if isinstance(operation.progress, str) else operation.progress
        tells = [bars.enter_context(progress(label.format(request=request), A_WORD_AFTER)) for label in labels if label]
        result = operation(runtime, caller, request, tells if len(labels) > 1 else next(iter(tells), None))
    return result, replace(look, agreed=agreed)


def _finish(view: View, result: Any, look: Look, noted: Sequence[str] = ()) -> int:
    notices = [*view.notices(result), *noted]
    as_json = this_call().json
    error = view.error(result) if as_json or view.details is not None else None
    raw = view.raw(result) if view.raw_json or not as_json else None
    if error is not None:
        details = () if view.details is None else view.details(result)
        say_error(error, as_json=as_json, data=view.data(result) if as_json else None, details=details)
    elif raw is not None:
        if raw:
            write_out(raw)
        show_notices(notices)
    else:
        answer(view.data(result), list(view.lines(result, look)), notices)
    # the answer was printed; the rest is for the next command
    sys.stdout.flush()
    return view.code(result)


def _ask(operation: Operation[Any, Any], view: View, plan: object, look: Look) -> bool:
    """Show the plan and ask for confirmation. Changes that can be undone are not confirmed if nobody is present."""
    if operation.agreed_by[0] in look.flags:
        return False
    away = this_call().json or not sys.stdin.isatty()
    if away and operation.effect != "destructive" and not operation.needs_yes:
        return False
    lines = list(view.lines(plan, replace(look, asking=True)))
    if away and operation.needs_yes:
        said = " ".join(map(plain, lines))
        raise WrongUse(f"{operation.needs_yes}: {said}", mend=f"--{operation.agreed_by[0]} agrees to it.")
    if not this_call().json:
        show_lines(lines)
    if away:
        raise WrongUse(
            "Nothing was changed, because this cannot be undone and nobody could be asked.",
            mend="Add --dry-run to see what would happen, or --yes to do it.",
        )
    # on stderr, where it is seen even when the rest goes into a file
    if not click.confirm(operation.question.format(plan=plan), err=True):
        raise Interrupted("Nothing was changed.")
    return True


def find_command(name: str) -> click.Command:
    operation = get_operation(name)
    return command_of(operation, view_of(operation))


def _parameter(one: Field) -> click.Parameter:
    option = one.option
    if isinstance(option, Argument):
        named = {"metavar": option.metavar} if option.metavar else {}
        nargs = -1 if option.joined or one.many else 1
        return click.Argument([one.name], nargs=nargs, required=one.is_required("cli"), type=_type(one), **named)
    is_flag = one.kind is bool
    # click treats a default of None as a value, and a missing required argument would not be reported
    default: dict[str, Any] = (
        {} if one.is_required("cli") else {"default": None if one.many or is_flag else one.default}
    )
    return click.Option(
        [option.cli or f"--{one.name.replace('_', '-')}", one.name],
        type=None if is_flag else _type(one),
        is_flag=is_flag,
        multiple=one.many,
        required=one.is_required("cli"),
        show_default=bool(one.default) and not is_flag,
        metavar=option.metavar or None,
        help=option.help,
        callback=inherited if one.name == "agent" else None,
        **default,
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
        return click.Choice(typing.get_args(kind), case_sensitive=False)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return click.Choice([member.value for member in kind])
    return click.STRING


def _is_given(one: Field, given: Mapping[str, Any]) -> bool:
    return given[one.name] is not None and not (one.many and not given[one.name])


def _value(one: Field, given: Any) -> Any:
    if isinstance(one.kind, type) and issubclass(one.kind, enum.Enum):
        return one.kind(given)
    if isinstance(one.option, Argument) and one.option.joined:
        return " ".join(given)
    return words_of(given, one.option.most) if one.option.stdin else given
