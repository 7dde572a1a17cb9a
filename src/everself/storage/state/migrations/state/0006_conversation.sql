-- Why: background work must not burn money unseen. Every request of a model is counted, by day and by the job it was made for, and
-- a day's sum is asked for before each one. What was said stands in messages and sessions, which are there since 0002.

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
