-- serve_tokens.sql - what inference servers computed between two scrapes, by the counters of vLLM, SGLang, TGI and Triton.
--
-- In the sqlite3 shell, after .param set :path fixtures/serving/vllm.prom:
--
--     .read sql/serve_tokens.sql
--     SELECT replica, sum(prefill_tokens) FROM serve_tokens GROUP BY replica;
--
-- A prompt that a prefix cache holds, or that another replica computed and sent, is received and not computed: it costs nothing here.
-- docs/serving.md has the rules.
--
--@ argument path :path PATH samples of Prometheus: answers of its HTTP API, or text with timestamps
--@ table trace_serve_tokens serve_tokens a row for each replica, model and interval between two samples in which it computed something
--@ column server TEXT - vllm, sglang, tgi, triton
--@ column replica TEXT - the pod, else the instance
--@ column model TEXT -
--@ column start_time REAL s Unix time of the sample before
--@ column end_time REAL s Unix time of the sample
--@ column prefill_tokens REAL - of prompts, computed here; NULL: the server does not tell
--@ column decode_tokens REAL - generated here
--@ column cached_tokens REAL - of prompts, held by a prefix cache
--@ column received_tokens REAL - of prompts, computed by another replica and sent
--@ column executions REAL - of Triton: inferences that were computed

-- What a counter adds to which column. The lowest rank counts where all ranks tell the same: those of one part of SGLang's data parallelism.
DROP TABLE IF EXISTS temp.serve_counters;
CREATE TEMP TABLE serve_counters(metric, label, value, server, part, factor, PRIMARY KEY (metric, label, value, part));
INSERT INTO serve_counters VALUES
  ('vllm:prompt_tokens_by_source_total', 'source', 'local_compute', 'vllm', 'prefill', 1), ('vllm:prompt_tokens_by_source_total', 'source', 'local_cache_hit', 'vllm', 'cached', 1),
  ('vllm:prompt_tokens_by_source_total', 'source', 'external_kv_transfer', 'vllm', 'received', 1), ('vllm:generation_tokens_total', NULL, NULL, 'vllm', 'decode', 1),
  ('vllm:prompt_tokens_total', NULL, NULL, 'vllm', 'all', 1), ('vllm:prefix_cache_hits_total', NULL, NULL, 'vllm', 'hits', 1), ('vllm:external_prefix_cache_hits_total', NULL, NULL, 'vllm', 'sent', 1),
  ('sglang:realtime_tokens_total', 'mode', 'prefill_compute', 'sglang', 'prefill', 1), ('sglang:realtime_tokens_total', 'mode', 'prefill_cache', 'sglang', 'cached', 1),
  ('sglang:realtime_tokens_total', 'mode', 'decode', 'sglang', 'decode', 1),
  ('tgi_request_input_length_sum', NULL, NULL, 'tgi', 'all', 1), ('tgi_request_skipped_tokens_sum', NULL, NULL, 'tgi', 'hits', 1), ('tgi_request_generated_tokens_sum', NULL, NULL, 'tgi', 'decode', 1),
  ('nv_inference_count', NULL, NULL, 'triton', 'executions', 1);
DROP TABLE IF EXISTS temp.serve_samples;
CREATE TEMP TABLE serve_samples AS
SELECT s.metric, s.labels, coalesce(s.pod, s.instance, '') AS replica, coalesce(json_extract(s.labels, '$.model_name'), json_extract(s.labels, '$.model')) AS model, s.time, s.value,
       CAST(json_extract(s.labels, '$.tp_rank') AS INTEGER) AS rank, json_extract(s.labels, '$.dp_rank') AS dp_rank, s._file
