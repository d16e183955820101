-- trainer/compiled.sql - compilation within a first step whose seconds the log tells: what they are above the mean of the others, each
-- without what else lies in it, and without those that may hold a pause.
--
-- Reads trainer_ranges, trainer_points, trainer_steps, trainer_long and trainer_within. Fills trainer_placed.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

--@ if coalesce(:nemo, :titan) IS NOT NULL
DROP TABLE IF EXISTS temp.trainer_compiled;
CREATE TEMP TABLE trainer_compiled AS
SELECT id, job, attempt, start_time, own - others AS seconds
FROM (SELECT id, job, attempt, start_time, own, is_told, max(is_first),
             (total(iif(is_long, 0, own)) - own) / nullif(sum(iif(is_long, 0, executions)) - executions, 0) AS others
      FROM (SELECT s.rowid AS id, r.head, r.job, r.attempt, s.start_time, s.end_time, s.executions, s.before IS NULL AS is_first,
                   p.seconds IS NOT NULL AND s.executions = 1 AS is_told, s.end_time - s.start_time - s.aside AS own,
                   l.id IS NOT NULL AS is_long
            FROM trainer_ranges AS r CROSS JOIN trainer_steps AS s ON s.rowid BETWEEN r.first AND r.last
            CROSS JOIN trainer_points AS p ON p.rowid = s.rowid LEFT JOIN trainer_long AS l ON l.id = s.rowid)
      WHERE end_time > start_time GROUP BY head)
WHERE is_told AND own > others + 1e-5; -- sums of times are not exact
-- It goes on after what lies in it.
INSERT INTO trainer_placed(job, attempt, kind, start_time, time)
SELECT c.job, c.attempt, 'compile', c.start_time,
       c.start_time + c.seconds
         + (SELECT total(took)
            FROM (SELECT took, w_start - c.start_time - coalesce(sum(took) OVER (
                           ORDER BY w_start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS own_before
                  FROM (SELECT max(w.start_time, c.start_time) AS w_start, w.end_time - max(w.start_time, c.start_time) AS took
                        FROM trainer_within AS w WHERE w.id = c.id) WHERE took > 0)
            WHERE own_before < c.seconds)
FROM trainer_compiled AS c;
DROP TABLE trainer_compiled;
--@ end
