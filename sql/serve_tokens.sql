-- serve_tokens.sql - what inference servers computed between two scrapes, by the counters of vLLM, SGLang, TGI, TensorRT-LLM, JetStream,
-- LMDeploy, llama.cpp, NIM, MindIE and Triton.
--
-- In the sqlite3 shell, after .param set :prometheus fixtures/serving/vllm.prom:
--
--     .read sql/serve_tokens.sql
--     SELECT replica, sum(prefill_tokens) FROM serve_tokens GROUP BY replica;
--
-- A prompt that a prefix cache holds, or that another replica computed and sent, is received and not computed: it costs nothing here.
-- docs/serving.md has the rules.
--
--@ reads formats/dcgm
--@ argument path :path FILES samples of Prometheus: answers of its HTTP API, or text with timestamps or the time in the file's name
--@ table trace_serve_tokens serve_tokens a row for each replica, model and interval between two samples in which it computed something
--@ column server TEXT - vllm, sglang, tgi, trtllm, jetstream, lmdeploy, llamacpp, nim (or MindIE, whose names are the same), triton
--@ column replica TEXT - the pod, else the instance; with its namespace and cluster, where several have one of that name
--@ column model TEXT -
--@ column start_time REAL s Unix time of the sample before
--@ column end_time REAL s Unix time of the sample
--@ column prefill_tokens REAL - of prompts, computed here; NULL: the server does not tell
--@ column decode_tokens REAL - generated here
--@ column cached_tokens REAL - of prompts, held by a prefix cache
--@ column received_tokens REAL - of prompts, computed by another replica and sent
--@ column executions REAL - of Triton: inferences that were computed

-- What a counter adds to which column. The lowest rank counts where all ranks tell the same: those of one part of SGLang's data
-- parallelism.
DROP TABLE IF EXISTS temp.serve_counters;
CREATE TEMP TABLE serve_counters(metric, label, value, server, part, factor, PRIMARY KEY (metric, label, value, part));
INSERT INTO serve_counters VALUES
  ('vllm:prompt_tokens_by_source_total', 'source', 'local_compute', 'vllm', 'prefill', 1),
  ('vllm:prompt_tokens_by_source_total', 'source', 'local_cache_hit', 'vllm', 'cached', 1),
  ('vllm:prompt_tokens_by_source_total', 'source', 'external_kv_transfer', 'vllm', 'received', 1),
  ('vllm:generation_tokens_total', NULL, NULL, 'vllm', 'decode', 1),
  ('vllm:prompt_tokens_total', NULL, NULL, 'vllm', 'all', 1), ('vllm:prefix_cache_hits_total', NULL, NULL, 'vllm', 'hits', 1),
  ('vllm:external_prefix_cache_hits_total', NULL, NULL, 'vllm', 'sent', 1),
  ('sglang:realtime_tokens_total', 'mode', 'prefill_compute', 'sglang', 'prefill', 1),
  ('sglang:realtime_tokens_total', 'mode', 'prefill_cache', 'sglang', 'cached', 1),
  ('sglang:realtime_tokens_total', 'mode', 'decode', 'sglang', 'decode', 1),
  ('sglang:prompt_tokens_total', NULL, NULL, 'sglang', 'all', 1), ('sglang:cached_tokens_total', NULL, NULL, 'sglang', 'hits', 1),
  ('sglang:generation_tokens_total', NULL, NULL, 'sglang', 'decode', 1),
  ('tgi_request_input_length_sum', NULL, NULL, 'tgi', 'all', 1), ('tgi_request_skipped_tokens_sum', NULL, NULL, 'tgi', 'hits', 1),
  ('tgi_request_generated_tokens_sum', NULL, NULL, 'tgi', 'decode', 1),
  ('trtllm_prompt_tokens_total', NULL, NULL, 'trtllm', 'all', 1), ('trtllm_generation_tokens_total', NULL, NULL, 'trtllm', 'decode', 1),
  ('jetstream_request_input_length_sum', NULL, NULL, 'jetstream', 'all', 1),
  ('jetstream_request_output_length_sum', NULL, NULL, 'jetstream', 'decode', 1),
  ('lmdeploy:prompt_tokens_total', NULL, NULL, 'lmdeploy', 'all', 1),
  ('lmdeploy:generation_tokens_total', NULL, NULL, 'lmdeploy', 'decode', 1),
  -- without what its cache holds
  ('llamacpp:prompt_tokens_total', NULL, NULL, 'llamacpp', 'prefill', 1),
  ('llamacpp:tokens_predicted_total', NULL, NULL, 'llamacpp', 'decode', 1),
  ('prompt_tokens_total', NULL, NULL, 'nim', 'all', 1), ('generation_tokens_total', NULL, NULL, 'nim', 'decode', 1), -- and MindIE
  -- of TensorRT-LLM's backend
  ('nv_llm_input_token_len_sum', NULL, NULL, 'triton', 'all', 1), ('nv_llm_output_token_len_sum', NULL, NULL, 'triton', 'decode', 1),
  ('nv_inference_count', NULL, NULL, 'triton', 'executions', 1);
