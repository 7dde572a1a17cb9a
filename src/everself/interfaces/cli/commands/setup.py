"""`everself setup`: runs the operation, then offers further setup, one question each."""

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from everself.errors import EverselfError
from everself.interfaces.cli.call import say_error, show_lines, show_notices, this_call
from everself.interfaces.cli.operation_command import find_command
from everself.interfaces.rendering.lines import paint
from everself.interfaces.rendering.setup import REVIEW

if TYPE_CHECKING:
    from collections.abc import Callable

    from everself.operations.setup_offers import Offer


def _asking(command: click.Command) -> click.Command:
    make: Callable[..., int] = command.callback or (lambda **_: 0)

    def run(*, yes: bool, **given: Any) -> int:
        new = _is_new(given["agent"], given["workspace"])
        code = make(**given)
        if this_call().json:
            return code
        if yes or (sys.stdin.isatty() and sys.stdout.isatty()):
            _offer(given["agent"], ask=not yes)
        elif new:
            offered = "A weekly review of what deserves to be kept for good, if you like, on Fridays at six:"
            show_lines([offered, f"  {REVIEW}"])
        return code

    command.callback = run
    option = click.Option(["--yes"], is_flag=True, help="Accept the default of every offer without asking.")
    command.params.insert(len(command.params) - 1, option)
    return command


def _is_new(agent: str, workspace: str) -> bool:
    from everself.config.places import is_agent_id
    from everself.operations.home import Home

    config = Home().load().config
    # the operation reports an invalid name
    if agent and not is_agent_id(agent):
        return False
    known = agent in {"", *(one.id for one in config.agents)}
    usual = config.agent(agent).workspace if known else config.places.default_workspace_of(agent)
    return not os.path.lexists(workspace or usual)


def _offer(agent: str, *, ask: bool) -> None:
    from everself.operations.caller import AT_TERMINAL
    from everself.operations.home import Home
    from everself.operations.setup_offers import OffersRequest, find_offers

    caller = replace(AT_TERMINAL, present=ask, agree=lambda _: None)
    found = find_offers(Home(), caller, OffersRequest(agent=agent))
    show_notices(found.notes)
    for offer in found.offers:
        wanted = click.confirm(offer.question, default=offer.default, err=True) if ask else offer.default
        if not wanted:
            show_lines([*([] if ask else [f"{offer.question} Not without asking."]), f"  later: {offer.command}"])
            continue
        try:
            _take(offer, agent, caller)
            show_lines(["  " + paint("done", "green") + f": {offer.command}"])
        except EverselfError as error:
            # the other offers still apply
            say_error(error, as_json=False)


def _take(offer: "Offer", agent: str, caller: Any) -> None:
    from everself.agent import open_runtime
    from everself.operations.home import Home
    from everself.operations.registry import get_operation

    found = get_operation(offer.operation)
    kinds = {one.name: one.kind for one in found.fields}
    fields = {name: value == "yes" if kinds[name] is bool else value for name, value in offer.fields.items()}
    if found.on == "home":
        found(Home(), caller, found.request(**fields))
        return
    with open_runtime(agent) as runtime:
        found(runtime, caller, found.request(**fields))


setup = _asking(find_command("setup"))