FROM prometheus_trace(mpg_required(:path, ':path')) AS s WHERE s.metric IN (SELECT metric FROM serve_counters) AND s.value IS NOT NULL;
-- A file of which no counter is known.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_metric', NULL, count(*), 'samples of metrics whose meaning is not known, such as ' || coalesce(min(metric), 'one without a name') || ', and no counter of tokens among them: left out'
FROM prometheus_trace(:path) GROUP BY _file HAVING total(metric IN (SELECT metric FROM serve_counters)) = 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :path, 'warning', 'no_record', NULL, 1, 'no sample was found. Do its lines end in another way?'
WHERE NOT EXISTS (SELECT 1 FROM serve_samples) AND NOT EXISTS (SELECT 1 FROM mpg_issues WHERE kind = 'unknown_metric' AND detail LIKE '%no counter of tokens%');
-- What cannot be: a time that is more than ten years from the middle one.
DROP TABLE IF EXISTS temp.serve_far;
CREATE TEMP TABLE serve_far AS
WITH years AS (SELECT CAST(time / 31556952 AS INTEGER) AS year, count(*) AS n FROM serve_samples WHERE time IS NOT NULL GROUP BY 1),
middle AS (SELECT min(year) AS year FROM (SELECT year, sum(n) OVER (ORDER BY year) AS so_far, sum(n) OVER () AS n FROM years) WHERE 2 * so_far >= n)
SELECT s.rowid AS row, _file, metric FROM serve_samples AS s, middle WHERE abs(time / 31556952 - year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', NULL, count(*), 'samples of ' || min(metric) || ' whose time is more than ten years from the middle one: left out' FROM serve_far GROUP BY _file;
DELETE FROM serve_samples WHERE rowid IN (SELECT row FROM serve_far);
DROP TABLE serve_far;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'no_time', NULL, count(*), 'samples of ' || min(metric) || ' without a time: left out' FROM serve_samples WHERE time IS NULL GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_value', NULL, count(*), 'samples of ' || min(metric) || ' below 0 or without a bound: left out' FROM serve_samples WHERE NOT value BETWEEN 0 AND 1e300 GROUP BY _file;
DELETE FROM serve_samples WHERE time IS NULL OR NOT value BETWEEN 0 AND 1e300;
DELETE FROM serve_samples WHERE rowid IN (
  SELECT s.rowid FROM (SELECT replica, dp_rank, min(rank) AS lowest FROM serve_samples WHERE rank IS NOT NULL GROUP BY replica, dp_rank) AS l
  CROSS JOIN serve_samples AS s ON s.replica = l.replica AND s.dp_rank IS l.dp_rank WHERE s.rank > l.lowest);
-- Two servers that watch one replica, or two scrapes of it, tell the same twice, under labels of the scrape: the series with most samples counts,
-- and the other before and after it.
ALTER TABLE serve_samples ADD COLUMN series;
UPDATE serve_samples SET series = labels;
UPDATE serve_samples SET labels = json_remove(labels, '$.job', '$.instance', '$.endpoint', '$.service', '$.prometheus', '$.prometheus_replica', '$.__replica__', '$.replica', '$.thanos_replica', '$.receive');
DROP TABLE IF EXISTS temp.serve_series;
CREATE TEMP TABLE serve_series AS
SELECT metric, replica, labels, series, count(*) AS n, min(time) AS first, max(time) AS last FROM serve_samples GROUP BY metric, replica, labels, series;
CREATE INDEX temp.serve_series_of ON serve_series(metric, replica, labels);
DELETE FROM serve_samples WHERE rowid IN (
  SELECT s.rowid FROM serve_samples AS s CROSS JOIN serve_series AS own ON own.metric = s.metric AND own.replica = s.replica AND own.labels = s.labels AND own.series = s.series
  CROSS JOIN serve_series AS other ON other.metric = s.metric AND other.replica = s.replica AND other.labels = s.labels
  WHERE (other.n, other.series) > (own.n, own.series) AND s.time BETWEEN other.first AND other.last);
DROP TABLE serve_series;
-- A source of tokens that is not known.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT s._file, 'warning', 'unknown_metric', NULL, count(*), 'samples of ' || s.metric || ' whose ' || c.label || ' is not known: left out: ' || group_concat(DISTINCT json_extract(s.labels, '$.' || c.label))
FROM serve_samples AS s JOIN (SELECT DISTINCT metric, label FROM serve_counters WHERE label IS NOT NULL) AS c USING (metric)
WHERE NOT EXISTS (SELECT 1 FROM serve_counters AS k WHERE k.metric = s.metric AND k.value = json_extract(s.labels, '$.' || k.label)) GROUP BY s._file, s.metric;

-- The growth of each series. A counter that fell began anew: with the server, after a gap an interval before the sample at the earliest.
DROP TABLE IF EXISTS temp.serve_told;
CREATE TEMP TABLE serve_told AS
WITH once AS MATERIALIZED (SELECT metric, labels, replica, model, time, max(value) AS value FROM serve_samples GROUP BY metric, labels, replica, model, time)
SELECT *, lag(time) OVER series AS since, lag(value) OVER series AS before, count(*) OVER (PARTITION BY metric, labels, replica) AS n FROM once WINDOW series AS (PARTITION BY metric, labels, replica ORDER BY time);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :path, 'info', 'counter_reset', NULL, count(*), 'counters that fell, such as ' || min(metric) || ' of ' || min(replica) || ': they began anew. Or are these samples of two servers?' FROM serve_told WHERE value < before GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :path, 'warning', 'missing_samples', NULL, count(*), 'counters with one sample, such as ' || min(metric) || ' of ' || min(replica) || ': nobody tells what they counted before' FROM serve_told WHERE n = 1 GROUP BY NULL;
DROP TABLE IF EXISTS temp.serve_growth;
CREATE TEMP TABLE serve_growth AS
WITH usual AS (SELECT min(time - since) AS spacing FROM (SELECT time, since, row_number() OVER (ORDER BY time - since) AS nth, count(*) OVER () AS n FROM serve_told WHERE since IS NOT NULL) WHERE nth >= (n + 1) / 2)
SELECT c.server, c.part, t.replica, t.model, CASE WHEN t.value < t.before AND t.time - t.since > 2 * u.spacing THEN t.time - u.spacing ELSE t.since END AS since, t.time,
       CASE WHEN t.value < t.before THEN t.value ELSE t.value - t.before END * c.factor AS grown
FROM serve_told AS t CROSS JOIN usual AS u JOIN serve_counters AS c ON c.metric = t.metric AND (c.label IS NULL OR json_extract(t.labels, '$.' || c.label) = c.value)
WHERE t.since IS NOT NULL;
DROP TABLE IF EXISTS temp.serve_sums;
CREATE TEMP TABLE serve_sums AS
WITH summed AS (
  SELECT server, replica, model, since AS start_time, time AS end_time, sum(grown) FILTER (WHERE part = 'prefill') AS prefill, sum(grown) FILTER (WHERE part = 'decode') AS decode_tokens,
         sum(grown) FILTER (WHERE part = 'cached') AS cached, sum(grown) FILTER (WHERE part = 'received') AS received, sum(grown) FILTER (WHERE part = 'all') AS every, sum(grown) FILTER (WHERE part = 'hits') AS hits,
         sum(grown) FILTER (WHERE part = 'sent') AS sent, sum(grown) FILTER (WHERE part = 'executions') AS executions
  FROM serve_growth GROUP BY server, replica, model, since, time
)
SELECT *, total(coalesce(every, 0) - coalesce(hits, 0) - coalesce(sent, 0)) OVER (PARTITION BY server, replica, model ORDER BY end_time, start_time) AS so_far FROM summed;
-- Without counters by source: what came, less what was there. A hit may be told before its prompt: what is there too much counts against the prompts that follow.
DROP TABLE IF EXISTS temp.serve_tokens;
CREATE TEMP TABLE serve_tokens AS
SELECT server, replica, model, start_time, end_time, prefill_tokens, decode_tokens, coalesce(cached, hits) AS cached_tokens, coalesce(received, sent) AS received_tokens, executions
FROM (SELECT *, coalesce(prefill, iif(every IS NULL, NULL, max(0, so_far - max(0, coalesce(max(so_far) OVER (PARTITION BY server, replica, model ORDER BY end_time, start_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)))))
             AS prefill_tokens FROM serve_sums)
WHERE coalesce(prefill_tokens, 0) > 0 OR decode_tokens > 0 OR executions > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT :path, 'warning', 'impossible_value', NULL, count(*), 'replicas whose caches held more tokens than came, such as ' || min(replica) || ': what they computed of prompts is not known, and counts as told'
FROM (SELECT replica, max(so_far) AS most, total(coalesce(every, 0) - coalesce(hits, 0) - coalesce(sent, 0)) AS last, total(every) AS every FROM serve_sums GROUP BY server, replica, model
      HAVING count(every) > 0 AND count(prefill) = 0 AND last < min(0, most) - 0.1 * total(every)) GROUP BY NULL;
-- A replica whose prompts nobody divides may have received some that it did not compute.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'assumed_computed', NULL, count(DISTINCT replica), 'replicas of ' || min(metric) || ' alone, such as ' || min(replica) || ': all their prompts count as computed, though a cache or another replica may have had them'
FROM serve_samples AS s WHERE metric IN ('vllm:prompt_tokens_total', 'tgi_request_input_length_sum')
  AND NOT EXISTS (SELECT 1 FROM serve_samples AS o WHERE o.replica = s.replica AND o.metric IN ('vllm:prompt_tokens_by_source_total', 'vllm:prefix_cache_hits_total', 'tgi_request_skipped_tokens_sum'))
GROUP BY metric;
DROP TABLE serve_sums;
DROP TABLE serve_growth;
DROP TABLE serve_told;
DROP TABLE serve_samples;
DROP TABLE serve_counters;
