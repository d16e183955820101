-- trainer/steps.sql - attempts, and from when to when each step went.
--
-- Reads trainer_points, trainer_marks, trainer_evals and training_chips. Makes trainer_steps, trainer_within, trainer_long, trainer_jobs,
-- trainer_chip and training_steps.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- ---- 2. Attempts and steps ----

-- A new attempt begins with a file, where numbers go back, and after a launch or a restore that the log tells.
DROP TABLE IF EXISTS temp.trainer_begun;
CREATE TEMP TABLE trainer_begun(file, line, time, loaded, PRIMARY KEY(file, line)) WITHOUT ROWID;
INSERT OR IGNORE INTO trainer_begun SELECT file, line, time, iif(kind = 'restore' AND typeof(step) <> 'text', step, NULL)
FROM trainer_marks WHERE rank IS NULL AND kind IN ('restore', 'init');
-- What follows goes by rowid, from a row to the next or over a range, and not by windows over all columns: histories have millions of
-- records. Points in the order of jobs, their logs and lines; an attempt is a range of them, in which no step goes back.
DROP TABLE IF EXISTS temp.trainer_ordered;
CREATE TEMP TABLE trainer_ordered AS
SELECT p.rowid AS id, p.job, coalesce(p.part, p.file) AS log, p.run, p.step, p.line, p.resumed,
       (SELECT max(m.line) FROM trainer_begun AS m WHERE m.file = p.file AND m.line <= p.line) AS after
FROM trainer_points AS p
CROSS JOIN (SELECT coalesce(part, file) AS log, run, min(time) AS first FROM trainer_points GROUP BY 1, 2) AS f
  ON f.log = coalesce(p.part, p.file) AND f.run IS p.run
ORDER BY p.job, f.first, f.log, p.run, p.at, p.line, p.rowid;
DROP TABLE IF EXISTS temp.trainer_ranges;
CREATE TEMP TABLE trainer_ranges AS
SELECT job, row_number() OVER (PARTITION BY job ORDER BY first) AS attempt, first,
       coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM trainer_ordered)) AS last
FROM (SELECT o.job, o.rowid AS first
      FROM trainer_ordered AS o LEFT JOIN trainer_ordered AS p ON p.rowid = o.rowid - 1
      WHERE p.job IS NOT o.job OR p.log IS NOT o.log OR p.run IS NOT o.run OR o.step < p.step OR o.resumed OR o.after > p.line);
-- Lines of one step are one: few histories have such.
DROP TABLE IF EXISTS temp.trainer_twice;
CREATE TEMP TABLE trainer_twice AS
SELECT 1 FROM trainer_ordered AS o CROSS JOIN trainer_ordered AS p ON p.rowid = o.rowid - 1 WHERE o.step = p.step LIMIT 1;
DROP TABLE IF EXISTS temp.trainer_single;
CREATE TEMP TABLE trainer_single(job TEXT, attempt, file, step, line, end_time, told_seconds, loss, tflops, begun, run, n);
INSERT INTO trainer_single
SELECT r.job, r.attempt, p.file, p.step, p.line, p.time, p.seconds, p.loss, p.tflops, p.begun, p.run, 1
FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM trainer_twice)) CROSS JOIN trainer_ranges AS r
CROSS JOIN trainer_ordered AS o ON o.rowid BETWEEN r.first AND r.last CROSS JOIN trainer_points AS p ON p.rowid = o.id;
INSERT INTO trainer_single
SELECT r.job, r.attempt, p.file, p.step, min(p.line), max(p.time), max(p.seconds), max(p.loss), max(p.tflops), min(p.begun), min(p.run),
       count(*)
FROM trainer_twice CROSS JOIN trainer_ranges AS r
CROSS JOIN trainer_ordered AS o ON o.rowid BETWEEN r.first AND r.last CROSS JOIN trainer_points AS p ON p.rowid = o.id
GROUP BY r.first, p.step ORDER BY r.first, p.step;
-- Saves, restores, evaluations and waits that lie within a step: each in the first step that ends at its end or later.
DROP TABLE IF EXISTS temp.trainer_within;
CREATE TEMP TABLE trainer_within(id INTEGER, start_time, end_time);
DROP TABLE IF EXISTS temp.trainer_asides;
CREATE TEMP TABLE trainer_asides AS
SELECT file, run, start_time, time FROM trainer_evals
UNION SELECT file, NULL, start_time, time FROM trainer_marks WHERE kind NOT IN ('saved', 'completed', 'failed') AND time > start_time;
--@ if EXISTS (SELECT 1 FROM trainer_asides)
CREATE INDEX temp.trainer_single_at ON trainer_single(file, run, end_time);
-- Ranks tell of one save each, and spans lie in each other: what several have counts once.
INSERT INTO trainer_within
SELECT id, max(start_time, coalesce(max(time) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), start_time)), time
FROM (SELECT *, (SELECT s.rowid FROM trainer_single AS s
                 WHERE s.file = a.file AND s.run IS a.run AND s.end_time >= a.time ORDER BY s.end_time LIMIT 1) AS id
      FROM trainer_asides AS a)
