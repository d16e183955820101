-- log/stamps.sql - lines of steps without a clock to which what kept the log has given one: syslog, systemd's journal, Google Cloud's
-- logging.
--
-- Syslog's stamp begins the line and has no year: it counts if :year is given. `journalctl -o json` has microseconds in the line's object,
-- `-o export` in a line above, `-o short-unix` seconds. `gcloud logging read` writes a key a line, in the order of the alphabet, as YAML
-- or JSON. CloudWatch, Loki's API, Fluent Bit and loggers of JSON have a number or a date beside the line, tables as Splunk's a time behind
-- it. Of objects that are a key a line the clock is above the text or below it. A clock whose date is 03/04/2026 or 3.4.26 is not read,
-- which is listed. Reads and changes training_lines(file, line, time, step), whose rowids are in the order of the lines, a file's without
-- another's between them. Makes training_untimed(file): files in which no line of a step has a clock. A part of the scripts of trainers'
-- logs, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_untimed;
CREATE TEMP TABLE training_untimed AS
SELECT file, (SELECT l.line FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL
              ORDER BY l.rowid LIMIT 1) AS line
FROM training_extents WHERE NOT EXISTS (SELECT 1 FROM training_lines AS l
                                        WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL AND l.time IS NOT NULL);
DELETE FROM training_untimed WHERE line IS NULL; -- without a step
--@ if EXISTS (SELECT 1 FROM training_untimed)
-- Another reading of a file forgets what was said of the first.
DROP TABLE IF EXISTS temp.training_said;
CREATE TEMP TABLE training_said AS SELECT * FROM mpg_issues WHERE source IN (SELECT file FROM training_untimed);
DROP TABLE IF EXISTS temp.training_listings;
CREATE TEMP TABLE training_listings AS
SELECT file, replace(how, '#', '') AS how, how GLOB '*#' AS numbered
FROM (SELECT u.file AS file, (SELECT CASE WHEN log_group(d._record, 'entry') IS NOT NULL THEN iif(d._line < u.line, 'below#', NULL)
                                          WHEN log_group(d._record, 'key') IS NOT NULL
                                            OR d._line = u.line AND log_group(d._record, 'text') IS NOT NULL THEN 'key#'
                                          WHEN log_group(d._record, 'above') IS NOT NULL THEN iif(d._line < u.line, 'above', NULL)
                                            || iif(log_group(d._record, 'number') IS NULL, '', '#')
                                          WHEN d._line = u.line AND log_group(d._record, 'unread') IS NOT NULL
                                            THEN 'unread ' || log_group(d._record, 'unread')
                                          WHEN d._line = u.line AND d.fields IS NOT NULL
                                            THEN CASE WHEN log_group(d._record, 'yearless') IS NULL THEN 'beside'
                                                        || iif(log_group(d._record, 'number') IS NULL, '', '#')
                                                      WHEN :year IS NOT NULL THEN 'yearless' END END
        FROM log_trace(u.file,
                       '(?x) ^ (?: \s+"insertId":\ " | insertId:\  ) (?<entry>) | ^__REALTIME_TIMESTAMP=\d (?<above>)
          | ^ \s+ "(?: __REALTIME_TIMESTAMP"\s*:\s*"\d{15} | (?i: [@_]?time (?: _?stamp | generated )? | asctime | date (?: _?time )? | ts ) "\s*:\s*" \d{4}-\d\d-\d\d[T\ ]\d\d:\d\d:\d\d ) (?<key>)
          | ^ .* "__REALTIME_TIMESTAMP" | ^ \s* \{ .* " (?i: [@_]?time (?: _?stamp | generated )? | asctime | date (?: _?time )? | ts ) "\s*:\s*" \d{4}-\d\d-\d\d[T\ ]\d\d:\d\d:\d\d (?<number>)
          | ^ \d{10}\.\d{6}\ \S+\ [^\s:]+: | ^ (?: <\d+> )? [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d (?<yearless>)
          | ^ \s* (?: "timestamp"\s*:\s* 1\d{12} | "1\d{18}" ) (?<above>) (?<number>) ,? \s* $
          | ^ (?: \[? 1\d{9}\.\d+ \]? \s | "? 1\d{12} "? , | .* (?: "(?: @?timestamp | ts | time | date | _time )"\s*:\s* "? | \[\s* "? ) 1\d{9} (?: \.\d+ | \d{3} | \d{6} | \d{9} )? \b
            | .* ,"? (?: \d{4}-\d\d-\d\d[T\ ]\d\d:\d\d:\d\d [^,]* | 1\d{18} "? ) (?: , [^,]* ){0,8} $ ) (?<number>)
          | ^ .{0,80}? (?<! [\d/.] ) (?<unread> \d\d? ([/.]) \d\d? \g{-1} (?: \d{4} | \d\d ) [\ T:_,-] {1,3} \d\d?:\d\d:\d\d )
          | ^ \s+ "[^"]+"\s*:\s*" (?<text>)',
                       'rows') AS d
        WHERE coalesce(log_group(d._record, 'entry'), log_group(d._record, 'above'), log_group(d._record, 'key')) IS NOT NULL
          OR d._line >= u.line LIMIT 1) AS how
      FROM training_untimed AS u)
