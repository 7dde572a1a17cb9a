-- name: baselines
SELECT path, hash, content, at FROM baselines ORDER BY path;

-- name: put_baseline
INSERT INTO baselines (path, hash, content, at) VALUES (?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET hash = excluded.hash, content = excluded.content, at = excluded.at;

-- name: seal
SELECT counter, mac FROM baseline_seal;

-- name: put_seal
INSERT INTO baseline_seal (one, counter, mac) VALUES (1, ?, ?)
ON CONFLICT (one) DO UPDATE SET counter = excluded.counter, mac = excluded.mac;

-- name: add_proposal
INSERT INTO proposals (id, at, author, path, base, content, reason, evidence, status, decided_at, change_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', '', '');

-- name: proposals
-- ?1 a status, or '' for all; newest first
SELECT id, at, author, path, base, content, reason, evidence, status, decided_at, change_id FROM proposals
WHERE ?1 = '' OR status = ?1 ORDER BY rowid DESC LIMIT ?2;

-- name: find_proposals
-- by the beginning of an id
SELECT id, at, author, path, base, content, reason, evidence, status, decided_at, change_id FROM proposals
WHERE substr(id, 1, length(?1)) = ?1 ORDER BY rowid DESC LIMIT 10;

-- name: decide
UPDATE proposals SET status = ?2, decided_at = ?3, change_id = ?4 WHERE id = ?1 AND status = 'open';

-- name: reopen
UPDATE proposals SET status = 'open', decided_at = '' WHERE id = ? AND status = 'refused';

-- name: add_persona
INSERT INTO personas (session, turn, at, file, hash, why) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: personas
-- ?1 a session, or '' for all; newest first
SELECT session, turn, at, file, hash, why FROM personas WHERE ?1 = '' OR session = ?1
ORDER BY at DESC, session, turn DESC LIMIT ?2;

-- name: persona_of
SELECT session, turn, at, file, hash, why FROM personas WHERE session = ? ORDER BY turn LIMIT 1;
