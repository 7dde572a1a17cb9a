-- name: documents
SELECT path, stamp, hash, read_at FROM documents;

-- name: documents_mark
-- The times are unique per write, so their sum changes with every write; the remainder keeps it within an integer.
SELECT count(*), coalesce(max(read_at), 0), coalesce(sum(read_at % 1000000007), 0) FROM documents;

-- name: documents_of
SELECT path, stamp, hash, read_at FROM documents WHERE path IN (SELECT value FROM json_each(?));

-- name: put_document
INSERT INTO documents (path, stamp, hash, read_at) VALUES (?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, hash = excluded.hash, read_at = excluded.read_at;

-- name: grow_document
-- A known id may belong to a text that moved; only reading the document can tell.
UPDATE documents SET stamp = ?2, hash = ?3, read_at = ?4
WHERE path = ?1 AND hash = ?5 AND NOT EXISTS (SELECT 1 FROM entries WHERE id IN (SELECT value FROM json_each(?6)));

-- name: hashes_of
SELECT path, hash FROM documents WHERE path IN (SELECT value FROM json_each(?));

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

-- name: rows_named
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries
WHERE id IN (SELECT value FROM json_each(?)) AND path IS NOT NULL ORDER BY path, ordinal;

-- name: rows_by_prefix
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries
WHERE path IS NOT NULL AND substr(id, 1, length(:prefix)) = :prefix ORDER BY id LIMIT 11;

-- name: rows_by_text
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries WHERE text_mac = ? AND path IS NOT NULL;

-- name: gone_by_text
SELECT id FROM entries WHERE text_mac = ? AND path IS NULL ORDER BY gone_at DESC LIMIT 1;

-- name: gone_texts
-- The latest last, because a mapping keeps the last one; within a day the first one, as in gone_by_text.
SELECT text_mac, id FROM entries WHERE path IS NULL ORDER BY gone_at, rowid DESC;

-- name: ids
SELECT id FROM entries WHERE path IS NOT NULL;

-- name: home_of
SELECT path FROM entries WHERE id = ?;

-- name: put_row
-- ?1 to ?7 are the row, ?8 to ?14 its facets
INSERT INTO entries (id, path, ordinal, span, text_mac, words, first_seen, gone_at, day, tier, source, who, project, closed, aside, vouched)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
    EXISTS (SELECT 1 FROM vouchers WHERE entry_id = ?1 AND text_mac = ?5))
ON CONFLICT (id) DO UPDATE SET path = excluded.path, ordinal = excluded.ordinal, span = excluded.span,
    text_mac = excluded.text_mac, words = excluded.words, gone_at = NULL, day = excluded.day, tier = excluded.tier,
    source = excluded.source, who = excluded.who, project = excluded.project, closed = excluded.closed, aside = excluded.aside,
    vouched = excluded.vouched;

-- name: date_row
-- Empty: unknown.
UPDATE entries SET first_seen = ?2, day = ?3 WHERE id = ?1;

-- name: mark_gone
UPDATE entries SET path = NULL, gone_at = ?2 WHERE id = ?1;

-- name: forget_rows
DELETE FROM entries WHERE id IN (SELECT value FROM json_each(?));

-- name: count_of
SELECT count(*) FROM entries WHERE path = ?;

-- name: counts
SELECT path, count(*) FROM entries WHERE path IS NOT NULL GROUP BY path;

-- name: total
SELECT count(*) FROM entries WHERE path IS NOT NULL;

-- name: counts_of
SELECT path, count(*) FROM entries WHERE path IN (SELECT value FROM json_each(?)) GROUP BY path;

-- name: holding
-- Looks at one entry of each document at most.
SELECT path FROM documents WHERE EXISTS (SELECT 1 FROM entries WHERE entries.path = documents.path) ORDER BY path;

-- name: not_holding
-- Documents that were read and have no entry.
SELECT path FROM documents WHERE NOT EXISTS (SELECT 1 FROM entries WHERE entries.path = documents.path) ORDER BY path;

-- name: documents_of_people
-- Also those without entries. Folders may be spelled Users on a disk that ignores case.
SELECT path FROM documents WHERE instr(lower(path), 'users/') = 1;

-- name: closed
SELECT id FROM entries INDEXED BY entries_closed WHERE path IS NOT NULL AND closed = 1;

-- name: unvouched
-- Does not check whether a voucher is genuine: this is only a count.
SELECT (SELECT count(*) FROM entries WHERE path IS NOT NULL) - (
    SELECT count(*) FROM vouchers AS v CROSS JOIN entries AS e ON e.id = v.entry_id
    WHERE e.path IS NOT NULL AND e.text_mac = v.text_mac);

