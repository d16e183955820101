-- alibaba_v2020.sql - from Alibaba's cluster-trace-gpu-v2020 (PAI, 2020) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :pai_jobs name (?:^|/)pai_job_table\.csv
--@ input :pai_tasks name (?:^|/)pai_task_table\.csv
--@ input :pai_instances name (?:^|/)pai_instance_table\.csv
--@ input :pai_machines name (?:^|/)pai_machine_spec\.csv
--
-- In the sqlite3 shell, in the folder of the unpacked tables:
--
--     .load mpg
--     .param set :pai_jobs      pai_job_table.csv
--     .param set :pai_tasks     pai_task_table.csv
--     .param set :pai_instances pai_instance_table.csv
--     .param set :pai_machines  pai_machine_spec.csv
--     .read sql/formats/alibaba_v2020.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- What it gives: SG by type of GPU, with queueing and shared GPUs (fractions). What it cannot give: RG and PG. The tables
-- know neither steps nor checkpoints, so all-allocated time is untraced and RG, PG and MPG are NULL, not 1. The averages of
-- utilisation (pai_sensor_table, pai_machine_metric) are no goodput, and are not used.
--
-- An instance holds its task's plan_gpu (percent of one GPU) from its start to its end. Without :pai_instances a task's
-- instances are taken to run from the task's start to its end: a table of a tenth of the size, but not quite as true. A job
-- needs all of its instances at once; an instance that ends early leaves the others partial. Pools are types of GPU ("pai/V100"),
-- with the machines as capacity, there from the first start to the last end. Seconds count from a moment that is unknown.
--
-- Makes the TEMP tables jobs, allocations, capacity. From a program that cannot bind parameters to a script, create the four
-- tables pai_jobs, pai_tasks, pai_instances and pai_machines as below before running it.

-- ---- 1. The input: delimited text without headers, whose names are in files of their own ----

CREATE TEMP TABLE IF NOT EXISTS pai_jobs AS
SELECT trim(json_extract(record, '$.job_name')) AS job_name, json_extract(record, '$.user') AS user, json_extract(record, '$.status') AS status,
       json_extract(record, '$.start_time') AS start_time, json_extract(record, '$.end_time') AS end_time, _file, _line
FROM csv_trace(mpg_required(:pai_jobs, ':pai_jobs')) WHERE names = 'job_name, inst_id, user, status, start_time, end_time'
  AND types = 'job_name TEXT, start_time REAL, end_time REAL';

CREATE TEMP TABLE IF NOT EXISTS pai_tasks AS
SELECT trim(json_extract(record, '$.job_name')) AS job_name, trim(json_extract(record, '$.task_name')) AS task_name,
       json_extract(record, '$.inst_num') AS inst_num, json_extract(record, '$.status') AS status,
       json_extract(record, '$.start_time') AS start_time, json_extract(record, '$.end_time') AS end_time,
       json_extract(record, '$.plan_gpu') AS plan_gpu, json_extract(record, '$.gpu_type') AS gpu_type, _file, _line
FROM csv_trace(mpg_required(:pai_tasks, ':pai_tasks'))
WHERE names = 'job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem, plan_gpu, gpu_type'
  AND types = 'job_name TEXT, inst_num REAL, start_time REAL, end_time REAL, plan_gpu REAL';

CREATE TEMP TABLE IF NOT EXISTS pai_instances AS
SELECT trim(json_extract(record, '$.job_name')) AS job_name, trim(json_extract(record, '$.task_name')) AS task_name,
       trim(json_extract(record, '$.worker_name')) AS worker_name, json_extract(record, '$.status') AS status,
       trim(json_extract(record, '$.machine')) AS machine,
       json_extract(record, '$.start_time') AS start_time, json_extract(record, '$.end_time') AS end_time, _file, _line
FROM csv_trace(:pai_instances) WHERE names = 'job_name, task_name, inst_name, worker_name, inst_id, status, start_time, end_time, machine'
  AND types = 'job_name TEXT, start_time REAL, end_time REAL';

CREATE TEMP TABLE IF NOT EXISTS pai_machines AS
SELECT trim(json_extract(record, '$.machine')) AS machine, json_extract(record, '$.gpu_type') AS gpu_type,
       json_extract(record, '$.cap_gpu') AS cap_gpu, _file, _line
