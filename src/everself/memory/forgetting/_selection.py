"""Selects the entries and messages that a request to forget refers to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from everself.clock import Clock
from everself.errors import WrongUse
from everself.memory.catalog import Catalog
from everself.memory.forgetting.forgotten_words import contains, is_one_statement
from everself.memory.forgetting.proof import Target
from everself.memory.provenance import PERSON
from everself.storage.state.scrub import MessageRow, Scrub, SearchRow
from everself.text.normalise import fold, slug
from everself.values import Entry
from everself.workspace.layout import place


@dataclass(frozen=True, slots=True)
class ForgettingSelection:
    """`homes`: documents with the texts that are meant only there; a folder (ending in /) with no text goes as a whole, and a text
    without a document is meant wherever it stands."""

    entries: tuple[Entry, ...]
    texts: tuple[str, ...]
    messages: tuple[str, ...]
    homes: tuple[tuple[str, str], ...]
    searches: tuple[str, ...] = ()


def choose(target: Target, catalog: Catalog, said: Scrub, clock: Clock) -> ForgettingSelection:
    """Everything that is meant. Naming several ways means all of them together."""
    if not any((target.ids, target.words.strip(), target.session, target.person, target.since, target.until)):
        raise WrongUse("Nothing to forget was given.", mend="everself memory forget ID")
    if target.since and target.until and target.since > target.until:
        raise WrongUse(f"{target.since} is after {target.until}.")
    found = {entry.id: entry for entry in (catalog.get(name) for name in target.ids)}
    texts = [entry.text for entry in found.values()]
    homes: list[tuple[str, str]] = []
    if words := fold(target.words):
        whole = (one for one in catalog.all() if is_one_statement(one.kind, one.text))
        holding = [one for one in whole if contains(fold(one.text), words)]
        found |= {entry.id: entry for entry in holding}
        texts += [target.words.strip(), *(entry.text for entry in holding)]
        homes.append(("", target.words.strip()))
    in_bulk = bool(target.session or target.person or target.since or target.until)
    gone: list[str] = []
    searches: list[str] = []
    if in_bulk:
        gone = list(_meant(target, said.messages(), clock))
        searches = list(_meant(target, said.searches(), clock))
        meant = [entry for entry in catalog.all() if _is_meant(target, entry, set(gone))]
        found |= {entry.id: entry for entry in meant}
        texts += [entry.text for entry in meant]
        homes += [(entry.path, entry.text) for entry in meant]
        if target.person:
            homes.append((f"users/{_person(target)}/", ""))
    every = tuple(dict.fromkeys(texts))
    return ForgettingSelection(tuple(found.values()), every, tuple(gone), tuple(dict.fromkeys(homes)), tuple(searches))


def _person(target: Target) -> str:
    return slug(target.person.removeprefix(PERSON))


def _meant(target: Target, rows: Iterable[MessageRow | SearchRow], clock: Clock) -> Iterator[str]:
    for one in rows:
        of_person = (
            bool(target.person) and bool(one.person) and slug(one.person.removeprefix(PERSON)) == _person(target)
        )
        of_session = bool(target.session) and one.session == target.session
        if of_person or of_session or _is_within(target, clock.day_of(datetime.fromisoformat(one.at))):
            yield one.id


def _is_meant(target: Target, entry: Entry, messages: set[str]) -> bool:
    if any(kind == "msg" and name in messages for kind, _, name in (one.partition(":") for one in entry.lineage)):
        return True
    if target.person:
        names = {one.removeprefix(PERSON) for one in (entry.who, entry.source) if one.startswith(PERSON)}
        if place(entry.path).person == _person(target) or _person(target) in {slug(name) for name in names}:
            return True
    return _is_within(target, entry.day)


def _is_within(target: Target, day: date | None) -> bool:
    if day is None or not (target.since or target.until):
        return False
    return (target.since or day) <= day <= (target.until or day)
