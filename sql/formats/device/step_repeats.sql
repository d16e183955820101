-- device/step_repeats.sql - steps whose number comes again after others, as in loops that number them by epoch.
--
-- Reads device_steps. A part of the scripts of profiles, which say what the parameters are.

-- Marks of one number that follow each other, or that threads set at once, are one step. What was listed of a trace is listed once.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_steps', count(*),
       'numbers of steps that come again after others, such as ' || min(step)
         || ': each number counts as one step, all of it together. Number them through the whole run, not by epoch'
FROM (
  SELECT DISTINCT trace, process, step FROM (
    SELECT trace, process, step, start_ns, lag(step) OVER marks AS before, lag(start_ns) OVER marks AS before_ns,
           lag(end_ns) OVER marks AS before_end_ns,
           max(end_ns) OVER (PARTITION BY trace, process, step
                             ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS own_end_ns
    FROM device_steps WHERE side = 'host' WINDOW marks AS (PARTITION BY trace, process ORDER BY start_ns))
  WHERE before <> step AND before_ns >= own_end_ns AND before_end_ns <= start_ns)
WHERE trace NOT IN (SELECT source FROM mpg_issues WHERE kind = 'repeated_steps' AND source IS NOT NULL)
GROUP BY trace;
