-- log/gaps.sql - steps without a line: a line is further from the one before it than lines mostly are.
--
-- Reads the view training_gaps(job, step, gap), a row a line of a step, `gap` the steps since the line before, and drops it.
-- A part of megatron.sql, nanogpt.sql and torchtitan.sql, which say what the parameters are.

-- In most logs all are equal.
--@ if (SELECT min(gap) < max(gap) FROM training_gaps)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH told AS MATERIALIZED (SELECT job, step, gap FROM training_gaps),
usual AS MATERIALIZED (SELECT job, gap AS usual, max(n + 1e-9 * gap)
                       FROM (SELECT job, gap, count(*) AS n FROM told WHERE (SELECT min(gap) < max(gap) FROM told) GROUP BY 1, 2)
                       GROUP BY job)
SELECT job, 'warning', 'missing_steps', NULL, count(*),
       'lines of steps that come more steps after the one before than most, first step ' || min(step) || ': lines are missing'
FROM usual CROSS JOIN told USING (job) WHERE gap > usual GROUP BY job;
--@ end
DROP VIEW training_gaps;