WHERE id IS NOT NULL WINDOW w AS (PARTITION BY id ORDER BY start_time, time);
CREATE INDEX temp.trainer_within_of ON trainer_within(id);
--@ end
DROP TABLE trainer_asides;
DROP TABLE IF EXISTS temp.trainer_spaced;
CREATE TEMP TABLE trainer_spaced AS
SELECT *, (SELECT total(max(0, w.end_time - max(w.start_time, since))) FROM trainer_within AS w WHERE w.id = k.id) AS aside
FROM (SELECT s.rowid AS id, s.*, p.end_time AS before, s.step - p.step AS executions, n.step - s.step AS gap,
             max(coalesce(p.end_time, s.end_time - s.told_seconds, s.end_time),
                 coalesce(s.end_time - s.told_seconds, p.end_time, s.end_time)) AS since
      FROM trainer_single AS s
      LEFT JOIN trainer_single AS p ON p.rowid = s.rowid - 1 AND p.attempt = s.attempt AND p.job = s.job
      LEFT JOIN trainer_single AS n ON n.rowid = s.rowid + 1 AND n.attempt = s.attempt AND n.job = s.job) AS k;
DROP TABLE trainer_single;
DROP TABLE trainer_twice;
DROP TABLE trainer_ranges;
DROP TABLE trainer_ordered;
-- The mean of steps without what else lies in them, but for those that may hold a pause: of the attempt, else of the job.
DROP TABLE IF EXISTS temp.trainer_usual;
CREATE TEMP TABLE trainer_usual(job TEXT PRIMARY KEY, seconds);
INSERT INTO trainer_usual
SELECT job, mpg_median(1.0 * (end_time - before - aside) / executions) FROM trainer_spaced WHERE before IS NOT NULL GROUP BY job;
DROP TABLE IF EXISTS temp.trainer_mean;
CREATE TEMP TABLE trainer_mean(job TEXT, attempt, took, times, PRIMARY KEY(job, attempt));
INSERT INTO trainer_mean
SELECT job, attempt, total(end_time - before - aside), sum(executions)
FROM trainer_spaced AS s CROSS JOIN trainer_usual AS u USING (job)
WHERE before IS NOT NULL
  AND NOT (1.0 * (end_time - before - aside) / executions > 3 * u.seconds AND end_time - before - aside > 60 + u.seconds)
GROUP BY job, attempt;
INSERT INTO trainer_mean SELECT job, NULL, sum(took), sum(times) FROM trainer_mean GROUP BY job;
DROP TABLE IF EXISTS temp.trainer_steps;
CREATE TEMP TABLE trainer_steps AS
-- The first line of an attempt stands for as many steps as the next, but for no more than there are up to it, counted from the step that
-- was loaded, or from 0 if its number is the last of a gap. It began after a launch or a restore that the log tells above it.
WITH headed AS (
  SELECT *,
         iif(before IS NULL, (SELECT b.time FROM trainer_begun AS b WHERE b.file = s.file AND b.line < s.line AND b.time <= end_time
                              ORDER BY b.line DESC LIMIT 1), NULL) AS above,
         iif(before IS NULL, (SELECT nullif(max(0, s.step - b.loaded), 0) FROM trainer_begun AS b WHERE b.file = s.file AND b.line < s.line
                              ORDER BY b.line DESC LIMIT 1), NULL) AS since_loaded
  FROM trainer_spaced AS s
),
counted AS (
  SELECT *, min(gap, max(1, step + (step % gap = gap - 1)), coalesce(since_loaded, gap)) AS executions_first FROM headed
)
SELECT s.id, s.job, s.attempt, s.file, s.step, s.line, s.end_time, s.loss, s.tflops, s.begun, s.run, iif(told_seconds IS NULL, n, 1) AS n,
       aside,
       before IS NULL AS is_first, told_seconds IS NOT NULL AND coalesce(executions, executions_first, 1) = 1 AS is_told,
       coalesce(executions, executions_first, 1) AS executions,
       CASE WHEN told_seconds IS NOT NULL THEN max(end_time - told_seconds, coalesce(before, end_time - told_seconds))
            ELSE coalesce(before, max(coalesce(begun, end_time - took / times * coalesce(executions_first, 1)),
                                      coalesce(above, end_time - took / times * coalesce(executions_first, 1)),
                                      end_time - took / times * coalesce(executions_first, 1)), end_time) END AS start_time
FROM counted AS s LEFT JOIN trainer_mean AS m
  ON m.job = s.job AND m.attempt IS (SELECT a.attempt FROM trainer_mean AS a WHERE a.job = s.job AND a.attempt = s.attempt);
DROP TABLE trainer_mean;
DROP TABLE trainer_usual;
DROP TABLE trainer_spaced;
DROP TABLE trainer_begun;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'repeated_record', min(line), sum(n - 1),
       'values of a step that has one already, first ' || min(step) || ': they count as one, at the time of the last'
