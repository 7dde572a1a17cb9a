-- Why: what is remembered of one person was found by looking through every row, which cost as much as all of memory. Few entries
-- name a person.

CREATE INDEX entries_by_who ON entries (who, day, path, ordinal) WHERE path IS NOT NULL AND who <> '';
CREATE INDEX vouchers_of_people ON vouchers (source, entry_id) WHERE instr(source, 'person:') = 1;
