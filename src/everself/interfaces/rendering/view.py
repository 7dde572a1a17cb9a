"""Views of results, and finding the view of an operation."""

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import tzinfo
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from everself.errors import (
    BadConfig,
    ChangedMeanwhile,
    Damaged,
    DiskError,
    EmbeddingFailed,
    EverselfError,
    Interrupted,
    ModelFailed,
    NotFound,
    RefusedByRule,
    Unfinished,
    WrongUse,
)
from everself.frozen import Frozen
from everself.interfaces.rendering.lines import Line

if TYPE_CHECKING:
    from everself.operations.declaration import Operation
    from everself.runtime import Runtime


class ExitCode(IntEnum):
    DONE = 0
    FAILED = 1
    WRONG_USE = 2
    REFUSED = 3
    CONFLICT = 4
    NOT_FOUND = 5
    DEGRADED = 6
    INTERRUPTED = 130


MEANINGS: dict[ExitCode, str] = {
    ExitCode.DONE: "done",
    ExitCode.FAILED: "failed, nothing changed",
    ExitCode.WRONG_USE: "wrong use",
    ExitCode.REFUSED: "refused by a rule",
    ExitCode.CONFLICT: "conflict, try again",
    ExitCode.NOT_FOUND: "not found",
    ExitCode.DEGRADED: "degraded: done, with a warning",
    ExitCode.INTERRUPTED: "interrupted",
}

# an error gets the code of its nearest ancestor in the table
BY_ERROR: dict[type[EverselfError], ExitCode] = {
    EverselfError: ExitCode.FAILED,
    WrongUse: ExitCode.WRONG_USE,
    NotFound: ExitCode.NOT_FOUND,
    RefusedByRule: ExitCode.REFUSED,
    ChangedMeanwhile: ExitCode.CONFLICT,
    BadConfig: ExitCode.FAILED,
    DiskError: ExitCode.FAILED,
    Damaged: ExitCode.FAILED,
    EmbeddingFailed: ExitCode.FAILED,
    ModelFailed: ExitCode.FAILED,
    Unfinished: ExitCode.DEGRADED,
    Interrupted: ExitCode.INTERRUPTED,
}


def code_of(error: EverselfError) -> ExitCode:
    return next(BY_ERROR[kind] for kind in type(error).__mro__ if kind in BY_ERROR)


class Look(Frozen):
    """The context of a view: the owner's time zone, and the given view flags.

    `asking`: it shows a plan for confirmation; `agreed`: the plan was shown and confirmed; `chat`: it is shown briefly, in a conversation.
    """

    zone: tzinfo
    flags: frozenset[str] = frozenset()
    asking: bool = False
    agreed: bool = False
    chat: bool = False


def _notices(result: Any) -> Sequence[str]:
    return tuple(getattr(result, "notices", ()))


class View(Frozen):
    """How a result is shown. `flags` (name, help) affect only the output; the operation does not get them.

    `code` is the exit code, `data` what `--json` prints instead of the result, `raw` is printed byte for byte instead of lines (`raw_json`:
    also instead of JSON), `after` runs after the output and returns further lines. If `error` returns an error, the result is not `ok` in
    JSON; with `details` a person sees the error instead of the lines.
    """

    lines: Callable[[Any, Look], Iterable[Line]]
    code: Callable[[Any], ExitCode] = lambda _: ExitCode.DONE
    data: Callable[[Any], object] = lambda result: result
    notices: Callable[[Any], Iterable[str]] = _notices
    raw: Callable[[Any], str | None] = lambda _: None
    raw_json: bool = False
    error: Callable[[Any], EverselfError | None] = lambda _: None
    details: Callable[[Any], Sequence[str]] | None = None
    flags: tuple[tuple[str, str], ...] = ()
    after: "Callable[[Runtime], Sequence[str]] | None" = None


def degraded_if(check: Callable[[Any], object]) -> Callable[[Any], ExitCode]:
    """The exit code for a degraded result if the condition holds."""
    return lambda result: ExitCode.DEGRADED if check(result) else ExitCode.DONE


def says(words: str) -> Callable[[Any, Look], Iterable[Line]]:
    """A view of one line, in which `{0.name}` stands for a field of the result."""
    return lambda result, _: [words.format(result)]


def without(*names: str) -> Callable[[Any], object]:
    """The fields of a result without these, for `data`."""
    return lambda result: {one.name: getattr(result, one.name) for one in fields(result) if one.name not in names}


def view_of(operation: "Operation[Any, Any]") -> View:
    """The view in the module named like the operation's; a plain one if there is none."""
    name = f"everself.interfaces.rendering.{operation.module}"
    views: Mapping[str, View] = {}
    if importlib.util.find_spec(name) is not None:
        views = importlib.import_module(name).VIEWS
    return views.get(operation.name, View(_plain))


def _plain(result: Any, _: Look) -> Iterable[Line]:
    from everself.interfaces.rendering.json_form import render_json

    return render_json(result, "utf-8").splitlines()
