"""What the tests of the official packages share: a package over the whole application, without a socket."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tests.interfaces.http.gateways import Gateway, make_agent, make_token
from tests.interfaces.http.test_api import scripted

from everself.testing.chat_model import FakeModel


class SdkClient:
    """Who makes one sets `sdk`."""

    sdk: Any
    session = ""

    def __init__(self, gateway: Gateway, token: str) -> None:
        self.gateway = gateway
        self.token = token

    async def entries(self) -> list[dict[str, Any]]:
        answer = await self.gateway.ask(self.token, "memory.list", everything=True)
        return [one["entry"] for one in answer.json()["data"]]


C = TypeVar("C", bound=SdkClient)


def talk_to(
    make: Callable[[Gateway, str], C], act: Callable[[C], Awaitable[None]], model: FakeModel | None, session: str
) -> FakeModel:
    """Let a client act on a gateway with one agent, behind which the scripted model stands."""
    model = model or FakeModel("All right.")

    async def main() -> None:
        async with Gateway(opener=scripted(model)) as gateway:
            client = make(gateway, make_token(session=session))
            await act(client)
            await client.sdk.close()

    make_agent()
    asyncio.run(main())
    return model
