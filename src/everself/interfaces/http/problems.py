"""The table from errors to status codes, and RFC 9457's `problem+json`."""

from typing import Final

from everself.errors import (
    ChangedMeanwhile,
    DiskFull,
    EmbeddingFailed,
    EverselfError,
    Interrupted,
    ModelFailed,
    NotFound,
    RefusedByRule,
    TooLarge,
    WrongUse,
)
from everself.frozen import Frozen

MEDIA_TYPE: Final = "application/problem+json"
# an error gets the code of its nearest ancestor in the table
STATUS: Final[dict[type[EverselfError], int]] = {
    EverselfError: 500,
    WrongUse: 400,
    NotFound: 404,
    RefusedByRule: 403,
    ChangedMeanwhile: 409,
    DiskFull: 507,
    TooLarge: 422,
    EmbeddingFailed: 502,
    ModelFailed: 502,
    Interrupted: 409,
}
_SERVER: Final = 500


class Problem(Frozen):
    """`kind` identifies it for programs, `detail` says what happened, `mend` the next step."""

    status: int
    kind: str
    title: str
    detail: str = ""
    mend: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    # the invalid field of the request, if any
    param: str = ""

    def body(self, request: str) -> dict[str, object]:
        """The JSON body. `request` is the request's id in the log."""
        said: dict[str, object] = {
            "type": f"urn:everself:problem:{self.kind}",
            "title": self.title,
            "status": self.status,
        }
        more = {"detail": self.detail, "next": self.mend, "param": self.param, "request": request}
        return said | {name: words for name, words in more.items() if words}


class Refused(Exception):
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.title)
        self.problem = problem


def refuse(status: int, kind: str, title: str, detail: str = "", mend: str = "", **headers: str) -> Refused:
    """Raise Refused. In `headers`, `_` stands for `-`."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Refused(Problem(status, kind, title, detail, mend, named))


def status_of(error: EverselfError) -> int:
    if isinstance(error, ModelFailed) and error.reason == "spend":
        return 429
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def problem_of(error: EverselfError, *, to_owner: bool) -> Problem:
    """The problem for an error. Details of the owner's machine (paths, settings, disks) are only for the owner."""
    status = status_of(error)
    kind = _dashed(type(error).__name__)
    title = error.headline.removesuffix(":").removesuffix(".")
    if status >= _SERVER and not to_owner and not isinstance(error, ModelFailed | EmbeddingFailed):
        return Problem(status, kind, title)
    after = error.retry_after if isinstance(error, ModelFailed | EmbeddingFailed) else None
    headers = (("Retry-After", str(max(1, round(after)))),) if after is not None else ()
    return Problem(status, kind, title, str(error), error.mend, headers)


def _dashed(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")
