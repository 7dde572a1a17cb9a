"""The wire formats of embedding services as data: URL, request body, response rows, key header.

Pure: works on parsed JSON; knows no sockets, keys or time-outs.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import quote

from everself.errors import EmbeddingFailed
from everself.frozen import Frozen
from everself.models.embedding.protocol import Purpose

Json = Mapping[str, object]


class WireFormat(Frozen):
    """One request format. `body` builds the request, `rows` parses the response. `key_header`: header name and the prefix of the key."""

    model: str
    url: str
    path: Callable[[str], str]
    body: Callable[[str, Sequence[str], Purpose], Json]
    rows: Callable[[object, int], list[object]]
    key_header: tuple[str, str] = ("Authorization", "Bearer ")
    batch: int = 128
    needs_key: bool = True


def _like_openai(model: str, texts: Sequence[str], purpose: Purpose) -> Json:  # noqa: ARG001 (the format knows no purpose)
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _like_voyage(model: str, texts: Sequence[str], purpose: Purpose) -> Json:
    return {"model": model, "input": list(texts), "input_type": purpose}


def _like_gemini(model: str, texts: Sequence[str], purpose: Purpose) -> Json:
    task = "RETRIEVAL_QUERY" if purpose == "query" else "RETRIEVAL_DOCUMENT"
    name = f"models/{model.removeprefix('models/')}"
    return {
        "requests": [{"model": name, "content": {"parts": [{"text": text}]}, "taskType": task} for text in texts],
    }


def _like_ollama(model: str, texts: Sequence[str], purpose: Purpose) -> Json:  # noqa: ARG001 (the format knows no purpose)
    return {"model": model, "input": list(texts)}


def _rows_in_data(answer: object, count: int) -> list[object]:
    """Rows with an index, in any order; rows without one are in the order of the request."""
    found = _list_in(answer, "data")
    places: list[object] = [item.get("index", at) if isinstance(item, dict) else at for at, item in enumerate(found)]
    if len(found) != count or sorted(map(str, places)) != sorted(map(str, range(count))):
        raise _odd(f"{len(found)} vectors for {count} texts")
    rows: list[object] = [None] * count
    for place, item in zip(places, found, strict=True):
        rows[int(str(place))] = _field(item, "embedding")
    return rows


def _rows_in_values(answer: object, count: int) -> list[object]:  # noqa: ARG001 (counted by whoever checks)
    return [_field(item, "values") for item in _list_in(answer, "embeddings")]


def _rows_as_they_are(answer: object, count: int) -> list[object]:  # noqa: ARG001 (counted by whoever checks)
    return _list_in(answer, "embeddings")


def _list_in(answer: object, name: str) -> list[object]:
    found = _field(answer, name)
    if not isinstance(found, list):
        raise _odd(f'no list under "{name}"')
    return found


def _field(item: object, name: str) -> object:
    if not isinstance(item, dict) or name not in item:
        raise _odd(f'no "{name}"')
    return item[name]


def _odd(words: str) -> EmbeddingFailed:
    return EmbeddingFailed(f"The answer holds {words}.", reason="shape")


_OPENAI = WireFormat(
    model="text-embedding-3-small",
    url="https://api.openai.com/v1",
    path=lambda _: "/embeddings",
    body=_like_openai,
    rows=_rows_in_data,
)

WIRE_FORMATS: Mapping[str, WireFormat] = MappingProxyType(
    {
        "openai": _OPENAI,
        "remote": WireFormat(_OPENAI.model, "", _OPENAI.path, _like_openai, _rows_in_data, batch=64, needs_key=False),
        "gemini": WireFormat(
            model="text-embedding-004",
            url="https://generativelanguage.googleapis.com/v1beta",
            path=lambda model: f"/models/{quote(model.removeprefix('models/'), safe='')}:batchEmbedContents",
            body=_like_gemini,
            rows=_rows_in_values,
            key_header=("x-goog-api-key", ""),
            batch=100,
        ),
        "voyage": WireFormat(
            model="voyage-3.5",
            url="https://api.voyageai.com/v1",
            path=lambda _: "/embeddings",
            body=_like_voyage,
            rows=_rows_in_data,
        ),
        "ollama": WireFormat(
            model="bge-m3",
            url="http://127.0.0.1:11434",
            path=lambda _: "/api/embed",
            body=_like_ollama,
            rows=_rows_as_they_are,
            batch=32,
            needs_key=False,
        ),
    }
)
