-- tfevents/steps.sql - the steps, and what is wrong with some.
--
-- Reads tfevents_attempts, tfevents_told, tfevents_rate and tfevents_took. Makes tfevents_steps and training_steps.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

-- Rates are of devices: of the chips of the catalogue some are of two.
DROP TABLE IF EXISTS temp.tfevents_chip;
CREATE TEMP TABLE tfevents_chip AS
SELECT coalesce(max(c.devices), 1) AS devices, max(CASE WHEN c.dtype = 'bf16' THEN c.peak_flops END) AS peak_flops,
       coalesce(:chips, 1) AS chips, :flops AS flops_of_step
FROM mpg_chips AS c WHERE c.chip = chip_name(:chip);

-- What a step took, if the trainer says it beside the rate, is without what else lies between two values.
DROP VIEW IF EXISTS temp.tfevents_steps;
CREATE TEMP VIEW tfevents_steps AS
SELECT s.rowid AS place, a.job, a.attempt, s.step, coalesce(p.time, a.first_start) AS start_time, s.time AS end_time,
       s.time - coalesce(p.time, a.first_start) AS seconds,
       coalesce(s.step - p.step, a.first_executions) AS executions, s.value AS loss,
       r.value * d.devices AS tflops_per_chip, r.value * d.devices * 1e12 / d.peak_flops AS mfu,
       coalesce(r.value * d.devices * 1e12 * d.chips
                  * coalesce(t.value * coalesce(s.step - p.step, a.first_executions), s.time - coalesce(p.time, a.first_start)),
                d.flops_of_step * coalesce(s.step - p.step, a.first_executions)) AS flops
FROM tfevents_attempts AS a CROSS JOIN tfevents_chip AS d CROSS JOIN tfevents_told AS s ON s.rowid BETWEEN a.first AND a.last
LEFT JOIN tfevents_gaps AS g ON g.id = s.rowid
LEFT JOIN tfevents_told AS p ON p.rowid = coalesce(g.before, s.rowid - 1) AND p.rowid >= a.first
LEFT JOIN tfevents_rate AS r ON r.rowid = s.rowid LEFT JOIN tfevents_took AS t ON t.rowid = s.rowid
WHERE s.time > coalesce(p.time, a.first_start);
DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
SELECT job, attempt, step, start_time, end_time, seconds, executions, loss, tflops_per_chip, mfu, flops
FROM tfevents_steps WHERE :only_relations IS NULL;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
WITH untimed AS (
  SELECT a.file, t.step FROM tfevents_attempts AS a CROSS JOIN tfevents_told AS t ON t.rowid = a.first WHERE t.time <= a.first_start
  UNION ALL
  SELECT a.file, b.step FROM tfevents_breaks AS b JOIN tfevents_attempts AS a ON b.id > a.first AND b.id <= a.last WHERE b.seconds <= 0
)
SELECT file, 'data_loss', 'end_before_start', count(*),
       'values that tell no time of their step, first of step ' || min(step)
         || ': not later than the one before, or the only one of an attempt: left out'
FROM untimed GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT r.file, 'warning', 'skipped_steps', count(*), 'steps whose loss is no number: they count as progress'
FROM tfevents_told AS t CROSS JOIN tfevents_runs AS r ON r.part = t.part WHERE t.value IS NULL OR abs(t.value) = 9e999 GROUP BY r.file;
