"""S14: requests made from the gateway's own OpenAPI document, right and wrong, against a scripted model.

No 5xx, no answer that the document does not describe, and 413 for more than a megabyte. Half of the requests are made by schemathesis,
which knows what a schema leaves open; half by texts, paths and numbers that have broken programs before.
"""

import asyncio
import json
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import httpx2
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from jsonschema import Draft202012Validator
from schemathesis import Case, GenerationMode
from tests.interfaces.http.gateways import BASE, Gateway, make_agent, make_token
from tests.interfaces.http.test_api import scripted
from tests.trust.path_cases import DOTS, OWN_NAMES, SHELL_TRICKS, STARTS
from tests.trust.rows.r04_full import at_home

from everself.testing.chat_model import FakeModel

TEXTS = (
    *(
        "",
        " ",
        "\x00",
        "a\x00b",
        "last",
        "é",
        "\ud800",
        "\U0001f600",
        "x" * 5_000,
        "*",
        "%",
        "'; drop table",
        "\n",
        "\u202e",
    ),
    *(
        "2026-02-30",
        "0001-01-01",
        "9999-12-31",
        "2026-03-01",
        "-1",
        "1e5",
        "NaN",
        "true",
        "null",
        "[]",
        "{}",
        "(",
        "\\",
    ),
    *("guest/anna", "main", "nobody", "MEMORY.md", "SOUL.md", "CONFIG.md", "memory", "AAAAAAAAAAAA", "person:anna"),
    *(
        "owner",
        "web",
        "T1",
        "event",
        "notes.txt",
        "Herons are grey.",
        "<!-- everself: id=AAAAAAAAAAAA -->",
        "msg:",
        "a" * 65,
    ),
)
# what stands in an address or a header
URL_TEXTS = ("", "1", "-1", "9" * 40, "AAAAAAAAAAAA", "...", "a b", "1e5", "null", "x" * 300)
NUMBERS = (0, 1, -1, 2, 100, 1_000, 10**6, 10**9, 2**31, 2**53, 2**63 - 1, -(2**63) + 1, 2**63, 0.5, -0.0, 1e308, 1.5)
STRANGE = (None, True, [], {}, "", [""], {"a": 1}, 2**70, [[[]]])


class Maker:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._texts = (*TEXTS, *(f"{one}" for one in (*DOTS, *STARTS, *OWN_NAMES, *SHELL_TRICKS)))

    def value(self, schema: dict[str, Any]) -> Any:
        random = self._random
        if random.random() < 0.12:
            return random.choice(STRANGE)
        if "enum" in schema and random.random() < 0.9:
            return random.choice(schema["enum"])
        match schema.get("type"):
            case "boolean":
                return random.random() < 0.5
            case "integer":
                return random.randint(-3, 30) if random.random() < 0.4 else int(random.choice(NUMBERS))
            case "number":
                return random.choice(NUMBERS)
            case "array":
                return [self.value(schema.get("items", {})) for _ in range(random.randrange(4))]
            case "object":
                return self.object(schema)
        return random.choice(self._texts)

    def object(self, schema: dict[str, Any]) -> dict[str, Any]:
        needed = schema.get("required", ())
        made = {
            name: self.value(inner)
            for name, inner in schema.get("properties", {}).items()
            if self._random.random() < (0.97 if name in needed else 0.35)
        }
        return made | ({"unheard_of": 1} if self._random.random() < 0.05 else {})


class Judge:
    """Counts answers, and raises AssertionError for one that the document does not describe."""

    def __init__(self, document: dict[str, Any]) -> None:
        schemas = document["components"]["schemas"]
        self._shapes = {name: Draft202012Validator(schema) for name, schema in schemas.items()}
        self.codes: Counter[int] = Counter()

    def check(self, described: dict[str, Any], answer: httpx2.Response) -> None:
        request = answer.request
        raw = request.content
        self.codes[answer.status_code] += 1
        what = f"{request.method} {request.url} {raw[:300]!r}: {answer.status_code} {answer.text[:300]}"
        assert answer.status_code < 500, what
        assert (answer.status_code == 413) == (len(raw) > 2**20), what
        assert str(answer.status_code) in described["responses"], what
        self._shapes["Answer" if answer.status_code < 300 else "Problem"].validate(answer.json())


