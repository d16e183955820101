-- log/tail.sql - until when a log goes on after its last line that tells anything: what else stands there has a clock, as what a hang or a
-- failure leaves. A launcher that stands there began another run, which came to nothing that is known: until then alone.
--
-- Reads and changes training_lines(file, line, time, step, is_tail), of which the last one of a file may be such a line. Makes
-- training_tail(file, time) and training_known(file, line), the last step's line. A part of the scripts of trainers' logs, which say what
-- the parameters are.

DROP TABLE IF EXISTS temp.training_tail;
CREATE TEMP TABLE training_tail AS SELECT file, time FROM training_lines WHERE is_tail;
DELETE FROM training_lines WHERE is_tail;
DROP TABLE IF EXISTS temp.training_known;
CREATE TEMP TABLE training_known(file TEXT PRIMARY KEY, line); -- for log/ended.sql
INSERT INTO training_known
SELECT file, (SELECT l.line FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL
              ORDER BY l.rowid DESC LIMIT 1) AS line FROM training_extents;
DROP TABLE IF EXISTS temp.training_ahead;
CREATE TEMP TABLE training_ahead AS -- of tails of a minute and more: the last line of a step or with a time, and from where another run is
SELECT t.file, max(iif(coalesce(l.step, l.time) IS NULL, 0, l.line)) AS known,
       strftime('%Y', max(l.time), 'unixepoch') AS year, NULL AS launch, NULL AS before, NULL AS launched
FROM training_tail AS t JOIN training_lines AS l USING (file) GROUP BY t.file HAVING max(t.time) > max(l.time) + 60;
--@ if EXISTS (SELECT 1 FROM training_ahead)
-- Another reading of a file forgets what was said of the first.
DROP TABLE IF EXISTS temp.training_said;
CREATE TEMP TABLE training_said AS SELECT * FROM mpg_issues WHERE source IN (SELECT file FROM training_ahead);
DROP TABLE IF EXISTS temp.training_rest;
CREATE TEMP TABLE training_rest AS
SELECT a.file, d._line AS line, log_group(d._record, 'launch') IS NOT NULL AS launches,
       coalesce(d.time, mpg_time(a.year || '-' || substr('0' || log_group(d._record, 'day'), -4, 2) || '-'
                                   || substr(log_group(d._record, 'day'), -2) || 'T' || log_group(d._record, 'clock'),
                                 coalesce(:zone, 'UTC'))) AS time
FROM training_ahead AS a CROSS JOIN log_trace(a.file, '(?x) ^ (?: (?= .{0,300}? (?<launch> torch/distributed/run\.py:\d+\]
      | torch\.distributed\.run: | torch/distributed/launcher/api\.py:\d+\] | Starting\ elastic_operator | Setting\ OMP_NUM_THREADS\ environment
      | Setting\ ds_accelerator\ to | \[runner\.py:\d+:main\]\ cmd\ = | values\ were\ not\ passed\ to\ `accelerate\ launch`
      | Initializing\ distributed:\ GLOBAL_RANK ) ) )?
    (?: \s* (?: (?: \[ [^\]\s]{1,40} \] :? | \d+ : | [A-Z]{4,8} : | [\w./-]{1,40} (?= \s ) ) \s* ){0,3}?
      (?: \[? [IWEF] (?<day>\d{3,4}) \ (?<clock> \d\d:\d\d:\d\d (?: \.\d+ )? )
        | [\[(]? (?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? )
        | \[ (?<time> \d{8}\ \d\d:\d\d:\d\d ) \] ) )?', 'ignore', coalesce(:zone, 'UTC')) AS d
WHERE d._line > a.known AND (d.time IS NOT NULL OR d.fields IS NOT NULL);
UPDATE training_ahead SET launch = (SELECT min(r.line) FROM training_rest AS r WHERE r.file = training_ahead.file AND launches);
UPDATE training_ahead SET
  before = (SELECT max(r.time) FROM training_rest AS r WHERE r.file = training_ahead.file AND r.line < launch),
  launched = (SELECT min(r.time) FROM training_rest AS r WHERE r.file = training_ahead.file AND r.line >= launch);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM training_said AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT a.file, 'warning', 'no_steps', launch, 1,
       'a launch that came to no step: what it held, ' || CAST(round(t.time - launched) AS INTEGER) || ' s at least, is in no category'
FROM training_ahead AS a JOIN training_tail AS t USING (file) WHERE launched IS NOT NULL;
UPDATE training_tail SET time = a.before FROM training_ahead AS a WHERE a.file = training_tail.file AND launched IS NOT NULL;
DELETE FROM training_tail WHERE time IS NULL;
DROP TABLE training_said;
DROP TABLE training_rest;
--@ end
DROP TABLE training_ahead;
