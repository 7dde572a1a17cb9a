-- name: add_review
INSERT INTO reviews (id, at, kind, author, about, payload, evidence, status, decided_at, change_id)
VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', '', '') ON CONFLICT (kind, about) DO NOTHING;

-- name: reviews
-- ?1 a status, or '' for all; ?2 a kind, or '' for all; oldest first
SELECT id, at, kind, author, about, payload, evidence, status, decided_at, change_id FROM reviews
WHERE (?1 = '' OR status = ?1) AND (?2 = '' OR kind = ?2) ORDER BY rowid LIMIT ?3;

-- name: waiting_after
SELECT rowid, id, at, kind, author, about, payload, evidence, status, decided_at, change_id FROM reviews INDEXED BY reviews_waiting
WHERE status = 'waiting' AND rowid > ?1 ORDER BY rowid LIMIT ?2;

-- name: waiting_named
SELECT id, at, kind, author, about, payload, evidence, status, decided_at, change_id FROM reviews INDEXED BY reviews_waiting
WHERE status = 'waiting' AND substr(id, 1, length(?1)) = ?1 ORDER BY rowid LIMIT 11;

-- name: count_waiting
SELECT count(*) FROM reviews INDEXED BY reviews_waiting WHERE status = 'waiting';

-- name: count_reviews
-- ?1 a kind; ?2 a human day, with which `at` begins
SELECT count(*) FROM reviews WHERE kind = ?1 AND substr(at, 1, 10) = ?2;

-- name: find_reviews
SELECT id, at, kind, author, about, payload, evidence, status, decided_at, change_id FROM reviews
WHERE substr(id, 1, length(?1)) = ?1 ORDER BY rowid DESC LIMIT 10;

-- name: review_about
SELECT id, at, kind, author, about, payload, evidence, status, decided_at, change_id FROM reviews
WHERE kind = ? AND about = ?;

-- name: decide_review
UPDATE reviews SET status = ?2, decided_at = ?3, change_id = ?4 WHERE id = ?1 AND status = 'waiting';

-- name: reopen_review
UPDATE reviews SET status = 'waiting', decided_at = '' WHERE id = ? AND status = 'refused';

-- name: drop_refusal
DELETE FROM reviews WHERE kind = ? AND about = ? AND status = 'refused';

-- name: add_run
INSERT INTO keeper_runs (id, keeper, at, seconds, applied, queued, refused, upto, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: runs
-- ?1 a keeper, or '' for all; newest first
SELECT id, keeper, at, seconds, applied, queued, refused, upto, notes FROM keeper_runs
WHERE ?1 = '' OR keeper = ?1 ORDER BY rowid DESC LIMIT ?2;

-- name: release
INSERT INTO releases (text_mac, at) VALUES (?, ?) ON CONFLICT DO NOTHING;

-- name: is_released
SELECT 1 FROM releases WHERE text_mac = ?;
