"""The memory that a coding agent's model receives at session start and for a prompt. Token counts are estimates.

A session in a project sees that project's memory and memory without a project, never another project's.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from everself.conversation.context.framing import FrameItem, frame_within, new_nonce
from everself.conversation.context.packing import readable
from everself.conversation.sessions.client_sessions import CLIENTS
from everself.conversation.sessions.session import Message, Session
from everself.memory.provenance import OWN, is_outside, taint_of
from everself.memory.selection import sources_of_hits
from everself.memory.writing import CORE, log_in, scope_of
from everself.operations.client_prompts import is_typed
from everself.runtime import Runtime
from everself.search.recall import RecallRequest
from everself.search.scopes import Scope, SessionKind
from everself.text.normalise import one_line
from everself.text.search import TermKind, read_query
from everself.text.tokens import estimate
from everself.values import Entry, Hit

# budgets of the session start; estimates may be 10% too low, and the total stays below 2,000 tokens
_START: Final = 1_700
_SOUL: Final = 900
_LASTING: Final = 500
_RECALL: Final = 600
# how much of a project's recent past is shown: days of its log, earlier sessions, their prompts
_DAYS: Final = 3
_SESSIONS: Final = 50
_SHOWN_SESSIONS: Final = 3
_PROMPTS: Final = 3
_PROMPT_WIDTH: Final = 160
# messages without entries yet, and sessions to look for them in
_UNFILED: Final = 200
_UNFILED_SESSIONS: Final = 20
_HITS: Final = 6
_ASKS: Final = ("?", "？")
_PLACEHOLDER: Final = "_("
_TELLING: Final = frozenset({TermKind.STOP, TermKind.CHARACTER, TermKind.WHOLE})

_HEAD: Final = (
    "# Memory (Everself)\n\nEverself keeps a lasting memory for the person you work with. Cite what you use of it by its place. "
    "The tools memory_search and memory_get find more, where they are there."
)
_SOUL_HEAD: Final = (
    "## Who you are to this person\n\nTheir soul file, SOUL.md. Keep to it beside your own instructions."
)
_SOUL_TOO_LONG: Final = "(SOUL.md is too long to stand here whole: about {tokens:,} tokens.)"
_RECALL_HEAD: Final = "Found in memory (Everself) for this message; cite what you use by its place:"


def scope_for(project: str) -> Scope:
    """Without a project the name is empty. No folder has that name, so memory of all projects is hidden."""
    return Scope(SessionKind.MAIN, project=project)


def session_context(runtime: Runtime, session: Session, project: str) -> str:
    """The soul, lasting memory, and what was last done in this project; empty if there is nothing."""
    parts = [soul] if (soul := _soul(runtime)) else []
    left = _START - sum(map(estimate, (_HEAD, *parts)))
    nonce = new_nonce()
    items = [*_lasting(runtime, project), *_last_done(runtime, session, project)]
    framed = frame_within(items, nonce, left, estimate)
    parts += [framed.text.strip()] if framed.kept else []
    return "\n\n".join((_HEAD, *parts)) if parts else ""


def recall_for(runtime: Runtime, session: Session, prompt: str, project: str, *, by_words: bool) -> str:
    """Memories about a prompt, with citations; empty if there are none."""
    nonce = new_nonce()
    items = [*_found(runtime, session, prompt, project, by_words), *_unfiled(runtime, session, prompt, project)]
    framed = frame_within(items, nonce, _RECALL - estimate(_RECALL_HEAD), estimate)
    return f"{_RECALL_HEAD}\n\n{framed.text.strip()}" if framed.kept else ""


def _soul(runtime: Runtime) -> str:
    found = runtime.documents.find("SOUL.md")
    text = readable(found.data).strip() if found is not None else ""
    if not text:
        return ""
    tokens = estimate(text)
    # a soul is included completely or not at all
    return f"{_SOUL_HEAD}\n\n{text if tokens <= _SOUL else _SOUL_TOO_LONG.format(tokens=tokens)}"


def _lasting(runtime: Runtime, project: str) -> Iterator[FrameItem]:
    """The user's profile, and the core memory of this project and of no project. Text from outside is never included automatically."""
    profile = runtime.documents.find("USER.md")
    lines = readable(profile.data).splitlines() if profile is not None else []
    known = [line for line in lines if line.lstrip().startswith("-") and _PLACEHOLDER not in line]
    if known:
        yield FrameItem("\n".join(known), "USER.md")
    for path in dict.fromkeys((f"{scope_of(project=project)}{CORE}", CORE)):
        yield from _listed(path, _worthy(runtime, path), _LASTING)


