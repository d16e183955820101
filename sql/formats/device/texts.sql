-- device/texts.sql - names with bytes that are no UTF-8, as a database may hold them: these are U+FFFD, as readers of text give them.
--
-- Reads device_read(trace), the profiles that were read just now, and device_odd, which has a row if a text of theirs is not
-- all ASCII; drops device_odd.
-- A part of the scripts of profiles, which say what the parameters are.

DROP TABLE IF EXISTS temp.device_texts;
CREATE TEMP TABLE device_texts AS
WITH texts AS (
  SELECT name AS text FROM device_odd CROSS JOIN device_activity WHERE trace IN (SELECT trace FROM device_read) AND name GLOB '*[^ -~]*'
  UNION SELECT op FROM device_odd CROSS JOIN device_activity WHERE trace IN (SELECT trace FROM device_read) AND op GLOB '*[^ -~]*'
  UNION SELECT launch_name FROM device_odd CROSS JOIN device_activity
  WHERE trace IN (SELECT trace FROM device_read) AND launch_name GLOB '*[^ -~]*'
  UNION SELECT name FROM device_odd CROSS JOIN device_ranges WHERE trace IN (SELECT trace FROM device_read) AND name GLOB '*[^ -~]*'
),
letters AS (SELECT text, 1 AS nth, substr(text, 1, 1) AS letter
            FROM texts UNION ALL SELECT text, nth + 1, substr(text, nth + 1, 1) FROM letters WHERE nth < length(text)),
mended AS (SELECT text, nth, iif(CAST(char(unicode(letter)) AS BLOB) = CAST(letter AS BLOB), letter, char(65533)) AS letter FROM letters)
SELECT text, max(sound) AS sound FROM (
  SELECT text, group_concat(letter, '') OVER (PARTITION BY text
                                              ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS sound FROM mended)
GROUP BY text HAVING CAST(max(sound) AS BLOB) <> CAST(text AS BLOB);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT r.trace, 'warning', 'invalid_utf8', count(*),
       'names with bytes that are no UTF-8, which are read as U+FFFD; the first is "' || min(t.sound) || '"'
FROM device_texts AS t, device_read AS r GROUP BY r.trace;
UPDATE device_activity SET name = t.sound FROM device_texts AS t
WHERE t.text = device_activity.name AND trace IN (SELECT trace FROM device_read);
UPDATE device_activity SET op = t.sound FROM device_texts AS t
WHERE t.text = device_activity.op AND trace IN (SELECT trace FROM device_read);
UPDATE device_activity SET launch_name = t.sound FROM device_texts AS t
WHERE t.text = device_activity.launch_name AND trace IN (SELECT trace FROM device_read);
UPDATE device_ranges SET name = t.sound FROM device_texts AS t
WHERE t.text = device_ranges.name AND trace IN (SELECT trace FROM device_read);
DROP TABLE device_texts;
DROP TABLE device_odd;
