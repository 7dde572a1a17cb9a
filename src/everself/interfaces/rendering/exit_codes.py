"""What the command answers to the shell: one table of codes, and which error has which."""

from enum import IntEnum

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

# an error has the code of its nearest ancestor here
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
