-- megatron/phases.sql - saves, evaluations and restores.
--
-- Reads training_events, training_marks, training_steps, training_reach, training_dates, training_ranges and training_files. Makes
-- training_phases, training_saves and training_started(job, attempt, time).
-- A part of megatron.sql, which says what the parameters are and runs the parts in order.

-- When a launch began, by the first date that it tells, if the last is beside its first iteration: then both clocks are of one zone.
DROP TABLE IF EXISTS temp.training_started;
CREATE TEMP TABLE training_started(job TEXT, attempt, time, end_time, PRIMARY KEY (job, attempt)) WITHOUT ROWID;
--@ if EXISTS (SELECT 1 FROM training_dates)
INSERT INTO training_started
SELECT job, attempt, min(d.time), start_time
FROM (SELECT h.job, h.attempt, s.start_time, f.file,
             iif(r.first = f.first, 0, (SELECT l.line FROM training_lines AS l WHERE l.rowid = r.first)) AS since,
             (SELECT l.line FROM training_lines AS l WHERE l.rowid BETWEEN r.first AND r.last AND l.step IS NOT NULL
              ORDER BY l.rowid LIMIT 1) AS until
      FROM training_reach AS h CROSS JOIN training_ranges AS r ON r.rowid = h.run CROSS JOIN training_files AS f ON f.rowid = r.of_file
      CROSS JOIN training_steps AS s ON s.rowid = h.first) AS h
CROSS JOIN training_dates AS d ON d.file = h.file AND d.line BETWEEN h.since AND h.until AND d.time <= h.start_time + 1
GROUP BY job, attempt HAVING min(d.time) < start_time - 1 AND max(d.time) > start_time - 600;
--@ end

-- Iterations are timed without what comes between them: with times, the gap in which a line says so is the
-- save or the evaluation; without, their timers say. That an asynchronous save is done is said in a later gap: its timer
-- marks its own.
DROP TABLE IF EXISTS temp.training_phases;
CREATE TEMP TABLE training_phases AS
WITH said AS (
  SELECT s.rowid AS id, max(coalesce(e.told_timer <> 'evaluate', e.told_saved IS NOT NULL)) AS saved, max(e.told_saved) AS saved_step
  FROM training_marks AS m CROSS JOIN training_events AS e ON e.rowid = m.id
  CROSS JOIN training_steps AS s ON s.rowid = m.above - m.fewer AND s.job = e.job AND s.attempt = e.attempt
  WHERE timed AND (coalesce(e.told_timer, e.told_validated) IS NOT NULL OR e.told_saved >= s.step)
  GROUP BY s.job, s.attempt, s.rowid
),
exits AS MATERIALIZED (SELECT job, attempt, time, end_time FROM training_events WHERE told_exit IS NOT NULL)
SELECT a.job, a.attempt, iif(saved, 'checkpoint', 'eval') AS kind, a.end_time AS start_time, b.start_time AS end_time, NULL AS step
FROM said JOIN training_steps AS a ON a.rowid = said.id
JOIN training_steps AS b ON b.rowid = a.rowid + 1 AND +b.job = a.job AND +b.attempt = a.attempt WHERE b.start_time > a.end_time
UNION ALL -- after the last iteration, even without a line, up to where it exits
SELECT a.job, a.attempt, iif(saved, 'checkpoint', 'eval'),
       min(max(e.end_time), a.end_time + coalesce(saved_step - a.step, 0) * a.seconds / a.executions), max(e.end_time), NULL
FROM said JOIN training_steps AS a ON a.rowid = said.id JOIN exits AS e ON e.job = a.job AND e.attempt = a.attempt
WHERE e.time > a.end_time
  AND NOT EXISTS (SELECT 1 FROM training_steps AS b WHERE b.rowid = a.rowid + 1 AND +b.job = a.job AND +b.attempt = a.attempt)
