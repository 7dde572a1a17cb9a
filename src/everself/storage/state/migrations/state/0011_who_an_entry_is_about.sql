-- Why: what is remembered of one person was found by looking through every row, which cost as much as all of memory. Few entries
-- name a person. The same holds for the count of what is closed.

CREATE INDEX entries_by_who ON entries (who, day, path, ordinal) WHERE path IS NOT NULL AND who <> '';
CREATE INDEX vouchers_of_people ON vouchers (source, entry_id) WHERE instr(source, 'person:') = 1;
CREATE INDEX entries_closed ON entries (id) WHERE path IS NOT NULL AND closed = 1;
