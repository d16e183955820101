-- otlp/named.sql - what the attributes of each span say.
--
-- Reads otlp_spans. Makes otlp_named(id, kind, ...), whose id is the span's rowid, and otlp_odd(id), of spans that may have attributes that
-- are not of the convention, or have no value, and otlp_resources, of which spans there are n each. A part of otlp.sql, which says what the
-- parameters are and runs the parts in order.

-- An attribute is that of the span, else of its resource. Resources are few. What the environment says (OTEL_RESOURCE_ATTRIBUTES) is text.
DROP TABLE IF EXISTS temp.otlp_resources;
CREATE TEMP TABLE otlp_resources(resource TEXT PRIMARY KEY, n, job TEXT, attempt, step, program, flops, bytes, dtype, executions, job_name,
                                 owner, phase, framework, runtime, model, priority, kind, number);
INSERT INTO otlp_resources
SELECT resource, n,
       json_extract(resource, '$."mpg.job"'), json_extract(resource, '$."mpg.attempt"'), json_extract(resource, '$."mpg.step"'),
       json_extract(resource, '$."mpg.program"'), json_extract(resource, '$."mpg.flops"'), json_extract(resource, '$."mpg.bytes"'),
       json_extract(resource, '$."mpg.dtype"'), json_extract(resource, '$."mpg.executions"'), json_extract(resource, '$."mpg.name"'),
       json_extract(resource, '$."mpg.owner"'), json_extract(resource, '$."mpg.phase"'), json_extract(resource, '$."mpg.framework"'),
       json_extract(resource, '$."mpg.runtime"'), json_extract(resource, '$."mpg.model"'), json_extract(resource, '$."mpg.priority"'),
       json_extract(resource, '$."mpg.kind"'), iif(rank GLOB '[0-9]*' AND rank NOT GLOB '*[^0-9]*', CAST(rank AS INTEGER), rank)
FROM (SELECT *, coalesce(json_extract(resource, '$."mpg.rank"'), 0) AS rank
      FROM (SELECT coalesce(resource, '{}') AS resource, count(*) AS n FROM otlp_spans GROUP BY 1));

-- Most spans have nothing of the convention but a step, its program and its FLOPs: each '"mpg.' in their text is of one of these.
DROP TABLE IF EXISTS temp.otlp_named;
CREATE TEMP TABLE otlp_named(id INTEGER PRIMARY KEY, kind, start_time, end_time, status, job TEXT,
                             attempt, step, program, flops, bytes, dtype, executions, job_name, owner, phase, framework, runtime, model,
                             priority, a, number, is_known);
INSERT INTO otlp_named
SELECT id, coalesce(r.kind, name), start_time, end_time, status, r.job, r.attempt, coalesce(s.step, r.step), coalesce(s.program, r.program),
       coalesce(s.flops, r.flops), r.bytes, r.dtype, r.executions, r.job_name, r.owner, r.phase, r.framework, r.runtime, r.model,
       r.priority, iif(coalesce(r.kind, name) IN ('attempt', 'checkpoint'), json_patch(s.resource, attributes), NULL), r.number,
       r.kind IS NOT NULL
         OR name IN ('attempt', 'commit', 'init', 'prep', 'compile', 'restore', 'input', 'checkpoint', 'eval', 'hang', 'step', 'rollout',
                     'serve', 'batch')
FROM (SELECT rowid AS id, name, status, start_time, max(start_time, end_time) AS end_time, coalesce(resource, '{}') AS resource, attributes,
             json_first(attributes, 'mpg.step') AS step, json_first(attributes, 'mpg.program') AS program,
             json_first(attributes, 'mpg.flops') AS flops,
             json_first(attributes, '["mpg.job", "mpg.attempt", "mpg.rank", "mpg.bytes", "mpg.dtype", "mpg.executions", "mpg.name",
                                      "mpg.owner", "mpg.phase", "mpg.framework", "mpg.runtime", "mpg.model", "mpg.priority",
                                      "mpg.kind"]') AS rare
      FROM otlp_spans WHERE start_time IS NOT NULL AND attributes GLOB '{*' AND attributes NOT GLOB '{*{*' LIMIT -1) AS s
CROSS JOIN otlp_resources AS r ON r.resource = s.resource
WHERE rare IS NULL AND (length(attributes) - length(replace(lower(attributes), '"mpg.', ''))) / 5
                       = (s.step IS NOT NULL) + (s.program IS NOT NULL) + (s.flops IS NOT NULL);

-- Others are merged with their resource once, and taken apart once.
DROP TABLE IF EXISTS temp.otlp_odd;
CREATE TEMP TABLE otlp_odd AS
SELECT s.rowid AS id FROM otlp_spans AS s LEFT JOIN otlp_named AS n ON n.id = s.rowid WHERE n.id IS NULL;
INSERT INTO otlp_named
SELECT id, kind, start_time, end_time, status, job, attempt, step, program, flops, bytes, dtype, executions, job_name, owner, phase,
       framework, runtime, model, priority, iif(kind IN ('attempt', 'checkpoint'), a, NULL),
       iif(rank GLOB '[0-9]*' AND rank NOT GLOB '*[^0-9]*', CAST(rank AS INTEGER), rank),
       by_kind OR kind IN ('attempt', 'commit', 'init', 'prep', 'compile', 'restore', 'input', 'checkpoint', 'eval', 'hang', 'step',
                           'rollout', 'serve', 'batch')
FROM (SELECT id, coalesce(json_extract(a, '$."mpg.kind"'), name) AS kind, json_extract(a, '$."mpg.kind"') IS NOT NULL AS by_kind,
             start_time, end_time, status, a, coalesce(json_extract(a, '$."mpg.rank"'), 0) AS rank,
             json_extract(a, '$."mpg.job"') AS job, json_extract(a, '$."mpg.attempt"') AS attempt,
             json_extract(a, '$."mpg.step"') AS step, json_extract(a, '$."mpg.program"') AS program,
             json_extract(a, '$."mpg.flops"') AS flops, json_extract(a, '$."mpg.bytes"') AS bytes,
             json_extract(a, '$."mpg.dtype"') AS dtype, json_extract(a, '$."mpg.executions"') AS executions,
             json_extract(a, '$."mpg.name"') AS job_name, json_extract(a, '$."mpg.owner"') AS owner,
             json_extract(a, '$."mpg.phase"') AS phase, json_extract(a, '$."mpg.framework"') AS framework,
             json_extract(a, '$."mpg.runtime"') AS runtime, json_extract(a, '$."mpg.model"') AS model,
             json_extract(a, '$."mpg.priority"') AS priority
      FROM (SELECT id, name, start_time, max(start_time, end_time) AS end_time, status,
                   json_patch(coalesce(resource, '{}'), attributes) AS a
            FROM otlp_odd CROSS JOIN otlp_spans AS s ON s.rowid = id WHERE start_time IS NOT NULL LIMIT -1) LIMIT -1);