FROM csv_trace(:pai_machines) WHERE names = 'machine, gpu_type, cap_cpu, cap_mem, cap_gpu' AND types = 'cap_gpu REAL';

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
DROP TABLE IF EXISTS temp.pai_left_out;
CREATE TEMP TABLE pai_left_out AS
WITH middle AS (SELECT mpg_median(coalesce(CAST(start_time / 31556952 AS INTEGER), CAST(end_time / 31556952 AS INTEGER))) AS year
                FROM pai_jobs)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'job ' || job_name || ' is more than ten years from the middle one: its row is left out' AS detail
FROM pai_jobs AS t, middle WHERE max(abs(coalesce(CAST(start_time / 31556952 AS INTEGER) - year, 0)),
                                     abs(coalesce(CAST(end_time / 31556952 AS INTEGER) - year, 0))) > 10
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line, 'job ' || job_name || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row,
             row_number() OVER (PARTITION BY job_name, start_time ORDER BY end_time IS NULL, end_time DESC, rowid) AS nth,
             start_time IS NULL AND end_time IS NULL AND count(start_time) OVER (PARTITION BY job_name) > 0 AS waited FROM pai_jobs)
WHERE nth > 1 OR waited;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_jobs, 'pai_jobs'), severity, kind, min(_line), count(*), detail FROM pai_left_out GROUP BY _file, kind;
DELETE FROM temp.pai_jobs WHERE rowid IN (SELECT row FROM pai_left_out);
DROP TABLE pai_left_out;

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
DROP TABLE IF EXISTS temp.pai_left_out;
CREATE TEMP TABLE pai_left_out AS
WITH middle AS (SELECT mpg_median(coalesce(CAST(start_time / 31556952 AS INTEGER), CAST(end_time / 31556952 AS INTEGER))) AS year
                FROM pai_tasks)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'task ' || task_name || ' of ' || job_name
         || ' is more than ten years from the middle one: its row is left out' AS detail
FROM pai_tasks AS t, middle WHERE max(abs(coalesce(CAST(start_time / 31556952 AS INTEGER) - year, 0)),
                                      abs(coalesce(CAST(end_time / 31556952 AS INTEGER) - year, 0))) > 10
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line,
       'task ' || task_name || ' of ' || job_name || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row,
             row_number() OVER (PARTITION BY job_name, task_name, start_time ORDER BY end_time IS NULL, end_time DESC, rowid) AS nth,
             start_time IS NULL AND end_time IS NULL AND count(start_time) OVER (PARTITION BY job_name, task_name) > 0 AS waited
      FROM pai_tasks) WHERE nth > 1 OR waited;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_tasks, 'pai_tasks'), severity, kind, min(_line), count(*), detail FROM pai_left_out GROUP BY _file, kind;
DELETE FROM temp.pai_tasks WHERE rowid IN (SELECT row FROM pai_left_out);
DROP TABLE pai_left_out;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_tasks, 'pai_tasks'), 'warning', 'missing_field', min(_line), count(*),
       coalesce('task ' || task_name || ' of ' || job_name, 'a row') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN inst_num IS NULL OR inst_num < 0 THEN 'inst_num' WHEN plan_gpu < 0 THEN 'plan_gpu'
                     WHEN status IS NULL THEN 'status' END AS field FROM pai_tasks) WHERE field IS NOT NULL GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_tasks, 'pai_tasks'), 'warning', 'unknown_state', min(_line), count(*),
       'unknown states, taken as no outcome: ' || group_concat(DISTINCT status)
FROM pai_tasks WHERE status NOT IN ('Terminated', 'Failed', 'Running', 'Waiting') GROUP BY _file;

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
DROP TABLE IF EXISTS temp.pai_left_out;
CREATE TEMP TABLE pai_left_out AS
WITH middle AS (SELECT mpg_median(coalesce(CAST(start_time / 31556952 AS INTEGER), CAST(end_time / 31556952 AS INTEGER))) AS year
                FROM pai_instances)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'instance ' || worker_name || ' of ' || job_name
         || ' is more than ten years from the middle one: its row is left out' AS detail
FROM pai_instances AS t, middle
WHERE max(abs(coalesce(CAST(start_time / 31556952 AS INTEGER) - year, 0)), abs(coalesce(CAST(end_time / 31556952 AS INTEGER) - year, 0)))
  > 10
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line,
       'instance ' || worker_name || ' of ' || job_name || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row,
             row_number() OVER (PARTITION BY job_name, task_name, worker_name, start_time
                                 ORDER BY end_time IS NULL, end_time DESC, rowid) AS nth,
             start_time IS NULL AND end_time IS NULL
               AND count(start_time) OVER (PARTITION BY job_name, task_name, worker_name) > 0 AS waited
      FROM pai_instances) WHERE nth > 1 OR waited;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_instances, 'pai_instances'), severity, kind, min(_line), count(*), detail
