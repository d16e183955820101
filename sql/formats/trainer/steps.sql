-- trainer/steps.sql - attempts, and from when to when each step went.
--
-- Reads trainer_points, which it puts in order, trainer_breaks, trainer_counted, trainer_extents, trainer_marks, trainer_evals and
-- training_chips. Makes trainer_ranges, trainer_steps, trainer_firsts, trainer_spells, trainer_within, trainer_long, trainer_jobs,
-- trainer_chip, trainer_in_order, training_steps and the view trainer_lasting, of the steps that have a length.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- ---- 2. Attempts and steps ----

-- A new attempt begins with a file, where numbers go back, and after a launch or a restore that the log tells.
DROP TABLE IF EXISTS temp.trainer_begun;
CREATE TEMP TABLE trainer_begun(file, line, time, loaded, PRIMARY KEY(file, line)) WITHOUT ROWID;
INSERT OR IGNORE INTO trainer_begun SELECT file, line, time, iif(kind = 'restore' AND typeof(step) <> 'text', step, NULL)
FROM trainer_marks WHERE rank IS NULL AND kind IN ('restore', 'init');
-- What follows goes by rowid, from a row to the next or over a range, and not by windows or groups over all points: histories have
-- millions of records. Points in the order of jobs, their logs and lines, numbered from 1; most are in it as they were read.
--@ if :job IS NOT NULL OR (SELECT n FROM trainer_counted) <> (SELECT count(*) FROM trainer_points) OR EXISTS (SELECT 1 FROM trainer_extents WHERE file <> (SELECT file FROM trainer_extents LIMIT 1))
DELETE FROM trainer_breaks;
INSERT INTO trainer_breaks SELECT * FROM trainer_broken;
--@ end
DROP TABLE trainer_counted;
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE new_stretch AND id > 1)
DROP TABLE IF EXISTS temp.trainer_stretches;
CREATE TEMP TABLE trainer_stretches AS
SELECT *, (SELECT min(time) FROM trainer_points WHERE rowid BETWEEN first AND last) AS least
FROM (SELECT *, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM trainer_points)) AS last
      FROM (SELECT id AS first, job, log, run, at, gap FROM trainer_breaks WHERE new_stretch));
--@ if EXISTS (SELECT 1 FROM (SELECT gap, row_number() OVER (ORDER BY first) AS nth, row_number() OVER (ORDER BY job, began, log, run, at) AS place, count(*) OVER (PARTITION BY job, log, run, at) AS n FROM (SELECT *, min(least) OVER (PARTITION BY log, run) AS began FROM trainer_stretches)) WHERE gap OR nth <> place OR n > 1)
DROP TABLE IF EXISTS temp.trainer_ordered;
CREATE TEMP TABLE trainer_ordered AS
SELECT p.* FROM trainer_points AS p
CROSS JOIN (SELECT log, run, min(least) AS first FROM trainer_stretches GROUP BY 1, 2) AS f
  ON f.log = coalesce(p.part, p.file) AND f.run IS p.run
ORDER BY p.job, f.first, f.log, p.run, p.at, p.line, p.rowid;
DELETE FROM trainer_points;
INSERT INTO trainer_points SELECT * FROM trainer_ordered ORDER BY rowid;
DROP TABLE trainer_ordered;
DELETE FROM trainer_breaks;
INSERT INTO trainer_breaks SELECT * FROM trainer_broken;
--@ end
DROP TABLE trainer_stretches;
--@ end
-- An attempt is a range of them, in which no step goes back; it may have several files.
DROP TABLE IF EXISTS temp.trainer_starts;
CREATE TEMP TABLE trainer_starts AS
SELECT id AS first, job, file, is_head FROM trainer_breaks WHERE (is_head OR new_file) AND NOT EXISTS (SELECT 1 FROM trainer_begun);
--@ if EXISTS (SELECT 1 FROM trainer_begun)
INSERT INTO trainer_starts
SELECT id, job, file, coalesce(is_head, 0)
FROM (SELECT o.rowid AS id, o.job, o.file, p.file AS before,
             p.job IS NOT o.job OR coalesce(p.part, p.file) IS NOT coalesce(o.part, o.file) OR p.run IS NOT o.run OR o.step < p.step
               OR o.resumed OR (SELECT max(m.line) FROM trainer_begun AS m WHERE m.file = o.file AND m.line <= o.line) > p.line AS is_head
      FROM trainer_points AS o LEFT JOIN trainer_points AS p ON p.rowid = o.rowid - 1)
