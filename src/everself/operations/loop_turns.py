"""Turns of a conversation whose loop runs in another program: prompt, tool calls and record. They are stored like chat turns.

Everything here blocks and runs in the agent's worker thread, so calls of one agent are sequential. Knows no vendor. The person's message is
stored before the first tool call, or when the turn is recorded. A correction in it is applied at once. A prompt alone stores nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from everself.conversation.context.assembler import Prompt
from everself.conversation.context.receipt import Prefix
from everself.conversation.context.request import PromptRequest
from everself.conversation.receipts import ToolUse, find_search, receipt_json
from everself.conversation.resources import Acted
from everself.conversation.save_claims import claims_saving
from everself.conversation.sessions.forgetting import without_forgotten
from everself.conversation.sessions.history import labelled, turns_of
from everself.conversation.sessions.log import clean
from everself.conversation.sessions.session import Message, Session
from everself.conversation.tools.calls import CallResult, call_tools
from everself.conversation.tools.protocol import KEPT, Outcome, Stamp, Tool, ToolContext, Written, remembered
from everself.conversation.turn import UNKEPT
from everself.errors import EverselfError, WrongUse
from everself.memory.provenance import IMPORT, OWN, taint_of
from everself.memory.statements import shown
from everself.models.chat.newest_message import newest_message, with_notes
from everself.models.chat.protocol import ModelTurn, ToolCall, ToolTurn, UserTurn
from everself.operations.loop_calls import (
    LoopCall,
    RecordedTurn,
    SessionMessage,
    SessionPrompt,
    ToolResult,
    arguments_text,
)
from everself.operations.registry import LISTED
from everself.operations.tools import unlisted_tools
from everself.runtime import Runtime
from everself.search.scopes import Scope
from everself.search.sharing import is_owner, speaker_of
from everself.values import new_id


@dataclass(slots=True)
class OpenTurn:
    """A turn in progress. `name` is the program's id of it; `message` is None until the person's message is stored.

    `generation` is the state of forgetting at the start; `calls` are the id, name and arguments of stored calls.
    """

    said: str
    name: str = ""
    # identifies a turn without a name, so that storing it again after a failure creates no duplicate
    key: str = field(default_factory=new_id)
    generation: int = 0
    prompt: Prompt | None = None
    message: Message | None = None
    # whether the message was acted on, here or by another process
    acted: bool = False
    did: Acted = field(default_factory=Acted)
    # whether the model was told
    told: bool = False
    written: list[Written] = field(default_factory=list)
    used: list[ToolUse] = field(default_factory=list)
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


class LoopTurns:
    """The turns of one session, in sequence."""

    def __init__(self, runtime: Runtime, scope: Scope, channel: str, resume: str = "") -> None:
        self._runtime = runtime
        self.session: Session = runtime.chat.begin(scope, channel, resume)
        self.tools: dict[str, Tool] = {tool.spec.name: tool for tool in runtime.tools(scope)}
        self._callable = unlisted_tools(runtime, scope) | self.tools
        self._taint: Stamp = self.session.taint
        self._prefix: tuple[int, Prefix] | None = None
        self._turn: OpenTurn | None = None
        # effects of the last message that no model was told, to be told with the next one
        self._told: tuple[str, ...] = ()

    def assemble(self, message: str, name: str, window: int | None) -> SessionPrompt:
        runtime = self._runtime
        runtime.chat.shared.recover()
        # read first: whatever is forgotten from now on renews the next prefix
        generation = runtime.state.scrub.generation()
        self.session = runtime.log.fresh(self.session)
        self._taint = taint_of((self._taint, self.session.taint))
        made_in, prefix = self._prefix or (generation, None)
        facts = replace(runtime.facts(), model="", channel=self.session.channel)
        ask = PromptRequest(
            scope=self.session.scope,
            message=message,
            session=self.session.id,
            turn=self.session.said + 1,
            prefix=prefix if made_in == generation else None,
            window=window,
            facts=facts,
            tools=bool(self.tools),
        )
        prompt = runtime.assembler.assemble(ask)
        self._prefix = (generation, prompt.prefix)
        self._mark(prompt.taint)
        turn = self._turn
        if turn is None or turn.message is None or (turn.said, turn.name) != (message, name):
            turn = self._turn = OpenTurn(message, name)
        # a repeated request, for instance after a model failure, is the same turn
        turn.prompt, turn.generation = prompt, generation
        newest = newest_message(message, self._told, prompt.delta)
        return SessionPrompt(prompt.prefix.text, prompt.delta, newest, prompt.receipt, made_in != generation)

    def hear(self, message: str, name: str) -> None:
        """Store the person's message and act on it. Later calls belong to it until the turn is recorded."""
        self._turn = OpenTurn(message, name, generation=self._runtime.state.scrub.generation())
        self._begin(self._turn)

    def messages(self) -> list[SessionMessage]:
        """All messages and calls of this session, without forgotten text."""
        found: list[SessionMessage] = []
        for turn in turns_of(self._runtime.log.messages(self.session)):
            match turn:
                case UserTurn():
                    found.append(SessionMessage("user", turn.text))
                case ModelTurn():
                    calls = tuple((one.id, one.name, one.arguments) for one in turn.calls)
                    found.append(SessionMessage("assistant", turn.text, calls))
                case ToolTurn():
                    found += [SessionMessage("tool", one.content, call=one.id) for one in turn.returns]
        return found

    def begin_call(self, call: ToolCall, given: str) -> ToolContext:
        """Store the message and the call before it runs. Without a message, the call itself is the evidence.

        `given` is the program's id of the call.
        """
        turn = self._open_turn()
        self._begin(turn)
        asked = self._store_calls(turn, (call,))
        turn.calls.append((given, call.name, call.arguments))
        led = turn.message if turn.message is not None else asked
        return self._context(turn, led.id)

    async def run(self, call: ToolCall, context: ToolContext) -> CallResult:
        """Run a call. The tool itself moves blocking work to the worker thread."""
        if refused := self._refusal(call.name):
            return CallResult(call, Outcome(refused, failed=True))
        (done,) = [one async for one in call_tools(self._callable, [call], context)]
        return done

    def end_call(self, called: CallResult, given: str) -> ToolResult:
        """Store the result. The model is also told what the message caused, unless it was told before."""
        turn, call, outcome = self._open_turn(), called.call, called.outcome
        turn.written += outcome.written
        turn.used.append(ToolUse(call.name, outcome.failed, called.stamp, called.seconds))
        self._store_return(turn, call, outcome.content, called.stamp, failed=outcome.failed)
        told, turn.told = turn.told, True
        content = labelled(outcome.content, called.stamp)
        shown = content if told else with_notes(content, turn.did.done, turn.did.unclear)
        return ToolResult(given or call.id, call.name, shown, outcome.failed, outcome.written, called.stamp)

    def observe(self, call: LoopCall) -> None:
        """Store a call of the program's own tool as soon as it returned. From then on, conclusions are trusted no more than its result."""
        turn = self._open_turn()
        self._begin(turn)
        self._store_foreign(turn, [call])

    def _refusal(self, name: str) -> str:
        """Why an existing tool is not available in this session; empty otherwise."""
        if name in self._callable or all(one.tool != name for one in LISTED):
            return ""
        known = ", ".join(sorted(self.tools)) or "none"
        return f"Permission denied: {name} is not offered in this conversation. Available tools: {known}."

    def record(self, user: str, assistant: str, calls: Sequence[LoopCall], name: str) -> RecordedTurn:
        turn = self._turn_of(user, name)
        if not (turn.said or assistant.strip() or calls or turn.calls):
            raise WrongUse("There is nothing to record.", mend="Give user=, assistant= or tool_calls=.")
        earlier = self._find_recorded(turn, assistant)
        if earlier is not None:
            self._turn = None
            return earlier
        new = [one for one in calls if not _is_listed(turn, one)]
        for one in new:
            if one.result is None:
                raise WrongUse(
                    f"The call of {one.name[:60]} has no result.", mend="Give the result that was sent to the model."
                )
        self._begin(turn)
        self._store_foreign(turn, new)
        reply = self._store_reply(turn, assistant) if assistant.strip() else ""
        self._turn = None
        self._told = () if turn.told else (*turn.did.done, *turn.did.unclear)
        self._keep(turn, assistant)
        message = turn.message.id if turn.message is not None else ""
        return RecordedTurn(self.session.id, message, reply, tuple(turn.written), tuple(turn.notices))

    def close(self) -> None:
        """Store unrecorded turns."""
        self._turn = None
        self._runtime.checkpoint.make(self._runtime.log.fresh(self.session))

    def follow(self, session: Session) -> None:
        """Continue in another session of the same kind, with a new prefix."""
        self.session, self._taint = session, session.taint
        self._prefix, self._turn, self._told = None, None, ()

    def _open_turn(self) -> OpenTurn:
        if self._turn is None:
            self._turn = OpenTurn("", generation=self._runtime.state.scrub.generation())
        return self._turn

    def _turn_of(self, user: str, name: str) -> OpenTurn:
        turn = self._open_turn()
        if user and " ".join(user.split()) != " ".join(turn.said.split()):
            if not turn.said:
                # the program has its own prompt and names the message only now
                turn.said = user
            elif turn.message is not None or turn.calls:
                raise WrongUse(
                    "The tools of this turn were called for another message than user=.",
                    mend="Give prompt() and record() the same words, or leave user= out.",
                )
            else:
                turn = self._turn = OpenTurn(user, generation=turn.generation)
        turn.name = name or turn.name
        return turn

    def _begin(self, turn: OpenTurn) -> None:
        """Store the person's message and act on it, once."""
        if not turn.said.strip():
            return
        log, person = self._runtime.log, self.session.scope.person or ""
        if turn.message is None:
            identity, said = self._identity(turn, "user"), self._unsaid(turn, turn.said)
            known = log.message(identity)
            turn.message = known or log.add(self.session, "user", said, person=person, identity=identity)
            turn.acted = known is not None
        # quoted text is trusted like an import
        self._mark(speaker_of(self.session.scope, person), IMPORT if shown(turn.said).strip() else OWN)
        if not turn.acted:
            turn.acted = True
            self._act(turn, turn.message)

    def _act(self, turn: OpenTurn, message: Message) -> None:
        if not self._is_by_owner(turn):
            return
        try:
            acted = self._runtime.chat.shared.resources.actions(turn.said, self._context(turn, message.id))
        except EverselfError as error:
            # the message is stored, and the turn continues
            turn.notices.append(str(error))
            return
        turn.written += acted.written
        turn.did = acted
        turn.notices += acted.unclear

    def _is_by_owner(self, turn: OpenTurn) -> bool:
        return bool(turn.said.strip()) and is_owner(self.session.scope)

    def _context(self, turn: OpenTurn, message: str) -> ToolContext:
        by_owner = self._is_by_owner(turn)
        return ToolContext(self.session.scope, self.session.id, message, turn.said, by_owner, self._taint)

    def _mark(self, *stamps: Stamp) -> None:
        """Lower the trust of later conclusions to these sources."""
        self._taint = taint_of((self._taint, *stamps))
        if self._taint != OWN:
            # without messages there is nothing to mark; it is marked again with the first message
            self.session = self._runtime.log.mark(self.session, taint=self._taint)

    def _store_calls(self, turn: OpenTurn, calls: Sequence[ToolCall], identity: str = "") -> Message:
        listed = [[call.id, call.name, self._unsaid(turn, call.arguments)] for call in calls]
        meta = {"calls": listed, "why": "tools", **turn.did.notes}
        return self._runtime.log.add(self.session, "assistant", "", meta=meta, identity=identity)

    def _store_return(
        self, turn: OpenTurn, call: ToolCall, content: str, stamp: Stamp, *, failed: bool, identity: str = ""
    ) -> None:
        # marked before the text is stored, so that a crash never leaves the text without its taint
        self._mark(stamp)
        meta = {"call": call.id, "name": call.name, "failed": failed, "stamp": stamp, "origin": ""}
        self._runtime.log.add(self.session, "tool", self._unsaid(turn, content), meta=meta, identity=identity)

    def _store_foreign(self, turn: OpenTurn, calls: Sequence[LoopCall]) -> None:
        if not calls:
            return
        number = len(turn.calls)
        names = [self._identity(turn, f"result {at}") for at in range(number, number + len(calls))]
        asked = [
            ToolCall(f"{one.id}-{name}".strip("-"), one.name, arguments_text(one.arguments))
            for one, name in zip(calls, names, strict=True)
        ]
        self._store_calls(turn, asked, self._identity(turn, f"calls {number}"))
        for one, call, name in zip(calls, asked, names, strict=True):
            self._store_return(turn, call, one.result or "", one.source, failed=one.failed, identity=name)
        # only after all are stored: a failure in between repeats them all
        turn.calls += [(one.id, one.name, call.arguments) for one, call in zip(calls, asked, strict=True)]
        turn.used += [ToolUse(one.name, one.failed, one.source, 0.0) for one in calls]

    def _store_reply(self, turn: OpenTurn, text: str) -> str:
        meta: dict[str, object] = {"why": "stop", **turn.did.notes}
        if turn.prompt is not None:
            receipt = turn.prompt.receipt
            meta["receipt"] = receipt_json(
                receipt, find_search(self._runtime.state.searches, receipt.search), turn.used
            )
        identity = self._identity(turn, "reply")
        text = self._unsaid(turn, text)
        message = self._runtime.log.add(self.session, "assistant", text, meta=meta, identity=identity)
        self._mark()
        return message.id

    def _keep(self, turn: OpenTurn, assistant: str) -> None:
        """Turn statements into entries now, as at the end of a chat: another program may never end its session."""
        try:
            made = self._runtime.checkpoint.make(self.session)
        except EverselfError as error:
            # the turn is stored, and the next checkpoint continues
            turn.notices.append(str(error))
            return
        turn.written += remembered(made.entries, self._runtime.memory.catalog)
        if claims_saving(assistant) and not any(one.deed in KEPT for one in turn.written):
            turn.notices.append(UNKEPT)

    def _unsaid(self, turn: OpenTurn, text: str) -> str:
        """Remove text that was forgotten since the turn began: the model may have read it before."""
        if self._runtime.state.scrub.generation() == turn.generation:
            return text
        return without_forgotten(text, self._runtime.memory.catalog)

    def _identity(self, turn: OpenTurn, part: str) -> str:
        """The id of a message of a turn. It is the same for the same turn, and also in another session if the program named the turn."""
        scope = self.session.scope
        whose = (self.session.channel, scope.kind.value, scope.person or "", scope.project or "", *_key(turn), part)
        hashed = sha256(json.dumps(whose).encode("utf-8", "surrogatepass")).digest()
        return new_id(lambda size: hashed[:size])

    def _find_recorded(self, turn: OpenTurn, assistant: str) -> RecordedTurn | None:
        """The turn that was recorded under this name. Raises WrongUse if the name belongs to a different turn."""
        if not turn.name:
            return None
        log = self._runtime.log
        message, reply = (log.message(self._identity(turn, part)) for part in ("user", "reply"))
        first, text = (message, turn.said) if turn.said.strip() else (reply, assistant)
        if first is not None and not _says_same(first.content, text):
            raise WrongUse(
                f'The id "{turn.name[:60]}" belongs to another turn.', mend="Give each turn of a channel its own id."
            )
        last = reply if assistant.strip() else message
        # the message of the current turn was stored with its first call
        if last is None or last == turn.message:
            return None
        said, replied = (one.id if one is not None else "" for one in (message, reply))
        return RecordedTurn(self.session.id, said, replied, repeated=True)


def _key(turn: OpenTurn) -> tuple[str, str]:
    # separate, so that a name never equals a key
    return ("named", turn.name) if turn.name else ("unnamed", turn.key)


def _is_listed(turn: OpenTurn, call: LoopCall) -> bool:
    """Whether the call was stored when it was made. Without ids, calls are compared by name and arguments."""
    asked = (call.name, _plain(arguments_text(call.arguments)))
    return any(
        known == call.id if known and call.id else (name, _plain(arguments)) == asked
        for known, name, arguments in turn.calls
    )


def _plain(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except ValueError:
        return arguments


def _says_same(stored: str, text: str) -> bool:
    """Whether a stored text equals this one, unless a part was forgotten."""
    from everself.memory.forgetting.forgotten_words import FORGOTTEN

    return FORGOTTEN in stored or " ".join(stored.split()) == " ".join(clean(text).split())
