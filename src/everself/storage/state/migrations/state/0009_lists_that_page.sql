-- Why: a page of a list, and how many things wait, cost as much as all of memory did, because the day, the tier and the standing of an
-- entry were known only after its document was read. What a list is ordered and narrowed by stands in the row now. It is what the
-- document says; documents that were read before are read once more, which fills it in.

ALTER TABLE entries ADD COLUMN day     TEXT NOT NULL DEFAULT '';     -- the day it belongs to; '' where nobody knows
ALTER TABLE entries ADD COLUMN tier    TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN source  TEXT NOT NULL DEFAULT '';     -- as far as it may be believed without a voucher
ALTER TABLE entries ADD COLUMN who     TEXT NOT NULL DEFAULT '';     -- the person it is about or belongs to, as a slug
ALTER TABLE entries ADD COLUMN project TEXT NOT NULL DEFAULT '';     -- as a slug
ALTER TABLE entries ADD COLUMN closed  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entries ADD COLUMN aside   INTEGER NOT NULL DEFAULT 0;   -- 1 a raw line of a conversation, 2 in quarantine
ALTER TABLE entries ADD COLUMN vouched INTEGER NOT NULL DEFAULT 0;   -- a voucher has these words; whether it is genuine is not asked here

CREATE INDEX entries_by_day ON entries (day, path, ordinal) WHERE path IS NOT NULL;
CREATE INDEX entries_by_tier ON entries (tier, day, path, ordinal) WHERE path IS NOT NULL;
-- what nobody vouches for and still holds: few, unless a workspace was brought along
CREATE INDEX entries_unvouched ON entries (day, path, ordinal) WHERE path IS NOT NULL AND vouched = 0 AND closed = 0 AND aside = 0;
CREATE INDEX entries_apart ON entries (path, ordinal) WHERE path IS NOT NULL AND aside = 2 AND closed = 0;
-- searches of some days, among those of years
CREATE INDEX searches_by_time ON searches (at);
-- how many questions wait, without going through those that were decided
CREATE INDEX reviews_waiting ON reviews (status) WHERE status = 'waiting';
