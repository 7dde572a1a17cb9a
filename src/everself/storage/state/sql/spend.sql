-- name: add_spend
INSERT INTO spend (id, at, day, job, session, model, sent, received, cached, stored, micros)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: sums
-- days from ?1 on, newest first
SELECT day, job, model, count(*), sum(sent), sum(received), sum(cached), sum(stored),
       coalesce(sum(micros), 0), sum(CASE WHEN micros IS NULL THEN sent + received ELSE 0 END)
FROM spend WHERE day >= ?1 GROUP BY day, job, model ORDER BY day DESC, job, model;

-- name: of_day
-- ?2: a job, or '' for all except those in the JSON list ?3
SELECT coalesce(sum(micros), 0), coalesce(sum(CASE WHEN micros IS NULL THEN sent + received ELSE 0 END), 0)
FROM spend WHERE day = ?1 AND (job = ?2 OR (?2 = '' AND job NOT IN (SELECT value FROM json_each(?3))));
