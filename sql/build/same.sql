-- build/same.sql - whether this reading tells what the tables have, and nothing else: then mpg_build leaves them as they are.
--
-- A part of build.sql. Reads what comes in and the tables of records.sql. Fills the TEMP table mpg_same, which has a row if nothing is to
-- be done. Only mpg_build asks it; a script of SQL alone goes on, and makes the same tables anew.

-- What the tables are made of, in short. The last build wrote it down, so settings, chips and rows that changed since are noticed.
-- as_made: everything that a build makes is there, and the ledger reads no chips but those of the file.
--@ part same
DROP VIEW IF EXISTS temp.mpg_made_of;
CREATE TEMP VIEW mpg_made_of AS
SELECT mpg_version() AS version, json_array(
  (SELECT count(*) FROM main.capacity), (SELECT count(*) FROM main.outages), (SELECT count(*) FROM main.jobs),
  (SELECT count(*) FROM main.allocations), (SELECT count(*) FROM main.spans), (SELECT count(*) FROM main.commits),
  (SELECT count(*) FROM main.programs), (SELECT count(*) FROM main.observed),
  (SELECT group_concat(name || ' = ' || quote(value))
   FROM (SELECT name, value FROM main.mpg_config WHERE name IN ('offset', 'as_of', 'sizes', 'basis', 'roofline', 'labels') ORDER BY name)),
  (SELECT group_concat(quote(chip) || ' ' || quote(dtype) || ' ' || quote(peak_flops) || ' ' || quote(hbm_bytes_per_s))
   FROM (SELECT chip, dtype, peak_flops, hbm_bytes_per_s FROM main.chips ORDER BY chip, dtype))) AS made_of,
  16 = (SELECT count(*) FROM main.sqlite_schema
              WHERE name IN ('ledger', 'waits', 'attempts', 'job_labels', 'runs', 'program_ledger', 'day_sums', 'pool_sums', 'job_sums',
                             'mpg_columns', 'cells', 'goodput_by_day', 'goodput_by_pool', 'goodput_by_job', 'ledger_by_job',
                             'attempts_by_start'))
  -- other chips that the ledger reads, and names of theirs
  AND NOT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE name = 'chips' COLLATE NOCASE)
  AND NOT EXISTS (SELECT 1 FROM pragma_table_info('chips', 'main') WHERE name = 'aliases' COLLATE NOCASE) AS as_made;

