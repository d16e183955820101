-- flux.sql - from listings of Flux (flux jobs -a --json) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :flux sure (?s)\A\s*\{(?=.{0,60000}"t_submit"\s*:)(?=.{0,60000}"(?:urgency|nodelist|ntasks)"\s*:)
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :flux fixtures/flux/jobs.json
--     .read sql/formats/flux.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters: :flux is a path, glob or folder of listings; :chips is what a chip is, 'ngpus' (unless given) or 'ncores'; :chips_per_node
-- says what a node has, where jobs get whole nodes and listings have no ngpus.
--
-- Makes the TEMP tables jobs, allocations and observed. docs/formats/batch.md has the rules.

-- ---- 1. The input: {"jobs": [...]}, or the one job that was asked for. Of several listings the last that tells most ----

-- A file may have several listings, one after the other.
CREATE TEMP TABLE IF NOT EXISTS flux_listed AS
SELECT j.value AS j, r._file AS _file, r._line AS _line,
       r._file || iif(json_type(r.record, '$.jobs') IS NULL, '', '#' || r._line) AS listing
FROM jsonl_trace(mpg_required(:flux, ':flux')) AS r,
     json_each(coalesce(json_extract(r.record, '$.jobs'), json_array(json(iif(json_type(r.record, '$.job') = 'object',
                                                                            json_extract(r.record, '$.job'), r.record))))) AS j
WHERE j.type = 'object';
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT r._file, 'data_loss', 'unknown_record', min(r._line), count(*),
       'elements of "jobs" that are no objects, the first ' || coalesce(min(j.value), 'null') || ': left out'
FROM jsonl_trace(:flux) AS r, json_each(r.record, '$.jobs') AS j WHERE j.type <> 'object' GROUP BY r._file;
-- (What is not known is left out, or an empty text.)
DROP TABLE IF EXISTS temp.flux_jobs;
CREATE TEMP TABLE flux_jobs AS
SELECT CAST(coalesce(json_extract(j, '$.id.dec'), json_extract(j, '$.id')) AS TEXT) AS job, json_extract(j, '$.name') AS name,
       coalesce(json_extract(j, '$.project'), json_extract(j, '$.bank')) AS owner, json_extract(j, '$.username') AS user,
       json_extract(j, '$.queue') AS queue, json_extract(j, '$.bank') AS bank, nullif(json_extract(j, '$.nnodes'), '') AS nnodes,
       nullif(json_extract(j, '$.nodelist'), '') AS nodelist, nullif(json_extract(j, '$.expiration'), 0) AS expiration,
       nullif(json_extract(j, '$.priority'), '') AS priority,
       -- flux job list has the numbers of states and results
       CASE json_extract(j, '$.state') WHEN 1 THEN 'NEW' WHEN 2 THEN 'DEPEND' WHEN 4 THEN 'PRIORITY' WHEN 8 THEN 'SCHED' WHEN 16 THEN 'RUN'
         WHEN 32 THEN 'CLEANUP' WHEN 64 THEN 'INACTIVE' ELSE json_extract(j, '$.state') END AS state,
       CASE json_extract(j, '$.result') WHEN 1 THEN 'COMPLETED' WHEN 2 THEN 'FAILED' WHEN 4 THEN 'CANCELED' WHEN 8 THEN 'TIMEOUT'
         ELSE nullif(upper(json_extract(j, '$.result')), '') END AS result,
       coalesce(json_extract(j, '$.exception.type'), json_extract(j, '$.exception_type')) AS exception,
       nullif(json_extract(j, '$.t_submit'), 0) AS t_submit, nullif(json_extract(j, '$.t_run'), 0) AS t_run,
       nullif(json_extract(j, '$.t_cleanup'), 0) AS t_cleanup, nullif(json_extract(j, '$.t_inactive'), 0) AS t_inactive,
       -- when it was listed
       CASE WHEN json_extract(j, '$.state') IN ('RUN', 16)
              AND coalesce(json_extract(j, '$.t_cleanup'), json_extract(j, '$.t_inactive'), 0) = 0
              THEN json_extract(j, '$.t_run') + json_extract(j, '$.runtime') END AS asked,
       CASE WHEN :chips_per_node IS NOT NULL THEN :chips_per_node * nullif(json_extract(j, '$.nnodes'), '')
            WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots') THEN nullif(json_extract(j, '$.ncores'), '')
            ELSE nullif(coalesce(json_extract(j, '$.ngpus'), json_extract(j, '$.gpus')), '') END AS chips,
       nullif(json_extract(j, '$.ngpus'), '') IS NULL AND :chips IS NULL AND :chips_per_node IS NULL AS unknown, _file, _line, listing
FROM flux_listed;
DROP TABLE flux_listed;
-- An id that another instance of Flux gives too is another job's.
UPDATE flux_jobs SET job = job || '#' || nth
FROM (SELECT rowid AS row, dense_rank() OVER (PARTITION BY job ORDER BY CAST(t_submit AS INTEGER)) AS nth
      FROM flux_jobs WHERE job IN (SELECT job FROM flux_jobs GROUP BY job HAVING max(t_submit) >= min(t_submit) + 2)) AS n
WHERE n.row = flux_jobs.rowid AND nth > 1;

DROP TABLE IF EXISTS temp.flux_far;
CREATE TEMP TABLE flux_far AS
WITH middle AS (SELECT mpg_median(CAST(t_submit / 31556952 AS INTEGER)) AS year FROM flux_jobs)
SELECT f.rowid AS row, job, _file, _line FROM flux_jobs AS f, middle
WHERE max(abs(coalesce(t_submit / 31556952 - year, 0)), abs(coalesce(t_run / 31556952 - year, 0)),
          abs(coalesce(t_cleanup / 31556952 - year, 0)), abs(coalesce(t_inactive / 31556952 - year, 0))) > 11;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'a time of job ' || coalesce(job, '?') || ' is more than ten years from the middle one: it is left out' FROM flux_far GROUP BY _file;
DELETE FROM flux_jobs WHERE rowid IN (SELECT row FROM flux_far);
DROP TABLE flux_far;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'job ' || coalesce(job, '?') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT _file, _line, job,
             CASE WHEN job IS NULL THEN 'id' WHEN t_submit IS NULL THEN 't_submit' WHEN state IS NULL THEN 'state'
                  WHEN state IN ('RUN', 'CLEANUP') AND t_run IS NULL THEN 't_run'
                  WHEN state = 'INACTIVE' AND t_inactive IS NULL THEN 't_inactive' WHEN state = 'INACTIVE' AND result IS NULL THEN 'result'
                  WHEN result = 'COMPLETED' AND t_run IS NULL THEN 't_run'
                  WHEN unknown THEN 'ngpus (give the option chips_per_node)'
                  WHEN chips IS NULL THEN iif(:chips_per_node IS NULL, 'ncores', 'nnodes') END AS field FROM flux_jobs)
