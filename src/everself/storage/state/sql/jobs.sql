-- name: add_job
INSERT INTO jobs (id, name, kind, spec, zone, action, words, options, enabled, failures, created_at, since)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: jobs
SELECT id, name, kind, spec, zone, action, words, options, enabled, failures, created_at, since FROM jobs ORDER BY rowid;

-- name: find_jobs
-- the name itself first, then ids by their beginning
SELECT id, name, kind, spec, zone, action, words, options, enabled, failures, created_at, since
FROM jobs WHERE name = ?1 OR substr(id, 1, length(?1)) = upper(?1) ORDER BY name = ?1 DESC, rowid LIMIT 10;

-- name: remove_job
DELETE FROM jobs WHERE id = ?1;

-- name: remove_runs
DELETE FROM job_runs WHERE job = ?1;

-- name: switch
-- slots during a pause are not run later; a job that is ahead of the clock stays there
UPDATE jobs SET enabled = ?2, failures = 0, since = max(since, ?3) WHERE id = ?1;

-- name: retime
-- changing its times makes no slot due at once
UPDATE jobs SET kind = ?3, spec = ?4, since = max(since, ?5) WHERE id = ?1 AND since = ?2;

-- name: settle
-- only a process that has seen the current state may settle slots
UPDATE jobs SET since = ?3 WHERE id = ?1 AND since = ?2 AND enabled = 1;

-- name: skip
INSERT INTO job_runs (job, slot, state, holder, until, began_at, ended_at, detail)
VALUES (?1, ?2, 'skipped', '', '', ?3, ?3, ?4) ON CONFLICT DO NOTHING;

-- name: prune
-- all but the newest ?2 of a job
DELETE FROM job_runs WHERE job = ?1 AND slot < (
    SELECT slot FROM job_runs WHERE job = ?1 ORDER BY slot DESC LIMIT 1 OFFSET ?2 - 1
);

-- name: take
INSERT INTO job_runs (job, slot, state, holder, until, began_at, ended_at, detail)
VALUES (?1, ?2, 'running', ?3, ?4, ?5, '', '') ON CONFLICT DO NOTHING;

-- name: take_over
UPDATE job_runs SET holder = ?4, until = ?5, began_at = ?6
WHERE job = ?1 AND slot = ?2 AND holder = ?3 AND state = 'running';

-- name: renew
UPDATE job_runs SET until = ?4 WHERE job = ?1 AND slot = ?2 AND holder = ?3 AND state = 'running';

-- name: end
UPDATE job_runs SET state = ?4, ended_at = ?5, detail = ?6
WHERE job = ?1 AND slot = ?2 AND holder = ?3 AND state = 'running';

-- name: count_failure
UPDATE jobs SET failures = failures + 1, enabled = CASE WHEN failures + 1 >= ?2 THEN 0 ELSE enabled END WHERE id = ?1;

-- name: count_success
-- a job that runs once is then done
UPDATE jobs SET failures = 0, enabled = CASE WHEN kind = 'at' THEN 0 ELSE enabled END WHERE id = ?1;

-- name: runs
-- of one job, or of all for ''; newest first. ?3: the job whose skipped slots are left out
SELECT job, slot, state, holder, until, began_at, ended_at, detail FROM job_runs
WHERE (?1 = '' OR job = ?1) AND NOT (job = ?3 AND state = 'skipped') ORDER BY slot DESC, job LIMIT ?2;

-- name: under_way
SELECT job, slot, state, holder, until, began_at, ended_at, detail FROM job_runs WHERE state = 'running' ORDER BY slot;

-- name: ended
-- runs that ended after a moment, oldest first
SELECT job, slot, state, holder, until, began_at, ended_at, detail FROM job_runs
WHERE state IN ('done', 'failed') AND ended_at > ?1 ORDER BY ended_at, job LIMIT ?2;
