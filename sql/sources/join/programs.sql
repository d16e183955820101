-- join/programs.sql - programs that jobs have otherwise under one name, as jit_train_step: each job has its own. A part of join.sql.

INSERT INTO own_program
WITH told AS (SELECT f.job, p.* FROM all_program_files AS p JOIN file AS f ON f.path = p.file),
several AS (
  SELECT program FROM told GROUP BY program
  HAVING count(DISTINCT job) + (count(job) < count(*)) > 1
     AND (count(DISTINCT coalesce(flops, -1)) > 1 OR count(DISTINCT coalesce(bytes, -1)) > 1 OR count(DISTINCT coalesce(dtype, '')) > 1)
)
SELECT job, program, max(coalesce(flops, -1)), flops, bytes, dtype, count(DISTINCT coalesce(flops, -1)) FROM told WHERE job IS NOT NULL AND program IN (SELECT program FROM several) GROUP BY job, program;
DELETE FROM all_programs WHERE program IN (SELECT program FROM own_program) AND source IN (SELECT source FROM all_program_files);
INSERT INTO all_programs(source, program, flops, bytes, dtype)
SELECT p.source, p.program, p.flops, p.bytes, p.dtype FROM all_program_files AS p JOIN file AS f ON f.path = p.file
WHERE f.job IS NULL AND p.program IN (SELECT program FROM own_program);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'conflicting_program', NULL, count(*), 'programs of one name and job differ, the first ' || min(program) || ' of job ' || min(job) || ': the greater counts'
FROM own_program WHERE versions > 1 GROUP BY NULL;