WHERE field IS NOT NULL GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', min(_line), count(*),
       'states or results of jobs that are not known: ' || group_concat(DISTINCT state || coalesce(' ' || result, '')) FROM flux_jobs
WHERE state NOT IN ('NEW', 'DEPEND', 'PRIORITY', 'SCHED', 'RUN', 'CLEANUP', 'INACTIVE')
  OR result NOT IN ('COMPLETED', 'FAILED', 'CANCELED', 'TIMEOUT') GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'partial_answer', min(_line), count(*),
       'a listing of 1000 jobs, which are the most that flux jobs lists: jobs that ended before them are not there. Export with -c 0'
FROM flux_jobs GROUP BY listing HAVING count(*) = 1000;
-- What runs or waits in a listing, and a later one of the same instance, which has others of its jobs, has no more is over: until it was
-- last seen.
DROP TABLE IF EXISTS temp.flux_made;
CREATE TEMP TABLE flux_made AS
SELECT listing, max(max(coalesce(t_submit, 0), coalesce(t_run, 0), coalesce(t_cleanup, 0), coalesce(t_inactive, 0),
                        coalesce(asked, 0))) AS made
FROM flux_jobs WHERE (SELECT min(listing) < max(listing) FROM flux_jobs) GROUP BY listing;
CREATE INDEX temp.flux_jobs_of ON flux_jobs(job, listing);
CREATE INDEX temp.flux_jobs_in ON flux_jobs(listing);
DROP TABLE IF EXISTS temp.flux_gone;
CREATE TEMP TABLE flux_gone AS
SELECT job, seen FROM (SELECT job, max(made) AS seen, listing
                       FROM flux_made JOIN flux_jobs USING (listing)
                       GROUP BY job HAVING max(t_inactive IS NOT NULL OR state = 'INACTIVE') = 0) AS j
WHERE EXISTS (SELECT 1 FROM flux_made AS m CROSS JOIN flux_jobs AS b ON b.listing = m.listing
              WHERE m.made > seen AND EXISTS (SELECT 1 FROM flux_jobs AS a WHERE a.job = b.job AND a.listing = j.listing));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'jobs that a later listing shows no more, the first ' || min(job) || ': they ended when they were last seen'
FROM flux_gone JOIN flux_jobs USING (job) GROUP BY _file;
UPDATE flux_jobs SET state = 'INACTIVE', t_inactive = g.seen FROM flux_gone AS g WHERE g.job = flux_jobs.job;
DROP TABLE flux_made;
DROP TABLE flux_gone;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'repeated_record', min(_line), count(*),
       'jobs that one listing has more than once, such as ' || min(job) || ': they count once'
