-- tfevents/values.sql - the values of the tags that are needed, of files that count.
--
-- Reads tfevents_trace, tfevents_survey and tfevents_tags. Makes tfevents_files, a row a file, tfevents_parts, a row for each tag of each
-- file that counts, and their values: tfevents_told those of steps, tfevents_rate and tfevents_took what is said beside them, and
-- tfevents_marks the checkpoints, tfevents_evals(file, time, seconds) the evaluations.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.tfevents_files;
CREATE TEMP TABLE tfevents_files(of_file INTEGER PRIMARY KEY, file TEXT, job TEXT, begin_time REAL, last_time REAL);
INSERT INTO tfevents_files SELECT of_file, file, job, begin_time, last FROM tfevents_survey WHERE last > 0;

-- Times that are no time, or far apart: their values are looked at, below.
DROP TABLE IF EXISTS temp.tfevents_wide;
CREATE TEMP TABLE tfevents_wide AS
SELECT 1 FROM (SELECT max(untimed) AS untimed, min(first) AS first, max(last) AS last FROM tfevents_survey)
WHERE untimed OR first <= 0 OR last - first > 315569520;

-- Parts of one number are of one file, and of tags that go together.
DROP TABLE IF EXISTS temp.tfevents_parts;
CREATE TEMP TABLE tfevents_parts AS
WITH kept AS (
  SELECT place, 'loss' AS role, tag FROM tfevents_tags UNION ALL
  SELECT place, 'rate', rate FROM tfevents_tags UNION ALL SELECT place, 'seconds', seconds FROM tfevents_tags
  UNION ALL SELECT place, 'rate', 'throughput/tflops/device' FROM tfevents_tags WHERE tag = 'lm loss' -- of Megatron Bridge
  UNION ALL SELECT 0, 'mark', 'checkpoint'
)
SELECT 32 * s.of_file + k.place AS part, s.of_file, s.file, s.job, k.place, k.role, k.tag
FROM tfevents_survey AS s CROSS JOIN json_each(s.tags) AS t JOIN kept AS k ON k.tag = t.value
UNION ALL -- what Hugging Face's trainer says an evaluation took, when it is over: eval/runtime, eval/NAME_runtime
SELECT 32 * s.of_file, s.of_file, s.file, s.job, 0, 'eval', t.value
FROM tfevents_survey AS s CROSS JOIN json_each(s.tags) AS t WHERE t.value GLOB 'eval[/_]*runtime'
ORDER BY 1, 6;

DROP TABLE IF EXISTS temp.tfevents_told;
CREATE TEMP TABLE tfevents_told(part, step, time, value, line, missing);
INSERT INTO tfevents_told
SELECT p.part, e.step, e.wall_time, e.value, e._line, iif(e.value IS NULL AND e.kind IS NULL, 1, NULL)
FROM tfevents_parts AS p CROSS JOIN tfevents_trace(p.file) AS e
WHERE p.role = 'loss' AND e.tag = p.tag AND coalesce(e.kind, 'scalar') = 'scalar';
DROP TABLE IF EXISTS temp.tfevents_rate;
CREATE TEMP TABLE tfevents_rate(part, step, value, time, line, missing);
INSERT INTO tfevents_rate
SELECT p.part, e.step, e.value * iif(p.tag GLOB '*device/flops_per_sec', 1e-12, 1), iif((SELECT 1 FROM tfevents_wide), e.wall_time, NULL),
       iif(e.value IS NULL OR (SELECT 1 FROM tfevents_wide), e._line, NULL), iif(e.value IS NULL AND e.kind IS NULL, 1, NULL)
FROM tfevents_parts AS p CROSS JOIN tfevents_trace(p.file) AS e
WHERE p.role = 'rate' AND e.tag = p.tag AND coalesce(e.kind, 'scalar') = 'scalar';
DROP TABLE IF EXISTS temp.tfevents_took;
CREATE TEMP TABLE tfevents_took(part, step, value, time, line, missing);
INSERT INTO tfevents_took
SELECT p.part, e.step, e.value, iif((SELECT 1 FROM tfevents_wide), e.wall_time, NULL),
       iif(e.value IS NULL OR (SELECT 1 FROM tfevents_wide), e._line, NULL), iif(e.value IS NULL AND e.kind IS NULL, 1, NULL)
FROM tfevents_parts AS p CROSS JOIN tfevents_trace(p.file) AS e
WHERE p.role = 'seconds' AND e.tag = p.tag AND coalesce(e.kind, 'scalar') = 'scalar';
DROP TABLE IF EXISTS temp.tfevents_marks;
CREATE TEMP TABLE tfevents_marks AS
SELECT p.part, p.file, e.step, e.wall_time AS time, e._line AS line
FROM tfevents_parts AS p CROSS JOIN tfevents_trace(p.file) AS e WHERE p.role = 'mark' AND e.tag = p.tag AND e.kind = 'session_log';
DROP TABLE IF EXISTS temp.tfevents_evals;
CREATE TEMP TABLE tfevents_evals AS
SELECT p.file, e.wall_time AS time, e.value AS seconds
FROM tfevents_parts AS p CROSS JOIN tfevents_trace(p.file) AS e
WHERE p.role = 'eval' AND e.tag = p.tag AND e.value > 0 AND e.wall_time > e.value AND coalesce(e.kind, 'scalar') = 'scalar';
CREATE INDEX temp.tfevents_evals_of ON tfevents_evals(file, time);
