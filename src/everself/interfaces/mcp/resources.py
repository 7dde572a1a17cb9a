"""The MCP resources: soul, memory, days and entries as text. Resources that the session may not see are reported as missing."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Any, Final

from mcp import MCPError
from mcp_types import INVALID_PARAMS, ReadResourceResult, Resource, ResourceTemplate, TextResourceContents

from everself.errors import EverselfError, NotFound
from everself.interfaces.http.access import Access
from everself.interfaces.http.problems import Refused, problem_of
from everself.interfaces.mcp.hosts import Host
from everself.memory.provenance import rank
from everself.memory.writing import CORE, log_in, scope_of
from everself.operations.client_prompts import client_caller
from everself.operations.registry import get_operation
from everself.runtime import Runtime

_MARKDOWN: Final = "text/markdown"
_SOUL: Final = "everself://soul"
_MEMORY: Final = "everself://memory"
_DAY: Final = "everself://day/"
_ENTRY: Final = "everself://entry/"
_LONGEST: Final = 200

RESOURCES: Final = (
    Resource(name="soul", uri=_SOUL, description="Who the agent is.", mime_type=_MARKDOWN),
    Resource(name="memory", uri=_MEMORY, description="What it knows for good.", mime_type=_MARKDOWN),
)
TEMPLATES: Final = (
    ResourceTemplate(
        name="day", uri_template=f"{_DAY}{{day}}", description="The log of a day, as 2026-03-19.", mime_type=_MARKDOWN
    ),
    ResourceTemplate(
        name="entry", uri_template=f"{_ENTRY}{{id}}", description="One entry, by its id.", mime_type=_MARKDOWN
    ),
)


async def read_resource(host: Host, access: Access, uri: str) -> ReadResourceResult:
    try:
        read = _reader(access, uri)
        text, source = await host.run(access, read)
    except NotFound as error:
        raise MCPError(INVALID_PARAMS, str(error), {"uri": uri[:_LONGEST]}) from error
    except EverselfError as error:
        problem = problem_of(error, to_owner=access.is_owner)
        raise MCPError(INVALID_PARAMS, problem.detail or problem.title, {"uri": uri[:_LONGEST]}) from error
    except Refused as refused:
        raise MCPError(INVALID_PARAMS, refused.problem.detail or refused.problem.title) from refused
    content = TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=text, _meta={"everself/source": source})
    return ReadResourceResult(contents=[content])


def _reader(access: Access, uri: str) -> "Callable[[Runtime], tuple[str, str]]":
    caller = client_caller(access.scope)

    def ask(runtime: Runtime, name: str, **given: Any) -> Any:
        operation = get_operation(name)
        return operation(runtime, caller, operation.request(**given))

    def file(runtime: Runtime, path: str) -> tuple[str, str]:
        found = ask(runtime, "file.read", path=path)
        rest = f"\n(Lines 1 to {found.last_line} of {found.of}; memory_get reads on.)\n"
        return found.text + (rest if found.last_line < found.of else ""), found.source

    def files(*paths: str) -> "Callable[[Runtime], tuple[str, str]]":
        """The existing files, each under its name if there are several, and their least trusted source."""

        def read(runtime: Runtime) -> tuple[str, str]:
            found: dict[str, tuple[str, str]] = {}
            for path in paths:
                with suppress(NotFound):
                    found[path] = file(runtime, path)
            if len(found) < 2:
                return next(iter(found.values())) if found else file(runtime, paths[0])
            text = "\n".join(f"From {path}:\n\n{one}" for path, (one, _) in found.items())
            return text, min((source for _, source in found.values()), key=rank)

        return read

    def entry(runtime: Runtime) -> tuple[str, str]:
        name = uri.removeprefix(_ENTRY).upper()
        known = runtime.memory.catalog.find(name)
        if known is None:
            raise NotFound(f'entry "{name[:40]}".')
        return ask(runtime, "memory.get", path=known.id).text, known.source

    # memory of the client's project is listed beside memory without a project
    within = ("", scope_of(project=access.scope.project)) if access.scope.project else ("",)
    if uri == _SOUL:
        return files("SOUL.md")
    if uri == _MEMORY:
        return files(*(f"{folder}{CORE}" for folder in within))
    if uri.startswith(_DAY):
        day = _day(uri.removeprefix(_DAY))
        return files(*(log_in(folder, day) for folder in within))
    if uri.startswith(_ENTRY):
        return entry
    raise NotFound(f'resource "{uri[:_LONGEST]}".')


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise NotFound(f'day "{text[:40]}": a day is written as 2026-03-19.') from None
