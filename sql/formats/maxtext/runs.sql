-- maxtext/runs.sql - what each attempt held, until when its log goes on, and launches after the last step.
--
-- Reads training_attempts, training_stretches, training_spanned, training_phases and training_events. Makes training_told, training_runs,
-- training_last, training_tails and training_launches, for log/held.sql.
-- A part of maxtext.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.training_told;
CREATE TEMP TABLE training_told AS SELECT job, told AS chips FROM training_attempts;
DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
WITH summed AS (
  SELECT r.run AS run, r.first AS first, r.last AS last, min(start_time) AS start_time, max(end_time) AS end_time, max(step) AS last_step
  FROM training_stretches AS r CROSS JOIN training_spanned AS s ON s.rowid BETWEEN r.first AND r.last GROUP BY r.rowid
)
SELECT job, attempt, 'jax' AS framework, chips, chip,
       min(s.start_time, coalesce((SELECT min(p.start_time) FROM training_phases AS p WHERE p.run = s.run AND p.kind = 'restore'),
                                  s.start_time),
           coalesce((SELECT min(e.end_time) FROM training_events AS e WHERE e.run = s.run AND e.timed), s.start_time)) AS start_time,
       max(s.end_time, coalesce((SELECT max(e.end_time) FROM training_events AS e WHERE e.run = s.run), s.end_time)) AS end_time,
       CASE WHEN s.last_step = steps - 1 THEN 'completed'
            ELSE (SELECT max(e.ended) FROM training_events AS e WHERE e.run = s.run) END AS own_outcome, run
FROM summed AS s
CROSS JOIN training_attempts AS a ON a.rowid = run
UNION ALL
-- One that loaded a checkpoint and came to no step.
SELECT job, attempt, 'jax', chips, chip, min(start_time),
       max(max(end_time), (SELECT max(e.end_time) FROM training_events AS e WHERE e.run = training_phases.run)), NULL, run
FROM training_phases CROSS JOIN training_attempts AS a ON a.rowid = run
WHERE kind = 'restore' AND NOT EXISTS (SELECT 1 FROM training_lines AS l WHERE l.rowid BETWEEN a.first AND a.last AND l.step IS NOT NULL)
GROUP BY run;

DROP TABLE IF EXISTS temp.training_last;
CREATE TEMP TABLE training_last AS SELECT file, job, attempt, timed, max(last) FROM training_attempts GROUP BY file;
DROP TABLE IF EXISTS temp.training_tails;
CREATE TEMP TABLE training_tails AS SELECT job, attempt, t.time FROM training_tail AS t JOIN training_last USING (file) WHERE timed;

DROP TABLE IF EXISTS temp.training_launches;
CREATE TEMP TABLE training_launches AS
SELECT a.job, a.file, l.line
FROM training_attempts AS a JOIN (SELECT job, max(attempt) AS attempt FROM training_runs GROUP BY job) AS r
  ON r.job = a.job AND a.attempt > r.attempt
CROSS JOIN training_lines AS l ON l.rowid = a.first;
