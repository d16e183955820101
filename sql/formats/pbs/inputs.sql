-- pbs/inputs.sql - records of jobs, without what cannot be, and tasks of arrays that wait.
--
-- Reads pbs_trace. Makes pbs_records, pbs_faults, pbs_ids and pbs_of_jobs.
-- A part of pbs.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS pbs_records AS
SELECT date_time, substr(record_type, -1) AS record_type, id_string, "user", "group", account, project, jobname, queue, ctime, qtime, start,
       "end", "Resource_List.walltime", "resources_used.walltime", Exit_status, job_base, array_index, server, outcome, gpu_type,
       json_array_length(nodes) AS nodes,
       CASE WHEN array_index = '' AND record_type IN ('Q', 'S') THEN array_indices END AS array_indices,
       CASE WHEN record_type = 'z' OR other GLOB '*[Rr]esource*' THEN other END AS other, -- of the others nobody asks
       CASE WHEN coalesce(req_gpus, 0) = 0 THEN coalesce("Resource_List.select", "Resource_List.nodes") END AS "Resource_List.select",
       _file, _line,
       CASE WHEN "Resource_List.nodes" LIKE '%:shared%' THEN "Resource_List.nodes" END AS "Resource_List.nodes",
       -- whether it tells any
       CASE WHEN record_type = 'Q' THEN coalesce("Resource_List.ncpus", "Resource_List.nodect",
                                                 "Resource_List.walltime") END AS "Resource_List.ncpus",
       CASE WHEN record_type IN ('S', 'T', 'QSE', 'SE') THEN exec_host END AS exec_host,
       CASE WHEN record_type IN ('S', 'T', 'QSE', 'SE') THEN exec_gpus END AS exec_gpus,
       -- an end that says again what the records before it said: the reader leaves those out
       CASE WHEN record_type IN ('QSE', 'SE', 'QE') THEN ';' || record_type END AS message_text,
       CASE WHEN :chips_per_node IS NOT NULL THEN :chips_per_node * "Resource_List.nodect"
            WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots') THEN req_cpus ELSE req_gpus END AS asked,
       CASE WHEN :chips_per_node IS NOT NULL THEN :chips_per_node * json_array_length(nodes)
            WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots') THEN alloc_cpus ELSE alloc_gpus END AS held
FROM pbs_trace(mpg_required(:pbs, ':pbs'), coalesce(:zone, 'UTC'));

-- What there is to mend, in one pass: most logs have none of it, and are not read again for each.
DROP TABLE IF EXISTS temp.pbs_faults;
CREATE TEMP TABLE pbs_faults AS
SELECT count(*) FILTER (WHERE date_time < low OR date_time > high OR ctime < low OR ctime > high OR qtime < low OR qtime > high
                                OR start < low OR start > high OR "end" < low OR "end" > high) > 0 AS of_time,
       count(*) FILTER (WHERE CASE record_type WHEN 'S' THEN start IS NULL OR coalesce(ctime, qtime) IS NULL
                                               WHEN 'E' THEN start IS NULL OR "end" IS NULL OR Exit_status IS NULL END) AS of_field,
       count(*) FILTER (WHERE "Resource_List.nodes" IS NOT NULL OR instr(gpu_type, 'g.')) AS of_share,
       count(*) FILTER (WHERE record_type = 'B') AS of_reservation,
       count(*) FILTER (WHERE record_type = 'Q' AND asked IS NULL AND "Resource_List.ncpus" IS NULL) AS of_asked,
       count(*) FILTER (WHERE other IS NOT NULL OR "Resource_List.select" IS NOT NULL AND coalesce(asked, 0) = 0) AS of_resource,
       count(*) FILTER (WHERE record_type <> 'Q' AND record_type <> 'S' AND record_type <> 'E'
                              AND record_type NOT GLOB '[ABCDEGKLMPQRSTUYacdekprsuvxz]' OR record_type IS NULL) AS of_type,
       f.server, count(*) FILTER (WHERE coalesce(r.server, 'pbs') <> f.server) > 0 AS of_servers, count(job_base) > 0 AS of_jobs
-- four years and a half before the first and after it
FROM (SELECT coalesce(server, 'pbs') AS server, coalesce(date_time, 0) - 4.5 * 31556952 AS low,
             coalesce(date_time, 0) + 4.5 * 31556952 AS high
      FROM pbs_records ORDER BY rowid LIMIT 1) AS f CROSS JOIN pbs_records AS r;
