-- trainer/titan.sql - torchtitan's structured logs: each record has its step. A step ends with its last record; spans in it are told apart
-- by words.
--
-- Reads :titan. Fills trainer_points, trainer_marks and trainer_worlds.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- What a checkpointer's own threads and processes tell of a step is later than it: such records are `beside` the program.
DROP TABLE IF EXISTS temp.trainer_records;
CREATE TEMP TABLE trainer_records AS
SELECT *, CASE WHEN name = 'metric_value' THEN metric GLOB '*checkpoint*'
               WHEN name GLOB 'checkpoint*' THEN name NOT GLOB 'checkpoint_save_*' AND name NOT GLOB 'checkpoint_load_*'
               ELSE 0 END AS beside
FROM (SELECT _file AS file, _line AS line, -- a job is a folder, or a file of none
             coalesce(nullif(rtrim(rtrim(_file, replace(_file, '/', '')), '/'), ''), _file) AS job, json_extract(record, '$.rank') AS rank,
             json_extract(record, '$.global_rank') AS global_rank, json_extract(record, '$.time_us') / 1e6 AS time,
             json_extract(record, '$.step') AS step, json_extract(record, '$.log_type_name') AS name,
             json_extract(record, '$.event_name') AS metric, json_extract(record, '$.value') AS value,
             json_extract(record, '$.source') AS source,
             coalesce(json_extract(record, '$.step_tags') GLOB '*"checkpoint_save"*', 0) AS saves
      FROM jsonl_trace(:titan));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unused_events', min(line), count(*), 'objects that are no records, for they have no name or no time'
FROM trainer_records WHERE name IS NULL OR time IS NULL GROUP BY file;
DELETE FROM trainer_records WHERE name IS NULL OR time IS NULL;
-- Files of one rank that overlap in time and have two records in common are parts of one log: what both have counts once.
DROP TABLE IF EXISTS temp.trainer_spans_of;
CREATE TEMP TABLE trainer_spans_of AS
SELECT file, job, source, rank, min(time) AS first, max(time) AS last, max(line) AS lines FROM trainer_records GROUP BY file;
DROP TABLE IF EXISTS temp.trainer_beside_it;
CREATE TEMP TABLE trainer_beside_it AS
SELECT a.file AS of_file, b.file, a.lines
FROM trainer_spans_of AS a JOIN trainer_spans_of AS b ON b.job = a.job AND b.source IS a.source
  AND b.rank IS a.rank AND b.file <> a.file AND b.first BETWEEN a.first AND a.last AND (b.first, b.file) > (a.first, a.file);
--@ if EXISTS (SELECT 1 FROM trainer_beside_it)
CREATE INDEX temp.trainer_records_at ON trainer_records(file, time);
DROP TABLE IF EXISTS temp.trainer_common;
CREATE TEMP TABLE trainer_common AS
SELECT p.of_file, p.file, p.lines, y.rowid AS row
FROM trainer_beside_it AS p CROSS JOIN trainer_records AS y ON y.file = p.file
WHERE EXISTS (SELECT 1 FROM trainer_records AS x WHERE x.file = p.of_file AND x.time = y.time AND x.name = y.name AND x.step IS y.step
                AND x.metric IS y.metric AND x.value IS y.value);
DELETE FROM trainer_common WHERE (of_file, file) IN (SELECT of_file, file FROM trainer_common GROUP BY 1, 2 HAVING count(*) < 2);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'info', 'joined_log', count(DISTINCT row),
       'records that ' || min(of_file) || ' has too: they count once, and both files are parts of one log'
FROM trainer_common GROUP BY file;
DELETE FROM trainer_records WHERE rowid IN (SELECT row FROM trainer_common);
-- Each part is of the earliest that it goes on from, its lines below those.
DROP TABLE IF EXISTS temp.trainer_first_part;
CREATE TEMP TABLE trainer_first_part AS
WITH RECURSIVE reached(file, of_file, below) AS (
  SELECT DISTINCT file, of_file, lines FROM trainer_common
  UNION SELECT r.file, c.of_file, r.below + c.lines FROM reached AS r JOIN trainer_common AS c ON c.file = r.of_file
)
SELECT r.file, r.of_file, max(below) AS below FROM reached AS r
WHERE r.of_file NOT IN (SELECT file FROM trainer_common) GROUP BY r.file;
UPDATE trainer_records SET file = p.of_file, line = line + below FROM trainer_first_part AS p WHERE p.file = trainer_records.file;
DROP TABLE trainer_common;
DROP TABLE trainer_first_part;
--@ end
DROP TABLE trainer_spans_of;
DROP TABLE trainer_beside_it;

-- If a job has several programs, as in reinforcement learning, one tells the steps: the one that has them as spans.
DROP TABLE IF EXISTS temp.trainer_sources;
CREATE TEMP TABLE trainer_sources AS
SELECT job, source, row_number() OVER (PARTITION BY job ORDER BY whole DESC, n DESC, source) AS place
FROM (SELECT job, source, max(name IN ('step_end', 'train_step_end')) AS whole, count(DISTINCT step) AS n
      FROM trainer_records WHERE step IS NOT NULL AND NOT beside GROUP BY job, source);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT r.file, 'info', 'parallel_files', count(DISTINCT step),
       'steps of a program of the job that another one tells, as that of ' || max(m.source) || ': left out'
