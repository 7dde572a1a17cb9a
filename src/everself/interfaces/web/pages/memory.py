"""What is remembered: search with explained scores, and the entries by what they are."""

from typing import Final

from everself.interfaces.web.visit import Answer, Page, Shown, Visit

_FILTERS: Final = ("tier", "tag", "source", "person", "project", "since", "until", "path")
_SHOWN: Final = 50


def show_memory(visit: Visit) -> Answer:
    query = visit.query["q"].strip()
    if query:
        found = visit.run("memory.search", query=query, maxResults=20)
        return Shown("memory/search.html", {"query": query, "found": found})
    given = visit.query.given(*_FILTERS)
    listing = visit.run("memory.list", **given, limit=_SHOWN)
    return Shown("memory/list.html", {"query": "", "listing": listing, "given": given})


def show_entry(visit: Visit) -> Answer:
    account = visit.run("memory.show", entry=visit.params["entry"])
    return Shown("memory/entry.html", {"account": account})


PAGES: Final = (Page("memory", show_memory, "memory"), Page("memory/entry/{entry}", show_entry, "memory"))
