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
       executable_number, queue_number, partition_number, preceding_job_number, unix_start_time, max_procs, max_nodes, computer, outcome,
       _file, _line
FROM swf_trace(mpg_required(:swf, ':swf'));

-- Where a file begins, and where a number is not above the one before: only there can a job have several lines.
DROP TABLE IF EXISTS temp.swf_breaks;
CREATE TEMP TABLE swf_breaks AS
SELECT s.rowid AS row, s._file IS NOT p._file AS of_file
FROM swf_jobs AS s LEFT JOIN swf_jobs AS p ON p.rowid = s.rowid - 1
WHERE s._file IS NOT p._file OR s.job_number IS NULL OR p.job_number IS NULL OR s.job_number <= p.job_number;

-- What lines lack and how far they lie apart, looked at once: what follows looks for faults only where there may be some.
DROP TABLE IF EXISTS temp.swf_survey;
CREATE TEMP TABLE swf_survey AS
SELECT coalesce(max(submit_time) - min(submit_time) > 284012568 OR max(max(wait_time), -min(wait_time)) > 315569520
                OR max(max(run_time), -min(run_time)) > 315569520 OR min(submit_time) < 0, 1) AS wide,
       min(count(job_number), count(submit_time)) < count(*) AS unplaced,
       min(count(run_time), count(wait_time), count(submit_time), count(coalesce(nullif(allocated_processors, 0), requested_processors)))
  < count(*) OR count(*) FILTER (WHERE allocated_processors = 0 AND run_time > 0) > 0 AS lacking,
       min(status) < 0 OR max(status) > 5 AS unknown, min(run_time) < 0 OR min(wait_time) < 0 AS negative
FROM swf_jobs;

-- What cannot be: a time that is more than ten years from the middle one, or before the log begins, or a wait or run of more; its line
-- counts as nothing.
--@ if (SELECT wide FROM swf_survey)
DROP TABLE IF EXISTS temp.swf_impossible;
CREATE TEMP TABLE swf_impossible AS
WITH middle AS (SELECT coalesce(mpg_median(CAST(submit_time / 31556952 AS INTEGER)), 0) AS year
                FROM swf_survey CROSS JOIN swf_jobs WHERE wide)
SELECT s.rowid AS row, _file, _line, job_number FROM swf_survey CROSS JOIN middle CROSS JOIN swf_jobs AS s
WHERE wide AND max(abs(coalesce(submit_time / 31556952 - year, 0)), abs(coalesce(wait_time, 0)) / 31556952,
                   abs(coalesce(run_time, 0)) / 31556952, iif(submit_time < 0, 99, 0)) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'a time of job ' || job_number || ' is more than ten years from the middle one, or below 0: its line is left out'
FROM swf_impossible GROUP BY _file;
DELETE FROM swf_jobs WHERE rowid IN (SELECT row FROM swf_impossible);
DROP TABLE swf_impossible;
--@ end

-- ---- 2. Logs: what of a file without a header is of the log before ----

-- A file's jobs lie one after the other, each with the file's header: what follows goes by rowid. A log that was split, perhaps within the
-- parts of a job, has its header in the first file alone: a file without any, whose numbers and times go on from those of the file before,
-- is of that one's log, which begins at the row `base`, in the file `log`.
DROP TABLE IF EXISTS temp.swf_files;
CREATE TEMP TABLE swf_files AS
WITH begin AS (
  SELECT row, coalesce(lead(row) OVER (ORDER BY row) - 1, (SELECT max(rowid) FROM swf_jobs)) AS last FROM swf_breaks WHERE of_file
),
whole AS ( -- without files of which every line was left out
  SELECT (SELECT min(s.rowid) FROM swf_jobs AS s WHERE s.rowid BETWEEN b.row AND b.last) AS first, last FROM begin AS b
),
files AS ( -- of a job's parts the first alone has the submit time
  SELECT first, last, _file, coalesce(computer, unix_start_time, max_procs, max_nodes) IS NULL AS bare,
         (SELECT n.job_number FROM swf_jobs AS n WHERE n.rowid BETWEEN first AND last AND n.job_number IS NOT NULL LIMIT 1) AS number,
         (SELECT t.submit_time FROM swf_jobs AS t WHERE t.rowid BETWEEN first AND last AND t.submit_time IS NOT NULL LIMIT 1) AS submitted
  FROM whole CROSS JOIN swf_jobs AS s ON s.rowid = first
),
compared AS (
  SELECT *, lag(first) OVER (ORDER BY first) AS former,
         (SELECT b.submitted FROM files AS b WHERE b.first < f.first AND b.submitted IS NOT NULL ORDER BY b.first DESC LIMIT 1) AS before
  FROM files AS f
),
parts AS (
  SELECT *, sum(NOT goes_on) OVER (ORDER BY first) AS log
  FROM (SELECT *, CASE WHEN bare AND coalesce(submitted >= before, submitted IS NULL)
                         THEN coalesce(number >= (SELECT max(job_number) FROM swf_jobs WHERE rowid BETWEEN former AND first - 1), 0)
                       ELSE 0 END AS goes_on
        FROM compared)
)
SELECT first, last, _file, iif(first_value(bare) OVER of_log, first, first_value(first) OVER of_log) AS base,
       iif(first_value(bare) OVER of_log, _file, first_value(_file) OVER of_log) AS log
