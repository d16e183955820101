-- The goodput aggregates in their three forms, over the golden fleet of docs/metric.md's numbers.
CREATE EXTENSION mpg;
CREATE TABLE ledger(pool text, category text, chip_us bigint);
INSERT INTO ledger VALUES
  ('a', 'down', 8000000), ('a', 'idle', 240000000), ('a', 'partial', 44000000), ('a', 'startup', 60000000),
  ('a', 'lost', 48000000), ('a', 'stall', 80000000), ('a', 'inefficiency', 196000000), ('a', 'ideal', 124000000),
  ('b', 'idle', 1), ('b', 'untraced', 1), ('c', 'queued', 5), ('d', 'unrated', 2), ('d', 'ideal', 1);
SELECT pool, scheduling_goodput(category, chip_us) AS sg, runtime_goodput(category, chip_us) AS rg,
       program_goodput(category, chip_us) AS pg, mpg(category, chip_us), mpg_lower(category, chip_us)
FROM ledger GROUP BY pool ORDER BY pool;
SELECT pool, runtime_coverage(category, chip_us) AS traced, program_coverage(category, chip_us) AS rated,
       occupancy(category, chip_us), mfu(category, chip_us), ettr(category, chip_us)
FROM ledger GROUP BY pool ORDER BY pool;
SELECT mpg(800, 508, 320, 124), goodput(800.0, 508, 320, 124) ->> 'runtime_goodput' AS rg;
SELECT mpg(800, 508, NULL, NULL), mpg_lower(800, 508, NULL, NULL), runtime_coverage(800, 508, NULL, NULL);
-- A state a pool, merged, is the state of all.
SELECT goodput_merge(state) = (SELECT goodput_state(category, chip_us) FROM ledger) AS same, mpg_lower(state)
FROM (SELECT goodput_state(category, chip_us) AS state FROM ledger GROUP BY pool) AS s;
-- A moving window takes out what it added.
SELECT chip_us, goodput(category, chip_us) OVER (ORDER BY chip_us ROWS 1 PRECEDING) ->> 'capacity' AS capacity
FROM ledger WHERE pool = 'a' ORDER BY chip_us;
