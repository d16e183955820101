-- join.sql - the relations of all sources, as those of one fleet.
--
-- Where two sources speak of one thing, the one of the lower rank wins: 1 is a scheduler, 2 the native trace, 3 a
-- trainer or a serving system, 4 a compiler. But phase, framework, runtime and model are the trainer's to say.

-- ---- 1. One name for each job: UUIDs as UUIDs, a log's path as the job that it was found to be of ----

INSERT OR IGNORE INTO renamed -- what a tracker's records call their run
SELECT a.source, a.job, k.job
FROM (SELECT source, job, alias FROM all_aliases
      WHERE source IN (SELECT source FROM source WHERE rank = 3) AND (alias GLOB '*[^0-9]*' OR length(alias) > 2)) AS a
CROSS JOIN key AS k ON k.key = a.alias WHERE (a.source, a.job) IN (SELECT source, job FROM all_jobs);
INSERT OR IGNORE INTO renamed SELECT source, path, job FROM file WHERE job IS NOT NULL AND source IS NOT NULL AND job <> path;
INSERT OR IGNORE INTO renamed -- runs of one log that are jobs of their own while no scheduler tells of another
SELECT f.source, a.job, f.job
FROM (SELECT source, job, rtrim(job, '0123456789') AS run FROM all_allocations
      WHERE EXISTS (SELECT 1 FROM source WHERE rank = 3) AND source IN (SELECT source FROM source WHERE rank = 3)
        AND job GLOB '*#[0-9]*') AS a
CROSS JOIN file AS f ON f.path = substr(a.run, 1, length(a.run) - 1) AND f.source = a.source
WHERE f.job IS NOT NULL AND substr(a.run, -1) = '#';
INSERT OR IGNORE INTO renamed -- the scheduler counts the attempts of its jobs, though the log has their name already
SELECT DISTINCT source, job, job FROM file
WHERE source IS NOT NULL AND job IS NOT NULL
  AND job IN (SELECT job FROM all_allocations
              WHERE EXISTS (SELECT 1 FROM source WHERE rank = 3) AND job IN (SELECT job FROM file)
                AND source IN (SELECT source FROM source WHERE rank = 1));
INSERT OR IGNORE INTO renamed -- and logs of several trainers, which the option job says to be of one, count theirs each by itself
SELECT DISTINCT source, job, job
FROM (SELECT source, job FROM all_allocations
      WHERE source IN (SELECT source FROM source WHERE rank = 3) AND (SELECT count(*) FROM source WHERE rank = 3) > 1)
WHERE job IN (SELECT job FROM file WHERE source IS NOT NULL GROUP BY job HAVING count(DISTINCT source) > 1);
INSERT OR IGNORE INTO renamed -- of a format whose runs are folders, the folder's
SELECT source, folder, min(job)
FROM (SELECT source, job, iif(parameter = 'mlflow_store'
                              AND instr(path, '/metrics/'), substr(path, 1, instr(path, '/metrics/') - 1),
                              rtrim(rtrim(path, replace(path, '/', '')), '/')) AS folder
      FROM file WHERE job IS NOT NULL AND source IS NOT NULL)
WHERE folder <> job GROUP BY source, folder HAVING count(DISTINCT job) = 1;
INSERT OR IGNORE INTO renamed
SELECT DISTINCT j.source, j.job, k.job
FROM (SELECT source, job FROM all_jobs UNION ALL SELECT source, job
      FROM all_aliases WHERE source IN (SELECT source FROM source WHERE rank = 2)) AS j
CROSS JOIN source USING (source) CROSS JOIN key AS k ON k.key = j.job -- a job is looked up, and not each key
WHERE source.rank > 1 AND k.job <> j.job AND (k.strength > 1 OR source.rank = 3); -- a name that one job has is enough for a trainer

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT path, 'warning', 'ambiguous_job', NULL, 1, 'its name fits more than one job: ' || jobs FROM ambiguous JOIN file USING (file);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT path, 'info', 'conflicting_job', NULL, 1,
       'option "job" says ' || f.job || ', and logs say otherwise, the first ' || s.job || ': the option counts'
FROM said_otherwise AS s JOIN file AS f USING (file);

.read sql/sources/join/no_record.sql
.read sql/sources/join/said_ends.sql

