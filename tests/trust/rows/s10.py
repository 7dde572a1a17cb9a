"""S10: secrets of many kinds in prose and code do not survive redaction, ordinary text does, and no guarded write lets one reach the disk.

The corpus and how to count are described in `tests/corpora/secrets/README.md`. A third of it is looked at in closing runs only.
"""

import asyncio
import json
import os
import tempfile
from collections import Counter
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from random import Random
from urllib.parse import quote

from tests.interfaces.http.gateways import HOME, Gateway, make_agent, make_token
from tests.trust.rows.r04_full import at_home

from everself.clock import system_now
from everself.operations.caller import AT_TERMINAL
from everself.operations.gateway import folder_of
from everself.operations.hooks import AddHookRequest, add_hook
from everself.operations.sign_in_file import SignInFile
from everself.testing.workspaces import real_workspace
from everself.text.redaction import redact
from everself.values import Append, Author, Change, Refused
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.guards import standard_guards

CORPUS = Path(__file__).resolve().parents[2] / "corpora" / "secrets"
REDACTED_AT_LEAST = 0.98
FALSE_ALARMS_AT_MOST = 0.001
KINDS_AT_LEAST = 20
# so many characters in a row of a long secret count as the secret itself
RUN, LONG = 12, 16
# so many secrets are tried at the door of a workspace, each with a raw search of everything on the disk
AT_THE_DOOR = 25


@dataclass(frozen=True, slots=True)
class Text:
    """A text of the corpus; `secrets` is empty where it is benign."""

    id: str
    kind: str
    text: str
    secrets: tuple[str, ...] = ()