-- Collectors write _ for the colon, and Ray ray_ in front, whose agents tell of all replicas of their node.
DROP TABLE IF EXISTS temp.serve_spellings;
CREATE TEMP TABLE serve_spellings(spelling PRIMARY KEY, metric);
INSERT INTO serve_spellings SELECT DISTINCT metric, metric FROM serve_counters;
-- until 0.11
INSERT INTO serve_spellings VALUES ('vllm:gpu_prefix_cache_hits_total', 'vllm:gpu_prefix_cache_hits_total'),
  ('vllm:gpu_prefix_cache_queries_total', 'vllm:gpu_prefix_cache_queries_total');
INSERT INTO serve_spellings SELECT replace(spelling, ':', '_'), metric FROM serve_spellings WHERE instr(spelling, ':');
INSERT INTO serve_spellings SELECT 'ray_' || spelling, metric FROM serve_spellings WHERE instr(metric, ':');
-- Text without times, in a file with Unix seconds or milliseconds in its name: that is when it was scraped.
DROP TABLE IF EXISTS temp.serve_files;
CREATE TEMP TABLE serve_files AS
WITH RECURSIVE file AS (SELECT path, ' ' || substr(path, 1 + length(rtrim(path, replace(path, '/', '')))) || ' ' AS name
                        FROM trace_files(mpg_required(:prometheus, ':prometheus'))),
place(path, name, at) AS (SELECT path, name, 1 FROM file UNION ALL SELECT path, name, at + 1 FROM place WHERE at < length(name))
SELECT path, CAST(substr(name,
                         1 + max(at) FILTER (WHERE substr(name, at, 12) GLOB '[^0-9]1' || replace('.........', '.', '[0-9]') || '[^0-9]'
                                             OR substr(name, at, 15) GLOB '[^0-9]1' || replace('............', '.', '[0-9]') || '[^0-9]'),
                         10) AS INTEGER) AS time
