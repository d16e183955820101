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
-- chip is a processor. The input is dropped at the end. The rules are explained in docs/swf.md.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS swf_jobs AS SELECT *, _file, _line FROM swf_trace(mpg_required(:swf, ':swf'));

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

-- Only the first part of a job has a submit time; the wait of the others is since the end of the part
-- before.
DROP TABLE IF EXISTS temp.swf_attempts;
CREATE TEMP TABLE swf_attempts AS
WITH named AS (
  SELECT s.*, p.pool, p.log_start, p.prefix || job_number AS job, coalesce(status IN (2, 3, 4), 0) AS is_part,
         max(coalesce(status IN (2, 3, 4), 0)) OVER of_job AS in_parts,
         min(submit_time) OVER of_job AS submitted,
         coalesce(nullif(allocated_processors, 0), requested_processors) AS chips
  FROM swf_jobs AS s JOIN swf_pools AS p USING (_file)
  WINDOW of_job AS (PARTITION BY s._file, job_number)
)
SELECT *,
       row_number() OVER so_far AS attempt,
       log_start + submitted + sum(coalesce(wait_time, 0)) OVER so_far + coalesce(sum(coalesce(run_time, 0)) OVER before, 0) AS start_time
FROM named
WHERE is_part = in_parts AND chips > 0
WINDOW so_far AS (PARTITION BY _file, job_number ORDER BY _line),
       before AS (PARTITION BY _file, job_number ORDER BY _line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING);

-- ---- 4. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, CASE WHEN executable_number IS NOT NULL THEN 'executable ' || executable_number END AS name,
       CASE WHEN group_id IS NOT NULL THEN 'group ' || group_id END AS owner,
       NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model,
       CASE WHEN queue_number IS NOT NULL THEN 'queue ' || queue_number END AS priority,
       max(coalesce(requested_processors, chips)) AS chips,
       CASE WHEN min(chips) <> max(coalesce(requested_processors, chips)) OR max(chips) <> max(coalesce(requested_processors, chips))
            THEN min(chips) END AS min_chips,
       NULL AS tasks, log_start + submitted AS submit_time,
       json_patch('{}', json_object('user', user_id, 'group', group_id, 'queue', queue_number, 'partition', partition_number,
                                    'executable', executable_number, 'preceding_job', preceding_job_number,
                                    'requested_seconds', requested_time)) AS labels
FROM swf_attempts
GROUP BY _file, job_number;

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
       min(coalesce(nullif(p.log_start, 0), a.log_start + a.submitted), a.log_start + a.submitted) AS start_time,
       max(a.end_time) AS end_time
FROM swf_pools AS p
JOIN (SELECT _file, min(log_start) AS log_start, min(submitted) AS submitted, max(start_time + coalesce(run_time, 0)) AS end_time
      FROM swf_attempts GROUP BY _file) AS a USING (_file)
WHERE p.chips IS NOT NULL
GROUP BY p._file;

-- ---- 5. What nobody needs any more ----

DROP TABLE swf_attempts;
DROP TABLE swf_pools;
DROP TABLE swf_jobs;
