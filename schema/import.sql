-- import.sql - fills the tables of fleet.sql from the CSV files of the current folder, in the sqlite3 shell:
--
--   sqlite3 -bail fleet.db '.read schema/fleet.sql' '.cd fixtures/fleet' '.read ../../schema/import.sql'
--
-- The shell's .import has no NULL: an empty field arrives as an empty text. So the files go into tables of text
-- first, and nullif() takes them over. All columns of a relation must be there, in any order. All or nothing.
BEGIN;
.import --csv capacity.csv import_capacity
.import --csv outages.csv import_outages
.import --csv jobs.csv import_jobs
.import --csv allocations.csv import_allocations
.import --csv spans.csv import_spans
.import --csv commits.csv import_commits
.import --csv programs.csv import_programs

INSERT INTO capacity (pool, chip, chips, start_time, end_time)
SELECT pool, nullif(chip, ''), chips, start_time, nullif(end_time, '') FROM import_capacity;

INSERT INTO outages (pool, chips, start_time, end_time, kind)
SELECT pool, chips, start_time, nullif(end_time, ''), nullif(kind, '') FROM import_outages;

INSERT INTO jobs (job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_time, labels)
SELECT job, nullif(name, ''), nullif(owner, ''), nullif(phase, ''), nullif(framework, ''), nullif(runtime, ''),
       nullif(model, ''), nullif(priority, ''), nullif(chips, ''), nullif(min_chips, ''), nullif(tasks, ''),
       nullif(submit_time, ''), nullif(labels, '')
FROM import_jobs;

INSERT INTO allocations (job, attempt, task, pool, chips, start_time, end_time, outcome)
SELECT job, nullif(attempt, ''), nullif(task, ''), pool, chips, start_time, nullif(end_time, ''), nullif(outcome, '')
FROM import_allocations;

INSERT INTO spans (job, attempt, kind, start_time, end_time, step, program, flops, bytes, dtype, executions)
SELECT job, nullif(attempt, ''), kind, start_time, nullif(end_time, ''), nullif(step, ''), nullif(program, ''),
       nullif(flops, ''), nullif(bytes, ''), nullif(dtype, ''), nullif(executions, '')
FROM import_spans;

INSERT INTO commits (job, attempt, step, snapshot_time, durable_time)
SELECT job, nullif(attempt, ''), nullif(step, ''), nullif(snapshot_time, ''), nullif(durable_time, '') FROM import_commits;

INSERT INTO programs (program, flops, bytes, dtype)
SELECT program, nullif(flops, ''), nullif(bytes, ''), nullif(dtype, '') FROM import_programs;

DROP TABLE import_capacity;
DROP TABLE import_outages;
DROP TABLE import_jobs;
DROP TABLE import_allocations;
DROP TABLE import_spans;
DROP TABLE import_commits;
DROP TABLE import_programs;
COMMIT;