FROM place GROUP BY path;
DROP TABLE IF EXISTS temp.serve_samples;
CREATE TEMP TABLE serve_samples AS
WITH sample AS (
  SELECT s.metric, s.labels, s.pod, s.instance, s.namespace, s.time, s.value, s._file
  FROM serve_files AS f CROSS JOIN prometheus_trace(f.path) AS s
  WHERE f.time IS NULL AND s.metric IN (SELECT spelling FROM serve_spellings) AND s.value IS NOT NULL
  UNION ALL
  SELECT s.metric, s.labels, s.pod, s.instance, s.namespace, s.time, s.value, s._file
  FROM serve_files AS f CROSS JOIN prometheus_trace(f.path, f.time) AS s
  WHERE f.time IS NOT NULL AND s.metric IN (SELECT spelling FROM serve_spellings) AND s.value IS NOT NULL
)
SELECT n.metric, s.labels,
       coalesce(iif(s.metric GLOB 'ray_*',
                    coalesce(json_extract(s.labels, '$.replica'), json_extract(s.labels, '$.ReplicaId'),
                             json_extract(s.labels, '$.WorkerId')), NULL),
           s.pod, iif(instr(s.labels, '"exported_instance"'), json_extract(s.labels, '$.exported_instance'), NULL), s.instance,
                '') AS replica,
       coalesce(json_extract(s.labels, '$.model_name'), json_extract(s.labels, '$.model')) AS model, s.time, s.value,
       10000 * coalesce(json_extract(s.labels, '$.pp_rank'), 0) + json_extract(s.labels, '$.tp_rank') AS rank,
       json_extract(s.labels, '$.dp_rank') AS dp_rank,
       coalesce(json_extract(s.labels, '$.cluster') || '/', '') || coalesce(s.namespace || '/', '') AS place, s._file
FROM sample AS s CROSS JOIN serve_spellings AS n ON n.spelling = s.metric;
-- vLLM 0.9's hits count under the name of today. Until 0.8 they are blocks and not tokens: then it asked its cache for fewer than came.
DELETE FROM serve_samples WHERE metric = 'vllm:gpu_prefix_cache_hits_total' AND (place, replica) NOT IN (
  SELECT place, replica FROM serve_samples WHERE metric IN ('vllm:gpu_prefix_cache_queries_total', 'vllm:prompt_tokens_total') GROUP BY 1, 2
  HAVING 2 * max(value) FILTER (WHERE metric GLOB '*queries*') >= max(value) FILTER (WHERE metric NOT GLOB '*queries*'));
UPDATE serve_samples SET metric = 'vllm:prefix_cache_hits_total' WHERE metric = 'vllm:gpu_prefix_cache_hits_total';
DELETE FROM serve_samples WHERE metric = 'vllm:gpu_prefix_cache_queries_total';
-- SGLang's counters of requests that ended count where none tells of what it computes meanwhile.
DELETE FROM serve_samples WHERE metric IN ('sglang:prompt_tokens_total', 'sglang:cached_tokens_total', 'sglang:generation_tokens_total')
  AND (place, replica) IN (SELECT place, replica FROM serve_samples WHERE metric = 'sglang:realtime_tokens_total');
-- A file, or a replica that has a server's metrics, of which no counter is known.
DROP TABLE IF EXISTS temp.serve_names;
CREATE TEMP TABLE serve_names AS
WITH sample AS (
  SELECT s._file, s.metric, s.labels, s.pod, s.instance FROM serve_files AS f CROSS JOIN prometheus_trace(f.path) AS s WHERE f.time IS NULL
  UNION ALL
  SELECT s._file, s.metric, s.labels, s.pod, s.instance FROM serve_files AS f CROSS JOIN prometheus_trace(f.path, f.time) AS s
  WHERE f.time IS NOT NULL
),
named AS (
  SELECT s._file AS file, s.metric,
         coalesce(iif(s.metric GLOB 'ray_*',
                      coalesce(json_extract(s.labels, '$.replica'), json_extract(s.labels, '$.ReplicaId'),
                               json_extract(s.labels, '$.WorkerId')), NULL),
             s.pod, iif(instr(s.labels, '"exported_instance"'), json_extract(s.labels, '$.exported_instance'), NULL), s.instance,
                  '') AS replica
  FROM sample AS s
)
SELECT file, replica, count(*) AS n, coalesce(min(metric), 'one without a name') AS metric,
       total(metric IN (SELECT spelling FROM serve_spellings)) AS known,
       count(*) FILTER (WHERE metric GLOB 'vllm[:_]*' OR metric GLOB 'sglang[:_]*' OR metric GLOB 'ray_vllm[:_]*'
                        OR metric GLOB 'ray_sglang[:_]*' OR metric GLOB 'tgi_*' OR metric GLOB 'nv_*' OR metric GLOB 'trtllm*'
                        OR metric GLOB 'jetstream_*' OR metric GLOB '*token*') AS of_server,
       min(metric) FILTER (WHERE metric GLOB '*token*') AS token_metric
