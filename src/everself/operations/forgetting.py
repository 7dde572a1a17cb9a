"""Operation: forgetting. The plan is shown first, the caller confirms it, and a proof is returned."""

from datetime import date
from typing import Annotated, Final

from everself.conversation.tools.protocol import Outcome, Written, told
from everself.errors import NoEntryContains, NotFound, RefusedByRule, WrongUse
from everself.memory.forgetting.proof import ForgetPlan, ForgetProof, Target
from everself.memory.provenance import OWN
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, McpOffer, Option, Request, Result, ToolOffer, operation
from everself.operations.entries import Candidates, candidates_near, show_candidates
from everself.operations.origins import asks_to_forget
from everself.operations.review import ask_to_forget
from everself.runtime import Runtime
from everself.search.scopes import SessionKind
from everself.search.sharing import effective
from everself.text.normalise import fold
from everself.values import Entry

_OWNERS: Final = ("cli", "http")
# an entry may contain this many more characters than the words to forget
_A_WORD: Final = 8
# rewriting a long history takes time
_FORGETTING: Final = 600.0
# maximum number of entries in one question to the owner
_MOST_ASKED: Final = 20


class Forgotten(Result):
    """One forgotten entry, and the document that contained it."""

    proof: ForgetProof
    entry: str
    path: str


class ForgetRequest(Request):
    entries: Annotated[tuple[str, ...], Argument("Ids of entries.", "[ID]...", only=_OWNERS)] = ()
    what: Annotated[
        str,
        Option(
            "The entry's id from a search, or its words.",
            "ID|WORDS",
            only=("tool", "slash", "mcp"),
            needed=("tool", "slash", "mcp"),
            slash=True,
        ),
    ] = ""
    words: Annotated[str, Option("Every entry and place that contains these words.", "TEXT", only=_OWNERS)] = ""
    session: Annotated[str, Option("Everything of one conversation.", "ID", only=_OWNERS)] = ""
    person: Annotated[str, Option("Everything of one person.", "NAME", only=_OWNERS)] = ""
    on: Annotated[date | None, Option("Everything of one day.", only=_OWNERS)] = None
    since: Annotated[date | None, Option("Everything of this day and later.", only=_OWNERS)] = None
    until: Annotated[date | None, Option("Everything of this day and earlier.", only=_OWNERS)] = None
    dry_run: Annotated[bool, Option("Show what would go, and change nothing.", only=_OWNERS)] = False


class ForgettingAsked(Result):
    """Nothing was forgotten; the owner is asked. `review` is the id of the question, empty if they refused before or too many questions are
    open."""

    review: str
    plan: ForgetPlan


def _show_asked(_: Runtime, __: ForgetRequest, done: ForgettingAsked | Candidates) -> Outcome:
    if isinstance(done, Candidates):
        return show_candidates(done)
    said = f"as {done.review}: everself review" if done.review else "no more: they said no, or too many questions wait"
    return Outcome("\n".join((*done.plan.lines(), "", f"Nothing was forgotten. The owner is asked {said}")))


def _show(_: Runtime, __: ForgetRequest, done: ForgetPlan | ForgetProof | Forgotten | Candidates) -> Outcome:
    if isinstance(done, Candidates):
        return show_candidates(done)
    if not isinstance(done, Forgotten):
        raise TypeError("a model forgets one entry at a time")
    proof = done.proof
    places = {one.place: one.removed for one in proof.places if one.removed}
    result = {"forgotten": len(proof.entries), "gone": proof.gone, "places": places, "candidates": []}
    # without the forgotten text
    return Outcome(told(result), written=(Written("forgotten", "", done.path, done.entry, proof.change),))


