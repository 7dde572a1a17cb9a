-- Why: forgetting has many steps, and a crash may come between any two of them. What was begun is kept until it is finished,
-- as ids and keyed hashes, so that the note of what to forget is not itself a memory of it.

CREATE TABLE forgettings (
    id       TEXT PRIMARY KEY NOT NULL,
    at       TEXT NOT NULL,
    done_at  TEXT,                                           -- NULL: begun, and to be gone on with
    entries  TEXT NOT NULL CHECK (json_valid(entries)),      -- ids
    texts    TEXT NOT NULL CHECK (json_valid(texts)),        -- keyed hashes of the folded words
    messages TEXT NOT NULL CHECK (json_valid(messages)),     -- ids of messages that go as a whole
    homes    TEXT NOT NULL CHECK (json_valid(homes))         -- [[document, keyed hash that is meant only there] or [folder/, ""], …]
) STRICT, WITHOUT ROWID;

-- Changes that were a forgetting, or of which something was forgotten: they cannot be undone any more.
CREATE TABLE forgotten_changes (
    change_id  TEXT PRIMARY KEY NOT NULL,
    forgetting TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Forgetting is the only thing that rewrites history, and it says which commit became which.
CREATE TABLE rewritten_commits (
    old        TEXT PRIMARY KEY NOT NULL,
    new        TEXT NOT NULL,
    forgetting TEXT NOT NULL
) STRICT, WITHOUT ROWID;
