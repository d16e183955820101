-- native.sql - files of the native trace among files of other formats, as one source of several.
--
-- Alone they take the native reader's own road; here they are joined with the rest.
--@ source 2
--@ feeds SG RG PG

-- Spans and commits, which are most records, go where they stay: each is a reading of its own, which takes less than copies of their rows.
CREATE TEMP TABLE records AS
SELECT * FROM trace_records(:trace, coalesce(:on_error, 'stop')) WHERE record <> 'spans' AND record <> 'commits';
CREATE TEMP TABLE capacity AS SELECT pool, chip, chips, start_time, end_time FROM records WHERE record = 'capacity';
CREATE TEMP TABLE outages AS SELECT pool, chips, start_time, end_time, kind FROM records WHERE record = 'outages';
CREATE TEMP TABLE jobs AS
SELECT job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_time, labels
FROM records WHERE record = 'jobs';
CREATE TEMP TABLE allocations AS
SELECT job, attempt, task, pool, chips, start_time, end_time, outcome FROM records WHERE record = 'allocations';
CREATE TEMP TABLE spans AS
SELECT job, attempt, kind, start_time, end_time, step, program, flops, bytes, dtype, executions
FROM trace_records(:trace, coalesce(:on_error, 'stop')) WHERE record = 'spans';
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, snapshot_time, durable_time
FROM trace_records(:trace, coalesce(:on_error, 'stop')) WHERE record = 'commits';
CREATE TEMP TABLE aliases AS -- jobs without a record of their own, that a scheduler may know by another name
SELECT job, job AS alias FROM (SELECT job FROM spans UNION SELECT job FROM commits UNION SELECT job FROM allocations)
WHERE job NOT IN (SELECT job FROM jobs);
CREATE TEMP TABLE programs AS SELECT program, flops, bytes, dtype FROM records WHERE record = 'programs';
CREATE TEMP TABLE IF NOT EXISTS chips AS
SELECT chip, dtype, peak_flops, hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, vendor, year, source
FROM records WHERE record = 'chips';
DROP TABLE records;