@operation(
    "memory.forget",
    audience=Audience.AGENT,
    effect="destructive",
    question="Forget {plan.called} for good? It cannot be undone.",
    slash="/forget",
    tool=ToolOffer(
        "memory_forget",
        "Forget something for good, only when the person asks for it in this very message. It cannot be undone.",
        sessions=frozenset({SessionKind.MAIN}),
        show=_show,
        timeout=_FORGETTING,
    ),
    mcp=McpOffer("memory_forget", "Show what would be forgotten, and ask the owner whether it may go.", _show_asked),
)
def forget(
    runtime: Runtime, caller: Caller, request: ForgetRequest
) -> ForgetPlan | ForgetProof | Forgotten | ForgettingAsked | Candidates:
    """Forget permanently, with proof: remove the words from files, database and history.

    It cannot be undone. At a terminal the plan is shown first and you are asked; elsewhere --yes is required.

    $ everself memory forget 7K3QX9M2ABCD --dry-run  # see what would go, and where it stands
    $ everself memory forget --words "5 Elm Street"  # every entry and place that contains these words
    $ everself memory forget --on 2026-03-19  # everything of one day
    """
    if caller.is_model and caller.unwatched:
        return _ask(runtime, caller, request.what)
    if caller.is_model:
        return _forget_one(runtime, caller, request.what)
    plan = _plan(runtime, request)
    if request.dry_run:
        return plan
    caller.agree(plan)
    return runtime.forgetting.carry_out(plan)


def _ask(runtime: Runtime, caller: Caller, what: str) -> ForgettingAsked | Candidates:
    """For a model of another program: show the plan, and ask the owner."""
    try:
        plan = runtime.forgetting.plan_for(what)
    except NotFound:
        return candidates_near(runtime, caller, what, "Nothing was forgotten: no entry contains these words.")
    if not 0 < len(plan.entries) <= _MOST_ASKED:
        hint = "Nothing was forgotten: name one entry, by its id from a search."
        return candidates_near(runtime, caller, what, hint, plan.entries)
    ids = tuple(one.id for one in plan.entries)
    # only the text of these entries: other documents may contain the same words with another meaning
    return ForgettingAsked(ask_to_forget(runtime, ids), runtime.forgetting.plan(Target(ids=ids)))


def _plan(runtime: Runtime, request: ForgetRequest) -> ForgetPlan:
    if request.what:
        return runtime.forgetting.plan_for(request.what)
    target = _target(request)
    plan = runtime.forgetting.plan(target)
    if plan.empty:
        raise NoEntryContains(target.words) if target.words else NotFound("anything of it that is remembered.")
    return plan


def _target(request: ForgetRequest) -> Target:
    days = (request.since, request.until)
    if request.on is not None and any(days):
        raise WrongUse("--on is one day; --since and --until are a span.")
    since, until = days if request.on is None else (request.on, request.on)
    if not (request.entries or request.words.strip() or request.session or request.person or since or until):
        raise WrongUse("Say what to forget.", mend="everself memory forget --help")
    return Target(request.entries, request.words, request.session, request.person, since, until)


def _forget_one(runtime: Runtime, caller: Caller, what: str) -> Forgotten | Candidates:
    """For the agent's model: forget one entry, if the owner asks for it in this message."""
    if not caller.by_owner or effective(caller.scope).kind is not SessionKind.MAIN:
        raise RefusedByRule(
            "Permission denied: only the owner can forget entries, in a private conversation.", mend="/forget"
        )
    if not asks_to_forget(caller.said):
        raise RefusedByRule("This message does not ask to forget anything.", mend="/forget")
    if caller.taint != OWN:
        # it cannot be undone, and a page that was read could choose what is meant
        raise RefusedByRule(
            "This conversation holds text from outside, so only /forget removes entries.", mend="/forget"
        )
    forgetting = runtime.forgetting
    try:
        plan = forgetting.plan_for(what)
    except NotFound:
        return candidates_near(runtime, caller, what, "Nothing was forgotten: no entry contains these words.")
    if len(plan.entries) != 1:
        hint = "Nothing was forgotten: several entries or none contain these words. Ask the person, or let them use /forget."
        return candidates_near(runtime, caller, what, hint, plan.entries)
    entry = plan.entries[0]
    if _says_more(entry, what):
        hint = "Nothing was forgotten: this entry says more than that. Ask the person whether all of it may go, then use its id."
        return candidates_near(runtime, caller, what, hint, plan.entries)
    # nobody reviews a plan here, so only the text of the entry itself is removed elsewhere
    proof = forgetting.carry_out(forgetting.plan(Target(ids=(entry.id,))))
    return Forgotten(proof, entry.id, entry.path)


def _says_more(entry: Entry, what: str) -> bool:
    """Whether the entry contains more than what should be forgotten."""
    if what.strip().upper() == entry.id:
        return False
    bare, whole = ("".join(char for char in fold(words) if char.isalnum()) for words in (what, entry.text))
    return len(whole) - len(bare) > max(_A_WORD, len(whole) // 4)
