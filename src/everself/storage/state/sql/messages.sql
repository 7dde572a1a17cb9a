-- name: add_session
INSERT INTO sessions (id, kind, person, channel, started_at, meta) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: sessions
-- ?1 a kind and ?2 a channel, or '' for all; the most recently used first. The first user message is stored once, as a message.
SELECT s.id, s.kind, s.person, s.channel, s.started_at, s.meta,
    (SELECT count(*) FROM messages WHERE session = s.id),
    coalesce((SELECT at FROM messages WHERE session = s.id ORDER BY seq DESC LIMIT 1), s.started_at),
    coalesce((SELECT content FROM messages WHERE session = s.id AND role = 'user' ORDER BY seq LIMIT 1), '')
FROM sessions AS s
LEFT JOIN (SELECT session, max(rowid) AS newest FROM messages GROUP BY session) AS m ON m.session = s.id
WHERE (?1 = '' OR s.kind = ?1) AND (?2 = '' OR s.channel = ?2)
ORDER BY m.newest IS NULL, m.newest DESC, s.rowid DESC LIMIT ?3;

-- name: sessions_named
-- by its id or the beginning of its id
SELECT s.id, s.kind, s.person, s.channel, s.started_at, s.meta,
    (SELECT count(*) FROM messages WHERE session = s.id),
    coalesce((SELECT at FROM messages WHERE session = s.id ORDER BY seq DESC LIMIT 1), s.started_at),
    coalesce((SELECT content FROM messages WHERE session = s.id AND role = 'user' ORDER BY seq LIMIT 1), '')
FROM sessions AS s WHERE substr(s.id, 1, length(?1)) = ?1 ORDER BY s.id LIMIT ?2;

-- name: session_meta
SELECT meta FROM sessions WHERE id = ?;

-- name: set_session_meta
UPDATE sessions SET meta = ?2 WHERE id = ?1;

-- name: drop_session
DELETE FROM sessions WHERE id = ?;

-- name: drop_messages_of
DELETE FROM messages WHERE session = ?;

-- name: last_seq
-- at least the numbers in the session's meta: the last messages may have been forgotten
SELECT max(
    coalesce((SELECT max(seq) FROM messages WHERE session = ?1), 0),
    coalesce((SELECT json_extract(meta, '$.checkpoint') FROM sessions WHERE id = ?1), 0),
    coalesce((SELECT json_extract(meta, '$.compacted') FROM sessions WHERE id = ?1), 0)
);

-- name: add_message
INSERT INTO messages (id, session, seq, at, role, person, content, meta) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: message
SELECT id, session, seq, at, role, person, content, meta FROM messages WHERE id = ?;

-- name: messages_after
SELECT id, session, seq, at, role, person, content, meta FROM messages WHERE session = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3;

-- name: weight
SELECT coalesce(sum(octet_length(content) + octet_length(meta)), 0) FROM messages WHERE session = ?1 AND seq > ?2;

-- name: newest_page
SELECT rowid, id, session, seq, at, role, person, content, meta FROM messages WHERE rowid < ? ORDER BY rowid DESC LIMIT ?;

-- name: unchecked
-- sessions with user messages after their last checkpoint
SELECT DISTINCT s.id FROM sessions AS s JOIN messages AS m ON m.session = s.id
WHERE m.role = 'user' AND m.seq > coalesce(json_extract(s.meta, '$.checkpoint'), 0) ORDER BY s.rowid;

-- name: is_told
-- written by a person in a one-to-one session; a job's messages are in a session of their own kind
SELECT 1 FROM messages JOIN sessions ON sessions.id = messages.session
WHERE messages.id = ?1 AND messages.role = 'user' AND sessions.kind IN ('main', 'guest')
  AND coalesce(json_extract(messages.meta, '$.system'), 0) = 0;

-- name: disown
UPDATE messages SET meta = json_set(meta, '$.system', json('true'))
WHERE id = ? AND role = 'user' AND coalesce(json_extract(meta, '$.system'), 0) = 0;