-- name: derived
-- Entries derived from others, according to their voucher or else to their comment.
SELECT e.id, v.source, v.lineage, json_extract(e.span, '$[0]') FROM (
    SELECT id FROM entries INDEXED BY entries_derived WHERE path IS NOT NULL AND instr(span, 'entry:') > 0
    UNION
    SELECT entry_id FROM vouchers INDEXED BY vouchers_derived WHERE instr(lineage, 'entry:') > 0
) AS found CROSS JOIN entries AS e ON e.id = found.id LEFT JOIN vouchers AS v ON v.entry_id = e.id
WHERE e.path IS NOT NULL;

-- name: resting_on
-- Entries whose comment or voucher may name one of these (?1: references as JSON); the caller verifies it with the whole entry. The first
-- condition of each half is that of its index.
SELECT id FROM (
    SELECT id, path, ordinal FROM entries INDEXED BY entries_derived
    WHERE path IS NOT NULL AND instr(span, 'entry:') > 0 AND EXISTS (SELECT 1 FROM json_each(?1) WHERE instr(span, value))
    UNION
    SELECT id, path, ordinal FROM vouchers INDEXED BY vouchers_derived CROSS JOIN entries ON entries.id = entry_id
    WHERE instr(lineage, 'entry:') > 0 AND EXISTS (SELECT 1 FROM json_each(?1) WHERE instr(lineage, value)) AND path IS NOT NULL)
ORDER BY path, ordinal;

-- name: naming
-- Entries whose comment or voucher names a reference, such as a message. No index helps, but no file is read and no entry is built.
SELECT id FROM (
    SELECT id, path, ordinal FROM entries NOT INDEXED WHERE path IS NOT NULL AND instr(span, ?1)
    UNION
    SELECT id, path, ordinal FROM vouchers NOT INDEXED JOIN entries ON entries.id = entry_id
    WHERE instr(lineage, ?1) AND path IS NOT NULL)
ORDER BY path, ordinal;

-- name: any_buried
SELECT 1 FROM tombstones LIMIT 1;

-- name: is_buried
SELECT 1 FROM tombstones WHERE text_mac = ?1 OR entry_id = ?2 LIMIT 1;

-- name: raise_tombstone
DELETE FROM tombstones WHERE text_mac = ?;

-- name: boundary
-- The last of the next :rows rows below a position in the order of days, newest first.
SELECT day, path, ordinal FROM entries INDEXED BY entries_by_day
WHERE path IS NOT NULL AND (day, path, ordinal) < (:day, :path, :ordinal) AND day >= :since
ORDER BY day DESC, path DESC, ordinal DESC LIMIT 1 OFFSET :rows - 1;

-- name: tier_boundary
SELECT day, path, ordinal FROM entries INDEXED BY entries_by_tier
WHERE path IS NOT NULL AND tier = :tier AND (day, path, ordinal) < (:day, :path, :ordinal) AND day >= :since
ORDER BY day DESC, path DESC, ordinal DESC LIMIT 1 OFFSET :rows - 1;

-- name: who_boundary
-- The same among the rows about a person (:who is a slug), and those that they said (:speaker is their name).
SELECT day, path, ordinal FROM (
    SELECT day, path, ordinal FROM entries INDEXED BY entries_by_who
    WHERE path IS NOT NULL AND who <> '' AND who = :who AND (day, path, ordinal) < (:day, :path, :ordinal) AND day >= :since
    UNION
    SELECT e.day, e.path, e.ordinal FROM vouchers AS v INDEXED BY vouchers_of_people CROSS JOIN entries AS e ON e.id = v.entry_id
    WHERE instr(v.source, 'person:') = 1 AND v.source IN ('person:' || :who, 'person:' || :speaker)
      AND e.path IS NOT NULL AND (e.day, e.path, e.ordinal) < (:day, :path, :ordinal) AND e.day >= :since)
ORDER BY day DESC, path DESC, ordinal DESC LIMIT 1 OFFSET :rows - 1;

-- name: between
-- Rows between two positions that may match; the caller verifies it with the whole entry. Ordered, so that each document is read once.
SELECT e.id, e.path, e.ordinal, e.span, e.text_mac, e.words, e.first_seen
FROM entries AS e INDEXED BY entries_by_day LEFT JOIN vouchers AS v ON v.entry_id = e.id
WHERE e.path IS NOT NULL AND (e.day, e.path, e.ordinal) < (:day, :path, :ordinal)
  AND (e.day, e.path, e.ordinal) >= (:low_day, :low_path, :low_ordinal)
  AND (:closed < 0 OR e.closed = :closed) AND (:aside OR NOT e.aside)
  AND (:project = '' OR e.project = :project OR substr(e.path, 1, length(:project_folder)) = :project_folder)
  AND (:source = '' OR e.source = :source OR instr(e.source, :source || ':') = 1 OR v.source = :source
    OR instr(v.source, :source || ':') = 1 OR v.text_mac <> e.text_mac)
  AND (NOT :unvouched OR NOT e.vouched OR v.entry_id IS NULL)
