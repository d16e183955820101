-- log/ended.sql - how the last run of each log ended, where lines below its last step say so: slurmstepd's, srun's, torchrun's, a shell's
-- and PBS's, and a Python traceback that ends the log.
--
-- Reads training_known(file, line), the last step's line, and training_last(file, job, attempt). Changes own_outcome of training_runs,
-- makes source_told. Only logs that do not say themselves that their run completed are read again. What says why comes before what says
-- only that a process died, which may have been killed with its job. slurmstepd's clock is another host's, and is not read. A part of
-- held.sql, which says what the parameters are.

CREATE TEMP TABLE IF NOT EXISTS training_known(file TEXT PRIMARY KEY, line);
DROP TABLE IF EXISTS temp.training_open;
CREATE TEMP TABLE training_open AS -- a launch that came to no step is of the run before it
SELECT r.rowid AS id, k.file, k.line
FROM (SELECT file, max(id) OVER (PARTITION BY job, nth) AS id
      FROM (SELECT *, count(id) OVER (PARTITION BY job ORDER BY attempt, id IS NULL ROWS UNBOUNDED PRECEDING) AS nth
            FROM (SELECT job, attempt, rowid AS id, NULL AS file FROM training_runs
                  UNION ALL SELECT job, attempt, NULL, file FROM training_last))) AS l
CROSS JOIN training_known AS k ON k.file = l.file CROSS JOIN training_runs AS r ON r.rowid = l.id
WHERE r.own_outcome IS NULL AND k.line IS NOT NULL;
--@ if EXISTS (SELECT 1 FROM training_open)
-- How many lines each has. One of which all lines told something says no more.
DROP TABLE IF EXISTS temp.training_sized;
CREATE TEMP TABLE training_sized(file TEXT PRIMARY KEY, lines);
INSERT OR IGNORE INTO training_sized
SELECT source, CAST(substr(detail, instr(detail, ' of ') + 4) AS INTEGER) FROM mpg_issues WHERE kind = 'unmatched_lines';
-- Another reading of a file forgets what was said of the first, and tells anew how many lines match, unless it breaks off.
DROP TABLE IF EXISTS temp.training_said;
CREATE TEMP TABLE training_said AS SELECT * FROM mpg_issues WHERE source IN (SELECT file FROM training_open);
DROP TABLE IF EXISTS temp.training_words;
CREATE TEMP TABLE training_words AS
SELECT o.id, o.file, s.lines AS last, d._line AS line, (SELECT key FROM json_each(d.fields) WHERE value IS NOT NULL) AS word
FROM training_open AS o JOIN training_sized AS s USING (file) CROSS JOIN log_trace(o.file, '(?x)
    \*\*\*\ (?: JOB | STEP )\ \S+\ ON\ \S+\ CANCELLED\ AT\ \S+\ DUE\ TO\ (?: TIME\ LIMIT (?<timeout>) | (?: PREEMPTION | JOB\ REQUEUE ) (?<preempted>)
      | NODE\ FAILURE (?<node_fail>) | TASK\ FAILURE (?<failed>) )
  | =>>\ PBS:\ job\ killed:\ (?: walltime (?<timeout>) | (?<failed>) )
  | \*\*\*\ (?: JOB\ \S+\ ON\ \S+\ CANCELLED\ AT\  (?<cancelled>) | STEP\ \S+\ ON\ \S+\ CANCELLED\ AT\  (?<stopped>)
      | (?: JOB | STEP )\ \S+\ ON\ \S+\ FAILED\  (?<failed>) | Process\ received\ signal\ \*\*\* (?<failed>) )
  | oom[_-]kill\ event (?<failed>)
  | srun:\ error:\ \S+:\ tasks?\ [^:\s]+:\ (?: Terminated (?<stopped>) | Killed (?<killed>) | Exited\ with\ exit\ code\ (?: 143 \b (?<stopped>) | 137 \b (?<killed>) | [1-9] (?<failed>) )
      | (?: Out\ Of\ Memory | Segmentation\ fault | Aborted | Bus\ error | Illegal\ instruction | Floating\ point ) (?<failed>) )
  | failed\ \(exitcode:\ (?: -15 \b (?<stopped>) | -?[1-9] (?<failed>) ) | SignalException:\ Process\ \d+\ got\ signal: (?<stopped>)
  | multiprocessing\.errors\.ChildFailedError (?<failed>) | Fatal\ Python\ error: (?<failed>) | terminate\ called\ after\ throwing (?<failed>)
  | (?: ^ | : \ line\ \d+: \s+ \d+\ ) (?: Terminated (?<stopped>) | Killed (?<killed>) | (?: Segmentation\ fault | Aborted | Bus\ error ) (?<failed>) )
    (?: \ \(core\ dumped\) )? (?: \s{2,} \S .* )? \s* $
  | Traceback\ \(most\ recent\ call\ last\): (?<traced>)
  | (?<= \w ) (?: Error | (?<! Signal ) Exception ) (?= : | \s* $ ) (?<raised>) | KeyboardInterrupt \s* $ (?<stopped>)', 'ignore') AS d
WHERE s.lines > o.line AND d._line > o.line;
DROP TABLE IF EXISTS temp.training_over;
CREATE TEMP TABLE training_over AS -- after an exception that ends a log comes little but others of it
SELECT id, file, last, min(iif(word IN ('timeout', 'preempted', 'node_fail'), word, NULL)) AS told, max(word = 'cancelled') AS cancelled,
       max(word = 'failed') AS failed, min(iif(word = 'stopped', line, NULL)) AS stopped, max(word = 'killed') AS killed,
       min(iif(word = 'traced', line, NULL)) AS traced, max(iif(word = 'raised', line, NULL)) AS raised
FROM training_words GROUP BY id, file;
UPDATE training_runs SET own_outcome = o.outcome
FROM (SELECT id, max(CASE WHEN told IS NOT NULL THEN told WHEN cancelled THEN 'cancelled'
                          WHEN failed OR raised > max(traced, last - 100) AND coalesce(traced < stopped, 1) THEN 'failed'
                          WHEN stopped IS NOT NULL THEN 'cancelled' WHEN killed THEN 'failed' END) AS outcome
      FROM training_over GROUP BY id) AS o
WHERE training_runs.rowid = o.id AND o.outcome IS NOT NULL;
CREATE TEMP TABLE IF NOT EXISTS source_told(path, parameter, what, told);
INSERT INTO temp.source_told
SELECT o.file, NULL, 'outcome', 'lines below the last step: ' || r.own_outcome
FROM training_open AS o JOIN training_runs AS r ON r.rowid = o.id WHERE r.own_outcome IS NOT NULL;
-- A reading that breaks off after one line takes back what the search has said of lines that did not match.
CREATE TEMP TABLE training_begins AS
SELECT (SELECT d._line FROM log_trace(o.file, '^', 'ignore') AS d LIMIT 1) AS line FROM training_open AS o JOIN training_sized USING (file);
DROP TABLE training_begins;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM training_said WHERE source IN (SELECT file FROM training_sized);
DROP TABLE training_sized;
DROP TABLE training_over;
DROP TABLE training_words;
DROP TABLE training_said;
--@ end
DROP TABLE training_open;
DROP TABLE training_known;
DROP TABLE training_last;