-- A log that lies outside all its job's allocations by more than a day is not of that job, whatever its name. What is open lasts as long
-- as its own capacity, to its last line: sacct --truncate may have cut the days before that.
CREATE TABLE spoken AS
SELECT a.source, a.job, min(a.start_time) AS start_time, max(coalesce(a.end_time, c.end_time, a.start_time)) AS end_time
FROM all_allocations AS a JOIN renamed AS r ON r.source = a.source AND r.was = a.job
LEFT JOIN all_capacity AS c ON c.source = a.source AND c.pool = a.pool AND c.chips = a.chips AND c.start_time = a.start_time
GROUP BY a.source, a.job;
CREATE INDEX spoken_of ON spoken(job, source);
CREATE TABLE renamed_held AS
SELECT source, job, start_time, end_time, outcome FROM all_allocations WHERE job IN (SELECT job FROM renamed);
CREATE INDEX renamed_held_of ON renamed_held(job, source, start_time);
CREATE TABLE elsewhere AS
SELECT s.source, s.job AS was, r.job FROM spoken AS s JOIN renamed AS r ON r.source = s.source AND r.was = s.job
WHERE r.job <> r.was AND EXISTS (SELECT 1 FROM renamed_held AS a WHERE a.job = r.job AND a.source <> s.source)
  AND NOT EXISTS (SELECT 1 FROM renamed_held AS a
                  WHERE a.job = r.job AND a.source <> s.source AND a.start_time - 86400 <= s.end_time
                    AND coalesce(a.end_time, s.start_time) + 86400 >= s.start_time);
DELETE FROM renamed WHERE (source, was) IN (SELECT source, was FROM elsewhere);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT was, 'warning', 'job_at_another_time', NULL, 1, 'named like job ' || job || ', which ran at another time: a job of its own'
FROM elsewhere;

-- A run of a log that follows one which reached its end, within one job. If it begins with a step that is not above the first of that
-- run, it undoes nothing. A restore that names that run's last step says so, since the scheduler sees one attempt (spans.sql).
-- A run of another trainer, begun after that end, is one of its own if it goes back at all.
INSERT INTO stage
SELECT source, job, was, attempt, source, next_job, next_attempt, next_time, NULL, end_time
FROM (SELECT a.source, r.job, a.job AS was, a.attempt, a.end_time, a.outcome, lead(a.job) OVER w AS next_job,
             lead(a.attempt) OVER w AS next_attempt, lead(a.start_time) OVER w AS next_time
      FROM all_allocations AS a JOIN renamed AS r ON r.source = a.source AND r.was = a.job
      WHERE EXISTS (SELECT 1 FROM renamed) AND a.source IN (SELECT source FROM source WHERE rank = 3)
      WINDOW w AS (PARTITION BY a.source, r.job ORDER BY a.start_time))
WHERE next_time IS NOT NULL
  AND (outcome = 'completed' OR (next_job GLOB '*#[0-9]*' AND rtrim(next_job, '0123456789') IN (was || '#', rtrim(was, '0123456789'))));
CREATE TABLE run_of AS
SELECT a.source, r.job, a.job AS was, a.attempt, a.start_time, a.end_time, a.outcome
FROM all_allocations AS a JOIN renamed AS r ON r.source = a.source AND r.was = a.job
WHERE (SELECT count(*) FROM source WHERE rank = 3) > 1 AND a.source IN (SELECT source FROM source WHERE rank = 3);
CREATE INDEX run_of_job ON run_of(job, start_time);
INSERT INTO stage
SELECT a.source, a.job, a.was, a.attempt, b.source, b.was, b.attempt, b.start_time, NULL, a.end_time
FROM run_of AS a CROSS JOIN run_of AS b
  ON b.rowid = (SELECT n.rowid FROM run_of AS n WHERE n.job = a.job AND n.start_time >= a.end_time ORDER BY n.start_time LIMIT 1)
WHERE a.outcome = 'completed' AND b.source <> a.source;
DROP TABLE run_of;
-- Where the next run is of a later attempt, the scheduler says how the one before ended.
DELETE FROM stage WHERE rowid IN (
  SELECT g.rowid
  FROM stage AS g CROSS JOIN source AS k ON k.rank = 1 CROSS JOIN renamed_held AS h
    ON h.rowid = (SELECT s.rowid FROM renamed_held AS s
                  WHERE s.job = g.job AND s.source = k.source AND s.start_time <= g.end_time ORDER BY s.start_time DESC LIMIT 1)
  WHERE h.end_time <= g.next_time AND h.outcome NOT IN ('completed', 'released'));

