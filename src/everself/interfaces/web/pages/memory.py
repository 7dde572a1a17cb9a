"""What is remembered: search with explained scores, entries by what they are and when, and what there is to browse."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from everself.interfaces.rendering.search import reasons
from everself.interfaces.web.visit import Answer, Moved, Page, Shown, Visit
from everself.memory.corrections import PATH as CORRECTIONS
from everself.memory.corrections import sentence_of
from everself.memory.selection import ListedEntry
from everself.operations.contents import Group
from everself.values import Hit

# what narrows the list: names in the address, as the operation has them
_FILTERS: Final = ("tier", "tag", "source", "person", "project", "since", "until", "as_of", "path")
TIERS: Final = ("core", "working")
TAGS: Final = ("decision", "knowledge", "event", "skill", "correction")
SOURCES: Final = ("owner", "hand", "correction", "person", "agent", "tool", "web", "import")
# whether it holds and is trusted: a choice in the page, flags of the operation
STANDINGS: Final[Mapping[str, Mapping[str, object]]] = {
    "holds": {},
    "closed": {"closed": True},
    "stale": {"stale": True},
    "unvouched": {"unvouched": True},
    "quarantine": {"path": "quarantine"},
    "all": {"everything": True},
}
_PAGE: Final = 40
# rows that one page passes over at most: a rare filter in a large memory is looked for page by page
_ROWS: Final = 4_000
_HITS: Final = 20
_DAYS: Final = 60


def show_memory(visit: Visit) -> Answer:
    query = visit.query["q"].strip()
    return _search(visit, query) if query else _list(visit)


def _frame(visit: Visit) -> dict[str, object]:
    given = visit.query.given(*_FILTERS)
    standing = visit.query["standing"] if visit.query["standing"] in STANDINGS else "holds"
    return {
        "query": visit.query["q"].strip(),
        "given": {name: given.get(name, "") for name in _FILTERS},
        "standing": standing,
        "narrowed": bool(given) or standing != "holds",
        "tiers": TIERS,
        "tags": TAGS,
        "sources": SOURCES,
        "standings": tuple(STANDINGS),
    }


def _links(visit: Visit) -> dict[str, object]:
    """Where a day, a topic, a person or a project is looked at."""

    def to(**how: str) -> Callable[[Group], str]:
        return lambda group: visit.url(
            "memory", **{name: group.path if of == "path" else group.name for name, of in how.items()}
        )

    return {
        "day_url": to(since="name", until="name"),
        "path_url": to(path="path"),
        "person_url": to(person="name"),
        "project_url": to(project="name"),
    }


def _list(visit: Visit) -> Answer:
    frame = _frame(visit)
    given: dict[str, object] = dict(visit.query.given(*_FILTERS))
    given |= STANDINGS[str(frame["standing"])]
    listing = visit.run("memory.list", **given, limit=_PAGE, rows=_ROWS, before=visit.query["before"])
    values = {
        **frame,
        "days": tuple(_by_day(listing.entries)),
        "older": visit.here(before=listing.before) if listing.before else "",
        "today": listing.today,
        "first": not visit.query["before"],
    }
    return Shown("memory/list.html", values)


def _by_day(entries: Sequence[ListedEntry]) -> Iterator[tuple[Any, list[ListedEntry]]]:
    """Newest day first, and the newest of a day first."""
    for day, found in groupby(reversed(entries), key=lambda one: one.entry.day):
        yield day, list(found)


def _search(visit: Visit, query: str) -> Answer:
    given: dict[str, object] = dict(visit.query.given("as_of", "project"))
    if visit.query["messages"]:
        given["messages"] = True
    found = visit.run("memory.search", query=query, maxResults=_HITS, **given)
    hits = [
        {"hit": hit, "said": _said(hit), "why": reasons(hit, query), "weight": weight}
        for hit, weight in zip(found.hits, found.weights, strict=True)
    ]
    return Shown("memory/search.html", {**_frame(visit), "found": found, "hits": hits})


def _said(hit: Hit) -> str:
    """The record of a correction in one sentence, as a receipt tells it; else what was found."""
    return (sentence_of(hit.text.splitlines()) if hit.path == CORRECTIONS else "") or hit.text


def show_contents(visit: Visit) -> Answer:
    """Everything that there is to browse. The page of memory takes its short lists from here, after it is shown."""
    days = visit.query.number("days", _DAYS, 1, 36_500)
    contents = visit.run("memory.contents", days=days)
    pages = visit.run("memory.bank.list")
    return Shown("memory/contents.html", {"contents": contents, "pages": pages, "days": days, **_links(visit)})


def show_document(visit: Visit) -> Answer:
    """Lines of a document, as a search cites them."""
    return Shown("memory/lines.html", {"found": visit.run("memory.get", path=visit.query["at"])})


def show_searches(visit: Visit) -> Answer:
    """What was searched for of late, and what one search left out."""
    named = visit.query["id"]
    if named:
        return Shown("memory/why.html", {"record": visit.run("memory.why", search=named)})
    return Shown("memory/searches.html", {"records": visit.run("memory.why", listing=True, limit=50)})


def show_changes(visit: Visit) -> Answer:
    """What was changed of late, each with its undo."""
    log = visit.run("log", limit=visit.query.number("limit", 40, 1, 1_000), **visit.query.given("path"))
    return Shown("memory/changes.html", {"log": log})


def show_change(visit: Visit) -> Answer:
    return Shown("memory/change.html", {"found": visit.run("show", change=visit.params["change"])})


def add(visit: Visit) -> Answer:
    given: dict[str, object] = dict(visit.form.given("tag", "person", "project", "about"))
    done = visit.run("memory.add", content=visit.form["text"], explicit=bool(visit.form["keep"]), **given)
    if done.doubt:
        return Moved(visit.url("memory", standing="quarantine"), "kept-apart", done.change)
    return Moved(visit.url(f"memory/entry/{done.entry}"), "mentioned" if done.mention else "added", done.change)


def show_topic(visit: Visit) -> Answer:
    """One page of the bank."""
    return Shown("memory/topic.html", {"page": visit.run("memory.bank.show", page=visit.query["page"])})


def add_to_topic(visit: Visit) -> Answer:
    done = visit.run("memory.bank.add", page=visit.form["page"], text=visit.form["text"])
    return Moved(visit.url("memory/topic", page=visit.form["page"]), "added", done.change)


def show_candidates(visit: Visit) -> Answer:
    """What of the last days deserves to stay, and why."""
    days = visit.query.number("days", 7, 1, 3_650)
    return Shown("memory/candidates.html", {"days": days, "found": visit.run("memory.promote", days=days)})


PAGES: Final = (
    Page("memory", show_memory, "memory", slow=True),
    Page("memory/contents", show_contents, "memory"),
    Page("memory/lines", show_document, "memory"),
    Page("memory/searches", show_searches, "memory"),
    Page("memory/changes", show_changes, "memory"),
    Page("memory/change/{change}", show_change, "memory"),
    Page("memory/topic", show_topic, "memory"),
    Page("memory/candidates", show_candidates, "memory", slow=True),
    Page("memory/add", add, "memory", "POST"),
    Page("memory/topic/add", add_to_topic, "memory", "POST"),
)
