-- mllog/far.sql - records whose time cannot be: more than ten years from the middle one of their file. They are left out.
--
-- Reads mlperf_log and takes them out of it. A part of mllog.sql, which says what the parameters are.

--@ if (SELECT max(time_ms) - min(time_ms) > 315576000000 FROM mlperf_log)
DROP TABLE IF EXISTS temp.mlperf_far;
CREATE TEMP TABLE mlperf_far AS
WITH middle AS (SELECT _file, mpg_median(time_ms) AS time_ms FROM mlperf_log GROUP BY _file)
SELECT l.rowid AS row, l._file, l._line, key
FROM middle AS m JOIN mlperf_log AS l ON l._file = m._file WHERE abs(l.time_ms - m.time_ms) > 315576000000;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'records whose time is more than ten years from the middle one, such as "' || min(key) || '": left out'
FROM mlperf_far GROUP BY _file;
DELETE FROM mlperf_log WHERE rowid IN (SELECT f.row FROM mlperf_far AS f);
DROP TABLE mlperf_far;
--@ end