INSERT INTO all_jobs -- a log of several jobs says what it knows of each
SELECT j.source, b.job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_time, labels
FROM (SELECT DISTINCT source, was, job FROM by_time) AS b JOIN all_jobs AS j ON j.source = b.source AND j.job = b.was;
DELETE FROM all_jobs WHERE EXISTS (SELECT 1 FROM by_time) AND (source, job) IN (SELECT source, was FROM by_time);
UPDATE all_allocations
SET attempt = NULL, job = (SELECT b.job FROM by_time AS b
                           WHERE b.source = all_allocations.source AND b.was = all_allocations.job AND b.since <= start_time
                           ORDER BY b.since DESC LIMIT 1)
WHERE EXISTS (SELECT 1 FROM by_time) AND (source, job) IN (SELECT source, was FROM by_time);
UPDATE all_commits
SET attempt = NULL, job = (SELECT b.job FROM by_time AS b WHERE b.source = all_commits.source AND b.was = all_commits.job
                            AND b.since <= coalesce(snapshot_time, durable_time) ORDER BY b.since DESC LIMIT 1)
WHERE EXISTS (SELECT 1 FROM by_time) AND (source, job) IN (SELECT source, was FROM by_time);

.read sql/sources/join/own_chips.sql
UPDATE all_jobs SET job = r.job FROM renamed AS r WHERE r.source = all_jobs.source AND r.was = all_jobs.job;
UPDATE all_allocations SET job = r.job, attempt = NULL FROM renamed AS r
WHERE r.source = all_allocations.source AND r.was = all_allocations.job;
UPDATE all_commits SET job = r.job, attempt = NULL FROM renamed AS r WHERE r.source = all_commits.source AND r.was = all_commits.job;

.read sql/sources/join/assumed.sql

-- A job with logs of which none came to a step, beside others of their format that did.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(f.path), 'warning', 'no_steps', NULL, count(DISTINCT f.job),
       'jobs whose logs come to no step, first ' || min(f.job) || ': what they did is not known'
FROM file AS f JOIN source AS s USING (source)
WHERE s.rank = 3 AND f.job IS NOT NULL AND s.format IN ('maxtext', 'megatron', 'torchtitan', 'nanogpt', 'trainer')
  AND EXISTS (SELECT 1 FROM source WHERE rank = 1)
  AND f.job NOT IN (SELECT job FROM all_allocations WHERE source IN (SELECT source FROM source WHERE rank = 3))
  AND NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.kind IN ('no_steps', 'no_times') AND i.source = f.path)
  AND f.path NOT IN (SELECT iif(instr(was, '#'), rtrim(rtrim(was, '0123456789'), '#'), was) FROM elsewhere) -- which are of no job here
GROUP BY s.source;

-- ---- 2. Who holds what: of each job the best source that knows ----

-- A scheduler's jobs are many: what follows is of those alone that another source allocates as well.
CREATE TABLE held AS
SELECT a.rowid AS row, a.source, s.rank, a.job, a.pool, a.chips, a.start_time
FROM all_allocations AS a CROSS JOIN source AS s USING (source)
WHERE a.job IN (SELECT b.job FROM (SELECT iif(min(rank) < max(rank), min(rank), NULL) AS best FROM source) CROSS JOIN all_allocations AS b
                CROSS JOIN source AS t ON t.source = b.source WHERE t.rank > best);
CREATE INDEX held_of ON held(job);
CREATE TABLE holder AS SELECT job, min(rank) AS rank FROM held GROUP BY job;
CREATE UNIQUE INDEX holder_of ON holder(job);

-- A native trace that says of a job of the scheduler's that it held other chips, or at another time.
--@ if EXISTS (SELECT 1 FROM source WHERE rank = 1) AND EXISTS (SELECT 1 FROM source WHERE rank = 2)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH told AS (
  SELECT h.job, h.rank, sum(a.chips) AS chips,
         min(iif(typeof(a.start_time) = 'text', CAST(strftime('%s', a.start_time) AS INTEGER), a.start_time)) AS first,
         max(iif(typeof(a.end_time) = 'text', CAST(strftime('%s', a.end_time) AS INTEGER), a.end_time)) AS last
  FROM held AS h JOIN all_allocations AS a ON a.rowid = h.row WHERE h.rank < 3 GROUP BY h.job, h.rank
)
SELECT coalesce(:path, 'sources'), 'info', 'conflicting_job', NULL, count(*),
       'sources differ on which chips job ' || min(s.job) || ' held, or when: the scheduler''s allocations count'