def load(name: str, *, held_out: bool) -> list[Text]:
    """One file of the corpus: the open part, and the part that is held out only where that is asked for."""
    found = []
    for line in (CORPUS / name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["held_out"] and not held_out:
            continue
        secrets = row.get("secret", ())
        secrets = (secrets,) if isinstance(secrets, str) else tuple(secrets)
        found.append(Text(row["id"], row.get("kind", "benign"), row["text"], secrets))
    return found


def survives(secret: str, text: str) -> bool:
    """Whether the secret, or a long run of a long one, still stands in the text."""
    if secret in text:
        return True
    return len(secret) >= LONG and any(secret[at : at + RUN] in text for at in range(len(secret) - RUN + 1))


def find_survivors(texts: list[Text]) -> list[Text]:
    """The texts of which a secret, or one of several, is left. What stands outside the secret as well was never secret."""
    found = []
    for one in texts:
        left = redact(one.text).text
        if any(survives(secret, left) and not _is_said_anyway(one, secret) for secret in one.secrets):
            found.append(one)
    return found


def _is_said_anyway(one: Text, secret: str) -> bool:
    """Whether the run that is left belongs to the words around the secret."""
    around = one.text
    for part in sorted(one.secrets, key=len, reverse=True):
        around = around.replace(part, "\0")
    return survives(secret, around)


def find_false_alarms(texts: list[Text]) -> list[Text]:
    return [one for one in texts if redact(one.text).text != one.text]


def stop_at_the_door(texts: list[Text]) -> int:
    """An agent writes a secret: the change is refused, and not a byte of the secret is anywhere on the disk."""
    tried = 0
    with tempfile.TemporaryDirectory(prefix="everself-s10-") as top:
        with real_workspace(top, WorkspaceOptions(guards=standard_guards())) as bench:
            for one in texts:
                if redact(one.text).text == one.text:
                    continue
                entry = Append("memory/2026-03-19.md", f"\n## [09:30:00] note\n\n{one.text}\n".encode())
                outcome = bench.workspace.apply(Change(Author.AGENT, "note", (entry,)))
                assert isinstance(outcome, Refused), f"{one.id} ({one.kind}) was let in: {outcome}"
                assert not any(secret in reason for secret in one.secrets for reason in outcome.reasons), one.id
                _search(top, one)
                tried += 1
        for one in texts:
            _search(top, one)
    return tried


def _search(top: str, one: Text) -> None:
    """By raw bytes: tree, journal, database, WAL, history."""
    for folder, _, names in os.walk(top):
        for name in names:
            with open(f"{folder}/{name}", "rb") as file:
                data = file.read()
            for secret in one.secrets:
                assert secret.encode() not in data, f"{one.id} ({one.kind}) stands in {folder}/{name}"


def stop_at_the_gateway(texts: list[Text]) -> int:
    """Whatever is sent to the gateway, in whatever place: none of it is in its files; and its own keys are in none but those of hooks."""
    with tempfile.TemporaryDirectory(prefix="everself-s10-") as top, at_home(Path(top)):
        make_agent()
        own = asyncio.run(_send(texts))
        folder = Path(folder_of(HOME.places))
        files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        assert {"gateway.log", "tokens.json", "hooks.json", "sign-ins.json"} <= set(files)
        for one in texts:
            for name, data in files.items():
                for secret in one.secrets:
                    assert secret.encode() not in data, f"{one.id} ({one.kind}) stands in {name}"
        for kind, secret in own.items():
            places = [name for name, data in files.items() if secret.encode() in data]
            assert places == (["hooks.json"] if kind == "key" else []), f"the {kind} stands in {places}"
        return len(files)


async def _send(texts: list[Text]) -> dict[str, str]:
    """Ask as clumsily as a program can; the gateway's own secrets."""
    sign_ins = SignInFile(folder_of(HOME.places))
    link = sign_ins.make_link("main", "main", system_now())
    key = add_hook(HOME, AT_TERMINAL, AddHookRequest(name="builds")).key
    async with Gateway() as gateway:
        token = make_token()
        client = gateway.client(token)
        entered = await client.get(f"/sign-in/{link}")
        cookie = SimpleCookie(entered.headers["set-cookie"])[sign_ins.cookie].value
        for one in texts:
            said = quote("".join(one.secrets), safe="")
            await client.get(f"/api/v1/{said}", params={"key": one.text})
            await client.post("/api/v1/memory.search", json={one.text[:60]: one.text})
            await client.post("/hooks/builds", json={"text": one.text}, headers={"webhook-id": said})
            await gateway.client("".join(one.secrets).encode("ascii", "ignore").decode() or "x").get("/v1/models")
            await client.post("/api/v1/chat/turns", json={"text": " ", "session": one.text})
            await client.get(f"/sign-in/{said}")
    return {"token": token, "link": link, "cookie": cookie, "key": key}


def misses_by_kind(texts: list[Text]) -> Counter[str]:
    return Counter(one.kind for one in find_survivors(texts))


def run_s10(count: int, seed: int, *, held_out: bool = False) -> str:
    """Judge `count` texts with secrets and every benign one; of the part that is held out no word is said, only numbers."""
    random = Random(seed)
    texts = load("secrets.jsonl", held_out=held_out)
    random.shuffle(texts)
    texts = texts[:count]
    benign = load("benign.jsonl", held_out=held_out)
    missed = find_survivors(texts)
    alarms = find_false_alarms(benign)
    kinds = len({one.kind for one in texts})
    share, alarm = 1 - len(missed) / len(texts), len(alarms) / len(benign)
    if held_out:
        shown = f"{len(missed)} missed, {len(alarms)} false alarms"
    else:
        shown = f"missed {[one.id for one in missed][:20]}, false alarms {[one.id for one in alarms][:20]}"
    where = f"S10 seed {seed}: {shown}"
    assert kinds >= KINDS_AT_LEAST, f"{where}: {kinds} kinds only"
    assert share >= REDACTED_AT_LEAST, f"{where}: {share:.2%} redacted"
    assert alarm <= FALSE_ALARMS_AT_MOST, f"{where}: {alarm:.2%} of the benign texts changed"
    tried = stop_at_the_door(texts[:AT_THE_DOOR])
    files = stop_at_the_gateway(texts[:AT_THE_DOOR])
    return (
        f"S10 {len(texts)} texts with secrets of {kinds} kinds, {share:.2%} redacted, {len(benign)} benign texts, {alarm:.2%} false "
        f"alarms, {tried} refused at the door, 0 bytes on disk, none in {files} files of the gateway, "
        f"{'all' if held_out else 'open part'}, seed {seed}"
    )
