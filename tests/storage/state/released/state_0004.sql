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
CREATE TABLE vouchers (
    entry_id TEXT PRIMARY KEY NOT NULL,
    source   TEXT NOT NULL,
    tag      TEXT NOT NULL,
    lineage  TEXT NOT NULL CHECK (json_valid(lineage)),
    text_mac TEXT NOT NULL,
    at       TEXT NOT NULL,
    mac      TEXT NOT NULL
) STRICT;
CREATE TABLE change_keys (
    key_mac   TEXT PRIMARY KEY NOT NULL,
    change_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE documents (
    path     TEXT PRIMARY KEY NOT NULL,
    stamp    TEXT NOT NULL,              -- device, inode, size, mtime and ctime in ns
    hash     TEXT NOT NULL,
    read_at  INTEGER NOT NULL            -- ns; a file touched within the clock's grain of this is read again
) STRICT, WITHOUT ROWID;
CREATE TABLE entries (
    id         TEXT PRIMARY KEY NOT NULL,
    path       TEXT,                     -- NULL: not in any document at the moment
    ordinal    INTEGER NOT NULL,
    span       TEXT NOT NULL,            -- offsets, lines, kind, heading, comment: what reading the document again would tell
    text_mac   TEXT NOT NULL,
    words      BLOB NOT NULL,            -- keyed sketch of its words: how alike two texts are, without the texts
    first_seen TEXT NOT NULL,            -- the day it was first read
    gone_at    TEXT
) STRICT;
CREATE INDEX entries_by_path ON entries (path, ordinal);
CREATE INDEX entries_by_text ON entries (text_mac);
CREATE TABLE tombstones (
    text_mac TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (text_mac, entry_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY NOT NULL,
    kind       TEXT NOT NULL,
    person     TEXT NOT NULL,
    channel    TEXT NOT NULL,
    started_at TEXT NOT NULL,
    meta       TEXT NOT NULL CHECK (json_valid(meta))
) STRICT;
CREATE TABLE messages (
    id      TEXT PRIMARY KEY NOT NULL,
    session TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    at      TEXT NOT NULL,
    role    TEXT NOT NULL,
    person  TEXT NOT NULL,               -- who said it; '' for the owner
    content TEXT NOT NULL,
    meta    TEXT NOT NULL CHECK (json_valid(meta)),
    UNIQUE (session, seq)
) STRICT;
CREATE INDEX messages_by_time ON messages (at);
CREATE TABLE forgettings (
    id       TEXT PRIMARY KEY NOT NULL,
    at       TEXT NOT NULL,
    done_at  TEXT,                                           -- NULL: begun, and to be gone on with
    entries  TEXT NOT NULL CHECK (json_valid(entries)),      -- ids
    texts    TEXT NOT NULL CHECK (json_valid(texts)),        -- keyed hashes of the folded words
    messages TEXT NOT NULL CHECK (json_valid(messages)),     -- ids of messages that go as a whole
    homes    TEXT NOT NULL CHECK (json_valid(homes))         -- [[document, keyed hash that is meant only there] or [folder/, ""], …]
, searches TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(searches))) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_changes (
    change_id  TEXT PRIMARY KEY NOT NULL,
    forgetting TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE rewritten_commits (
    old        TEXT PRIMARY KEY NOT NULL,
    new        TEXT NOT NULL,
    forgetting TEXT NOT NULL
) STRICT, WITHOUT ROWID;
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
INSERT INTO schema_migrations VALUES (1, 'changes_and_ledger', '2026-01-01T00:00:00+00:00', '422211d367edc224ea1fc7d73c4072cbb5d0fb8c9164b31953bb208fc58ddc61');
INSERT INTO schema_migrations VALUES (2, 'entries_and_messages', '2026-01-01T00:00:00+00:00', '36fdf85731ab6c8f232113499c876ac1d95604f55ce1014ad59874eb90a7c249');
INSERT INTO schema_migrations VALUES (3, 'forgetting', '2026-01-01T00:00:00+00:00', 'b60f681ceea51201a4b60866609543a9ecdd069d0fcaf613bc3140c6de29949c');
INSERT INTO schema_migrations VALUES (4, 'searches', '2026-01-01T00:00:00+00:00', '20f315dd478841200899984e3619beb10dc487324b428d8490fee8d09ce5f426');
INSERT INTO meta VALUES ('agent', 'main');
INSERT INTO changes VALUES ('01HEALTHYONE', '2026-01-02T23:59:59+09:00', 'owner', 'first', '[]', '', '["SOUL.md"]', 'c0ffee');
INSERT INTO changes VALUES ('02SECONDCHNG', '2026-01-03T00:00:01+09:00', 'keeper', '둘째', '["e1","e2"]', '01HEALTHYONE', '["MEMORY.md","memory/2026-01-03.md"]', NULL);
INSERT INTO ledger VALUES (1, '01HEALTHYONE', '2026-01-02T23:59:59+09:00', 'owner', '[["SOUL.md",null,"aa"]]', '00', 'm1');
INSERT INTO ledger VALUES (2, '02SECONDCHNG', '2026-01-03T00:00:01+09:00', 'keeper', '[["MEMORY.md","bb","cc"],["memory/2026-01-03.md",null,"dd"]]', 'm1', 'm2');
INSERT INTO vouchers VALUES ('7K3QX9M2ABCD', 'owner', 'decision', '["msg:1"]', 'aa', '2026-01-02T23:59:59+09:00', 'm3');
INSERT INTO change_keys VALUES ('bb', '01HEALTHYONE');
INSERT INTO documents VALUES ('MEMORY.md', '1 2 3 4 5', 'cc', 6);
INSERT INTO entries VALUES ('7K3QX9M2ABCD', 'MEMORY.md', 0, '{}', 'aa', X'0102', '2026-01-02', NULL);
INSERT INTO tombstones VALUES ('dd', '7K3QX9M2ABCE', '2026-01-02T23:59:59+09:00');
INSERT INTO sessions VALUES ('s1', 'main', '', 'cli', '2026-01-02T23:59:59+09:00', '{}');
INSERT INTO messages VALUES ('m1', 's1', 1, '2026-01-02T23:59:59+09:00', 'user', '', '안녕', '{}');
INSERT INTO forgettings VALUES ('5F0RG0TT3N00', '2026-01-04T08:00:00+09:00', NULL, '["7K3QX9M2ABCE"]', '["dd"]', '["m2"]', '[["users/max/",""]]', '[]');
INSERT INTO forgettings VALUES ('6F0RG0TT3N00', '2026-01-05T08:00:00+09:00', NULL, '[]', '[]', '[]', '[]', '["8S3ARCH00000"]');
INSERT INTO forgotten_changes VALUES ('02SECONDCHNG', '5F0RG0TT3N00');
INSERT INTO rewritten_commits VALUES ('c0ffee', 'decade', '5F0RG0TT3N00');
INSERT INTO searches VALUES (1, '9S3ARCH00000', '2026-01-05T09:00:00+09:00', 's1', 'main', '', 'default', '차', 'local', 41, '["words only"]', '[["7K3QX9M2ABCD","MEMORY.md","too long"]]');
INSERT INTO search_hits VALUES (1, 1, '7K3QX9M2ABCD', 'MEMORY.md', 3, 3, 0.5, '{"text":0.5}');
