-- name: documents
SELECT path, stamp, hash, read_at FROM documents;

-- name: documents_of
SELECT path, stamp, hash, read_at FROM documents WHERE path IN (SELECT value FROM json_each(?));

-- name: put_document
INSERT INTO documents (path, stamp, hash, read_at) VALUES (?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, hash = excluded.hash, read_at = excluded.read_at;

-- name: grow_document
-- An id that is known already may belong to a text that moved; only reading can tell.
UPDATE documents SET stamp = ?2, hash = ?3, read_at = ?4
WHERE path = ?1 AND hash = ?5 AND NOT EXISTS (SELECT 1 FROM entries WHERE id IN (SELECT value FROM json_each(?6)));

-- name: drop_document
DELETE FROM documents WHERE path = ?;

-- name: rows_of
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries
WHERE path IN (SELECT value FROM json_each(?)) ORDER BY path, ordinal;

-- name: rows_at
SELECT e.id, e.path, e.ordinal, e.span, e.text_mac, e.words, e.first_seen
FROM json_each(?) AS asked
JOIN entries AS e ON e.path = json_extract(asked.value, '$[0]') AND e.ordinal = json_extract(asked.value, '$[1]')
ORDER BY e.path, e.ordinal;

-- name: all_rows
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries WHERE path IS NOT NULL ORDER BY path, ordinal;

-- name: row
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries WHERE id = ? AND path IS NOT NULL;

-- name: rows_by_prefix
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries
WHERE path IS NOT NULL AND substr(id, 1, length(:prefix)) = :prefix ORDER BY id LIMIT 11;

-- name: rows_by_text
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries WHERE text_mac = ? AND path IS NOT NULL;

-- name: gone_by_text
SELECT id FROM entries WHERE text_mac = ? AND path IS NULL ORDER BY gone_at DESC LIMIT 1;

-- name: gone_texts
-- The latest last, so that it is the one that a mapping keeps. Of one day it is the first, as gone_by_text has it.
SELECT text_mac, id FROM entries WHERE path IS NULL ORDER BY gone_at, rowid DESC;

-- name: ids
SELECT id FROM entries WHERE path IS NOT NULL;

-- name: home_of
SELECT path FROM entries WHERE id = ?;

-- name: put_row
INSERT INTO entries (id, path, ordinal, span, text_mac, words, first_seen, gone_at) VALUES (?, ?, ?, ?, ?, ?, ?, NULL)
ON CONFLICT (id) DO UPDATE SET path = excluded.path, ordinal = excluded.ordinal, span = excluded.span,
    text_mac = excluded.text_mac, words = excluded.words, gone_at = NULL;

-- name: date_row
-- Empty: nobody knows when it was written.
UPDATE entries SET first_seen = ?2 WHERE id = ?1;

-- name: mark_gone
UPDATE entries SET path = NULL, gone_at = ?2 WHERE id = ?1;

-- name: forget_rows
DELETE FROM entries WHERE id IN (SELECT value FROM json_each(?));

-- name: count_of
SELECT count(*) FROM entries WHERE path = ?;

-- name: counts
SELECT path, count(*) FROM entries WHERE path IS NOT NULL GROUP BY path;

-- name: closed
-- Entries that no longer hold: struck through, or closed by their comment. The cheap look comes before the exact one.
SELECT id FROM entries
WHERE path IS NOT NULL
  AND ((instr(span, ',true,') AND json_extract(span, '$[5]'))
    OR (instr(span, '["until",') AND instr(json_extract(span, '$[0]'), '["until",')));

-- name: unvouched
-- Whether a voucher is genuine is not asked here: this is for counting. In the order of the table, which is far quicker.
SELECT count(*) FROM entries NOT INDEXED
WHERE path IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM vouchers WHERE entry_id = entries.id AND vouchers.text_mac = entries.text_mac);

-- name: derived
-- Entries that rest on others: by their voucher, else by what their comment says.
SELECT entries.id, vouchers.source, vouchers.lineage, json_extract(span, '$[0]')
FROM entries LEFT JOIN vouchers ON entry_id = entries.id
WHERE path IS NOT NULL AND (instr(span, 'entry:') OR instr(vouchers.lineage, 'entry:'));

-- name: any_buried
SELECT 1 FROM tombstones LIMIT 1;

-- name: is_buried
SELECT 1 FROM tombstones WHERE text_mac = ?1 OR entry_id = ?2 LIMIT 1;

-- name: raise_tombstone
DELETE FROM tombstones WHERE text_mac = ?;