FROM pai_left_out GROUP BY _file, kind;
DELETE FROM temp.pai_instances WHERE rowid IN (SELECT row FROM pai_left_out);
DROP TABLE pai_left_out;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_instances, 'pai_instances'), 'warning', 'missing_field', min(_line), count(*),
       coalesce('instance ' || worker_name || ' of ' || job_name, 'a row') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN start_time IS NULL AND coalesce(status, '') <> 'Waiting' THEN 'start_time'
                     WHEN end_time IS NULL AND coalesce(status, '') NOT IN ('Running', 'Waiting', 'Ready') THEN 'end_time'
                     WHEN status IS NULL THEN 'status'
                     WHEN job_name IS NULL OR task_name IS NULL OR worker_name IS NULL THEN 'name' END AS field FROM pai_instances)
WHERE field IS NOT NULL GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_instances, 'pai_instances'), 'warning', 'unknown_state', min(_line), count(*),
       'unknown states, taken as no outcome: ' || group_concat(DISTINCT status)
FROM pai_instances WHERE status NOT IN ('Terminated', 'Failed', 'Running', 'Waiting', 'Ready', 'Interrupted') GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(i._file, :pai_instances, 'pai_instances'), 'warning', 'unknown_job', min(i._line), count(*),
       'instances of a task without a row in the table of tasks, first ' || i.task_name || ' of ' || i.job_name || ': they are left out'
FROM pai_instances AS i WHERE (i.job_name, i.task_name) NOT
    IN (SELECT job_name, task_name FROM pai_tasks WHERE job_name IS NOT NULL AND task_name IS NOT NULL) GROUP BY i._file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_tasks, 'pai_tasks'), 'warning', 'unknown_job', min(_line), count(*),
       'tasks of a job without a row in the table of jobs, first of ' || job_name || ': when it was submitted is not known'
FROM pai_tasks WHERE job_name NOT IN (SELECT job_name FROM pai_jobs WHERE job_name IS NOT NULL) GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_machines, 'pai_machines'), 'warning', 'repeated_record', min(_line), count(*),
       'machine ' || machine || ' comes more than once: it counts once'
FROM (SELECT *, row_number() OVER (PARTITION BY machine ORDER BY rowid) AS nth FROM pai_machines WHERE machine IS NOT NULL)
WHERE nth > 1 GROUP BY _file;
DELETE FROM temp.pai_machines WHERE machine IS NOT NULL AND rowid NOT IN (SELECT min(rowid) FROM pai_machines GROUP BY machine);

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(i._file, :pai_instances, 'pai_instances'), 'warning', 'conflict', min(i._line), count(*),
       'instances on machines of another type of GPU than their task, the first of ' || i.job_name || ' on ' || i.machine
         || ': they count as of the type of the task'
FROM pai_instances AS i JOIN pai_machines AS m ON m.machine = i.machine
JOIN pai_tasks AS t ON t.job_name = i.job_name AND t.task_name = i.task_name
WHERE t.plan_gpu > 0 AND m.gpu_type <> t.gpu_type GROUP BY i._file;

-- ---- 2. What is held: by instances, or by tasks where no instances are given ----

DROP TABLE IF EXISTS temp.pai_held;
CREATE TEMP TABLE pai_held AS
WITH tasks AS (
  SELECT job_name, task_name, 'pai/' || coalesce(gpu_type, 'GPU') AS pool, inst_num, plan_gpu / 100.0 AS share, status, start_time, end_time
  FROM pai_tasks
  WHERE plan_gpu > 0
)
SELECT CAST(t.job_name AS TEXT) AS job, t.task_name || '/' || i.worker_name AS task, t.pool, t.share AS chips, i.status, i.start_time,
       i.end_time
FROM tasks AS t JOIN pai_instances AS i USING (job_name, task_name)
UNION ALL
SELECT CAST(job_name AS TEXT), task_name, pool, inst_num * share, status, start_time, end_time
FROM tasks WHERE (job_name, task_name) NOT
    IN (SELECT job_name, task_name FROM pai_instances WHERE job_name IS NOT NULL AND task_name IS NOT NULL);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_tasks, 'pai_tasks'), 'warning', 'missing_field', min(_line), count(*),
       'task ' || task_name || ' of ' || job_name
         || ' and others have no row in the table of instances: all of theirs run from the start of the task to its end'