ORDER BY e.path, e.ordinal;

-- name: tier_between
SELECT e.id, e.path, e.ordinal, e.span, e.text_mac, e.words, e.first_seen
FROM entries AS e INDEXED BY entries_by_tier
WHERE e.path IS NOT NULL AND e.tier = :tier AND (e.day, e.path, e.ordinal) < (:day, :path, :ordinal)
  AND (e.day, e.path, e.ordinal) >= (:low_day, :low_path, :low_ordinal)
  AND (:closed < 0 OR e.closed = :closed) AND (:aside OR NOT e.aside)
ORDER BY e.path, e.ordinal;

-- name: who_between
SELECT e.id, e.path, e.ordinal, e.span, e.text_mac, e.words, e.first_seen FROM (
    SELECT id FROM entries INDEXED BY entries_by_who
    WHERE path IS NOT NULL AND who <> '' AND who = :who AND (day, path, ordinal) < (:day, :path, :ordinal)
      AND (day, path, ordinal) >= (:low_day, :low_path, :low_ordinal)
    UNION
    SELECT v.entry_id FROM vouchers AS v INDEXED BY vouchers_of_people
    WHERE instr(v.source, 'person:') = 1 AND v.source IN ('person:' || :who, 'person:' || :speaker)
) AS about CROSS JOIN entries AS e ON e.id = about.id
WHERE e.path IS NOT NULL AND (e.day, e.path, e.ordinal) < (:day, :path, :ordinal)
  AND (e.day, e.path, e.ordinal) >= (:low_day, :low_path, :low_ordinal)
  AND (:closed < 0 OR e.closed = :closed) AND (:aside OR NOT e.aside)
ORDER BY e.path, e.ordinal;

-- name: under
-- All rows of one document, or of a folder given with its slash and the first name that sorts after its content.
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries INDEXED BY entries_by_path
WHERE path = :document OR (path >= :folder AND path < :beyond) ORDER BY path, ordinal;

-- name: apart
-- Open entries in quarantine after a (document, ordinal).
SELECT id, path, ordinal, span, text_mac, words, first_seen FROM entries INDEXED BY entries_apart
WHERE path IS NOT NULL AND aside = 2 AND closed = 0 AND (path, ordinal) > (:path, :ordinal) ORDER BY path, ordinal LIMIT :limit;

-- name: unowned
-- Open entries with the source 'hand', no voucher and no question about them, newest first. ?1: kind of the question; ?2, ?3: tiers.
-- In the order of the index, so that no more rows are read than requested.
SELECT id FROM entries INDEXED BY entries_unvouched
WHERE path IS NOT NULL AND vouched = 0 AND closed = 0 AND aside = 0 AND source = 'hand' AND tier IN (?2, ?3)
  AND instr(lower(path), 'users/') <> 1
  AND NOT EXISTS (SELECT 1 FROM reviews WHERE kind = ?1 AND about = entries.id || ' ' || substr(entries.text_mac, 1, 24))
ORDER BY day DESC, path DESC, ordinal DESC LIMIT ?4;

-- name: count_unowned
-- Counts at most ?4: in an adopted workspace all entries match.
SELECT count(*) FROM (
    SELECT 1 FROM entries INDEXED BY entries_unvouched
    WHERE path IS NOT NULL AND vouched = 0 AND closed = 0 AND aside = 0 AND source = 'hand' AND tier IN (?2, ?3)
      AND instr(lower(path), 'users/') <> 1
      AND NOT EXISTS (SELECT 1 FROM reviews WHERE kind = ?1 AND about = entries.id || ' ' || substr(entries.text_mac, 1, 24))
    LIMIT ?4
);

-- name: count_apart
SELECT count(*) FROM entries INDEXED BY entries_apart
WHERE path IS NOT NULL AND aside = 2 AND closed = 0
  AND NOT EXISTS (SELECT 1 FROM reviews WHERE kind = ?1 AND about = entries.id || ' ' || substr(entries.text_mac, 1, 24));

-- name: by_day
-- The number of entries of each tier and source on each day from ?1 on.
SELECT e.day, e.tier, CASE WHEN v.text_mac = e.text_mac THEN v.source ELSE e.source END AS origin, count(*)
FROM entries AS e INDEXED BY entries_by_day LEFT JOIN vouchers AS v ON v.entry_id = e.id
WHERE e.path IS NOT NULL AND e.day >= ?1 AND e.day <= ?2 AND NOT e.aside GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
