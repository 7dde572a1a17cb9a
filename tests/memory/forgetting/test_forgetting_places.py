"""The register of places that hold text is complete: a new file or column without a place fails here."""

from pathlib import Path

import pytest
from tests.trust.rows.s11 import Home, live

from everself.memory.forgetting._byte_search import place_of
from everself.storage.engine import Engine
from everself.storage.state.migrate import apply_migrations, load_migrations

# Outside the agent's own folders: the key and the settings, which hold no memory.
NO_MEMORY = frozenset({"integrity.key", ".everself.lock", "everself.json5"})

# Columns of state.db that forgetting reaches as texts (`store.scrub.COLUMNS`), or whose rows go.
REACHED = frozenset(
    {
        *("changes.reason", "changes.evidence", "messages.content", "messages.meta", "sessions.meta"),
        *("searches.query", "searches.notices", "searches.left_out", "search_hits.entry", "search_hits.path"),
        *("baselines.content", "proposals.content", "proposals.reason", "proposals.evidence"),
        *("jobs.words", "job_runs.detail", "reviews.payload", "reviews.evidence", "keeper_runs.notes"),
        *("entries.span", "entries.words", "entries.text_mac", "vouchers.text_mac"),
        *("entries.who", "entries.project"),
        # of its rows only the draft of the first conversation holds words
        "meta.value",
    }
)
# Ids, hashes, times, paths and names of kinds.
WITHOUT_WORDS = frozenset(
    {
        *("changes.id", "changes.at", "changes.author", "changes.undoes", "changes.paths", "changes.commit_id"),
        *(
            "ledger.seq",
            "ledger.change_id",
            "ledger.at",
            "ledger.author",
            "ledger.files",
            "ledger.previous",
            "ledger.mac",
        ),
        *("change_keys.key_mac", "change_keys.change_id", "meta.key"),
        *("documents.path", "documents.stamp", "documents.hash", "documents.read_at"),
        *("entries.id", "entries.path", "entries.ordinal", "entries.first_seen", "entries.gone_at"),
        *(f"entries.{name}" for name in ("day", "tier", "source", "closed", "aside", "vouched")),
        *("vouchers.entry_id", "vouchers.source", "vouchers.tag", "vouchers.lineage", "vouchers.at", "vouchers.mac"),
        *("tombstones.text_mac", "tombstones.entry_id", "tombstones.at"),
        *("sessions.id", "sessions.kind", "sessions.person", "sessions.channel", "sessions.started_at"),
        *("messages.id", "messages.session", "messages.seq", "messages.at", "messages.role", "messages.person"),
        *("forgettings.id", "forgettings.at", "forgettings.done_at", "forgettings.entries", "forgettings.texts"),
        *(
            "forgettings.messages",
            "forgettings.homes",
            "forgettings.searches",
            "forgotten_changes.change_id",
            "forgotten_changes.forgetting",
        ),
        *("rewritten_commits.old", "rewritten_commits.new", "rewritten_commits.forgetting"),
        *("searches.seq", "searches.id", "searches.at", "searches.session", "searches.session_kind"),
        *("searches.person", "searches.mode", "searches.provider", "searches.tokens"),
        *("search_hits.search", "search_hits.rank", "search_hits.first_line", "search_hits.last_line"),
        *("search_hits.score", "search_hits.parts"),
        *("baselines.path", "baselines.hash", "baselines.at"),
        *("baseline_seal.one", "baseline_seal.counter", "baseline_seal.mac"),
        *("proposals.id", "proposals.at", "proposals.author", "proposals.path", "proposals.base"),
        *("proposals.status", "proposals.decided_at", "proposals.change_id"),
        *("spend.id", "spend.at", "spend.day", "spend.job", "spend.session", "spend.model"),
        *("spend.sent", "spend.received", "spend.cached", "spend.stored", "spend.micros"),
        *("personas.session", "personas.turn", "personas.at", "personas.file", "personas.hash", "personas.why"),
        # a job's name is a name, as a session's is
        *("jobs.id", "jobs.name", "jobs.kind", "jobs.spec", "jobs.zone", "jobs.action", "jobs.options"),
        *("jobs.enabled", "jobs.failures", "jobs.created_at", "jobs.since"),
        *("job_runs.job", "job_runs.slot", "job_runs.state", "job_runs.holder", "job_runs.until"),
        *("job_runs.began_at", "job_runs.ended_at"),
        *("reviews.id", "reviews.at", "reviews.kind", "reviews.author", "reviews.about"),
        *("reviews.status", "reviews.decided_at", "reviews.change_id"),
        *("keeper_runs.id", "keeper_runs.keeper", "keeper_runs.at", "keeper_runs.seconds", "keeper_runs.upto"),
        *("keeper_runs.applied", "keeper_runs.queued", "keeper_runs.refused"),
        *("releases.text_mac", "releases.at"),
        # keyed hashes
        *("file_origins.seq", "file_origins.path", "file_origins.content", "file_origins.source", "file_origins.at"),
        *("schema_migrations.number", "schema_migrations.name"),
        *("schema_migrations.applied_at", "schema_migrations.sha256"),
    }
)


@pytest.mark.slow
def test_every_file_of_a_rich_life_belongs_to_a_place(tmp_path: Path) -> None:
    home = Home(tmp_path)
    live(home.workspace, home.app.state, home.memory)
    work, state = Path(home.app.agent.workspace), Path(home.app.agent.state)
    strays = []
    for path in tmp_path.rglob("*"):
        if not path.is_file():
            continue
        if path.is_relative_to(work):
            known = place_of("workspace", str(path.relative_to(work)))
        elif path.is_relative_to(state):
            known = place_of("state", str(path.relative_to(state)))
        else:
            # how often the baseline was sealed, and the head of the ledger: numbers
            known = path.name if path.name in NO_MEMORY or path.suffix == ".count" else ""
        if not known:
            strays.append(str(path.relative_to(tmp_path)))
    home.close()
    assert strays == []


def test_every_column_of_the_database_is_reached_or_holds_no_words(tmp_path: Path) -> None:
    with Engine.open(str(tmp_path / "state.db")) as engine:
        apply_migrations(engine, load_migrations("state"))
        found = {
            f"{table}.{column}"
            for (table,) in engine.read("SELECT name FROM sqlite_schema WHERE type = 'table'")
            for (column,) in engine.read("SELECT name FROM pragma_table_info(?)", (table,))
        }
    assert found == REACHED | WITHOUT_WORDS


def test_a_file_nobody_registered_has_no_place() -> None:
    assert place_of("state", "sessions/s1.jsonl") == "transcripts"
    assert place_of("state", "elsewhere/s1.jsonl") == ""
    assert place_of("state", "notes.txt") == ""
    assert place_of("workspace", "memory/2026-03-19.md") == "daily log"
