"""Who sits in front of a browser: what a link from a terminal may do, what any other may not, and what asks afresh."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.interfaces.http.gateways import Gateway, make_agent
from tests.interfaces.web.browsers import Browser, sign_in

from everself.errors import RefusedByRule
from everself.interfaces.http.access import Access
from everself.interfaces.web.visit import Values, Visit
from everself.operations.caller import Audience
from everself.search.scopes import Scope, SessionKind


def play(act: Callable[[Gateway], Awaitable[None]]) -> None:
    async def main() -> None:
        async with Gateway() as gateway:
            await act(gateway)

    make_agent()
    asyncio.run(main())


async def visit_of(gateway: Gateway, browser: Browser, **form: str) -> Visit:
    found = gateway.service.sign_ins.find(browser.cookie, gateway.service.now())
    assert found is not None
    access = Access("sign-in", found.agent, found.scope(), False, found.terminal)
    made = Visit(gateway.service, access, "/web/main/x", {}, Values(()), Values(tuple(form.items())), browser.cookie)
    leased = await gateway.service.pool.lease("main")
    made.opened = leased.runtime
    # it stays open for the next request, as long as nobody closes what is idle
    gateway.service.pool.release(leased)
    return made


def test_a_link_from_a_terminal_has_the_standing_of_the_terminal_in_our_own_pages_alone() -> None:
    async def act(gateway: Gateway) -> None:
        visit = await visit_of(gateway, await sign_in(gateway))
        assert (visit.caller.audience, visit.caller.present) == (Audience.OWNER_AT_TERMINAL, True)
        assert visit.run("review.list").waiting == ()
        # the same cookie at `/api/v1` is worth a token
        assert visit.access.caller("api").audience is Audience.OWNER

    play(act)


def test_a_link_that_a_program_made_is_the_owners_and_no_more() -> None:
    async def act(gateway: Gateway) -> None:
        visit = await visit_of(gateway, await sign_in(gateway, terminal=False))
        assert (visit.caller.audience, visit.caller.present) == (Audience.OWNER, False)
        assert visit.run("memory.list").entries is not None
        with pytest.raises(RefusedByRule, match="only the owner at a terminal"):
            visit.run("review.list")

    play(act)


def test_a_guests_link_is_a_guests_wherever_it_was_made() -> None:
    async def act(gateway: Gateway) -> None:
        visit = await visit_of(gateway, await sign_in(gateway, "guest/anna"))
        assert visit.access.scope == Scope(SessionKind.GUEST, "anna")
        assert (visit.caller.audience, visit.caller.present) == (Audience.GUEST, False)

    play(act)


def test_what_cannot_be_undone_is_refused_unless_its_plan_was_shown_to_this_browser() -> None:
    async def act(gateway: Gateway) -> None:
        browser = await sign_in(gateway)
        visit = await visit_of(gateway, browser)
        kept = visit.run("memory.add", content="The spare key is under the pot").entry
        with pytest.raises(RefusedByRule, match="asked about first"):
            visit.run_agreed("memory.forget", entries=[kept])
        # a ticket for something else, or somebody else's, is none
        other = await visit_of(gateway, await sign_in(gateway))
        for ticket in (visit.ticket("forget", "another"), other.ticket("forget", kept), ""):
            fresh = await visit_of(gateway, browser, ticket=ticket)
            assert not fresh.confirmed("forget", kept)
            with pytest.raises(RefusedByRule):
                fresh.run_agreed("memory.forget", entries=[kept])
        asked = await visit_of(gateway, browser, ticket=visit.ticket("forget", kept))
        assert asked.confirmed("forget", kept)
        asked.run_agreed("memory.forget", entries=[kept])
        assert "spare key" not in str(asked.run("memory.list"))

    play(act)
