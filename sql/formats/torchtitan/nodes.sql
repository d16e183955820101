-- torchtitan/nodes.sql - logs of the nodes of one job, of which each has ranks of its own: the lowest tells the steps.
--
-- Reads and changes training_lines(file, time, step, validates, loss, rank). What two logs are of one job say the numbers, losses and times
-- of their steps, which are the same on all ranks.
-- A part of torchtitan.sql, which says what the parameters are.

DROP TABLE IF EXISTS temp.training_nodes;
CREATE TEMP TABLE training_nodes(of_file TEXT PRIMARY KEY, lowest, steps);
INSERT INTO training_nodes
SELECT file, min(rank), count(iif(validates, NULL, step)) FROM training_lines WHERE rank IS NOT NULL GROUP BY file;
--@ if (SELECT count(*) > 1 AND max(lowest) > 0 FROM training_nodes)
DROP TABLE IF EXISTS temp.training_told_steps;
CREATE TEMP TABLE training_told_steps AS
SELECT file, lowest, steps, step, loss, time
FROM training_nodes CROSS JOIN training_lines ON file = of_file WHERE step IS NOT NULL AND NOT validates AND time IS NOT NULL;
CREATE INDEX temp.training_told_steps_at ON training_told_steps(step, loss, time);
DROP TABLE IF EXISTS temp.training_of_node;
CREATE TEMP TABLE training_of_node AS
SELECT file, min(other) AS other, max(n) AS n
FROM (SELECT h.file AS file, l.file AS other, count(*) AS n
      FROM training_told_steps AS h CROSS JOIN training_told_steps AS l
        ON l.step = h.step AND l.loss = h.loss AND l.time BETWEEN h.time - 5 AND h.time + 5
      WHERE h.lowest > 0 AND l.lowest < h.lowest GROUP BY h.file, l.file HAVING count(*) > 1 AND count(*) >= 0.9 * h.steps)
GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_files', NULL, n, 'steps that a lower rank tells at those times, in ' || other || ': left out' FROM training_of_node;
DELETE FROM training_lines WHERE file IN (SELECT file FROM training_of_node);
DROP TABLE training_of_node;
DROP TABLE training_told_steps;
--@ end
DROP TABLE training_nodes;
