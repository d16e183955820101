-- log/rotated.sql - a log that was cut into parts, as programs that rotate logs leave it, is read as one.
--
-- :rotated is a JSON array of [path, log, place]: files that are parts of one log by their names, in the order of their places (NULL:
-- none). They are, if times go on from each to the next, and steps, or a restart goes back by some, or its launch is in the part above.
-- All lines are then those of the part that has the log's name, whose place is 3, or 29999 if it is packed, or of the first, whose name
-- stays when others come. Reads and changes training_lines(file, line, time, step), whose rowids are in the order of the lines, a file's
-- without another's between them. Makes source_told, which says what is a part of what, and training_heads(log, file), the first part of
-- each. A part of the scripts of trainers' logs, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_heads;
CREATE TEMP TABLE training_heads(log TEXT, file TEXT);

--@ if :rotated <> '[]'
--@ if :year IS NOT NULL
-- Each file was read as if it began in :year: of a log without years a part that goes back by half a year is of the next one.
DROP TABLE IF EXISTS temp.training_years;
CREATE TEMP TABLE training_years AS
WITH told AS (
  SELECT json_extract(p.value, '$[1]') AS log, json_extract(p.value, '$[2]') AS place, min(l.rowid) AS first_id, max(l.rowid) AS last_id,
         min(l.time) AS first, max(l.time) AS last
  FROM json_each(:rotated) AS p JOIN training_lines AS l ON l.file = json_extract(p.value, '$[0]') WHERE l.time IS NOT NULL GROUP BY l.file
),
beside AS (SELECT *, lag(last) OVER (PARTITION BY log ORDER BY place) AS before FROM told)
SELECT first_id, last_id, first, sum(coalesce(first < before - 15778476, 0)) OVER (PARTITION BY log ORDER BY place) AS years FROM beside;
UPDATE training_lines SET time = time + strftime('%s', first, 'unixepoch', years || ' years') - CAST(first AS INTEGER)
FROM training_years AS y WHERE y.years > 0 AND training_lines.rowid BETWEEN y.first_id AND y.last_id AND training_lines.time IS NOT NULL;
DROP TABLE training_years;
--@ end
DROP TABLE IF EXISTS temp.training_parts;
CREATE TEMP TABLE training_parts AS
WITH part AS MATERIALIZED (
  SELECT json_extract(value, '$[0]') AS file, json_extract(value, '$[1]') AS log, json_extract(value, '$[2]') AS place
  FROM json_each(coalesce(:rotated, '[]'))
),
ranged AS (
  SELECT l.file AS file, min(l.rowid) AS first, max(l.rowid) AS last, max(l.line) AS lines, count(l.step) AS n, min(l.time) AS first_time,
         max(l.time) AS last_time,
         min(iif(l.step IS NULL, NULL, l.rowid)) AS first_id, max(iif(l.step IS NULL, NULL, l.rowid)) AS last_id
  FROM (SELECT 1 FROM part LIMIT 1) CROSS JOIN training_lines AS l GROUP BY l.file
),
listed AS ( -- a part may hold no line that tells anything
  SELECT * FROM ranged
  UNION ALL SELECT file, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL FROM part WHERE file NOT IN (SELECT file FROM ranged)
),
stepped AS (
  SELECT r.*, p.log AS log, coalesce(p.place, '') AS place, (SELECT step FROM training_lines WHERE rowid = first_id) AS first_step,
         (SELECT step FROM training_lines WHERE rowid = last_id) AS last_step
  FROM listed AS r LEFT JOIN part AS p USING (file)
),
beside AS (
  SELECT *, max(1, 1.0 * (last_step - first_step) / max(1, n - 1)) AS spacing,
         place LIKE '1%' OR max(place IN ('3', '29999')) OVER (PARTITION BY log) AS is_named -- else the numbers may be those of ranks
  FROM stepped
),
joined AS (
  SELECT *, log IS NOT NULL AND lag(file) OVER w IS NOT NULL
            AND coalesce((first_step > min(first_step) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                          OR first_id = first AND first_time >= lag(last_time) OVER w) -- a launch has lines before its first step
                         AND first_step <= lag(last_step) OVER w + 10 * max(spacing, lag(spacing) OVER w), is_named)
            AND coalesce(first_time >= lag(last_time) OVER w - 1, 1) AS goes_on
  FROM beside WINDOW w AS (PARTITION BY log ORDER BY place)
),
chained AS (SELECT *, sum(NOT goes_on) OVER (PARTITION BY log ORDER BY place ROWS UNBOUNDED PRECEDING) AS chain FROM joined)
SELECT file, CASE WHEN log IS NULL OR count(first) OVER w = 0 THEN file
                  WHEN last_value(place) OVER w IN ('3', '29999') THEN last_value(file) OVER w ELSE first_value(file) OVER w END AS log,
       row_number() OVER w AS place, first, last, lines
FROM chained WINDOW w AS (PARTITION BY log, iif(log IS NULL, file, chain)
                          ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
DELETE FROM temp.training_parts WHERE NOT EXISTS (SELECT 1 FROM training_parts WHERE log <> file);
INSERT INTO training_heads SELECT log, file FROM training_parts
WHERE place = 1 AND log IN (SELECT log FROM training_parts GROUP BY log HAVING count(*) > 1);

-- Where each part's lines go, and how many lines of the log are above them.
DROP TABLE IF EXISTS temp.training_places;
CREATE TEMP TABLE training_places AS
SELECT log, first, last, sum(last - first + 1) OVER (ORDER BY log, place ROWS UNBOUNDED PRECEDING) - (last - first) AS target,
       sum(lines) OVER (PARTITION BY log ORDER BY place ROWS UNBOUNDED PRECEDING) - lines AS above
FROM training_parts;
-- below 0, where no other is
UPDATE training_lines SET rowid = p.first - training_lines.rowid - p.target, file = p.log, line = line + p.above
FROM training_places AS p WHERE training_lines.rowid BETWEEN p.first AND p.last;
UPDATE training_lines SET rowid = -rowid WHERE EXISTS (SELECT 1 FROM training_places) AND rowid < 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT log, 'info', 'rotated_log', NULL, count(*),
       'parts of one log, as its name and its steps tell: read as one, its lines counted on from part to part'
FROM training_parts GROUP BY log HAVING count(*) > 1;
CREATE TEMP TABLE IF NOT EXISTS source_told(path, parameter, what, told);
INSERT INTO temp.source_told SELECT file, NULL, 'log', 'a part of ' || log FROM training_parts WHERE log <> file;
INSERT INTO temp.source_told -- the part whose name the log has may lack the clock of another
SELECT file, NULL, 'start', 'the clock of a part'
FROM (SELECT l.file AS file, min(iif(l.time IS NULL, NULL, l.rowid)) AS clock, min(iif(l.step IS NULL, NULL, l.rowid)) AS first
      FROM training_lines AS l WHERE l.file IN (SELECT p.log FROM training_parts AS p JOIN json_each(coalesce(:starts, '{}')) ON key = p.log
                                                WHERE p.log <> p.file) GROUP BY l.file)
WHERE clock <= first;
DROP TABLE training_places;
DROP TABLE training_parts;
--@ end
