-- log/held.sql - what a trainer's runs held: the TEMP tables jobs, allocations and capacity, of
-- training_runs(job, attempt, framework, chips, chip, start_time, end_time, own_outcome). A job whose log does not tell how many chips
-- it holds counts as one, and the FLOPs of its spans are those of one: assumed_chips has it, for a scheduler may know. Logs of runs in
-- training_tails(job, attempt, time), if there is one, go on until then. training_launches(job, file, line), if there is one, has those
-- after the last step of their job.
--
-- A part of maxtext.sql, megatron.sql, nanogpt.sql, torchtitan.sql and trainer.sql, which say what the parameters are.

-- The log may say how its last run ended, though its trainer does not.
.read sql/formats/log/ended.sql

-- A launch that follows, and came to no step, says that it had ended. (training_ranges has what each launch told.)
CREATE TEMP TABLE IF NOT EXISTS training_launches(job, file, line);
--@ if EXISTS (SELECT 1 FROM training_launches)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'no_steps', min(line), count(*), 'launches after the last step, which came to none: what they held is in no category'
FROM training_launches WHERE file NOT IN (SELECT source FROM mpg_issues WHERE kind = 'no_steps') GROUP BY file;
UPDATE training_runs SET own_outcome = 'failed'
WHERE own_outcome IS NULL
  AND (job, attempt) IN (SELECT job, max(attempt) FROM training_runs WHERE job IN (SELECT job FROM training_launches) GROUP BY job);
--@ end
DROP TABLE training_launches;

-- A run that hangs, or is torn down, holds its chips while its log goes on.
CREATE TEMP TABLE IF NOT EXISTS training_tails(job, attempt, time);
UPDATE training_runs SET end_time = t.until
FROM (SELECT r.id AS id, max(min(t.time, coalesce(r.next, t.time))) AS until
      FROM (SELECT rowid AS id, job, attempt,
                   min(start_time) OVER (PARTITION BY job ORDER BY attempt ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next
            FROM training_runs WHERE EXISTS (SELECT 1 FROM training_tails)) AS r JOIN training_tails AS t USING (job, attempt)
      GROUP BY r.id) AS t
WHERE t.id = training_runs.rowid AND t.until > end_time;
DROP TABLE training_tails;

-- What the options say otherwise than the log counts. training_told(job, chips), if there is one, has how many chips logs tell.
CREATE TEMP TABLE IF NOT EXISTS training_told(job, chips);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT job, 'info', 'conflicting_job', NULL, count(DISTINCT said),
       'option "' || key || '" says ' || given || ', and logs say otherwise, the first ' || min(said) || ': the option counts'
FROM (SELECT job, 'chips' AS key, printf('%g', :chips) AS given, printf('%g', chips) AS said
      FROM training_told WHERE chips > 0 AND abs(chips - :chips) > 1e-6
      UNION ALL
      SELECT job, 'chip', chip_name(:chip), chip_name(chip) FROM training_runs WHERE chip_name(chip) <> chip_name(:chip)
      UNION ALL
      SELECT job, 'outcome', :outcome, own_outcome FROM training_runs AS r
      WHERE own_outcome <> :outcome AND attempt = (SELECT max(l.attempt) FROM training_runs AS l WHERE l.job = r.job))
GROUP BY job, key;
DROP TABLE training_told;

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, substr(job, 1 + length(rtrim(job, replace(job, '/', '')))) AS name, 'training' AS phase, framework,
       coalesce(max(chips), 1) AS chips, nullif(min(chips), max(chips)) AS min_chips -- a run on fewer was whole on those
FROM training_runs GROUP BY job;
DROP TABLE IF EXISTS temp.assumed_chips;
CREATE TEMP TABLE assumed_chips AS SELECT job FROM training_runs GROUP BY job HAVING count(chips) = 0;

-- A run that another one of its job follows broke off. The last one is over where the log, or :outcome, says so.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, coalesce(:pool, 'training') AS pool, coalesce(chips, 1) AS chips, start_time,
       iif(outcome IS NULL, NULL, end_time) AS end_time, outcome
FROM (SELECT *, CASE WHEN attempt < max(attempt) OVER (PARTITION BY job) THEN coalesce(own_outcome, 'failed')
                     ELSE coalesce(:outcome, own_outcome) END AS outcome
      FROM training_runs);

-- What is held: a trainer's log knows of nothing else.
DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT coalesce(:pool, 'training') AS pool, coalesce(:chip, chip) AS chip, coalesce(chips, 1) AS chips, start_time, end_time
FROM training_runs;