FROM (SELECT _file, _line, job, row_number() OVER (PARTITION BY listing, job ORDER BY rowid) AS nth FROM flux_jobs)
WHERE nth > 1 GROUP BY _file;
DELETE FROM flux_jobs WHERE job IS NULL OR rowid NOT IN (
  SELECT row FROM (SELECT rowid AS row,
                          row_number() OVER (PARTITION BY job
                                             ORDER BY (t_inactive IS NOT NULL) + (t_cleanup IS NOT NULL) + (t_run IS NOT NULL) DESC,
                                               _file DESC, rowid DESC) AS nth FROM flux_jobs) WHERE nth = 1);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'start_before_submit', min(_line), count(*),
       'job ' || min(job) || ' ran before it was submitted: it counts as given'
FROM flux_jobs WHERE chips > 0 AND t_run < t_submit GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*), 'job ' || min(job) || ' ended before it ran: it holds nothing'
FROM flux_jobs WHERE coalesce(t_inactive, t_cleanup) < t_run OR t_cleanup < t_run GROUP BY _file;

CREATE INDEX temp.flux_jobs_on ON flux_jobs(nodelist, t_run);
-- What still runs in a listing an hour after its limit, or while a later job had chips of its nodes that are more, together, than jobs that
-- ended ever had at once on nodes of one list, has an end that no listing tells.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH edges AS (
  SELECT nodelist, t_run AS at, chips * 1.0 / nnodes AS d FROM flux_jobs WHERE chips > 0 AND t_inactive > t_run
  UNION ALL
  SELECT nodelist, t_inactive, -chips * 1.0 / nnodes FROM flux_jobs WHERE chips > 0 AND t_inactive > t_run
),
most AS MATERIALIZED (SELECT max(now) AS each
                      FROM (SELECT sum(sum(d)) OVER (PARTITION BY nodelist ORDER BY at) AS now FROM edges GROUP BY nodelist, at))
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'job ' || min(job) || ' runs though ' || min(why) || ': it is held until the last time of the listings. Is a later listing missing?'
FROM (SELECT f._file, f._line, f.job,
             CASE WHEN expiration + 3600 < (SELECT max(max(coalesce(t_submit, 0), coalesce(t_run, 0), coalesce(t_cleanup, 0),
                                                           coalesce(t_inactive, 0), coalesce(asked, 0))) FROM flux_jobs)
                    THEN 'its limit is over'
                  WHEN EXISTS (SELECT 1 FROM flux_jobs AS k CROSS JOIN most
                               WHERE k.nodelist = f.nodelist AND k.t_run > f.t_run AND k.t_inactive > k.t_run
                               AND (k.chips + f.chips) * 1.0 / f.nnodes > most.each + 1e-6)
                    THEN 'a later job had chips of its nodes' END AS why
      FROM flux_jobs AS f WHERE f.chips > 0 AND f.t_run IS NOT NULL AND f.t_inactive IS NULL AND f.state <> 'INACTIVE')
WHERE why IS NOT NULL GROUP BY _file;
-- A listing without run times does not tell when it was made.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'not_observed', min(_line), count(*),
       'running jobs, the first ' || min(job)
         || ', without a runtime, which says when they were listed: they are held until the last time of the listings. Give as_of'
FROM flux_jobs WHERE chips > 0 AND t_run IS NOT NULL AND t_inactive IS NULL AND state <> 'INACTIVE'
  AND _file NOT IN (SELECT _file FROM flux_jobs WHERE asked IS NOT NULL) GROUP BY _file;

-- ---- 2. The relations. A job has its nodes until it is inactive: what cleans up after it is part of it ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, name, owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model, CAST(priority AS TEXT) AS priority, chips,
       NULL AS min_chips, NULL AS tasks, t_submit AS submit_time,
       json_patch('{}', json_object('user', user, 'queue', queue, 'bank', bank, 'nodes', nnodes, 'nodelist', nodelist)) AS labels
FROM flux_jobs WHERE chips > 0;
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, 1 AS attempt, NULL AS task, 'flux' AS pool, iif(t_run IS NULL, 0, chips) AS chips,
       coalesce(t_run, t_inactive, t_cleanup) AS start_time,
       max(coalesce(t_inactive, CASE WHEN state = 'INACTIVE' THEN t_cleanup END), coalesce(t_run, t_inactive, t_cleanup)) AS end_time,
       CASE WHEN state <> 'INACTIVE' THEN NULL WHEN t_run IS NULL THEN 'cancelled' WHEN result = 'COMPLETED' THEN 'completed'
            WHEN result = 'TIMEOUT' THEN 'timeout' WHEN result = 'CANCELED' THEN 'cancelled'
            WHEN exception GLOB 'node*' THEN 'node_fail' WHEN result = 'FAILED' THEN 'failed' END AS outcome