FROM told AS s JOIN told AS n ON n.job = s.job AND n.rank = 2
WHERE s.rank = 1 AND (s.chips <> n.chips OR abs(s.first - n.first) > 1 OR abs(s.last - n.last) > 1)
GROUP BY 1;
--@ end

.read sql/sources/join/het_parts.sql

-- A log that tells of more chips than its job had: its FLOPs are of all of them.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT min(path) FROM file AS f WHERE f.job = min(t.job) AND f.source = t.source), :path, 'sources'), 'warning',
       'conflicting_job', NULL, count(*),
       'logs that tell of more chips than the scheduler gave, the first of ' || CAST(max(t.told) AS INTEGER) || ' where job ' || min(t.job)
         || ' had ' || CAST(max(g.given) AS INTEGER)
         || ': their FLOPs are of all. Are other parts of a heterogeneous job jobs of their own?'
FROM (SELECT source, job, max(chips) AS told FROM held WHERE rank = 3 GROUP BY source, job) AS t
JOIN (SELECT job, max(given) AS given
      FROM (SELECT h.job, sum(a.chips) AS given FROM held AS h JOIN all_allocations AS a ON a.rowid = h.row
            WHERE h.rank = 1 GROUP BY h.job, a.attempt
            UNION ALL SELECT job, chips FROM all_jobs
            WHERE job IN (SELECT job FROM held) AND source IN (SELECT source FROM source WHERE rank = 1)) GROUP BY job) AS g USING (job)
WHERE t.told > g.given AND g.given > 0 AND iif((t.source, t.job) IN (SELECT source, job FROM het_part), 0, 1) GROUP BY t.source;

-- A log that says that its run completed, or failed, where the scheduler says otherwise.
--@ if EXISTS (SELECT 1 FROM said_end)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT min(path) FROM file AS f WHERE f.source = e.source AND f.job = min(e.job)),
                (SELECT min(path) FROM file AS f WHERE f.source = e.source)), 'info', 'conflicting_job', NULL, count(*),
       'logs and the scheduler differ on how jobs ended, the first ' || min(job) || ', ' || said || ' in its log: the scheduler''s ' || told
         || ' counts'
FROM (SELECT a.source, a.job, d.outcome AS said,
             (SELECT s.outcome FROM held AS h CROSS JOIN all_allocations AS s ON s.rowid = h.row
              WHERE h.job = a.job AND h.rank = 1 AND s.chips > 0
                AND iif(typeof(s.start_time) = 'text', strftime('%s', s.start_time) + 0, s.start_time) <= coalesce(a.end_time, a.start_time)
              ORDER BY s.start_time DESC, s.outcome = 'completed' LIMIT 1) AS told
      FROM said_end AS d CROSS JOIN all_allocations AS a ON a.rowid = d.row) AS e
WHERE (said = 'completed') <> (told = 'completed') AND told <> 'released' GROUP BY source, said, told;
--@ end

-- What of a trainer's capacity stands for a job that a scheduler allocates goes with that job's allocation.
CREATE TABLE outranked AS
SELECT a.row, a.source, a.pool, a.chips, a.start_time FROM held AS a JOIN holder AS h USING (job) WHERE a.rank > h.rank;
CREATE INDEX outranked_of ON outranked(source, pool, start_time);
CREATE TABLE told_chip AS -- and the chip that it named
SELECT DISTINCT h.pool, c.chip
FROM all_capacity AS c
JOIN outranked AS o ON o.source = c.source AND o.pool IS c.pool AND o.start_time IS c.start_time AND o.chips IS c.chips
JOIN held AS t ON t.source = o.source AND t.pool IS o.pool AND t.start_time IS o.start_time
JOIN held AS h ON h.job = t.job AND h.source <> t.source
WHERE c.chip IS NOT NULL;
DELETE FROM all_capacity WHERE rowid IN (
  SELECT c.rowid FROM all_capacity AS c
  JOIN outranked AS o ON o.source = c.source AND o.pool IS c.pool AND o.start_time IS c.start_time AND o.chips IS c.chips);
DELETE FROM all_allocations WHERE rowid IN (SELECT row FROM outranked);
--@ if EXISTS (SELECT 1 FROM source WHERE rank = 3 AND (instr(options, '"pool"') OR instr(options, '"outcome"')))
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(path) FROM file AS f WHERE f.source = s.source), 'warning', 'unused_option', NULL, count(*),
       'option "' || min(o.key) || '"' || iif(count(*) > 1, ' and "' || max(o.key) || '"', '')
         || ': a scheduler says of the jobs of these logs who held which chips, and how each ended'
