-- import.sql - mpg_import(path): the relations of everything at a path as TEMP tables of the open database.
--
-- They can be looked at and changed before mpg_ledger and mpg_rollup read them. Tables of an earlier import are replaced.

DROP TABLE IF EXISTS temp.mpg_imported;
CREATE TEMP TABLE mpg_imported AS SELECT * FROM trace_records(mpg_required(:path, 'the path'));
DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity(pool TEXT, chip TEXT, chips REAL, start_time REAL, end_time REAL);
INSERT INTO temp.capacity SELECT pool, chip, chips, start_time, end_time FROM temp.mpg_imported WHERE record = 'capacity';
DROP TABLE IF EXISTS temp.outages;
CREATE TEMP TABLE outages(pool TEXT, chips REAL, start_time REAL, end_time REAL, kind TEXT);
INSERT INTO temp.outages SELECT pool, chips, start_time, end_time, kind FROM temp.mpg_imported WHERE record = 'outages';
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs(job TEXT, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT, model TEXT, priority TEXT, chips REAL,
                       min_chips REAL, tasks INTEGER, submit_time REAL, labels TEXT);
INSERT INTO temp.jobs
SELECT job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_time, labels
FROM temp.mpg_imported WHERE record = 'jobs';
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations(job TEXT, attempt INTEGER, task TEXT, pool TEXT, chips REAL, start_time REAL, end_time REAL, outcome TEXT);
INSERT INTO temp.allocations
SELECT job, attempt, task, pool, chips, start_time, end_time, outcome FROM temp.mpg_imported WHERE record = 'allocations';
DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans(job TEXT, attempt INTEGER, kind TEXT, start_time REAL, end_time REAL, step INTEGER, program TEXT, flops REAL,
                        bytes REAL, dtype TEXT, executions REAL);
INSERT INTO temp.spans
SELECT job, attempt, kind, start_time, end_time, step, program, flops, bytes, dtype, executions
FROM temp.mpg_imported WHERE record = 'spans';
DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits(job TEXT, attempt INTEGER, step INTEGER, snapshot_time REAL, durable_time REAL);
INSERT INTO temp.commits SELECT job, attempt, step, snapshot_time, durable_time FROM temp.mpg_imported WHERE record = 'commits';
DROP TABLE IF EXISTS temp.programs;
CREATE TEMP TABLE programs(program TEXT, flops REAL, bytes REAL, dtype TEXT);
INSERT INTO temp.programs SELECT program, flops, bytes, dtype FROM temp.mpg_imported WHERE record = 'programs';
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed(pool TEXT, until_time REAL, job TEXT, chip TEXT);
INSERT INTO temp.observed SELECT pool, until_time, job, chip FROM temp.mpg_imported WHERE record = 'observed';
DROP TABLE temp.mpg_imported;
