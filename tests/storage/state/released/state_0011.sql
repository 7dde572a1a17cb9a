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
, day     TEXT NOT NULL DEFAULT '', tier    TEXT NOT NULL DEFAULT '', source  TEXT NOT NULL DEFAULT '', who     TEXT NOT NULL DEFAULT '', project TEXT NOT NULL DEFAULT '', closed  INTEGER NOT NULL DEFAULT 0, aside   INTEGER NOT NULL DEFAULT 0, vouched INTEGER NOT NULL DEFAULT 0) STRICT;
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
CREATE TABLE baselines (
    path    TEXT NOT NULL UNIQUE,
    hash    TEXT NOT NULL,               -- of the bytes that were accepted; '' where the document was missing
    content TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT;
CREATE TABLE baseline_seal (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    counter INTEGER NOT NULL,
    mac     TEXT NOT NULL
) STRICT;
CREATE TABLE proposals (
    id         TEXT NOT NULL UNIQUE,
    at         TEXT NOT NULL,
    author     TEXT NOT NULL,
    path       TEXT NOT NULL,
    base       TEXT NOT NULL,            -- hash of the document it was made for; '' for one that was missing
    content    TEXT NOT NULL,            -- the whole document as it would be
    reason     TEXT NOT NULL,
    evidence   TEXT NOT NULL CHECK (json_valid(evidence)),
    status     TEXT NOT NULL CHECK (status IN ('open', 'approved', 'refused', 'outdated')),
    decided_at TEXT NOT NULL,            -- '' while open
    change_id  TEXT NOT NULL             -- of the change that came of it
) STRICT;
CREATE INDEX proposals_by_status ON proposals (status);
CREATE TABLE personas (
    session TEXT NOT NULL,
    turn    INTEGER NOT NULL,
    at      TEXT NOT NULL,
    file    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    why     TEXT NOT NULL,               -- soul, purge, chance or session: one word
    PRIMARY KEY (session, turn)
) STRICT, WITHOUT ROWID;
CREATE TABLE spend (
    id       TEXT PRIMARY KEY NOT NULL,
    at       TEXT NOT NULL,               -- ISO 8601 with the offset of the human's day
    day      TEXT NOT NULL,               -- the human day
    job      TEXT NOT NULL,               -- chat, flush, summary, a keeper's name …
    session  TEXT NOT NULL,
    model    TEXT NOT NULL,
    sent     INTEGER NOT NULL,
    received INTEGER NOT NULL,
    cached   INTEGER NOT NULL,
    stored   INTEGER NOT NULL,
    micros   INTEGER                      -- millionths of a dollar; NULL where the price is unknown
) STRICT;
CREATE INDEX spend_by_day ON spend (day, job);
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
CREATE INDEX job_runs_under_way ON job_runs (slot) WHERE state = 'running';
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
CREATE TABLE releases (
    text_mac TEXT PRIMARY KEY NOT NULL,
    at       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE file_origins (
    seq     INTEGER PRIMARY KEY,
    path    TEXT NOT NULL,               -- keyed hash of the name, which may be words of somebody
    content TEXT NOT NULL,               -- keyed hash of the bytes
    source  TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT;
CREATE INDEX file_origins_by_content ON file_origins (content);
CREATE INDEX file_origins_by_path ON file_origins (path);
CREATE INDEX entries_by_day ON entries (day, path, ordinal) WHERE path IS NOT NULL;
CREATE INDEX entries_by_tier ON entries (tier, day, path, ordinal) WHERE path IS NOT NULL;
CREATE INDEX entries_unvouched ON entries (day, path, ordinal) WHERE path IS NOT NULL AND vouched = 0 AND closed = 0 AND aside = 0;
CREATE INDEX entries_apart ON entries (path, ordinal) WHERE path IS NOT NULL AND aside = 2 AND closed = 0;
CREATE INDEX searches_by_time ON searches (at);
CREATE INDEX reviews_waiting ON reviews (status) WHERE status = 'waiting';
CREATE INDEX entries_derived ON entries (path, ordinal) WHERE path IS NOT NULL AND instr(span, 'entry:') > 0;
CREATE INDEX vouchers_derived ON vouchers (entry_id) WHERE instr(lineage, 'entry:') > 0;
CREATE INDEX entries_by_who ON entries (who, day, path, ordinal) WHERE path IS NOT NULL AND who <> '';
CREATE INDEX vouchers_of_people ON vouchers (source, entry_id) WHERE instr(source, 'person:') = 1;
CREATE INDEX entries_closed ON entries (id) WHERE path IS NOT NULL AND closed = 1;
INSERT INTO schema_migrations VALUES (1, 'changes_and_ledger', '2026-01-01T00:00:00+00:00', '422211d367edc224ea1fc7d73c4072cbb5d0fb8c9164b31953bb208fc58ddc61');
INSERT INTO schema_migrations VALUES (2, 'entries_and_messages', '2026-01-01T00:00:00+00:00', '36fdf85731ab6c8f232113499c876ac1d95604f55ce1014ad59874eb90a7c249');
INSERT INTO schema_migrations VALUES (3, 'forgetting', '2026-01-01T00:00:00+00:00', 'b60f681ceea51201a4b60866609543a9ecdd069d0fcaf613bc3140c6de29949c');
INSERT INTO schema_migrations VALUES (4, 'searches', '2026-01-01T00:00:00+00:00', '20f315dd478841200899984e3619beb10dc487324b428d8490fee8d09ce5f426');
INSERT INTO schema_migrations VALUES (5, 'identity', '2026-01-01T00:00:00+00:00', '716b1c51c0261d582502bf8967cbb549bd06cd23bd36071e54036430e0a94b92');
INSERT INTO schema_migrations VALUES (6, 'conversation', '2026-01-01T00:00:00+00:00', '15ba9488905c9dad65503ba55da23e41548f2df51a4ead38c76814d9ca4e87e4');
INSERT INTO schema_migrations VALUES (7, 'keepers', '2026-01-01T00:00:00+00:00', '1f548a4381c5eab265312ecc4f9c0148ce793566e215988b92b1c18bb9cb75fd');
INSERT INTO schema_migrations VALUES (8, 'file_origins', '2026-01-01T00:00:00+00:00', '00fad372da61839b830afc58d2617b8eb7d8c6cd91c8310bf6ce7e90f57f1a9a');
INSERT INTO schema_migrations VALUES (9, 'lists_that_page', '2026-01-01T00:00:00+00:00', 'd0b3d1179d74870141c38dd2d7d4d890f2426ed50c260c6ae5c6d86fce30a54f');
INSERT INTO schema_migrations VALUES (10, 'what_rests_on_an_entry', '2026-01-01T00:00:00+00:00', '1b1c3adf124b6f512e15d27ce366eb663745f94180a84db4784f3d99395e9151');
INSERT INTO schema_migrations VALUES (11, 'who_an_entry_is_about', '2026-01-01T00:00:00+00:00', '705d95f845814357b15439686fb1726c6fdbc9ec4b27fd04029a7badfbcefd7f');
INSERT INTO meta VALUES ('agent', 'main');
INSERT INTO changes VALUES ('01HEALTHYONE', '2026-01-02T23:59:59+09:00', 'owner', 'first', '[]', '', '["SOUL.md"]', 'c0ffee');
INSERT INTO changes VALUES ('02SECONDCHNG', '2026-01-03T00:00:01+09:00', 'keeper', '둘째', '["e1","e2"]', '01HEALTHYONE', '["MEMORY.md","memory/2026-01-03.md"]', NULL);
INSERT INTO ledger VALUES (1, '01HEALTHYONE', '2026-01-02T23:59:59+09:00', 'owner', '[["SOUL.md",null,"aa"]]', '00', 'm1');
INSERT INTO ledger VALUES (2, '02SECONDCHNG', '2026-01-03T00:00:01+09:00', 'keeper', '[["MEMORY.md","bb","cc"],["memory/2026-01-03.md",null,"dd"]]', 'm1', 'm2');
INSERT INTO vouchers VALUES ('7K3QX9M2ABCD', 'owner', 'decision', '["msg:1"]', 'aa', '2026-01-02T23:59:59+09:00', 'm3');
INSERT INTO change_keys VALUES ('bb', '01HEALTHYONE');
INSERT INTO documents VALUES ('MEMORY.md', '1 2 3 4 5', 'cc', 6);
INSERT INTO entries VALUES ('7K3QX9M2ABCD', 'MEMORY.md', 0, '{}', 'aa', X'0102', '2026-01-02', NULL, '2026-01-02', 'T1', 'hand', '', '', 0, 0, 1);
INSERT INTO tombstones VALUES ('dd', '7K3QX9M2ABCE', '2026-01-02T23:59:59+09:00');
INSERT INTO sessions VALUES ('s1', 'main', '', 'cli', '2026-01-02T23:59:59+09:00', '{}');
INSERT INTO messages VALUES ('m1', 's1', 1, '2026-01-02T23:59:59+09:00', 'user', '', '안녕', '{}');
INSERT INTO forgettings VALUES ('5F0RG0TT3N00', '2026-01-04T08:00:00+09:00', NULL, '["7K3QX9M2ABCE"]', '["dd"]', '["m2"]', '[["users/max/",""]]', '[]');
INSERT INTO forgettings VALUES ('6F0RG0TT3N00', '2026-01-05T08:00:00+09:00', NULL, '[]', '[]', '[]', '[]', '["8S3ARCH00000"]');
INSERT INTO forgotten_changes VALUES ('02SECONDCHNG', '5F0RG0TT3N00');
INSERT INTO rewritten_commits VALUES ('c0ffee', 'decade', '5F0RG0TT3N00');
INSERT INTO searches VALUES (1, '9S3ARCH00000', '2026-01-05T09:00:00+09:00', 's1', 'main', '', 'default', '차', 'local', 41, '["words only"]', '[["7K3QX9M2ABCD","MEMORY.md","too long"]]');
INSERT INTO search_hits VALUES (1, 1, '7K3QX9M2ABCD', 'MEMORY.md', 3, 3, 0.5, '{"text":0.5}');
INSERT INTO baselines VALUES ('SOUL.md', 'ee', '# 혼', '2026-01-06T08:00:00+09:00');
INSERT INTO baseline_seal VALUES (1, 1, 'm4');
INSERT INTO proposals VALUES ('7PR0P0SAL000', '2026-01-06T09:00:00+09:00', 'keeper', 'SOUL.md', 'ee', '# 혼 2', 'learnt', '["entry:7K3QX9M2ABCD"]', 'open', '', '');
INSERT INTO personas VALUES ('s1', 1, '2026-01-06T10:00:00+09:00', 'SOUL.md', 'ee', 'soul');
INSERT INTO spend VALUES ('8SP3ND000000', '2026-01-06T11:00:00+09:00', '2026-01-06', 'chat', 's1', 'anthropic/one', 1200, 80, 900, 0, 4200);
INSERT INTO jobs VALUES ('1J0B00000000', 'review', 'cron', '0 18 * * 5', 'Asia/Seoul', 'verb', 'promote', '{}', 1, 0, '2026-01-06T11:00:00+09:00', '2026-01-06T02:00:00+00:00');
INSERT INTO job_runs VALUES ('1J0B00000000', '2026-01-09T09:00:00+00:00', 'done', 'h1', '2026-01-09T09:10:00+00:00', '2026-01-09T09:00:01+00:00', '2026-01-09T09:00:02+00:00', '둘 찾음');
INSERT INTO reviews VALUES ('2R3V13W00000', '2026-01-09T09:00:02+00:00', 'promotion', 'promotion', 'entry:7K3QX9M2ABCD', '{"words":"차"}', '["entry:7K3QX9M2ABCD"]', 'waiting', '', '');
INSERT INTO keeper_runs VALUES ('3RVN00000000', 'memory-miner', '2026-01-09T06:00:00+09:00', 0.5, 1, 2, 0, '12', '["mined"]');
INSERT INTO releases VALUES ('ee', '2026-01-09T09:00:02+00:00');
INSERT INTO file_origins VALUES (1, 'ee', 'ff', 'web', '2026-01-09T09:00:02+00:00');
