-- programs.sql - programs of one name, such as jit_train_step, that differ between jobs, or run on chips whose peaks have other ratios:
-- each job has its own.
--
-- Runs after the sources are joined, if one told programs of files. A file is of the job that it was found to be of (match.sql), else of
-- that of which a folder has the name: those of logs and spans are known now.

CREATE TABLE program_told AS
SELECT coalesce(f.job, (SELECT iif(min(j.job) = max(j.job), min(j.job), NULL) FROM all_jobs AS j
                        WHERE j.source IN (SELECT source FROM source WHERE rank = 3) AND instr(f.path, '/' || j.job || '/'))) AS job, p.*
FROM all_program_files AS p JOIN file AS f ON f.path = p.file
WHERE program IN (SELECT program FROM all_program_files GROUP BY program
                  HAVING count(parts) > 0 OR count(DISTINCT coalesce(flops, -1)) > 1 OR count(DISTINCT coalesce(bytes, -1)) > 1
                    OR count(DISTINCT coalesce(dtype, '')) > 1);
INSERT INTO own_program
SELECT job, program, max(coalesce(flops, -1)), flops, bytes, dtype, count(DISTINCT coalesce(flops, parts, -1))
FROM program_told
WHERE job IS NOT NULL
  AND program IN (SELECT program FROM program_told GROUP BY program
                  HAVING count(DISTINCT job) + (count(job) < count(*)) > 1
                    AND count(DISTINCT coalesce(flops, parts, '') || ' ' || coalesce(bytes, '') || ' ' || coalesce(dtype, '')) > 1)
GROUP BY job, program;
DELETE FROM all_programs WHERE program IN (SELECT program FROM own_program) AND source IN (SELECT source FROM all_program_files);
INSERT INTO all_programs(source, program, flops, bytes, dtype)
SELECT source, program, flops, bytes, dtype FROM program_told WHERE job IS NULL AND program IN (SELECT program FROM own_program);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'conflicting_program', NULL, count(*),
       'programs of one name and job differ, the first ' || min(program) || ' of job ' || min(job) || ': the greater counts'
FROM own_program WHERE versions > 1 GROUP BY NULL;

-- The option chip makes FLOPs of several dtypes those of the main one: on another chip they take another time.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(p.file), 'warning', 'conflict', NULL, count(DISTINCT p.program),
       'programs of several dtypes whose FLOPs are right on ' || min(p.made_on) || ' alone, as the option chip says, the first '
         || min(p.program) || ': leave it out, as there are pools of ' || min(c.chip)
FROM (SELECT *, chip_name(made_on) AS name FROM all_program_files WHERE made_on IS NOT NULL) AS p
JOIN (SELECT DISTINCT chip_name(chip) AS chip FROM (SELECT chip FROM all_capacity UNION SELECT chip FROM no_capacity)) AS c
  ON c.chip <> p.name
GROUP BY p.source;

-- FLOPs of several dtypes are FLOPs of the main one that take as long on the chip of the job's pools, if it is one and has a peak for each.
CREATE TABLE peak_of AS
SELECT c.chip, c.dtype FROM (SELECT 1 FROM program_told WHERE parts IS NOT NULL LIMIT 1) CROSS JOIN mpg_chips AS c;
CREATE TABLE pool_chip AS
SELECT pool, iif(count(chip) = 1 AND count(*) = 1, min(chip), NULL) AS chip
FROM (SELECT DISTINCT pool, chip_name(chip) AS chip
      FROM (SELECT pool, chip FROM all_capacity UNION SELECT pool, chip FROM no_capacity) WHERE EXISTS (SELECT 1 FROM peak_of))
GROUP BY pool;
CREATE TABLE job_chip AS
SELECT job, min(chip) AS chip FROM (SELECT DISTINCT job, chip FROM pool_chip CROSS JOIN all_allocations USING (pool))
GROUP BY job HAVING count(DISTINCT chip) = 1 AND count(chip) = count(*);
CREATE TABLE program_on AS
SELECT t.rowid AS told, c.chip, sum(p.value / chip_peak_flops(c.chip, p.key)) * chip_peak_flops(c.chip, t.dtype) AS flops
FROM (SELECT DISTINCT chip FROM job_chip) AS c CROSS JOIN program_told AS t CROSS JOIN json_each(t.parts) AS p
WHERE t.parts IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM json_each(t.parts) AS q
  WHERE NOT EXISTS (SELECT 1 FROM peak_of AS k
                    WHERE k.chip = c.chip AND (q.key IN (k.dtype, k.dtype || '_matrix') OR k.dtype = 'fp64_tensor' AND q.key = 'fp64_matrix'
                      OR k.dtype IN ('bf16', 'fp16') AND q.key IN ('bf16', 'fp16'))))
GROUP BY t.rowid, c.chip;
INSERT OR REPLACE INTO own_program
SELECT j.job, t.program, max(o.flops), o.flops, t.bytes, t.dtype, 1
FROM job_chip AS j JOIN program_on AS o USING (chip) JOIN program_told AS t ON t.rowid = o.told
WHERE t.job IS j.job OR (t.job IS NULL OR t.program NOT IN (SELECT program FROM own_program))
  AND NOT EXISTS (SELECT 1 FROM program_told AS own WHERE own.program = t.program AND own.job = j.job)
GROUP BY j.job, t.program;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT t.file, 'warning', iif(c.chip IS NULL, 'no_chip', 'unknown_dtype'), NULL, count(*),
       'FLOPs of several dtypes, as those of program ' || min(t.program)
         || iif(c.chip IS NULL, ', which nothing rates without the option chip',
                ', and ' || c.chip || ' has no peak for one: what runs there is not rated')
FROM program_told AS t CROSS JOIN (SELECT DISTINCT chip FROM job_chip UNION ALL SELECT NULL WHERE NOT EXISTS (SELECT 1 FROM job_chip)) AS c
WHERE t.parts IS NOT NULL AND NOT EXISTS (SELECT 1 FROM program_on AS o WHERE o.told = t.rowid AND o.chip = c.chip) GROUP BY t.file, c.chip;
DROP TABLE program_told;
DROP TABLE peak_of;
DROP TABLE pool_chip;
DROP TABLE job_chip;
DROP TABLE program_on;
