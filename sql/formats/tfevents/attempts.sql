-- tfevents/attempts.sql - each file is an attempt, since a program that starts opens one, and so is what follows in one where steps go
-- back.
--
-- Reads tfevents_breaks, tfevents_told and tfevents_runs. Makes tfevents_ranges, a row an attempt with the range of its values.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.tfevents_ranges;
CREATE TEMP TABLE tfevents_ranges AS
WITH ranged AS (
  SELECT id AS first, (SELECT max(rowid) FROM tfevents_told WHERE rowid < before_id) AS last
  FROM (SELECT id, lead(id, 1, 9223372036854775807) OVER (ORDER BY id) AS before_id FROM tfevents_breaks WHERE begins OR step < before)
)
SELECT r.rowid AS run, r.job, r.file, r.begin_time, g.first, g.last, f.time, f.step AS first_step, l.step AS last_step,
       b.time AS time_of_job,
       row_number() OVER (PARTITION BY r.job ORDER BY g.first) AS attempt,
       row_number() OVER (PARTITION BY r.rowid ORDER BY g.first) AS nth_of_file,
       l.time - f.time AS seconds, l.step - f.step AS executions, n.step - f.step AS executions_after
FROM ranged AS g CROSS JOIN tfevents_told AS f ON f.rowid = g.first CROSS JOIN tfevents_told AS l ON l.rowid = g.last
JOIN tfevents_runs AS r ON r.part = f.part
LEFT JOIN tfevents_told AS b ON b.rowid = (SELECT max(rowid) FROM tfevents_told WHERE rowid < g.first)
LEFT JOIN tfevents_told AS n ON n.rowid = (SELECT min(rowid) FROM tfevents_told WHERE rowid > g.first) AND n.rowid <= g.last;
