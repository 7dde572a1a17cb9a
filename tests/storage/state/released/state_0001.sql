CREATE TABLE schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL,
    sha256     TEXT NOT NULL
) STRICT;
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
CREATE INDEX changes_without_commit ON changes (id) WHERE commit_id IS NULL;
CREATE TABLE ledger (
    seq       INTEGER PRIMARY KEY,       -- 1, 2, 3, … without a gap
    change_id TEXT NOT NULL UNIQUE,
    at        TEXT NOT NULL,
    author    TEXT NOT NULL,
    files     TEXT NOT NULL CHECK (json_valid(files)),  -- [[path, keyed hash before, keyed hash after], …]
    previous  TEXT NOT NULL,             -- mac of the row before
    mac       TEXT NOT NULL UNIQUE
) STRICT;
CREATE TRIGGER ledger_is_never_updated BEFORE UPDATE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
INSERT INTO schema_migrations VALUES (1, 'changes_and_ledger', '2026-01-01T00:00:00+00:00', '422211d367edc224ea1fc7d73c4072cbb5d0fb8c9164b31953bb208fc58ddc61');
INSERT INTO meta VALUES ('agent', 'main');
INSERT INTO changes VALUES ('01HEALTHYONE', '2026-01-02T23:59:59+09:00', 'owner', 'first', '[]', '', '["SOUL.md"]', 'c0ffee');
INSERT INTO changes VALUES ('02SECONDCHNG', '2026-01-03T00:00:01+09:00', 'keeper', '둘째', '["e1","e2"]', '01HEALTHYONE', '["MEMORY.md","memory/2026-01-03.md"]', NULL);
INSERT INTO ledger VALUES (1, '01HEALTHYONE', '2026-01-02T23:59:59+09:00', 'owner', '[["SOUL.md",null,"aa"]]', '00', 'm1');
INSERT INTO ledger VALUES (2, '02SECONDCHNG', '2026-01-03T00:00:01+09:00', 'keeper', '[["MEMORY.md","bb","cc"],["memory/2026-01-03.md",null,"dd"]]', 'm1', 'm2');
