-- The record of applied migrations. Not a migration itself, because the first one already needs it.

-- name: create_record_table
CREATE TABLE IF NOT EXISTS schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL,
    sha256     TEXT NOT NULL
) STRICT;

-- name: has_record_table
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations';

-- name: has_any_table
SELECT 1 FROM sqlite_schema LIMIT 1;

-- name: records
SELECT number, name, sha256 FROM schema_migrations ORDER BY number;

-- name: record
INSERT INTO schema_migrations (number, name, applied_at, sha256) VALUES (?, ?, ?, ?);
