-- trainer/tables.sql - tables and JSON Lines of steps that a program of one's own, Lightning or TensorBoard's readers wrote: a column for
-- the step, one for the time and one for the loss, or a row a value with its tag.
--
-- Reads :steps_csv, :steps_tsv, :steps_jsonl, :values_csv, :tag and :zone. Makes trainer_told, of which trackers.sql takes those with a
-- loss, and adds the others to trainer_values. A part of trainer.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.trainer_rows;
CREATE TEMP TABLE trainer_rows AS
SELECT _file AS file, _line AS line, record FROM csv_trace(:steps_csv)
UNION ALL SELECT _file, _line, record FROM csv_trace(:steps_tsv, 'tab')
UNION ALL SELECT _file, _line, record FROM csv_trace(:values_csv)
UNION ALL SELECT _file, _line, record FROM jsonl_trace(:steps_jsonl);
-- Which column is what: of several the first of these names, in any letters; of JSON also within an object, unless it is of an evaluation.
DROP TABLE IF EXISTS temp.trainer_columns;
CREATE TEMP TABLE trainer_columns(file TEXT, what TEXT, path TEXT, PRIMARY KEY(file, what)) WITHOUT ROWID;
INSERT INTO trainer_columns
SELECT file, what, path
FROM (SELECT r.file, n.what, c.fullkey AS path,
             row_number() OVER (PARTITION BY r.file, n.what
                                -- seconds since the begin go after a clock
                                ORDER BY n.what = 'time' AND typeof(c.atom) <> 'text' AND c.atom < 1e8, n.place, length(c.path), c.id) AS nth
      FROM (SELECT file, record, row_number() OVER (PARTITION BY file ORDER BY rowid) AS nth FROM trainer_rows) AS r,
        json_tree(r.record) AS c
      JOIN (SELECT 'step' AS what, key AS place, value AS name
            FROM json_each('["trainer/global_step", "train/global_step", "training/global_step", "global_step", "train/step", "_step",
              "step", "iteration", "iter", "steps", "iterations", "iters"]')
            UNION ALL
            SELECT 'time', key, value
            FROM json_each('["_timestamp", "timestamp", "@timestamp", "wall_time", "walltime", "unix_time", "unixtime", "time", "ts",
              "time_stamp", "datetime", "date_time", "created_at", "logged_at", "date"]')
            UNION ALL -- SwanLab's, of each metric
            SELECT 'time', 100 + place, lower(replace(name, ' ', '_')) || '_timestamp' FROM trainer_names WHERE typeof(place) = 'integer'
            UNION ALL SELECT 'tag', key, value FROM json_each('["tag", "metric", "metric_name", "metric.name", "key", "name"]')
            UNION ALL SELECT 'value', 0, 'value'
            UNION ALL
            SELECT 'split', key, value
            FROM json_each('["split", "phase", "mode", "stage", "prefix", "type", "kind", "event", "event_type", "subset", "context.subset",
              "metric.context.subset", "metric.context", "context", "variant"]')
            UNION ALL SELECT 'run', key, value FROM json_each('["run_id", "run", "run_name", "run.hash", "run_hash"]')
            UNION ALL SELECT 'loss', place, lower(replace(name, ' ', '_')) FROM trainer_names WHERE typeof(place) = 'integer') AS n
        ON n.name IN (lower(replace(c.key, ' ', '_')), lower(replace(ltrim(c.path || '/' || c.key, '$.'), '.', '/')))
      WHERE r.nth <= 20 AND c.atom IS NOT NULL AND c.path NOT LIKE '%eval%' AND c.path NOT LIKE '%val%' AND c.path NOT LIKE '%test%')