WHERE (is_head OR file IS NOT before) AND EXISTS (SELECT 1 FROM trainer_begun);
--@ end
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE same_step)
-- Lines of one step are one: few histories have such.
DROP TABLE IF EXISTS temp.trainer_merged;
CREATE TEMP TABLE trainer_merged AS
SELECT r.first AS head, p.job, p.file, p.step, min(p.line) AS line, max(p.time) AS time, max(p.seconds) AS seconds, max(p.loss) AS loss,
       max(p.tflops) AS tflops, min(p.begun) AS begun, min(p.run) AS run, count(*) AS n
FROM (SELECT first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM trainer_points)) AS last
      FROM trainer_starts WHERE is_head) AS r
CROSS JOIN trainer_points AS p ON p.rowid BETWEEN r.first AND r.last
GROUP BY r.first, p.step ORDER BY r.first, p.step;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'repeated_record', min(line), sum(n - 1),
       'values of a step that has one already, first ' || min(step) || ': they count as one, at the time of the last'
FROM trainer_merged WHERE n > 1 GROUP BY file;
DELETE FROM trainer_points;
INSERT INTO trainer_points(file, line, job, time, step, seconds, loss, tflops, begun, run)
SELECT file, line, job, time, step, seconds, loss, tflops, begun, run FROM trainer_merged ORDER BY rowid;
DELETE FROM trainer_starts;
INSERT INTO trainer_starts
SELECT o.rowid, o.job, o.file, o.head IS NOT p.head FROM trainer_merged AS o LEFT JOIN trainer_merged AS p ON p.rowid = o.rowid - 1
WHERE o.head IS NOT p.head OR o.file IS NOT p.file;
DROP TABLE trainer_merged;
DELETE FROM trainer_breaks;
INSERT INTO trainer_breaks SELECT * FROM trainer_broken;
--@ end
-- Exports that overlap go back where the next one begins, and have records twice.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'line_out_of_order', line, records,
       'records whose time is before that of the one above: each counts at its own time'
FROM trainer_unordered WHERE file NOT IN (SELECT source FROM mpg_issues WHERE kind = 'repeated_record' AND source IS NOT NULL);
DROP TABLE trainer_unordered;
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE same_time)
-- Steps at one time, as by a clock of whole seconds, are one span that ends with the last of them.
DROP TABLE IF EXISTS temp.trainer_merged;
CREATE TEMP TABLE trainer_merged AS
SELECT r.first AS head, p.*, n.rowid IS NOT NULL AS is_one
FROM (SELECT first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM trainer_points)) AS last
      FROM trainer_starts WHERE is_head) AS r
CROSS JOIN trainer_points AS p ON p.rowid BETWEEN r.first AND r.last
LEFT JOIN trainer_points AS n
  ON n.rowid = p.rowid + 1 AND n.rowid <= r.last AND n.file = p.file AND n.time = p.time AND n.step > p.step AND n.seconds IS NULL
ORDER BY r.first, p.rowid;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'repeated_time', min(line), count(*),
       'steps at the time of the next one, as by a clock of whole seconds, first ' || min(step) || ': those of one time are one span'
FROM trainer_merged WHERE is_one GROUP BY file;
DELETE FROM trainer_points;
INSERT INTO trainer_points(file, line, job, time, step, seconds, loss, tflops, begun, run)
SELECT file, line, job, time, step, seconds, loss, tflops, begun, run FROM trainer_merged WHERE NOT is_one ORDER BY rowid;
DELETE FROM trainer_merged WHERE is_one;
DELETE FROM trainer_starts;
INSERT INTO trainer_starts
SELECT nth, job, file, head IS NOT lag(head) OVER (ORDER BY nth)
FROM (SELECT *, row_number() OVER w AS nth, head IS lag(head) OVER w AND file IS lag(file) OVER w AS inner
      FROM trainer_merged WINDOW w AS (ORDER BY rowid)) WHERE NOT inner;
DROP TABLE trainer_merged;
DELETE FROM trainer_breaks;
INSERT INTO trainer_breaks SELECT * FROM trainer_broken;
--@ end
DROP VIEW trainer_broken;
DROP TABLE IF EXISTS temp.trainer_ranges; -- a row a file of an attempt, whose points are those from `head` to `tail`
CREATE TEMP TABLE trainer_ranges(first INTEGER PRIMARY KEY, last, head, tail, job TEXT, attempt, file);
INSERT INTO trainer_ranges
SELECT first, coalesce(lead(first) OVER w - 1, n), max(iif(is_head, first, NULL)) OVER w,
       coalesce(min(iif(is_head, first, NULL)) OVER (ORDER BY first ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) - 1, n),
       job, sum(is_head) OVER (PARTITION BY job ORDER BY first), file
