-- Why: what rests on an entry was found by looking through every row, which cost as much as all of memory. Few entries rest on others.

CREATE INDEX entries_derived ON entries (path, ordinal) WHERE path IS NOT NULL AND instr(span, 'entry:') > 0;
CREATE INDEX vouchers_derived ON vouchers (entry_id) WHERE instr(lineage, 'entry:') > 0;
