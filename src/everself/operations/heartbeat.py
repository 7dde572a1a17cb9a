"""The heartbeat, in which the agent works through its checklist, and the start prompt of the gateway.

A heartbeat is a turn in a session of kind `heartbeat`, one session per day, so that the agent knows what it reported today. It is skipped
if HEARTBEAT.md has no open items, outside the active hours, without a model, and when the day's budget is spent.
"""

import string
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from everself.clock import find_zone, host_zone
from everself.config.sections import Heartbeat
from everself.config.setting_types import parse_time
from everself.conversation.resources import TurnOptions
from everself.conversation.sessions.session import Session
from everself.conversation.shared_state import REFLEX
from everself.errors import NotFound
from everself.keepers.scheduler import HEARTBEAT, Skip
from everself.operations.checklist import CHECKLIST, has_work
from everself.operations.unattended import UnattendedReply, allow, log_reply, new_session, prompt, say
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.text.normalise import one_line

OK: Final = "HEARTBEAT_OK"
SILENT: Final = "NO_REPLY"
# a reply of OK and at most so many other characters is not a report
MOST_BESIDE: Final = 300
BOOT: Final = "BOOT.md"
_SESSION: Final = "heartbeat session"
_SHOWN: Final = 200
_MARKS: Final = "*_`~\"'.!,:;- \t\r\n"
_WORD: Final = frozenset(string.ascii_letters + string.digits + "_")
_NO_MODEL: Final = Skip("No model is set.")


def is_active(settings: Heartbeat, now: datetime, user: ZoneInfo) -> bool:
    """Whether it is within the active hours. A window may cross midnight; one that ends where it begins is empty."""
    start, end = settings.active_from, settings.active_until
    if not start and not end:
        return True
    zones = {"user": lambda: user, "local": host_zone}
    zone = zones.get(settings.active_zone, lambda: find_zone(settings.active_zone))()
    wall = now.astimezone(zone)
    minute = wall.hour * 60 + wall.minute
    first, last = _minutes(start or "00:00"), _minutes(end or "24:00")
    return first <= minute < last if first <= last else minute >= first or minute < last


def report_of(reply: str) -> str:
    """The report in a reply; empty if there is nothing to report."""
    text = reply.strip()
    bare = text.strip(_MARKS)
    if bare == SILENT:
        return ""
    if bare.startswith(OK) and bare[len(OK) : len(OK) + 1] not in _WORD:
        beside = bare[len(OK) :]
    elif bare.endswith(OK) and bare[-len(OK) - 1 : -len(OK)] not in _WORD:
        beside = bare[: -len(OK)]
    else:
        return text
    beside = beside.strip(_MARKS)
    return beside if len(beside) > MOST_BESIDE else ""


async def beat(app: Runtime, slot: str) -> str | Skip:
    """Run one heartbeat. Raises ModelFailed if the agent could not answer."""
    if not is_active(app.agent.heartbeat, app.clock.now(), app.clock.zone):
        return Skip("Outside the active hours.")
    found = await app.worker(lambda: app.workspace.find(CHECKLIST))
    if not has_work(found.data if found is not None else None):
        return Skip(f"{CHECKLIST} holds nothing to do.")
    if await app.worker(lambda: app.chat.model.name) == REFLEX:
        return _NO_MODEL
    await allow(app, SessionKind.HEARTBEAT)
    session = await app.worker(lambda: _session_of_today(app))
    reply = await say(app, session, prompt("heartbeat"), TurnOptions(own_prompt=True))
    await app.worker(lambda: app.state.set_meta(_SESSION, f"{app.clock.today().isoformat()} {session.id}"))
    return await _told(app, "Heartbeat", reply, f"heartbeat {slot}")


async def boot(app: Runtime, start: str) -> str | Skip:
    """Run BOOT.md; `start` identifies this start of the gateway. Raises ModelFailed if the agent could not answer."""
    data = await app.worker(lambda: app.integrity.text(BOOT))
    if not has_work(data):
        return Skip(f"{BOOT} holds nothing to do.")
    if await app.worker(lambda: app.chat.model.name) == REFLEX:
        return _NO_MODEL
    await allow(app, SessionKind.HEARTBEAT)
    session = new_session(app, SessionKind.HEARTBEAT, "boot")
    reply = await say(app, session, prompt("boot"), TurnOptions(run="boot", own_prompt=True))
    return await _told(app, "Start", reply, f"boot {start}")


async def _told(app: Runtime, title: str, reply: UnattendedReply, key: str) -> str:
    report = report_of(reply.text)
    if not report:
        return f"Nothing to report (session {reply.session})"
    told = UnattendedReply(report, reply.session, reply.message, reply.taint)
    await log_reply(app, title, told, key)
    return f"{one_line(report, _SHOWN)} (session {reply.session})"


def _session_of_today(app: Runtime) -> Session:
    day, _, known = (app.state.get_meta(_SESSION) or "").partition(" ")
    if known and day == app.clock.today().isoformat():
        try:
            return app.chat.begin(Scope(SessionKind.HEARTBEAT), HEARTBEAT, known)
        except NotFound:
            # the session was deleted or forgotten
            pass
    return new_session(app, SessionKind.HEARTBEAT, HEARTBEAT)


def _minutes(text: str) -> int:
    hour, minute = parse_time(text) or (24, 0)
    return hour * 60 + minute
