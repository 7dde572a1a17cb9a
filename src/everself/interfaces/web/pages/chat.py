"""Talking with the agent: a conversation with what each reply rests on, and the first one as a form. The stream is `pages/stream.py`."""

from typing import Any, Final

from everself.errors import EverselfError, NotFound, WrongUse
from everself.interfaces.web.visit import Answer, Moved, Page, Shown, Visit

_SESSIONS: Final = 15
_SHOWN: Final = 60
_ANSWERS: Final = (
    *("name", "nature", "vibe", "emoji", "your_name", "address", "pronouns", "time_zone", "languages", "wishes"),
)
_DRAFT: Final = {"your name": "your_name", "time zone": "time_zone", "soul": "wishes"}


def show_chat(visit: Visit) -> Answer:
    ritual = visit.attempt("ritual.show")
    if isinstance(ritual, NotFound):
        # there is no workspace: what is said could not be kept
        raise ritual
    sessions = [one for one in visit.run("sessions.list", limit=_SESSIONS) if one.kind == "main"]
    wanted = visit.query["session"]
    unmet = not isinstance(ritual, EverselfError) and ritual.open
    # whoever talked already said "later" to the questions: they are offered, and do not stand before the conversation
    if unmet and (visit.query["meet"] or not (visit.query["later"] or wanted or sessions)):
        draft = {_DRAFT.get(name, name): value for name, value in ritual.draft}
        return Shown("chat/ritual.html", {"given": draft, "ritual": ritual, "problem": None})
    view = None
    if wanted != "new" and (wanted or sessions):
        found = visit.attempt(
            "sessions.show", name=wanted or sessions[0].id, limit=visit.query.number("last", _SHOWN, 1, 5000)
        )
        if isinstance(found, NotFound):
            return Moved(visit.url("chat", session="new"))
        if isinstance(found, EverselfError):
            raise found
        view = found
    running = visit.service.turns.find_running(visit.access, view.session.id) if view is not None else None
    shown = [one for one in view.messages if is_shown(one)] if view is not None else []
    return Shown(
        "chat/chat.html",
        {
            "sessions": sessions,
            "view": view,
            "messages": shown,
            "earlier": view is not None and view.session.messages > len(view.messages),
            "turn": running.id if running is not None else "",
            "model": visit.runtime.agent.model,
            "name": _name(visit),
            "unmet": unmet,
        },
    )


def is_shown(message: Any) -> bool:
    """What was said; what a model said beside its calls of tools, and what these gave, is told as activity."""
    return message.role in ("user", "assistant") and bool(message.text.strip() or message.calls)


def _name(visit: Visit) -> str:
    found = visit.attempt("identity")
    return visit.agent if isinstance(found, EverselfError) else found.card.name.value or visit.agent


def show_reply(visit: Visit) -> Answer:
    """What one reply rests on, with what can be put right; a part of a page where it is asked for as one."""
    account = visit.run("why", reply=visit.params["message"])
    part = bool(visit.query["part"])
    return Shown("chat/receipt.html" if part else "chat/reply.html", {"account": account})


def show_message(visit: Visit) -> Answer:
    """One reply as it stands in the conversation, for a page that was listening to it."""
    view = visit.run("sessions.show", name=visit.query["session"] or "last", limit=20)
    found = next((one for one in view.messages if one.id == visit.params["message"]), None)
    if found is None:
        raise NotFound(f'reply "{visit.params["message"][:40]}".')
    return Shown("chat/said.html", {"one": found, "name": _name(visit)})


def search_talk(visit: Visit) -> Answer:
    words = visit.query["q"].strip()
    found = visit.run("sessions.search", words=words, limit=50) if words else ()
    return Shown("chat/search.html", {"words": words, "found": found})


def delete_talk(visit: Visit) -> Answer:
    name = visit.query["session"] or visit.form["session"]
    line = visit.run("sessions.show", name=name, limit=1).session
    if not visit.confirmed("sessions.delete", line.id):
        return Shown(
            "chat/delete.html",
            {
                "session": line,
                "action": visit.url("chat/delete"),
                "fields": [("session", line.id)],
                "ticket": visit.ticket("sessions.delete", line.id),
                "back": visit.url("chat", session=line.id),
            },
        )
    visit.run_agreed("sessions.delete", name=line.id)
    return Moved(visit.url("chat", session="new"), "talk-deleted")


def meet(visit: Visit) -> Answer:
    """The answers are shown as what they would write; a second form says yes."""
    given = visit.form.given(*_ANSWERS)
    ritual = visit.run("ritual.show")
    if not ritual.open:
        return Moved(visit.url("chat"))
    if visit.form["again"]:
        return Shown("chat/ritual.html", {"given": given, "ritual": ritual, "problem": None})
    try:
        if visit.form["yes"]:
            done = visit.run("ritual.finish", **given)
            return Moved(visit.url("chat", session="new"), "met", done.change)
        plan = visit.run("ritual.finish", **given, dry_run=True)
    except WrongUse as error:
        return Shown("chat/ritual.html", {"given": given, "ritual": ritual, "problem": error}, 422)
    return Shown("chat/ritual_plan.html", {"given": given, "plan": plan})


PAGES: Final = (
    Page("chat", show_chat, "chat"),
    Page("chat/reply/{message}", show_reply, "chat"),
    Page("chat/message/{message}", show_message, "chat"),
    Page("chat/search", search_talk, "chat"),
    Page("chat/delete", delete_talk, "chat"),
    Page("chat/delete", delete_talk, "chat", "POST"),
    Page("chat/meet", meet, "chat", "POST"),
)
