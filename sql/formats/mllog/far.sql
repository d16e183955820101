-- mllog/far.sql - records whose time cannot be: more than ten years from the middle one of their file. Begins and ends are left out. What
-- the run is is so at any time, of which submitters add lines at "time_ms": 0.
--
-- Reads mlperf_log and takes them out of it. A part of mllog.sql, which says what the parameters are.

--@ if (SELECT max(time_ms) - min(time_ms) > 315576000000 FROM mlperf_log)
DROP TABLE IF EXISTS temp.mlperf_far;
CREATE TEMP TABLE mlperf_far AS
WITH said AS (
  SELECT key, key LIKE '%\_start' ESCAPE '\' OR key LIKE '%\_stop' ESCAPE '\' OR key = 'checkpoint' AS is_event
  FROM (SELECT DISTINCT key FROM mlperf_log)
),
middle AS (SELECT _file, mpg_median(time_ms) AS time_ms FROM mlperf_log WHERE key IN (SELECT key FROM said WHERE is_event) GROUP BY _file)
SELECT l.rowid AS row, l._file, l._line, key, m.time_ms AS middle, is_event
FROM middle AS m JOIN mlperf_log AS l ON l._file = m._file JOIN said USING (key) WHERE abs(l.time_ms - m.time_ms) > 315576000000;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'records whose time is more than ten years from the middle one, such as "' || min(key) || '": left out'
FROM mlperf_far WHERE is_event GROUP BY _file;
DELETE FROM mlperf_log WHERE rowid IN (SELECT f.row FROM mlperf_far AS f WHERE is_event);
UPDATE mlperf_log SET time_ms = f.middle FROM mlperf_far AS f WHERE f.row = mlperf_log.rowid;
DROP TABLE mlperf_far;
--@ end