WHERE how IS NOT NULL;
--@ if EXISTS (SELECT 1 FROM training_listings)
-- An object begins with a brace alone: the clock is above the text if none is between them.
UPDATE training_listings SET how = (
  SELECT iif(max(iif(log_group(d._record, 'begins') IS NULL, d._line, 0)) > max(iif(log_group(d._record, 'begins') IS NULL, 0, d._line)),
             'above', 'below')
  FROM training_untimed AS u
  CROSS JOIN log_trace(u.file, '(?x) ^ \s* (?<begins> \{ ) \s* $ | ^ \s+ "(?: __REALTIME_TIMESTAMP"\s*:\s*"\d{15} | (?i: [@_]?time (?: _?stamp | generated )? | asctime | date (?: _?time )? | ts ) "\s*:\s*" \d{4}-\d\d-\d\d[T\ ]\d\d:\d\d:\d\d )') AS d
  WHERE u.file = training_listings.file AND d._line < u.line) WHERE how = 'key';
DROP TABLE IF EXISTS temp.training_unread;
CREATE TEMP TABLE training_unread AS
SELECT file, (SELECT u.line FROM training_untimed AS u WHERE u.file = l.file) AS line, substr(how, 8) AS time
FROM training_listings AS l WHERE how GLOB 'unread *';
DELETE FROM training_listings WHERE how GLOB 'unread *';
DROP TABLE IF EXISTS temp.training_stamps;
CREATE TEMP TABLE training_stamps(file TEXT, line INTEGER, time, PRIMARY KEY (file, line)) WITHOUT ROWID;
INSERT OR IGNORE INTO training_stamps
SELECT file, line, CASE WHEN number IS NULL THEN time WHEN number < 1e11 THEN number WHEN number < 1e14 THEN number / 1e3
                        WHEN number < 1e17 THEN number / 1e6 ELSE number / 1e9 END
FROM (SELECT u.file AS file, d._line AS line, d.time AS time,
             coalesce(log_group(d._record, 'us'), log_group(d._record, 'number')) + 0.0 AS number
      FROM training_listings AS u CROSS JOIN log_trace(u.file,
          '(?x) ^ (?: \s+ "(?: (?i: [@_]?time (?: _?stamp | generated )? | asctime | date (?: _?time )? | ts ) )"\s*:\s*" | timestamp:\ \x27 ) (?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? )
    | ^ (?: __REALTIME_TIMESTAMP= | .* "__REALTIME_TIMESTAMP"\s*:\s*"? ) (?<us>\d{15,17}) | ^ \s* \{ .* " (?i: [@_]?time (?: _?stamp | generated )? | asctime | date (?: _?time )? | ts ) "\s*:\s*"(?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? )
    | ^ (?<time> \d{10}\.\d{6} )\ \S+\ [^\s:]+: | ^ (?: <\d+> )? (?<time> [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d (?: \.\d+ )? ) \x20
    | ^ (?: \s* "(?<number> 1\d{18} )",? \s* $ | \[? (?<number> 1\d{9}\.\d+ ) \]? \s | "? (?<number> 1\d{12} ) "? ,
          | .* (?: "(?: @?timestamp | ts | time | date | _time )"\s*:\s* "? | \[\s* "? ) (?<number> 1\d{9} (?: \.\d+ | \d{3} | \d{6} | \d{9} )? ) \b
          | .* ,"? (?: (?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) [^,]* | (?<number> 1\d{18} ) "? ) (?: , [^,]* ){0,8} $ )',
                                                       'rows', coalesce(:zone, 'UTC'), coalesce(:year, 1970)) AS d
      WHERE d.fields IS NOT NULL)
WHERE coalesce(time, number) IS NOT NULL;
UPDATE training_lines SET time = CASE (SELECT g.how FROM training_listings AS g WHERE g.file = training_lines.file)
  WHEN 'below' THEN (SELECT s.time FROM training_stamps AS s
                     WHERE s.file = training_lines.file AND s.line > training_lines.line ORDER BY s.line LIMIT 1)
  WHEN 'above' THEN (SELECT s.time FROM training_stamps AS s
                     WHERE s.file = training_lines.file AND s.line < training_lines.line ORDER BY s.line DESC LIMIT 1)
  ELSE (SELECT s.time FROM training_stamps AS s WHERE s.file = training_lines.file AND s.line = training_lines.line) END
WHERE time IS NULL AND file IN (SELECT file FROM training_listings);
CREATE TEMP TABLE IF NOT EXISTS source_told(path, parameter, what, told);
INSERT INTO temp.source_told SELECT file, NULL, 'start', 'the clock of what kept the log'
FROM training_listings WHERE numbered AND :start IS NULL AND file IN (SELECT s.file FROM training_stamps AS s);
DELETE FROM training_untimed WHERE file IN (SELECT file FROM training_stamps);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'unread_time', line, 1,
       'the date of ' || time || ' may have its day first or its month: the clock of these lines is not read, so steps follow each other. '
         || 'Write dates as 2026-11-21'
FROM training_unread;
DROP TABLE training_unread;
DROP TABLE training_stamps;
--@ end
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM training_said AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
DROP TABLE training_listings;
DROP TABLE training_said;
--@ end