async def _fuzz(count: int, seed: int) -> Counter[int]:
    async with Gateway(opener=scripted(FakeModel("All right."))) as gateway:
        owner = make_token("owner")
        tokens = (
            owner,
            owner,
            make_token("guest", "guest/anna"),
            make_token("group", "group"),
            make_token("r", read=True),
        )
        clients = [gateway.client(token) for token in tokens]
        await gateway.ask(owner, "memory.add", content="Herons are grey.")
        document = (await clients[0].get("/api/v1/openapi.json")).json()
        judge = Judge(document)
        await _by_hand(count // 2, Random(seed), document, clients, judge)
        loop = asyncio.get_running_loop()
        await asyncio.to_thread(_by_schema, count - count // 2, seed, document, clients[0], judge, loop)
    return judge.codes


async def _by_hand(
    count: int, random: Random, document: dict[str, Any], clients: list[httpx2.AsyncClient], judge: Judge
) -> None:
    maker = Maker(random)
    ways = sorted((path, method) for path, found in document["paths"].items() for method in found)
    for _ in range(count):
        path, method = random.choice(ways)
        described = document["paths"][path][method]
        raw, headers = b"", {"Content-Type": "application/json"}
        if "requestBody" in described:
            body = maker.object(described["requestBody"]["content"]["application/json"]["schema"])
            raw = json.dumps(body).encode("utf-8", "surrogatepass")
            if random.random() < 0.01:
                raw += b" " * 2**20
        for one in described.get("parameters", ()):
            given = random.choice(URL_TEXTS)
            if one["in"] == "path":
                path = path.replace(f"{{{one['name']}}}", quote(given or "x", safe=""))
            elif random.random() < 0.5:
                headers[one["name"]] = given
        judge.check(described, await random.choice(clients).request(method.upper(), path, content=raw, headers=headers))


def _by_schema(
    count: int,
    seed: int,
    document: dict[str, Any],
    client: httpx2.AsyncClient,
    judge: Judge,
    loop: asyncio.AbstractEventLoop,
) -> None:
    """As the owner, because others are refused before much is read. Runs in a thread: hypothesis knows no coroutines."""
    operations = [one.ok() for one in schemathesis.openapi.from_dict(document).get_all_operations()]
    each = max(1, -(-count // (2 * len(operations))))
    limits = settings(
        max_examples=each,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )

    def ask(case: Case) -> None:
        parts = case.as_transport_kwargs(base_url=BASE)
        # its own token would be a stranger's
        headers = {name: text for name, text in parts["headers"].items() if name.lower() != "authorization"}
        sent = {name: parts[name] for name in ("params", "json") if name in parts}
        request = client.build_request(
            parts["method"], parts["url"], headers=headers, content=parts.get("data"), **sent
        )
        answer = asyncio.run_coroutine_threadsafe(client.send(request), loop).result(60.0)
        judge.check(document["paths"][case.operation.path][case.operation.method], answer)

    for operation in operations:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            hypothesis_seed(seed)(limits(given(case=operation.as_strategy(generation_mode=mode))(ask)))()


def run_s14(count: int, seed: int) -> str:
    with TemporaryDirectory(prefix="everself-s14-") as top, at_home(Path(top)):
        make_agent()
        try:
            codes = asyncio.run(_fuzz(count, seed))
        except AssertionError as error:
            raise AssertionError(f"S14 seed {seed}: {error}") from error
    told = ", ".join(f"{number} × {code}" for code, number in sorted(codes.items()))
    return f"S14 {codes.total()} requests, 0 × 5xx, 0 breaks of the schema ({told}), seed {seed}"
