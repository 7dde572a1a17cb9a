-- name: begin
INSERT INTO forgettings (id, at, done_at, entries, texts, messages, homes, searches) VALUES (?, ?, NULL, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING;

-- name: generation
SELECT value FROM meta WHERE key = 'forgetting generation';

-- name: advance
INSERT INTO meta (key, value) VALUES ('forgetting generation', '1')
ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT);

-- name: unfinished
SELECT id, at, entries, texts, messages, homes, searches FROM forgettings WHERE done_at IS NULL ORDER BY at, id;

-- name: finish
UPDATE forgettings SET done_at = ?2 WHERE id = ?1;

-- name: bury
INSERT INTO tombstones (text_mac, entry_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: message_page
SELECT rowid, id, session, seq, at, role, person, content, meta FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: drop_messages
DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?));

-- name: drop_empty_sessions
DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?))
AND NOT EXISTS (SELECT 1 FROM messages WHERE session = sessions.id);

-- name: sessions_of
SELECT DISTINCT session FROM messages WHERE id IN (SELECT value FROM json_each(?));

-- name: drop_vouchers
DELETE FROM vouchers WHERE entry_id IN (SELECT value FROM json_each(?1))
OR text_mac IN (SELECT value FROM json_each(?2));

-- name: drop_entries
DELETE FROM entries WHERE id IN (SELECT value FROM json_each(?1)) OR text_mac IN (SELECT value FROM json_each(?2));

-- name: search_page
SELECT seq, id, session, at, person FROM searches WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: drop_searches
DELETE FROM searches WHERE id IN (SELECT value FROM json_each(?));

-- name: entries_with
SELECT id FROM entries WHERE text_mac IN (SELECT value FROM json_each(?1))
UNION SELECT entry_id FROM vouchers WHERE text_mac IN (SELECT value FROM json_each(?1));

-- name: searches_naming
-- ?1 ids of entries, ?2 folders with a slash at the end
SELECT seq, left_out FROM searches WHERE seq IN (
    SELECT search FROM search_hits WHERE entry IN (SELECT value FROM json_each(?1))
    OR EXISTS (SELECT 1 FROM json_each(?2) AS folder WHERE substr(search_hits.path, 1, length(folder.value)) = folder.value)
) OR EXISTS (
    SELECT 1 FROM json_each(left_out) AS one WHERE one.value ->> 0 IN (SELECT value FROM json_each(?1))
    OR EXISTS (SELECT 1 FROM json_each(?2) AS folder WHERE substr(one.value ->> 1, 1, length(folder.value)) = folder.value)
);

-- name: drop_digests
-- the digest of what was said before a session's first message: it was computed from words that are now forgotten
UPDATE messages SET meta = json_remove(meta, '$.before')
WHERE json_extract(meta, '$.before') IS NOT NULL
    AND session IN (SELECT id FROM sessions WHERE rowid IN (SELECT value FROM json_each(?)));

-- name: drop_hits
DELETE FROM search_hits WHERE search = ?1 AND (
    entry IN (SELECT value FROM json_each(?2))
    OR EXISTS (SELECT 1 FROM json_each(?3) AS folder WHERE substr(search_hits.path, 1, length(folder.value)) = folder.value)
);

-- name: blank_search
UPDATE searches SET query = ?2, notices = '[]', left_out = ?3 WHERE seq = ?1;

-- name: note_commit
INSERT INTO rewritten_commits (old, new, forgetting) VALUES (?, ?, ?)
ON CONFLICT (old) DO UPDATE SET new = excluded.new, forgetting = excluded.forgetting;

-- name: note_change
INSERT INTO forgotten_changes (change_id, forgetting) VALUES (?, ?) ON CONFLICT DO NOTHING;

-- name: note_changes_of
INSERT INTO forgotten_changes (change_id, forgetting) SELECT id, ?2 FROM changes WHERE commit_id = ?1 ON CONFLICT DO NOTHING;

-- name: move_commit
UPDATE changes SET commit_id = ?2 WHERE commit_id = ?1;

-- name: reason_page
SELECT rowid, reason FROM changes WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_reason
UPDATE changes SET reason = ?3 WHERE rowid = ?1 AND reason = ?2;

-- name: evidence_page
SELECT rowid, evidence FROM changes WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_evidence
UPDATE changes SET evidence = ?3 WHERE rowid = ?1 AND evidence = ?2;

-- name: content_page
SELECT rowid, content FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_content
UPDATE messages SET content = ?3 WHERE rowid = ?1 AND content = ?2;

-- name: message_meta_page
SELECT rowid, meta FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_message_meta
UPDATE messages SET meta = ?3 WHERE rowid = ?1 AND meta = ?2;

-- name: session_meta_page
SELECT rowid, meta FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_session_meta
UPDATE sessions SET meta = ?3 WHERE rowid = ?1 AND meta = ?2;

-- one row in a table without row ids: unconfirmed answers of the first conversation (identity/ritual.py)
-- name: draft_page
SELECT 1, value FROM meta WHERE 1 > ? AND key = 'ritual draft' LIMIT ?;

-- name: set_draft
UPDATE meta SET value = ?3 WHERE ?1 = 1 AND key = 'ritual draft' AND value = ?2;

-- name: query_page
SELECT seq, query FROM searches WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: set_query
UPDATE searches SET query = ?3 WHERE seq = ?1 AND query = ?2;

-- name: notices_page
SELECT seq, notices FROM searches WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: set_notices
UPDATE searches SET notices = ?3 WHERE seq = ?1 AND notices = ?2;

-- name: left_out_page
SELECT seq, left_out FROM searches WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: set_left_out
UPDATE searches SET left_out = ?3 WHERE seq = ?1 AND left_out = ?2;

-- name: baseline_page
SELECT rowid, content FROM baselines WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_baseline
UPDATE baselines SET content = ?3 WHERE rowid = ?1 AND content = ?2;

-- name: proposal_page
SELECT rowid, content FROM proposals WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_proposal
UPDATE proposals SET content = ?3 WHERE rowid = ?1 AND content = ?2;

-- name: proposal_reason_page
SELECT rowid, reason FROM proposals WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_proposal_reason
UPDATE proposals SET reason = ?3 WHERE rowid = ?1 AND reason = ?2;

-- name: proposal_evidence_page
SELECT rowid, evidence FROM proposals WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_proposal_evidence
UPDATE proposals SET evidence = ?3 WHERE rowid = ?1 AND evidence = ?2;

-- name: job_words_page
SELECT rowid, words FROM jobs WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_job_words
UPDATE jobs SET words = ?3 WHERE rowid = ?1 AND words = ?2;

-- name: review_page
SELECT rowid, payload FROM reviews WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_review
UPDATE reviews SET payload = ?3 WHERE rowid = ?1 AND payload = ?2;

-- name: run_notes_page
SELECT rowid, notes FROM keeper_runs WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_run_notes
UPDATE keeper_runs SET notes = ?3 WHERE rowid = ?1 AND notes = ?2;

-- name: job_detail_page
SELECT rowid, detail FROM job_runs WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_job_detail
UPDATE job_runs SET detail = ?3 WHERE rowid = ?1 AND detail = ?2;

-- name: review_evidence_page
SELECT rowid, evidence FROM reviews WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: set_review_evidence
UPDATE reviews SET evidence = ?3 WHERE rowid = ?1 AND evidence = ?2;
