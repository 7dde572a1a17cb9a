"""The OpenAPI 3.1 document of `/api/v1`, generated from the operations. Pure."""

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
    """The document of the operations that this token may call."""
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
        "paths": {
            **{f"{PREFIX}/{one.name}": {"post": _described(one)} for one in offered},
            **{path: how for one in offered if one.stream for path, how in _turns(one).items()},
        },
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


def _turns(chat: Operation[Any, Any]) -> dict[str, Any]:
    """The paths of turns that outlive their connection. The WebSocket, which OpenAPI cannot describe, is in the documentation."""
    answer = {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
    events = {"text/event-stream": {"schema": {"type": "string"}}}
    turn = {"name": "turn", "in": "path", "required": True, "schema": {"type": "string"}}
    last = {"name": "Last-Event-ID", "in": "header", "required": False, "schema": {"type": "string"}}
    problems = dict.fromkeys(_CODES, _PROBLEM)
    nothing = {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}

    def described(name: str, summary: str, **more: Any) -> dict[str, Any]:
        return {"operationId": name, "summary": summary, "tags": ["chat"], **more}

    return {
        f"{PREFIX}/chat/turns": {
            "post": described(
                "chat.turns.begin",
                "Begin a turn that goes on without its connection.",
                requestBody={"required": True, "content": {"application/json": {"schema": chat.schema("http")}}},
                responses={
                    "202": {"description": "The message was accepted.", "content": answer},
                    "200": {"description": "The events of the turn.", "content": events},
                    **problems,
                },
            )
        },
        f"{PREFIX}/chat/turns/{{turn}}": {
            "get": described(
                "chat.turns.events",
                "The events of a turn, from the one after Last-Event-ID on.",
                parameters=[turn, last],
                responses={"200": {"description": "The events of the turn.", "content": events}, **problems},
            )
        },
        f"{PREFIX}/chat/turns/{{turn}}/cancel": {
            "post": described(
                "chat.turns.cancel",
                "Stop a turn. What was said is kept.",
                parameters=[turn],
                requestBody=nothing,
                responses={"200": {"description": "Whether it still ran.", "content": answer}, **problems},
            )
        },
    }
