-- Why: entries in the files need what must not stand in the files: who vouches for their origin, which ids text without a
-- comment has, what was forgotten and must not come back. Messages come along now, so that forgetting reaches them from
-- the first day. Apart from messages no words are kept here, only keyed hashes of them.

-- Origin at birth. Whoever lacks the key cannot add a row that checks out.
CREATE TABLE vouchers (
    entry_id TEXT PRIMARY KEY NOT NULL,
    source   TEXT NOT NULL,
    tag      TEXT NOT NULL,
    lineage  TEXT NOT NULL CHECK (json_valid(lineage)),
    text_mac TEXT NOT NULL,
    at       TEXT NOT NULL,
    mac      TEXT NOT NULL
) STRICT;

-- A change that was asked for with a key happens once.
CREATE TABLE change_keys (
    key_mac   TEXT PRIMARY KEY NOT NULL,
    change_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What each document looked like when its entries were last read, so that only changed ones are read again.
CREATE TABLE documents (
    path     TEXT PRIMARY KEY NOT NULL,
    stamp    TEXT NOT NULL,              -- device, inode, size, mtime and ctime in ns
    hash     TEXT NOT NULL,
    read_at  INTEGER NOT NULL            -- ns; a file touched within the clock's grain of this is read again
) STRICT, WITHOUT ROWID;

-- The entries that were found, by their lasting id. A row whose text is gone keeps its id for when the text turns up again.
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

-- What was forgotten stays forgotten: neither an import nor a keeper may bring it back.
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