FROM parts WINDOW of_log AS (PARTITION BY log ORDER BY first);
DROP TABLE IF EXISTS temp.swf_joined;
CREATE TEMP TABLE swf_joined(file PRIMARY KEY, log) WITHOUT ROWID;
INSERT INTO swf_joined SELECT _file, log FROM swf_files WHERE first <> base;

-- ---- 3. Lines that lack something ----

DROP TABLE IF EXISTS temp.swf_several;
CREATE TEMP TABLE swf_several(number PRIMARY KEY) WITHOUT ROWID;
--@ if EXISTS (SELECT 1 FROM swf_breaks WHERE NOT of_file) OR EXISTS (SELECT 1 FROM swf_joined)
INSERT INTO swf_several
SELECT DISTINCT job_number FROM (SELECT job_number FROM swf_jobs
                                 WHERE job_number IS NOT NULL
                                   AND (EXISTS (SELECT 1 FROM swf_breaks WHERE NOT of_file) OR EXISTS (SELECT 1 FROM swf_joined))
                                 GROUP BY coalesce((SELECT j.log FROM swf_joined AS j WHERE j.file = _file), _file), job_number
                                 HAVING count(*) > 1);
--@ end
-- Their lines, with the file in which their log begins.
DROP TABLE IF EXISTS temp.swf_of_several;
CREATE TEMP TABLE swf_of_several(row INTEGER PRIMARY KEY, log, number);
INSERT INTO swf_of_several
SELECT s.rowid, coalesce((SELECT j.log FROM swf_joined AS j WHERE j.file = s._file), s._file), job_number
FROM (SELECT 1 FROM swf_several LIMIT 1) CROSS JOIN swf_jobs AS s WHERE job_number IN (SELECT number FROM swf_several);

-- A line without a number is of no job, and one whose job says nowhere when it was submitted of no time: it counts as nothing.
--@ if (SELECT unplaced FROM swf_survey)
DROP TABLE IF EXISTS temp.swf_lacking;
CREATE TEMP TABLE swf_lacking AS
SELECT s.rowid AS row, _file, _line
FROM swf_survey CROSS JOIN swf_jobs AS s
WHERE unplaced AND (job_number IS NULL
   OR submit_time IS NULL AND s.rowid NOT
                        IN (SELECT row FROM swf_of_several
                            WHERE (log, number) IN (SELECT o.log, o.number
                                                    FROM swf_of_several AS o CROSS JOIN swf_jobs AS t ON t.rowid = o.row
                                                    WHERE t.submit_time IS NOT NULL)));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'missing_field', min(_line), count(*), 'lines lack the job number or the submit time: left out'
FROM swf_lacking GROUP BY _file;
DELETE FROM swf_jobs WHERE rowid IN (SELECT row FROM swf_lacking);
DROP TABLE swf_lacking;
--@ end

-- A line that repeats another is of the same job once. A part that ran, or a job that ended well, without its run time holds nothing,
-- and one of which neither number of processors is known is not counted.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'repeated_record', min(_line), count(*),
       'lines of job ' || job_number || ' that repeat another one exactly: they count once'
FROM (SELECT _file, _line, job_number,
             row_number() OVER (PARTITION BY log, job_number, submit_time, wait_time, run_time, allocated_processors, status
                                ORDER BY s.rowid) AS nth
      FROM swf_of_several AS o CROSS JOIN swf_jobs AS s ON s.rowid = o.row)
WHERE nth > 1 GROUP BY _file;
DELETE FROM swf_jobs WHERE rowid IN (
  SELECT row FROM (SELECT row, row_number() OVER (PARTITION BY log, job_number, submit_time, wait_time, run_time, allocated_processors,
                                                               status ORDER BY row) AS nth
                   FROM swf_of_several AS o CROSS JOIN swf_jobs AS s ON s.rowid = o.row)
  WHERE nth > 1);
