-- swf.sql - from the Standard Workload Format to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :swf sure \A(?:;[^\n]*\n)*;\s*(?:Version|Computer|MaxJobs|MaxRecords|UnixStartTime|MaxProcs|MaxNodes)\s*:
--@ input :swf likely \A(?:;[^\n]*\n)*\s*(?:-?\d+(?:\.\d+)?[ \t]+){17}-?\d+(?:\.\d+)?\s*$
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :swf fixtures/swf/small.swf
--     .read sql/formats/swf.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- The parameter :swf is a path, glob or folder. From a program that cannot bind parameters to a script,
-- create the input before running it:
--
--     CREATE TEMP TABLE swf_jobs AS SELECT *, _file, _line FROM swf_trace('log.swf');
--
-- Makes the TEMP tables jobs, allocations and capacity, which mpg_ledger and mpg_rollup then find. A
-- chip is a processor. The input is dropped at the end. The rules are explained in docs/formats/swf.md.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS swf_jobs AS
SELECT job_number, submit_time, wait_time, run_time, allocated_processors, requested_processors, requested_time, status, user_id, group_id,
       executable_number, queue_number, partition_number, preceding_job_number, unix_start_time, max_procs, max_nodes, computer, outcome, _file, _line
FROM swf_trace(mpg_required(:swf, ':swf'));

-- What cannot be: a job that ended before it started held nothing, and one that started before it was submitted did not wait.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*), 'job ' || job_number || ' has a run time or a wait below 0: it counts as 0'
FROM swf_jobs WHERE run_time < 0 OR wait_time < 0 GROUP BY _file;
UPDATE swf_jobs SET run_time = max(run_time, 0), wait_time = max(wait_time, 0) WHERE run_time < 0 OR wait_time < 0;

-- ---- 2. Pools: the file's Computer, with a number where two files are of one name ----

DROP TABLE IF EXISTS temp.swf_pools;
CREATE TEMP TABLE swf_pools AS
WITH files AS (
  SELECT _file, coalesce(max(computer), 'swf') AS name, coalesce(max(unix_start_time), 0) AS log_start, max(coalesce(max_procs, max_nodes)) AS chips
  FROM swf_jobs
  GROUP BY _file
)
SELECT _file, log_start, chips,
       name || CASE WHEN count(*) OVER (PARTITION BY name) > 1 THEN ' ' || row_number() OVER (PARTITION BY name ORDER BY _file) ELSE '' END AS pool,
       CASE WHEN count(*) OVER () > 1 THEN row_number() OVER (ORDER BY _file) || '/' ELSE '' END AS prefix
FROM files;

-- ---- 3. Attempts: one a line, but for the summary of a job that is listed in parts (status 2, 3, 4) ----

-- Most jobs have one line: only those of several need the windows.
DROP TABLE IF EXISTS temp.swf_repeated;
CREATE TEMP TABLE swf_repeated AS
SELECT _file AS file, job_number AS number FROM swf_jobs GROUP BY _file, job_number HAVING count(*) > 1;
CREATE INDEX temp.swf_repeated_of ON swf_repeated(number, file);

-- Only the first part of a job has a submit time; the wait of the others is since the end of the part
-- before.
DROP TABLE IF EXISTS temp.swf_attempts;
CREATE TEMP TABLE swf_attempts AS
WITH named AS (
  SELECT s.rowid AS row, s._file, s._line, p.pool, p.log_start, p.prefix || job_number AS job, job_number,
         coalesce(status IN (2, 3, 4), 0) AS is_part, submit_time, wait_time, run_time, requested_processors,
         coalesce(nullif(allocated_processors, 0), requested_processors) AS chips, outcome,
         EXISTS (SELECT 1 FROM swf_repeated AS r WHERE r.number IS s.job_number AND r.file = s._file) AS repeated
  FROM swf_jobs AS s JOIN swf_pools AS p USING (_file)
),
in_parts AS (
  SELECT *, max(is_part) OVER of_job AS in_parts, min(submit_time) OVER of_job AS submitted
  FROM named
  WHERE repeated
  WINDOW of_job AS (PARTITION BY _file, job_number)
)
SELECT row, _file, pool, log_start, job, job_number, repeated, chips, requested_processors, submit_time AS submitted, run_time, outcome, 1 AS attempt,
       log_start + submit_time + coalesce(wait_time, 0) AS start_time
FROM named
WHERE NOT repeated AND chips > 0
UNION ALL
SELECT row, _file, pool, log_start, job, job_number, repeated, chips, requested_processors, submitted, run_time, outcome, row_number() OVER so_far,
       log_start + submitted + sum(coalesce(wait_time, 0)) OVER so_far + coalesce(sum(coalesce(run_time, 0)) OVER before, 0)
FROM in_parts
WHERE is_part = in_parts AND chips > 0
WINDOW so_far AS (PARTITION BY _file, job_number ORDER BY _line),
       before AS (PARTITION BY _file, job_number ORDER BY _line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING);

-- ---- 4. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
WITH needs AS (
  SELECT row, job, log_start, submitted, coalesce(requested_processors, chips) AS needed, chips AS least, chips AS most
  FROM swf_attempts
  WHERE NOT repeated
  UNION ALL
  SELECT max(row), job, log_start, submitted, max(coalesce(requested_processors, chips)), min(chips), max(chips)
  FROM swf_attempts
  WHERE repeated
  GROUP BY _file, job_number
)
SELECT job, CASE WHEN executable_number IS NOT NULL THEN 'executable ' || executable_number END AS name,
       CASE WHEN group_id IS NOT NULL THEN 'group ' || group_id END AS owner,
       NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model,
       CASE WHEN queue_number IS NOT NULL THEN 'queue ' || queue_number END AS priority,
       needed AS chips, CASE WHEN least <> needed OR most <> needed THEN least END AS min_chips,
       NULL AS tasks, log_start + submitted AS submit_time,
       json_patch('{}', json_object('user', user_id, 'group', group_id, 'queue', queue_number, 'partition', partition_number,
                                    'executable', executable_number, 'preceding_job', preceding_job_number,
                                    'requested_seconds', requested_time)) AS labels
FROM needs CROSS JOIN swf_jobs AS s ON s.rowid = row;

-- A job without a run time never ran: it holds nothing at the moment it left, which closes its demand.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, NULL AS task, pool,
       CASE WHEN run_time IS NULL THEN 0 ELSE chips END AS chips,
       start_time, start_time + coalesce(run_time, 0) AS end_time, outcome
FROM swf_attempts;

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT p.pool, NULL AS chip, p.chips,
       min(coalesce(nullif(p.log_start, 0), p.log_start + a.submitted), p.log_start + a.submitted) AS start_time,
       max(a.end_time) AS end_time
FROM swf_pools AS p
JOIN (SELECT _file, min(submitted) AS submitted, max(start_time + coalesce(run_time, 0)) AS end_time
      FROM swf_attempts GROUP BY _file) AS a USING (_file)
WHERE p.chips IS NOT NULL
GROUP BY p._file;

-- ---- 5. What nobody needs any more ----

DROP TABLE swf_attempts;
DROP TABLE swf_repeated;
DROP TABLE swf_pools;
DROP TABLE swf_jobs;