FROM pai_tasks WHERE plan_gpu > 0 AND start_time IS NOT NULL AND EXISTS (SELECT 1 FROM pai_instances)
  AND (job_name, task_name) NOT IN (SELECT job_name, task_name FROM pai_instances WHERE job_name IS NOT NULL AND task_name IS NOT NULL)
GROUP BY _file;

-- ---- 3. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT CAST(t.job_name AS TEXT) AS job, NULL AS name, j.user AS owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model,
       NULL AS priority, sum(t.inst_num * t.plan_gpu) / 100.0 AS chips, NULL AS min_chips, NULL AS tasks, j.start_time AS submit_time,
       json_object('status', j.status, 'tasks', count(*), 'instances', sum(t.inst_num)) AS labels
FROM pai_tasks AS t LEFT JOIN pai_jobs AS j USING (job_name)
WHERE t.plan_gpu > 0
GROUP BY t.job_name;

-- What waits has no start; what runs has no end.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, 1 AS attempt, task, pool, chips, start_time, CASE WHEN status <> 'Running' THEN end_time END AS end_time,
       CASE status WHEN 'Terminated' THEN 'completed' WHEN 'Failed' THEN 'failed' END AS outcome
FROM pai_held
WHERE start_time IS NOT NULL AND (end_time IS NOT NULL OR status = 'Running');

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pai_tasks, 'pai_tasks'), 'warning', 'start_before_submit', NULL, count(*),
       'job ' || min(job) || ' started before it was submitted: it counts as given'
FROM (SELECT job FROM allocations JOIN jobs USING (job) GROUP BY job HAVING min(start_time) < min(submit_time)) GROUP BY NULL;
-- An instance that no row tells was there if its task came to a good end.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai_tasks, 'pai_tasks'), 'warning', 'missing_pods', min(_line), count(*),
       'tasks that ended well, of which some instances have no row, the first ' || task_name || ' of ' || job_name
         || ': what the others hold is partial'
FROM pai_tasks AS t JOIN (SELECT job_name, task_name, count(*) AS n FROM pai_instances GROUP BY 1, 2) AS i USING (job_name, task_name)
WHERE t.plan_gpu > 0 AND t.status = 'Terminated' AND i.n < t.inst_num GROUP BY _file;
-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pai_tasks, 'pai_tasks'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

DROP TABLE IF EXISTS temp.left_out;
CREATE TEMP TABLE left_out AS
SELECT job, task, CASE WHEN start_time IS NULL THEN 'no start_time' ELSE 'no end_time, though ' || status END AS reason
FROM pai_held
WHERE NOT coalesce(status = 'Waiting', 0) AND (start_time IS NULL OR (end_time IS NULL AND status <> 'Running'));

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pai_tasks, 'pai_tasks'), 'data_loss', 'left_out', NULL, count(*),
       'tasks that cannot be placed: job ' || min(job) || ', ' || group_concat(DISTINCT reason)
FROM left_out GROUP BY NULL;

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT 'pai/' || gpu_type AS pool, CASE gpu_type WHEN 'T4' THEN 'nvidia-t4' WHEN 'P100' THEN 'nvidia-p100-sxm2' END AS chip,
       sum(cap_gpu) AS chips, start_time, end_time
FROM pai_machines, (SELECT min(start_time) AS start_time, max(max(start_time), max(end_time)) AS end_time FROM pai_held)
WHERE cap_gpu > 0
GROUP BY gpu_type;

-- Until when the cluster was observed: the last time of any job, task or instance, with GPUs or without.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
WITH told AS (
  SELECT max(at) AS until_time FROM (SELECT max(max(start_time), max(end_time)) AS at
                                     FROM pai_held UNION ALL SELECT max(start_time)
                                     FROM pai_jobs UNION ALL SELECT max(end_time) FROM pai_jobs
    UNION ALL SELECT max(start_time) FROM pai_tasks UNION ALL
                                     SELECT max(end_time) FROM pai_tasks
                                     UNION ALL SELECT max(start_time) FROM pai_instances UNION ALL SELECT max(end_time) FROM pai_instances)
)
SELECT pool, until_time FROM (SELECT pool FROM capacity UNION SELECT pool FROM allocations), told WHERE until_time IS NOT NULL;
UPDATE capacity SET end_time = (SELECT max(until_time) FROM observed) WHERE end_time < (SELECT max(until_time) FROM observed);

-- ---- 4. Tables that are no longer needed ----

DROP TABLE pai_held;
DROP TABLE pai_machines;
DROP TABLE pai_instances;
DROP TABLE pai_tasks;
DROP TABLE pai_jobs;
