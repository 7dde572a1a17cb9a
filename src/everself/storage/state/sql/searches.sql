-- name: add_search
INSERT INTO searches (id, at, session, session_kind, person, mode, query, provider, tokens, notices, left_out)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_hit
INSERT INTO search_hits (search, rank, entry, path, first_line, last_line, score, parts)
VALUES ((SELECT seq FROM searches WHERE id = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: get_search
SELECT seq, id, at, session, session_kind, person, mode, query, provider, tokens, notices, left_out
FROM searches WHERE id = ?;

-- name: newest_search
SELECT seq, id, at, session, session_kind, person, mode, query, provider, tokens, notices, left_out
FROM searches ORDER BY seq DESC LIMIT 1;

-- name: searches_by_prefix
SELECT seq, id, at, session, session_kind, person, mode, query, provider, tokens, notices, left_out
FROM searches WHERE lower(substr(id, 1, length(:prefix))) = lower(:prefix) ORDER BY seq DESC LIMIT :limit;

-- name: search_page
SELECT seq, id, at, session, session_kind, person, mode, query, provider, tokens, notices, left_out
FROM searches WHERE seq < :before AND (:session IS NULL OR session = :session) ORDER BY seq DESC LIMIT :limit;

-- name: hits
SELECT entry, path, first_line, last_line, score, parts FROM search_hits WHERE search = ? ORDER BY rank;

-- name: hits_of
SELECT entry, count(DISTINCT search), count(DISTINCT session), max(substr(at, 1, 10))
FROM search_hits JOIN searches ON seq = search
WHERE entry IN (SELECT value FROM json_each(?1)) AND substr(at, 1, 10) >= ?2
-- a weak hit (only the nearest there was) is not evidence that it was needed
AND json_extract(parts, '$.weak') IS NULL GROUP BY entry;

-- name: hits_since
-- The same for every entry, from the searches of these days alone. A time begins with its day, so the index of times finds them.
SELECT entry, count(DISTINCT search), count(DISTINCT session), max(substr(at, 1, 10))
FROM searches JOIN search_hits ON search = seq
WHERE at >= ?1 AND entry <> '' AND json_extract(parts, '$.weak') IS NULL GROUP BY entry;

-- name: searches_by_day
-- The number of searches of each day from ?1 to ?2, and how many of them found no hit or only weak ones.
SELECT substr(at, 1, 10) AS day, count(*),
    sum(NOT EXISTS (SELECT 1 FROM search_hits WHERE search = seq AND json_extract(parts, '$.weak') IS NULL))
FROM searches WHERE at >= ?1 AND substr(at, 1, 10) <= ?2 GROUP BY day ORDER BY day;
