-- Why: who the agent is must not depend on who last wrote a file. What a human accepted of the soul and of what else only humans
-- change is kept here, sealed with the key and with a counter that stands outside; so is what waits for a human's yes, and
-- which soul spoke when.

-- Documents that only humans change, as one of them last accepted each. The words serve for showing what changed since.
CREATE TABLE baselines (
    path    TEXT NOT NULL UNIQUE,
    hash    TEXT NOT NULL,               -- of the bytes that were accepted; '' where the document was missing
    content TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT;

-- One row: all baselines under one keyed hash, with the count of seals made so far.
CREATE TABLE baseline_seal (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    counter INTEGER NOT NULL,
    mac     TEXT NOT NULL
) STRICT;

-- Changes that wait for a human, and what became of them.
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

-- Which soul spoke in which turn of which session.
CREATE TABLE personas (
    session TEXT NOT NULL,
    turn    INTEGER NOT NULL,
    at      TEXT NOT NULL,
    file    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    why     TEXT NOT NULL,               -- soul, purge, chance or session: one word
    PRIMARY KEY (session, turn)
) STRICT, WITHOUT ROWID;