UPDATE pbs_faults SET of_time = (
  SELECT max(max(date_time, coalesce(ctime, date_time), coalesce(qtime, date_time), coalesce(start, date_time), coalesce("end", date_time)))
           -- years are rounded down below
           - min(min(date_time, coalesce(ctime, date_time), coalesce(qtime, date_time), coalesce(start, date_time),
                     coalesce("end", date_time))) > 9 * 31556952 FROM pbs_records)
WHERE of_time;

-- What cannot be: a time that is more than ten years from the middle one; its record counts as nothing. Each record says three: its own,
-- and when the job was queued, started or ended.
DROP TABLE IF EXISTS temp.pbs_impossible;
CREATE TEMP TABLE pbs_impossible AS
WITH said AS ( -- at least
  SELECT date_time FROM pbs_faults CROSS JOIN pbs_records WHERE coalesce(of_time, 1)
  UNION ALL
  SELECT date_time - "end" + qtime FROM pbs_faults CROSS JOIN pbs_records WHERE coalesce(of_time, 1) AND message_text IN (';QSE', ';QE')
  UNION ALL
  SELECT date_time - "end" + start FROM pbs_faults CROSS JOIN pbs_records WHERE coalesce(of_time, 1) AND message_text IN (';QSE', ';SE')
),
middle AS MATERIALIZED (SELECT mpg_median(date_time / 31556952) AS year FROM said)
SELECT r.rowid AS row, _file, _line, id_string FROM pbs_faults CROSS JOIN pbs_records AS r CROSS JOIN middle
WHERE coalesce(of_time, 1) AND max(abs(coalesce(date_time / 31556952 - year, 0)), abs(coalesce(ctime / 31556952 - year, 0)),
                                   abs(coalesce(qtime / 31556952 - year, 0)),
          abs(coalesce(start / 31556952 - year, 0)), abs(coalesce("end" / 31556952 - year, 0))) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'a time of job ' || id_string || ' is more than ten years from the middle one: its record is left out'
FROM pbs_impossible GROUP BY _file;
DELETE FROM pbs_records WHERE rowid IN (SELECT row FROM pbs_impossible);
DROP TABLE pbs_impossible;

-- A record of a start or an end that does not say it, or of a job that runs and whose chips are unknown, counts as far as it says.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'record ' || record_type || ' of job ' || id_string || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT _file, _line, record_type, id_string,
             CASE WHEN record_type IN ('S', 'E') AND start IS NULL THEN 'start' WHEN record_type = 'E' AND "end" IS NULL THEN 'end'
                  WHEN record_type = 'E' AND Exit_status IS NULL THEN 'Exit_status'
                  WHEN record_type = 'S' AND coalesce(ctime, qtime) IS NULL THEN 'ctime and qtime' END AS field
      FROM pbs_faults CROSS JOIN pbs_records WHERE of_field AND array_index IS NOT '') -- an array as a whole is no job
WHERE field IS NOT NULL GROUP BY _file, record_type, field;
-- Before PBS Pro 19 a job's Q record names no resources: only those that start ask for chips.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(DISTINCT id_string),
       'jobs that did not start and whose records name no resources, such as ' || min(id_string) || ': they ask for nothing'
FROM pbs_faults CROSS JOIN pbs_records
WHERE of_asked AND record_type = 'Q' AND job_base IS NOT NULL AND asked IS NULL AND "Resource_List.ncpus" IS NULL
  AND EXISTS (SELECT 1 FROM pbs_records WHERE asked > 0)
  AND id_string NOT IN (SELECT id_string FROM pbs_records WHERE record_type <> 'Q' AND (start IS NOT NULL OR asked IS NOT NULL))
GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'reservation', min(_line), count(*),
       'reservations with chips, which hold none but for the jobs that run in them, the first ' || min(id_string) || ': '
         || CAST(total(asked * ("end" - start)) AS INTEGER) || ' chip-seconds'
FROM pbs_faults CROSS JOIN pbs_records WHERE of_reservation AND record_type = 'B' AND job_base IS NULL AND asked > 0 GROUP BY _file;
-- Chips of another vendor, by a resource that a site has named: what is no GPU counts as none.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', min(_line), count(DISTINCT id_string),
       'only ngpus and gpus count as chips, and not ' || group_concat(DISTINCT rtrim(resource, '='))
