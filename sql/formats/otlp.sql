-- otlp.sql - from OpenTelemetry spans that follow the convention of docs/formats/otlp.md to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ input :otlp sure \A\s*\[?\s*\{\s*(?:"(?:trace|result)"\s*:\s*\{\s*)?"(?:resource_?(?:[Ss]pans|[Mm]etrics|[Ll]ogs|[Pp]rofiles)|batches)"\s*:
--@ input :otlp sure (?s)\A\s*\[?\s*\{\s*"(?:schema_?[uU]rl|resource|scope(?:_?[sS]pans)?|spans|instrumentation_?[lL]ibrary(?:_?[sS]pans)?)"\s*:.{0,60000}?"start_?[tT]ime_?[uU]nix_?[nN]ano"\s*:
--@ input :otlp sure (?s)\A\s*\[?\s*\{\s*(?="(?:(?:trace|(?:parent_?[sS]|s)pan)_?[iI]d|name|(?:start|end)_?[tT]ime_?[uU]nix_?[nN]ano|attributes|events|links|status|flags|trace_?[sS]tate)"\s*:).{0,60000}?"start_?[tT]ime_?[uU]nix_?[nN]ano"\s*:
--@ input :console sure (?s)\A\s*\{\s*"name"\s*:[^{}]{0,1000}"context"\s*:\s*\{\s*"trace_id"\s*:
--@ input :jaeger sure (?s)\A\s*\{(?:\s*"(?:total|limit|offset|errors)"\s*:\s*(?:\d+|null)\s*,)*\s*"data"\s*:\s*\[\s*\{\s*"traceID"\s*:
--@ input :zipkin sure (?s)\A\s*\[?\s*\{(?=.{0,4000}"traceId"\s*:)(?=.{0,4000}"localEndpoint"\s*:)
--@ input :clickhouse sure (?s)\A\s*\{(?:\s*"meta"\s*:\s*\[.{0,6000}?"data"\s*:\s*\[\s*\{)?(?=[^{}]*"(?:TraceId|SpanId)"\s*:)(?=.{0,8000}?"SpanName"\s*:)(?=.{0,16000}?"Duration"\s*:)
--
-- In the sqlite3 shell, beside what a scheduler's mapping made:
--
--     .load ./mpg
--     .param set :kube fixtures/kube/watch.json
--     .read sql/formats/kube.sql
--     .param set :otlp fixtures/otlp/spans.jsonl
--     .read sql/formats/otlp.sql
--     SELECT job, runtime_goodput(category, chip_us) FROM mpg_rollup GROUP BY job;
--
-- Parameters: :otlp is a path, glob or folder of what otlp_trace reads, or :console of what the console exporter of Python prints,
-- :jaeger, :zipkin or :clickhouse of what those stores give of their spans; :zone is that of ClickHouse's times ('UTC').
--
-- From a program that cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE otlp_spans AS SELECT * FROM otlp_trace('spans/');
--
-- Makes the TEMP tables spans and commits. Where there are none yet it also makes capacity, jobs and
-- allocations, and adds to them the jobs that they lack; "attempt" spans say what those held.

-- ---- 1. The input ----

DROP TABLE IF EXISTS temp.otlp_input;
CREATE TEMP TABLE otlp_input AS SELECT coalesce(:otlp, :console, :jaeger, :zipkin, :clickhouse, 'otlp_spans') AS path;
CREATE TEMP TABLE IF NOT EXISTS otlp_spans AS
SELECT trace_id, span_id, name, status, start_time, end_time, resource, scope_attributes, attributes
FROM otlp_trace(iif(coalesce(:console, :jaeger, :zipkin, :clickhouse) IS NULL, mpg_required(:otlp, ':otlp'), :otlp))
UNION ALL
SELECT json_extract(record, '$.context.trace_id'), json_extract(record, '$.context.span_id'), json_extract(record, '$.name'),
       nullif(lower(json_extract(record, '$.status.status_code')), 'unset'),
       strftime('%s', substr(json_extract(record, '$.start_time'), 1, 19)) + ('0' || substr(json_extract(record, '$.start_time'), 20)),
       strftime('%s', substr(json_extract(record, '$.end_time'), 1, 19)) + ('0' || substr(json_extract(record, '$.end_time'), 20)),
       json_extract(record, '$.resource.attributes'), NULL, coalesce(json_extract(record, '$.attributes'), '{}')
FROM jsonl_trace(:console) WHERE json_type(record, '$.context') = 'object';
.read sql/formats/otlp/stores.sql

-- What the scope says counts for its spans, as does what the resource says; the scope is the more exact.
UPDATE otlp_spans SET resource = json_patch(coalesce(resource, '{}'), scope_attributes) WHERE instr(scope_attributes, '"mpg.') > 0;

-- Exporters and collectors send a span again if nobody confirmed it. A span counts once; if it came before it had ended, it counts as it
-- ended. Two of one id that differ in name or start are two spans, for processes that were forked share a generator of ids.
DROP TABLE IF EXISTS temp.otlp_again;
CREATE TEMP TABLE otlp_again AS
SELECT id, name FROM (SELECT rowid AS id, name,
                             row_number() OVER (PARTITION BY trace_id, span_id, name, start_time ORDER BY end_time IS NULL, rowid) AS place
                      -- few are told twice
                      FROM temp.otlp_spans WHERE span_id
                          IN (SELECT span_id FROM temp.otlp_spans WHERE span_id IS NOT NULL GROUP BY span_id HAVING count(*) > 1))
WHERE place > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'info', 'repeated_record', count(*),
       'spans that were sent again, the first "' || min(name) || '": they count once' FROM otlp_again GROUP BY NULL;
DELETE FROM temp.otlp_spans WHERE rowid IN (SELECT id FROM otlp_again);
DROP TABLE otlp_again;

-- What cannot be: a time that is more than ten years from the middle one; its span counts as nothing.
DROP TABLE IF EXISTS temp.otlp_far;
CREATE TEMP TABLE otlp_far AS
WITH wide AS MATERIALIZED (
  SELECT 1 FROM (SELECT min(coalesce(start_time, end_time)) AS first, max(coalesce(end_time, start_time)) AS last,
                        max(start_time) AS last_start, min(end_time) AS first_end FROM otlp_spans)
  WHERE max(last, coalesce(last_start, last)) - min(first, coalesce(first_end, first)) > 284012568
),
middle AS (SELECT mpg_median(CAST(coalesce(start_time, end_time) / 31556952 AS INTEGER)) AS year FROM wide CROSS JOIN otlp_spans)
SELECT s.rowid AS row, name FROM middle CROSS JOIN otlp_spans AS s
WHERE year IS NOT NULL AND max(abs(coalesce(start_time / 31556952 - year, 0)), abs(coalesce(end_time / 31556952 - year, 0))) > 10;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'data_loss', 'impossible_time', count(*),
       'a time of span "' || min(name) || '" is more than ten years from the middle one: it is left out'
FROM otlp_far GROUP BY NULL;
DELETE FROM temp.otlp_spans WHERE rowid IN (SELECT row FROM otlp_far);
DROP TABLE otlp_far;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'data_loss', 'end_before_start', count(*),
       'span "' || min(name) || '" ended before it started: it lasts no time'
FROM otlp_spans WHERE end_time < start_time GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'warning', 'missing_field', count(*),
       'span "' || min(name) || '" lacks its start or end: it counts as far as it tells'
FROM otlp_spans WHERE start_time IS NULL OR end_time IS NULL GROUP BY NULL;

.read sql/formats/otlp/lens.sql

-- Of the ranks the lowest counts: the others say the same.
.read sql/formats/otlp/named.sql

DROP TABLE IF EXISTS temp.otlp_above;
CREATE TEMP TABLE otlp_above(id INTEGER PRIMARY KEY);
--@ if EXISTS (SELECT 1 FROM otlp_named WHERE number IS NOT (SELECT number FROM otlp_named LIMIT 1))
INSERT INTO otlp_above
WITH told AS MATERIALIZED (SELECT job AS of_job, count(attempt) = count(*) AS all_attempts
                           FROM otlp_named WHERE job IS NOT NULL AND is_known GROUP BY job),
lowest AS MATERIALIZED ( -- ranks of an attempt may be numbered as another's are not
  SELECT of_job, iif(all_attempts, attempt, NULL) AS of_attempt, all_attempts, min(number) AS lowest
  FROM otlp_named CROSS JOIN told ON of_job = job GROUP BY 1, 2
)
SELECT id FROM otlp_named CROSS JOIN lowest ON of_job = job AND of_attempt IS iif(all_attempts, attempt, NULL)
WHERE is_known AND number <> lowest;
--@ end
DROP TABLE IF EXISTS temp.otlp_told;
CREATE TEMP TABLE otlp_told AS
WITH batch AS MATERIALIZED ( -- of each the last start of those that did not fail
  SELECT job AS of_job, step AS of_step, max(iif(status IS 'error' OR step IS NULL, NULL, start_time)) AS last_start
  FROM otlp_named WHERE kind = 'batch' AND is_known AND job IS NOT NULL AND id NOT IN (SELECT id FROM otlp_above) GROUP BY 1, 2
)
SELECT job, attempt, kind, start_time, end_time, status, step, program, flops, bytes, dtype, executions, job_name, owner, phase, framework,
       runtime, model, priority, a,
       -- A batch that runs again is lost by itself.
       status IS 'error' AND (kind = 'serve'
                              OR (kind = 'batch' AND coalesce(start_time
                                                                > (SELECT last_start FROM batch WHERE of_job = job AND of_step IS step),
                                                              1))) AS failed
FROM otlp_named WHERE is_known AND job IS NOT NULL AND id NOT IN (SELECT id FROM otlp_above);
-- What the lowest rank does not tell, as it died first: if there is another.
DROP TABLE IF EXISTS temp.otlp_ranks;
CREATE TEMP TABLE otlp_ranks AS SELECT 1 WHERE EXISTS (SELECT 1 FROM otlp_above);
DROP TABLE IF EXISTS temp.otlp_latest;
CREATE TEMP TABLE otlp_latest(job PRIMARY KEY, latest) WITHOUT ROWID;
INSERT INTO otlp_latest SELECT job, max(coalesce(end_time, start_time))
FROM otlp_ranks CROSS JOIN otlp_told WHERE kind <> 'attempt' AND job IS NOT NULL GROUP BY job;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'warning', 'missing_steps', count(*),
       'steps that only ranks above the lowest tell, first ' || min(step) || ' of job ' || min(job)
         || ': left out. Did the lowest rank die first?'
FROM (SELECT DISTINCT n.job AS job, n.step AS step, coalesce(n.start_time > l.latest + 60, 0) AS is_late
      FROM otlp_ranks CROSS JOIN otlp_named AS n CROSS JOIN otlp_latest AS l ON l.job = n.job
      WHERE n.is_known AND n.kind = 'step' AND n.step IS NOT NULL
      EXCEPT SELECT job, step, 0 FROM otlp_ranks CROSS JOIN otlp_told WHERE kind = 'step')
GROUP BY NULL;
DROP TABLE otlp_latest;
DROP TABLE otlp_ranks;
DROP TABLE otlp_above;
DROP TABLE otlp_named;

-- A restore of a step above the one that follows is of another run, as a base model's. Steps are looked at where a restore names one.
DROP TABLE IF EXISTS temp.otlp_steps;
CREATE TEMP TABLE otlp_steps(job, start_time NUMERIC, step, PRIMARY KEY(job, start_time)) WITHOUT ROWID;
INSERT OR IGNORE INTO otlp_steps
SELECT t.job, t.start_time, t.step + 0
FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM otlp_told WHERE kind = 'restore' AND step IS NOT NULL)) CROSS JOIN otlp_told AS t
WHERE t.kind = 'step' AND t.step IS NOT NULL;
UPDATE otlp_told SET step = NULL
WHERE kind = 'restore' AND step + 0
  > (SELECT s.step FROM otlp_steps AS s WHERE s.job = otlp_told.job AND s.start_time >= otlp_told.start_time ORDER BY s.start_time LIMIT 1);
DROP TABLE otlp_steps;

-- What spans lack that others of their kind have: this is looked for only if some have it.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'warning', 'missing_field', count(*),
       'spans "' || kind || '" lack ' || field || ', the first of job ' || min(job) || ': they count as far as they tell'
FROM (SELECT job, kind, CASE WHEN kind = 'attempt'
                               THEN CASE WHEN chips IS NULL AND max(chips) OVER of_kind IS NOT NULL THEN 'mpg.chips'
                                         WHEN pool IS NULL AND max(pool) OVER of_kind IS NOT NULL THEN 'mpg.pool'
                                           WHEN chip IS NULL AND max(chip) OVER of_kind IS NOT NULL THEN 'mpg.chip' END
                             WHEN step IS NULL AND max(step) OVER of_kind IS NOT NULL THEN 'mpg.step'
                             WHEN coalesce(flops, program) IS NULL
                               AND max(coalesce(flops, program)) OVER of_kind IS NOT NULL THEN 'mpg.flops' END AS field
      FROM (SELECT job, kind, step, flops, program, json_extract(a, '$."mpg.chips"') AS chips, json_extract(a, '$."mpg.pool"') AS pool,
                   json_extract(a, '$."mpg.chip"') AS chip
            FROM (SELECT sum(kind IN ('step', 'commit') AND step IS NULL) AND count(step)
                           OR sum(kind = 'step' AND coalesce(flops, program) IS NULL) AND count(coalesce(flops, program)) AS lacking
                  FROM otlp_told)
                 CROSS JOIN otlp_told WHERE kind = 'attempt' OR lacking AND kind IN ('step', 'commit'))
      WINDOW of_kind AS (PARTITION BY job, kind))
WHERE field IS NOT NULL GROUP BY kind, field;

-- A step that ended in an error, and that no other of its number made good.
--@ if EXISTS (SELECT 1 FROM otlp_told WHERE status = 'error')
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'warning', 'skipped_steps', sum(n),
       'steps that ended in an error, and of whose number none ended well, the first of job ' || min(job) || ': they count as progress'
FROM (
  SELECT job, count(*) AS n FROM otlp_told
  WHERE kind = 'step' AND (job, step) IN (SELECT job, step FROM otlp_told WHERE kind = 'step' AND status = 'error')
  GROUP BY job, step HAVING min(coalesce(status, '') = 'error')
  UNION ALL SELECT job, 1 FROM otlp_told WHERE kind = 'step' AND status = 'error' AND step IS NULL
)
GROUP BY NULL;
--@ end

-- Attributes in other letters, or misspelt, are none of the convention; one may have no value.
DROP TABLE IF EXISTS temp.otlp_keys;
CREATE TEMP TABLE otlp_keys AS
SELECT key, sum(n) AS n, sum(iif(type = 'null', n, 0)) AS empty
FROM (SELECT a.key, a.type, 1 AS n FROM otlp_odd AS o CROSS JOIN otlp_spans AS s ON s.rowid = o.id CROSS JOIN json_each(s.attributes) AS a
      WHERE a.key LIKE 'mpg.%'
      UNION ALL SELECT a.key, a.type, r.n FROM otlp_resources AS r, json_each(r.resource) AS a WHERE a.key LIKE 'mpg.%')
GROUP BY key ORDER BY key;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'warning', 'missing_field', sum(empty),
       'attributes without a value, as if they were not there: ' || group_concat(key, ', ')
FROM otlp_keys WHERE empty > 0 GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'info', 'unknown_column', sum(n),
       'attributes that are not of the convention: not read: ' || group_concat(key, ', ')
FROM (SELECT key, n FROM otlp_keys
      WHERE key NOT IN ('mpg.job', 'mpg.attempt', 'mpg.step', 'mpg.flops', 'mpg.bytes', 'mpg.dtype', 'mpg.program', 'mpg.executions',
                        'mpg.rank', 'mpg.kind', 'mpg.phase', 'mpg.framework', 'mpg.runtime',
                        'mpg.model', 'mpg.name', 'mpg.owner', 'mpg.priority', 'mpg.durable', 'mpg.chips', 'mpg.chip', 'mpg.pool',
                        'mpg.outcome'))
GROUP BY NULL;
DROP TABLE otlp_keys;
DROP TABLE otlp_odd;
DROP TABLE otlp_resources;

-- Spans of which none is of the convention are no trace of a job.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'warning', 'no_known_span', count(*),
       'no span with mpg.job has a kind of the native trace; the first is "' || min(name) || '"'
FROM otlp_spans WHERE NOT EXISTS (SELECT 1 FROM otlp_told);

-- Other spans of a job that has some are common; the issue names them, as a kind may be misspelt.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'info', 'other_spans', count(*),
       'spans that are of no kind of the native trace, or of no job: left out; of them '
         || coalesce(group_concat(DISTINCT name), 'none with a name')
FROM otlp_spans AS s
WHERE EXISTS (SELECT 1 FROM otlp_told)
  AND (coalesce(json_extract(resource, '$."mpg.job"'), json_extract(attributes, '$."mpg.job"')) IS NULL
       OR (coalesce(name, '') NOT IN ('attempt', 'commit', 'init', 'prep', 'compile', 'restore', 'input', 'checkpoint', 'eval', 'hang',
                                      'step', 'rollout', 'serve', 'batch')
           AND coalesce(json_extract(attributes, '$."mpg.kind"'), json_extract(resource, '$."mpg.kind"')) IS NULL))
GROUP BY NULL;

-- ---- 2. What the program did ----

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
SELECT job, attempt, kind, start_time, end_time, step, program, flops, bytes, dtype, executions
FROM otlp_told
WHERE kind NOT IN ('attempt', 'commit') AND NOT failed;

-- A request or batch that failed is no progress, and neither is what it computed: it is a stall, for as long as no other one runs. The
-- time of that, for each job:
DROP TABLE IF EXISTS temp.otlp_gaps;
CREATE TEMP TABLE otlp_gaps(job, kind, start_time REAL, end_time REAL);
INSERT INTO otlp_gaps
WITH ran AS (
  SELECT job, kind, start_time, coalesce(end_time, 9e18) AS end_time FROM otlp_told WHERE kind IN ('serve', 'batch') AND NOT failed
  UNION ALL
  SELECT DISTINCT job, kind, 9e18, 9e18 FROM otlp_told WHERE kind IN ('serve', 'batch')
),
gaps AS (
  SELECT job, kind, coalesce(max(end_time) OVER (PARTITION BY job, kind
                                                 ORDER BY start_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                             -9e18) AS start_time,
         start_time AS end_time
  FROM ran
)
SELECT * FROM gaps WHERE start_time < end_time;
CREATE INDEX temp.otlp_gap ON otlp_gaps(job, kind, start_time);

INSERT INTO spans(job, attempt, kind, start_time, end_time)
SELECT t.job, t.attempt, iif(t.kind = 'serve', 'failed_request', 'failed_batch'), max(t.start_time, g.start_time),
       min(t.end_time, g.end_time)
FROM otlp_told AS t CROSS JOIN otlp_gaps AS g ON g.job = t.job AND g.kind = t.kind AND g.start_time < t.end_time
  AND g.start_time >= (SELECT b.start_time FROM otlp_gaps AS b
                       WHERE b.job = t.job AND b.kind = t.kind AND b.start_time <= t.start_time ORDER BY b.start_time DESC LIMIT 1)
WHERE t.failed AND g.end_time > t.start_time;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, start_time AS snapshot_time, iif(status IS 'error', NULL, end_time) AS durable_time
FROM otlp_told
WHERE kind = 'commit' OR (kind = 'checkpoint' AND lower(json_extract(a, '$."mpg.durable"')) IN ('1', 'true'));

-- ---- 3. What it held, if no scheduler says ----

CREATE TEMP TABLE IF NOT EXISTS capacity(pool, chip, chips, start_time, end_time);
CREATE TEMP TABLE IF NOT EXISTS jobs(job TEXT, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks,
                                     submit_time, labels);
CREATE TEMP TABLE IF NOT EXISTS allocations(job TEXT, attempt, task, pool, chips, start_time, end_time, outcome);

DROP TABLE IF EXISTS temp.otlp_held;
CREATE TEMP TABLE otlp_held AS
SELECT job, coalesce(attempt, row_number() OVER (PARTITION BY job ORDER BY start_time)) AS attempt,
       coalesce(json_extract(a, '$."mpg.pool"'), 'otlp') AS pool,
       json_extract(a, '$."mpg.chip"') AS chip, CAST(json_extract(a, '$."mpg.chips"') AS REAL) AS chips, start_time, end_time,
       coalesce(lower(json_extract(a, '$."mpg.outcome"')),
                CASE WHEN end_time IS NULL THEN NULL WHEN status = 'error' THEN 'failed' ELSE 'completed' END) AS outcome
FROM otlp_told
WHERE kind = 'attempt' AND CAST(json_extract(a, '$."mpg.chips"') AS REAL) > 0 AND job NOT IN (SELECT job FROM allocations);

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'warning', 'missing_field', count(*),
       'spans "attempt" whose mpg.chips is no number above 0, the first of job ' || min(job)
         || ': they hold nothing, unless a scheduler says'
FROM otlp_told WHERE kind = 'attempt' AND job NOT IN (SELECT job FROM allocations) AND job NOT IN (SELECT job FROM otlp_held) GROUP BY NULL;

INSERT INTO capacity
SELECT pool, min(chip), sum(chips), min(start_time), NULL
FROM (SELECT pool, chip, max(chips) AS chips, min(start_time) AS start_time FROM otlp_held WHERE chip IS NOT NULL GROUP BY pool, chip, job)
WHERE pool NOT IN (SELECT pool FROM capacity) AND pool NOT IN (SELECT pool FROM otlp_held GROUP BY pool HAVING min(job) < max(job))
GROUP BY pool
HAVING count(*) = 1;
-- Of a pool with several jobs: what they held, while they did.
INSERT INTO capacity
SELECT pool, coalesce(chip, (SELECT max(o.chip) FROM otlp_held AS o WHERE o.pool = h.pool)), chips, start_time, end_time
FROM otlp_held AS h WHERE pool NOT IN (SELECT pool FROM capacity) AND pool IN (SELECT pool FROM otlp_held WHERE chip IS NOT NULL);

INSERT INTO allocations
SELECT job, attempt, NULL, pool, chips, start_time, end_time, outcome FROM otlp_held;

-- What is known of jobs: the scheduler's word first.
DROP TABLE IF EXISTS temp.otlp_jobs;
CREATE TEMP TABLE otlp_jobs AS
SELECT job, max(job_name) AS name, max(owner) AS owner, max(phase) AS phase, max(framework) AS framework, max(runtime) AS runtime,
       max(model) AS model, max(priority) AS priority
FROM otlp_told
GROUP BY job;

UPDATE jobs
SET phase = coalesce(jobs.phase, o.phase), framework = coalesce(jobs.framework, o.framework), runtime = coalesce(jobs.runtime, o.runtime),
    model = coalesce(jobs.model, o.model)
FROM otlp_jobs AS o
WHERE o.job = jobs.job;

-- An attempt that was whole on fewer chips than another. A job without attempts is a scheduler's: what its spans say of it joins.
INSERT INTO jobs(job, name, owner, phase, framework, runtime, model, priority, chips, min_chips)
SELECT o.job, coalesce(o.name, o.job), owner, phase, framework, runtime, model, priority, max(h.chips), nullif(min(h.chips), max(h.chips))
FROM otlp_jobs AS o LEFT JOIN otlp_held AS h ON h.job = o.job
WHERE o.job NOT IN (SELECT job FROM jobs)
GROUP BY o.job;

-- ---- 4. Tables that are no longer needed ----

DROP TABLE otlp_jobs;
DROP TABLE otlp_gaps;
DROP TABLE otlp_held;
DROP TABLE otlp_told;
DROP TABLE otlp_spans;
DROP TABLE otlp_input;