FROM trainer_starts CROSS JOIN (SELECT max(rowid) AS n FROM trainer_points) WINDOW w AS (ORDER BY first);
DROP TABLE trainer_starts;
-- Whether the steps are in the order of jobs, attempts and times: where none says how long it took, each begins where the one before ends.
DROP TABLE IF EXISTS temp.trainer_in_order;
CREATE TEMP TABLE trainer_in_order AS
SELECT 1
WHERE NOT EXISTS (SELECT 1 FROM trainer_breaks WHERE is_early AND NOT is_head) AND NOT EXISTS (SELECT 1 FROM trainer_extents WHERE timed)
  AND NOT EXISTS (SELECT 1 FROM (SELECT job, lag(job) OVER (ORDER BY first) AS before FROM trainer_ranges) WHERE job < before);
DROP TABLE trainer_breaks;
-- Saves, restores, evaluations and waits that lie within a step: each in the first step that ends at its end or later. Times are sums,
-- which are not exact: those 10 microseconds apart are one.
DROP TABLE IF EXISTS temp.trainer_within;
CREATE TEMP TABLE trainer_within(id INTEGER, start_time, end_time);
DROP TABLE IF EXISTS temp.trainer_asides;
CREATE TEMP TABLE trainer_asides AS
SELECT file, run, start_time, time FROM trainer_evals
UNION SELECT file, NULL, start_time, time FROM trainer_marks WHERE kind NOT IN ('saved', 'completed', 'failed') AND time > start_time;
--@ if EXISTS (SELECT 1 FROM trainer_asides)
CREATE INDEX temp.trainer_points_at ON trainer_points(file, run, time);
-- Ranks tell of one save each, and spans lie in each other: what several have counts once.
INSERT INTO trainer_within
SELECT id, max(start_time, coalesce(max(time) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), start_time)), time
FROM (SELECT *, (SELECT s.rowid FROM trainer_points AS s
                 WHERE s.file = a.file AND s.run IS a.run AND s.time >= a.time - 1e-5 ORDER BY s.time LIMIT 1) AS id
      FROM trainer_asides AS a)
WHERE id IS NOT NULL WINDOW w AS (PARTITION BY id ORDER BY start_time, time);
CREATE INDEX temp.trainer_within_of ON trainer_within(id);
--@ end
DROP TABLE trainer_asides;
DROP TABLE IF EXISTS temp.trainer_steps; -- `before`: when the step before it in its attempt was over; each has the rowid of its point
CREATE TEMP TABLE trainer_steps AS
SELECT s.time AS end_time, p.time AS before, s.step - p.step AS executions,
       coalesce(iif(s.seconds IS NULL, p.time, max(s.time - s.seconds, coalesce(p.time, s.time - s.seconds))), s.time) AS start_time,
       iif(EXISTS (SELECT 1 FROM trainer_within),
           (SELECT total(max(0, w.end_time - max(w.start_time, max(coalesce(p.time, s.time - s.seconds, s.time),
                                                                    coalesce(s.time - s.seconds, p.time, s.time)))))
            FROM trainer_within AS w WHERE w.id = s.rowid), 0.0) AS aside
FROM trainer_ranges AS r CROSS JOIN trainer_points AS s ON s.rowid BETWEEN r.first AND r.last
LEFT JOIN trainer_points AS p ON p.rowid = s.rowid - 1 AND s.rowid > r.head;
-- The mean of steps without what else lies in them, but for those that may hold a pause: of the attempt, else of the job.
DROP TABLE IF EXISTS temp.trainer_usual;
CREATE TEMP TABLE trainer_usual(job TEXT PRIMARY KEY, seconds);
INSERT INTO trainer_usual
SELECT job, (SELECT mpg_median(1.0 * (end_time - before - aside) / executions) FROM trainer_steps WHERE rowid BETWEEN first AND last)
FROM (SELECT job, min(first) AS first, max(last) AS last FROM trainer_ranges GROUP BY job);
DROP TABLE IF EXISTS temp.trainer_mean;
CREATE TEMP TABLE trainer_mean(job TEXT, attempt, took, times, PRIMARY KEY(job, attempt));
INSERT INTO trainer_mean
SELECT r.job, r.attempt, total(s.end_time - s.before - s.aside), sum(s.executions)
FROM trainer_ranges AS r CROSS JOIN trainer_usual AS u ON u.job = r.job CROSS JOIN trainer_steps AS s ON s.rowid BETWEEN r.head AND r.tail
WHERE r.first = r.head AND s.before IS NOT NULL
  AND NOT (s.end_time - s.before - s.aside > 60 + u.seconds
           AND 1.0 * (s.end_time - s.before - s.aside) / s.executions > 3 * u.seconds)
