-- build/records.sql - the records of a fleet as tables, one for each relation.
--
-- Reads trace_records, and TEMP tables of the relations if they are there. Makes capacity, outages, jobs, allocations, spans, commits,
-- programs and their like, with times in microseconds, and TEMP tables of what comes in, which added.sql adds to them.
-- A part of build.sql, which says what the inputs are and runs the parts in order.

-- ---- 1. The records: the relations of docs/formats/native.md, times in microseconds ----

-- (The text of a table with generated columns ends with a bracket: SQLAlchemy until 2.0.40 reads no other.)
CREATE TABLE IF NOT EXISTS mpg_config(name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS capacity(
  id BIGINT PRIMARY KEY, pool TEXT, chip TEXT, chips REAL, start_us BIGINT, end_us BIGINT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000))) WITHOUT ROWID -- (by its key)
;
CREATE TABLE IF NOT EXISTS outages(
  id BIGINT PRIMARY KEY, pool TEXT, chips REAL, start_us BIGINT, end_us BIGINT, kind TEXT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000))) WITHOUT ROWID -- (by its key)
;
CREATE TABLE IF NOT EXISTS jobs(
  id BIGINT, job TEXT PRIMARY KEY, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT, model TEXT,
  priority TEXT, chips REAL, min_chips REAL, tasks BIGINT, submit_us BIGINT, labels TEXT,
  submit_time DATETIME AS (datetime(submit_us / 1000000, 'unixepoch') || printf('.%06d', submit_us % 1000000))) WITHOUT ROWID -- (by its key)
;
CREATE TABLE IF NOT EXISTS allocations(
  id BIGINT, job TEXT, attempt BIGINT, task TEXT, pool TEXT, chips REAL, start_us BIGINT, end_us BIGINT,
  outcome TEXT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  PRIMARY KEY (job, start_us, id)) WITHOUT ROWID -- (by its key)
;
CREATE TABLE IF NOT EXISTS observed(
  pool TEXT, job TEXT, until_us BIGINT, chip TEXT,
  until_time DATETIME AS (datetime(until_us / 1000000, 'unixepoch') || printf('.%06d', until_us % 1000000)));
CREATE INDEX IF NOT EXISTS main.observed_pool ON observed(pool);
CREATE INDEX IF NOT EXISTS main.observed_job ON observed(job);
-- In the order in which the ledger and its questions read them, and traces bring them: ids are random.
CREATE TABLE IF NOT EXISTS spans(
  id BIGINT, job TEXT, attempt BIGINT, kind TEXT, start_us BIGINT, end_us BIGINT, step BIGINT, program TEXT,
  flops REAL, bytes REAL, dtype TEXT, executions REAL,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  PRIMARY KEY (job, start_us, id)) WITHOUT ROWID -- (by its key)
;
CREATE TABLE IF NOT EXISTS commits(
  id BIGINT, job TEXT, step BIGINT, snapshot_us BIGINT, durable_us BIGINT,
  snapshot_time DATETIME AS (datetime(snapshot_us / 1000000, 'unixepoch') || printf('.%06d', snapshot_us % 1000000)),
  durable_time DATETIME AS (datetime(durable_us / 1000000, 'unixepoch') || printf('.%06d', durable_us % 1000000)),
  PRIMARY KEY (job, id)) WITHOUT ROWID -- (by its key)
;
CREATE TABLE IF NOT EXISTS programs(
  id BIGINT, program TEXT PRIMARY KEY, flops REAL, bytes REAL, dtype TEXT) WITHOUT ROWID;
-- Your own chips: read by the ledger, filled from the traces' chips.csv and by you.
CREATE TABLE IF NOT EXISTS chips(
  chip TEXT, dtype TEXT, peak_flops REAL, hbm_bytes REAL, hbm_bytes_per_s REAL, ici_bytes_per_s REAL, tdp_w REAL,
  vendor TEXT, year BIGINT, source TEXT);
CREATE UNIQUE INDEX IF NOT EXISTS main.chips_key ON chips(chip, dtype);
-- What a chip-hour costs, in millionths of your currency: filled by you, chips named as in the ledger.
CREATE TABLE IF NOT EXISTS prices(chip TEXT PRIMARY KEY, micros_per_chip_hour BIGINT);

-- What the last build found, and what it made the ledger of: same.sql.
CREATE TABLE IF NOT EXISTS issues(severity TEXT, kind TEXT, source TEXT, line BIGINT, count BIGINT, detail TEXT);
CREATE TABLE IF NOT EXISTS mpg_built(version TEXT, made_of TEXT);

-- What mpg_build refuses before (build_check.c): of a setting by another name nothing would come, of "+0200" no time of an hour.
SELECT mpg_required(NULL, 'a setting of mpg_config, not ' || quote(name)) FROM main.mpg_config
WHERE name IS NULL OR name NOT IN ('trace', 'offset', 'as_of', 'sizes', 'basis', 'roofline', 'labels', 'currency', 'target_MPG',
                                   'target_SG', 'target_RG', 'target_PG');
