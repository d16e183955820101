-- trainer/deepspeed.sql - saves and restores, as DeepSpeed's engines of checkpoints tell of them.
--
-- Reads training_lines. Fills trainer_marks.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- Every rank prints these: the first begin and the last end between two lines of steps. An end that comes after a step is that of the begin
-- with its tag: unless both came at once, the save went on while the program trained, and how long it blocked is not known. A begin more
-- than a minute after an end is of another save of the step, as after a restart.
INSERT INTO trainer_marks(file, line, job, kind, start_time, time, step)
WITH told AS (
  SELECT *, sum(step IS NOT NULL) OVER (PARTITION BY file ORDER BY line) AS place,
         max(step) OVER (PARTITION BY file ORDER BY line) AS latest, count(step) OVER (PARTITION BY file) AS steps,
         max(iif(step IS NULL, NULL, time)) OVER (PARTITION BY file ORDER BY line) AS stepped,
         coalesce(json_extract(fields, '$.saving'), json_extract(fields, '$.saved'), json_extract(fields, '$.staged')) AS tag,
         coalesce(json_extract(fields, '$.saved'), json_extract(fields, '$.staged')) AS ended,
         coalesce(json_extract(fields, '$.loading'), json_extract(fields, '$.loaded'),
                  CAST(coalesce(json_extract(fields, '$.loading_tag'), json_extract(fields, '$.loaded_tag')) AS TEXT),
                  iif(json_extract(fields, '$.fetching') IS NULL, NULL, -1)) AS loaded -- what is asked for may not be there
  FROM training_lines
),
tagged AS MATERIALIZED (
  SELECT file, line, time, tag, iif(begins, time, NULL) AS begun, ended IS NOT NULL AS ends, saved IS NOT NULL AS saves,
         coalesce(max(iif(begins, place, NULL)) OVER w, place) AS since, coalesce(max(iif(begins, latest, NULL)) OVER w, latest) AS step,
         ended IS NOT NULL AND stepped < time AND place > max(iif(begins, place, NULL)) OVER w AS trained, place < steps AS goes_on,
         sum(begins AND coalesce(time > ended_at + 60, 0)) OVER w AS nth
  FROM (SELECT *, json_extract(fields, '$.saving') IS NOT NULL AS begins, json_extract(fields, '$.saved') AS saved,
               lag(iif(ended IS NULL, NULL, time)) OVER (PARTITION BY file, tag ORDER BY line) AS ended_at
        FROM told WHERE tag IS NOT NULL)
  WINDOW w AS (PARTITION BY file, tag ORDER BY line)
)
SELECT file, min(line), file, iif(max(trained), 'untimed', 'checkpoint'), iif(max(trained), NULL, min(begun)), max(time), NULL
FROM tagged GROUP BY file, since, nth, tag HAVING max(ends)
UNION ALL
SELECT file, min(line), file, 'saved', NULL, max(time),
       coalesce(CASE WHEN tag GLOB 'global_step[0-9]*' THEN CAST(substr(tag, 12) AS INTEGER) END, max(step))
FROM tagged WHERE saves GROUP BY file, since, nth, tag
UNION ALL
SELECT file, min(line), file, 'restore', min(time), max(time), nullif(max(loaded), -1) FROM told WHERE loaded IS NOT NULL GROUP BY file, place
UNION ALL
-- Newer versions do not log the end of a save: what they do next tells it.
SELECT file, line, file, 'saved', NULL, next_time,
       coalesce(CASE WHEN begun GLOB 'global_step[0-9]*' THEN CAST(substr(begun, 12) AS INTEGER) END, latest)
FROM (SELECT file, line, latest, json_extract(fields, '$.begun') AS begun, lead(time) OVER w AS next_time,
             lead(coalesce(step, json_extract(fields, '$.over'))) OVER w AS next
      FROM told WHERE tag IS NULL AND EXISTS (SELECT 1 FROM told WHERE json_extract(fields, '$.begun') IS NOT NULL)
      WINDOW w AS (PARTITION BY file ORDER BY line))
WHERE begun IS NOT NULL AND next IS NOT NULL
UNION ALL
SELECT file, line, file, 'untimed', NULL, NULL, NULL FROM told WHERE time IS NULL AND coalesce(tag, loaded) IS NOT NULL
UNION ALL
SELECT file, min(line), file, 'open', min(time), NULL, NULL
FROM tagged WHERE goes_on GROUP BY file, since, nth, tag HAVING max(ends) = 0;

-- Nebula writes what it has in memory while training goes on. That this is done, only the begin of the next save or a good end of the run
-- says.
INSERT INTO trainer_marks(file, line, job, kind, start_time, time, step)
WITH event AS (
  SELECT file, line, time, max(step) OVER (PARTITION BY file ORDER BY line) AS latest, step IS NULL AS is_event,
         CAST(json_extract(fields, '$.staged') AS TEXT) AS tag,
         coalesce(json_extract(fields, '$.saving'), json_extract(fields, '$.over')) IS NOT NULL AS goes_on
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM training_lines WHERE json_extract(fields, '$.staged') IS NOT NULL)) CROSS JOIN training_lines
),
staged AS (
  SELECT *, min(iif(tag IS NULL, line, NULL)) OVER (PARTITION BY file
                                                    ORDER BY line ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next
  FROM event WHERE is_event
)
SELECT s.file, min(s.line), s.file, iif(n.goes_on, 'saved', 'open'), iif(n.goes_on, NULL, min(s.time)), n.time,
       iif(s.tag GLOB 'global_step[0-9]*', CAST(substr(s.tag, 12) AS INTEGER), max(s.latest))
FROM staged AS s JOIN staged AS n ON n.file = s.file AND n.line = s.next WHERE s.tag IS NOT NULL GROUP BY s.file, s.tag, s.next;

-- A load of a tag that names no step is of what was saved last under that tag; if no log tells, the step is not known.
DROP TABLE IF EXISTS temp.trainer_tags;
CREATE TEMP TABLE trainer_tags AS
SELECT file, time,
       CAST(coalesce(json_extract(fields, '$.saved'), json_extract(fields, '$.begun'), json_extract(fields, '$.staged')) AS TEXT) AS tag,
       max(step) OVER (PARTITION BY file ORDER BY line) AS step
FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM trainer_marks WHERE kind = 'restore' AND typeof(step) = 'text')) CROSS JOIN training_lines;
UPDATE trainer_marks SET step
  = (SELECT t.step FROM trainer_tags AS t
     WHERE t.tag = trainer_marks.step AND t.time <= trainer_marks.time AND (t.file = trainer_marks.file OR :job IS NOT NULL)
     ORDER BY t.time DESC LIMIT 1)
WHERE kind = 'restore' AND typeof(step) = 'text';
DROP TABLE trainer_tags;