FROM source AS s, json_each(s.options) AS o
WHERE s.rank = 3 AND o.key IN ('pool', 'outcome') AND s.source IN (SELECT source FROM outranked)
  AND NOT EXISTS (SELECT 1 FROM all_allocations AS a WHERE a.source = s.source)
GROUP BY s.source;
--@ end

-- A run that another trainer went on with was over at its last line, though its own log does not say so.
--@ if EXISTS (SELECT 1 FROM file WHERE source IS NOT NULL GROUP BY job HAVING count(DISTINCT source) > 1)
UPDATE all_allocations SET end_time = o.time, outcome = coalesce(outcome, 'failed')
FROM (SELECT a.rowid AS row, min(c.end_time) AS time
      FROM (SELECT job FROM file WHERE source IS NOT NULL GROUP BY job HAVING count(DISTINCT source) > 1) AS s
      CROSS JOIN all_allocations AS a ON a.job = s.job AND a.end_time IS NULL AND a.source IN (SELECT source FROM source WHERE rank = 3)
      CROSS JOIN all_capacity AS c ON c.source = a.source AND c.pool = a.pool AND c.chips = a.chips AND c.start_time = a.start_time
      WHERE EXISTS (SELECT 1 FROM all_allocations AS b WHERE b.job = a.job AND b.source <> a.source AND b.start_time >= c.end_time)
      GROUP BY a.rowid) AS o
WHERE o.row = all_allocations.rowid;
--@ end

.read sql/sources/join/unmatched.sql

-- What both a scheduler and a native trace have as installed, or as out of service, at one time.
--@ if EXISTS (SELECT 1 FROM source WHERE rank = 1) AND EXISTS (SELECT 1 FROM source WHERE rank = 2)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'conflict', NULL, count(*),
       'records of the native trace of ' || what || ' at times of which the scheduler tells as well, the first of pool ' || min(pool)
         || ': both count. Leave out one'
FROM (SELECT 'capacity' AS what, n.pool
      FROM (SELECT c.* FROM all_capacity AS c JOIN source AS s USING (source)
            WHERE rank = 2 AND EXISTS (SELECT 1 FROM source WHERE rank = 1)) AS n
      WHERE EXISTS (SELECT 1 FROM all_capacity AS c JOIN source AS s USING (source)
                    WHERE rank = 1 AND c.pool = n.pool AND (n.end_time IS NULL OR c.start_time < n.end_time)
                      AND (c.end_time IS NULL OR c.end_time > n.start_time))
      UNION ALL
      SELECT 'outages', n.pool FROM (SELECT c.* FROM all_outages AS c JOIN source AS s USING (source)
                                     WHERE rank = 2 AND EXISTS (SELECT 1 FROM source WHERE rank = 1)) AS n
      WHERE EXISTS (SELECT 1 FROM all_outages AS c JOIN source AS s USING (source)
                    WHERE rank = 1 AND c.pool = n.pool AND (n.end_time IS NULL OR c.start_time < n.end_time)
                      AND (c.end_time IS NULL OR c.end_time > n.start_time)))
GROUP BY what;
--@ end

.read sql/sources/join/inside.sql

.read sql/sources/join/told_chips.sql

.read sql/sources/join/parallel_logs.sql
.read sql/sources/join/pods.sql
.read sql/sources/join/between.sql
.read sql/sources/join/strange_chips.sql

-- ---- 3. Jobs: what one source leaves out another fills ----

-- What the options of a log say of its job is the user's word.
--@ if EXISTS (SELECT 1 FROM source WHERE rank = 3 AND options <> '{}')
UPDATE all_jobs SET name = coalesce(o.name, all_jobs.name), owner = coalesce(o.owner, all_jobs.owner),
  priority = coalesce(o.priority, all_jobs.priority)
FROM (SELECT j.job, max(s.name) AS name, max(s.owner) AS owner, max(s.priority) AS priority
      FROM (SELECT source, json_extract(options, '$.name') AS name, json_extract(options, '$.owner') AS owner,
                   json_extract(options, '$.priority') AS priority FROM source WHERE rank = 3) AS s
      JOIN all_jobs AS j USING (source) WHERE coalesce(s.name, s.owner, s.priority) IS NOT NULL GROUP BY j.job) AS o
WHERE o.job = all_jobs.job AND source IN (SELECT source FROM source WHERE rank < 3);
--@ end

