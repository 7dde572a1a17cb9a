-- Why: what was searched for and what was found is evidence: it answers "why do you know that", and an entry that is found
-- again and again is worth promoting. It lives here and not in the index, which is thrown away at will.

CREATE TABLE searches (
    seq          INTEGER PRIMARY KEY,    -- the order in which they were recorded
    id           TEXT NOT NULL UNIQUE,
    at           TEXT NOT NULL,          -- ISO 8601 with the offset of the human's day
    session      TEXT NOT NULL,
    session_kind TEXT NOT NULL,
    person       TEXT NOT NULL,          -- who asked; '' for the owner
    mode         TEXT NOT NULL,
    query        TEXT NOT NULL,
    provider     TEXT NOT NULL,
    tokens       INTEGER NOT NULL,       -- what the answer cost
    notices      TEXT NOT NULL CHECK (json_valid(notices)),
    left_out     TEXT NOT NULL CHECK (json_valid(left_out))   -- [[entry, path, reason], …]
) STRICT;
CREATE INDEX searches_by_session ON searches (session);

CREATE TABLE search_hits (
    search     INTEGER NOT NULL REFERENCES searches (seq) ON DELETE CASCADE,
    rank       INTEGER NOT NULL,         -- 1 is the best
    entry      TEXT NOT NULL,            -- '' where a document of somebody else's was found
    path       TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL,
    score      REAL NOT NULL,
    parts      TEXT NOT NULL CHECK (json_valid(parts)),       -- {name of a part of the score: its number, …}
    PRIMARY KEY (search, rank)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_hits_by_entry ON search_hits (entry);

-- Searches that go as a whole when a day, a person or a session is forgotten.
ALTER TABLE forgettings ADD COLUMN searches TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(searches));  -- ids
