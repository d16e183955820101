-- The ledger over files and over relations; fixtures/golden is worked out by hand in docs/metric.md.
\getenv here PG_ABS_SRCDIR
\set golden :here '/../../fixtures/golden'
\pset null -
SELECT category, sum(chip_us) AS chip_us, sum(intervals) AS intervals
FROM trace_rollup(:'golden') GROUP BY 1 ORDER BY 1;
SELECT round(scheduling_goodput(category, chip_us)::numeric, 4) AS sg, round(runtime_goodput(category, chip_us)::numeric, 4) AS rg,
       round(program_goodput(category, chip_us)::numeric, 4) AS pg, round(mpg(category, chip_us)::numeric, 4) AS mpg
FROM trace_rollup(:'golden', by => 'category');
SELECT pool, chip, job, phase, size, category, start_time, end_time, bucket, chip_us
FROM trace_ledger(:'golden', bucket_width => '1 minute', since => 30, until => to_timestamp(60)) ORDER BY 7, 6, 3, 8;
SELECT attempt, start_time, end_time, category, kind, step, regexp_replace(_file, '.*/', '') AS _file, _line
FROM trace_timeline(:'golden', 'J1', as_of => 60);

-- Relations, found through the search path or by a schema's name.
CREATE SCHEMA "Fleet";
SET search_path = "Fleet", public;
CREATE TABLE capacity(pool text, chip text, chips int, start_time timestamptz, end_time timestamptz);
CREATE TABLE jobs(job text PRIMARY KEY, phase text, labels jsonb, colour text);
CREATE TABLE allocations(job text, pool text, chips numeric, start_time timestamptz, end_time timestamptz, outcome text);
INSERT INTO capacity VALUES ('a', 'tpu-v4', 8, '2026-01-01 00:00+00', '2026-01-01 01:00+00');
INSERT INTO jobs VALUES ('j', 'training', '{"team": "x"}', 'red');
INSERT INTO allocations VALUES ('j', 'a', 2.00, '2026-01-01 00:15+00', '2026-01-01 00:45:00.5+00', 'completed');
SELECT pool, job, phase, labels, category, chip_seconds FROM mpg_rollup ORDER BY 2, 5;
SELECT * FROM mpg_issues;
SELECT count(*) FROM mpg_ledger('Fleet', bucket_width => '10 minutes');
SELECT to_timestamp(start_time) AT TIME ZONE 'UTC' AS start_time, category FROM mpg_timeline('j');
SET search_path = public;
SELECT * FROM mpg_rollup;
SELECT * FROM mpg_rollup('fleet');

-- Errors end the statement, and name the place.
INSERT INTO "Fleet".allocations VALUES ('j', 'a', -1, '2026-01-01 00:15+00', NULL, NULL);
SELECT * FROM mpg_rollup('Fleet');
SELECT DISTINCT category FROM mpg_ledger('Fleet', on_error => 'skip') ORDER BY 1;
SELECT * FROM mpg_issues WHERE severity = 'data_loss';
SELECT * FROM trace_ledger('/nowhere');
SELECT * FROM trace_ledger(NULL);
SELECT * FROM trace_rollup(:'golden', by => 'category, colour');
SELECT * FROM trace_rollup(:'golden', basis => 'all');

-- Files are for roles that may read them.
CREATE ROLE regress_mpg_guest;
SET ROLE regress_mpg_guest;
SELECT * FROM trace_rollup(:'golden');
SELECT * FROM mpg_rollup('Fleet');
RESET ROLE;
DROP ROLE regress_mpg_guest;
SET client_min_messages = warning;
DROP SCHEMA "Fleet" CASCADE;
