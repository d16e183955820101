-- match/first_parts.sql - a log named like a heterogeneous job of Slurm, all parts of which have its name, is of the first part, whose
-- nodes run its script.
--
-- A part of match.sql: changes candidate. Of how many chips the log tells says whether it is of all parts (join/het_parts.sql).

--@ if EXISTS (SELECT 1 FROM candidate WHERE how = '') AND EXISTS (SELECT 1 FROM source WHERE format = 'slurm')
CREATE TABLE later_part AS
WITH part AS MATERIALIZED (
  SELECT a.job, a.alias, substr(a.alias, 1, instr(a.alias, '+')) AS base FROM all_aliases AS a JOIN source AS s USING (source)
  WHERE s.format = 'slurm' AND a.alias GLOB '[0-9]*+[0-9]*'
)
SELECT c.file, c.job
FROM part AS f JOIN part AS p ON p.base = f.base AND p.job <> f.job
JOIN candidate AS o ON o.job = f.job AND o.how = '' JOIN candidate AS c ON c.job = p.job AND c.file = o.file AND c.how = ''
WHERE f.alias = f.base || '0';
DELETE FROM candidate WHERE how = '' AND (file, job) IN (SELECT file, job FROM later_part);
UPDATE candidate SET how = iif(place > 0, 'by its folder''s name', 'by its file''s name')
WHERE how = '' AND file IN (SELECT file FROM later_part)
  AND file IN (SELECT file FROM candidate WHERE how = '' GROUP BY file HAVING count(DISTINCT job) = 1);
DROP TABLE later_part;
--@ end
