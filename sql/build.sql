-- build.sql - a fleet's records and its ledger as plain tables, for tools that cannot load extensions.
--
--     sqlite3 -bail -cmd '.load ./mpg' -cmd '.param set :trace fixtures/fleet' fleet.db <sql/build.sql
--
-- Run it again after new files: it adds what is new, once, in one transaction. Each record has an id
-- made of what it says (a hash), so records that were there before change nothing; a record that
-- tells the end of what was open before takes its place; records of the same job or program are merged.
-- The ledger and the tables made from it are then made anew, since new records may decide the fate of
-- old steps. Afterwards nothing here needs the extension: Grafana, Metabase, Excel and others read
-- fleet.db as it is. It runs from every client, as a script of statements and nothing else.
--
-- Inputs: :trace, a file, a glob or a folder of native traces (docs/formats/native.md); and the TEMP
-- tables jobs, allocations, ... that a script of sql/formats has just made, which are dropped at the
-- end. Where parameters cannot be bound, and for what shall last, there is a table to fill before:
--
--     CREATE TABLE IF NOT EXISTS mpg_config(name TEXT PRIMARY KEY, value TEXT);
--     INSERT INTO mpg_config VALUES ('trace', 'logs/'), ('offset', '+02:00');
--
--     trace      as :trace, which wins and is not kept
--     offset     of the clocks that hours and days are counted by, from UTC: '+02:00'
--     as_of      the end of the trace; the latest time in any record unless given
--     sizes      chips from which a job is M, L, XL: '16,256,2048'
--     basis      'installed', or 'in_service': capacity without what is down
--     roofline   'compute', or 'memory'
--     labels     keys of labels that are columns of the ledger, 'tier,project' (by mpg_build alone)
--
-- The tables and views are described in docs/questions.md, and in the comments here. Times named _us
-- are microseconds since 1970, chip-time named _us is chip-microseconds: both integers, summed exactly.
-- Beside them stand generated columns for tools, which take no room in the file: times as the ISO text
-- that tools' literals compare with, and chip-hours as reals, which fit clients with 32-bit integers.
-- Every column has a declared type, and views select columns alone, so that drivers report types.

BEGIN IMMEDIATE;

-- ---- 1. The records: the relations of docs/formats/native.md, times in microseconds ----

