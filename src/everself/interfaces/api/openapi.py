"""The OpenAPI 3.1 document of `/api/v1`, made from the declarations of operations. Pure."""

from collections.abc import Iterable
from typing import Any, Final

from everself import __version__
from everself.interfaces.http.access import Access
from everself.operations.caller import Audience
from everself.operations.declaration import Operation

PREFIX: Final = "/api/v1"
_PROBLEM: Final = {
    "description": "What went wrong, and the next step.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_CODES: Final = ("400", "401", "403", "404", "409", "413", "415", "422", "429", "500", "502", "503", "504", "507")
_ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["ok", "data", "notices"],
    "properties": {
        "ok": {"type": "boolean"},
        "data": {"description": "As `--json` of the command prints it."},
        "notices": {"type": "array", "items": {"type": "string"}},
    },
}
_PROBLEM_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "next": {"type": "string", "description": "The command or step that helps."},
        "request": {"type": "string", "description": "The id by which the log knows the request."},
    },
}


def document(operations: Iterable[Operation[Any, Any]], access: Access) -> dict[str, Any]:
    """What this token may ask for."""
    standing = Audience.OWNER if access.is_owner else Audience.GUEST
    offered = [
        one
        for one in operations
        if one.audience <= standing
        and (access.is_owner or one.stream or (one.tool is not None and access.scope.kind in one.tool.sessions))
        and (not access.read or one.effect == "read")
    ]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Everself", "version": __version__, "summary": "One agent, as the token says."},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": {f"{PREFIX}/{one.name}": {"post": _described(one)} for one in offered},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Answer": _ANSWER, "Problem": _PROBLEM_SCHEMA},
        },
    }


def _described(operation: Operation[Any, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
    if operation.stream:
        content["text/event-stream"] = {"schema": {"type": "string"}}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.help,
        "tags": [operation.name.partition(".")[0]],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": operation.schema("http")}},
        },
        "responses": {"200": {"description": "The result.", "content": content}, **dict.fromkeys(_CODES, _PROBLEM)},
    }
    return described | ({"description": operation.details} if operation.details else {})
