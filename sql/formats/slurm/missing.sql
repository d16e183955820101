-- slurm/missing.sql - jobs that run or wait in one export of sacct, and that a later one lacks.
--
-- Reads slurm_rows and slurm_jobs; gives rows of slurm_attempts an end. A part of slurm.sql, which runs the parts in order.

-- An export has the jobs of its time, users and partitions. What was open when one was made, and is missing from a later one of its user
-- and partition that has jobs which started or were submitted since, ended in between: it lasts until it was last seen. (Exports of
-- parts of a cluster are made within minutes.) An export without any job that runs or waits may be of ended jobs alone: then nothing says
-- that the job is over.
--@ if EXISTS (SELECT 1 FROM slurm_attempts WHERE "End" IS NULL)
DROP TABLE IF EXISTS temp.slurm_open;
CREATE TEMP TABLE slurm_open AS
SELECT a.rowid AS row, a.job, a.id, a.cluster_name, iif(a.started, a.Start, a.Submit) AS begun, nullif(r.seen, 0) AS seen, j._file, j._line,
       j."User" AS user_name, j.Partition, r.seen > 0 AND j.state_base = 'RUNNING' AS runs, j.Suspended IS NOT NULL AS whole
FROM slurm_attempts AS a CROSS JOIN slurm_rows AS r ON r.row = a.row CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
WHERE a."End" IS NULL AND a.from_last = 1 AND j.last_update IS NULL;
DROP TABLE IF EXISTS temp.slurm_made;
CREATE TEMP TABLE slurm_made AS -- by file: when it was made, so far as it tells, and the time, users and partitions that it is of
SELECT j._file, r.cluster_name, j.Partition,
       max(max(max(r.seen, coalesce(r."End", 0), coalesce(r.Submit, 0), iif(r.started, r.Start, 0)))) OVER f AS made,
       max(max(max(coalesce(r.Submit, 0), iif(r.started, r.Start, 0)))) OVER f AS begun,
       max(max(r."End" IS NULL)) OVER f AS has_open, min(min(j."User")) OVER f AS one_user, max(max(j."User")) OVER f AS other_user
FROM (SELECT 1 FROM slurm_open
      WHERE (SELECT _file FROM slurm_jobs ORDER BY rowid LIMIT 1) <> (SELECT _file FROM slurm_jobs ORDER BY rowid DESC LIMIT 1) LIMIT 1)
CROSS JOIN slurm_rows AS r CROSS JOIN slurm_jobs AS j ON j.rowid = r.row
WHERE j.last_update IS NULL GROUP BY j._file, r.cluster_name, j.Partition WINDOW f AS (PARTITION BY j._file, r.cluster_name);
DROP TABLE IF EXISTS temp.slurm_shown;
CREATE TEMP TABLE slurm_shown AS
SELECT DISTINCT r.id, r.cluster_name, j._file
FROM (SELECT 1 FROM slurm_made LIMIT 1) CROSS JOIN slurm_rows AS r CROSS JOIN slurm_jobs AS j ON j.rowid = r.row
WHERE r.id IN (SELECT o.id FROM slurm_open AS o);
UPDATE temp.slurm_open SET seen = m.made
FROM slurm_made AS m WHERE slurm_open.seen IS NULL AND m._file = slurm_open._file AND m.cluster_name = slurm_open.cluster_name;
DROP TABLE IF EXISTS temp.slurm_missing;
CREATE TEMP TABLE slurm_missing AS
SELECT o.row, o.job, o._file, o._line, o.seen, max(m.has_open) AS over
FROM slurm_open AS o CROSS JOIN slurm_made AS m ON m.cluster_name = o.cluster_name AND m.Partition IS o.Partition
WHERE m._file <> o._file AND m.made > o.seen + 300 AND m.begun >= o.begun
  AND (o.user_name IS NULL OR m.one_user IS NULL OR m.one_user <> m.other_user OR m.one_user = o.user_name)
  AND iif((o.id, o.cluster_name, m._file) IN (SELECT s.id, s.cluster_name, s._file FROM slurm_shown AS s), 0, 1)
GROUP BY o.row;
-- Exports that were appended to one file: all that ran when one was made have run until then. Elapsed alone does not tell: it lacks the
-- time of a job that was suspended.
DROP TABLE IF EXISTS temp.slurm_behind;
CREATE TEMP TABLE slurm_behind AS
SELECT o.row, o.job, o._file, o._line, o.seen, o.whole
FROM slurm_open AS o JOIN (SELECT _file, cluster_name, max(seen) AS seen FROM slurm_open WHERE runs GROUP BY 1, 2) AS l
  ON l._file = o._file AND l.cluster_name = o.cluster_name
WHERE o.runs AND l.seen > o.seen + 300 AND o.row NOT IN (SELECT m.row FROM slurm_missing AS m);
INSERT INTO temp.slurm_missing SELECT row, job, _file, _line, seen, 1 FROM slurm_behind WHERE whole;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'jobs that run, and whose Elapsed ends before that of others, the first ' || min(job)
         || ': suspended meanwhile, or of an earlier export in the same file; they are held until the last time. Export Suspended'
FROM slurm_behind WHERE NOT whole GROUP BY _file;
DROP TABLE slurm_behind;
UPDATE temp.slurm_attempts SET "End" = m.seen FROM slurm_missing AS m WHERE m.row = slurm_attempts.rowid AND m.over;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'jobs that a later export lacks, the first ' || min(job)
         || iif(over, ': they ended when they were last seen', ': they are held until the last time of the exports')
         || '. Export the time between'
FROM slurm_missing GROUP BY _file, over;
DROP TABLE slurm_missing;
DROP TABLE slurm_shown;
DROP TABLE slurm_made;
DROP TABLE slurm_open;
--@ end