GROUP BY a.rowid
UNION ALL -- if no line tells that it exits, up to a line of the save that has a time, else by the timers
SELECT a.job, a.attempt, 'checkpoint', a.end_time, max(e.end_time), NULL
FROM training_marks AS m CROSS JOIN training_events AS e ON e.rowid = m.id
CROSS JOIN training_steps AS a ON a.rowid = m.above - m.fewer AND a.job = e.job AND a.attempt = e.attempt
WHERE timed AND e.told_saved = a.step AND e.time > a.end_time
  AND NOT EXISTS (SELECT 1 FROM exits AS x WHERE x.job = a.job AND x.attempt = a.attempt)
  AND NOT EXISTS (SELECT 1 FROM training_events AS t
                  WHERE t.job = a.job AND t.attempt = a.attempt AND coalesce(t.told_timer, t.told_validated) IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM training_steps AS b WHERE b.rowid = a.rowid + 1 AND +b.job = a.job AND +b.attempt = a.attempt)
GROUP BY a.rowid
UNION ALL
SELECT job, attempt, kind, end_time + passed - seconds, end_time + passed, NULL
FROM (SELECT a.job, a.attempt, iif(e.told_timer = 'evaluate', 'eval', 'checkpoint') AS kind, a.end_time, e.seconds,
             sum(e.seconds) OVER (PARTITION BY a.rowid ORDER BY e.rowid) AS passed
      FROM training_marks AS m CROSS JOIN training_events AS e ON e.rowid = m.id
      CROSS JOIN training_steps AS a ON a.rowid = m.above - m.fewer AND a.job = e.job AND a.attempt = e.attempt
      WHERE timed AND told_timer IS NOT NULL AND NOT EXISTS (SELECT 1 FROM exits AS x WHERE x.job = a.job AND x.attempt = a.attempt)
        AND NOT EXISTS (SELECT 1 FROM training_steps AS b WHERE b.rowid = a.rowid + 1 AND +b.job = a.job AND +b.attempt = a.attempt))
UNION ALL
SELECT job, attempt, iif(told_timer = 'evaluate', 'eval', 'checkpoint'), end_time - seconds, end_time, NULL
FROM training_events WHERE told_timer IS NOT NULL AND NOT timed
UNION ALL
-- How long loading took is unknown: what the line proves is which iteration the run continued from.
SELECT e.job, e.attempt, 'restore', s.start_time, s.start_time, e.told_loaded
FROM training_events AS e CROSS JOIN training_reach AS h ON h.job = e.job AND h.attempt = e.attempt
CROSS JOIN training_steps AS s ON s.rowid = h.first
WHERE e.told_loaded IS NOT NULL AND e.told_loaded < s.step
GROUP BY 1, 2
UNION ALL
SELECT job, attempt, 'init', time, end_time, NULL FROM training_started
UNION ALL
-- A last run that came to no step: the checkpoint that it loaded had been saved. (What begins at the end of a trace does not count.)
SELECT job, attempt, 'restore', end_time - 1e-6, end_time - 1e-6, told_loaded
FROM (
  SELECT s.job, s.attempt, s.end_time, e.told_loaded, max(e.id)
  FROM (SELECT rowid AS id, job, attempt, told_loaded FROM training_events WHERE told_loaded IS NOT NULL) AS e
  CROSS JOIN (SELECT job, attempt, (SELECT max(end_time) FROM training_steps WHERE rowid BETWEEN first AND last) AS end_time
              FROM training_reach WHERE (job, attempt) IN (SELECT job, max(attempt) FROM training_reach GROUP BY job) LIMIT -1) AS s
    ON s.job = e.job AND s.attempt < e.attempt
  GROUP BY s.job
);

-- Safe at the latest when the next iterations begin.
DROP TABLE IF EXISTS temp.training_saves;
CREATE TEMP TABLE training_saves AS
SELECT e.job, e.attempt, e.told_saved AS step, NULL AS snapshot_time,
       coalesce(iif(e.timed, NULL, e.end_time), later.start_time, max(e.end_time, earlier.end_time), earlier.end_time) AS durable_time
FROM training_marks AS m CROSS JOIN training_events AS e ON e.rowid = m.id
LEFT JOIN training_steps AS later ON later.rowid = m.above - m.fewer + 1 AND +later.job = e.job AND +later.attempt = e.attempt
LEFT JOIN training_steps AS earlier ON earlier.rowid = m.above - m.fewer AND +earlier.job = e.job AND +earlier.attempt = e.attempt
WHERE e.told_saved IS NOT NULL AND coalesce(iif(e.timed, NULL, e.end_time), later.start_time, earlier.end_time) IS NOT NULL;
