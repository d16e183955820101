-- log/zoned.sql - lines whose clock has no zone, and to which what kept the log, as a container's runtime, has put a time that has one.
--
-- Reads and changes training_lines(file, line, time, step, is_tail), whose rowids are in the order of the lines. Lines that have the clock
-- of their trainer count by it: it is as fine as the other and no later than it, but may be of any zone. In one log summer time may begin
-- or end. A part of the scripts of trainers' logs, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_zoned;
CREATE TEMP TABLE training_zoned AS -- of each file the first line with a clock, and the first of a step; they are seldom far from its begin
SELECT l.file AS file, l.line AS line, l.time AS time, NULL AS kept
FROM (SELECT (SELECT t.rowid FROM training_lines AS t
              WHERE t.rowid BETWEEN b.first AND b.first + 20 AND t.file = b.file AND t.time IS NOT NULL AND NOT t.is_tail
                AND (t.step IS NOT NULL OR NOT k.value) ORDER BY t.rowid LIMIT 1) AS id
      FROM training_extents AS b CROSS JOIN json_each('[0,1]') AS k) AS first
CROSS JOIN training_lines AS l ON l.rowid = first.id;
-- Another reading of a file forgets what was said of the first.
DROP TABLE IF EXISTS temp.training_said;
CREATE TEMP TABLE training_said AS SELECT * FROM mpg_issues WHERE source IN (SELECT file FROM training_zoned);
UPDATE training_zoned SET kept = (SELECT coalesce(d.time, log_group(d._record, 'word')) FROM log_trace(file, '(?x) ^ (?: \[ [^\]\s]{1,200} \]\  )? (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) [\ \t]
  | ^ \s* \{ .* "(?: @?timestamp | time )"\s*:\s* " (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) "
  | (?<! \d ) \d\d:\d\d:\d\d (?: [.,]\d+ )? \x20? (?<word> [ECMP][SD]T | AK[SD]T | HST | [CEW]ES?T | BST | MSK | [IJK]ST | HKT | SGT | A[CEW][SD]T | NZ[SD]T ) \b', 'rows') AS d
WHERE d._line >= training_zoned.line LIMIT 1);
-- A zone's short name, as CST, may be of several.
DROP TABLE IF EXISTS temp.training_zones;
CREATE TEMP TABLE training_zones AS
SELECT file, min(line) AS line, kept AS word FROM training_zoned WHERE typeof(kept) = 'text' AND :zone IS NULL GROUP BY file;
UPDATE training_zoned SET kept = NULL WHERE typeof(kept) = 'text';
DELETE FROM training_zoned WHERE kept IS NULL OR kept = time; -- the time of the line is that of what kept it
-- A line may have waited for up to a quarter of an hour; if no clock turns later, it is of the zone.
DELETE FROM training_zoned WHERE kept - time BETWEEN -65 AND 840 AND file NOT IN (
  SELECT l.file FROM training_lines AS l CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1
  WHERE EXISTS (SELECT 1 FROM training_zoned) AND l.file = p.file AND abs(l.time - p.time) > 1700);
--@ if EXISTS (SELECT 1 FROM training_zoned)
DROP TABLE IF EXISTS temp.training_kept;
CREATE TEMP TABLE training_kept(file TEXT, line INTEGER, time, PRIMARY KEY (file, line)) WITHOUT ROWID;
INSERT INTO training_kept
SELECT z.file, d._line, d.time
FROM (SELECT DISTINCT file FROM training_zoned) AS z CROSS JOIN log_trace(z.file, '(?x) ^ (?: \[ [^\]\s]{1,200} \]\  )? (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) [\ \t]
  | ^ \s* \{ .* "(?: @?timestamp | time )"\s*:\s* " (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) "') AS d
WHERE d.time IS NOT NULL;
-- Lines with both, by how much they are apart, and parts between which that turns by an hour or half of one.
DROP TABLE IF EXISTS temp.training_apart;
CREATE TEMP TABLE training_apart(id INTEGER PRIMARY KEY, file, line, apart, part);
INSERT INTO training_apart
SELECT id, file, line, apart, sum(abs(turn - 3600) < 65 OR abs(turn - 1800) < 65) OVER (PARTITION BY file ORDER BY id) AS part
FROM (SELECT l.rowid AS id, l.file AS file, l.line AS line, k.time - l.time AS apart,
             coalesce(abs(k.time - l.time - lag(k.time - l.time) OVER (PARTITION BY l.file ORDER BY l.rowid)), 0) AS turn
      FROM training_lines AS l CROSS JOIN training_kept AS k ON k.file = l.file AND k.line = l.line
      WHERE k.time <> l.time AND NOT l.is_tail);
DROP TABLE training_kept;
-- Zones differ by quarters of an hour, 14 h at most. The line that waited least was kept within a minute, or, for half hours, within ten.
DROP TABLE IF EXISTS temp.training_hours;
CREATE TEMP TABLE training_hours AS
SELECT file, part, line, n, least,
       CASE WHEN least NOT BETWEEN -50465 AND 50465 THEN NULL
            WHEN CAST(least + 86405 AS INTEGER) % 900 <= 65 THEN 900 * (CAST(least + 86405 AS INTEGER) / 900) - 86400
            WHEN abs(least) > 3000 AND CAST(least + 86405 AS INTEGER) % 1800 <= 605
              THEN 1800 * (CAST(least + 86405 AS INTEGER) / 1800) - 86400
            WHEN least BETWEEN 0 AND 3000 THEN 0 END AS later
FROM (SELECT file, part, min(line) AS line, count(*) AS n, min(apart) AS least FROM training_apart GROUP BY file, part);
-- A part whose lines all waited is of the hours of the part before it, or else of the one after.
UPDATE training_hours SET later = coalesce(
  (SELECT h.later FROM training_hours AS h
   WHERE h.file = training_hours.file AND h.part < training_hours.part AND h.later IS NOT NULL ORDER BY h.part DESC LIMIT 1),
  (SELECT h.later FROM training_hours AS h
   WHERE h.file = training_hours.file AND h.part > training_hours.part AND h.later IS NOT NULL ORDER BY h.part LIMIT 1))
WHERE later IS NULL;
UPDATE training_lines SET time = time + coalesce((SELECT h.later FROM training_apart AS a CROSS JOIN training_hours AS h USING (file, part)
                                                  WHERE a.id = training_lines.rowid), 0)
WHERE rowid IN (SELECT id FROM training_apart);
-- What the log tells last is of the hours of its last part.
UPDATE training_lines SET time = time + coalesce(
  (SELECT h.later FROM training_hours AS h WHERE h.file = training_lines.file AND h.later IS NOT NULL ORDER BY h.part DESC LIMIT 1), 0)
WHERE is_tail AND file IN (SELECT file FROM training_hours);
--@ end
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM training_said AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
DROP TABLE training_said;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'unread_time', line, 1, 'the zone of the clock, ' || word || ', is not read: times count as UTC. Give the option zone'
FROM training_zones;
DROP TABLE training_zones;
--@ if EXISTS (SELECT 1 FROM training_zoned)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'conflict', min(line), sum(n),
       'lines whose clock has no zone and is ' || group_concat(hours, ', later ')
         || ' h from the time with a zone before it: they count at the latter''s hours'
FROM (SELECT file, min(line) AS line, sum(n) AS n, printf('%+g', -later / 3600.0) AS hours
      FROM training_hours WHERE later <> 0 GROUP BY file, later ORDER BY file, min(part))
GROUP BY file
UNION ALL
SELECT file, 'warning', 'conflict', min(line), sum(n),
       'lines whose clock has no zone and is ' || printf('%+.2f', -min(least) / 3600.0)
         || ' h from the time with a zone before it, as no zone is: they count by their own clock. Give the zone'
FROM training_hours WHERE later IS NULL GROUP BY file;
DROP TABLE training_hours;
DROP TABLE training_apart;
--@ end
DROP TABLE training_zoned;
