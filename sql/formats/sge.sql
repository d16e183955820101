-- sge.sql - from the accounting of Grid Engine (SGE, UGE, Open Cluster Scheduler) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :sge sure \A(?:#[^\n]*\n)*[\w.@-]+:[\w. -]+:[^:\n]*:[^:\n]*:[^:\n]*:\d+:[^:\n]*:-?\d+:\d+:\d+:\d+:\d+:\d+:
--@ input :sge_json sure (?s)\A\s*\{(?=.{0,9999}?"job_number"\s*:)(?=.{0,9999}?"submission_time"\s*:)(?=.{0,9999}?"(?:granted_pe|task_number|qname)"\s*:)
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :sge fixtures/sge/accounting
--     .read sql/formats/sge.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters: :sge is a path, glob or folder of accounting files, :sge_json of those in JSON Lines; :resource is the complex that GPUs are
-- requested by; :consumable is 'YES' (a request is for each slot, unless given), 'JOB' or 'HOST'; :chips is 'gpus' (unless given) or
-- 'slots'.
--
-- Makes the TEMP tables jobs, allocations, observed and aliases. docs/formats/batch.md has the rules.

-- ---- 1. The input: a line of 40 fields and more with ':' between them, or an object ----

CREATE TEMP TABLE IF NOT EXISTS sge_lines AS
SELECT CASE WHEN json_valid(line) THEN line END AS f, raw, _file, _line
FROM (SELECT '["' || replace(replace(replace(json_extract(record, '$.line'), '\', '\\'), '"', '\"'), ':', '","') || '"]' AS line,
             json_extract(record, '$.line') AS raw, _file, _line
      FROM csv_trace(:sge) WHERE header = 'no' AND names = 'line' AND quote = 'none' AND delimiter = char(1))
WHERE raw NOT GLOB '#*' AND length(raw) > 1;
CREATE TEMP TABLE IF NOT EXISTS sge_records(queue, host, unix_group, user, name, number, account, submitted, started, ended, failed,
                                            exit_status, project, department, pe, slots, task, category, pe_task, _file, _line);
-- A request may have ':' in its value (cpu=24:00:00): the category goes on to the number and the task of a parallel job that follow it.
DROP TABLE IF EXISTS temp.sge_colons;
CREATE TEMP TABLE sge_colons AS
SELECT l.rowid AS row, min(e.key) AS behind
FROM sge_lines AS l CROSS JOIN json_each(l.f) AS e
WHERE l.f IS NOT NULL AND json_array_length(l.f) > 42
  AND NOT (json_extract(l.f, '$[41]') IN ('NONE', 'none') OR json_extract(l.f, '$[41]') GLOB '[0-9]*.[a-zA-Z]*')
  AND e.key > 40 AND e.value GLOB '[0-9]*' AND e.value NOT GLOB '*[^0-9.]*'
  AND (json_extract(l.f, '$[' || (e.key + 1) || ']') IN ('NONE', 'none')
       OR json_extract(l.f, '$[' || (e.key + 1) || ']') GLOB '[0-9]*.[a-zA-Z]*')
GROUP BY l.rowid;
UPDATE sge_lines
SET f = json_set(f, '$[39]', (SELECT group_concat(value, ':') FROM (SELECT value FROM json_each(f)
                                                                    WHERE key BETWEEN 39 AND behind - 1 ORDER BY key)),
                 '$[41]', json_extract(f, '$[' || (behind + 1) || ']'))
FROM sge_colons AS c WHERE c.row = sge_lines.rowid AND json_extract(f, '$[39]') GLOB '*=*';
DROP TABLE sge_colons;
INSERT INTO sge_records
SELECT json_extract(f, '$[0]'), json_extract(f, '$[1]'), json_extract(f, '$[2]'), json_extract(f, '$[3]'), json_extract(f, '$[4]'),
       json_extract(f, '$[5]'), json_extract(f, '$[6]'), json_extract(f, '$[8]'),
       json_extract(f, '$[9]'), json_extract(f, '$[10]'), json_extract(f, '$[11]'), json_extract(f, '$[12]'), json_extract(f, '$[31]'),
       json_extract(f, '$[32]'), json_extract(f, '$[33]'), json_extract(f, '$[34]'),
       json_extract(f, '$[35]'), json_extract(f, '$[39]'), json_extract(f, '$[41]'), _file, _line
FROM sge_lines WHERE json_array_length(f) >= 40;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'unknown_record', min(_line), count(*),
       'lines that are no records of 40 fields: left out: ' || substr(min(raw), 1, 60)
FROM sge_lines WHERE f IS NULL OR json_array_length(f) < 40 GROUP BY _file;
DROP TABLE sge_lines;
INSERT INTO sge_records
SELECT coalesce(json_extract(record, '$.qname'), json_extract(record, '$.queue')),
       coalesce(json_extract(record, '$.hostname'), json_extract(record, '$.host')), json_extract(record, '$.group'),
       json_extract(record, '$.owner'), json_extract(record, '$.job_name'),
       json_extract(record, '$.job_number'), json_extract(record, '$.account'), json_extract(record, '$.submission_time'),
       json_extract(record, '$.start_time'), json_extract(record, '$.end_time'), json_extract(record, '$.failed'),
       json_extract(record, '$.exit_status'), json_extract(record, '$.project'), json_extract(record, '$.department'),
       json_extract(record, '$.granted_pe'), json_extract(record, '$.slots'), json_extract(record, '$.task_number'),
       json_extract(record, '$.category'), json_extract(record, '$.pe_taskid'), _file, _line
FROM jsonl_trace(:sge_json);
SELECT mpg_required(coalesce(:sge, :sge_json), ':sge') IS NULL WHERE NOT EXISTS (SELECT 1 FROM sge_records);
-- A ':' within a field moves those after it: the number of slots is a word then, and what stands for the task of a parallel job is none.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'unknown_record', min(_line), count(*),
       'lines with a field too many, such as that of job ' || coalesce(min(number), '?')
         || ', taken as tasks of a parallel job: left out. Is there a ":" in a name?'
FROM sge_records WHERE coalesce(nullif(pe_task, ''), 'NONE') NOT IN ('NONE', 'none', '0')
  AND (slots GLOB '*[^0-9]*' OR pe_task GLOB '-*' OR pe_task NOT GLOB '*[a-zA-Z]*') GROUP BY _file;

-- Seconds; UGE writes milliseconds, the Open Cluster Scheduler microseconds. 0 is "never".
DROP TABLE IF EXISTS temp.sge_jobs;
CREATE TEMP TABLE sge_jobs AS
SELECT *, CAST(CAST(number AS INTEGER) || CASE WHEN CAST(task AS INTEGER) > 0 THEN '.' || CAST(task AS INTEGER) ELSE '' END AS TEXT) AS job,
       CASE WHEN submitted > 0 THEN CAST(submitted AS REAL)
              / CASE WHEN submitted + 0 > 1e14 THEN 1e6 WHEN submitted + 0 > 1e11 THEN 1e3 ELSE 1 END END AS submit_time,
       CASE WHEN started + 0 > 0 THEN CAST(started AS REAL)
              / CASE WHEN started + 0 > 1e14 THEN 1e6 WHEN started + 0 > 1e11 THEN 1e3 ELSE 1 END END AS start_time,
       CASE WHEN ended + 0 > 0 THEN CAST(ended AS REAL)
              / CASE WHEN ended + 0 > 1e14 THEN 1e6 WHEN ended + 0 > 1e11 THEN 1e3 ELSE 1 END END AS end_time,
       -- The hard requests, "-l gpu=2,h_rt=3600 -pe smp 4", as ",gpu=2,h_rt=3600,".
       CASE WHEN category GLOB '*-soft*' OR category GLOB '*-scope*' OR category GLOB '*-masterl*' OR category GLOB '*-l *-l *' THEN
              (SELECT ',' || group_concat(CASE
                                               WHEN value GLOB '-masterl *' OR scope = '-scope master' THEN 'master.'
                                                 || replace(substr(value, instr(value, ' ') + 1), ',', ',master.')
                                               WHEN scope = '-scope slave' THEN 'slave.' || replace(substr(value, 4), ',', ',slave.')
                                               ELSE substr(value, 4) END, ',') || ','
               FROM (SELECT key, trim(value) AS value, lag(trim(value)) OVER (ORDER BY key) AS before,
                            (SELECT trim(w.value) FROM json_each(words) AS w
                             WHERE w.key < o.key AND w.value GLOB '-scope *' ORDER BY w.key DESC LIMIT 1) AS scope
                     FROM (SELECT '["' || replace(replace(replace(category, '\', ''), '"', ''), ' -', '","-') || '"]' AS words),
                       json_each(words) AS o)
               WHERE (value GLOB '-l *' AND before IS NOT '-soft') OR value GLOB '-masterl *')
            WHEN instr(' ' || category, ' -l ') THEN ','
              || substr(' ' || category, instr(' ' || category, ' -l ') + 4,
                        instr(substr(' ' || category, instr(' ' || category, ' -l ') + 4) || ' ', ' ') - 1) || ',' END AS asked
FROM sge_records WHERE coalesce(nullif(pe_task, ''), 'NONE') IN ('NONE', 'none', '0') AND number + 0 > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'job ' || coalesce(number, '?') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT _file, _line, number,
             CASE WHEN coalesce(number + 0, 0) <= 0 OR number GLOB '*[^0-9]*' THEN 'job_number'
                  WHEN coalesce(submitted + 0, 0) <= 0 THEN 'submission_time'
                  WHEN started + 0 > 0 AND coalesce(ended + 0, 0) <= 0 THEN 'end_time'
                  WHEN ended + 0 > 0 AND coalesce(started + 0, 0) <= 0 AND coalesce(failed, 0) + 0 = 0 THEN 'start_time'
                  WHEN coalesce(started + 0, 0) <= 0
                    AND coalesce(ended + 0, 0) <= 0 THEN 'start_time and end_time (how long it waited is not known)'
                  WHEN coalesce(slots + 0, 0) <= 0 THEN 'slots' WHEN exit_status IS NULL OR exit_status GLOB '*[^0-9-]*' THEN 'exit_status'
                  WHEN failed IS NULL OR failed GLOB '*[^0-9]*' THEN 'failed' WHEN coalesce(category, '') = '' THEN 'category'
                  WHEN coalesce(task + 0, -1) < 0 AND (SELECT max(task + 0) FROM sge_records) IS NOT NULL THEN 'task_number' END AS field
      FROM sge_records
      WHERE coalesce(nullif(pe_task, ''), 'NONE') IN ('NONE', 'none', '0')) -- a slave task has no submission of its own
WHERE field IS NOT NULL GROUP BY _file, field;
DROP TABLE IF EXISTS temp.sge_impossible;
CREATE TEMP TABLE sge_impossible AS
WITH middle AS (SELECT mpg_median(CAST(coalesce(end_time, submit_time) / 31556952 AS INTEGER)) AS year FROM sge_jobs)
SELECT j.rowid AS row, _file, _line, job FROM sge_jobs AS j, middle
WHERE max(abs(coalesce(submit_time / 31556952 - year, 0)), abs(coalesce(start_time / 31556952 - year, 0)),
          abs(coalesce(end_time / 31556952 - year, 0))) > 11;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'a time of job ' || job || ' is more than ten years from the middle one: its record is left out' FROM sge_impossible GROUP BY _file;
DELETE FROM sge_jobs WHERE rowid IN (SELECT row FROM sge_impossible);
DROP TABLE sge_impossible;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'repeated_record', min(_line), count(*),
       'records of job ' || min(job) || ' and others that come more than once: they count once'
FROM (SELECT _file, _line, job,
             row_number() OVER (PARTITION BY job, CAST(start_time AS INTEGER), CAST(end_time AS INTEGER) ORDER BY rowid) AS nth
      FROM sge_jobs) WHERE nth > 1 GROUP BY _file;
DELETE FROM sge_jobs WHERE rowid NOT
    IN (SELECT min(rowid) FROM sge_jobs GROUP BY job, CAST(start_time AS INTEGER), CAST(end_time AS INTEGER));

-- A number that is given anew, once the numbers are used up, is another job's.
UPDATE sge_jobs SET job = job || '#' || nth
FROM (SELECT rowid AS row, dense_rank() OVER (PARTITION BY job ORDER BY CAST(submit_time AS INTEGER)) AS nth FROM sge_jobs
      WHERE job IN (SELECT job FROM sge_jobs WHERE submit_time IS NOT NULL
                    GROUP BY job HAVING max(submit_time) >= min(submit_time) + 2)) AS n
WHERE n.row = sge_jobs.rowid AND nth > 1;

-- ---- 2. Chips ----

ALTER TABLE sge_jobs ADD COLUMN per;
ALTER TABLE sge_jobs ADD COLUMN chips;
DROP TABLE IF EXISTS temp.sge_marks;
CREATE TEMP TABLE sge_marks AS
SELECT ',' || scope || lower(value) || '=' AS mark, scope, key
FROM json_each(CASE WHEN :resource IS NULL THEN '["gpu","gpus","ngpus","num_gpu","num_gpus","gpu_card","gpu_cards","cuda"]'
                    ELSE json_array(:resource) END), (SELECT '' AS scope UNION SELECT 'master.' UNION SELECT 'slave.')
ORDER BY scope, key; -- so that the first of a scope is found without sorting
UPDATE sge_jobs SET per = (SELECT CAST(substr(asked, instr(lower(asked), mark) + length(mark)) AS REAL)
                           FROM sge_marks WHERE scope = '' AND instr(lower(asked), mark) ORDER BY sge_marks.rowid LIMIT 1);
-- A consumable HOST is there once for each host: those of the tasks of a parallel job.
DROP TABLE IF EXISTS temp.sge_hosts;
CREATE TEMP TABLE sge_hosts AS
SELECT number, task, count(DISTINCT host) AS hosts FROM sge_records WHERE upper(:consumable) = 'HOST' GROUP BY number, task;
CREATE INDEX temp.sge_hosts_of ON sge_hosts(number, task);
UPDATE sge_jobs SET chips
  = CASE WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots') THEN CAST(slots AS REAL)
         WHEN upper(coalesce(:consumable, 'YES')) = 'JOB' THEN per
         WHEN upper(:consumable) = 'HOST'
           THEN per * iif(CAST(slots AS INTEGER) > 1, coalesce((SELECT h.hosts FROM sge_hosts AS h
                                                                WHERE h.number = sge_jobs.number AND h.task IS sge_jobs.task), 1), 1)
         ELSE per * max(1, CAST(slots AS INTEGER)) END;
DROP TABLE sge_hosts;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'job ' || min(job)
         || ' and others have several slots and no records of their tasks: the GPUs of a consumable HOST count for one host'
FROM sge_jobs WHERE upper(:consumable) = 'HOST' AND (:chips IN ('cpus', 'ncpus', 'ncores', 'slots')) IS NOT TRUE AND per > 0
  AND CAST(slots AS INTEGER) > 1
  AND (number, task) NOT IN (SELECT number, task FROM sge_records WHERE coalesce(nullif(pe_task, ''), 'NONE') NOT IN ('NONE', 'none', '0'))
GROUP BY _file;
-- What is for the master's task alone, or for the others.
UPDATE sge_jobs SET chips = coalesce(chips, 0) + n, per = coalesce(per, 0) + n
FROM (SELECT j.rowid AS row, total(CAST(substr(asked, instr(lower(asked), mark) + length(mark)) AS REAL)
                                     * iif(scope = 'slave.', max(0, CAST(slots AS INTEGER) - 1), 1)) AS n
      FROM sge_jobs AS j CROSS JOIN sge_marks ON scope <> '' AND instr(lower(asked), mark)
      WHERE asked GLOB '*,master.*' OR asked GLOB '*,slave.*' GROUP BY j.rowid) AS m
WHERE m.row = sge_jobs.rowid AND (:chips IN ('cpus', 'ncpus', 'ncores', 'slots')) IS NOT TRUE;
DROP TABLE sge_marks;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'assumed_per_slot', min(_line), count(*),
       'GPUs of job ' || min(job)
         || ' and others count for each of their slots, as a consumable YES does: give the option consumable, JOB or YES'
FROM sge_jobs WHERE per > 0 AND CAST(slots AS INTEGER) > 1 AND :consumable IS NULL
  AND (:chips IN ('cpus', 'ncpus', 'ncores', 'slots')) IS NOT TRUE GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', min(_line), count(*),
       'job ' || min(job) || ' and others ask for what may be chips, and does not count: '
         || coalesce('slots of ' || min(iif(lower(pe) GLOB '*gpu*', pe, NULL)) || ' (if they are, give the option chips)',
                     substr(min(asked), 2, 100) || ' (the option resource names it)')
FROM sge_jobs
WHERE coalesce(per, 0) = 0 AND (:chips IN ('cpus', 'ncpus', 'ncores', 'slots')) IS NOT TRUE
  AND (lower(pe) GLOB '*gpu*' OR lower(asked) GLOB '*gpu*' OR lower(asked) GLOB '*cuda*' OR lower(asked) GLOB '*npu*' OR lower(asked) GLOB '*tpu*'
       OR lower(asked) GLOB '*xpu*' OR lower(asked) GLOB '*accel*' OR lower(asked) GLOB '*gaudi*'
     OR lower(asked) GLOB '*,[abhlpktv][1-9]*=[1-9]*' OR lower(asked) GLOB '*,rtx*=[1-9]*' OR lower(asked) GLOB '*,tesla*=[1-9]*'
     OR lower(asked) GLOB '*,titan*=[1-9]*' OR lower(asked) GLOB '*,mi[1-9]*=[1-9]*')
GROUP BY _file;

-- ---- 3. The relations ----

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*), 'job ' || min(job) || ' ended before it started: it holds nothing'
FROM sge_jobs WHERE end_time < start_time GROUP BY _file;
UPDATE sge_jobs SET end_time = start_time WHERE end_time < start_time;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'start_before_submit', min(_line), count(*),
       'job ' || min(job) || ' started before it was submitted: it counts as given'
FROM sge_jobs WHERE chips > 0 AND start_time < submit_time GROUP BY _file;
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, max(name) AS name, coalesce(max(nullif(nullif(project, 'NONE'), '')), max(nullif(department, 'defaultdepartment'))) AS owner,
       NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model, NULL AS priority,
       max(chips) AS chips, CASE WHEN min(chips) < max(chips) THEN min(chips) END AS min_chips, NULL AS tasks,
       min(submit_time) AS submit_time,
       json_patch('{}', json_object('user', max(user), 'group', max(unix_group), 'queue', max(queue), 'pe', max(nullif(pe, 'NONE')),
                                    'slots', max(CAST(slots AS INTEGER)), 'department', max(department),
                                    'array_job', max(CASE WHEN CAST(task AS INTEGER) > 0 THEN CAST(number AS INTEGER) END))) AS labels
FROM sge_jobs WHERE chips > 0 GROUP BY job;
-- 24, 25: migrated, rescheduled; 37: a run-time limit; else by the exit status, of which 99 asks to be run again. A job that did not start
-- leaves.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, row_number() OVER (PARTITION BY job ORDER BY coalesce(start_time, end_time)) AS attempt, NULL AS task, 'sge' AS pool,
       CASE WHEN start_time IS NULL THEN 0 ELSE chips END AS chips,
       coalesce(start_time, end_time, submit_time) AS start_time,
       CASE WHEN start_time IS NULL THEN coalesce(end_time, submit_time) ELSE end_time END AS end_time,
       CASE WHEN start_time IS NULL THEN 'cancelled' WHEN end_time IS NULL THEN NULL
            WHEN failed + 0 IN (24, 25) OR exit_status + 0 = 99 THEN 'preempted' WHEN failed + 0 = 37 THEN 'timeout'
            WHEN exit_status + 0 > 128 AND end_time - start_time >= h_rt THEN 'timeout'
            WHEN failed + 0 <> 0 OR exit_status + 0 <> 0 THEN 'failed' ELSE 'completed' END AS outcome
FROM (SELECT *, CAST(limited AS INTEGER) * iif(instr(limited, ':'), 3600, 1) -- seconds, or hours:minutes:seconds
                  + CAST(substr(rest, 1, instr(rest, ':')) AS INTEGER) * 60 + CAST(substr(rest, instr(rest, ':') + 1) AS INTEGER) AS h_rt
      FROM (SELECT *, iif(instr(limited, ':'), substr(limited, instr(limited, ':') + 1), '0:0') AS rest
            FROM (SELECT *, iif(instr(asked, ',h_rt='), substr(asked, instr(asked, ',h_rt=') + 6,
                                                               instr(substr(asked, instr(asked, ',h_rt=') + 6), ',') - 1), NULL) AS limited
                  FROM sge_jobs WHERE chips > 0)));
CREATE INDEX temp.sge_allocated ON allocations(job, attempt);
INSERT INTO allocations
SELECT job, attempt + 1, NULL, pool, 0, end_time, NULL, NULL
FROM allocations AS a WHERE outcome = 'preempted' AND attempt = (SELECT max(b.attempt) FROM allocations AS b WHERE b.job = a.job);
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS SELECT DISTINCT pool, (SELECT max(coalesce(end_time, start_time, submit_time)) FROM sge_jobs) AS until_time
FROM allocations;
DROP TABLE IF EXISTS temp.aliases;
--@ if (SELECT count(*) FROM source) + (SELECT count(*) FROM file WHERE source IS NULL AND format IS NOT NULL) > 1
CREATE TEMP TABLE aliases AS
SELECT DISTINCT job, letter || iif(instr(job, '#'), substr(job, 1, instr(job, '#') - 1), job) AS alias
FROM sge_jobs, (SELECT 'o' AS letter UNION SELECT 'e' UNION SELECT 'po' UNION SELECT 'pe') WHERE chips > 0
UNION
SELECT job, replace(job, '.', '_') FROM sge_jobs WHERE chips > 0 AND job GLOB '[0-9]*.[0-9]*';
--@ end
DROP INDEX temp.sge_allocated;
CREATE TEMP VIEW held_on AS SELECT job, json_array(host) AS hosts, start_time, end_time FROM sge_jobs WHERE host <> '' AND chips > 0;
.read sql/formats/log/on_hosts.sql
DROP TABLE sge_jobs;
DROP TABLE sge_records;
