-- fleet.sql - the relations of the native trace as tables: what mpg_ledger, mpg_rollup and mpg_timeline read.
-- docs/formats/native.md says what the columns mean. Runs as often as you like: sqlite3 fleet.db <schema/fleet.sql
--
-- Types are chosen so that nothing that is stored changes:
--   BIGINT   64-bit integers. BI tools over ODBC cut a column declared INTEGER to 32 bits, not this one.
--   REAL     amounts. Chips may be fractions.
--   TEXT     names. A task '007' stays '007'.
--   NUMERIC  times: whole Unix seconds stay integers, others become a double, which is exact to the microsecond
--            until 2255, and ISO 8601 text stays text. (DATETIME stores the same, but lets ODBC and JDBC drivers take
--            the number for something else, some of them for milliseconds.)
-- The tables are not STRICT, which refuses BIGINT and NUMERIC; the CHECKs do its work. A CHECK compares the ends of an
-- interval where both are numbers: texts with different zones do not sort by time, so the ledger checks those.
-- Nothing is UNIQUE: a record may come twice, and the ledger knows what to do with it.

-- Chips installed in a pool.
CREATE TABLE IF NOT EXISTS capacity (
  pool        TEXT    NOT NULL CHECK (pool <> ''),
  chip        TEXT    CHECK (chip <> ''),  -- a name or alias of mpg_chips
  chips       REAL    NOT NULL CHECK (typeof(chips) = 'real' AND chips >= 0),
  start_time  NUMERIC NOT NULL CHECK (start_time <> ''),  -- Unix seconds, or ISO 8601 text
  end_time    NUMERIC CHECK (end_time <> ''),  -- NULL: still installed
  CHECK (end_time >= start_time OR typeof(start_time) = 'text' OR typeof(end_time) = 'text')
);

-- Chips of a pool out of service.
CREATE TABLE IF NOT EXISTS outages (
  pool        TEXT    NOT NULL CHECK (pool <> ''),
  chips       REAL    NOT NULL CHECK (typeof(chips) = 'real' AND chips >= 0),
  start_time  NUMERIC NOT NULL CHECK (start_time <> ''),
  end_time    NUMERIC CHECK (end_time <> ''),  -- NULL: not repaired yet
  kind        TEXT    CHECK (kind <> ''),  -- 'hw_down', 'maintenance', ...; NULL: 'down'
  CHECK (end_time >= start_time OR typeof(start_time) = 'text' OR typeof(end_time) = 'text')
);

-- What is known of a job; every column but the first may be NULL.
CREATE TABLE IF NOT EXISTS jobs (
  job         TEXT    NOT NULL CHECK (job <> ''),  -- the id that the other relations use
  name        TEXT,
  owner       TEXT,
  phase       TEXT,  -- 'training', 'serving', 'bulk_inference', ...
  framework   TEXT,
  runtime     TEXT,
  model       TEXT,
  priority    BIGINT,
  chips       REAL    CHECK (typeof(chips) IN ('real', 'null') AND chips >= 0),  -- chips that it needs
  min_chips   REAL    CHECK (typeof(min_chips) IN ('real', 'null') AND min_chips >= 0),  -- elastic: runs with as few
  tasks       BIGINT  CHECK (typeof(tasks) IN ('integer', 'null') AND tasks >= 0),  -- tasks of its gang
  submit_time NUMERIC CHECK (submit_time <> ''),
  labels      TEXT    -- a JSON object of anything else
);

-- Chips that a task of a job holds.
CREATE TABLE IF NOT EXISTS allocations (
  job         TEXT    NOT NULL CHECK (job <> ''),
  attempt     BIGINT  CHECK (typeof(attempt) IN ('integer', 'null')),
  task        TEXT    CHECK (task <> ''),
  pool        TEXT    NOT NULL CHECK (pool <> ''),
  chips       REAL    NOT NULL CHECK (typeof(chips) = 'real' AND chips >= 0),
  start_time  NUMERIC NOT NULL CHECK (start_time <> ''),
  end_time    NUMERIC CHECK (end_time <> ''),  -- NULL: still held
  outcome     TEXT    CHECK (outcome IN ('completed', 'failed', 'cancelled', 'preempted', 'timeout', 'node_fail', 'released')),
  CHECK (end_time >= start_time OR typeof(start_time) = 'text' OR typeof(end_time) = 'text')
);