WHERE nth = 1;
-- A row of an evaluation is no step.
DROP TABLE IF EXISTS temp.trainer_evaluated;
CREATE TEMP TABLE trainer_evaluated AS
SELECT r.rowid AS row FROM trainer_columns AS e CROSS JOIN trainer_rows AS r ON r.file = e.file
WHERE e.what = 'split'
  AND (lower(json_extract(r.record, e.path)) IN (SELECT name FROM trainer_evaluations)
       -- a context of Aim, {'subset': 'val'}
       OR EXISTS (SELECT 1 FROM trainer_evaluations AS n
                  WHERE instr(replace(replace(lower(json_extract(r.record, e.path)), ' ', ''), '"', ''''), '''subset'':''' || n.name || '''')));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unused_events', min(line), count(*), 'rows of an evaluation: they are no steps'
FROM trainer_rows WHERE rowid IN (SELECT row FROM trainer_evaluated) GROUP BY file;
-- What counts seconds from the begin of a run is no clock.
DROP TABLE IF EXISTS temp.trainer_told;
CREATE TEMP TABLE trainer_told AS
SELECT file, line, step, loss, tag, value, run, record, said AS told, iif(time IS NULL, said, NULL) AS said,
       CASE WHEN time < 1e8 THEN NULL WHEN time < 1e11 THEN time WHEN time < 1e14 THEN time / 1e3 WHEN time < 1e17 THEN time / 1e6
            ELSE time / 1e9 END AS time
FROM (SELECT r.file, r.line, json_extract(r.record, s.path) AS step,
             -- the reader has NULL for a bare NaN, as Python's json writes it, and lists it
             coalesce(json_extract(r.record, l.path),
                      iif(json_type(r.record, l.path) = 'null'
                          AND r.file IN (SELECT source FROM mpg_issues WHERE kind = 'not_finite'), 'NaN', NULL)) AS loss,
             json_extract(r.record, g.path) AS tag, json_extract(r.record, v.path) AS value, json_extract(r.record, u.path) AS run,
             r.record, json_extract(r.record, t.path) AS said,
             iif(typeof(json_extract(r.record, t.path)) = 'text',
                 coalesce(mpg_time(json_extract(r.record, t.path), :zone), -- numbers are texts in a table that has its header again
                          iif(json_extract(r.record, t.path) GLOB '1*' AND json_extract(r.record, t.path) NOT GLOB '*[^0-9.]*',
                              json_extract(r.record, t.path) + 0, NULL)),
                 json_extract(r.record, t.path)) AS time
      FROM trainer_rows AS r
      LEFT JOIN trainer_columns AS s ON s.file = r.file AND s.what = 'step'
      LEFT JOIN trainer_columns AS t ON t.file = r.file AND t.what = 'time'
      LEFT JOIN trainer_columns AS l ON l.file = r.file AND l.what = 'loss'
      LEFT JOIN trainer_columns AS g ON g.file = r.file AND g.what = 'tag'
      LEFT JOIN trainer_columns AS v ON v.file = r.file AND v.what = 'value'
      LEFT JOIN trainer_columns AS u ON u.file = r.file AND u.what = 'run'
      WHERE r.rowid NOT IN (SELECT row FROM trainer_evaluated));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'unread_time', min(line), count(*),
       'times such as "' || said || '" are not read: write 2026-01-06T12:00:00 or Unix seconds' FROM trainer_told
WHERE said GLOB '[0-9]*[/.][0-9]*[/.][0-9]*' GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unused_events', min(line), count(*), 'objects that are no records, for they have no step and no time'
FROM trainer_told WHERE step IS NULL AND told IS NULL GROUP BY file;
-- Of numbers that are texts "1,500" is 1500 and "15/100" is 15; what else is no number is none.
UPDATE trainer_told SET step = CASE WHEN step NOT GLOB '[-+.0-9]*' THEN NULL
                                    WHEN step NOT GLOB '*[^-+.0-9eE]*' OR step NOT GLOB '*[^0-9/]*' THEN step + 0
                                    WHEN step GLOB '*[0-9],[0-9][0-9][0-9]' AND step NOT GLOB '*[^0-9,]*'
                                      THEN replace(step, ',', '') + 0 END
WHERE typeof(step) = 'text';
-- A table whose first row is the last one in time is read from its end.
DROP TABLE IF EXISTS temp.trainer_turned;
CREATE TEMP TABLE trainer_turned AS
SELECT file
FROM (SELECT file, min(rowid) AS first_id, max(rowid) AS last_id FROM trainer_told WHERE time IS NOT NULL GROUP BY file) AS e
JOIN trainer_told AS first USING (file) JOIN trainer_told AS last USING (file)
WHERE first.rowid = e.first_id AND last.rowid = e.last_id AND first.time > last.time AND first.step > last.step;
DROP TABLE IF EXISTS temp.trainer_again;
CREATE TEMP TABLE trainer_again AS SELECT t.* FROM trainer_turned CROSS JOIN trainer_told AS t USING (file) ORDER BY t.rowid DESC;
DELETE FROM trainer_told WHERE file IN (SELECT file FROM trainer_turned);
INSERT INTO trainer_told(file, step, loss, tag, value, run, record, told, time)
SELECT file, step, loss, tag, value, run, record, told, time FROM trainer_again;
DROP TABLE trainer_turned;
DROP TABLE trainer_again;
--@ if :zone IS NOT NULL
-- At the end of summer time a clock shows an hour twice: the second is meant where rows before are later, as steps go on.
DROP TABLE IF EXISTS temp.trainer_hour;
CREATE TEMP TABLE trainer_hour AS
SELECT id, file, line
FROM (SELECT rowid AS id, file, line, run, step AS step, time, told, max(time) OVER w AS latest,
             max(step) OVER w AS highest
      FROM trainer_told WHERE :zone IS NOT NULL
      WINDOW w AS (PARTITION BY file, run ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
WHERE typeof(told) = 'text' AND step > highest AND time <= latest AND latest - time < 3600
  AND mpg_time(strftime('%Y-%m-%d %H:%M:%S', mpg_time(told, 'UTC') + 3600, 'unixepoch'), :zone) - time > 3600;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'repeated_time', min(line), count(*),
       'the clock showed this time twice: the second is taken where lines before it are later, else the first'
FROM trainer_hour GROUP BY file;
UPDATE trainer_told SET time = time + 3600 WHERE rowid IN (SELECT id FROM trainer_hour);
DROP TABLE trainer_hour;
--@ end
-- A table of values that names no metric is of the one that was chosen for it.
INSERT INTO trainer_values
SELECT t.file, t.line, t.file, t.time, t.step, t.value, t.run, coalesce(n.place, 0), json_extract(t.record, '$.epoch')
FROM trainer_told AS t LEFT JOIN trainer_names AS n
  ON n.name = iif(t.tag GLOB 'eval[/_]*runtime', 'eval/runtime', t.tag)
WHERE t.value IS NOT NULL AND t.loss IS NULL AND (t.tag IS NULL OR n.name IS NOT NULL) ORDER BY t.file, t.time, t.line;
DROP TABLE trainer_evaluated;
DROP TABLE trainer_rows;
DROP TABLE trainer_columns;
