"""A browser for tests of the pages: signed in at a gateway without a socket, with forms that it fills in as they stand in the page."""

import asyncio
from collections.abc import Awaitable, Callable
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import httpx2
from tests.interfaces.http.gateways import BASE, HOME, Gateway, make_agent

from everself.operations.gateway import folder_of
from everself.operations.sign_in_file import SignInFile

FORM = "application/x-www-form-urlencoded"
PAGE = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}


def sign_ins() -> SignInFile:
    return SignInFile(folder_of(HOME.places))


class _Reader(HTMLParser):
    """Elements with their attributes, forms with their fields, and the words."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.forms: list[tuple[dict[str, str], list[tuple[str, str]]]] = []
        self.words: list[str] = []
        self._textarea: str | None = None
        self._select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        if tag == "form":
            self.forms.append((found, []))
        if not self.forms or tag not in ("input", "textarea", "select", "option"):
            return
        fields = self.forms[-1][1]
        if tag == "textarea":
            self._textarea = found["name"]
            fields.append((found["name"], ""))
        elif tag == "select":
            self._select = found["name"]
        elif tag == "option":
            if "selected" in found and self._select:
                fields.append((self._select, found.get("value", "")))
        elif found.get("type") not in ("checkbox", "radio") or "checked" in found:
            fields.append((found.get("name", ""), found.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._textarea = None

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._textarea is not None:
            fields = self.forms[-1][1]
            name, before = fields[-1]
            fields[-1] = (name, before + data)


class Sheet:
    """A page that was served."""

    def __init__(self, answer: httpx2.Response) -> None:
        self.answer = answer
        self.status = answer.status_code
        self.html = answer.text
        self._reader = _Reader()
        self._reader.feed(answer.text)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self._reader.words).split())

    @property
    def elements(self) -> list[tuple[str, dict[str, str]]]:
        return self._reader.elements

    @property
    def links(self) -> list[str]:
        return [found["href"] for tag, found in self.elements if tag == "a" and "href" in found]

    def form(self, action: str) -> dict[str, str]:
        """The fields of the first form that is sent there, filled in as they stand."""
        for found, fields in self._reader.forms:
            if found.get("action", "").endswith(action) and found.get("method") == "post":
                return dict(fields)
        raise AssertionError(f"no form {action}: {[one.get('action') for one, _ in self._reader.forms]}")


class Browser:
    def __init__(self, gateway: Gateway, cookie: str) -> None:
        self.gateway = gateway
        self.cookie = cookie
        self._headers = {"Cookie": f"{sign_ins().cookie}={cookie}"}

    async def get(self, path: str, **headers: str) -> Sheet:
        address = path if path.startswith("/") else f"/web/main/{path}"
        return Sheet(await self.gateway.client(**self._headers, **headers).get(address))

    async def post(self, path: str, fields: dict[str, str], **headers: str) -> Sheet:
        address = path if path.startswith("/") else f"/web/main/{path}"
        sent = self._headers | PAGE | {"Content-Type": FORM} | headers
        answer = await self.gateway.client(**sent).post(address, content=urlencode(fields).encode())
        return Sheet(answer)

    async def send(self, sheet: Sheet, action: str, **filled: str) -> Sheet:
        """Send the form of a page with other values in it, and follow to where it leads."""
        answer = await self.post(action, sheet.form(action) | filled)
        if answer.status == 303:
            return await self.get(answer.answer.headers["location"])
        return answer


async def sign_in(gateway: Gateway, session: str = "main", agent: str = "main", *, terminal: bool = True) -> Browser:
    """`terminal`: by a link that somebody made at a terminal."""
    file = sign_ins()
    link = file.make_link(agent, session, gateway.service.now(), terminal=terminal)
    _, cookie = file.use_link(link, gateway.service.now())
    return Browser(gateway, cookie)


def browse(act: Callable[[Browser], Awaitable[None]], **more: Any) -> None:
    """With one agent, `main`, and its owner signed in."""

    async def main() -> None:
        async with Gateway(**more) as gateway:
            await act(await sign_in(gateway))

    make_agent()
    asyncio.run(main())
