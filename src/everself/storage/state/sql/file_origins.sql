-- name: note_file
INSERT INTO file_origins (path, content, source, at) VALUES (?, ?, ?, ?);

-- name: sources_of_content
SELECT DISTINCT source FROM file_origins WHERE content = ?;

-- name: last_source_of_path
SELECT source FROM file_origins WHERE path = ? ORDER BY seq DESC LIMIT 1;

-- name: sources_of_lines
SELECT DISTINCT content, source FROM file_origins
WHERE path = ?1 AND content IN (SELECT value FROM json_each(?2));

-- name: texts_since
SELECT seq, content, source FROM file_origins WHERE path = ?1 AND seq > ?2 ORDER BY seq;
