-- dcgm/steps.sql - the time from each sample of a chip to the next, whoever has it then, and the usual one.
--
-- Reads dcgm_samples and dcgm_files. Makes dcgm_steps, a row a sample, and dcgm_spacing.
-- A part of dcgm.sql, which says what the parameters are.

-- A series is of one chip and owner: as numbers, so that what follows moves no texts. place: a measure on a host.
DROP TABLE IF EXISTS temp.dcgm_who;
CREATE TEMP TABLE dcgm_who AS
SELECT kind, series,
       dense_rank() OVER (ORDER BY kind, host, gpu, uuid, slice, iif(uuid IS NULL AND (host IS NULL OR gpu IS NULL), owner, '')) AS chip_no,
       dense_rank() OVER (ORDER BY owner) AS owner_no, dense_rank() OVER (ORDER BY kind, host) AS place,
       dense_rank() OVER (ORDER BY file) AS file
FROM (SELECT kind, series, host, gpu, uuid, slice,
             coalesce(namespace, '') || '/' || coalesce(pod, '') || '/' || coalesce(container, '') || '/' || coalesce(hpc_job, '') AS owner
      FROM dcgm_samples GROUP BY kind, series) LEFT JOIN dcgm_files USING (series);
CREATE UNIQUE INDEX temp.dcgm_who_of ON dcgm_who(series, kind);

-- Pods that share a chip have samples at one time: the next is that of another time.
DROP TABLE IF EXISTS temp.dcgm_steps;
CREATE TEMP TABLE dcgm_steps(row INTEGER PRIMARY KEY, chip_no, owner_no, place, file, time, step, same_file, same_owner, is_turn, anew);
INSERT INTO dcgm_steps
SELECT s.rowid, chip_no, owner_no, place, file, time, min(time) OVER next - time, min(file) OVER next = file,
       min(time) OVER next = min(time) OVER (PARTITION BY chip_no, owner_no ORDER BY time GROUPS BETWEEN 1 FOLLOWING AND 1 FOLLOWING),
       min(owner_no) OVER (chip GROUPS BETWEEN 1 PRECEDING AND 1 PRECEDING) <> owner_no, NULL
FROM dcgm_samples AS s CROSS JOIN dcgm_who AS w ON w.series = s.series AND w.kind = s.kind
WINDOW chip AS (PARTITION BY chip_no ORDER BY time), next AS (chip GROUPS BETWEEN 1 FOLLOWING AND 1 FOLLOWING);

-- The usual one of a measure on a host in a file, which may be of a query with a step of its own; of all files, if it does not tell.
DROP TABLE IF EXISTS temp.dcgm_spacing;
CREATE TEMP TABLE dcgm_spacing(place, file, spacing, PRIMARY KEY (place, file)) WITHOUT ROWID;
INSERT INTO dcgm_spacing
WITH ranked AS (
  SELECT place, step, row_number() OVER (PARTITION BY place ORDER BY step) AS rank, count(*) OVER (PARTITION BY place) AS n
  FROM dcgm_steps WHERE step IS NOT NULL
),
ranked_of_file AS (
  SELECT place, file, step, row_number() OVER (PARTITION BY place, file ORDER BY step) AS rank,
         count(*) OVER (PARTITION BY place, file) AS n
  FROM dcgm_steps WHERE step IS NOT NULL AND same_file
),
usual AS MATERIALIZED (SELECT place, step FROM ranked WHERE rank = (n + 1) / 2),
own AS MATERIALIZED (SELECT place, file, step FROM ranked_of_file WHERE rank = (n + 1) / 2 AND n > 2)
SELECT w.place, w.file, coalesce((SELECT step FROM own AS o WHERE o.place = w.place AND o.file = w.file),
                                 (SELECT step FROM usual AS u WHERE u.place = w.place))
FROM (SELECT DISTINCT place, file FROM dcgm_who) AS w;
DROP TABLE dcgm_who;

-- Four long steps in a row that are alike are another spacing, as of a server whose interval was changed.
DROP TABLE IF EXISTS temp.dcgm_anew;
CREATE TEMP TABLE dcgm_anew(row INTEGER PRIMARY KEY, anew);
INSERT INTO dcgm_anew
SELECT row, max(iif(before_3 IS NOT NULL AND before_most <= 2 * before_least, before_least, 0),
                iif(after_3 IS NOT NULL AND after_most <= 2 * after_least, after_least, 0))
FROM (
  SELECT row, place, file, step, min(step) OVER before AS before_least, max(step) OVER before AS before_most,
         min(step) OVER after AS after_least, max(step) OVER after AS after_most,
         min(step) OVER (chip GROUPS BETWEEN 3 PRECEDING AND 3 PRECEDING) AS before_3,
         min(step) OVER (chip GROUPS BETWEEN 3 FOLLOWING AND 3 FOLLOWING) AS after_3
  FROM dcgm_steps
  WHERE chip_no IN (SELECT chip_no FROM dcgm_steps JOIN dcgm_spacing USING (place, file) WHERE step > 2 * spacing
                    GROUP BY chip_no HAVING count(*) > 3)
  WINDOW chip AS (PARTITION BY chip_no ORDER BY time), before AS (chip GROUPS BETWEEN 3 PRECEDING AND CURRENT ROW),
         after AS (chip GROUPS BETWEEN CURRENT ROW AND 3 FOLLOWING))
JOIN dcgm_spacing USING (place, file) WHERE step > 2 * spacing;
UPDATE dcgm_steps SET anew = a.anew FROM dcgm_anew AS a WHERE a.row = dcgm_steps.row AND a.anew > 0;
DROP TABLE dcgm_anew;
