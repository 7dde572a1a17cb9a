"""Forgetting in `state.db`: the record of unfinished work, rows to delete, texts to rewrite, and the freed pages.

A callback decides what a text becomes; this module does not compare words. SQLite overwrites what it deletes
(`secure_delete`); the write-ahead log and pages copied elsewhere in the file are handled here.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from everself.frozen import Frozen
from everself.storage.engine import Engine, Row, Writer
from everself.storage.state._queries import load_queries
from everself.storage.state.messages import StoredMessage

_SQL = load_queries("scrub")
_PAGE = 500
SEARCHES: Final = "searches"
SESSIONS: Final = "sessions"

# Every column that can contain user text: its name for people, whether it is JSON, and its two queries. A test compares
# it with the schema.
COLUMNS: Final[tuple[tuple[str, bool, str, str], ...]] = (
    ("change reasons", False, _SQL["reason_page"], _SQL["set_reason"]),
    ("change evidence", True, _SQL["evidence_page"], _SQL["set_evidence"]),
    ("messages", False, _SQL["content_page"], _SQL["set_content"]),
    ("messages", True, _SQL["message_meta_page"], _SQL["set_message_meta"]),
    (SESSIONS, True, _SQL["session_meta_page"], _SQL["set_session_meta"]),
    (SEARCHES, False, _SQL["query_page"], _SQL["set_query"]),
    (SEARCHES, True, _SQL["notices_page"], _SQL["set_notices"]),
    (SEARCHES, True, _SQL["left_out_page"], _SQL["set_left_out"]),
    ("baselines", False, _SQL["baseline_page"], _SQL["set_baseline"]),
    ("proposals", False, _SQL["proposal_page"], _SQL["set_proposal"]),
    ("proposals", False, _SQL["proposal_reason_page"], _SQL["set_proposal_reason"]),
    ("proposals", True, _SQL["proposal_evidence_page"], _SQL["set_proposal_evidence"]),
    ("jobs", False, _SQL["job_words_page"], _SQL["set_job_words"]),
    ("jobs", False, _SQL["job_detail_page"], _SQL["set_job_detail"]),
    ("reviews", True, _SQL["review_page"], _SQL["set_review"]),
    ("reviews", True, _SQL["review_evidence_page"], _SQL["set_review_evidence"]),
    ("first conversation", True, _SQL["draft_page"], _SQL["set_draft"]),
    ("keeper runs", True, _SQL["run_notes_page"], _SQL["set_run_notes"]),
)

# Returns the new text, or None if the text stays.
Clean = Callable[[str], str | None]


class Task(Frozen):
    """A forgetting in progress: ids and keyed hashes, no words. `homes`: documents with the texts to forget only there;
    a folder (ending in /) without a text is forgotten as a whole.
    """

    id: str
    at: str
    entries: tuple[str, ...]
    texts: tuple[str, ...]
    messages: tuple[str, ...] = ()
    homes: tuple[tuple[str, str], ...] = ()
    searches: tuple[str, ...] = ()


class SearchRow(Frozen):
    """The columns of a search that decide whether it is to be forgotten."""

    id: str
    session: str
    at: str
    person: str


class Scrub:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self, task: Task, graves: Sequence[tuple[str, str]]) -> None:
        """Write the tombstones (keyed text hash, entry id) and the record of the pending work in one transaction."""

        def work(writer: Writer) -> None:
            for text_mac, identity in graves:
                writer.run(_SQL["bury"], (text_mac, identity, task.at))
            lists = (task.entries, task.texts, task.messages, task.homes, task.searches)
            writer.run(_SQL["begin"], (task.id, task.at, *(json.dumps(one) for one in lists)))
            writer.run(_SQL["advance"])

        self._engine.write(work)

    def generation(self) -> int:
        """A number that grows whenever any process forgets something: data read under a smaller number may be forgotten."""
        found = self._engine.read(_SQL["generation"])
        return int(found[0][0]) if found else 0

    def advance(self) -> None:
        """Increase the generation, so that readers reload what they read before."""
        self._engine.write(lambda writer: writer.run(_SQL["advance"]))

    def unfinished(self) -> list[Task]:
        """Forgettings that a dead process left unfinished, oldest first."""
        found = []
        for identity, at, *lists in self._engine.read(_SQL["unfinished"]):
            entries, texts, messages, homes, searches = (tuple(json.loads(one)) for one in lists)
            pairs = tuple((path, text) for path, text in homes)
            found.append(Task(identity, at, entries, texts, messages, pairs, searches))
        return found

    def finish(self, task: str, at: str) -> None:
        def work(writer: Writer) -> None:
            writer.run(_SQL["finish"], (task, at))
            writer.run(_SQL["advance"])

        self._engine.write(work)

    def messages(self) -> Iterator[StoredMessage]:
        for _, *columns in self._pages(_SQL["message_page"]):
            yield StoredMessage(*columns)

    def searches(self) -> Iterator[SearchRow]:
        for _, *columns in self._pages(_SQL["search_page"]):
            yield SearchRow(*columns)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield every stored text with the name of its column group."""
        for name, is_json, page, _ in COLUMNS:
            for _, text in self._pages(page):
                yield from ((name, part) for part in (strings_of(json.loads(text)) if is_json else (text,)))

    def rewrite(self, clean: Clean) -> dict[str, int]:
        """Rewrite the texts for which `clean` returns a new one. Returns how many were changed, by column group."""
        done: dict[str, int] = {}
        for name, is_json, page, put in COLUMNS:
            found = []
            for rowid, text in self._pages(page):
                new = _clean_json(text, clean) if is_json else clean(text)
                if new is not None:
                    found.append((rowid, text, new))
            if found:
                done[name] = done.get(name, 0) + self._put(put, found)
            if found and name == SESSIONS:
                self._drop_digests([rowid for rowid, *_ in found])
        return done

    def drop_messages(self, messages: Sequence[str]) -> int:
        """Delete messages, and the sessions that are empty afterwards."""
        names = json.dumps(list(messages))

        def work(writer: Writer) -> int:
            sessions = [row[0] for row in writer.rows(_SQL["sessions_of"], (names,))]
            count = writer.run(_SQL["drop_messages"], (names,))
            writer.run(_SQL["drop_empty_sessions"], (json.dumps(sessions),))
            return count

        return self._engine.write(work) if messages else 0

    def drop_rows(self, entries: Sequence[str], texts: Sequence[str]) -> int:
        """Delete provenance records and entry rows, by id and by the keyed hash of their text."""
        asked = (json.dumps(list(entries)), json.dumps(list(texts)))
        return self._engine.write(
            lambda writer: writer.run(_SQL["drop_vouchers"], asked) + writer.run(_SQL["drop_entries"], asked)
        )

    def entries_with(self, texts: Sequence[str]) -> list[str]:
        """Ids of entries, by the keyed hash of their text."""
        return [str(row[0]) for row in self._engine.read(_SQL["entries_with"], (json.dumps(list(texts)),))]

    def drop_searches(self, searches: Sequence[str]) -> int:
        """Delete searches with their hits."""
        names = json.dumps(list(searches))
        return self._engine.write(lambda writer: writer.run(_SQL["drop_searches"], (names,))) if searches else 0

    def searches_naming(self, entries: Iterable[str], folders: Sequence[str]) -> int:
        """The number of searches that found one of these entries, or anything beneath one of these folders."""
        return len(self._engine.read(_SQL["searches_naming"], (json.dumps(list(entries)), json.dumps(list(folders)))))

    def blank_searches(self, entries: Iterable[str], folders: Sequence[str], instead: str) -> int:
        """Blank the queries of searches that found the entries, and delete those hits; other hits stay.

        A query may name the forgotten text in other words. Returns how many searches were blanked.
        """
        names = frozenset(entries)
        beneath = tuple(folders)
        asked = (json.dumps(list(names)), json.dumps(beneath))

        def work(writer: Writer) -> int:
            found = writer.rows(_SQL["searches_naming"], asked)
            for seq, left_out in found:
                kept = [one for one in json.loads(left_out) if one[0] not in names and not one[1].startswith(beneath)]
                writer.run(_SQL["drop_hits"], (seq, *asked))
                writer.run(_SQL["blank_search"], (seq, instead, json.dumps(kept, ensure_ascii=False)))
            return len(found)

        return self._engine.write(work)

    def note_rewriting(self, task: str, commits: Mapping[str, str], forgotten: Sequence[str], change: str = "") -> None:
        """Store which commit became which, and which changes can no longer be undone: those of the `forgotten` old commits."""

        def work(writer: Writer) -> None:
            if change:
                writer.run(_SQL["note_change"], (change, task))
            for commit in forgotten:
                writer.run(_SQL["note_changes_of"], (commit, task))
            for old, new in commits.items():
                writer.run(_SQL["note_commit"], (old, new, task))
                writer.run(_SQL["move_commit"], (old, new))

        self._engine.write(work)

    def settle(self) -> bool:
        """Empty the write-ahead log; false if another connection still needs it."""
        return self._engine.checkpoint()

    def compact(self) -> bool:
        """Rewrite the whole database, so that no page keeps old row data."""
        self._engine.compact()
        return self._engine.checkpoint()

    def raw(self) -> Iterator[tuple[str, bytes]]:
        """The bytes of the database file and its write-ahead log, by name."""
        return self._engine.raw()

    def _drop_digests(self, sessions: Sequence[int]) -> None:
        """Remove the digest of earlier messages from sessions whose text changed: it was computed from the forgotten words."""
        self._engine.write(lambda writer: writer.run(_SQL["drop_digests"], (json.dumps(sessions),)))

    def _put(self, query: str, rows: Sequence[tuple[int, str, str]]) -> int:
        return self._engine.write(lambda writer: sum(writer.run(query, row) for row in rows))

    def _pages(self, query: str) -> Iterator[Row]:
        start = 0
        while page := self._engine.read(query, (start, _PAGE)):
            yield from page
            start = page[-1][0]


def _clean_json(text: str, clean: Clean) -> str | None:
    value = json.loads(text)
    made = map_strings(value, clean)
    return None if made == value else json.dumps(made, ensure_ascii=False, separators=(",", ":"))


def map_strings(value: object, clean: Clean) -> object:
    """A JSON value with its strings cleaned; keys are not strings."""
    match value:
        case str():
            made = clean(value)
            return value if made is None else made
        case list():
            return [map_strings(one, clean) for one in value]
        case dict():
            return {key: map_strings(one, clean) for key, one in value.items()}
    return value


def strings_of(value: object) -> Iterator[str]:
    """Yield every string within a JSON value; keys are not strings."""
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from strings_of(one)
        case dict():
            for one in value.values():
                yield from strings_of(one)
