"""Plugs an agent's parts into the assembler: whose words may be used, what is recalled, which programs may add to a prompt."""

import hmac
import os
import platform
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from everself.conversation.context.assembler import Assembler
from everself.conversation.context.extensions import MOST_BYTES, Brought, ask_program
from everself.conversation.context.provenance import Passage
from everself.conversation.context.request import Ask, Facts, Parts
from everself.conversation.tools.own.search import sources_of_hits
from everself.errors import EverselfError
from everself.identity.outside_changes import Tamper
from everself.memory.entries import holds_memory
from everself.search.sharing import read_rules
from everself.storage.host_files import ensure_key, find_file
from everself.values import Document, Tag
from everself.workspace.layout import place

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.identity.persona import Speaker
    from everself.search.recall import Found, Request

VERIFY = "everself soul verify"
_NONCE_DIGITS: Final = 16


def open_assembler(app: "App") -> Assembler:
    return Assembler(gather_parts(app))


def gather_parts(app: "App") -> Parts:
    """What the assembler is given; nothing of it is opened before it is asked for."""
    programs, tunables = app.loaded.config.programs, app.tunables

    def recall(request: "Request") -> "Found":
        return app.recall.search(request)

    return Parts(
        find=lambda path: find_usable(app, path),
        paths=lambda folder: _paths(app, folder),
        speak=lambda ask: _speaker(app, ask),
        clock=app.clock,
        limits=app.agent.context,
        tunables=tunables,
        rules=read_rules(app.agent.context.share),
        look=lambda: tuple(told_of(one) for one in app.integrity.look() if not one.told),
        recall=recall if app.agent.search.enabled else None,
        passages=lambda path, data: _passages(app, path, data),
        sources=lambda hits: sources_of_hits(app.memory, hits),
        worth=lambda path: _worth(app, path),
        crm=(lambda message: ask_program(programs.crm_hook, message)) if programs.crm_hook else None,
        external=(lambda: _external(app)) if _has_external(app) else None,
        seal=lambda made_of: _seal(app, made_of),
    )


def facts_of(app: "App", channel: str = "", tools: tuple[str, ...] = ()) -> Facts:
    return Facts(platform.node(), app.agent.model, channel, tools)


def _seal(app: "App", made_of: str) -> str:
    return hmac.digest(ensure_key(app.places.key_folder), f"prompt {made_of}".encode(), "sha256").hex()[:_NONCE_DIGITS]


def find_usable(app: "App", path: str) -> Document | None:
    """A document as it may be used: what only humans write passes integrity first."""
    if not place(path, (app.loaded.config.hooks.persona.file,)).humans_only:
        return app.workspace.find(path)
    data = app.integrity.text(path)
    return None if data is None else Document(path, data)


def _paths(app: "App", folder: str) -> Iterable[str]:
    return [one.path for one in app.workspace.list(folder) if one.kind == "file"]


def _speaker(app: "App", ask: Ask) -> "Speaker":
    """Who speaks: recorded for a turn of a session, and only foreseen for whoever looks without speaking."""
    return app.persona.speak(ask.session, ask.turn) if ask.session else app.persona.foresee()


def told_of(tamper: Tamper) -> str:
    if not tamper.path:
        return f"What was accepted before is not known for sure ({tamper.kind}): {tamper.why} → {VERIFY}"
    return f"{tamper.path} was changed outside Everself ({tamper.kind}). → {VERIFY}"


def _worth(app: "App", path: str) -> dict[int, float]:
    """What each entry of a document is worth where not all of it fits: how sure it is, corrections first, what is closed last."""
    try:
        entries = app.memory.book.of(path)
    except EverselfError:
        # what cannot be looked up is worth what the order of the document says
        return {}
    return {
        entry.first_line: app.memory.confidence(entry)
        + (1.0 if entry.tag is Tag.CORRECTION else 0.0)
        - (2.0 if entry.closed or entry.struck else 0.0)
        for entry in entries
    }


def _passages(app: "App", path: str, data: bytes) -> list[Passage]:
    """The entries of a document with the source that each rests on."""
    if not holds_memory(path):
        return []
    memory = app.memory
    found = memory.book.within(path, data)
    return [Passage(one.start, one.end, one.first_line, one.last_line, memory.trust(one)) for one in found]


def _has_external(app: "App") -> bool:
    return bool(app.tunables.external_context_source) and app.tunables.external_context_budget > 0


def _external(app: "App") -> Brought:
    """The text of the file that the settings name. Beyond the workspace only the host file may point: CONFIG.md travels with it."""
    named = app.tunables.external_context_source
    outside = named.startswith("~") or os.path.isabs(named)
    if outside and named != app.loaded.config.tunables.external_context_source:
        return Brought(
            notice=f"CONFIG.md names {named}, which is outside the workspace; only the host file may do that."
        )
    try:
        if outside:
            data = find_file(app.places.expand(named, "external_context_source"))
        else:
            found = app.workspace.find(named)
            data = found.data if found is not None else None
    except EverselfError as error:
        return Brought(notice=f"The external source cannot be read: {error}")
    if data is None:
        return Brought(notice=f"The external source {named} is not there.")
    if len(data) > MOST_BYTES:
        return Brought(notice=f"The external source {named} has more than {MOST_BYTES:,} bytes, none of which is used.")
    return Brought(data.decode("utf-8", "replace").strip())
