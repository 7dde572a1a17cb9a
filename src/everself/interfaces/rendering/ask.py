"""How `everself ask` shows a reply, and what scripts get of it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from everself.errors import EverselfError
from everself.interfaces.rendering.lines import Line
from everself.interfaces.rendering.view import ExitCode, Look, View

if TYPE_CHECKING:
    from everself.operations.ask import Reply
    from everself.runtime import Runtime

_CITATION: Final = r"[^\s()（）「」“”]+#L[0-9]+(?:-L?[0-9]+)?"
_SHARED: Final = ("written", "session", "message", "model", "why", "tools", "usage", "cost")


def _lines(reply: "Reply", _: Look) -> Iterable[Line]:
    return [reply.text] if reply.text else []


def _data(reply: "Reply") -> dict[str, object]:
    """`citations` are those of the reply's own text, `written` what was done to memory on the way."""
    import re2

    cited = tuple(dict.fromkeys(re2.findall(_CITATION, reply.text)))
    return {"reply": reply.text, "citations": cited, **{name: getattr(reply, name) for name in _SHARED}}


def _notices(reply: "Reply") -> list[str]:
    return [f"{one.text} {one.mend}".rstrip() for one in reply.notices]


def _error(reply: "Reply") -> EverselfError | None:
    if not reply.failed:
        return None
    trouble = next((one for one in reversed(reply.notices) if one.level == "warning"), None)
    return EverselfError(trouble.text, mend=trouble.mend) if trouble else EverselfError()


def _code(reply: "Reply") -> ExitCode:
    return ExitCode.FAILED if reply.failed else ExitCode.DONE


def _embed_waiting(runtime: "Runtime") -> list[str]:
    from everself.operations.ask import embed_waiting

    embed_waiting(runtime)
    return []


VIEWS: Final = {
    "ask": View(_lines, code=_code, data=_data, notices=_notices, error=_error, after=_embed_waiting),
}