--@ if (SELECT lacking FROM swf_survey)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'job ' || job_number || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT _file, _line, job_number,
             CASE WHEN coalesce(status, -1) IN (0, 1, 2, 3, 4) AND run_time IS NULL THEN 'run time'
                  WHEN status IS NULL AND run_time IS NULL AND allocated_processors > 0 THEN 'run time, though it got processors'
                  WHEN coalesce(nullif(allocated_processors, 0), requested_processors) IS NULL THEN 'processors'
                  WHEN allocated_processors = 0 AND run_time > 0 THEN 'processors, though it ran: those that it requested count'
                  WHEN status IS NOT NULL AND wait_time IS NULL AND run_time > 0 THEN 'wait'
                  WHEN status IS NOT NULL AND wait_time IS NULL AND run_time IS NULL
                    AND coalesce(nullif(allocated_processors, 0), requested_processors) > 0
                    THEN 'wait, and never ran: how long it asked for processors is not known'
                  WHEN submit_time IS NULL AND coalesce(status, -1) NOT IN (2, 3, 4) THEN 'submit time' END AS field
      FROM swf_survey CROSS JOIN swf_jobs WHERE lacking)
WHERE field IS NOT NULL GROUP BY _file, field;
--@ end
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', min(_line), count(*),
       'states that the format does not have, whose outcome is not known: ' || group_concat(DISTINCT status)
FROM swf_survey CROSS JOIN swf_jobs WHERE unknown AND status NOT IN (0, 1, 2, 3, 4, 5) GROUP BY _file;
-- A file that was exported again, after more jobs: it is of one machine, whose log began then.
--@ if EXISTS (SELECT 1 FROM swf_breaks WHERE of_file LIMIT 1 OFFSET 1)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'duplicate_allocation', min(_line), count(*),
       'lines that ' || min(first) || ' has as well: they count twice. Of two exports of one log read the later alone'
FROM (SELECT _file, _line, min(_file) OVER (PARTITION BY computer, unix_start_time, job_number, submit_time, wait_time, run_time,
                                            allocated_processors, status) AS first
      FROM swf_jobs WHERE unix_start_time IS NOT NULL AND EXISTS (SELECT 1 FROM swf_breaks WHERE of_file LIMIT 1 OFFSET 1))
WHERE first <> _file GROUP BY _file;
--@ end
-- The parts of a job that is listed in parts last as long as its summary says.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'parts_disagree', min(line), count(*),
       'the parts of job ' || job_number || ' do not last as long as its summary says: the parts count'
FROM (SELECT _file, job_number, _line AS line, min(row) FROM swf_of_several AS o CROSS JOIN swf_jobs AS s ON s.rowid = o.row
      GROUP BY log, job_number
      HAVING sum(status IN (2, 3, 4)) > 0
        AND sum(run_time) FILTER (WHERE status NOT IN (2, 3, 4)) <> sum(run_time) FILTER (WHERE status IN (2, 3, 4)))
GROUP BY _file;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT s._file, 'warning', 'line_out_of_order', min(s._line), count(*),
       'the first part of job ' || job_number || ', which has the submit time, is below others: the parts count in the order of the lines'
FROM (SELECT _file, _line, job_number, submit_time, row, min(iif(submit_time IS NULL, row, NULL)) OVER (PARTITION BY log, number) AS later
      FROM swf_of_several AS o CROSS JOIN swf_jobs AS s ON s.rowid = o.row WHERE status IN (2, 3, 4)) AS s
WHERE submit_time IS NOT NULL AND later < row
GROUP BY s._file;

-- A job that ended before it started held nothing, and one that started before it was submitted did not wait.
--@ if (SELECT negative FROM swf_survey)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*),
       'job ' || job_number || ' has a run time or a wait below 0: it counts as 0'
FROM swf_survey CROSS JOIN swf_jobs WHERE negative AND (run_time < 0 OR wait_time < 0) GROUP BY _file;
UPDATE swf_jobs SET run_time = max(run_time, 0), wait_time = max(wait_time, 0)
WHERE (SELECT negative FROM swf_survey) AND (run_time < 0 OR wait_time < 0);
--@ end
DROP TABLE swf_survey;

-- ---- 4. Pools: the log's Computer, with a number where two logs are of one name ----

