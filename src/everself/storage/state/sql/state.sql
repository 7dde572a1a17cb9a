-- name: get_meta
SELECT value FROM meta WHERE key = ?;

-- name: set_meta
INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: ledger_head
SELECT seq, mac FROM ledger ORDER BY seq DESC LIMIT 1;

-- name: add_change
INSERT INTO changes (id, at, author, reason, evidence, undoes, paths) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: add_ledger_row
INSERT INTO ledger (seq, change_id, at, author, files, previous, mac) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: has_change
-- The ledger decides, not `changes`: a forgotten change must not be recorded a second time.
SELECT seq FROM ledger WHERE change_id = ?;

-- name: get_change
SELECT id, at, author, reason, paths, evidence, undoes,
       EXISTS (SELECT 1 FROM forgotten_changes WHERE change_id = changes.id)
FROM changes WHERE id = ?;

-- name: newest_change
SELECT changes.id, changes.at, changes.author, reason, paths, evidence, undoes,
       EXISTS (SELECT 1 FROM forgotten_changes WHERE change_id = changes.id)
FROM ledger JOIN changes ON changes.id = ledger.change_id
ORDER BY seq DESC LIMIT 1;

-- name: changes_by_prefix
-- Users type ids in either case.
SELECT changes.id, changes.at, changes.author, reason, paths, evidence, undoes,
       EXISTS (SELECT 1 FROM forgotten_changes WHERE change_id = changes.id)
FROM changes JOIN ledger ON ledger.change_id = changes.id
WHERE lower(substr(changes.id, 1, length(:prefix))) = lower(:prefix)
ORDER BY seq DESC LIMIT :limit;

-- name: list_changes
SELECT changes.id, changes.at, changes.author, reason, paths, evidence, undoes,
       EXISTS (SELECT 1 FROM forgotten_changes WHERE change_id = changes.id)
FROM ledger CROSS JOIN changes ON changes.id = ledger.change_id
WHERE (:path IS NULL OR EXISTS (SELECT 1 FROM json_each(paths) WHERE json_each.value = :path))
ORDER BY seq DESC LIMIT :limit;

-- name: set_commit
UPDATE changes SET commit_id = ?2 WHERE id = ?1;

-- name: commit_of
SELECT commit_id FROM changes WHERE id = ?;

-- name: commits
SELECT changes.id, commit_id FROM ledger CROSS JOIN changes ON changes.id = ledger.change_id
WHERE commit_id IS NOT NULL ORDER BY seq;

-- name: newest_commit
SELECT commit_id FROM ledger CROSS JOIN changes ON changes.id = ledger.change_id
WHERE commit_id IS NOT NULL ORDER BY seq DESC LIMIT 1;

-- name: changes_without_commit
SELECT changes.id, changes.at, changes.author, reason, paths, evidence, undoes,
       EXISTS (SELECT 1 FROM forgotten_changes WHERE change_id = changes.id)
FROM changes JOIN ledger ON ledger.change_id = changes.id
WHERE commit_id IS NULL
ORDER BY seq;

-- name: ledger_page
-- As BLOBs: a tampered text need not be UTF-8, and detecting it must not fail on decoding.
SELECT seq, CAST(change_id AS BLOB), CAST(ledger.at AS BLOB), CAST(ledger.author AS BLOB), CAST(files AS BLOB),
       CAST(previous AS BLOB), CAST(mac AS BLOB),
       CAST(changes.at AS BLOB), CAST(changes.author AS BLOB), CAST(changes.paths AS BLOB)
FROM ledger LEFT JOIN changes ON changes.id = ledger.change_id
WHERE seq >= ? ORDER BY seq LIMIT ?;

-- name: change_without_ledger_row
SELECT count(*) FROM changes WHERE NOT EXISTS (SELECT 1 FROM ledger WHERE change_id = changes.id);

-- name: add_key
INSERT INTO change_keys (key_mac, change_id) VALUES (?, ?) ON CONFLICT (key_mac) DO NOTHING;

-- name: change_of_key
SELECT changes.id, changes.at, changes.author, reason, paths, evidence, undoes,
       EXISTS (SELECT 1 FROM forgotten_changes WHERE change_id = changes.id)
FROM change_keys JOIN changes ON changes.id = change_keys.change_id
WHERE key_mac = ?;
