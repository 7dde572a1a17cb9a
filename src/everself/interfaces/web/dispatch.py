"""From a request to a page and back: the agent is opened, the form proves that it is ours, the page runs in a worker thread."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from everself.config.places import is_agent_id
from everself.errors import EverselfError
from everself.interfaces.http.access import Access, find_cookie
from everself.interfaces.http.pool import OpenAgent
from everself.interfaces.http.problems import Problem, refuse
from everself.interfaces.http.service import Service
from everself.interfaces.web.responses import html, moved
from everself.interfaces.web.templates import render
from everself.interfaces.web.tickets import is_form_token
from everself.interfaces.web.visit import PREFIX, Answer, Moved, Page, Values, Visit, url_of

TOKEN_FIELD: Final = "form_token"
_MOST_FIELDS: Final = 200
_UNAUTHORIZED: Final = 401
_ID_LETTERS: Final = 64

# the navigation: page and the key of its name
Tabs = tuple[tuple[str, str], ...]
Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(service: Service, page: Page, tabs: Tabs) -> Endpoint:
    async def serve(request: Request) -> Response:
        access = access_for(service, request)
        visit = Visit(
            service,
            access,
            request.url.path,
            request.path_params,
            Values(request.query_params.multi_items()),
            await read_form(service, request) if page.method == "POST" else Values(()),
            find_cookie(request.scope["headers"], service.sign_ins.cookie),
        )
        leased = await _lease(visit)

        def work() -> Response:
            return _answer(request, visit, page, page.show(visit), tabs)

        def leave() -> None:
            if leased is not None:
                service.pool.release(leased)

        limits = service.limits
        return await service.workers.run(work, limits.long_seconds if page.slow else limits.operation_seconds, leave)

    return serve


def access_for(service: Service, request: Request) -> Access:
    """The owner's browser may open every agent of this home; anybody else's the one that the link was made for."""
    access: Access = request.state.access
    named = request.path_params["agent"]
    if named == access.agent:
        return access
    if not access.is_owner or not is_agent_id(named) or named not in agents_of(service):
        raise refuse(404, "no-agent", "There is no such agent", mend="everself agents list")
    return replace(access, agent=named)


async def read_form(service: Service, request: Request) -> Values:
    body = (await request.body()).decode("utf-8", "replace")
    try:
        found = Values(parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace"))
    except ValueError as error:
        raise refuse(400, "not-form", "The form cannot be read", "It has too many fields.") from error
    cookie = find_cookie(request.scope["headers"], service.sign_ins.cookie)
    if not is_form_token(cookie, found[TOKEN_FIELD]):
        raise refuse(403, "old-form", "This form is not from your session", "Nothing was done.", "Load the page again.")
    return found


async def _lease(visit: Visit) -> OpenAgent | None:
    try:
        leased = await visit.service.pool.lease(visit.agent)
    except EverselfError as error:
        # pages about settings and health are there to mend it
        visit.trouble = error
        return None
    visit.opened = leased.runtime
    return leased


def agents_of(service: Service) -> tuple[str, ...]:
    """Ids of the agents. None where the settings cannot be read, which every page but this says."""
    try:
        return tuple(one.id for one in service.home.load().config.agents)
    except EverselfError:
        return ()


def _answer(request: Request, visit: Visit, page: Page, answer: Answer, tabs: Tabs) -> Response:
    if isinstance(answer, Moved):
        said = {"done": answer.done, "change": answer.change, "vouched": answer.vouched, "refused": answer.refused}
        told = {name: value for name, value in said.items() if value}
        joint = "&" if "?" in answer.url else "?"
        return moved(f"{answer.url}{joint}{urlencode(told)}" if told else answer.url)
    values = {
        **frame(visit.service, visit.access, page.tab, tabs),
        "visit": visit,
        "waiting": visit.waiting,
        "zone": visit.zone,
        "form_token": visit.form_token(),
        "done": visit.query["done"],
        "change": _identity(visit.query["change"]),
        "vouched": _identity(visit.query["vouched"]),
        "refused": _identity(visit.query["refused"]),
        **answer.values,
    }
    return html(request, render(answer.template, **values), answer.status)


def _identity(said: str) -> str:
    """The id of a change or an entry from an address; nothing where it cannot be one."""
    return said if len(said) <= _ID_LETTERS and said.isascii() and said.isalnum() else ""


def frame(service: Service, access: Access | None, tab: str, tabs: Tabs) -> dict[str, object]:
    """What every page has around it: the navigation, and the agents to choose from."""
    agent = access.agent if access is not None else ""
    owner = access is not None and access.is_owner
    return {
        "agent": agent,
        "agents": agents_of(service) if owner else (),
        "tab": tab,
        "tabs": [(name, url_of(agent, name)) for name, audience in tabs if owner or audience == "guest"]
        if agent
        else [],
        "url": lambda page, /, **query: url_of(agent, page, **query),
        # how much waits for a decision; pages that know it say so
        "waiting": 0,
        "visit": None,
        "zone": None,
        "form_token": "",
        "done": "",
        "change": "",
        "vouched": "",
        "refused": "",
    }


def answer_problem(tabs: Tabs) -> Callable[[Service, Scope, Problem, str], Awaitable[Response]]:
    async def show(service: Service, scope: Scope, problem: Problem, request_id: str) -> Response:
        access: Access | None = scope.get("state", {}).get("access")
        named = str(scope.get("path_params", {}).get("agent", ""))
        if access is not None and access.is_owner and named in agents_of(service):
            access = replace(access, agent=named)
        if problem.status == _UNAUTHORIZED:
            access = None
        page = render(
            "error.html", **frame(service, access, "", tabs), problem=problem, request_id=request_id, home=PREFIX
        )
        return html(Request(scope), page, problem.status, dict(problem.headers))

    return show
