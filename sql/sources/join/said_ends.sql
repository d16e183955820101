-- join/said_ends.sql - how the last run of each log ended, where the log says so: makes said_end.
--
-- A part of join.sql, before jobs have their names: of a run that another one of its log follows nothing was said.

CREATE TABLE said_end AS
SELECT row, outcome
FROM (SELECT rowid AS row, outcome, max(start_time) FROM all_allocations
      WHERE source IN (SELECT source FROM source WHERE rank = 3) AND EXISTS (SELECT 1 FROM source WHERE rank = 1) GROUP BY source, job)
WHERE outcome IN ('completed', 'failed', 'timeout', 'node_fail'); -- a program that was told to stop may end well