FROM (SELECT _file, _line, id_string,
             o.key || CASE WHEN CAST(o.value AS INTEGER) > 0 THEN '='
                           WHEN o.key GLOB '*.gres' OR o.key GLOB '*.ngpus' AND o.value GLOB '*[^0-9]*' THEN '=' || o.value
                           ELSE '' END AS resource FROM pbs_faults CROSS JOIN pbs_records CROSS JOIN json_each(other) AS o
      WHERE of_resource AND other GLOB '*[Rr]esource*'
      UNION ALL
      SELECT _file, _line, id_string, 'in select: ' || substr("Resource_List.select", 1, 60)
      FROM pbs_faults CROSS JOIN pbs_records WHERE of_resource AND "Resource_List.select" IS NOT NULL AND coalesce(asked, 0) = 0)
WHERE lower(resource) GLOB '*npu*' OR lower(resource) GLOB '*tpu*' OR lower(resource) GLOB '*mlu*' OR lower(resource) GLOB '*dcu*'
  OR lower(resource) GLOB '*gcu*'
   OR lower(resource) GLOB '*hpu*' OR lower(resource) GLOB '*xpu*' OR lower(resource) GLOB '*ipu*' OR lower(resource) GLOB '*neuron*'
   OR lower(resource) GLOB '*gaudi*'
   -- an amount that is no number
   OR lower(resource) GLOB '*ascend*' OR lower(resource) GLOB '*accel*' OR lower(resource) GLOB '*mig*' OR lower(resource) GLOB '*gpu*='
   OR lower(resource) GLOB '*.ngpus=*'
   OR lower(resource) GLOB 'in select*gpu*=[1-9]*' OR lower(resource) GLOB '*gres=*gpu*' OR lower(resource) GLOB 'in select*:mics=[1-9]*'
   -- a property of a node
   OR lower(resource) GLOB 'in select*:gpu' OR lower(resource) GLOB 'in select*:gpu[+:#]*' OR lower(resource) GLOB 'in select*:gpus'
   OR lower(resource) GLOB 'in select*:gpus[+:#]*'
GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'guessed_share', min(_line), count(DISTINCT id_string),
       'jobs on slices of GPUs (gpu_type) or on GPUs that others share (gpus=1:shared), such as ' || min(id_string)
         || ': each counts as a chip'
FROM pbs_faults CROSS JOIN pbs_records
WHERE of_share AND max(coalesce(asked, 0), coalesce(held, 0)) > 0
  AND ("Resource_List.nodes" LIKE '%:gpus=%:shared%' OR gpu_type GLOB '*[1-7]g.[0-9]*gb*') GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_record', min(_line), count(*),
       'records of types that are not known: left out: ' || group_concat(DISTINCT record_type)
FROM pbs_faults CROSS JOIN pbs_records WHERE of_type AND (record_type NOT GLOB '[ABCDEGKLMPQRSTUYacdekprsuvxz]' OR record_type IS NULL)
GROUP BY _file;

-- ---- 2. Records of jobs: not of reservations and licences, nor of arrays as a whole ----

DROP TABLE IF EXISTS temp.pbs_ids;
CREATE TEMP TABLE pbs_ids AS
SELECT id_string AS name, max(ctime) > min(ctime) + 1 AND max(array_index) IS NULL AS anew
FROM pbs_records GROUP BY id_string HAVING max(max(coalesce(asked, 0), coalesce(held, 0))) > 0;
-- A number that is given anew, once the numbers are used up or by a server that was set up again, is another job's: 123.server#2.
DROP TABLE IF EXISTS temp.pbs_uses;
CREATE TEMP TABLE pbs_uses AS
SELECT name, ctime, row_number() OVER (PARTITION BY name ORDER BY ctime) AS nth
FROM (SELECT DISTINCT name, ctime FROM pbs_ids CROSS JOIN pbs_records ON id_string = name WHERE anew AND ctime IS NOT NULL);
CREATE INDEX temp.pbs_uses_of ON pbs_uses(name, ctime);
UPDATE pbs_records SET id_string = id_string || '#' || nth
FROM (SELECT r.rowid AS row, (SELECT max(u.nth) FROM pbs_uses AS u
                              WHERE u.name = r.id_string AND u.ctime <= coalesce(r.ctime, r.date_time)) AS nth
      FROM (SELECT 1 FROM pbs_uses LIMIT 1) CROSS JOIN pbs_records AS r WHERE id_string IN (SELECT name FROM pbs_uses)) AS n
