-- trainer/answers.sql - what Hugging Face's state has, and what answers of MLflow, lists of Comet and that state have that is no value.
--
-- Reads :mlflow, :comet and :hf. Makes trainer_untimed.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- Hugging Face's state has steps and losses, and no time. Each checkpoint's has those of the run so far.
DROP TABLE IF EXISTS temp.trainer_untimed;
CREATE TEMP TABLE trainer_untimed AS
SELECT file, step, loss, coalesce(step - lag(step) OVER (PARTITION BY file ORDER BY step), step) AS executions
FROM (SELECT d._file AS file, json_extract(h.value, '$.step') AS step, json_extract(h.value, '$.loss') AS loss
      FROM jsonl_trace(:hf) AS d, json_each(d.record, '$.log_history') AS h
      WHERE CASE WHEN h.type = 'object' THEN json_extract(h.value, '$.loss') END IS NOT NULL);
DROP TABLE IF EXISTS temp.trainer_states;
CREATE TEMP TABLE trainer_states(row INTEGER PRIMARY KEY, file, other);
--@ if (SELECT count(DISTINCT file) > 1 FROM trainer_untimed)
INSERT INTO trainer_states
WITH folder AS (
  SELECT DISTINCT file, rtrim(file, replace(file, '/', '')) AS path,
         rtrim(rtrim(rtrim(file, replace(file, '/', '')), '/'), replace(file, '/', '')) AS above
  FROM trainer_untimed
),
run AS (SELECT file, iif(substr(path, 1 + length(above)) GLOB 'checkpoint-[0-9]*', above, path) AS run FROM folder),
told AS (SELECT u.rowid AS row, u.*, run, count(*) OVER (PARTITION BY file) AS n FROM trainer_untimed AS u JOIN run USING (file))
SELECT row, file, other
FROM (SELECT row, file, first_value(file) OVER w AS other, row_number() OVER w AS nth
      FROM told WINDOW w AS (PARTITION BY run, step, loss ORDER BY n DESC, length(file), file))
WHERE nth > 1 AND file <> other;
DELETE FROM trainer_untimed WHERE rowid IN (SELECT row FROM trainer_states);
--@ end
--@ if coalesce(:mlflow, :comet, :hf) IS NOT NULL
-- After the readings, for each forgets what was listed of its file.
DROP TABLE IF EXISTS temp.trainer_answers;
CREATE TEMP TABLE trainer_answers AS
SELECT _file AS file, _line AS line, json_extract(record, '$.next_page_token') <> '' AS partial,
       (SELECT count(*) FROM json_each(record, '$.metrics') WHERE type <> 'object') AS strange,
       iif(json_type(record, '$.metrics') IS NULL, json_type(record, '$.key') IS NULL,
           (SELECT count(*) FROM json_each(record, '$.metrics') WHERE type = 'object' AND json_type(value, '$.key') IS NULL)) AS others
FROM jsonl_trace(:mlflow)
UNION ALL SELECT _file, _line, 0, 0, 1 FROM jsonl_trace(:comet) WHERE json_type(record, '$.metricName') IS NULL
UNION ALL SELECT _file, _line, 0, (SELECT count(*) FROM json_each(record, '$.log_history') WHERE type <> 'object'), 0 FROM jsonl_trace(:hf);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'partial_answer', min(line), count(*),
       'answers of MLflow with a next_page_token: values after theirs are on another page. Put all values into one answer'
FROM trainer_answers WHERE partial GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'unknown_record', min(line), sum(strange), 'values that are no objects: left out'
FROM trainer_answers WHERE strange > 0 GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unused_events', min(line), sum(others), 'objects that are no values, for they name no metric'
FROM trainer_answers WHERE others > 0 GROUP BY file;
DROP TABLE trainer_answers;
--@ end
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', 'no_times', count(*), 'steps and losses without any time: they are in trace_training_steps, and no goodput follows'
FROM trainer_untimed GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'info', 'parallel_files', count(*), 'steps that ' || min(other) || ' tells too, a later state of the run: left out'
FROM trainer_states GROUP BY file;
DROP TABLE trainer_states;