-- Jobs of several rows, each of which has its values in the order of rank, for the scheduler's fields and for the trainer's. A mapping
-- gives a job one row, unless logs of several names were found to be of it. So if no other source names a job of the source with most
-- jobs, that job has one row.
CREATE TABLE largest AS
SELECT source FROM source WHERE rank <> 2 AND source NOT IN (SELECT source FROM renamed UNION ALL SELECT source FROM by_time)
ORDER BY coalesce(json_extract(records, '$.jobs'), 0) DESC LIMIT 1;
CREATE TABLE named_elsewhere AS SELECT DISTINCT job FROM all_jobs WHERE source IS NOT (SELECT source FROM largest);
CREATE UNIQUE INDEX named_elsewhere_of ON named_elsewhere(job);
CREATE TABLE many AS
SELECT j.*, row_number() OVER (PARTITION BY j.job ORDER BY s.rank, j.source) AS nth,
       row_number() OVER (PARTITION BY j.job ORDER BY s.rank = 3 DESC, s.rank, j.source) AS trainer_nth
FROM all_jobs AS j JOIN source AS s USING (source)
WHERE j.job IN (SELECT job FROM all_jobs WHERE job IN (SELECT job FROM named_elsewhere) GROUP BY job HAVING count(*) > 1);
CREATE INDEX many_of ON many(job);
--@ if EXISTS (SELECT 1 FROM many)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'info', 'conflicting_job', NULL, count(*), 'sources differ on ' || field || ' of job ' || min(job)
FROM (SELECT job, 'phase' AS field FROM many GROUP BY job HAVING count(DISTINCT phase) > 1
      UNION ALL SELECT job, 'framework' FROM many GROUP BY job HAVING count(DISTINCT framework) > 1
      UNION ALL SELECT job, 'model' FROM many GROUP BY job HAVING count(DISTINCT model) > 1
      UNION ALL SELECT job, 'runtime' FROM many GROUP BY job HAVING count(DISTINCT runtime) > 1
      UNION ALL SELECT job, 'chips' FROM many GROUP BY job HAVING count(DISTINCT chips) > 1)
GROUP BY field HAVING count(*) > 0;
--@ end

-- ---- 4. The relations ----

.read sql/sources/join/relations.sql
.read sql/sources/join/idle_before.sql

CREATE TEMP VIEW jobs AS
SELECT job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_time, labels
FROM all_jobs WHERE job NOT IN (SELECT job FROM many)
UNION ALL
SELECT job,
       (SELECT name FROM many AS m WHERE m.job = g.job AND name IS NOT NULL ORDER BY nth LIMIT 1),
       (SELECT owner FROM many AS m WHERE m.job = g.job AND owner IS NOT NULL ORDER BY nth LIMIT 1),
       (SELECT phase FROM many AS m WHERE m.job = g.job AND phase IS NOT NULL ORDER BY trainer_nth LIMIT 1),
       (SELECT framework FROM many AS m WHERE m.job = g.job AND framework IS NOT NULL ORDER BY trainer_nth LIMIT 1),
       (SELECT runtime FROM many AS m WHERE m.job = g.job AND runtime IS NOT NULL ORDER BY trainer_nth LIMIT 1),
       (SELECT model FROM many AS m WHERE m.job = g.job AND model IS NOT NULL ORDER BY trainer_nth LIMIT 1),
       (SELECT priority FROM many AS m WHERE m.job = g.job AND priority IS NOT NULL ORDER BY nth LIMIT 1),
       (SELECT chips FROM many AS m WHERE m.job = g.job AND chips IS NOT NULL ORDER BY nth LIMIT 1),
       (SELECT min_chips FROM many AS m WHERE m.job = g.job AND (chips IS NOT NULL OR min_chips IS NOT NULL) ORDER BY nth LIMIT 1),
       (SELECT tasks FROM many AS m WHERE m.job = g.job AND tasks IS NOT NULL ORDER BY nth LIMIT 1),
       (SELECT submit_time FROM many AS m WHERE m.job = g.job AND submit_time IS NOT NULL ORDER BY nth LIMIT 1),
       (SELECT json_group_object(key, value)
        FROM (SELECT l.key, l.value, row_number() OVER (PARTITION BY l.key ORDER BY m.nth) AS first
              FROM many AS m, json_each(iif(json_valid(m.labels), m.labels, '{}')) AS l WHERE m.job = g.job) WHERE first = 1)
FROM (SELECT DISTINCT job FROM many) AS g;