CREATE TABLE IF NOT EXISTS mpg_config(name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS capacity(
  id BIGINT PRIMARY KEY, pool TEXT, chip TEXT, chips REAL, start_us BIGINT, end_us BIGINT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000))) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outages(
  id BIGINT PRIMARY KEY, pool TEXT, chips REAL, start_us BIGINT, end_us BIGINT, kind TEXT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000))) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS jobs(
  id BIGINT, job TEXT PRIMARY KEY, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT, model TEXT,
  priority TEXT, chips REAL, min_chips REAL, tasks BIGINT, submit_us BIGINT, labels TEXT,
  submit_time DATETIME AS (datetime(submit_us / 1000000, 'unixepoch') || printf('.%06d', submit_us % 1000000))) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS allocations(
  id BIGINT, job TEXT, attempt BIGINT, task TEXT, pool TEXT, chips REAL, start_us BIGINT, end_us BIGINT,
  outcome TEXT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  PRIMARY KEY (job, start_us, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS observed(
  pool TEXT, job TEXT, until_us BIGINT,
  until_time DATETIME AS (datetime(until_us / 1000000, 'unixepoch') || printf('.%06d', until_us % 1000000)));
CREATE INDEX IF NOT EXISTS main.observed_pool ON observed(pool);
CREATE INDEX IF NOT EXISTS main.observed_job ON observed(job);
-- In the order in which the ledger and its questions read them, and traces bring them: ids are random.
CREATE TABLE IF NOT EXISTS spans(
  id BIGINT, job TEXT, attempt BIGINT, kind TEXT, start_us BIGINT, end_us BIGINT, step BIGINT, program TEXT,
  flops REAL, bytes REAL, dtype TEXT, executions REAL,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  PRIMARY KEY (job, start_us, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS commits(
  id BIGINT, job TEXT, step BIGINT, snapshot_us BIGINT, durable_us BIGINT,
  snapshot_time DATETIME AS (datetime(snapshot_us / 1000000, 'unixepoch') || printf('.%06d', snapshot_us % 1000000)),
  durable_time DATETIME AS (datetime(durable_us / 1000000, 'unixepoch') || printf('.%06d', durable_us % 1000000)),
  PRIMARY KEY (job, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS programs(
  id BIGINT, program TEXT PRIMARY KEY, flops REAL, bytes REAL, dtype TEXT) WITHOUT ROWID;
-- Your own chips: read by the ledger, filled from the traces' chips.csv and by you.
CREATE TABLE IF NOT EXISTS chips(
  chip TEXT, dtype TEXT, peak_flops REAL, hbm_bytes REAL, hbm_bytes_per_s REAL, ici_bytes_per_s REAL, tdp_w REAL,
  vendor TEXT, year BIGINT, source TEXT);
CREATE UNIQUE INDEX IF NOT EXISTS main.chips_key ON chips(chip, dtype);
-- What a chip-hour costs, in millionths of your currency: filled by you, chips named as in the ledger.
CREATE TABLE IF NOT EXISTS prices(chip TEXT PRIMARY KEY, micros_per_chip_hour BIGINT);

-- Ids were text once. What is read again would count twice beside them.
SELECT mpg_required(nullif(typeof(id), 'text'), 'ids as integers (build into a new file, this one has ids as text)')
FROM (SELECT * FROM (SELECT id FROM main.capacity LIMIT 1) UNION ALL SELECT * FROM (SELECT id FROM main.allocations LIMIT 1)
      UNION ALL SELECT * FROM (SELECT id FROM main.spans LIMIT 1));

-- What comes in, read once. The id of a record is that of what it says; of capacity, outages and allocations,
-- which count as often as they are given, plus how many like it came before it.
DROP TABLE IF EXISTS temp.mpg_incoming;
CREATE TEMP TABLE mpg_incoming AS
WITH given AS (
  SELECT 1 WHERE EXISTS (
    SELECT 1 FROM temp.sqlite_schema
    WHERE type = 'table' AND name IN ('capacity', 'outages', 'jobs', 'allocations', 'spans', 'commits', 'programs'))
),
sources AS (
  SELECT 1 AS files,
         coalesce(:trace, (SELECT value FROM main.mpg_config WHERE name = 'trace'),
                  -- Nothing to read is fine where something was read before: what is configured may have changed.
                  CASE WHEN NOT EXISTS (SELECT 1 FROM given) AND NOT EXISTS (SELECT 1 FROM main.capacity)
                            AND NOT EXISTS (SELECT 1 FROM main.allocations) THEN mpg_required(NULL, ':trace') END) AS source
  UNION ALL
  SELECT 0, 'temp' FROM given
),
records AS (
  SELECT r.* FROM sources AS s, trace_records(s.source) AS r WHERE s.files AND s.source IS NOT NULL
  UNION ALL
  SELECT r.* FROM sources AS s, mpg_records(s.source) AS r WHERE NOT s.files
)
SELECT record, id, job, attempt, kind, CAST(round(start_time * 1e6) AS INTEGER) AS start_us,
       CAST(round(end_time * 1e6) AS INTEGER) AS end_us, step, program, flops, bytes, dtype, executions,
       pool, chip, chips, task, outcome, CAST(round(snapshot_time * 1e6) AS INTEGER) AS snapshot_us,
       CAST(round(durable_time * 1e6) AS INTEGER) AS durable_us,
       name, owner, phase, framework, runtime, model, priority, min_chips, tasks,
       CAST(round(submit_time * 1e6) AS INTEGER) AS submit_us, labels,
       peak_flops, hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, vendor, year, source, CAST(round(until_time * 1e6) AS INTEGER) AS until_us
FROM records;

-- All but the spans, which are most: those who follow read few rows.
DROP TABLE IF EXISTS temp.mpg_others;
CREATE TEMP TABLE mpg_others AS SELECT * FROM temp.mpg_incoming WHERE record <> 'spans';

-- Ids of the second and later of records that are the same.
UPDATE temp.mpg_others
SET id = id + again.place - 1
FROM (SELECT rowid AS place_of, row_number() OVER (PARTITION BY id ORDER BY rowid) AS place
      FROM temp.mpg_others WHERE record IN ('capacity', 'outages', 'allocations')) AS again
WHERE mpg_others.rowid = again.place_of AND again.place > 1;

-- What was there before this reading.
DROP TABLE IF EXISTS temp.mpg_known;
CREATE TEMP TABLE mpg_known(id INTEGER PRIMARY KEY);
INSERT INTO temp.mpg_known SELECT id FROM main.capacity UNION SELECT id FROM main.outages UNION SELECT id FROM main.allocations;

INSERT OR IGNORE INTO main.capacity
SELECT id, pool, chip, chips, start_us, end_us FROM temp.mpg_others WHERE record = 'capacity';
INSERT OR IGNORE INTO main.outages
SELECT id, pool, chips, start_us, end_us, kind FROM temp.mpg_others WHERE record = 'outages';
INSERT OR IGNORE INTO main.allocations
SELECT id, job, attempt, task, pool, chips, start_us, end_us, outcome FROM temp.mpg_others WHERE record = 'allocations';
INSERT OR IGNORE INTO main.spans
SELECT id, job, attempt, kind, start_us, end_us, step, program, flops, bytes, dtype, executions
FROM temp.mpg_incoming WHERE record = 'spans';
-- Spans that a trace holds more than once count once. (Counted only where not every span was new.)
DROP TABLE IF EXISTS temp.mpg_doubles;
CREATE TEMP TABLE mpg_doubles AS
SELECT changes() AS added, (SELECT count(*) FROM temp.mpg_incoming WHERE record = 'spans') AS incoming, 0 AS doubles;
UPDATE temp.mpg_doubles SET doubles = incoming - (SELECT count(DISTINCT id) FROM temp.mpg_incoming WHERE record = 'spans')
WHERE added < incoming;
INSERT OR IGNORE INTO main.commits
SELECT id, job, step, snapshot_us, durable_us FROM temp.mpg_others WHERE record = 'commits';
INSERT OR REPLACE INTO main.chips(chip, dtype, peak_flops, hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, vendor, year, source)
SELECT chip, dtype, peak_flops, hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, vendor, year, source
FROM temp.mpg_others WHERE record = 'chips';
-- A value wins over none, and of two the greater, as in the ledger.
INSERT INTO main.jobs
SELECT id, job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us, labels
FROM temp.mpg_others WHERE record = 'jobs'
ON CONFLICT (job) DO UPDATE SET
  name = coalesce(max(name, excluded.name), name, excluded.name),
  owner = coalesce(max(owner, excluded.owner), owner, excluded.owner),
  phase = coalesce(max(phase, excluded.phase), phase, excluded.phase),
  framework = coalesce(max(framework, excluded.framework), framework, excluded.framework),
  runtime = coalesce(max(runtime, excluded.runtime), runtime, excluded.runtime),
  model = coalesce(max(model, excluded.model), model, excluded.model),
  priority = coalesce(max(priority, excluded.priority), priority, excluded.priority),
  chips = coalesce(max(chips, excluded.chips), chips, excluded.chips),
  min_chips = coalesce(max(min_chips, excluded.min_chips), min_chips, excluded.min_chips),
  tasks = coalesce(max(tasks, excluded.tasks), tasks, excluded.tasks),
  submit_us = coalesce(max(submit_us, excluded.submit_us), submit_us, excluded.submit_us),
  labels = coalesce(max(labels, excluded.labels), labels, excluded.labels);
INSERT INTO main.programs
SELECT id, program, flops, bytes, dtype FROM temp.mpg_others WHERE record = 'programs'
ON CONFLICT (program) DO UPDATE SET
  flops = coalesce(max(flops, excluded.flops), flops, excluded.flops),
  bytes = coalesce(max(bytes, excluded.bytes), bytes, excluded.bytes),
  dtype = coalesce(max(dtype, excluded.dtype), dtype, excluded.dtype);

-- A log that has grown is mapped anew as a whole: what an earlier reading had of its job, from the first record of this one on, is
-- not there any more if this one does not have it. Jobs of logs are those of which one was observed by itself.
DROP TABLE IF EXISTS temp.mpg_grown;
CREATE TEMP TABLE mpg_grown(job TEXT PRIMARY KEY, start_us BIGINT) WITHOUT ROWID;
INSERT INTO temp.mpg_grown
SELECT job, min(start_us) FROM temp.mpg_incoming
WHERE record IN ('spans', 'allocations')
  AND job IN (SELECT o.job FROM main.observed AS o WHERE o.job IS NOT NULL
              UNION SELECT i.job FROM temp.mpg_others AS i WHERE i.record = 'observed' AND i.job IS NOT NULL)
GROUP BY job;
DELETE FROM main.capacity
WHERE id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'capacity')
  AND (pool, chips, start_us) IN (
    SELECT a.pool, a.chips, a.start_us
    FROM temp.mpg_grown AS g CROSS JOIN main.allocations AS a ON a.job = g.job AND a.start_us >= g.start_us);
DELETE FROM main.allocations AS a
WHERE a.job IN (SELECT g.job FROM temp.mpg_grown AS g) AND a.start_us >= (SELECT g.start_us FROM temp.mpg_grown AS g WHERE g.job = a.job)
  AND a.id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'allocations');
DELETE FROM main.spans AS s
WHERE s.job IN (SELECT g.job FROM temp.mpg_grown AS g) AND s.start_us >= (SELECT g.start_us FROM temp.mpg_grown AS g WHERE g.job = s.job)
  AND s.id NOT IN (SELECT i.id FROM temp.mpg_incoming AS i WHERE i.record = 'spans');
DELETE FROM main.commits AS c
WHERE c.job IN (SELECT g.job FROM temp.mpg_grown AS g)
  AND coalesce(c.snapshot_us, c.durable_us) >= (SELECT g.start_us FROM temp.mpg_grown AS g WHERE g.job = c.job)
  AND c.id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'commits');
DROP TABLE temp.mpg_grown;

-- Until when pools and jobs were observed: as this reading has it of those that it tells of.
DELETE FROM main.observed
WHERE pool IN (SELECT i.pool FROM temp.mpg_others AS i WHERE i.record IN ('capacity', 'allocations', 'observed'))
   OR job IN (SELECT i.job FROM temp.mpg_others AS i WHERE i.record IN ('jobs', 'allocations', 'observed'));
INSERT INTO main.observed SELECT pool, job, until_us FROM temp.mpg_others WHERE record = 'observed';

-- What was open when an earlier file was written, and has an end now. A reading may hold two that differ in their ends
-- alone, as of two hosts of which one is gone: so each end takes the place of one, and only where the one was there
-- before this reading or the other was. A task holds its chips once: there the end takes the place of any.
DELETE FROM main.capacity WHERE id IN (
  SELECT id FROM (
    SELECT id, end_us, known, row_number() OVER (PARTITION BY pool, chip, chips, start_us, known, end_us IS NULL ORDER BY id) AS place,
           count(*) FILTER (WHERE end_us IS NOT NULL AND NOT known) OVER alike AS told,
           count(*) FILTER (WHERE end_us IS NOT NULL AND known) OVER alike AS told_before
    FROM (SELECT *, id IN (SELECT k.id FROM temp.mpg_known AS k) AS known FROM main.capacity)
    WINDOW alike AS (PARTITION BY pool, chip, chips, start_us))
  WHERE end_us IS NULL AND place <= iif(known, told, told_before));
DELETE FROM main.outages WHERE id IN (
  SELECT id FROM (
    SELECT id, end_us, known, row_number() OVER (PARTITION BY pool, kind, chips, start_us, known, end_us IS NULL ORDER BY id) AS place,
           count(*) FILTER (WHERE end_us IS NOT NULL AND NOT known) OVER alike AS told,
           count(*) FILTER (WHERE end_us IS NOT NULL AND known) OVER alike AS told_before
    FROM (SELECT *, id IN (SELECT k.id FROM temp.mpg_known AS k) AS known FROM main.outages)
    WINDOW alike AS (PARTITION BY pool, kind, chips, start_us))
  WHERE end_us IS NULL AND place <= iif(known, told, told_before));
DELETE FROM main.allocations WHERE id IN (
  SELECT id FROM (
    SELECT id, task, end_us, known, row_number() OVER (PARTITION BY job, attempt, task, pool, chips, start_us, known, end_us IS NULL ORDER BY id) AS place,
           count(*) FILTER (WHERE end_us IS NOT NULL AND NOT known) OVER alike AS told,
           count(*) FILTER (WHERE end_us IS NOT NULL AND known) OVER alike AS told_before
    FROM (SELECT *, id IN (SELECT k.id FROM temp.mpg_known AS k) AS known FROM main.allocations
          WHERE (job, start_us) IN (SELECT job, start_us FROM main.allocations WHERE end_us IS NULL))
    WINDOW alike AS (PARTITION BY job, attempt, task, pool, chips, start_us))
  WHERE end_us IS NULL AND iif(task IS NULL, place <= iif(known, told, told_before), told + told_before > 0));
DROP TABLE temp.mpg_known;
DELETE FROM main.spans AS o WHERE o.end_us IS NULL AND EXISTS (
  SELECT 1 FROM main.spans AS c
  WHERE c.end_us IS NOT NULL AND (c.job, c.kind, c.start_us) = (o.job, o.kind, o.start_us)
        AND c.attempt IS o.attempt AND c.step IS o.step AND c.program IS o.program);
CREATE INDEX IF NOT EXISTS main.commits_by_job ON commits(job, step, durable_us);
DELETE FROM main.commits AS o WHERE o.durable_us IS NULL AND EXISTS (
  SELECT 1 FROM main.commits AS c INDEXED BY commits_by_job -- the primary key would read all of the job's
  WHERE c.durable_us IS NOT NULL AND c.job = o.job AND c.step IS o.step AND c.snapshot_us IS o.snapshot_us);

DROP TABLE temp.mpg_incoming;
DROP TABLE temp.mpg_others;
DROP TABLE IF EXISTS temp.capacity;
DROP TABLE IF EXISTS temp.outages;
DROP TABLE IF EXISTS temp.jobs;
DROP TABLE IF EXISTS temp.allocations;
DROP TABLE IF EXISTS temp.spans;
DROP TABLE IF EXISTS temp.commits;
DROP TABLE IF EXISTS temp.programs;
DROP TABLE IF EXISTS temp.observed;

-- ---- 2. The ledger of these records ----

CREATE TEMP VIEW capacity AS
SELECT pool, chip, chips, start_us / 1e6 AS start_time, end_us / 1e6 AS end_time FROM main.capacity;
CREATE TEMP VIEW outages AS
SELECT pool, chips, start_us / 1e6 AS start_time, end_us / 1e6 AS end_time, kind FROM main.outages;
CREATE TEMP VIEW jobs AS
SELECT job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks,
       submit_us / 1e6 AS submit_time, labels
FROM main.jobs;
CREATE TEMP VIEW allocations AS
SELECT job, attempt, task, pool, chips, start_us / 1e6 AS start_time, end_us / 1e6 AS end_time, outcome
FROM main.allocations;
CREATE TEMP VIEW spans AS
SELECT job, attempt, kind, start_us / 1e6 AS start_time, end_us / 1e6 AS end_time, step, program, flops, bytes, dtype,
       executions
FROM main.spans;
CREATE TEMP VIEW commits AS
SELECT job, step, snapshot_us / 1e6 AS snapshot_time, durable_us / 1e6 AS durable_time FROM main.commits;
CREATE TEMP VIEW programs AS SELECT program, flops, bytes, dtype FROM main.programs;
CREATE TEMP VIEW observed AS SELECT pool, until_us / 1e6 AS until_time, job FROM main.observed;

-- What jobs did, run by run and program by program, all pools together. (Before the others: the issues that stay are
-- those of the last scan, which this one has only of jobs.)
DROP TABLE IF EXISTS temp.mpg_did;
CREATE TEMP TABLE mpg_did AS
SELECT * FROM mpg_runs
WHERE bucket_width = '1 day' -- for program_ledger
  AND as_of = (SELECT value FROM main.mpg_config WHERE name = 'as_of')
  AND sizes = (SELECT value FROM main.mpg_config WHERE name = 'sizes')
  AND basis = (SELECT value FROM main.mpg_config WHERE name = 'basis')
  AND roofline = (SELECT value FROM main.mpg_config WHERE name = 'roofline');

-- Hour by hour. job and attempt are NULL for idle and down, attempt for queued.
-- hour and day are those of the ledger's clocks; time is the start of the hour in Unix seconds, whatever the clocks.
-- The sum of a *_us column, or of its hours, is what ratios are made of; that of chip_us has the queue in it, which is
-- no capacity. Categories are compared one by one: SQLite makes the list of an IN anew for each row of a generated
-- column.
DROP TABLE IF EXISTS main.ledger;
CREATE TABLE ledger(
  hour DATETIME, time BIGINT, pool TEXT, chip TEXT, job TEXT, attempt BIGINT, name TEXT, owner TEXT, phase TEXT,
  framework TEXT, runtime TEXT, model TEXT, size TEXT, priority TEXT, team TEXT, category TEXT, cause TEXT,
  chip_us BIGINT, intervals BIGINT,
  day DATETIME AS (substr(hour, 1, 10) || ' 00:00:00'),
  week TEXT AS (strftime('%Y', date(hour, '-3 days', 'weekday 4')) || '-W'
                || printf('%02d', (strftime('%j', date(hour, '-3 days', 'weekday 4')) - 1) / 7 + 1)),
  month TEXT AS (substr(hour, 1, 7)),
  chip_hours REAL AS (chip_us / 3.6e9),
  capacity_us BIGINT AS (iif(category <> 'queued', chip_us, 0)),
  capacity_chip_hours REAL AS (iif(category <> 'queued', chip_us / 3.6e9, 0.0)),
  allocated_us BIGINT AS (iif(category <> 'down' AND category <> 'idle' AND category <> 'partial' AND category <> 'queued', chip_us, 0)),
  allocated_chip_hours REAL AS (iif(category <> 'down' AND category <> 'idle' AND category <> 'partial' AND category <> 'queued', chip_us / 3.6e9, 0.0)),
  partial_us BIGINT AS (iif(category = 'partial', chip_us, 0)),
  partial_chip_hours REAL AS (iif(category = 'partial', chip_us / 3.6e9, 0.0)),
  untraced_us BIGINT AS (iif(category = 'untraced', chip_us, 0)),
  untraced_chip_hours REAL AS (iif(category = 'untraced', chip_us / 3.6e9, 0.0)),
  productive_us BIGINT AS (iif(category = 'ideal' OR category = 'inefficiency' OR category = 'unrated', chip_us, 0)),
  productive_chip_hours REAL AS (iif(category = 'ideal' OR category = 'inefficiency' OR category = 'unrated', chip_us / 3.6e9, 0.0)),
  unrated_us BIGINT AS (iif(category = 'unrated', chip_us, 0)),
  unrated_chip_hours REAL AS (iif(category = 'unrated', chip_us / 3.6e9, 0.0)),
  ideal_us BIGINT AS (iif(category = 'ideal', chip_us, 0)),
  ideal_chip_hours REAL AS (iif(category = 'ideal', chip_us / 3.6e9, 0.0)),
  queued_us BIGINT AS (iif(category = 'queued', chip_us, 0)),
  queued_chip_hours REAL AS (iif(category = 'queued', chip_us / 3.6e9, 0.0)));
INSERT INTO ledger
SELECT bucket AS hour,
       CAST(strftime('%s', bucket || coalesce((SELECT value FROM main.mpg_config WHERE name = 'offset'), '')) AS INTEGER) AS time,
       pool, chip, job, attempt, name, owner, phase, framework, runtime, model, size, priority,
       json_extract(CASE WHEN json_valid(labels) THEN labels END, '$.team') AS team,
       category, cause, chip_us, intervals
FROM mpg_rollup
WHERE bucket_width = '1 hour' || coalesce(' ' || (SELECT value FROM main.mpg_config WHERE name = 'offset'), '')
  AND as_of = (SELECT value FROM main.mpg_config WHERE name = 'as_of')
  AND sizes = (SELECT value FROM main.mpg_config WHERE name = 'sizes')
  AND basis = (SELECT value FROM main.mpg_config WHERE name = 'basis')
  AND roofline = (SELECT value FROM main.mpg_config WHERE name = 'roofline');

-- Every interval of what was held or wanted without running, and of what nobody held.
DROP TABLE IF EXISTS main.waits;
CREATE TABLE waits(
  pool TEXT, job TEXT, attempt BIGINT, size TEXT, category TEXT, cause TEXT, start_us BIGINT, end_us BIGINT,
  chip_us BIGINT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  chip_hours REAL AS (chip_us / 3.6e9));
INSERT INTO waits
SELECT pool, job, attempt, size, category, cause, CAST(round(start_time * 1e6) AS INTEGER) AS start_us,
       CAST(round(end_time * 1e6) AS INTEGER) AS end_us, chip_us
FROM mpg_ledger
WHERE category IN ('down', 'idle', 'partial', 'queued')
  AND as_of = (SELECT value FROM main.mpg_config WHERE name = 'as_of')
  AND sizes = (SELECT value FROM main.mpg_config WHERE name = 'sizes')
  AND basis = (SELECT value FROM main.mpg_config WHERE name = 'basis')
  AND roofline = (SELECT value FROM main.mpg_config WHERE name = 'roofline');

DROP VIEW temp.capacity;
DROP VIEW temp.outages;
DROP VIEW temp.jobs;
DROP VIEW temp.allocations;
DROP VIEW temp.spans;
DROP VIEW temp.commits;
DROP VIEW temp.programs;
DROP VIEW temp.observed;

-- A job's attempts: from its first chip to its last; the outcome is that of the allocation that ended last
-- (of several the first of the order below), NULL while any is held.
DROP TABLE IF EXISTS main.attempts;
CREATE TABLE attempts(
  job TEXT, attempt BIGINT, pool TEXT, size TEXT, chips REAL, start_us BIGINT, end_us BIGINT, outcome TEXT,
  ready_us BIGINT, held_us BIGINT, productive_us BIGINT, lost_us BIGINT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  ready_time DATETIME AS (datetime(ready_us / 1000000, 'unixepoch') || printf('.%06d', ready_us % 1000000)),
  held_chip_hours REAL AS (held_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  lost_chip_hours REAL AS (lost_us / 3.6e9));
CREATE UNIQUE INDEX main.attempts_key ON attempts(job, attempt);
DROP TABLE IF EXISTS temp.mpg_sizes;
CREATE TEMP TABLE mpg_sizes(job TEXT PRIMARY KEY, size TEXT);
INSERT INTO temp.mpg_sizes SELECT job, max(size) FROM main.ledger WHERE job IS NOT NULL GROUP BY job;
INSERT INTO attempts
SELECT d.job, d.attempt,
       (SELECT a.pool FROM allocations AS a WHERE a.job = d.job AND a.start_us = d.start_us ORDER BY a.pool LIMIT 1),
       (SELECT z.size FROM temp.mpg_sizes AS z WHERE z.job = d.job),
       coalesce((SELECT j.chips FROM jobs AS j WHERE j.job = d.job), d.chips),
       d.start_us, d.end_us,
       (SELECT CASE WHEN a.end_us <= d.end_us THEN a.outcome END FROM allocations AS a
        WHERE a.job = d.job AND a.start_us >= d.start_us AND a.start_us < d.end_us AND (a.attempt = d.attempt OR a.attempt IS NULL)
        ORDER BY a.end_us IS NOT NULL, a.end_us DESC,
                 CASE a.outcome WHEN 'node_fail' THEN 1 WHEN 'preempted' THEN 2 WHEN 'timeout' THEN 3 WHEN 'failed' THEN 4
                                WHEN 'cancelled' THEN 5 WHEN 'completed' THEN 6 ELSE 7 END
        LIMIT 1),
       d.ready_us, d.held_us, d.productive_us, d.lost_us
FROM (
  SELECT job, attempt, min(start_us) AS start_us, max(end_us) AS end_us, min(start_us) FILTER (WHERE run NOT NULL) AS ready_us,
         sum(held_us) AS held_us, sum(productive_us) AS productive_us, sum(lost_us) AS lost_us, max(chips) AS chips
  FROM temp.mpg_did GROUP BY job, attempt
) AS d;
DROP TABLE temp.mpg_sizes;

-- A row a label of a job. Those that mpg_config names in labels are columns of the ledger, too.
DROP TABLE IF EXISTS main.job_labels;
CREATE TABLE job_labels(job TEXT, key TEXT, value TEXT);
CREATE UNIQUE INDEX main.job_labels_key ON job_labels(job, key);
INSERT OR IGNORE INTO job_labels
SELECT j.job, CAST(l.key AS TEXT), CAST(l.value AS TEXT)
FROM jobs AS j, json_each(CASE WHEN json_valid(j.labels) THEN j.labels END) AS l
WHERE json_type(CASE WHEN json_valid(j.labels) THEN j.labels END) = 'object' AND l.value IS NOT NULL;

-- The times an attempt had everything it needed. outcome: what ended it, 'gang_broken' where the attempt
-- went on, but 'preempted' where an allocation of 0 chips says that it gave back all (it was suspended), NULL at
-- the end of the trace. last_span_us: the end of the last thing that its program did;
-- progress_us: the start of its first step; restore_us: time it read checkpoints back before that.
DROP TABLE IF EXISTS main.runs;
CREATE TABLE runs(
  job TEXT, attempt BIGINT, run BIGINT, start_us BIGINT, end_us BIGINT, outcome TEXT, last_span_us BIGINT,
  progress_us BIGINT, restore_us BIGINT, held_us BIGINT, productive_us BIGINT, lost_us BIGINT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  last_span_time DATETIME AS (datetime(last_span_us / 1000000, 'unixepoch') || printf('.%06d', last_span_us % 1000000)),
  progress_time DATETIME AS (datetime(progress_us / 1000000, 'unixepoch') || printf('.%06d', progress_us % 1000000)),
  held_chip_hours REAL AS (held_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  lost_chip_hours REAL AS (lost_us / 3.6e9));
CREATE UNIQUE INDEX main.runs_key ON runs(job, attempt, run);
INSERT INTO runs
SELECT job, attempt, run, min(start_us), max(end_us), NULL, max(last_span_us), min(progress_us), sum(restore_us), sum(held_us),
       sum(productive_us), sum(lost_us)
FROM temp.mpg_did WHERE run NOT NULL GROUP BY job, attempt, run;
UPDATE runs SET
  outcome = CASE WHEN EXISTS (SELECT 1 FROM runs AS r WHERE r.job = runs.job AND r.attempt = runs.attempt AND r.run > runs.run)
                 THEN CASE WHEN EXISTS (SELECT 1 FROM allocations AS a WHERE a.job = runs.job AND a.attempt = runs.attempt AND a.start_us = runs.end_us AND a.chips = 0)
                           THEN 'preempted' ELSE 'gang_broken' END
                 ELSE (SELECT a.outcome FROM attempts AS a WHERE a.job = runs.job AND a.attempt = runs.attempt) END;

-- Chip-time of programs, by day of UTC.
DROP TABLE IF EXISTS main.program_ledger;
CREATE TABLE program_ledger(
  program TEXT, job TEXT, day DATETIME, productive_us BIGINT, ideal_us BIGINT, unrated_us BIGINT, lost_us BIGINT,
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  ideal_chip_hours REAL AS (ideal_us / 3.6e9),
  unrated_chip_hours REAL AS (unrated_us / 3.6e9),
  lost_chip_hours REAL AS (lost_us / 3.6e9));
INSERT INTO program_ledger
SELECT program, job, date(86400 * day, 'unixepoch') || ' 00:00:00', sum(productive_us), sum(ideal_us), sum(unrated_us), sum(lost_us)
FROM (SELECT program, job, start_us / 86400000000 - (start_us % 86400000000 < 0) AS day, productive_us, ideal_us, unrated_us, lost_us
      FROM temp.mpg_did WHERE program IS NOT NULL)
GROUP BY program, job, day;

CREATE TABLE IF NOT EXISTS issues(severity TEXT, kind TEXT, source TEXT, line BIGINT, count BIGINT, detail TEXT);
DELETE FROM issues;
INSERT INTO issues
SELECT severity, kind, source, line, count, detail FROM mpg_issues
WHERE source <> 'main' OR kind <> 'out_of_order' -- main's tables are in the order of their ids
UNION ALL
SELECT 'warning', 'duplicate_span', 'main', NULL, doubles, 'spans that repeat exactly count once' FROM temp.mpg_doubles WHERE doubles > 0;
DROP TABLE temp.mpg_doubles;

DROP TABLE temp.mpg_did;

CREATE INDEX IF NOT EXISTS main.ledger_by_job ON ledger(job);
CREATE INDEX IF NOT EXISTS main.attempts_by_start ON attempts(pool, start_us);
-- With what SG, RG, PG and MPG are made of, so that a card by hour, pool or phase sorts nothing.
CREATE INDEX IF NOT EXISTS main.ledger_by_time
  ON ledger(time, capacity_us, allocated_us, untraced_us, productive_us, unrated_us, ideal_us);
CREATE INDEX IF NOT EXISTS main.ledger_by_pool
  ON ledger(pool, capacity_us, allocated_us, untraced_us, productive_us, unrated_us, ideal_us);
CREATE INDEX IF NOT EXISTS main.ledger_by_phase
  ON ledger(phase, capacity_us, allocated_us, untraced_us, productive_us, unrated_us, ideal_us);

-- ---- 3. Sums by day, pool and job, from which come the ratios that tools show as they are ----
-- What nobody knows is NULL, and no 0: MPG_lower too where no ideal work is known and something is not. traced and rated say how much is.

DROP TABLE IF EXISTS main.day_sums;
CREATE TABLE day_sums(
  day DATETIME, capacity_us BIGINT, allocated_us BIGINT, partial_us BIGINT, untraced_us BIGINT,
  productive_us BIGINT, unrated_us BIGINT, ideal_us BIGINT, queued_us BIGINT,
  capacity_chip_hours REAL AS (capacity_us / 3.6e9),
  allocated_chip_hours REAL AS (allocated_us / 3.6e9),
  partial_chip_hours REAL AS (partial_us / 3.6e9),
  untraced_chip_hours REAL AS (untraced_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  unrated_chip_hours REAL AS (unrated_us / 3.6e9),
  ideal_chip_hours REAL AS (ideal_us / 3.6e9),
  queued_chip_hours REAL AS (queued_us / 3.6e9),
  SG REAL AS (1.0 * allocated_us / nullif(capacity_us, 0)),
  RG REAL AS (1.0 * productive_us / nullif(allocated_us - untraced_us, 0)),
  PG REAL AS (1.0 * ideal_us / nullif(productive_us - unrated_us, 0)),
  MPG REAL AS (CASE WHEN untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END),
  MPG_lower REAL AS (CASE WHEN ideal_us <> 0 OR untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END),
  traced REAL AS (1.0 * (allocated_us - untraced_us) / nullif(allocated_us, 0)),
  rated REAL AS (1.0 * (productive_us - unrated_us) / nullif(productive_us, 0)));
CREATE UNIQUE INDEX main.day_sums_key ON day_sums(day);
INSERT INTO day_sums
SELECT day, sum(capacity_us), sum(allocated_us), sum(partial_us), sum(untraced_us), sum(productive_us),
       sum(unrated_us), sum(ideal_us), sum(queued_us) FROM ledger GROUP BY day;

DROP TABLE IF EXISTS main.pool_sums;
CREATE TABLE pool_sums(
  pool TEXT, chip TEXT, capacity_us BIGINT, allocated_us BIGINT, partial_us BIGINT, untraced_us BIGINT,
  productive_us BIGINT, unrated_us BIGINT, ideal_us BIGINT, queued_us BIGINT,
  capacity_chip_hours REAL AS (capacity_us / 3.6e9),
  allocated_chip_hours REAL AS (allocated_us / 3.6e9),
  partial_chip_hours REAL AS (partial_us / 3.6e9),
  untraced_chip_hours REAL AS (untraced_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  unrated_chip_hours REAL AS (unrated_us / 3.6e9),
  ideal_chip_hours REAL AS (ideal_us / 3.6e9),
  queued_chip_hours REAL AS (queued_us / 3.6e9),
  SG REAL AS (1.0 * allocated_us / nullif(capacity_us, 0)),
  RG REAL AS (1.0 * productive_us / nullif(allocated_us - untraced_us, 0)),
  PG REAL AS (1.0 * ideal_us / nullif(productive_us - unrated_us, 0)),
  MPG REAL AS (CASE WHEN untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END),
  MPG_lower REAL AS (CASE WHEN ideal_us <> 0 OR untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END),
  traced REAL AS (1.0 * (allocated_us - untraced_us) / nullif(allocated_us, 0)),
  rated REAL AS (1.0 * (productive_us - unrated_us) / nullif(productive_us, 0)));
CREATE UNIQUE INDEX main.pool_sums_key ON pool_sums(pool);
INSERT INTO pool_sums
SELECT pool, min(chip), sum(capacity_us), sum(allocated_us), sum(partial_us), sum(untraced_us), sum(productive_us),
       sum(unrated_us), sum(ideal_us), sum(queued_us) FROM ledger WHERE pool IS NOT NULL GROUP BY pool;

-- Job by job: SG on the job's own basis, and where its chip-hours went.
DROP TABLE IF EXISTS main.job_sums;
CREATE TABLE job_sums(
  job TEXT, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT, model TEXT, size TEXT, team TEXT,
  capacity_us BIGINT, allocated_us BIGINT, partial_us BIGINT, untraced_us BIGINT,
  productive_us BIGINT, unrated_us BIGINT, ideal_us BIGINT, queued_us BIGINT,
  held_us BIGINT AS (allocated_us + partial_us),
  lost_us BIGINT AS (allocated_us + partial_us - ideal_us - untraced_us - unrated_us),
  held_chip_hours REAL AS ((allocated_us + partial_us) / 3.6e9),
  lost_chip_hours REAL AS ((allocated_us + partial_us - ideal_us - untraced_us - unrated_us) / 3.6e9),
  capacity_chip_hours REAL AS (capacity_us / 3.6e9),
  allocated_chip_hours REAL AS (allocated_us / 3.6e9),
  partial_chip_hours REAL AS (partial_us / 3.6e9),
  untraced_chip_hours REAL AS (untraced_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  unrated_chip_hours REAL AS (unrated_us / 3.6e9),
  ideal_chip_hours REAL AS (ideal_us / 3.6e9),
  queued_chip_hours REAL AS (queued_us / 3.6e9),
  SG REAL AS (1.0 * allocated_us / nullif(allocated_us + partial_us, 0)),
  RG REAL AS (1.0 * productive_us / nullif(allocated_us - untraced_us, 0)),
  PG REAL AS (1.0 * ideal_us / nullif(productive_us - unrated_us, 0)),
  MPG REAL AS (CASE WHEN untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(allocated_us + partial_us, 0) END),
  MPG_lower REAL AS (CASE WHEN ideal_us <> 0 OR untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(allocated_us + partial_us, 0) END),
  traced REAL AS (1.0 * (allocated_us - untraced_us) / nullif(allocated_us, 0)),
  rated REAL AS (1.0 * (productive_us - unrated_us) / nullif(productive_us, 0)));
CREATE UNIQUE INDEX main.job_sums_key ON job_sums(job);
INSERT INTO job_sums
SELECT job, min(name), min(owner), min(phase), min(framework), min(runtime), min(model), min(size), min(team),
       sum(capacity_us), sum(allocated_us), sum(partial_us), sum(untraced_us), sum(productive_us),
       sum(unrated_us), sum(ideal_us), sum(queued_us)
FROM ledger WHERE job IS NOT NULL GROUP BY job;

-- ---- 4. Views of columns alone, whose types drivers report, generated columns too ----

DROP VIEW IF EXISTS cells;
CREATE VIEW cells AS
SELECT hour, day, week, month, time, pool, chip, job, attempt, name, owner, phase, framework, runtime, model, size,
       priority, team, category, cause, chip_us, chip_hours,
       capacity_us, allocated_us, partial_us, untraced_us, productive_us, unrated_us, ideal_us, queued_us,
       capacity_chip_hours, allocated_chip_hours, partial_chip_hours, untraced_chip_hours,
       productive_chip_hours, unrated_chip_hours, ideal_chip_hours, queued_chip_hours
FROM ledger;

DROP VIEW IF EXISTS goodput_by_day;
CREATE VIEW goodput_by_day AS
SELECT day, capacity_chip_hours, SG, RG, PG, MPG, MPG_lower, traced, rated FROM day_sums;

DROP VIEW IF EXISTS goodput_by_pool;
CREATE VIEW goodput_by_pool AS
SELECT pool, chip, capacity_chip_hours, SG, RG, PG, MPG, MPG_lower, traced, rated FROM pool_sums;

DROP VIEW IF EXISTS goodput_by_job;
CREATE VIEW goodput_by_job AS
SELECT job, name, owner, phase, framework, runtime, model, size, team, held_chip_hours, SG, RG, PG, MPG,
       lost_chip_hours, queued_chip_hours, MPG_lower, traced, rated
FROM job_sums;

COMMIT;
