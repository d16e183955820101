-- alone.sql - the relations of a source that is alone, instead of join.sql: no other speaks of its jobs.
--
-- Runs where there is one source, and no log was to be matched with a job.

.read sql/sources/join/no_record.sql
.read sql/sources/join/parallel_logs.sql
.read sql/sources/join/relations.sql
CREATE TEMP VIEW jobs AS
SELECT job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_time, labels FROM all_jobs;