GROUP BY r.first;
INSERT INTO trainer_mean SELECT job, NULL, sum(took), sum(times) FROM trainer_mean GROUP BY job;
DROP TABLE IF EXISTS temp.trainer_firsts;
CREATE TEMP TABLE trainer_firsts AS
-- The first line of an attempt stands for as many steps as the next, but for no more than there are up to it, counted from the step that
-- was loaded, or from 0 if its number is the last of a gap. It began after a launch or a restore that the log tells above it.
WITH headed AS (
  SELECT s.rowid AS id, s.*, r.attempt, n.step - s.step AS gap,
         (SELECT b.time FROM trainer_begun AS b WHERE b.file = s.file AND b.line < s.line AND b.time <= s.time
          ORDER BY b.line DESC LIMIT 1) AS above,
         (SELECT nullif(max(0, s.step - b.loaded), 0) FROM trainer_begun AS b WHERE b.file = s.file AND b.line < s.line
          ORDER BY b.line DESC LIMIT 1) AS since_loaded
  FROM trainer_ranges AS r CROSS JOIN trainer_points AS s ON s.rowid = r.first
  LEFT JOIN trainer_points AS n ON n.rowid = s.rowid + 1 AND n.rowid <= r.tail WHERE r.first = r.head
),
counted AS (
  SELECT *, coalesce(min(gap, max(1, step + (step % gap = gap - 1)), coalesce(since_loaded, gap)), 1) AS executions FROM headed
)
SELECT s.id, s.job, s.attempt, s.step, s.executions, s.time AS end_time,
       CASE WHEN seconds IS NOT NULL THEN s.time - seconds
            ELSE coalesce(max(coalesce(begun, s.time - took / times * executions), coalesce(above, s.time - took / times * executions),
                              s.time - took / times * executions), s.time) END AS start_time
FROM counted AS s LEFT JOIN trainer_mean AS m
  ON m.job = s.job AND m.attempt IS (SELECT a.attempt FROM trainer_mean AS a WHERE a.job = s.job AND a.attempt = s.attempt);
UPDATE trainer_steps SET executions = f.executions, start_time = f.start_time
FROM trainer_firsts AS f WHERE f.id = trainer_steps.rowid;
DROP TABLE trainer_mean;
DROP TABLE trainer_begun;
DROP TABLE IF EXISTS temp.trainer_spells; -- what each range has
CREATE TEMP TABLE trainer_spells AS
SELECT r.job, r.attempt, r.file, r.first, r.last, a.run, a.step AS first_step, z.step AS last_step, min(p.line) AS line,
       max(p.line) AS last_line, min(s.start_time) AS start_time, max(s.end_time) AS end_time, min(p.begun) AS begun,
       count(p.tflops) AS rated
FROM trainer_ranges AS r CROSS JOIN trainer_points AS a ON a.rowid = r.first CROSS JOIN trainer_points AS z ON z.rowid = r.last
CROSS JOIN trainer_points AS p ON p.rowid BETWEEN r.first AND r.last CROSS JOIN trainer_steps AS s ON s.rowid = p.rowid
GROUP BY r.first;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH first AS (
  SELECT job, attempt, file, min(line) AS line, min(first_step) AS step, lag(file) OVER w AS before, lag(max(last_step)) OVER w AS reached
  FROM trainer_spells GROUP BY job, attempt, file WINDOW w AS (PARTITION BY job ORDER BY attempt)
)
SELECT file, 'warning', 'repeated_steps', min(line), count(*),
       'steps whose number goes back within the file, first ' || min(step) || ': what was done since counts as lost'
FROM first WHERE file = before AND step <= reached GROUP BY file;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'end_before_start', min(line), count(*),
       'steps of which nothing tells a time, first ' || min(step)
         || ': not later than the one before, or the only one of an attempt: left out'
FROM trainer_steps AS s CROSS JOIN trainer_points AS p ON p.rowid = s.rowid WHERE s.end_time <= s.start_time GROUP BY file;

