-- trainer/trackers.sql - what the records of trackers say of runs, and the values that MLflow and Comet have one by one.
--
-- Reads :wandb, :wandb_columns, :wandb_csv, :history, :mlflow, :mlflow_csv, :mlflow_run, :comet, :mlflow_store, :tracker_db, :tag, :zone,
-- trainer_stored, trainer_told, trainer_history, trainer_aside and trainer_breaks. Makes trainer_over, how runs ended,
-- trainer_otherwise, of files whose rates are none of a chip, and trainer_has, what any point has; fills trainer_points, trainer_values,
-- trainer_evals, trainer_tail and trainer_called; empties trainer_even where points are none of trainer_history.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.trainer_stretches;
CREATE TEMP TABLE trainer_stretches AS -- of records, one after the other, of one run in one file
SELECT file, run, id AS first, coalesce(lead(id) OVER (ORDER BY id) - 1, (SELECT max(rowid) FROM trainer_history)) AS last
FROM trainer_breaks WHERE NOT within;
-- _runtime tells that it is the same process. (Before anything is listed, for another reading forgets what was.)
DROP TABLE IF EXISTS temp.trainer_beyond;
CREATE TEMP TABLE trainer_beyond AS
SELECT a.file, a.line, a.told AS said, a.run,
       a.of = 1 AND a.line > l.line AND abs(a.told - a.runtime - l.start) < 10 AS is_last, a.foreign_to, a.evaluation AS seconds
FROM trainer_aside AS a
LEFT JOIN (SELECT h.file, h.line, h.time - h.runtime AS start
           FROM (SELECT max(id) AS id
                 FROM (SELECT file, run, (SELECT max(rowid) FROM trainer_history
                                          WHERE rowid BETWEEN first AND last AND loss IS NOT NULL) AS id,
                              (SELECT max(told) FROM trainer_history WHERE rowid BETWEEN first AND last AND loss IS NOT NULL) AS told
                       FROM (SELECT 1 FROM trainer_aside WHERE of = 1 LIMIT 1) CROSS JOIN trainer_stretches) WHERE id IS NOT NULL
                 GROUP BY file HAVING count(run) = 0 AND max(told) < 1e11) JOIN trainer_history AS h ON h.rowid = id) AS l
  ON l.file = a.file
UNION ALL
SELECT file, NULL, said, run, 0, 0,
       (SELECT sum(e.value) FROM json_each(record) AS e WHERE e.key GLOB 'eval[/_]*runtime' AND e.value + 0 > 0)
FROM (SELECT :tracker_db AS file, time AS said, run, record FROM trainer_stored
      WHERE instr(record, 'eval') > 0 AND json_valid(record) UNION ALL
      SELECT file, time, run, record FROM trainer_told WHERE instr(record, 'eval') > 0 UNION ALL
      SELECT d._file,
             json_extract(d.record, '$._timestamp' || iif(c.type = 'array', '[' || x.key || ']', '."' || x.key || '"')), NULL,
             json_object(c.key, x.value)
      FROM jsonl_trace(:wandb_columns) AS d, json_each(d.record) AS c, json_each(c.value) AS x
      WHERE c.key GLOB 'eval[/_]*runtime' AND c.type IN ('object', 'array'));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unused_events', min(line), count(*), 'objects that are no records, for they have no step or no time'
FROM trainer_beyond WHERE foreign_to GROUP BY file;
INSERT INTO trainer_tail SELECT file, max(said) FROM trainer_beyond WHERE is_last GROUP BY file;
INSERT INTO trainer_evals
SELECT file, run, time - seconds, time
FROM (SELECT file, run, seconds, CASE WHEN time < 1e11 THEN time WHEN time < 1e14 THEN time / 1e3 WHEN time < 1e17 THEN time / 1e6
                                      ELSE time / 1e9 END AS time
      FROM (SELECT *, CASE typeof(said) WHEN 'text' THEN coalesce(mpg_time(said, :zone), iif(said NOT GLOB '*[^0-9.]*', said + 0, NULL))
                                        ELSE said END AS time FROM trainer_beyond WHERE seconds > 0))