DROP TABLE IF EXISTS temp.swf_pools;
CREATE TEMP TABLE swf_pools AS
WITH left_over AS ( -- without files of which every line was left out, or counted as another's
  SELECT f.*, h._file AS head, coalesce(h.computer, 'swf') AS name, coalesce(h.unix_start_time, 0) AS log_start,
         coalesce(h.max_procs, h.max_nodes) AS chips
  FROM swf_files AS f
  CROSS JOIN swf_jobs AS h ON h.rowid = (SELECT min(s.rowid) FROM swf_jobs AS s WHERE s.rowid BETWEEN f.first AND f.last)
),
named AS (
  SELECT base, log_start, chips,
         name || CASE WHEN count(*) OVER (PARTITION BY name) > 1 THEN ' ' || row_number() OVER (PARTITION BY name ORDER BY head)
                      ELSE '' END AS pool,
         CASE WHEN count(*) OVER () > 1 THEN row_number() OVER (ORDER BY head) || '/' ELSE '' END AS prefix
  FROM (SELECT *, min(first) FROM left_over GROUP BY base)
)
SELECT first, last, n.log_start, n.chips, pool, prefix, base, _file, log FROM left_over JOIN named AS n USING (base) ORDER BY first;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT p._file, 'info', 'joined_log', NULL, p.last - p.first + 1,
       'lines of a file without a header, whose numbers and times go on from those of ' || p.log || ': they are of its log'
FROM swf_pools AS p WHERE p.first <> p.base GROUP BY p._file;

-- ---- 5. Attempts of jobs of several lines: one a line, except the summary of a job in parts (status 2, 3, 4) ----

-- Most jobs have one line, and are read where they lie.
DROP TABLE IF EXISTS temp.swf_repeated;
CREATE TEMP TABLE swf_repeated(row INTEGER PRIMARY KEY);
INSERT INTO swf_repeated
SELECT row FROM swf_of_several
WHERE (log, number) IN (SELECT o.log, o.number FROM swf_of_several AS o CROSS JOIN swf_jobs AS s ON s.rowid = o.row
                        GROUP BY 1, 2 HAVING count(*) > 1);

-- Only the first part of a job has a submit time; the wait of the others is since the end of the part
-- before.
DROP TABLE IF EXISTS temp.swf_attempts;
CREATE TEMP TABLE swf_attempts AS
WITH named AS (
  SELECT s.rowid AS row, base, _line, pool, log_start, CAST(prefix || job_number AS TEXT) AS job, job_number,
         coalesce(status IN (2, 3, 4), 0) AS is_part, submit_time, wait_time, run_time, requested_processors,
         coalesce(nullif(allocated_processors, 0), requested_processors) AS chips, outcome
  FROM swf_pools AS p CROSS JOIN swf_repeated AS r ON r.row BETWEEN first AND last CROSS JOIN swf_jobs AS s ON s.rowid = r.row
),
in_parts AS (
  SELECT *, max(is_part) OVER of_job AS in_parts, min(submit_time) OVER of_job AS submitted
  FROM named
  WINDOW of_job AS (PARTITION BY base, job_number)
)
SELECT row, base, pool, log_start, job, job_number, chips, requested_processors, submitted, run_time, outcome,
       row_number() OVER so_far AS attempt,
       -- a number that is given again: submitted anew, or run anew
       CASE WHEN submit_time > submitted OR NOT in_parts THEN log_start + coalesce(submit_time, submitted) + coalesce(wait_time, 0)
            ELSE log_start + submitted + sum(coalesce(wait_time, 0)) OVER so_far
              + coalesce(sum(coalesce(run_time, 0)) OVER before, 0) END AS start_time
FROM in_parts
WHERE is_part = in_parts AND chips > 0
WINDOW so_far AS (PARTITION BY base, job_number ORDER BY row),
       before AS (PARTITION BY base, job_number ORDER BY row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING);

-- ---- 6. The relations ----

