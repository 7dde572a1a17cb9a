"""Runs one turn: store the message, apply corrections, assemble the prompt, run the loop, store the reply, check its claims."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from everself.clock import monotonic
from everself.conversation._recording import TurnRecorder
from everself.conversation.acceptance import Acceptance, accept
from everself.conversation.context.request import PromptRequest, reserve_of
from everself.conversation.events import Accepted, Done, Ending, Event, MemoryWritten, Notice
from everself.conversation.loop import MOST_STEPS, LoopState, run_loop
from everself.conversation.receipts import find_search, receipt_json
from everself.conversation.reflex.replies import reply
from everself.conversation.resources import PLAIN_TURN, Acted, TurnOptions
from everself.conversation.save_claims import claims_saving
from everself.conversation.sessions.history import IMAGES, tokens_of
from everself.conversation.sessions.session import Message, Session
from everself.conversation.shared_state import PromptKey, SharedState
from everself.conversation.tools.calls import offered
from everself.conversation.tools.protocol import KEPT, Stamp, Tool, ToolContext, Written, client_tool, remembered
from everself.errors import ContextTooSmall, EverselfError, ModelFailed, NotFound
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.memory.provenance import IMPORT, OWN, TOOL, taint_of
from everself.memory.statements import shown
from everself.models.chat.findings import find_calling
from everself.models.chat.protocol import ChatModel, ChatRequest, ModelTurn, Turn, UserTurn
from everself.models.spend_meter import API, GUEST
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import is_owner, speaker_of
from everself.text.redaction import redact
from everself.text.sentences import language_of
from everself.text.tokens import estimate

if TYPE_CHECKING:
    from everself.conversation.context.assembler import Prompt
    from everself.identity.outside_changes import Tamper
    from everself.storage.state.searches import SearchRecord
    from everself.values import Entry

_log = get_logger(__name__)

REFLEX: Final = "reflex"
NO_MODEL: Final = "No language model is set: I remember what you tell me, and answer by quoting it."
ADD_MODEL: Final = "everself model use PROVIDER/NAME"
UNKEPT: Final = "The reply says that something will be remembered, but nothing was written."
REMEMBER: Final = "Say it once more, beginning with “Remember that”."
SYSTEM: Final = "## From the program through which you are spoken to"
# a message that takes less than this fraction of the window is not what fills it
_MUCH: Final = 16
_CORRECT: Final = "memory_correct"
_BACKGROUND: Final = frozenset({SessionKind.CRON, SessionKind.HEARTBEAT})

_ENDINGS: Final[dict[Ending, Notice]] = {
    "steps": Notice(f"Stopped after {MOST_STEPS} steps without a final answer.", "warning", "Say “go on”."),
    "length": Notice("The answer was cut off at the model's output limit.", "warning", "Say “go on”."),
    "refused": Notice("The provider stopped this answer.", "warning"),
}
_EMPTY: Final = Notice("The model returned an empty answer.", "warning", "Ask again.")


def job_of(scope: Scope, *, unwatched: bool) -> str:
    """The job that a turn's cost is charged to. A sub-agent's cost is charged to the job of the session that started it."""
    if scope.kind in _BACKGROUND:
        return scope.kind.value
    if not is_owner(scope) and scope.kind is not SessionKind.SUBAGENT:
        return GUEST
    return API if unwatched else "chat"


class _Ground(Frozen):
    """`changed` are changes from outside that were not reported yet; `failure` is the reason why there is no reply."""

    changed: "tuple[Tamper, ...]" = ()
    tools: tuple[Tool, ...] = ()
    is_first: bool = False
    failure: EverselfError | None = None


class TurnRunner:
    """One running turn. Once its message is accepted it ends with Done, whatever happens."""

    def __init__(
        self,
        shared: SharedState,
        session: Session,
        text: str,
        person: str,
        emit: Callable[[Event], None],
        *,
        taint: Stamp = OWN,
        options: TurnOptions = PLAIN_TURN,
    ) -> None:
        """`taint` is that of the author of the message, if that is neither the owner nor the speaker."""
        self._shared = shared
        self._session = session
        self._text = text
        self._person = person
        self._emit = emit
        self._brought = taint
        self._options = options
        self._state = LoopState()
        self._acted = Acted()
        self._begun: Acceptance | None = None
        self._recorder: TurnRecorder | None = None
        self._prompt: Prompt | None = None
        self._search: SearchRecord | None = None
        self._model: ChatModel | None = None
        self._ask: PromptRequest | None = None
        self._estimated = 0
        self._reply = ""
        self._suspects: tuple[Entry, ...] = ()

    async def run(self) -> None:
        import asyncio

        why: Ending = "failed"
        at = monotonic()
        try:
            # a message that could not be stored was not accepted, and the person must see the error
            begun = await self._shared.in_thread(self._accept)
        except asyncio.CancelledError:
            why = "cancelled"
            self._tell_accepted()
            self._emit(self._done(why))
            return
        self._tell_accepted()
        setting = self._setting(begun)
        try:
            await self._answer(setting, begun)
            why = self._state.why
            await self._end(why)
            if why != "tool_calls":
                await self._keep_promises(setting)
        except asyncio.CancelledError:
            why = "cancelled"
            await self._end(why)
        except EverselfError as error:
            # an unreachable model, a small budget, a full disk: the message stays stored, and the next turn continues
            self._emit(Notice(str(error), "warning", error.mend))
            await self._end(why)
        finally:
            self._tell_outside()
            steps, took, name = self._state.steps, (monotonic() - at) * 1000, begun.first.id
            _log.info("Turn %s of session %s: %s, %d steps, %.0f ms.", name, self._session.id, why, steps, took)
            self._emit(self._done(why))

    def _accept(self) -> Acceptance:
        self._shared.recover()
        begun = self._begun = accept(self._shared.log, self._session, self._text, self._person, self._options)
        self._session = begun.session
        if begun.goes_on:
            self._text = begun.answered.content
        # quoted text is treated like an import, whoever quotes it
        quoted = IMPORT if not self._options.own_prompt and shown(self._text).strip() else OWN
        stamps = self._brought, self._options.stamp, quoted, *self._add_outside(begun)
        self._taint(speaker_of(self._session.scope, self._person), *stamps)
        return begun

    def _add_outside(self, begun: Acceptance) -> tuple[Stamp, ...]:
        """Store what the program sent with the message. Returns its stamps. What was said elsewhere is stored as a summary, because it was
        not said here and nothing of it may become memory."""
        options = self._options
        earlier = begun.first.seq == 1 and bool(options.earlier)
        if earlier:
            self._session = self._shared.log.mark(self._session, summary=options.earlier, summary_source=IMPORT)
        programs = bool(options.system.strip() or options.beside or begun.by_program)
        return (*((IMPORT,) if earlier else ()), *((TOOL,) if programs else ()))

    def _tell_accepted(self) -> None:
        if self._begun is not None:
            self._emit(Accepted(self._session.id, self._begun.first.id))

    def _setting(self, begun: Acceptance) -> ToolContext:
        scope = self._session.scope
        by_owner = is_owner(scope) and scope.kind not in _BACKGROUND and not self._person and not begun.by_program
        # a message from a program is nobody's statement
        said = "" if begun.by_program else self._text
        unwatched = self._options.unwatched
        return ToolContext(scope, self._session.id, begun.answered.id, said, by_owner, self._session.taint, unwatched)

    async def _answer(self, setting: ToolContext, begun: Acceptance) -> None:
        shared, message = self._shared, begun.answered
        # one call to the worker thread: with several, another turn could run in between
        ground = await shared.in_thread(lambda: self._lay_ground(setting, begun))
        for change in ground.changed:
            self._emit(Notice(change.warning, "warning"))
        if ground.changed:
            await shared.in_thread(lambda: shared.resources.integrity.tell(ground.changed))
        # reported even if no model can be opened, because it was done
        self._tell(self._acted.written)
        model = self._model
        if ground.failure is not None or model is None:
            raise ground.failure or ModelFailed("no model.", reason="other")
        if ground.is_first:
            self._emit(Notice(NO_MODEL, "info", ADD_MODEL))
        tools = ground.tools
        if model.name != REFLEX and self._state.calling != "none":
            tools = self._with_clients((*tools, *await self._reach()))
        job = job_of(setting.scope, unwatched=self._options.unwatched)
        self._recorder = TurnRecorder(
            shared, self._session, model, job, lambda: self._renew(model, tools, message), self._notes
        )
        try:
            await self._attempt(model, tools, setting, message)
        except (ModelFailed, ContextTooSmall) as error:
            # an overflow that the model itself reports means that our token count is wrong: compact and ask once more
            full = isinstance(error, ContextTooSmall) or error.reason == "overflow"
            if not full:
                raise
            if not await self._make_room("overflow"):
                raise await shared.in_thread(lambda: self._too_long(model)) or error from error
            try:
                await self._attempt(model, tools, setting, message)
            except ContextTooSmall as small:
                raise await shared.in_thread(lambda: self._too_long(model)) or small from small

    def _lay_ground(self, setting: ToolContext, begun: Acceptance) -> "_Ground":
        """Do what comes before the prompt: look for changes from outside, act on the message, open the model and its tools."""
        shared = self._shared
        # only the owner's sessions look: a change is reported once, and a guest must neither see the report nor use it up
        look = shared.resources.integrity.look if is_owner(setting.scope) else tuple
        changed = tuple(one for one in look() if not one.told)
        try:
            if setting.by_owner and not begun.known and not begun.goes_on:
                self._acted = shared.resources.actions(self._text, setting)
            model = self._model = shared.model
            calling = self._state.calling = find_calling(shared.state, model.name)
            job = job_of(setting.scope, unwatched=self._options.unwatched)
            if model.paid or job not in (API, GUEST):
                shared.spend_meter.allow(job)
            is_first = model.name == REFLEX and self._is_first()
            tools = tuple(offered(shared.tools(setting.scope), model, calling))
            # in a conversation with text from outside a model must not close an entry on a suspicion, so it is not given one
            corrects = setting.taint == OWN and model.name != REFLEX and any(one.spec.name == _CORRECT for one in tools)
            if corrects and setting.by_owner and not begun.goes_on and not self._has_corrected():
                found = shared.resources.suspects(self._text, setting)
                self._suspects = tuple(one.entry for one in found)
            return _Ground(changed, tools, is_first)
        except EverselfError as error:
            return _Ground(changed, failure=error)

    def _has_corrected(self) -> bool:
        return any(one.deed == "corrected" for one in self._acted.written)

    def _is_first(self) -> bool:
        """Whether this is the agent's first message ever answered without a model. Records that it was."""
        state, key = self._shared.state, f"told {REFLEX}"
        if state.get_meta(key):
            return False
        state.set_meta(key, self._shared.resources.memory.clock.now().isoformat())
        return True

    def _too_long(self, model: ChatModel) -> ModelFailed | None:
        """The error to raise if the message itself is what does not fit, else None."""
        tokens = estimate(self._text)
        if tokens < model.window // 2 and not (tokens >= model.window // _MUCH and self._fits_without(tokens)):
            return None
        words = (
            f"The message is too long: it takes about {tokens:,} tokens, and {model.name} accepts {model.window:,} "
            "with the prompt and its answer."
        )
        return ModelFailed(words, reason="overflow", mend="Shorten it, or put it into a file and ask about that.")

    def _fits_without(self, tokens: int) -> bool:
        """Whether the prompt fits without the message."""
        if self._ask is None:
            return False
        try:
            self._shared.resources.assembler.assemble(
                replace(self._ask, message="", other=self._ask.other - tokens, recorded=False)
            )
        except ContextTooSmall:
            return False
        return True

    def _with_clients(self, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        """The program's own tools with ours. If two have the same name, the program's is offered, because it asked for it."""
        theirs = {spec.name for spec in self._options.tools}
        return (*(one for one in tools if one.spec.name not in theirs), *map(client_tool, self._options.tools))

    def _notes(self) -> dict[str, object]:
        return self._acted.notes | ({"shaped": True} if self._options.schema is not None else {})

    async def _reach(self) -> tuple[Tool, ...]:
        """The external tools. The reflex needs none of them, so servers start only if a language model answers."""
        outside = await self._shared.outside(self._session)
        self._tell_outside()
        return outside.tools

    def _tell_outside(self) -> None:
        for told in self._shared.outside_notices(self._session.id):
            self._emit(Notice(told, "warning"))

    async def _attempt(self, model: ChatModel, tools: Sequence[Tool], setting: ToolContext, message: Message) -> None:
        shared = self._shared
        compactor = shared.resources.compactor
        request = await shared.in_thread(
            lambda: None if compactor.is_heavy(self._session) else self._prepare(model, tools, message)
        )
        if request is None:
            await self._make_room("size")
            request = await shared.in_thread(lambda: self._prepare(model, tools, message))
        if compactor.is_near(self._estimated, model.window) and await self._make_room("threshold"):
            request = await shared.in_thread(lambda: self._prepare(model, tools, message))
        self._tell_notices()
        if self._recorder is not None:
            async for event in run_loop(model, request, tools, setting, self._state, self._recorder):
                self._emit(self._marked(event) if isinstance(event, MemoryWritten) else event)

    def _renew(self, model: ChatModel, tools: Sequence[Tool], message: Message) -> ChatRequest:
        """Build the request again after something was forgotten. The turn's own copies of text are read again too."""
        self._session = self._shared.log.fresh(self._session)
        stored = next((one for one in self._shared.log.messages(self._session) if one.id == message.id), None)
        if stored is None:
            raise NotFound("conversation; it was forgotten in the meantime.", mend="Start a new conversation.")
        if stored.content != message.content:
            self._text = stored.content
        # sentences about completed actions quote the message
        self._acted = replace(self._acted, done=(), question="")
        self._suspects = ()
        return self._prepare(model, tools, message)

    def _prepare(self, model: ChatModel, tools: Sequence[Tool], message: Message) -> ChatRequest:
        """Build the request from what is stored, except the message itself: the model sees it as it was said."""
        shared, session = self._shared, self._session
        # read first, so that text forgotten from now on is noticed when the request is sent
        generation = shared.generation()
        if self._recorder is not None:
            self._recorder.generation = generation
        history = self._shared.history.read(session, generation)
        turns, grown = self._with_message(history.turns)
        spoken = history.tokens + grown + sum(_weight(str(tool.spec)) for tool in tools)
        ask = self._ask = PromptRequest(
            scope=session.scope,
            message=self._text,
            session=session.id,
            turn=message.seq,
            prefix=shared.prefix(session.id, generation, self._options.system),
            extra=f"{SYSTEM}\n\n{self._options.system}" if self._options.system.strip() else "",
            window=model.window,
            other=spoken + min(model.most_output, reserve_of(model.window)),
            facts=replace(shared.resources.facts, channel=session.channel),
            tools=bool(tools),
            run=self._options.run,
            suspects=self._suspects,
        )
        made = (generation, message.id, self._options.system)
        self._prompt = self._kept_prompt(made, ask) or shared.resources.assembler.assemble(ask)
        shared.keep_prefix(session.id, self._prompt.prefix, generation, self._options.system)
        if self._options.tools:
            shared.keep_prompt(session.id, made, self._prompt)
        self._estimated = spoken + self._prompt.receipt.total
        self._search = find_search(shared.state.searches, self._prompt.receipt.search)
        self._taint(self._prompt.taint)
        options = self._options
        return ChatRequest(
            self._prompt.prefix.text,
            self._prompt.delta,
            turns,
            # programs ask for the output limit of the largest models; models with a smaller limit reject that
            max_tokens=min(options.max_tokens, model.most_output) if options.max_tokens else None,
            schema=options.schema,
            temperature=options.temperature,
            stop=options.stop,
            must_call=options.must_call,
            top_p=options.top_p,
            seed=options.seed,
            parallel_tool_calls=options.parallel_tool_calls,
        )

    def _kept_prompt(self, made: PromptKey, ask: PromptRequest) -> "Prompt | None":
        """The prompt with which the turn began, if results of a program's tools came in: the vendor's prompt cache stays valid."""
        if self._begun is None or not self._begun.goes_on:
            return None
        kept = self._shared.prompt(self._session.id, made)
        window = ask.window or 0
        return kept if kept is not None and ask.other + kept.receipt.total <= window else None

    def _with_message(self, stored: Sequence[Turn]) -> tuple[tuple[Turn, ...], int]:
        """The turns with the message as it was said, which the stored one may not be; and the number of tokens that this adds."""
        begun, options = self._begun, self._options
        turns = [*stored]
        if begun is not None and begun.instead and isinstance(turns[-1], ModelTurn) and not turns[-1].calls:
            turns.pop()
        last = next((at for at in reversed(range(len(turns))) if isinstance(turns[at], UserTurn)), len(turns))
        was = turns[last] if last < len(turns) else None
        if begun is not None and isinstance(was, UserTurn) and (begun.known or begun.goes_on):
            noted = IMAGES.format(len(options.images))
            beside = tuple(one for one in was.beside if one != noted)
            said = replace(was, text=self._text, beside=beside, images=options.images)
        else:
            acted = self._acted
            said = UserTurn(self._text, acted.done, acted.unclear, options.beside, options.images)
        turns[last : last + 1] = [said]
        return tuple(turns), tokens_of(said) - (tokens_of(was) if was is not None else 0)

    def _taint(self, *stamps: Stamp) -> None:
        """Add stamps to the conversation's taint, before a model sees the text: its conclusions are trusted no more than they are."""
        self._state.taint = taint_of((self._state.taint, self._session.taint, *stamps))
        if self._state.taint != self._session.taint:
            self._session = self._shared.log.mark(self._session, taint=self._state.taint)

    def _tell_notices(self) -> None:
        """Emit notices about the prompt, each once per session. Notices of the search are left to /why."""
        found = self._prompt.receipt.notices if self._prompt is not None else ()
        of_search = self._search.notices if self._search is not None else ()
        for notice in found:
            if notice not in of_search and self._shared.is_new(self._session.id, notice):
                self._emit(Notice(notice))

    async def _make_room(self, why: str) -> bool:
        """Compact the conversation. Returns whether that freed room."""
        before = self._session.compacted
        made = await self._shared.resources.compactor.compact(self._session, why)
        self._session = made.session
        if made.notice:
            self._emit(Notice(made.notice))
        freed = self._session.compacted > before
        if freed:
            # the history changed, so the files may be read again too; otherwise the prefix stays, for the vendor's cache
            self._shared.drop_prefix(self._session.id)
        return freed

    async def _end(self, why: Ending) -> None:
        """Emit how the turn ended, and store the part of the reply that is not stored yet."""
        course = self._state
        if why in _ENDINGS:
            self._emit(_ENDINGS[why])
        elif why == "stop" and not course.text:
            self._emit(_EMPTY)
        if why == "steps":
            course.said = f"(Stopped after {MOST_STEPS} steps.)"
        if why == "tool_calls" and self._recorder is not None:
            self._reply = self._recorder.asked
        if course.said and self._recorder is not None:
            said, course.said = course.said, ""
            course.earlier.append(said)
            self._reply = await self._recorder.replied(said, lambda: self._meta(why))

    def _meta(self, why: Ending) -> dict[str, object]:
        meta: dict[str, object] = {"why": why, "usage": asdict(self._state.latest), **self._notes()}
        if self._begun is not None and self._begun.instead:
            meta["instead"] = self._begun.instead
        if self._model is not None:
            meta["model"] = self._model.name
        if self._prompt is not None and self._recorder is not None:
            receipt = self._prompt.receipt
            meta["receipt"] = receipt_json(receipt, self._search, self._recorder.used)
            meta["cost"] = self._recorder.cost
        return meta

    async def _keep_promises(self, setting: ToolContext) -> None:
        """Make a reply's claims true: what it claims to remember is stored, or the person is told that it is not."""
        written = (*self._acted.written, *self._state.written)
        # the reflex claims only what was written; everything else in its replies is quoted
        speaks = self._model is None or self._model.name != REFLEX
        if speaks and not any(one.deed in KEPT for one in written) and claims_saving(self._state.text):
            kept = await self._shared.in_thread(lambda: self._keep(setting))
            self._tell(kept)
            written = (*written, *kept)
            if not kept:
                self._emit(Notice(UNKEPT, "warning", REMEMBER))
        self._tell_left_out(written)

    def _keep(self, setting: ToolContext) -> tuple[Written, ...]:
        """Store the person's statements that are not stored yet, as a checkpoint does. Sub-agents and groups have no memory."""
        catalog = self._shared.resources.memory.catalog
        made = self._shared.checkpoint.make(self._shared.log.find(setting.session))
        return remembered(made.entries, catalog)

    def _tell_left_out(self, written: Sequence[Written]) -> None:
        """Warn if a secret was removed, so that no reply leaves it at "I'll remember that". The reflex says so itself."""
        kept = [one for one in written if one.deed in KEPT]
        if not kept or (self._model is not None and self._model.name == REFLEX):
            return
        # the stored message was already redacted
        if any(one.left_out for one in kept) or redact(self._text).found:
            self._emit(Notice(reply("left_out", language_of(self._state.text, self._text)), "warning"))

    def _tell(self, written: Sequence[Written]) -> None:
        for one in written:
            self._emit(self._marked(MemoryWritten(one)))

    def _marked(self, event: MemoryWritten) -> MemoryWritten:
        """The event, marked if the reply itself reports it: the reflex always confirms what was written, a model may not."""
        return replace(event, told=self._model is not None and self._model.name == REFLEX)

    def _done(self, why: Ending) -> Done:
        course = self._state
        window = self._model.window if self._model is not None else 0
        used = course.latest.sent + course.latest.received or self._estimated
        cost = self._recorder.cost if self._recorder is not None else 0.0
        return Done(self._reply, course.text, why, course.usage, cost, min(1.0, used / window) if window else 0.0)


# cached: every request offers the same tools
_weight = lru_cache(maxsize=256)(estimate)