-- What the program of a job did.
CREATE TABLE IF NOT EXISTS spans (
  job         TEXT    NOT NULL CHECK (job <> ''),
  attempt     BIGINT  CHECK (typeof(attempt) IN ('integer', 'null')),
  kind        TEXT    NOT NULL CHECK (kind <> ''),  -- 'step', 'serve', 'checkpoint', ...
  start_time  NUMERIC NOT NULL CHECK (start_time <> ''),
  end_time    NUMERIC CHECK (end_time <> ''),  -- NULL: not ended yet
  step        BIGINT  CHECK (typeof(step) IN ('integer', 'null')),
  program     TEXT    CHECK (program <> ''),
  flops       REAL    CHECK (typeof(flops) IN ('real', 'null') AND flops >= 0),  -- FLOPs, all chips together
  bytes       REAL    CHECK (typeof(bytes) IN ('real', 'null') AND bytes >= 0),  -- to and from memory
  dtype       TEXT    CHECK (dtype <> ''),
  executions  REAL    CHECK (typeof(executions) IN ('real', 'null') AND executions >= 0),  -- of the program; NULL: once
  CHECK (end_time >= start_time OR typeof(start_time) = 'text' OR typeof(end_time) = 'text')
);

-- Checkpoints (of bulk inference: output shards) that became durable, or never did.
CREATE TABLE IF NOT EXISTS commits (
  job           TEXT    NOT NULL CHECK (job <> ''),
  attempt       BIGINT  CHECK (typeof(attempt) IN ('integer', 'null')),
  step          BIGINT  CHECK (typeof(step) IN ('integer', 'null')),
  snapshot_time NUMERIC CHECK (snapshot_time <> ''),  -- when its state was taken
  durable_time  NUMERIC CHECK (durable_time <> '')  -- when it was safe; NULL: never
);

-- What one execution of a program computes, all chips together.
CREATE TABLE IF NOT EXISTS programs (
  program     TEXT    NOT NULL CHECK (program <> ''),
  flops       REAL    CHECK (typeof(flops) IN ('real', 'null') AND flops >= 0),
  bytes       REAL    CHECK (typeof(bytes) IN ('real', 'null') AND bytes >= 0),
  dtype       TEXT    CHECK (dtype <> '')
);

-- Optional: until when a pool was observed, such as the time of an export. Its ledger ends there.
-- Or the chip of a pool whose capacity nothing tells.
CREATE TABLE IF NOT EXISTS observed (
  pool        TEXT    CHECK (pool <> ''),  -- NULL: every pool that no other row names
  until_time  NUMERIC CHECK (until_time <> ''),
  chip        TEXT    CHECK (chip <> ''),
  CHECK (until_time NOT NULL OR pool NOT NULL AND chip NOT NULL)
);

-- Optional: chips that the built-in catalogue lacks, or says otherwise. One row for each dtype.
CREATE TABLE IF NOT EXISTS chips (
  chip            TEXT   NOT NULL CHECK (chip <> ''),
  dtype           TEXT   NOT NULL CHECK (dtype <> ''),
  peak_flops      REAL   NOT NULL CHECK (typeof(peak_flops) = 'real' AND peak_flops > 0),  -- FLOP/s, dense
  hbm_bytes       REAL,
  hbm_bytes_per_s REAL,
  ici_bytes_per_s REAL,
  tdp_w           REAL,
  vendor          TEXT,
  year            BIGINT,
  source          TEXT
);

-- The ledger takes the records job by job, in order of time.
CREATE INDEX IF NOT EXISTS jobs_by_job ON jobs (job);
CREATE INDEX IF NOT EXISTS allocations_by_job ON allocations (job, start_time);
CREATE INDEX IF NOT EXISTS spans_by_job ON spans (job, start_time);
CREATE INDEX IF NOT EXISTS commits_by_job ON commits (job, durable_time);
