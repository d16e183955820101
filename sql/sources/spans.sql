-- spans.sql - gives the SQL of the relation spans: those of all sources, with the jobs' names as they are after joining.
--
-- If programs of one name differ between jobs, a span has the work of its own job's program (programs.sql). If a log tells the work of one
-- chip, and not how many chips there are, a span has the work of all chips that its job held (join/assumed.sql). The attempt of a log's
-- span is the log's own count; of a job that a scheduler knows, the allocation decides instead.
--
-- Each source has a table spans_of_N with some of the columns of the relation. For each a SELECT is written; the columns of part, named and
-- rated are SQL texts, 'NULL' for a column that the source lacks.

WITH has AS ( -- the columns of each source
  SELECT s.source, c.name
  FROM source AS s, pragma_table_info('spans_of_' || s.source, 'temp') AS c
  WHERE json_extract(s.records, '$.spans') IS NOT NULL
),
-- moved: jobs have other names after joining, and job is the SQL of the new one. early: some spans begin before their attempt (across.sql).
part AS (
  SELECT source, EXISTS (SELECT 1 FROM renamed AS r WHERE r.source = h.source)
           OR EXISTS (SELECT 1 FROM by_time AS b WHERE b.source = h.source) AS moved,
         EXISTS (SELECT 1 FROM before_attempt AS e WHERE e.source = h.source) AS early,
         iif(EXISTS (SELECT 1 FROM by_time AS b WHERE b.source = h.source),
             'coalesce(r.job, (SELECT b.job FROM main.by_time AS b WHERE b.source = ' || source
             || ' AND b.was = s.job AND b.since <= s.start_time ORDER BY b.since DESC LIMIT 1))',
             'r.job') AS job,
         iif(max(name = 'attempt'), 's.attempt', 'NULL') AS attempt,
         iif(max(name = 'step'), 's.step', 'NULL') AS step, iif(max(name = 'program'), 's.program', 'NULL') AS program,
         iif(max(name = 'flops'), 's.flops', 'NULL') AS flops, iif(max(name = 'bytes'), 's.bytes', 'NULL') AS bytes,
         iif(max(name = 'dtype'), 's.dtype', 'NULL') AS dtype, iif(max(name = 'executions'), 's.executions', 'NULL') AS executions
  FROM has AS h GROUP BY source
),
-- named: the SQL of the job. owned: its programs may be the job's own. scaled: FLOPs are those of one chip.
named AS (
  SELECT *, iif(moved, 'coalesce(' || job || ', s.job)', 's.job') AS named, program <> 'NULL'
           AND EXISTS (SELECT 1 FROM own_program) AS owned,
         flops <> 'NULL' AND EXISTS (SELECT 1 FROM chips_then AS k WHERE k.source = part.source) AS scaled
  FROM part
),
rated AS (
  SELECT source, moved, early, job, attempt, step, program, bytes, dtype, executions, named, owned,
         flops || iif(scaled, ' * coalesce((SELECT k.chips FROM main.chips_then AS k WHERE k.source = ' || source || ' AND k.job = '
                      || named
                              || ' AND k.since <= s.start_time ORDER BY k.since DESC LIMIT 1), 1)', '') AS flops
  FROM named
),
one AS (
  SELECT 'SELECT ' || named || ' AS job, '
         || iif(early, 'coalesce(e.attempt, ', '') || iif(moved, 'iif(' || job || ' IS NULL, ' || attempt || ', NULL)', attempt)
           || iif(early, ')', '') || ' AS attempt, s.kind AS kind, '
         || 's.start_time AS start_time, s.end_time AS end_time, ' || step || ' AS step, ' || program || ' AS program, '
         || iif(owned, 'coalesce(' || flops || ', o.flops * coalesce(' || executions || ', 1))', flops) || ' AS flops, '
         || iif(owned, 'coalesce(' || bytes || ', o.bytes * coalesce(' || executions || ', 1))', bytes) || ' AS bytes, '
         || iif(owned, 'coalesce(' || dtype || ', o.dtype)', dtype) || ' AS dtype, ' || executions || ' AS executions, ' || source || ' AS _file FROM temp.spans_of_'
         || source || ' AS s'
         || iif(moved, ' LEFT JOIN main.renamed AS r ON r.source = ' || source || ' AND r.was = s.job', '')
         || iif(early, ' LEFT JOIN main.before_attempt AS e ON e.source = ' || source || ' AND e.row = s.rowid', '')
         || iif(owned, ' LEFT JOIN main.own_program AS o ON o.job = ' || named || ' AND o.program = s.program', '') AS sql
  FROM rated
  UNION ALL
  SELECT 'SELECT job, NULL, ''restore'', next_time, next_time, step, NULL, NULL, NULL, NULL, NULL, next_source FROM main.stage WHERE step IS NOT NULL'
  WHERE EXISTS (SELECT 1 FROM stage)
),
-- SQL that says of each run which follows a completed one of its job (stage) the step that it restores: the last of that one.
last_steps AS (
  SELECT coalesce('UPDATE main.stage SET step = t.last FROM (
  WITH run AS MATERIALIZED (' || group_concat('SELECT ' || source || ' AS source, job, attempt, min(step) AS first, max(step) AS last FROM temp.spans_of_' || source || ' WHERE kind = ''step'' GROUP BY job, attempt', ' UNION ALL ') || ')
  SELECT g.rowid AS row, max(a.last, b.first + 1) AS last FROM main.stage AS g JOIN run AS a ON a.source = g.source AND a.job = g.was AND a.attempt IS g.attempt
  JOIN run AS b ON b.source = g.next_source AND b.job = g.next_job AND b.attempt IS g.next_attempt
  WHERE b.first <= iif(g.source = g.next_source, a.first, a.last)) AS t WHERE t.row = stage.rowid;', '') AS sql
  FROM (SELECT source FROM has WHERE source IN (SELECT source FROM stage UNION SELECT next_source FROM stage)
          AND name IN ('attempt', 'step') GROUP BY source HAVING count(*) = 2)
)
SELECT (SELECT sql FROM last_steps) || CASE WHEN count(*) = 0 THEN ''
            WHEN count(*) < 400 THEN 'CREATE TEMP VIEW spans AS ' || group_concat(sql, ' UNION ALL ')
            ELSE 'CREATE TEMP TABLE spans(job, attempt, kind, start_time, end_time, step, program, flops, bytes, dtype, executions, _file);'
                 || group_concat('INSERT INTO temp.spans ' || sql, ';') END
FROM one;
