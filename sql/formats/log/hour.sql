-- log/hour.sql - a clock without a zone that was set back by an hour, as in autumn, or any clock by any time: the lines that follow are
-- later than they say.
--
-- Reads and changes training_lines(file, time, step), whose rowids are in the order of the lines. Makes training_back. A clock was set
-- back by an hour if once in its file a time falls by that, less a few lines' time, if step numbers go on there, and if it does not rise
-- by an hour later, as the lines of two hosts would. It was set back otherwise if that is the only fall of its file, by more than a step
-- takes, and the next two come as any do. A clock that was set forward, as in spring, passes over an hour of a Sunday, once in its file. A
-- part of megatron.sql, torchtitan.sql, maxtext.sql and trainer.sql, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_turns;
CREATE TEMP TABLE training_turns AS
SELECT id, file, time, before, time - before AS turn
FROM (SELECT l.rowid AS id, l.file AS file, l.time AS time, iif(p.time IS NOT NULL, iif(p.file = l.file, p.time, NULL),
               (SELECT iif(q.file = l.file, q.time, NULL)
                FROM training_lines AS q WHERE q.rowid < l.rowid AND (q.file <> l.file OR q.time IS NOT NULL)
                ORDER BY q.rowid DESC LIMIT 1)) AS before
      FROM training_lines AS l JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE l.time IS NOT NULL)
WHERE time - before NOT BETWEEN -10 AND 3000;
DROP TABLE IF EXISTS temp.training_back; -- files in which a time is before the one above it
CREATE TEMP TABLE training_back AS SELECT DISTINCT file FROM training_turns WHERE turn < -10;
-- A clock that falls again and again, as those of several hosts, was not set back.
DELETE FROM training_turns WHERE turn BETWEEN -600 AND -10
  AND file IN (SELECT file FROM training_turns WHERE turn < -10 GROUP BY file HAVING count(*) > 1);
DELETE FROM training_turns WHERE file IN (SELECT file FROM training_turns WHERE turn < -600 GROUP BY file HAVING count(*) > 1);
--@ if EXISTS (SELECT 1 FROM training_turns)
DROP TABLE IF EXISTS temp.training_hours;
CREATE TEMP TABLE training_hours AS
WITH spaced AS MATERIALIZED (
  SELECT t.*, (SELECT max(60, min(1800, 5 * (max(l.time) - min(l.time)) / max(1, count(l.time) - 1)))
               FROM training_lines AS l WHERE l.file = t.file AND l.rowid < t.id) AS slack,
         (SELECT l.step FROM training_lines AS l WHERE l.file = t.file AND l.rowid < t.id AND l.step IS NOT NULL
          ORDER BY l.rowid DESC LIMIT 1) AS step_before,
         (SELECT l.step FROM training_lines AS l WHERE l.file = t.file AND l.rowid >= t.id AND l.step IS NOT NULL
          ORDER BY l.rowid LIMIT 1) AS step_after
  FROM training_turns AS t
)
SELECT id, file, time, before, turn < 0 AS is_back
FROM spaced AS t
WHERE step_after > step_before
  AND CASE WHEN turn < 0 THEN turn BETWEEN -3601 AND slack - 3600
                AND NOT EXISTS (SELECT 1 FROM training_turns AS o
                                WHERE o.file = t.file AND o.id <> t.id
                                  AND (o.turn < -600 OR o.id > t.id AND o.turn BETWEEN 3600 - t.slack AND 3600 + t.slack))
           ELSE turn BETWEEN 3599 AND 3600 + slack AND strftime('%w', time, 'unixepoch') = '0'
             AND CAST(strftime('%H', time, 'unixepoch') AS INTEGER) BETWEEN 1 AND 3
                AND CAST(strftime('%m', time, 'unixepoch') AS INTEGER) IN (3, 4, 9, 10)
                AND before - slack < CAST((time - slack) / 3600 AS INTEGER) * 3600
                AND NOT EXISTS (SELECT 1 FROM training_turns AS o WHERE o.file = t.file AND o.id <> t.id AND o.turn < -600) END;
-- By how much lines from each such on are later: an hour; or as if the step at which the clock was set had taken as long as the ones
-- before.
DROP TABLE IF EXISTS temp.training_late;
CREATE TEMP TABLE training_late(file TEXT PRIMARY KEY, id, late);
INSERT INTO training_late SELECT file, id, 3600 FROM training_hours WHERE is_back;
INSERT INTO training_late
SELECT file, id, round(before + spacing - time, 6)
FROM (SELECT t.*, (SELECT l.step FROM training_lines AS l
                   WHERE l.file = t.file AND l.rowid < t.id AND l.step IS NOT NULL ORDER BY l.rowid DESC LIMIT 1) AS step_before,
             -- of one step before it no spacing is known: then that of those after it counts
             coalesce((SELECT (max(l.time) - min(l.time)) / (count(*) - 1)
                       FROM training_lines AS l WHERE l.file = t.file AND l.rowid < t.id AND l.step IS NOT NULL AND l.time IS NOT NULL),
                      (SELECT (max(l.time) - min(l.time)) / (count(*) - 1)
                       FROM training_lines AS l WHERE l.file = t.file AND l.rowid >= t.id AND l.step IS NOT NULL AND l.time IS NOT NULL))
               AS spacing
      FROM training_turns AS t
      WHERE turn < -10 AND file NOT IN (SELECT file FROM training_late)
        AND NOT EXISTS (SELECT 1 FROM training_turns AS o WHERE o.file = t.file AND o.id <> t.id AND o.turn < -10)) AS t
WHERE (SELECT count(*) = 2 AND min(l.step) > step_before AND max(l.time) < before AND max(l.time) - min(l.time) < 4 * spacing + 2
       FROM (SELECT step, time FROM training_lines AS l
             WHERE l.file = t.file AND l.rowid >= t.id AND l.step IS NOT NULL AND l.time IS NOT NULL ORDER BY l.rowid LIMIT 2) AS l);
UPDATE training_lines SET time = time + (SELECT h.late FROM training_late AS h WHERE h.file = training_lines.file)
WHERE EXISTS (SELECT 1 FROM training_late) AND time IS NOT NULL
  AND rowid >= (SELECT h.id FROM training_late AS h WHERE h.file = training_lines.file);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.file, 'warning', 'repeated_time', t.line, 1,
       'the clock went back by ' || round(h.before - h.time) || ' s, and steps go on: what follows counts as so much later'
FROM training_late AS l JOIN training_turns AS h USING (id) JOIN training_lines AS t ON t.rowid = l.id
WHERE l.file NOT IN (SELECT file FROM training_hours WHERE is_back);
DROP TABLE training_late;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', iif(is_back, 'repeated_time', 'skipped_time'), NULL, 1,
       iif(is_back, 'the clock went back by an hour at ' || datetime(time, 'unixepoch')
           || ', and steps go on: what follows counts as an hour later. ' || iif(:zone IS NULL, 'Give', 'Check') || ' the zone',
           'the clock went forward by an hour at ' || datetime(time, 'unixepoch')
           || ', a Sunday: if that is summer time, ' || iif(:zone IS NULL, 'give', 'check') || ' the zone; else the job paused')
FROM training_hours;
DROP TABLE training_hours;
--@ end
DROP TABLE training_turns;