def _worthy(runtime: Runtime, path: str) -> list[Entry]:
    memory = runtime.memory
    open_ = [one for one in memory.catalog.of(path) if not one.closed and not is_outside(memory.trust(one))]
    return sorted(open_, key=memory.confidence, reverse=True)


def _listed(path: str, entries: Sequence[Entry], tokens: int) -> Iterator[FrameItem]:
    """The best entries of one document that fit the budget, in document order, with line numbers."""
    kept: list[Entry] = []
    for one in entries:
        tokens -= estimate(_line(one))
        if tokens < 0:
            break
        kept.append(one)
    if kept:
        yield FrameItem("\n".join(_line(one) for one in sorted(kept, key=lambda one: one.first_line)), path)


def _line(entry: Entry) -> str:
    return f"L{entry.first_line}: {one_line(entry.text, 400)}"


def _last_done(runtime: Runtime, session: Session, project: str) -> Iterator[FrameItem]:
    """Prompts of earlier sessions, newest first, then the project's logs of the last days."""
    shown = 0
    for one in runtime.log.list(_SESSIONS):
        if one.id == session.id or one.channel not in CLIENTS or (one.scope.project or "") != project:
            continue
        messages = runtime.log.messages(one)
        prompts = [said for said in messages if said.role == "user" and not said.meta.get("system")][-_PROMPTS:]
        if prompts:
            text = "\n".join(one_line(said.content, _PROMPT_WIDTH) for said in prompts)
            day = runtime.clock.day_of(prompts[-1].at)
            yield FrameItem(text, f"session {one.id}", day, "owner", f"asked of {one.channel}")
            shown += 1
        if shown == _SHOWN_SESSIONS:
            break
    today = runtime.clock.today()
    for day in (today - timedelta(days=back) for back in range(_DAYS)) if project else ():
        path = log_in(scope_of(project=project), day)
        entries = _worthy(runtime, path) if runtime.workspace.find(path) is not None else []
        yield from _listed(path, sorted(entries, key=lambda one: one.first_line, reverse=True), _LASTING)


def _found(runtime: Runtime, session: Session, prompt: str, project: str, by_words: bool) -> Iterator[FrameItem]:
    if not runtime.agent.search.enabled:
        return
    request = RecallRequest(
        prompt,
        limit=_HITS,
        budget=_RECALL,
        scope=scope_for(project),
        session=session.id,
        counted=False,
        by_words=by_words,
    )
    hits = [one for one in runtime.recall.search(request).hits if not one.weak]
    for hit, source in zip(hits, sources_of_hits(runtime.memory, hits), strict=True):
        yield _item(hit, source)


def _item(hit: Hit, source: str) -> FrameItem:
    note = hit.mark if hit.mark else "from outside" if taint_of((source,)) != OWN else ""
    return FrameItem(hit.text, hit.reference, hit.day, source, note)


def _unfiled(runtime: Runtime, session: Session, prompt: str, project: str) -> Iterator[FrameItem]:
    """The owner's messages elsewhere without entries yet, if they contain most of the prompt's significant words."""
    terms = [one.alternatives for one in read_query(prompt[:4_000]).terms if one.kind not in _TELLING]
    if not terms:
        return
    found: list[tuple[int, Message]] = []
    for one in _unfiled_messages(runtime, session, project):
        if one.content.rstrip().endswith(_ASKS):
            continue
        words = {word for term in read_query(one.content[:4_000]).terms for word in term.alternatives}
        held = sum(not words.isdisjoint(alternatives) for alternatives in terms)
        if held * 2 >= len(terms):
            found.append((held, one))
    for _, one in sorted(found, key=lambda pair: (pair[0], pair[1].at), reverse=True)[:_HITS]:
        if not is_typed(runtime, one.session, one.id):
            continue
        yield FrameItem(one.content, f"msg:{one.id}", runtime.clock.day_of(one.at), "owner", "said")


def _unfiled_messages(runtime: Runtime, session: Session, project: str) -> Iterator[Message]:
    left = _UNFILED
    for one in runtime.log.unchecked()[-_UNFILED_SESSIONS:]:
        scope = one.scope
        private = scope.kind is SessionKind.MAIN and scope.person is None and scope.project in (None, project)
        if one.id == session.id or not private:
            continue
        for said in runtime.log.messages(one, one.checkpoint):
            if said.role == "user" and not said.person and not said.meta.get("system"):
                yield said
                left -= 1
        if left <= 0:
            return
