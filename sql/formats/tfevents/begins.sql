-- tfevents/begins.sql - steps that may hold a pause, and when each attempt began.
--
-- Reads tfevents_breaks, tfevents_gaps, tfevents_told, tfevents_ranges and tfevents_evals. Makes tfevents_attempts.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

-- A value stands for everything since the one before it: a pause, or a restart that opened no file, is part of a step.
DROP TABLE IF EXISTS temp.tfevents_long;
CREATE TEMP TABLE tfevents_long AS
SELECT a.first, a.job, a.file, t.step, t.step - p.step AS executions, t.time AS time, t.time - p.time AS whole,
       (t.time - p.time) / (t.step - p.step) AS seconds
FROM tfevents_breaks AS b JOIN tfevents_ranges AS a ON b.id > a.first AND b.id <= a.last CROSS JOIN tfevents_told AS t ON t.rowid = b.id
LEFT JOIN tfevents_gaps AS g ON g.id = b.id CROSS JOIN tfevents_told AS p ON p.rowid = coalesce(g.before, b.id - 1)
WHERE b.seconds > 59.9 AND t.time - p.time > 60;
DROP TABLE IF EXISTS temp.tfevents_usual;
CREATE TEMP TABLE tfevents_usual AS
SELECT u.job, mpg_median((t.time - p.time) / (t.step - p.step)) AS seconds
FROM (SELECT DISTINCT job FROM tfevents_long) AS u CROSS JOIN tfevents_ranges AS a ON a.job = u.job
CROSS JOIN tfevents_told AS t ON t.rowid BETWEEN a.first + 1 AND a.last
LEFT JOIN tfevents_gaps AS g ON g.id = t.rowid CROSS JOIN tfevents_told AS p ON p.rowid = coalesce(g.before, t.rowid - 1)
GROUP BY u.job;
DELETE FROM tfevents_long WHERE NOT EXISTS (
  SELECT 1 FROM tfevents_usual AS u
  WHERE u.job = tfevents_long.job AND tfevents_long.seconds > 3 * u.seconds AND whole > 60 + u.seconds);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', 'long_steps', count(*),
       'steps that took three times as long as most and a minute more, first ' || min(step)
         || ': a pause, an evaluation or a restart in them counts as progress'
FROM tfevents_long AS l
WHERE whole - (SELECT total(e.seconds) FROM tfevents_evals AS e
               WHERE e.file = l.file AND e.time > l.time - l.whole AND e.time <= l.time) > 60
GROUP BY file;
DROP TABLE tfevents_usual;

-- A value stands for the steps since the one before it. The first value of an attempt has none before it: it stands for as many steps as
-- the next, but for no more than there are up to it, counted from 0 if its number is the last of a gap. They took what steps of the
-- attempt, or else of the job, take on the mean without long ones and evaluations; what came before them is `init`.
DROP TABLE IF EXISTS temp.tfevents_attempts;
CREATE TEMP TABLE tfevents_attempts AS
WITH usual AS (
  SELECT g.*, nullif(g.executions - coalesce(l.executions, 0), 0) AS usual_executions,
         g.seconds - coalesce(l.seconds, 0)
           - (SELECT total(e.seconds) FROM tfevents_evals AS e
              WHERE e.file = g.file AND e.time > g.time AND e.time <= g.time + g.seconds
                AND NOT EXISTS (SELECT 1 FROM tfevents_long AS n
                                WHERE n.first = g.first AND e.time > n.time - n.whole AND e.time <= n.time))
           AS usual_seconds
  FROM tfevents_ranges AS g LEFT JOIN (SELECT first, sum(executions) AS executions, sum(whole) AS seconds
                                       FROM tfevents_long GROUP BY first) AS l USING (first)
),
mean AS (
  SELECT *, min(executions_after, max(1, first_step + (first_step % executions_after = executions_after - 1))) AS executions_first,
         iif(nth_of_file = 1, min(begin_time, time), time_of_job) AS begin_of_attempt,
         coalesce(usual_seconds / usual_executions,
                  sum(iif(usual_executions, usual_seconds, NULL)) OVER (PARTITION BY job)
                    / sum(usual_executions) OVER (PARTITION BY job)) AS mean_seconds
  FROM usual
)
SELECT job, attempt, run, file, first, last, first_step, last_step, time, begin_of_attempt,
       coalesce(executions_first, 1) AS first_executions,
       coalesce(max(begin_of_attempt, time - mean_seconds * coalesce(executions_first, 1)), time) AS first_start,
       min(begin_of_attempt, coalesce((SELECT min(t.time) FROM tfevents_told AS t WHERE t.rowid BETWEEN first AND last - 1),
                                      begin_of_attempt)) AS held_from,
       (SELECT max(t.time) FROM tfevents_told AS t WHERE t.rowid BETWEEN first AND last) AS end_time
FROM mean ORDER BY first;
DROP TABLE tfevents_long;
DROP TABLE tfevents_ranges;
