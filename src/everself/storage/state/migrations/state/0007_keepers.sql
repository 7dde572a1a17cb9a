-- Why: keepers work while nobody looks. What they wait for a human to say, when they ran and what came of it, and which slot of which
-- job was taken by whom: all of it has to outlive the process that did it, and two processes must not do the same work twice.

CREATE TABLE jobs (
    id         TEXT PRIMARY KEY NOT NULL,
    name       TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,            -- cron, at, every
    spec       TEXT NOT NULL,            -- five fields, a moment, or a duration
    zone       TEXT NOT NULL,            -- IANA name; '' is the user's
    action     TEXT NOT NULL,            -- message or verb
    words      TEXT NOT NULL,            -- what is said to the agent, or the verb with its arguments
    options    TEXT NOT NULL CHECK (json_valid(options)),
    enabled    INTEGER NOT NULL,
    failures   INTEGER NOT NULL,         -- in a row; too many disable it
    created_at TEXT NOT NULL,
    since      TEXT NOT NULL             -- UTC; slots up to this moment are settled
) STRICT;

-- One row for each slot that was taken or passed over, so that no slot is taken twice.
CREATE TABLE job_runs (
    job      TEXT NOT NULL,
    slot     TEXT NOT NULL,              -- UTC
    state    TEXT NOT NULL,              -- running, done, failed, skipped
    holder   TEXT NOT NULL,
    until    TEXT NOT NULL,              -- UTC; a holder that is silent for longer is dead
    began_at TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    detail   TEXT NOT NULL,
    PRIMARY KEY (job, slot)
) STRICT;
-- asked for at every start of a chat, among the rows of years
CREATE INDEX job_runs_under_way ON job_runs (slot) WHERE state = 'running';

-- What waits for a human, beside proposals for documents.
CREATE TABLE reviews (
    id         TEXT PRIMARY KEY NOT NULL,
    at         TEXT NOT NULL,
    kind       TEXT NOT NULL,            -- conflict, promotion, stale, question …
    author     TEXT NOT NULL,
    about      TEXT NOT NULL,            -- what it is about, once: the same question is not asked twice
    payload    TEXT NOT NULL CHECK (json_valid(payload)),
    evidence   TEXT NOT NULL CHECK (json_valid(evidence)),
    status     TEXT NOT NULL,            -- waiting, accepted, edited, refused, expired
    decided_at TEXT NOT NULL,
    change_id  TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX reviews_about ON reviews (kind, about);

CREATE TABLE keeper_runs (
    id       TEXT PRIMARY KEY NOT NULL,
    keeper   TEXT NOT NULL,
    at       TEXT NOT NULL,
    seconds  REAL NOT NULL,
    applied  INTEGER NOT NULL,
    queued   INTEGER NOT NULL,
    refused  INTEGER NOT NULL,
    upto     TEXT NOT NULL,              -- how far it read, in its own words: a message's number, a day
    notes    TEXT NOT NULL CHECK (json_valid(notes))
) STRICT;
CREATE INDEX keeper_runs_by_time ON keeper_runs (keeper, at);

-- Quarantined words that the owner let go: keyed hashes, so that the same words are not kept apart again.
CREATE TABLE releases (
    text_mac TEXT PRIMARY KEY NOT NULL,
    at       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