SELECT mpg_required(NULL, 'offset as +02:00, not ' || quote(value)) FROM main.mpg_config
WHERE name = 'offset' AND value <> 'Z'
  AND (value NOT GLOB '[+-][0-9][0-9]:[0-9][0-9]' OR substr(value, 2, 2) > '14' OR substr(value, 5) > '59');

-- Ids were text once. What is read again would count twice beside them.
SELECT mpg_required(nullif(typeof(id), 'text'), 'ids as integers (build into a new file, this one has ids as text)')
FROM (SELECT * FROM (SELECT id FROM main.capacity LIMIT 1) UNION ALL SELECT * FROM (SELECT id FROM main.allocations LIMIT 1)
      UNION ALL SELECT * FROM (SELECT id FROM main.spans LIMIT 1));

-- What comes in. A record's id is a hash of what it says. Capacity, outages and allocations count as often as they are given: to their id
-- is added how many like it came before. mpg_build reads a source once.
DROP TABLE IF EXISTS temp.mpg_sources;
CREATE TEMP TABLE mpg_sources AS
WITH given AS (
  SELECT 1 WHERE EXISTS (
    SELECT 1 FROM temp.sqlite_schema
    WHERE type = 'table' AND name IN ('capacity', 'outages', 'jobs', 'allocations', 'spans', 'commits', 'programs'))
)
SELECT 1 AS files,
       coalesce(:trace, (SELECT value FROM main.mpg_config WHERE name = 'trace'),
                -- It is fine that there is nothing to read if something was read before: what is configured may have changed.
                CASE WHEN NOT EXISTS (SELECT 1 FROM given) AND NOT EXISTS (SELECT 1 FROM main.capacity)
                          AND NOT EXISTS (SELECT 1 FROM main.allocations) THEN mpg_required(NULL, ':trace') END) AS source,
       coalesce((SELECT max(listed) FROM mpg_issues), 0) AS listed -- before this build; TEMP tables were read before it
UNION ALL
SELECT 0, 'temp', -1 FROM given;

-- All records but spans and commits, which are most of them: the statements that follow read few rows.
DROP TABLE IF EXISTS temp.mpg_others;
CREATE TEMP TABLE mpg_others AS
SELECT record, id, job, attempt, kind, CAST(round(start_time * 1e6) AS INTEGER) AS start_us,
       CAST(round(end_time * 1e6) AS INTEGER) AS end_us, step, program, flops, bytes, dtype,
       pool, chip, chips, task, outcome, name, owner, phase, framework, runtime, model, priority, min_chips, tasks,
       CAST(round(submit_time * 1e6) AS INTEGER) AS submit_us, labels,
       peak_flops, hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, vendor, year, source,
       CAST(round(until_time * 1e6) AS INTEGER) AS until_us, of_tables
FROM (
  SELECT r.*, 0 AS of_tables FROM temp.mpg_sources AS s, trace_records(s.source) AS r
  WHERE s.files AND s.source IS NOT NULL AND r.record <> 'spans' AND r.record <> 'commits'
  UNION ALL
  SELECT r.*, 1 FROM temp.mpg_sources AS s, mpg_records(s.source) AS r
  WHERE NOT s.files AND r.record <> 'spans' AND r.record <> 'commits'
);

