-- Why: a change to the workspace is acknowledged once it is recorded here. `changes` is what a person reads in the log
-- and may be rewritten when something is forgotten; `ledger` is the evidence that nothing was slipped in, and only grows.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE changes (
    id        TEXT PRIMARY KEY NOT NULL,
    at        TEXT NOT NULL,             -- ISO 8601 with the offset of the human's day
    author    TEXT NOT NULL,
    reason    TEXT NOT NULL,
    evidence  TEXT NOT NULL CHECK (json_valid(evidence)),
    undoes    TEXT NOT NULL,             -- '' when it undoes nothing
    paths     TEXT NOT NULL CHECK (json_valid(paths)),
    commit_id TEXT                       -- NULL until the history has it
) STRICT;

-- History is written after the acknowledgement, so what is still due is asked for at every start.
CREATE INDEX changes_without_commit ON changes (id) WHERE commit_id IS NULL;

-- No foreign key to `changes`: forgetting may remove that row, and this chain stays whole.
CREATE TABLE ledger (
    seq       INTEGER PRIMARY KEY,       -- 1, 2, 3, … without a gap
    change_id TEXT NOT NULL UNIQUE,
    at        TEXT NOT NULL,
    author    TEXT NOT NULL,
    files     TEXT NOT NULL CHECK (json_valid(files)),  -- [[path, keyed hash before, keyed hash after], …]
    previous  TEXT NOT NULL,             -- mac of the row before
    mac       TEXT NOT NULL UNIQUE
) STRICT;

-- A guard against our own mistakes; against a stranger with the file in hand there is the chain.
CREATE TRIGGER ledger_is_never_updated BEFORE UPDATE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;

CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