FROM named GROUP BY 1, 2;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT path, 'warning', 'no_record', NULL, 1, 'no sample was found. Did a query fit no series, or do lines end in another way?'
FROM serve_files WHERE path NOT IN (SELECT file FROM serve_names);
DROP TABLE serve_files;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'unknown_metric', NULL, sum(n),
       'samples of metrics whose meaning is not known, such as ' || min(metric) || ', and no counter of tokens among them: left out'
FROM serve_names GROUP BY file HAVING total(known) = 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'unknown_metric', NULL, sum(of_server),
       'samples of replicas of which no counter of tokens is known, such as ' || coalesce(min(token_metric), min(metric)) || ' of '
         || min(replica) || ': left out'
FROM serve_names WHERE of_server > 0 AND replica NOT IN (SELECT replica FROM serve_samples)
  AND file IN (SELECT file FROM serve_names WHERE known > 0) GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :prometheus, 'warning', 'no_record', NULL, 1, 'no sample has a value'
WHERE NOT EXISTS (SELECT 1 FROM serve_samples) AND EXISTS (SELECT 1 FROM serve_names)
  AND NOT EXISTS (SELECT 1 FROM mpg_issues WHERE kind = 'unknown_metric' AND detail LIKE '%no counter of tokens%');
DROP TABLE serve_names;
-- What cannot be: a time that is more than ten years from the middle one.
DROP TABLE IF EXISTS temp.serve_far;
CREATE TEMP TABLE serve_far AS
WITH middle AS (SELECT mpg_median(CAST(time / 31556952 AS INTEGER)) AS year FROM serve_samples)
SELECT s.rowid AS row, _file, metric FROM serve_samples AS s, middle WHERE abs(time / 31556952 - year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', NULL, count(*),
       'samples of ' || min(metric) || ' whose time is more than ten years from the middle one: left out' FROM serve_far GROUP BY _file;
DELETE FROM serve_samples WHERE rowid IN (SELECT row FROM serve_far);
DROP TABLE serve_far;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_value', NULL, count(*), 'samples of ' || min(metric) || ' below 0 or without a bound: left out'
FROM serve_samples WHERE NOT value BETWEEN 0 AND 1e300 GROUP BY _file;
DELETE FROM serve_samples WHERE time IS NULL OR NOT value BETWEEN 0 AND 1e300;
-- Pods of one name in several namespaces or clusters are several replicas.
UPDATE serve_samples SET replica = place || replica
WHERE replica IN (SELECT replica FROM serve_samples WHERE place <> '' GROUP BY replica HAVING min(place) < max(place)) AND replica <> '';
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', NULL, count(*),
       'samples of ' || min(metric) || ' without a pod or an instance: they count as one replica'
FROM serve_samples WHERE replica = '' GROUP BY _file;
DELETE FROM serve_samples WHERE rowid IN (
  SELECT s.rowid FROM (SELECT replica, dp_rank, min(rank) AS lowest
                       FROM serve_samples WHERE rank IS NOT NULL GROUP BY replica, dp_rank) AS l
  CROSS JOIN serve_samples AS s ON s.replica = l.replica AND s.dp_rank IS l.dp_rank WHERE s.rank > l.lowest);
-- Two servers that watch one replica, or two scrapes of it, tell the same twice, under labels of the scrape: the series with most samples
-- counts, and the other before and after it.
ALTER TABLE serve_samples ADD COLUMN series;
ALTER TABLE serve_samples ADD COLUMN target;
UPDATE serve_samples SET series = labels,
  target = json_remove(labels, '$.prometheus', '$.prometheus_replica', '$.__replica__', '$.replica', '$.thanos_replica', '$.receive');
UPDATE serve_samples SET labels
  = json_remove(target, '$.job', '$.instance', '$.container', '$.node', '$.endpoint', '$.service');
-- Two targets of one pod, or of one instance such as localhost:8000, that tell different values are two servers: what one tells is then
-- less than what the other told before.
DROP TABLE IF EXISTS temp.serve_apart;
CREATE TEMP TABLE serve_apart AS
WITH several AS MATERIALIZED (SELECT metric, replica, labels FROM serve_samples GROUP BY 1, 2, 3 HAVING min(target) < max(target)),
told AS (
  SELECT metric, replica, labels, target, value, lag(value) OVER w AS before, lag(target) OVER w AS target_before,
         lag(value) OVER (PARTITION BY metric, replica, labels, series ORDER BY time) AS own_before
  FROM serve_samples JOIN several USING (metric, replica, labels) WINDOW w AS (PARTITION BY metric, replica, labels ORDER BY time, value)
)
SELECT metric, replica, labels FROM told GROUP BY 1, 2, 3
HAVING total(value < before AND target <> target_before) > 1 + 2 * total(value < own_before);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :prometheus, 'warning', 'conflict', NULL, count(*),
       'counters that two targets tell under one name, such as ' || min(metric)
         || ' of ' || coalesce(nullif(min(replica), ''), 'one without a name')
         || ', with values of two servers: each counts' FROM serve_apart GROUP BY NULL;
UPDATE serve_samples SET labels = target WHERE (metric, replica, labels) IN (SELECT * FROM serve_apart);
DROP TABLE serve_apart;
DROP TABLE IF EXISTS temp.serve_series;
CREATE TEMP TABLE serve_series AS
SELECT metric, replica, labels, series, count(*) AS n, min(time) AS first, max(time) AS last
FROM serve_samples GROUP BY metric, replica, labels, series;
CREATE INDEX temp.serve_series_of ON serve_series(metric, replica, labels);
DELETE FROM serve_samples WHERE rowid IN (
  SELECT s.rowid FROM serve_samples AS s
  CROSS JOIN serve_series AS own ON own.metric = s.metric AND own.replica = s.replica AND own.labels = s.labels AND own.series = s.series
  CROSS JOIN serve_series AS other ON other.metric = s.metric AND other.replica = s.replica AND other.labels = s.labels
  WHERE (other.n, other.series) > (own.n, own.series) AND s.time BETWEEN other.first AND other.last);
DROP TABLE serve_series;
-- A source of tokens that is not known.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT s._file, 'warning', 'unknown_metric', NULL, count(*),
       'samples of ' || s.metric || ' whose ' || c.label || ' is not known: left out: '
         || group_concat(DISTINCT json_extract(s.labels, '$.' || c.label))
FROM serve_samples AS s JOIN (SELECT DISTINCT metric, label FROM serve_counters WHERE label IS NOT NULL) AS c USING (metric)
WHERE NOT EXISTS (SELECT 1 FROM serve_counters AS k WHERE k.metric = s.metric AND k.value = json_extract(s.labels, '$.' || k.label))
GROUP BY s._file, s.metric;

-- The growth of each series. A counter that fell began anew: with the server, after a gap an interval before the sample at the earliest.
DROP TABLE IF EXISTS temp.serve_told;
CREATE TEMP TABLE serve_told AS
WITH once AS MATERIALIZED (SELECT metric, labels, replica, model, time, max(value) AS value
                           FROM serve_samples GROUP BY metric, labels, replica, model, time)
SELECT *, lag(time) OVER series AS since, lag(value) OVER series AS before, count(*) OVER (PARTITION BY metric, labels, replica) AS n,
       0 AS is_new FROM once WINDOW series AS (PARTITION BY metric, labels, replica ORDER BY time);
CREATE INDEX temp.serve_told_of ON serve_told(metric, replica, time);
DROP TABLE IF EXISTS temp.serve_spacing;
CREATE TEMP TABLE serve_spacing AS
SELECT replica, min(time - since) AS spacing, (SELECT min(time) FROM serve_told) AS begun
FROM (SELECT replica, time, since, row_number() OVER (PARTITION BY replica ORDER BY time - since) AS nth,
             count(*) OVER (PARTITION BY replica) AS n FROM serve_told WHERE since IS NOT NULL) WHERE nth >= (n + 1) / 2 GROUP BY replica;
-- A series whose metric its replica had before, in others: it goes on with one that ended, if labels alone changed, else it counts from 0.
DROP TABLE IF EXISTS temp.serve_new;
CREATE TEMP TABLE serve_new AS
SELECT t.rowid AS row, t.metric, t.replica, t.labels,
       (SELECT max(o.time) FROM serve_told AS o WHERE o.metric = t.metric AND o.replica = t.replica AND o.time < t.time) AS last
FROM serve_told AS t WHERE t.since IS NULL;
UPDATE serve_told SET is_new = 1, since = last, before = coalesce(ended, 0)
FROM (
  SELECT b.row, b.last, iif(count(*) OVER (PARTITION BY b.metric, b.replica, b.last) = 1
                            AND count(a.value) = 1, max(a.value), NULL) AS ended
  FROM serve_new AS b LEFT JOIN serve_told AS a ON a.metric = b.metric AND a.replica = b.replica AND a.time = b.last
    AND NOT EXISTS (SELECT 1 FROM serve_told AS o
                    WHERE o.metric = a.metric AND o.replica = a.replica AND o.labels = a.labels AND o.time > a.time)
  WHERE b.last IS NOT NULL GROUP BY b.row) AS n
WHERE n.row = serve_told.rowid;
DROP TABLE serve_new;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :prometheus, 'info', 'counter_reset', NULL, count(*),
       'counters that fell, or whose labels are new, such as ' || min(metric)
         || ' of ' || coalesce(nullif(min(replica), ''), 'one without a name')
         || ': they began anew. Or are these samples of two servers?'
FROM serve_told WHERE value < before OR is_new AND before = 0 AND value > 0 GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :prometheus, 'warning', 'missing_samples', NULL, count(*),
       'counters with one sample, or above 0 when they were first sampled, after others, such as ' || min(metric)
         || ' of ' || coalesce(nullif(min(replica), ''), 'one without a name')
         || ': nobody tells what they counted before'
FROM serve_told AS t LEFT JOIN serve_spacing AS u USING (replica)
WHERE since IS NULL AND (n = 1 OR value > 0 AND time - begun > 1.5 * spacing) GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :prometheus, 'warning', 'between_samples', NULL, count(*),
       'intervals of more than twice the usual ' || min(spacing) || ' s, such as of ' || min(metric)
         || ' of ' || coalesce(nullif(min(replica), ''), 'one without a name')
         || ': what was computed there counts over the whole'
FROM serve_told AS t JOIN serve_spacing AS u USING (replica) WHERE value > before AND time - since > 2 * spacing GROUP BY NULL;
DROP TABLE IF EXISTS temp.serve_growth;
CREATE TEMP TABLE serve_growth AS
SELECT c.server, c.part, t.replica, t.model,
       CASE WHEN (t.value < t.before OR is_new AND t.before = 0) AND t.time - t.since > 2 * u.spacing THEN t.time - u.spacing
            ELSE t.since END AS since, t.time,
       CASE WHEN t.value < t.before THEN t.value ELSE t.value - t.before END * c.factor AS grown
FROM serve_told AS t LEFT JOIN serve_spacing AS u USING (replica)
JOIN serve_counters AS c ON c.metric = t.metric AND (c.label IS NULL OR json_extract(t.labels, '$.' || c.label) = c.value)
WHERE t.since IS NOT NULL;
DROP TABLE serve_spacing;
-- Counters by source tell all: what came and what was there counts where they tell nothing.
DELETE FROM serve_growth WHERE part IN ('all', 'hits', 'sent') AND EXISTS (
  SELECT 1 FROM (SELECT server, replica, min(since) AS first, max(time) AS last
                 FROM serve_growth WHERE part = 'prefill' GROUP BY server, replica) AS b
  WHERE b.server = serve_growth.server AND b.replica = serve_growth.replica AND serve_growth.time > first AND serve_growth.since < last);
DROP TABLE IF EXISTS temp.serve_sums;
CREATE TEMP TABLE serve_sums AS
WITH summed AS (
  SELECT server, replica, model, since AS start_time, time AS end_time, sum(grown) FILTER (WHERE part = 'prefill') AS prefill,
         sum(grown) FILTER (WHERE part = 'decode') AS decode_tokens,
         sum(grown) FILTER (WHERE part = 'cached') AS cached, sum(grown) FILTER (WHERE part = 'received') AS received,
         sum(grown) FILTER (WHERE part = 'all') AS every, sum(grown) FILTER (WHERE part = 'hits') AS hits,
         sum(grown) FILTER (WHERE part = 'sent') AS sent, sum(grown) FILTER (WHERE part = 'executions') AS executions
  FROM serve_growth GROUP BY server, replica, model, since, time
)
SELECT *, total(coalesce(every, 0) - coalesce(hits, 0) - coalesce(sent, 0)) OVER (PARTITION BY server, replica, model
    ORDER BY end_time, start_time) AS so_far FROM summed;
-- Without counters by source: what came, less what was there. A hit may be told before its prompt: what is there too much counts against
-- the prompts that follow.
DROP TABLE IF EXISTS temp.serve_tokens;
CREATE TEMP TABLE serve_tokens AS
SELECT server, replica, model, start_time, end_time, prefill_tokens, decode_tokens, coalesce(cached, hits) AS cached_tokens,
       coalesce(received, sent) AS received_tokens, executions
FROM (SELECT *, coalesce(prefill,
                         iif(every IS NULL, NULL, max(0,
                                                      so_far - max(0, coalesce(max(so_far) OVER (PARTITION BY server, replica, model
                                                          ORDER BY end_time, start_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                                                                               0)))))
             AS prefill_tokens FROM serve_sums)
WHERE coalesce(prefill_tokens, 0) > 0 OR decode_tokens > 0 OR executions > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :prometheus, 'warning', 'impossible_value', NULL, count(*),
       'replicas whose caches held more tokens than came, such as ' || coalesce(nullif(min(replica), ''), 'one without a name')
         || ': what they computed of prompts is not known, and counts as told'
FROM (SELECT replica, max(so_far) AS most, total(coalesce(every, 0) - coalesce(hits, 0) - coalesce(sent, 0)) AS last, total(every) AS every
      FROM serve_sums GROUP BY server, replica, model
      HAVING count(every) > 0 AND count(prefill) = 0 AND last < min(0, most) - 0.1 * total(every)) GROUP BY NULL;
-- A replica whose prompts nobody divides may have received some that it did not compute.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :prometheus, 'warning', 'assumed_computed', NULL, count(DISTINCT g.server || ' ' || g.replica),
       'replicas of which a counter of all prompts alone is told, such as '
         || coalesce(nullif(min(g.replica), ''), 'one without a name') || ' of ' || min(g.server)
         || ': all count as computed, though a cache or another replica may have had them'
FROM serve_growth AS g LEFT JOIN (SELECT server, replica, min(since) AS first, max(time) AS last
                                  FROM serve_growth WHERE part IN ('hits', 'sent') GROUP BY server, replica) AS h
  ON h.server = g.server AND h.replica = g.replica AND g.time > first AND g.since < last
WHERE part = 'all' AND grown > 0 AND h.replica IS NULL GROUP BY NULL;
DROP TABLE serve_sums;
DROP TABLE serve_growth;
DROP TABLE serve_told;
DROP TABLE serve_samples;
DROP TABLE serve_counters;
DROP TABLE serve_spellings;