WHERE time > seconds;
DROP TABLE trainer_aside;
DROP TABLE trainer_beyond;
-- W&B counts what was logged. A step or iter beside it is the trainer's number where all losses have it, and it nowhere falls to where it
-- began, as the number within an epoch does.
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE plain IS NOT NULL)
DROP TABLE IF EXISTS temp.trainer_counted;
CREATE TEMP TABLE trainer_counted AS
SELECT file, run
FROM (SELECT file, run, own, n, lag(n) OVER w AS before, first_value(n) OVER w AS first
      FROM (SELECT rowid AS id, file, run, own, iif(plain GLOB '[0-9]*' AND plain NOT GLOB '*[^0-9.]*', plain + 0, NULL) AS n
            FROM trainer_history WHERE loss IS NOT NULL AND NOT coalesce(evaluated, 0))
      WINDOW w AS (PARTITION BY file, run ORDER BY id))
GROUP BY file, run
HAVING count(own) = 0 AND count(n) = count(*) AND 2 * count(DISTINCT n) >= count(*) AND total(n < before AND n <= first) = 0;
UPDATE trainer_history SET own = plain, step = coalesce(plain, number)
WHERE EXISTS (SELECT 1 FROM trainer_counted AS c WHERE c.file = trainer_history.file AND c.run IS trainer_history.run);
DROP TABLE trainer_counted;
--@ end
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE odd)
-- Of numbers that are texts "1,500" is 1500 and "15/100" is 15; what else is no number is none.
UPDATE trainer_history SET (own, number)
  = (SELECT max(iif(place = 0, n, NULL)), max(iif(place = 1, n, NULL))
     FROM (SELECT key AS place, CASE WHEN type <> 'text' THEN value WHEN value NOT GLOB '[-+.0-9]*' THEN NULL
                                     WHEN value NOT GLOB '*[^-+.0-9eE]*' OR value NOT GLOB '*[^0-9/]*' THEN value + 0
                                     WHEN value GLOB '*[0-9],[0-9][0-9][0-9]' AND value NOT GLOB '*[^0-9,]*'
                                       THEN replace(value, ',', '') + 0 END AS n
           FROM json_each(json_array(own, number))))
WHERE typeof(own) = 'text' OR typeof(number) = 'text';
UPDATE trainer_history SET step = coalesce(own, number) WHERE typeof(step) = 'text';
--@ end
-- Records of a run number their steps in one way. Of those that lack the trainer's number, which most have, the time is the next one's.
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE mixed OR odd)
--@ if (SELECT count(own) BETWEEN 1 AND count(*) - 1 FROM trainer_history)
DROP TABLE IF EXISTS temp.trainer_mixed;
CREATE TEMP TABLE trainer_mixed AS
SELECT file, run, min(iif(own IS NULL, line, NULL)) AS line, count(*) - count(own) AS n, 2 * count(own) >= count(*) AS by_own
FROM trainer_history WHERE loss IS NOT NULL AND NOT coalesce(evaluated, 0) GROUP BY file, run
HAVING count(own) BETWEEN 1 AND count(*) - 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(line), sum(n),
       iif(by_own, 'records without the number of the trainer''s step, which most of their run have: left out, their time is the next one''s',
                   'records without the number of the trainer''s step, which others of their run have: all count by the tracker''s own')
FROM trainer_mixed GROUP BY file, by_own;
DELETE FROM trainer_history WHERE own IS NULL AND loss IS NOT NULL
  AND EXISTS (SELECT 1 FROM trainer_mixed AS m WHERE by_own AND m.file = trainer_history.file AND m.run IS trainer_history.run);
UPDATE trainer_history SET own = NULL, step = number
WHERE EXISTS (SELECT 1 FROM trainer_mixed AS m WHERE NOT by_own AND m.file = trainer_history.file AND m.run IS trainer_history.run);
DROP TABLE trainer_mixed;
--@ end
--@ end
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE odd)
-- What a record says of an evaluation is no step.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unused_events', min(line), count(*), 'records of an evaluation: they are no steps'
FROM trainer_history WHERE evaluated GROUP BY file;
DELETE FROM trainer_history WHERE evaluated;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'unread_time', min(line), count(*),
       'times such as "' || told || '" are not read: write 2026-01-06T12:00:00 or Unix seconds' FROM trainer_history