-- What is not known is left out of the labels: json_patch does so, and takes as long as all else of a job.
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
WITH any_repeated AS (SELECT EXISTS (SELECT 1 FROM swf_repeated) AS any_repeated),
needs AS (
  SELECT CAST(prefix || job_number AS TEXT) AS job, log_start + submit_time AS submitted,
         coalesce(requested_processors, nullif(allocated_processors, 0)) AS needed,
         coalesce(nullif(allocated_processors, 0), requested_processors) AS least,
         coalesce(nullif(allocated_processors, 0), requested_processors) AS most,
         user_id, group_id, queue_number, partition_number, executable_number, preceding_job_number, requested_time
  FROM any_repeated CROSS JOIN swf_pools AS p CROSS JOIN swf_jobs AS s ON s.rowid BETWEEN first AND last
  WHERE coalesce(nullif(allocated_processors, 0), requested_processors) > 0
    AND NOT (any_repeated AND s.rowid IN (SELECT row FROM swf_repeated))
  UNION ALL
  SELECT job, submitted, needed, least, most, user_id, group_id, queue_number, partition_number, executable_number, preceding_job_number,
         requested_time
  FROM (SELECT max(row) AS row, job, log_start + submitted AS submitted, max(coalesce(requested_processors, chips)) AS needed,
               min(chips) AS least, max(chips) AS most
        FROM swf_attempts GROUP BY base, job_number) AS a CROSS JOIN swf_jobs AS s ON s.rowid = a.row
)
SELECT job, 'executable ' || executable_number AS name, 'group ' || group_id AS owner,
       NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model, 'queue ' || queue_number AS priority,
       needed AS chips, CASE WHEN least <> needed OR most <> needed THEN least END AS min_chips,
       NULL AS tasks, submitted AS submit_time,
       CASE WHEN user_id + group_id + queue_number + partition_number + executable_number + requested_time IS NULL
            THEN json_patch('{}', json_object('user', user_id, 'group', group_id, 'queue', queue_number, 'partition', partition_number,
                                              'executable', executable_number, 'preceding_job', preceding_job_number, 'requested_seconds',
                                              requested_time))
            WHEN preceding_job_number IS NULL
            THEN json_object('user', user_id, 'group', group_id, 'queue', queue_number, 'partition', partition_number,
                             'executable', executable_number, 'requested_seconds', requested_time)
            ELSE json_object('user', user_id, 'group', group_id, 'queue', queue_number, 'partition', partition_number,
                             'executable', executable_number, 'preceding_job', preceding_job_number, 'requested_seconds',
                             requested_time) END AS labels
FROM needs;

-- A job without a run time never ran: it holds nothing at the moment it left, which closes its demand.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT CAST(prefix || job_number AS TEXT) AS job, 1 AS attempt, NULL AS task, pool,
       CASE WHEN run_time IS NULL THEN 0 ELSE coalesce(nullif(allocated_processors, 0), requested_processors) END AS chips,
       log_start + submit_time + coalesce(wait_time, 0) AS start_time,
       log_start + submit_time + coalesce(wait_time, 0) + coalesce(run_time, 0) AS end_time, outcome
FROM (SELECT EXISTS (SELECT 1 FROM swf_repeated) AS any_repeated) CROSS JOIN swf_pools AS p
CROSS JOIN swf_jobs AS s ON s.rowid BETWEEN first AND last
WHERE coalesce(nullif(allocated_processors, 0), requested_processors) > 0
  AND NOT (any_repeated AND s.rowid IN (SELECT row FROM swf_repeated))
UNION ALL
SELECT job, attempt, NULL, pool, CASE WHEN run_time IS NULL THEN 0 ELSE chips END, start_time, start_time + coalesce(run_time, 0), outcome
FROM swf_attempts;

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
WITH told AS ( -- in the order of the pools: nothing is sorted
  SELECT p.base, min(submit_time) AS submitted,
         max(log_start + submit_time + coalesce(wait_time, 0) + coalesce(run_time, 0)) AS end_time
  FROM (SELECT EXISTS (SELECT 1 FROM swf_repeated) AS any_repeated) CROSS JOIN swf_pools AS p
  CROSS JOIN swf_jobs AS s ON s.rowid BETWEEN first AND last
  WHERE coalesce(nullif(allocated_processors, 0), requested_processors) > 0
    AND NOT (any_repeated AND s.rowid IN (SELECT row FROM swf_repeated))
  GROUP BY p.rowid
  UNION ALL
  SELECT base, min(submitted), max(start_time + coalesce(run_time, 0)) FROM swf_attempts GROUP BY base
)
SELECT p.pool, NULL AS chip, p.chips,
       min(coalesce(nullif(p.log_start, 0), p.log_start + min(submitted)), p.log_start + min(submitted)) AS start_time,
       max(end_time) AS end_time
FROM told JOIN swf_pools AS p USING (base)
WHERE p.chips IS NOT NULL
GROUP BY p.base;

-- ---- 7. Tables that are no longer needed ----

DROP TABLE swf_attempts;
DROP TABLE swf_repeated;
DROP TABLE swf_of_several;
DROP TABLE swf_joined;
DROP TABLE swf_files;
DROP TABLE swf_several;
DROP TABLE swf_breaks;
DROP TABLE swf_pools;
DROP TABLE swf_jobs;