DROP TABLE IF EXISTS temp.mpg_same;
CREATE TEMP TABLE mpg_same AS
SELECT 1 AS same FROM main.mpg_built AS b
WHERE (b.version, b.made_of) = (SELECT m.version, m.made_of FROM temp.mpg_made_of AS m)
  AND (SELECT m.as_made FROM temp.mpg_made_of AS m)
  AND NOT EXISTS (SELECT 1 FROM temp.mpg_sources WHERE NOT files OR source IS NULL)
  AND ((SELECT count(*) FROM main.capacity), (SELECT count(*) FROM main.outages), (SELECT count(*) FROM main.jobs),
       (SELECT count(*) FROM main.allocations), (SELECT count(*) FROM main.programs), (SELECT count(*) FROM main.observed))
    = (SELECT count(*) FILTER (WHERE record = 'capacity'), count(*) FILTER (WHERE record = 'outages'),
              count(*) FILTER (WHERE record = 'jobs'), count(*) FILTER (WHERE record = 'allocations'),
              count(*) FILTER (WHERE record = 'programs'), count(*) FILTER (WHERE record = 'observed') FROM temp.mpg_others)
  AND NOT EXISTS (
    SELECT 1 FROM temp.mpg_others AS o
    WHERE NOT CASE o.record
      WHEN 'capacity' THEN EXISTS (SELECT 1 FROM main.capacity AS c
                                   WHERE c.id = o.id AND c.pool IS o.pool AND c.chip IS o.chip AND c.chips IS o.chips
                                     AND c.start_us IS o.start_us AND c.end_us IS o.end_us)
      WHEN 'outages' THEN EXISTS (SELECT 1 FROM main.outages AS d
                                  WHERE d.id = o.id AND d.pool IS o.pool AND d.chips IS o.chips AND d.kind IS o.kind
                                    AND d.start_us IS o.start_us AND d.end_us IS o.end_us)
      WHEN 'jobs' THEN EXISTS (SELECT 1 FROM main.jobs AS j
                               WHERE j.job = o.job AND j.id = o.id AND j.name IS o.name AND j.owner IS o.owner AND j.phase IS o.phase
                                 AND j.framework IS o.framework AND j.runtime IS o.runtime AND j.model IS o.model
                                 AND j.priority IS o.priority AND j.chips IS o.chips AND j.min_chips IS o.min_chips
                                 AND j.tasks IS o.tasks AND j.submit_us IS o.submit_us AND j.labels IS o.labels)
      WHEN 'allocations' THEN EXISTS (SELECT 1 FROM main.allocations AS a
                                      WHERE a.job = o.job AND a.start_us = o.start_us AND a.id = o.id AND a.attempt IS o.attempt
                                        AND a.task IS o.task AND a.pool IS o.pool AND a.chips IS o.chips AND a.end_us IS o.end_us
                                        AND a.outcome IS o.outcome)
      WHEN 'programs' THEN EXISTS (SELECT 1 FROM main.programs AS p
                                   WHERE p.program = o.program AND p.id = o.id AND p.flops IS o.flops AND p.bytes IS o.bytes
                                     AND p.dtype IS o.dtype)
      WHEN 'observed' THEN iif(o.job IS NOT NULL,
                               EXISTS (SELECT 1 FROM main.observed AS s
                                       WHERE s.job = o.job AND s.pool IS o.pool AND s.until_us IS o.until_us AND s.chip IS o.chip),
                               EXISTS (SELECT 1 FROM main.observed AS s
                                       WHERE s.pool = o.pool AND s.job IS NULL AND s.until_us IS o.until_us AND s.chip IS o.chip))
      WHEN 'chips' THEN EXISTS (SELECT 1 FROM main.chips AS c
                                WHERE c.chip = o.chip AND c.dtype IS o.dtype AND c.peak_flops IS o.peak_flops
                                  AND c.hbm_bytes IS o.hbm_bytes AND c.hbm_bytes_per_s IS o.hbm_bytes_per_s
                                  AND c.ici_bytes_per_s IS o.ici_bytes_per_s AND c.tdp_w IS o.tdp_w AND c.vendor IS o.vendor
                                  AND c.year IS o.year AND c.source IS o.source)
      END)
  AND (EXISTS (SELECT 1 FROM main.spans) OR NOT EXISTS (SELECT 1 FROM temp.mpg_spans)) -- mpg_incoming is empty if the tables have none
  AND (SELECT count(*) FROM main.spans) = (SELECT coalesce(sum(n), 0) FROM temp.mpg_incoming)
  AND NOT EXISTS (SELECT 1 FROM temp.mpg_incoming AS i
                  WHERE (i.n, i.low, i.high) IS NOT (SELECT count(*), sum(id & 4294967295), sum(id >> 32)
                                                     FROM main.spans AS s WHERE s.job = i.job))
  AND (SELECT count(*), sum(id & 4294967295), sum(id >> 32) FROM main.commits)
    IS (SELECT count(*), sum(id & 4294967295), sum(id >> 32) FROM temp.mpg_commits);

-- The issues of this reading take the place of those of the reading before; those of the ledger are as they were, and are listed again.
DELETE FROM main.issues WHERE source <> 'main' AND EXISTS (SELECT 1 FROM temp.mpg_same);
INSERT INTO main.issues(severity, kind, source, line, count, detail)
SELECT severity, kind, source, line, count, detail FROM mpg_issues
WHERE EXISTS (SELECT 1 FROM temp.mpg_same) AND source <> 'main' AND kind <> 'null_argument'
  AND listed > (SELECT min(s.listed) FROM temp.mpg_sources AS s);
INSERT INTO mpg_issues(severity, kind, source, line, count, detail)
SELECT severity, kind, source, line, count, detail FROM main.issues
WHERE source = 'main' AND EXISTS (SELECT 1 FROM temp.mpg_same)
  AND NOT EXISTS (SELECT 1 FROM mpg_issues AS k WHERE k.source = 'main');