FROM trainer_steps WHERE n > 1 GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH first AS (
  SELECT job, attempt, file, min(line) AS line, min(step) AS step, lag(file) OVER w AS before, lag(max(step)) OVER w AS reached
  FROM trainer_steps GROUP BY job, attempt WINDOW w AS (PARTITION BY job ORDER BY attempt)
)
SELECT file, 'warning', 'repeated_steps', min(line), count(*),
       'steps whose number goes back within the file, first ' || min(step) || ': what was done since counts as lost'
FROM first WHERE file = before AND step <= reached GROUP BY file;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'end_before_start', min(line), count(*),
       'steps of which nothing tells a time, first ' || min(step)
         || ': not later than the one before, or the only one of an attempt: left out'
FROM trainer_steps WHERE end_time <= start_time GROUP BY file;

-- If steps last until the next one is told, a pause, or a restart that nothing tells, is part of one.
DROP TABLE IF EXISTS temp.trainer_long;
CREATE TEMP TABLE trainer_long(id INTEGER PRIMARY KEY);
INSERT INTO trainer_long
WITH each AS (SELECT id, job, 1.0 * (end_time - start_time - aside) / executions AS seconds, end_time - start_time - aside AS own
              FROM trainer_steps WHERE NOT is_first AND executions > 0),
usual AS (SELECT job, mpg_median(seconds) AS seconds FROM each GROUP BY job)
SELECT id FROM each JOIN usual AS u USING (job) WHERE each.seconds > 3 * u.seconds AND own > 60 + u.seconds;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'long_steps', min(line), count(*),
       'steps that took three times as long as most and a minute more, first ' || min(step)
         || ': a pause, an evaluation or a restart in them counts as progress'
FROM trainer_long JOIN trainer_steps USING (id) GROUP BY file;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(iif(tflops IS NULL, line, NULL)), count(*) - count(tflops),
       'steps without TFLOP/s, though others have them: these are unrated'
FROM trainer_steps WHERE :flops IS NULL GROUP BY file, job HAVING count(tflops) BETWEEN 1 AND count(*) - 1;

DROP TABLE IF EXISTS temp.trainer_chip;
CREATE TEMP TABLE trainer_chip AS
SELECT coalesce(max(devices), 1) AS devices, max(peak_flops) AS peak_flops
FROM training_chips WHERE chip = chip_name(:chip);
DROP TABLE IF EXISTS temp.trainer_jobs;
CREATE TEMP TABLE trainer_jobs(job TEXT, attempt, chips, PRIMARY KEY(job, attempt));
-- An attempt has as many as it says, the last time: some are elastic. One that says nothing has as many as others of the job.
CREATE INDEX temp.trainer_worlds_of ON trainer_worlds(file, line);
INSERT INTO trainer_jobs
WITH reach AS MATERIALIZED (SELECT job, attempt, file, max(line) AS last FROM trainer_steps GROUP BY job, attempt),
most AS MATERIALIZED (SELECT job, max(chips) AS chips
                      FROM (SELECT DISTINCT job, file FROM reach) JOIN (SELECT file, max(chips) AS chips FROM trainer_worlds GROUP BY file)
                        USING (file) GROUP BY job)
SELECT job, attempt, coalesce(own, chips) / iif(devices > 1, devices * 1.0, 1)
FROM (SELECT r.job, r.attempt, m.chips, (SELECT w.chips FROM trainer_worlds AS w
                                         WHERE w.file = r.file AND w.line > r.before AND w.line <= r.last AND w.chips > 0
                                         ORDER BY w.line DESC LIMIT 1) AS own
      FROM (SELECT *, lag(last, 1, 0) OVER (PARTITION BY file ORDER BY attempt) AS before FROM reach) AS r LEFT JOIN most AS m USING (job))
CROSS JOIN trainer_chip;
DROP TABLE IF EXISTS temp.training_told;
CREATE TEMP TABLE training_told AS SELECT job, chips FROM trainer_jobs;
UPDATE trainer_jobs SET chips = coalesce(:chips, chips, iif(:flops IS NULL, NULL, 1));
DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
SELECT s.job, s.attempt, s.step, s.start_time, s.end_time, s.end_time - s.start_time AS seconds, s.executions, s.loss,
       s.tflops * c.devices AS tflops_per_chip, s.tflops * c.devices * 1e12 / c.peak_flops AS mfu,
       coalesce(s.tflops * c.devices * 1e12 * coalesce(j.chips, 1) * (s.end_time - s.start_time), :flops * s.executions) AS flops
FROM trainer_steps AS s JOIN trainer_jobs AS j USING (job, attempt) CROSS JOIN trainer_chip AS c WHERE s.end_time > s.start_time
UNION ALL
SELECT coalesce(:job, file), 1, step, NULL, NULL, NULL, coalesce(step - lag(step) OVER (PARTITION BY file ORDER BY step), step), loss, NULL,
       NULL, NULL FROM trainer_untimed;