WHERE n.row = pbs_records.rowid AND nth > 1;
INSERT INTO pbs_ids(name) SELECT DISTINCT name || '#' || nth FROM pbs_uses WHERE nth > 1;
DROP TABLE pbs_uses;
CREATE INDEX temp.pbs_id_of ON pbs_ids(name);

-- Tasks of an array that have not started: array_indices=0-9:2,15 names them. They wait until the array as a whole ends, or they are
-- deleted.
DROP TABLE IF EXISTS temp.pbs_waiting;
CREATE TEMP TABLE pbs_waiting AS
WITH RECURSIVE arrays AS (
  SELECT min(rowid) AS place, id_string, job_base, server, list AS array_indices
  FROM (SELECT rowid, *, substr(array_indices, 1, instr(array_indices || '%', '%') - 1) AS list
        FROM pbs_records WHERE array_indices IS NOT NULL AND asked > 0) WHERE list NOT GLOB '*[^0-9,:-]*' GROUP BY id_string
),
part(place, at, until, step) AS (
  SELECT place, CAST(value AS INTEGER),
         CASE WHEN instr(value, '-') THEN CAST(substr(value, 1 + instr(value, '-')) AS INTEGER) ELSE CAST(value AS INTEGER) END,
         CASE WHEN instr(value, ':') THEN max(1, CAST(substr(value, 1 + instr(value, ':')) AS INTEGER)) ELSE 1 END
  FROM arrays, json_each('["' || replace(array_indices, ',', '","') || '"]')
  UNION ALL
  SELECT place, at + step, until, step FROM part WHERE at + step <= until
)
SELECT a.job_base || '[' || at || ']' || coalesce('.' || server, '') AS name, place, id_string AS whole
FROM part JOIN arrays AS a USING (place);
DELETE FROM pbs_waiting WHERE name IN (SELECT name FROM pbs_ids);
INSERT INTO pbs_ids(name) SELECT DISTINCT name FROM pbs_waiting;

-- A job is the number of its id. Its records lie together, in the order of its starts, so that what follows sorts nothing. Long texts of a
-- record are read where they lie. (`begun` is 0 if the record says no start.)
DROP TABLE IF EXISTS temp.pbs_of_jobs;
CREATE TEMP TABLE pbs_of_jobs(job INTEGER, begun REAL, place INTEGER, record_type TEXT, date_time, start, "end", outcome, exit_status,
                              used_up, held, asked, gpu_type,
                              server, PRIMARY KEY (job, begun, place)) WITHOUT ROWID;
INSERT INTO pbs_of_jobs
SELECT i.rowid, coalesce(start, 0), r.rowid, record_type, date_time, start, "end", outcome, Exit_status,
       "resources_used.walltime" >= "Resource_List.walltime", held, asked, gpu_type, server
FROM pbs_records AS r CROSS JOIN pbs_ids AS i ON i.name = id_string
WHERE job_base IS NOT NULL AND (array_index IS NULL OR (array_index <> '' AND array_index NOT GLOB '*[^0-9]*'));
INSERT OR IGNORE INTO pbs_of_jobs(job, begun, place, record_type, date_time, asked, gpu_type, server)
SELECT i.rowid, 0, place, 'Q', date_time, asked, gpu_type, r.server
FROM pbs_waiting AS w CROSS JOIN pbs_ids AS i ON i.name = w.name CROSS JOIN pbs_records AS r ON r.rowid = place;
INSERT OR IGNORE INTO pbs_of_jobs(job, begun, place, record_type, date_time, server)
SELECT i.rowid, 0, e.place, 'D', e.at, e.server
FROM pbs_waiting AS w CROSS JOIN pbs_ids AS i ON i.name = w.name
CROSS JOIN (SELECT id_string, min(coalesce("end", date_time)) AS at, min(rowid) AS place, server
            FROM pbs_records WHERE array_index = '' AND record_type IN ('A', 'D', 'E', 'M') AND id_string IN (SELECT whole FROM pbs_waiting)
            GROUP BY id_string) AS e ON e.id_string = w.whole
WHERE NOT EXISTS (SELECT 1 FROM pbs_of_jobs AS o WHERE o.job = i.rowid AND o.record_type IN ('A', 'D', 'M'));
DROP TABLE pbs_waiting;