WHERE time IS NULL AND told GLOB '[0-9]*[/.][0-9]*[/.][0-9]*' GROUP BY file;
--@ end
--@ if :zone IS NOT NULL
-- At the end of summer time a clock shows an hour twice: the second is meant where rows before are later, as steps go on.
DROP TABLE IF EXISTS temp.trainer_hour;
CREATE TEMP TABLE trainer_hour AS
SELECT id, file, line
FROM (SELECT rowid AS id, file, line, run, coalesce(own, number) AS step, time, told, max(time) OVER w AS latest,
             max(coalesce(own, number)) OVER w AS highest
      FROM trainer_history WHERE :zone IS NOT NULL
      WINDOW w AS (PARTITION BY file, run ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
WHERE typeof(told) = 'text' AND step > highest AND time <= latest AND latest - time < 3600
  AND mpg_time(strftime('%Y-%m-%d %H:%M:%S', mpg_time(told, 'UTC') + 3600, 'unixepoch'), :zone) - time > 3600;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'repeated_time', min(line), count(*),
       'the clock showed this time twice: the second is taken where lines before it are later, else the first'
FROM trainer_hour GROUP BY file;
UPDATE trainer_history SET time = time + 3600, begun = time + 3600 - runtime WHERE rowid IN (SELECT id FROM trainer_hour);
DROP TABLE trainer_hour;
--@ end
-- A rate may have a record of its own, as Lightning's: it is of the step of its number.
DROP TABLE IF EXISTS temp.trainer_beside;
CREATE TEMP TABLE trainer_beside(run, step, tflops);
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE odd)
INSERT INTO trainer_beside SELECT coalesce(run, file), coalesce(own, number), tflops FROM trainer_history WHERE loss IS NULL;
DELETE FROM trainer_history WHERE loss IS NULL AND EXISTS (SELECT 1 FROM trainer_beside);
UPDATE trainer_history SET loss = loss + 0 WHERE typeof(loss) = 'text' AND (loss GLOB '[0-9]*' OR loss GLOB '[-+.][0-9]*');
--@ end
-- _runtime continues that of the run that was resumed: if it falls behind the clock, another process began.
DROP TABLE IF EXISTS temp.trainer_started;
CREATE TEMP TABLE trainer_started(id INTEGER PRIMARY KEY, resumed, since);
INSERT INTO trainer_started
SELECT id, resumed, max(iif(resumed, iif(runtime < before, 0, before), NULL)) OVER (PARTITION BY file, run ORDER BY id)
FROM (SELECT id, file, run, runtime, coalesce(begun - lag(begun) OVER w > 10, 0) AS resumed, lag(runtime) OVER w AS before
      FROM (SELECT h.rowid AS id, h.*
            FROM (SELECT file, run
                  FROM (SELECT file, run,
                               (SELECT min(begun) FROM trainer_history WHERE rowid BETWEEN first AND last) AS earliest,
                               (SELECT max(begun) FROM trainer_history WHERE rowid BETWEEN first AND last) AS latest
                        FROM trainer_stretches WHERE NOT EXISTS (SELECT 1 FROM trainer_even))
                  GROUP BY file, run HAVING max(latest) - min(earliest) > 10) AS r
            CROSS JOIN trainer_stretches AS s ON s.file = r.file AND s.run IS r.run
            CROSS JOIN trainer_history AS h ON h.rowid BETWEEN s.first AND s.last)
      WINDOW w AS (PARTITION BY file, run ORDER BY id));
--@ if EXISTS (SELECT 1 FROM trainer_started)
UPDATE trainer_history SET begun = trainer_history.begun + coalesce(s.since, 0), resumed = coalesce(s.resumed, 0)
FROM trainer_started AS s WHERE s.id = trainer_history.rowid;
--@ end
--@ if EXISTS (SELECT 1 FROM (SELECT first, lag(first) OVER (ORDER BY file, run, first) AS before FROM trainer_stretches) WHERE before > first)
DROP TABLE IF EXISTS temp.trainer_again;
CREATE TEMP TABLE trainer_again AS
SELECT h.* FROM (SELECT first, last FROM trainer_stretches ORDER BY file, run, first LIMIT -1) AS o -- the LIMIT keeps the order
CROSS JOIN trainer_history AS h ON h.rowid BETWEEN o.first AND o.last;
DELETE FROM trainer_history;
INSERT INTO trainer_history SELECT * FROM trainer_again ORDER BY rowid;
DROP TABLE trainer_again;
--@ end
-- SQLite copies tables of the same columns as they are.
INSERT INTO trainer_points SELECT * FROM trainer_history;
DROP TABLE IF EXISTS temp.trainer_otherwise;
CREATE TEMP TABLE trainer_otherwise AS
SELECT file, h.otherwise, min(iif(h.otherwise IS NULL, NULL, line)) AS line
FROM (SELECT 1 FROM trainer_breaks WHERE otherwise IS NOT NULL LIMIT 1) CROSS JOIN trainer_history AS h
WHERE :flops IS NULL GROUP BY file HAVING count(tflops) = 0 AND count(h.otherwise) > 0 AND total(typeof(h.otherwise) = 'integer') = 0;
DROP TABLE trainer_history;
DROP TABLE trainer_breaks;
DROP TABLE trainer_stretches;
DROP TABLE trainer_started;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT :tracker_db, 'warning', 'no_steps', count(DISTINCT run),
       'runs that have values, but none of the loss: left out. Name it by the option tag'
FROM trainer_stored WHERE run NOT IN (SELECT run FROM trainer_points WHERE run IS NOT NULL) AND EXISTS (SELECT 1 FROM trainer_points)
GROUP BY NULL;
DROP TABLE trainer_stored;
DROP TABLE trainer_told;
--@ if coalesce(:mlflow, :mlflow_run, :mlflow_csv, :comet) IS NOT NULL
-- MLflow: an answer, a list of the values in one, or the files of its store, mlruns/EXPERIMENT/RUN/metrics/NAME, of which a run's with the
-- first of these names counts.
INSERT INTO trainer_values(file, line, job, time, step, value, run, place)
SELECT d._file, d._line, d._file, json_extract(m.value, '$.timestamp') / 1e3, coalesce(json_extract(m.value, '$.step'), 0) + 0,
       json_extract(m.value, '$.value'), json_extract(m.value, '$.run_id'), n.place
FROM jsonl_trace(:mlflow) AS d,
  json_each(iif(json_type(d.record, '$.metrics') IS NULL, json_array(json(d.record)), d.record),
            iif(json_type(d.record, '$.metrics') IS NULL, '$', '$.metrics')) AS m
CROSS JOIN trainer_names AS n
  ON n.name = CASE WHEN m.type = 'object' THEN iif(json_extract(m.value, '$.key') GLOB 'eval[/_]*runtime', 'eval/runtime',
                                               json_extract(m.value, '$.key')) END
ORDER BY d._file, d._line, json_extract(m.value, '$.timestamp'), m.id;
INSERT INTO trainer_values(file, line, job, time, step, value, run, place)
SELECT d._file, d._line, d._file, json_extract(m.value, '$.timestamp') / 1e3, coalesce(json_extract(m.value, '$.step'), 0) + 0,
       json_extract(m.value, '$.value'), coalesce(json_extract(d.record, '$.mlflow.info.run_id'), json_extract(d.record, '$.info.run_id')),
       n.place
FROM jsonl_trace(:mlflow_run) AS d, json_each(d.record, iif(json_type(d.record, '$.mlflow') IS NULL, '$.metrics', '$.mlflow.metrics')) AS k
JOIN trainer_names AS n
  ON n.name = iif(k.key GLOB 'eval[/_]*runtime', 'eval/runtime', k.key), json_each(k.value) AS m
WHERE k.type = 'array' AND m.type = 'object' ORDER BY d._file, d._line, json_extract(m.value, '$.timestamp'), m.id;
INSERT INTO trainer_values(file, line, job, time, step, value, run, place)
SELECT d._file, d._line, d._file, json_extract(d.record, '$.timestamp') / 1e3, json_extract(d.record, '$.step') + 0,
       iif(json_extract(d.record, '$.value') GLOB '*[0-9]*', json_extract(d.record, '$.value') + 0, json_extract(d.record, '$.value')),
       json_extract(d.record, '$.run_id'), n.place
FROM csv_trace(:mlflow_csv) AS d
JOIN trainer_names AS n
  ON n.name = iif(json_extract(d.record, '$.key') GLOB 'eval[/_]*runtime', 'eval/runtime', json_extract(d.record, '$.key'))
ORDER BY d._file, json_extract(d.record, '$.timestamp') + 0, d._line;
INSERT INTO trainer_values
SELECT d._file, d._line, d._file, json_extract(d.record, '$.timestamp') / 1e3, json_extract(d.record, '$.step') + 0,
       iif(json_extract(d.record, '$.metricValue') GLOB '*[0-9]*', json_extract(d.record, '$.metricValue') + 0,
           json_extract(d.record, '$.metricValue')), json_extract(d.record, '$.experimentKey'), n.place,
       json_extract(d.record, '$.epoch')
FROM jsonl_trace(:comet) AS d
JOIN trainer_names AS n
  ON n.name = iif(json_extract(d.record, '$.metricName') GLOB 'eval[/_]*runtime', 'eval/runtime', json_extract(d.record, '$.metricName'))
ORDER BY d._file, json_extract(d.record, '$.timestamp') + 0, d._line;
INSERT OR IGNORE INTO trainer_ended
SELECT file, coalesce(run, ''), begun / 1e3, ended / 1e3,
       CASE status WHEN 'FINISHED' THEN 'completed' WHEN 'FAILED' THEN 'failed' WHEN 'KILLED' THEN 'cancelled' END
FROM (SELECT file, json_extract(info, '$.run_id') AS run, json_extract(info, '$.start_time') AS begun, json_extract(info, '$.end_time') AS ended,
             json_extract(info, '$.status') AS status
      FROM (SELECT _file AS file, coalesce(json_extract(record, '$.mlflow.info'), json_extract(record, '$.info')) AS info
            FROM jsonl_trace(:mlflow_run)));
--@ end
--@ if :mlflow_store IS NOT NULL
DROP TABLE IF EXISTS temp.trainer_kept;
CREATE TEMP TABLE trainer_kept AS
SELECT _file AS file, _line AS line, log_group(_record, 'ms') / 1e3 AS time, step, log_group(_record, 'value') AS value,
       instr(_file, '/metrics/') AS at
FROM log_trace(:mlflow_store, '^(?<ms>\d{13}) (?<value>\S+) (?<step>\d+)(?: \S+ \w{1,36})?\s*$'); -- the last, of MLflow 3: data set, digest
INSERT INTO trainer_values(file, line, job, time, step, value, run, place)
SELECT file, line, job, time, step, value, NULL, place
FROM (SELECT file, job, place, row_number() OVER (PARTITION BY job, typeof(place) ORDER BY place) AS nth
      FROM (SELECT DISTINCT file, iif(at > 0, substr(file, 1, at - 1), file) AS job,
                   iif(at > 0, substr(file, at + 9), replace(file, rtrim(file, replace(file, '/', '')), '')) AS name FROM trainer_kept) AS f
      JOIN trainer_names AS n ON n.name = iif(f.name GLOB 'eval[/_]*runtime', 'eval/runtime', f.name))
JOIN trainer_kept USING (file) WHERE nth = 1 OR place = 'eval' ORDER BY file, time, line;
-- What a run of the store is called, and how it ended, lies beside its metrics.
DROP TABLE IF EXISTS temp.trainer_lines_about;
CREATE TEMP TABLE trainer_lines_about AS
SELECT r.job, f.path, log_group(l._record, 'name') AS name, log_group(l._record, 'begun') AS begun, log_group(l._record, 'ended') AS ended,
       log_group(l._record, 'status') AS status
FROM (SELECT DISTINCT substr(file, 1, at - 1) AS job FROM trainer_kept WHERE at > 0) AS r CROSS JOIN trace_files(r.job || '/meta.yaml') AS f
CROSS JOIN log_trace(f.path, '(?x) ^ (?: run_name: \s* ["\x27]? (?<name> [^"\x27\s] .*? )? ["\x27]? | start_time: \s* (?<begun>\d+)
  | end_time: \s* (?<ended>\d+) | status: \s* (?<status>\d) | (?<other>) .* ) \s* $', 'ignore') AS l
WHERE f.bytes < 10000;
DROP TABLE IF EXISTS temp.trainer_about;
CREATE TEMP TABLE trainer_about AS
SELECT job, path, max(name) AS name, max(begun) / 1e3 AS begun, max(ended) / 1e3 AS ended, max(status) AS status
FROM trainer_lines_about GROUP BY job, path;
DROP TABLE trainer_lines_about;
INSERT INTO trainer_called SELECT job, path, name FROM trainer_about;
INSERT OR IGNORE INTO trainer_ended
SELECT job, '', begun, ended, CASE status WHEN 3 THEN 'completed' WHEN 4 THEN 'failed' WHEN 5 THEN 'cancelled' END FROM trainer_about;
DROP TABLE IF EXISTS temp.read_beside;
CREATE TEMP TABLE read_beside AS SELECT path FROM trainer_about;
DROP TABLE trainer_about;
DROP TABLE trainer_kept;
--@ end
-- Of values whose lines are not in the order of their times, these count.
UPDATE trainer_values SET line = NULL
WHERE file IN (SELECT v.file FROM trainer_values AS v CROSS JOIN trainer_values AS p ON p.rowid = v.rowid - 1
               WHERE v.line < p.line AND v.time > p.time AND v.file = p.file AND v.run IS p.run AND v.place IS p.place);
INSERT INTO trainer_points(file, line, job, time, step, loss, run, epoch)
SELECT file, line, job, time, step, value, run, epoch FROM trainer_values WHERE typeof(place) = 'integer' ORDER BY rowid;
DELETE FROM trainer_even WHERE EXISTS (SELECT 1 FROM trainer_values WHERE typeof(place) = 'integer');
DROP TABLE IF EXISTS temp.trainer_has;
CREATE TEMP TABLE trainer_has AS
SELECT max(rank IS NOT NULL) AS ranks, max(run IS NOT NULL) AS runs, max(typeof(loss) = 'text') AS texts FROM trainer_points
WHERE rowid IN (SELECT id FROM trainer_even)
UNION ALL
SELECT max(rank IS NOT NULL), max(run IS NOT NULL), max(typeof(loss) = 'text')
FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM trainer_even)) CROSS JOIN trainer_points;
INSERT INTO trainer_evals
SELECT p.file, p.run, v.time - v.seconds, v.time
FROM (SELECT job, run, time, value + 0 AS seconds FROM trainer_values WHERE place = 'eval' AND value + 0 > 0 AND time > value + 0) AS v
JOIN (SELECT DISTINCT job, file, run FROM trainer_points) AS p ON p.run IS v.run AND (p.job = v.job OR p.run <> '');
DROP TABLE IF EXISTS temp.trainer_over;
CREATE TEMP TABLE trainer_over(file TEXT, run TEXT, ended, outcome, begun, first_point INTEGER, PRIMARY KEY(file, run)) WITHOUT ROWID;
INSERT OR IGNORE INTO trainer_over
SELECT p.file, e.run, e.ended, e.outcome, e.begun, p.first_point
FROM (SELECT p.file, p.job, coalesce(p.run, '') AS run, min(p.rowid) AS first_point
      FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM trainer_ended)) CROSS JOIN trainer_points AS p GROUP BY 2, 3) AS p