-- If steps last until the next one is told, a pause, or a restart that nothing tells, is part of one.
DROP TABLE IF EXISTS temp.trainer_long;
CREATE TEMP TABLE trainer_long(id INTEGER PRIMARY KEY);
INSERT INTO trainer_long
SELECT s.rowid
FROM (SELECT first, last, CASE WHEN (SELECT max(timed) > 0 FROM trainer_extents) -- else each begins where the one before ends
        THEN (SELECT mpg_median(1.0 * (end_time - start_time - aside) / executions) FROM trainer_steps
              WHERE rowid BETWEEN first AND last AND before IS NOT NULL AND executions > 0)
        ELSE (SELECT a.seconds FROM trainer_usual AS a WHERE a.job = r.job) END AS seconds
      FROM (SELECT job, min(first) AS first, max(last) AS last FROM trainer_ranges GROUP BY job) AS r LIMIT -1) AS u
CROSS JOIN trainer_steps AS s ON s.rowid BETWEEN u.first AND u.last
WHERE s.end_time - s.start_time - s.aside > 60 + u.seconds AND s.before IS NOT NULL AND s.executions > 0
  AND 1.0 * (s.end_time - s.start_time - s.aside) / s.executions > 3 * u.seconds;
DROP TABLE trainer_usual;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'long_steps', min(line), count(*),
       'steps that took three times as long as most and a minute more, first ' || min(step)
         || ': a pause, an evaluation or a restart in them counts as progress'
FROM trainer_long AS l CROSS JOIN trainer_points AS p ON p.rowid = l.id GROUP BY file;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field',
       min(iif(EXISTS (SELECT 1 FROM trainer_spells WHERE rated > 0),
               (SELECT min(p.line) FROM trainer_points AS p WHERE p.rowid BETWEEN s.first AND s.last AND p.tflops IS NULL), NULL)),
       sum(last - first + 1) - sum(rated), 'steps without TFLOP/s, though others have them: these are unrated'
FROM trainer_spells AS s WHERE :flops IS NULL GROUP BY file, job HAVING sum(rated) BETWEEN 1 AND sum(last - first + 1) - 1;

DROP TABLE IF EXISTS temp.trainer_chip;
CREATE TEMP TABLE trainer_chip AS
SELECT coalesce(max(devices), 1) AS devices, max(peak_flops) AS peak_flops, :flops AS flops
FROM training_chips WHERE chip = chip_name(:chip);
DROP TABLE IF EXISTS temp.trainer_jobs;
CREATE TEMP TABLE trainer_jobs(job TEXT, attempt, chips, PRIMARY KEY(job, attempt));
-- An attempt has as many as it says, the last time: some are elastic. One that says nothing has as many as others of the job.
CREATE INDEX temp.trainer_worlds_of ON trainer_worlds(file, line);
INSERT INTO trainer_jobs
WITH reach AS MATERIALIZED (SELECT job, attempt, file, max(last_line) AS last FROM trainer_spells GROUP BY job, attempt),
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
DROP VIEW IF EXISTS temp.trainer_lasting; -- the steps that spans and training_steps have
CREATE TEMP VIEW trainer_lasting AS
SELECT r.job, r.attempt, p.step, s.start_time, s.end_time, s.executions, p.loss, p.tflops * c.devices AS tflops_per_chip,
       CASE WHEN p.tflops IS NULL THEN c.flops * s.executions
            ELSE p.tflops * c.devices * 1e12 * coalesce(j.chips, 1) * (s.end_time - s.start_time) END AS flops
FROM trainer_ranges AS r CROSS JOIN trainer_jobs AS j ON j.job = r.job AND j.attempt = r.attempt CROSS JOIN trainer_chip AS c
CROSS JOIN trainer_steps AS s ON s.rowid BETWEEN r.first AND r.last CROSS JOIN trainer_points AS p ON p.rowid = s.rowid
WHERE s.end_time > s.start_time;
DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
SELECT job, attempt, step, start_time, end_time, end_time - start_time AS seconds, executions, loss, tflops_per_chip,
       tflops_per_chip * 1e12 / peak_flops AS mfu, s.flops
FROM trainer_lasting AS s CROSS JOIN trainer_chip WHERE :only_relations IS NULL
UNION ALL
SELECT coalesce(:job, file), 1, step, NULL, NULL, NULL, executions, loss, NULL, NULL, NULL FROM trainer_untimed;

-- A process that goes back in its steps has not begun anew: what it then does follows what it did before.
--@ if EXISTS (SELECT 1 FROM trainer_spells WHERE attempt > 1 AND begun IS NOT NULL)
UPDATE trainer_spells SET begun = max(begun, r.reached)
FROM (SELECT rowid AS id, max(end_time) OVER (PARTITION BY job, file ORDER BY attempt GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
        AS reached
      FROM trainer_spells) AS r WHERE r.id = trainer_spells.rowid AND r.reached IS NOT NULL;
--@ end