FROM trainer_sources AS s JOIN trainer_sources AS m ON m.job = s.job AND m.place = 1
JOIN trainer_records AS r ON r.job = s.job AND r.source IS s.source WHERE s.place > 1 AND step IS NOT NULL AND NOT beside GROUP BY r.file;

-- The ranks of one program that log are of as many chips as the highest of them has ranks below it, and itself. If only rank 0 logs,
-- others may be missing.
INSERT INTO trainer_worlds
SELECT DISTINCT r.file, NULL, n FROM (SELECT job, max(global_rank) + 1 AS n
                                FROM trainer_records WHERE typeof(global_rank) = 'integer'
                                  AND job NOT IN (SELECT job FROM trainer_sources WHERE place > 1) GROUP BY job) AS w
JOIN trainer_records AS r ON r.job = w.job WHERE n > 1;

INSERT INTO trainer_points(file, line, job, rank, time, step, seconds, loss, tflops, begun)
SELECT file, min(line), job, rank, max(time), step, max(time) - min(time), max(CASE WHEN metric GLOB '*loss*' THEN value END),
       max(CASE WHEN metric GLOB '*tflops*' THEN value END),
       begun
FROM (SELECT r.*, min(time) OVER (PARTITION BY file) AS begun
      FROM trainer_records AS r JOIN trainer_sources AS s ON s.job = r.job AND s.source IS r.source WHERE place = 1 AND NOT beside)
WHERE step IS NOT NULL GROUP BY file, step;

-- A span `checkpoint_save` is around each step. A tag is on those that save; a log without the tag, and with a span for each step, has
-- none.
DROP TABLE IF EXISTS temp.trainer_saves;
CREATE TEMP TABLE trainer_saves AS
WITH told AS (
  SELECT file, max(saves) AS tagged,
         count(DISTINCT iif(beside, NULL, step)) > count(DISTINCT iif(name = 'checkpoint_save_end', step, NULL)) AS some
  FROM trainer_records GROUP BY file
)
SELECT r.file, line, job, rank, time - value / 1000.0 AS start_time, time, step
FROM trainer_records AS r JOIN told AS t USING (file) WHERE name = 'checkpoint_save_end' AND value >= 0 AND iif(tagged, saves, some);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(line), count(*), 'saves that tell no step: they protect none' FROM trainer_saves
WHERE step IS NULL GROUP BY file;
INSERT INTO trainer_marks(file, line, job, rank, kind, start_time, time, step)
SELECT r.file, r.line, r.job, r.rank, kind, r.time - value / 1000.0, r.time, NULL
FROM (SELECT *, CASE WHEN beside THEN NULL WHEN name GLOB '*load*' AND name GLOB '*checkpoint*' THEN 'restore'
                     WHEN name GLOB '*checkpoint*' OR name GLOB 'save*' THEN 'checkpoint'
                     WHEN name GLOB '*validat*' OR name GLOB '*eval*' THEN 'eval'
                     WHEN name GLOB '*fetch*' OR name GLOB '*dataload*' OR name GLOB '*batch*' THEN 'input'
                     WHEN name GLOB 'setup*' OR name GLOB '*init*' THEN 'init' END AS kind
      FROM trainer_records WHERE name GLOB '*_end' AND value >= 0) AS r
LEFT JOIN trainer_saves AS s ON s.file = r.file AND s.line = r.line
JOIN trainer_sources AS p ON p.job = r.job AND p.source IS r.source
WHERE (place = 1 AND kind IS NOT NULL OR kind IN ('checkpoint', 'restore')) AND (name <> 'checkpoint_save_end' OR s.file IS NOT NULL)
UNION ALL
SELECT file, line, job, rank, 'saved', NULL, time, step FROM trainer_records
WHERE name GLOB '*checkpoint*_end' AND name NOT GLOB 'checkpoint*' AND name NOT GLOB '*load*' AND name NOT GLOB '*stag*'
  AND name NOT GLOB '*async*' AND step IS NOT NULL;

-- What was saved while the program went on is durable when it was written, at the latest when the next save is over, which waits for it.
INSERT INTO trainer_marks(file, line, job, rank, kind, start_time, time, step)
WITH aside AS MATERIALIZED (SELECT job, step, name, time, value
                            FROM trainer_records WHERE beside AND (name = 'checkpoint_write_end' OR metric GLOB '*async_total*')),
each AS (
  SELECT s.*, lead(s.time) OVER (PARTITION BY file ORDER BY s.time) AS next_time,
         job IN (SELECT job FROM trainer_records WHERE beside) AS later FROM trainer_saves AS s WHERE step IS NOT NULL
)
SELECT file, line, job, rank, 'saved', NULL,
       iif(later, nullif(min(coalesce(next_time, 9e99), coalesce(written, 9e99), coalesce(counted, 9e99)), 9e99), time), step
FROM (SELECT e.*, (SELECT min(a.time) FROM aside AS a
                   WHERE a.job = e.job AND a.name = 'checkpoint_write_end' AND a.step = e.step AND a.time >= e.start_time) AS written,
             (SELECT min(a.time) FROM aside AS a
              WHERE a.job = e.job AND a.name = 'metric_value'
                AND a.time - a.value / 1000.0 BETWEEN e.start_time - 1 AND e.time + 1) AS counted FROM each AS e)
WHERE NOT later OR coalesce(next_time, written, counted) IS NOT NULL;
DROP TABLE trainer_saves;
DROP TABLE trainer_sources;
DROP TABLE trainer_records;