FROM flux_jobs WHERE chips > 0 AND (t_run IS NOT NULL OR state = 'INACTIVE') AND coalesce(t_run, t_inactive, t_cleanup) IS NOT NULL;
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
SELECT 'flux' AS pool, (SELECT max(max(coalesce(t_submit, 0), coalesce(t_run, 0), coalesce(t_cleanup, 0), coalesce(t_inactive, 0),
                                       coalesce(asked, 0))) FROM flux_jobs) AS until_time FROM jobs LIMIT 1;
-- A list of hosts, "gpu[01-04,07],login1", as its elements, "gpu[01-04]", "gpu[07]", "login1", if there is a log to find the job of. Of
-- "rack[0-1]node[0-3]" the first numbers are written out, "rack0node[0-3]" and "rack1node[0-3]"; what stands behind a dot is a domain.
CREATE TEMP TABLE IF NOT EXISTS log_names(path TEXT);
DROP TABLE IF EXISTS temp.flux_elements;
CREATE TEMP TABLE flux_elements AS
WITH RECURSIVE part(list, element, whole, rest) AS ( -- up to a comma, or to what a bracket closes
  SELECT DISTINCT nodelist, '', 0, nodelist || ',' FROM (SELECT 1 FROM log_names LIMIT 1) CROSS JOIN flux_jobs
  WHERE chips > 0 AND nodelist <> '' AND nodelist NOT GLOB '*["\]*'
  UNION ALL
  SELECT list, iif(whole, '', element) || substr(rest, 1, instr(rest, ',') - 1), 1, substr(rest, instr(rest, ',') + 1)
  FROM part WHERE rest <> '' AND instr(rest, '[') NOT BETWEEN 1 AND instr(rest, ',')
  UNION ALL
  SELECT list, iif(whole, '', element) || substr(rest, 1, instr(rest, ']')), 0, substr(rest, instr(rest, ']') + 1)
  FROM part WHERE instr(rest, '[') BETWEEN 1 AND instr(rest, ',') AND instr(rest, ']') > instr(rest, '[')
)
SELECT list, element FROM part WHERE whole;
DROP TABLE IF EXISTS temp.flux_numbers;
CREATE TEMP TABLE flux_numbers(n INTEGER PRIMARY KEY);
INSERT INTO flux_numbers
WITH RECURSIVE n(n) AS (
  SELECT 0 FROM (SELECT 1 FROM flux_elements WHERE element GLOB '*[]][^.]*' LIMIT 1) UNION ALL SELECT n + 1 FROM n WHERE n < 9999
)
SELECT n FROM n;
DROP TABLE IF EXISTS temp.flux_hosts;
CREATE TEMP TABLE flux_hosts AS
WITH RECURSIVE spread(list, element) AS (
  SELECT list, element FROM flux_elements
  UNION
  SELECT list, substr(element, 1, instr(element, '[') - 1) || printf('%0*d', instr(r.value || '-', '-') - 1, r.value + n)
                 || substr(element, instr(element, ']') + 1)
  FROM spread
  CROSS JOIN json_each('["' || replace(substr(element, instr(element, '[') + 1, instr(element, ']') - instr(element, '[') - 1),
                                       ',', '","') || '"]') AS r
  CROSS JOIN flux_numbers
  WHERE element GLOB '*[]][^.]*' AND r.value GLOB '[0-9]*' AND n <= substr(r.value, instr(r.value, '-') + 1) - r.value
)
SELECT list, json_group_array(head || iif(value = '', '', '[' || value || ']')) AS hosts
FROM (SELECT list, substr(element, 1, instr(element || '[', '[') - 1) AS head,
             substr(element, instr(element || '[', '[') + 1, instr(element || ']', ']') - instr(element || '[', '[') - 1) AS numbers
      FROM spread WHERE element NOT GLOB '*[]][^.]*')
CROSS JOIN json_each('["' || replace(numbers, ',', '","') || '"]') GROUP BY list;
DROP TABLE flux_elements;
DROP TABLE flux_numbers;
CREATE TEMP VIEW held_on AS SELECT f.job, h.hosts, t_run AS start_time, t_inactive AS end_time
FROM flux_hosts AS h JOIN flux_jobs AS f ON f.nodelist = h.list WHERE f.chips > 0;
.read sql/formats/log/on_hosts.sql
DROP TABLE flux_hosts;
DROP TABLE flux_jobs;
