-- otlp/stores.sql - spans as stores of traces give them: Jaeger's API and interface, Zipkin's, and ClickHouse's table otel_traces, which
-- the collector's exporter fills.
--
-- Reads :jaeger, :zipkin, :clickhouse and :zone, and adds to otlp_spans. A part of otlp.sql, which says what the parameters are and runs
-- the parts in order.

INSERT INTO otlp_spans
SELECT json_extract(s.value, '$.traceID'), json_extract(s.value, '$.spanID'), json_extract(s.value, '$.operationName'),
       (SELECT 'error' FROM json_each(s.value, '$.tags') AS g
        WHERE json_extract(g.value, '$.key') = 'error' AND lower(json_extract(g.value, '$.value')) IN ('1', 'true')
           OR json_extract(g.value, '$.key') = 'otel.status_code' AND lower(json_extract(g.value, '$.value')) = 'error'),
       json_extract(s.value, '$.startTime') / 1e6, (json_extract(s.value, '$.startTime') + json_extract(s.value, '$.duration')) / 1e6,
       (SELECT json_group_object(json_extract(g.value, '$.key'), json_extract(g.value, '$.value'))
        FROM json_each(t.value, '$.processes."' || json_extract(s.value, '$.processID') || '".tags') AS g),
       NULL,
       (SELECT json_group_object(json_extract(g.value, '$.key'), json_extract(g.value, '$.value')) FROM json_each(s.value, '$.tags') AS g)
FROM jsonl_trace(:jaeger) AS d, json_each(d.record, '$.data') AS t, json_each(t.value, '$.spans') AS s;

INSERT INTO otlp_spans
SELECT json_extract(record, '$.traceId'), json_extract(record, '$.id'), json_extract(record, '$.name'),
       iif(json_type(record, '$.tags.error') IS NOT NULL OR lower(json_extract(record, '$.tags."otel.status_code"')) = 'error', 'error',
           NULL),
       json_extract(record, '$.timestamp') / 1e6, (json_extract(record, '$.timestamp') + json_extract(record, '$.duration')) / 1e6, '{}',
       NULL, coalesce(json_extract(record, '$.tags'), '{}')
FROM jsonl_trace(:zipkin);

INSERT INTO otlp_spans
SELECT json_extract(record, '$.TraceId'), json_extract(record, '$.SpanId'), json_extract(record, '$.SpanName'),
       iif(lower(json_extract(record, '$.StatusCode')) LIKE '%error', 'error', NULL), mpg_time(json_extract(record, '$.Timestamp'), :zone),
       mpg_time(json_extract(record, '$.Timestamp'), :zone) + json_extract(record, '$.Duration') / 1e9,
       coalesce(json_extract(record, '$.ResourceAttributes'), '{}'), NULL, coalesce(json_extract(record, '$.SpanAttributes'), '{}')
FROM (SELECT r.value AS record FROM jsonl_trace(:clickhouse) AS d,
        json_each(iif(json_type(d.record, '$.data') = 'array', d.record, json_array(json(d.record))),
                  iif(json_type(d.record, '$.data') = 'array', '$.data', '$')) AS r WHERE r.type = 'object');