JOIN trainer_ended AS e ON e.job = p.job AND e.run = p.run;
UPDATE trainer_points SET begun = o.begun
FROM trainer_over AS o WHERE o.first_point = trainer_points.rowid AND o.begun < trainer_points.time;
DROP TABLE trainer_ended;
-- A rate is of the run's step of its number.
DROP TABLE IF EXISTS temp.trainer_rates;
CREATE TEMP TABLE trainer_rates(run, step, tflops, PRIMARY KEY(run, step)) WITHOUT ROWID;
INSERT INTO trainer_rates
SELECT run, step, max(tflops)
FROM (SELECT coalesce(run, job) AS run, step, (value + 0) * place / 1e12 AS tflops
      FROM trainer_values WHERE typeof(place) = 'real' AND value + 0 > 0 UNION ALL SELECT * FROM trainer_beside)
WHERE step IS NOT NULL GROUP BY run, step;
--@ if EXISTS (SELECT 1 FROM trainer_rates)
UPDATE trainer_points SET tflops
  = coalesce(tflops, (SELECT r.tflops FROM trainer_rates AS r
                      WHERE r.run = coalesce(trainer_points.run, trainer_points.job) AND r.step = trainer_points.step))
WHERE EXISTS (SELECT 1 FROM trainer_rates);
--@ end
DROP TABLE trainer_rates;
DROP TABLE trainer_beside;
DROP TABLE trainer_values;
DROP TABLE trainer_names;
