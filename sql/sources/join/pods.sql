-- join/pods.sql - logs into which pods of several jobs print, as `kubectl logs -l app=x --prefix` writes them. A part of join.sql and
-- alone.sql.
--
-- The text of a log names its first pod and the last of another name (match.sql). Pods of one job differ in numbers, in what Kubernetes
-- makes up at the end (five letters, before them perhaps the hash of a ReplicaSet), and in the role that an operator gives them. A line of
-- text may begin as stern's do: what ends in neither is no pod.

--@ if EXISTS (SELECT 1 FROM file WHERE said_task GLOB '[a-z]*_[a-z]*')
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH RECURSIVE said AS ( -- no name of a pod has "_" in it
  SELECT file, path, substr(said_task, 1, instr(said_task, '_') - 1) AS first, substr(said_task, instr(said_task, '_') + 1) AS last
  FROM file
  WHERE said_task GLOB '[a-z]*_[a-z]*' AND source IN (SELECT source FROM source WHERE rank = 3) AND job IS NULL
    AND (parameter = 'log' AND format <> 'goodput' OR parameter IN ('deepspeed', 'nemo')) -- a goodput log names its job
    AND file NOT IN (SELECT file FROM ambiguous UNION ALL SELECT file FROM by_time)
),
pod AS (SELECT file, first AS name FROM said UNION SELECT file, last FROM said),
part(file, name, nth, word, rest) AS (
  SELECT file, name, 0, '', name || '-' FROM pod
  UNION ALL SELECT file, name, nth + 1, substr(rest, 1, instr(rest, '-') - 1), substr(rest, instr(rest, '-') + 1) FROM part WHERE rest <> ''
),
made_up AS (
  SELECT *, length(word) = 5 AND rest = '' AND word NOT GLOB '*[^bcdfghjklmnpqrstvwxz2456789]*' AS is_last,
         length(word) BETWEEN 8 AND 10 AND length(rest) = 6 AND word NOT GLOB '*[^a-f0-9bcdfghjklmnpqrstvwxz]*' AND word GLOB '*[0-9]*' AS is_hash
  FROM part WHERE nth > 0
),
named AS (
  SELECT file, name, group_concat(iif(is_told, stem, NULL), '-') AS stem, max(is_pod) AS is_pod
  FROM (SELECT file, name, rtrim(word, '0123456789') AS stem, rest = '' AND (is_last OR word NOT GLOB '*[^0-9]*') AS is_pod,
               NOT is_last AND NOT is_hash
                 AND rtrim(rtrim(word, '0123456789'), 's') NOT IN (SELECT value FROM json_each(
                   '["","worker","master","head","chief","leader","launcher","driver","executor","server","p","evaluator","node","replica","gpu"]')) AS is_told
        FROM made_up ORDER BY file, name, nth)
  GROUP BY file, name
)
SELECT s.path, 'warning', 'ambiguous_job', NULL, 1,
       'has lines of the pods ' || first || ' and ' || last || ', of several jobs by their names: they count as one log. Write one for each job'
FROM said AS s JOIN named AS a ON a.file = s.file AND a.name = s.first JOIN named AS b ON b.file = s.file AND b.name = s.last
WHERE a.stem IS NOT b.stem AND a.is_pod AND b.is_pod;
--@ end
