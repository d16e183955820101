-- torchtitan/within.sql - how long steps took without the saves in them: the view training_lengths of log/lengths.sql.
--
-- Reads training_steps, training_ranges, training_marks and training_lines. Makes training_saves_within, for the view.
-- A part of torchtitan.sql, which says what the parameters are and runs the parts in order.

-- A save lies in the step whose line is next to it and the lines beside it. Ranks without a name all tell of it.
DROP TABLE IF EXISTS temp.training_saves_told;
CREATE TEMP TABLE training_saves_told(id INTEGER PRIMARY KEY, next INTEGER, start_time, end_time);
INSERT INTO training_saves_told
SELECT id, next, time - saved, time
FROM (SELECT id, time, saved, max(id) OVER (PARTITION BY id - nth) + 1 AS next
      FROM (SELECT id, time, saved, row_number() OVER (ORDER BY id) AS nth FROM training_marks))
WHERE saved IS NOT NULL;
DROP TABLE IF EXISTS temp.training_saves_within;
CREATE TEMP TABLE training_saves_within AS
SELECT job, attempt, l.step,
       max(m.start_time, coalesce(max(m.end_time) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), m.start_time)) AS start_time,
       m.end_time
FROM training_ranges AS r CROSS JOIN training_saves_told AS m ON m.id BETWEEN r.first AND r.last
CROSS JOIN training_lines AS l ON l.rowid = m.next AND l.rowid <= r.last AND NOT l.validates
WINDOW w AS (PARTITION BY l.rowid ORDER BY m.start_time, m.end_time);
DROP TABLE training_saves_told;
CREATE INDEX temp.training_saves_of ON training_saves_within(step, job, attempt);
DROP VIEW IF EXISTS temp.training_lengths;
CREATE TEMP VIEW training_lengths AS
SELECT run, job, attempt, step, start_time, end_time, executions,
       seconds - (SELECT total(max(0, min(w.end_time, s.end_time) - max(w.start_time, s.start_time)))
                  FROM training_saves_within AS w WHERE w.job = s.job AND w.attempt = s.attempt AND w.step = s.step) AS own
FROM training_steps AS s LIMIT -1; -- else `own` is worked out for each place that uses it
