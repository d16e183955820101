-- trainer/compiled.sql - compilation within a first step whose seconds the log tells: what they are above the mean of the others, each
-- without what else lies in it, and without those that may hold a pause.
--
-- Reads trainer_steps, trainer_long and trainer_within. Fills trainer_placed.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

--@ if coalesce(:nemo, :titan) IS NOT NULL
DROP TABLE IF EXISTS temp.trainer_compiled;
CREATE TEMP TABLE trainer_compiled AS
SELECT id, job, attempt, start_time, own - others AS seconds
FROM (SELECT id, job, attempt, start_time, own, is_told, max(is_first),
             (total(iif(is_long, 0, own)) - own) / nullif(sum(iif(is_long, 0, executions)) - executions, 0) AS others
      FROM (SELECT s.*, end_time - start_time - aside AS own, l.id IS NOT NULL AS is_long
            FROM trainer_steps AS s LEFT JOIN trainer_long AS l ON l.id = s.id)
      WHERE end_time > start_time GROUP BY job, attempt)
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