-- Ids that the tables have of another cluster, and the name that such a job has instead: clusters.sql.
DROP TABLE IF EXISTS temp.mpg_of_cluster;
CREATE TEMP TABLE mpg_of_cluster(job TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;

-- The spans and commits, which go where they stay.
DROP VIEW IF EXISTS temp.mpg_spans;
CREATE TEMP VIEW mpg_spans AS
SELECT r.id, r.job, r.attempt, r.kind, CAST(round(r.start_time * 1e6) AS INTEGER) AS start_us,
       CAST(round(r.end_time * 1e6) AS INTEGER) AS end_us, r.step, r.program, r.flops, r.bytes, r.dtype, r.executions
FROM temp.mpg_sources AS s, trace_records(s.source) AS r WHERE s.files AND s.source IS NOT NULL AND r.record = 'spans'
  AND (NOT EXISTS (SELECT 1 FROM temp.mpg_of_cluster) OR r.job NOT IN (SELECT c.job FROM temp.mpg_of_cluster AS c))
UNION ALL
SELECT r.id, c.name, r.attempt, r.kind, CAST(round(r.start_time * 1e6) AS INTEGER),
       CAST(round(r.end_time * 1e6) AS INTEGER), r.step, r.program, r.flops, r.bytes, r.dtype, r.executions
FROM temp.mpg_of_cluster AS c CROSS JOIN temp.mpg_sources AS s, trace_records(s.source) AS r
WHERE s.files AND s.source IS NOT NULL AND r.record = 'spans' AND r.job = c.job
UNION ALL
SELECT r.id, CAST(coalesce((SELECT c.name FROM temp.mpg_of_cluster AS c WHERE c.job = r.job), r.job) AS TEXT), r.attempt, r.kind,
       CAST(round(r.start_time * 1e6) AS INTEGER), CAST(round(r.end_time * 1e6) AS INTEGER), r.step, r.program, r.flops, r.bytes, r.dtype,
       r.executions
FROM temp.mpg_sources AS s, mpg_records(s.source) AS r WHERE NOT s.files AND r.record = 'spans';

DROP VIEW IF EXISTS temp.mpg_commits;
CREATE TEMP VIEW mpg_commits AS
SELECT r.id, CAST(coalesce((SELECT c.name FROM temp.mpg_of_cluster AS c WHERE c.job = r.job), r.job) AS TEXT) AS job, r.step,
       CAST(round(r.snapshot_time * 1e6) AS INTEGER) AS snapshot_us,
       CAST(round(r.durable_time * 1e6) AS INTEGER) AS durable_us
FROM temp.mpg_sources AS s, trace_records(s.source) AS r WHERE s.files AND s.source IS NOT NULL AND r.record = 'commits'
UNION ALL
SELECT r.id, CAST(coalesce((SELECT c.name FROM temp.mpg_of_cluster AS c WHERE c.job = r.job), r.job) AS TEXT), r.step,
       CAST(round(r.snapshot_time * 1e6) AS INTEGER), CAST(round(r.durable_time * 1e6) AS INTEGER)
FROM temp.mpg_sources AS s, mpg_records(s.source) AS r WHERE NOT s.files AND r.record = 'commits';

-- Ids of the second and later of records that are the same; of files and of TEMP tables that were imported from them it is one.
UPDATE temp.mpg_others
SET id = id + again.place - 1
FROM (SELECT rowid AS place_of, row_number() OVER (PARTITION BY id, of_tables ORDER BY rowid) AS place
      FROM temp.mpg_others
      WHERE record IN ('capacity', 'outages', 'allocations')
        AND id IN (SELECT o.id FROM temp.mpg_others AS o WHERE o.record IN ('capacity', 'outages', 'allocations')
                   GROUP BY o.id HAVING count(*) > 1)) AS again
WHERE mpg_others.rowid = again.place_of AND again.place > 1;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT 'temp', 'warning', 'told_otherwise', NULL, count(*),
       'jobs of TEMP tables and of the path that differ, the first ' || min(job)
         || ': both count. mpg_build(NULL) builds the tables alone; without them, the path'
FROM (SELECT job FROM temp.mpg_others WHERE record = 'allocations' AND EXISTS (SELECT 1 FROM temp.mpg_sources AS s WHERE NOT s.files)
      GROUP BY job HAVING sum(of_tables) BETWEEN 1 AND count(*) - 1 AND sum(iif(of_tables, 1, -1) * (id & 4294967295)) <> 0)
GROUP BY NULL HAVING count(*) > 0;

-- What was there before this reading.
DROP TABLE IF EXISTS temp.mpg_known;
CREATE TEMP TABLE mpg_known(id INTEGER PRIMARY KEY);
INSERT INTO temp.mpg_known SELECT id FROM main.capacity UNION SELECT id FROM main.outages UNION SELECT id FROM main.allocations;

-- Which jobs have spans in this reading, and since when. A folder that has grown is read again as a whole, and most jobs have the spans
-- that they had: `known` says so, after jobs have got the names of this reading. Empty if the tables have no spans.
DROP TABLE IF EXISTS temp.mpg_incoming;
CREATE TEMP TABLE mpg_incoming(
  job TEXT PRIMARY KEY, n BIGINT, low BIGINT, high BIGINT, start_us BIGINT, known BOOLEAN DEFAULT 0
) WITHOUT ROWID;
INSERT INTO temp.mpg_incoming(job, n, low, high, start_us)
SELECT job, count(*), sum(id & 4294967295), sum(id >> 32), CAST(round(min(start_time) * 1e6) AS INTEGER)
-- as one table: in the order of jobs
FROM trace_records((SELECT s.source FROM temp.mpg_sources AS s WHERE s.files AND EXISTS (SELECT 1 FROM main.spans)))
WHERE record = 'spans' GROUP BY job;
INSERT INTO temp.mpg_incoming(job, n, low, high, start_us)
SELECT r.job, count(*), sum(r.id & 4294967295), sum(r.id >> 32), CAST(round(min(r.start_time) * 1e6) AS INTEGER)
FROM temp.mpg_sources AS s, mpg_records(s.source) AS r
WHERE NOT s.files AND r.record = 'spans' AND EXISTS (SELECT 1 FROM main.spans) GROUP BY r.job
ON CONFLICT (job) DO UPDATE SET n = n + excluded.n, low = low + excluded.low, high = high + excluded.high,
  start_us = min(start_us, excluded.start_us);
