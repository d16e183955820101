-- join/relations.sql - the relations, but for jobs and spans. A part of join.sql and alone.sql. Of _file see sqlite_relations.c.

CREATE TEMP VIEW capacity AS SELECT pool, chip, chips, start_time, end_time FROM all_capacity
WHERE rowid NOT IN (SELECT row FROM installed_there);
CREATE TEMP VIEW outages AS SELECT pool, chips, start_time, end_time, kind FROM all_outages;
CREATE TEMP VIEW allocations AS SELECT job, attempt, task, pool, chips, start_time, end_time, outcome, source AS _file FROM all_allocations;
CREATE TEMP VIEW commits AS SELECT job, attempt, step, snapshot_time, durable_time FROM all_commits;
CREATE TEMP VIEW programs AS SELECT program, flops, bytes, dtype FROM all_programs;
CREATE TEMP TABLE observed AS
SELECT pool, max(until_time) AS until_time, NULL AS job, NULL AS chip FROM all_observed JOIN source AS s USING (source)
WHERE rank = (SELECT min(rank) FROM all_observed AS o JOIN source USING (source) WHERE o.pool IS all_observed.pool) GROUP BY pool;
INSERT INTO temp.observed(pool, chip) SELECT pool, max(chip) FROM no_capacity WHERE chip IS NOT NULL GROUP BY pool;
