-- mttr.sql - how long jobs take to recover from an interruption: detect, replace, restore, warm up.
--
--@ table mpg_mttr - how long jobs take to recover from an interruption: detect, replace, restore, warm up
--@ column size TEXT - S, M, L, XL
--@ column outcome TEXT - what interrupted: failed, node_fail, preempted, timeout or gang_broken
--@ column interruptions BIGINT interruptions after which the job ran again and made progress
--@ column detect_s REAL seconds from the end of the last span to the release of the gang, on average
--@ column replace_s REAL seconds from there until a gang was complete again: back-off, queue and assembly
--@ column restore_s REAL seconds of what follows, reading checkpoints back
--@ column warm_up_s REAL seconds the rest up to the first step: process start, compilation, data
--@ column mttr_s REAL seconds the four together: from the last progress to the next
-- Basis: interruptions; time of the clock, not chip-time. Servers (phase serving) are left out: from their spans, of one that got no
-- request nobody can tell whether it was up. A job of which another attempt still runs is not interrupted.
WITH ordered AS (
  SELECT r.rowid AS id, r.job, max(r.end_us) OVER w AS reach_us, r.end_us, lead(r.start_us) OVER w AS next_start_us,
         lead(r.progress_us) OVER w AS next_progress_us, lead(r.restore_us) OVER w AS next_restore_us
  FROM runs AS r WHERE r.job NOT IN (SELECT job FROM jobs WHERE phase = 'serving')
  WINDOW w AS (PARTITION BY r.job ORDER BY r.start_us, r.attempt, r.run)
),
recovered AS ( -- of the run that was the last to end before the next
  SELECT a.size, r.outcome, r.end_us - coalesce(r.last_span_us, r.end_us) AS detect_us, next_start_us - r.end_us AS replace_us,
         next_restore_us AS restore_us, next_progress_us - next_start_us - next_restore_us AS warm_up_us
  FROM ordered AS o
  JOIN runs AS r
    ON r.rowid = iif(o.end_us = reach_us, o.id, (SELECT max(l.rowid) FROM runs AS l WHERE l.job = o.job AND l.end_us = reach_us))
  JOIN attempts AS a ON a.job = r.job AND a.attempt = r.attempt
  WHERE next_start_us >= reach_us AND r.outcome IN ('failed', 'node_fail', 'preempted', 'timeout', 'gang_broken')
    AND next_progress_us IS NOT NULL
)
SELECT size, outcome, count(*) AS interruptions, sum(detect_us) / 1e6 / count(*) AS detect_s, sum(replace_us) / 1e6 / count(*) AS replace_s,
       sum(restore_us) / 1e6 / count(*) AS restore_s, sum(warm_up_us) / 1e6 / count(*) AS warm_up_s,
       sum(detect_us + replace_us + restore_us + warm_up_us) / 1e6 / count(*) AS mttr_s
FROM recovered
GROUP BY size, outcome
ORDER BY CASE size WHEN 'S' THEN 1 WHEN 'M' THEN 2 WHEN 'L' THEN 3 ELSE 4 END, outcome;
