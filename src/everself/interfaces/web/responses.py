"""Answers to a browser: their headers and their compression. Knows no page."""

import gzip
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

# `same-origin` for the referrer: without one, a browser sends `Origin: null` with a form
PAGE_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Vary": "Accept-Encoding, Cookie",
}
_FOREVER: Final = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
# below this a header costs more than it saves
_WORTH: Final = 1_000
_LEVEL: Final = 5


def compressed(data: bytes) -> bytes:
    return gzip.compress(data, _LEVEL, mtime=0)


def accepts_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


def html(request: Request, text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    data = text.encode("utf-8", "replace")
    more: dict[str, str] = {}
    if len(data) >= _WORTH and accepts_gzip(request):
        data, more = compressed(data), {"Content-Encoding": "gzip"}
    return Response(data, status, {**PAGE_HEADERS, **more, **(headers or {})}, "text/html; charset=utf-8")


def asset(request: Request, media_type: str, plain: bytes, packed: bytes) -> Response:
    """A file whose name holds the hash of its content, so that it never changes."""
    if len(packed) < len(plain) and accepts_gzip(request):
        return Response(packed, 200, {**_FOREVER, "Content-Encoding": "gzip"}, media_type)
    return Response(plain, 200, dict(_FOREVER), media_type)


def moved(url: str) -> Response:
    """See another page, after something was done."""
    return Response(b"", 303, {**PAGE_HEADERS, "Location": url})
