/* queries.sql - thirty-one queries that every client answers, in this order on one connection, in the repository's root.

   A query begins behind a line "-- name" and ends with its semicolon. Where it has parameters (?1, ?2), they are the values
   of the last row that the client has fetched: what went out through the client comes back through it. The answers are in
   answers.jsonl; where a client cannot give one of them, tests/hosts/test_clients.py says so. */

-- loaded
SELECT typeof(mpg_version()) AS type, mpg_version() LIKE '_%._%._%' AS is_version;

-- values
SELECT NULL AS missing, 9007199254740993 AS above, -9223372036854775807 - 1 AS least, 9223372036854775807 AS largest,
       0.1 AS tenth, 1e999 AS infinite, 'Zürich 東京 🚀' AS utf8, 'it''s "so" \' || char(9, 10) || '|' AS quotes, x'00ff27' AS bytes;

-- values, bound
SELECT typeof(?1) AS t1, ?2 - 9007199254740992 AS one, ?3 + ?4 AS minus_one, ?5 = 0.1 AS tenth, ?6 = 1e999 AS infinite,
       length(?7) AS characters, ?8 = 'it''s "so" \' || char(9, 10) || '|' AS same, typeof(?9) AS t9, hex(?9) AS bytes;

-- category and chip-time
SELECT pool, scheduling_goodput(category, chip_us) AS sg, runtime_goodput(category, chip_us) AS rg,
       program_goodput(category, chip_us) AS pg, mpg(category, chip_us) AS mpg
FROM trace_rollup('fixtures/golden') WHERE category <> 'queued' GROUP BY pool;

-- four sums
SELECT mpg(100, 80, 60, 30) AS mpg, scheduling_goodput(100, 80, 60, 30) AS sg, program_goodput(100, 80, 60, NULL) AS unrated;

-- NULL where something is unrated
SELECT pool, mpg(category, chip_us) AS mpg, mpg_lower(category, chip_us) AS lower
FROM trace_rollup('fixtures/fleet') WHERE category <> 'queued' GROUP BY pool ORDER BY pool;

-- files of other programs
SELECT pool, phase, scheduling_goodput(category, chip_us) AS sg, runtime_goodput(category, chip_us) AS rg,
       program_goodput(category, chip_us) AS pg, mpg(category, chip_us) AS mpg, sum(chip_us) AS chip_us
FROM trace_rollup('fixtures/exports/fleet.json') WHERE category <> 'queued' GROUP BY pool, phase ORDER BY pool, phase IS NULL, phase;

-- a state
SELECT goodput_state(category, chip_us) AS state FROM trace_rollup('fixtures/golden') WHERE category <> 'queued';

-- the state, bound
SELECT mpg(?1) AS mpg, runtime_goodput(?1) AS rg, goodput_merge(?1) = ?1 AS same, length(?1) AS bytes;

-- states merge to the state of all
SELECT count(*) AS pools, goodput_merge(state) = (SELECT goodput_state(category, chip_us) FROM trace_rollup('fixtures/fleet')) AS same
FROM (SELECT pool, goodput_state(category, chip_us) AS state FROM trace_rollup('fixtures/fleet') GROUP BY pool);

-- window
SELECT bucket, mpg_lower(state) OVER (PARTITION BY bucket) AS mpg, mpg_lower(state) OVER (ORDER BY bucket ROWS 2 PRECEDING) AS three
FROM (SELECT bucket, goodput_state(category, chip_us) AS state FROM trace_rollup('fixtures/golden', '20')
      WHERE category <> 'queued' GROUP BY bucket)
ORDER BY bucket;

-- JSON
SELECT goodput(category, chip_us) AS goodput FROM trace_rollup('fixtures/golden');

-- categories and causes
SELECT job, category, cause, chip_us, intervals FROM trace_rollup('fixtures/golden') ORDER BY job, category, cause;

-- sums of integers
SELECT category, sum(chip_us) AS chip_us, sum(intervals) AS intervals
FROM trace_rollup('fixtures/fleet') GROUP BY category ORDER BY chip_us DESC;

-- arguments by position
SELECT bucket, sum(chip_us) AS chip_us FROM trace_rollup('fixtures/fleet', '1 day', '2026-01-05', '2026-01-06') GROUP BY bucket;

-- arguments in WHERE
SELECT bucket, sum(chip_us) AS chip_us FROM trace_rollup
WHERE path = 'fixtures/fleet' AND bucket_width = '1 day' AND since = '2026-01-05' AND until = '2026-01-06' GROUP BY bucket;

-- intervals of the ledger
SELECT job, category, start_time, end_time, chip_us FROM trace_ledger('fixtures/golden')
WHERE since = 50 AND until = 66 AND job = 'J1' ORDER BY start_time, category;

-- evidence
SELECT start_time, end_time, category, kind, step, _line FROM trace_timeline('fixtures/golden', 'J1')
WHERE category <> 'ideal' ORDER BY start_time, category;

-- empty
SELECT pool, chip_us FROM trace_rollup('fixtures/fleet') WHERE job = 'nobody';

-- nothing summed
SELECT mpg(category, chip_us) AS mpg, goodput_state(category, chip_us) AS state FROM trace_rollup('fixtures/fleet') WHERE job = 'nobody';

-- error in a function
SELECT mpg(column1, 1) FROM (VALUES ('ideal'), ('prodctive'));

-- error in a file
SELECT count(*) FROM trace_rollup('/nowhere');

-- Slurm
SELECT JobIDRaw, JobName, State, alloc_gpus, gpu_type, "End" - Start AS seconds, outcome
FROM slurm_trace('fixtures/slurm/sacct_jobs_nodup.psv') WHERE step IS NULL ORDER BY _line LIMIT 6;

-- Slurm's nodes
SELECT Event, NodeName, State, TimeStart, TimeEnd, gpus FROM slurm_events_trace('fixtures/slurm/sacctmgr_events.psv') ORDER BY _line LIMIT 4;

-- issues
SELECT severity, kind, count, detail FROM mpg_issues WHERE source LIKE 'fixtures/slurm/%' ORDER BY kind, detail;

-- roofline
SELECT roofline_seconds(1e15, 'tpu-v5p') AS compute, roofline_seconds(1e12, 1e12, 'tpu-v5p') AS memory,
       roofline_bound(1e12, 1e12, 'tpu-v5p', 'bf16') AS bound, roofline_seconds(NULL, 'tpu-v5p') AS missing;

-- infinities from a file
SELECT labels, value, value_text FROM prometheus_trace('tests/clients/infinite.prom') ORDER BY _line;

-- chips
SELECT chip, dtype, peak_flops, hbm_bytes FROM mpg_chips WHERE chip IN ('nvidia-h100-sxm', 'tpu-v5p', 'tpu-v6e') ORDER BY chip, dtype;

-- intervals
SELECT interval_union(s, e) AS covered, all_up(s, e, 2) AS two_up, peak_concurrency(s, e) AS most, interval_overlap(s, e, s >= 5) AS overlap
FROM (SELECT 0 AS s, 9007199254740993 AS e UNION ALL SELECT 5, 12 UNION ALL SELECT 20, 25);

-- buckets
SELECT bucket, start_time, end_time, seconds FROM interval_buckets(3600, 12000, '1 hour');

-- small functions
SELECT job_size(64) AS size, time_bucket('2026-01-04T23:30:00Z', '1 day +01:00') AS day, iso_week('2026-01-04T23:30:00Z') AS week,
       bar(5, 8, 8) AS bar, mpg_uuid('dns', 'example.org') AS id;
