-- alone.sql - the relations of a source that is alone, instead of join.sql: no other speaks of its jobs.
--
-- Runs where there is one source, and no log was to be matched with a job.

.read sql/sources/join/no_record.sql
.read sql/sources/join/parallel_logs.sql
.read sql/sources/join/pods.sql
.read sql/sources/join/between.sql
.read sql/sources/join/strange_chips.sql
INSERT INTO no_capacity
SELECT s.source, a.pool, s.chip, 0
FROM (SELECT source, json_extract(options, '$.chip') AS chip FROM source WHERE rank < 4) AS s
CROSS JOIN (SELECT DISTINCT source, pool FROM all_allocations) AS a USING (source)
WHERE s.chip IS NOT NULL AND a.pool NOT IN (SELECT pool FROM all_capacity WHERE pool IS NOT NULL);
.read sql/sources/join/relations.sql
.read sql/sources/join/idle_before.sql
CREATE TEMP VIEW jobs AS
SELECT job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_time, labels FROM all_jobs;
