-- rocpd/records.sql - what rocprofv3 recorded, of its database and of its JSON: agents, what the host did, what the devices did.
--
-- Reads rocpd_trace, and the tables of the trace or those of rocpd_absent. Makes rocpd_documents, rocpd_agents, rocpd_regions,
-- rocpd_activity and rocpd_threads.
-- A part of rocpd.sql, which says what the parameters are and runs the parts in order.

-- A document of rocprofv3 has a list of objects, one a process, or the object of one. Its numbers of kinds and operations are places in
-- lists of names.
DROP TABLE IF EXISTS temp.rocpd_documents;
CREATE TEMP TABLE rocpd_documents AS
SELECT p.key AS guid, p.type = 'object' AS is_process, p.value AS process,
       iif(p.type = 'object', json_extract(p.value, '$.metadata.pid'), NULL) AS pid
FROM rocpd_trace AS t, jsonl_trace(t.json) AS d,
  json_each(d.record, iif(json_type(d.record, '$.rocprofiler-sdk-tool') = 'object', '$', '$.rocprofiler-sdk-tool')) AS p
WHERE t.json IS NOT NULL AND (p.path <> '$' OR p.key = 'rocprofiler-sdk-tool');
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'data_loss', 'unknown_record', count(*), 'elements of the document that are no objects of a process: left out'
FROM rocpd_documents AS d, rocpd_trace AS t WHERE NOT is_process GROUP BY t.trace;
DELETE FROM rocpd_documents WHERE NOT is_process;
DROP TABLE IF EXISTS temp.rocpd_operations;
CREATE TEMP TABLE rocpd_operations AS
SELECT d.guid, k.key AS kind, o.key AS operation, json_extract(k.value, '$.kind') AS category, o.value AS name
FROM rocpd_documents AS d, json_each(d.process, '$.strings.buffer_records') AS k, json_each(k.value, '$.operations') AS o;
CREATE INDEX temp.rocpd_operation ON rocpd_operations(guid, kind, operation);
DROP TABLE IF EXISTS temp.rocpd_messages;
CREATE TEMP TABLE rocpd_messages AS
SELECT d.guid, json_extract(m.value, '$.key') AS stack, max(json_extract(m.value, '$.value')) AS message
FROM rocpd_documents AS d, json_each(d.process, '$.strings.marker_api') AS m GROUP BY 1, 2;
CREATE INDEX temp.rocpd_message ON rocpd_messages(guid, stack);

-- GPUs are numbered from 0 on each host; hosts are told apart where a file has several.
DROP TABLE IF EXISTS temp.rocpd_agents;
CREATE TEMP TABLE rocpd_agents AS
SELECT a.guid, a.id, a.type = 'GPU' AS is_gpu, CAST(coalesce(a.type_index, a.absolute_index, a.id) AS TEXT) AS device,
       coalesce(nullif(a.product_name, ''), nullif(a.name, '')) AS chip, n.hostname AS host,
       iif(json_valid(a.extdata), json_extract(a.extdata, '$.cu_count'), NULL) AS units
FROM (SELECT * FROM rocpd_info_agent NATURAL LEFT JOIN rocpd_absent.rocpd_info_agent) AS a
LEFT JOIN rocpd_info_node AS n ON n.id = a.nid AND n.guid = a.guid
UNION ALL
SELECT d.guid, json_extract(a.value, '$.id.handle'), json_extract(a.value, '$.type') IN (2, 'GPU'),
       CAST(coalesce(json_extract(a.value, '$.logical_node_type_id'), json_extract(a.value, '$.node_id')) AS TEXT),
       coalesce(nullif(json_extract(a.value, '$.product_name'), ''), nullif(json_extract(a.value, '$.name'), '')),
       json_extract(d.process, '$.metadata.node.hostname'), json_extract(a.value, '$.cu_count')
FROM rocpd_documents AS d, json_each(d.process, '$.agents') AS a;
UPDATE rocpd_agents SET device = coalesce(host, guid) || ' ' || device WHERE (SELECT count(DISTINCT host) FROM rocpd_agents) > 1;
CREATE INDEX temp.rocpd_agent ON rocpd_agents(guid, id);
DROP TABLE IF EXISTS temp.rocpd_alike;
CREATE TEMP TABLE rocpd_alike AS
SELECT row FROM (SELECT rowid AS row, row_number() OVER (PARTITION BY guid, id ORDER BY NOT is_gpu, rowid) AS nth FROM rocpd_agents)
WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'conflict', count(*), 'agents of one number, as from 2^63 on in JSON: what they did counts as that of the first GPU'
FROM rocpd_alike, rocpd_trace AS t GROUP BY t.trace;
DELETE FROM rocpd_agents WHERE rowid IN (SELECT row FROM rocpd_alike);
DROP TABLE rocpd_alike;
INSERT INTO mpg_issues(source, severity, kind, count, detail) -- a partition has the name of the whole GPU, and fewer compute units
SELECT t.trace, 'warning', 'guessed_share', count(DISTINCT a.device),
       'partitions of GPUs: each counts as a device of its own, by the name of the whole, such as ' || min(a.chip)
FROM rocpd_agents AS a, rocpd_trace AS t
WHERE a.is_gpu AND a.units BETWEEN 1 AND CASE WHEN a.chip GLOB '*MI300X*' OR a.chip GLOB '*MI325X*' THEN 303
                                              WHEN a.chip GLOB '*MI300A*' THEN 227 WHEN a.chip GLOB '*MI35[05]X*' THEN 255 END
GROUP BY t.trace;
UPDATE rocpd_trace SET host = (SELECT min(host) FROM rocpd_agents GROUP BY NULL HAVING count(DISTINCT host) = 1);
INSERT INTO device_traces (trace, format, base_ns, host) SELECT trace, 'rocpd', 0, host FROM rocpd_trace;

-- What the host did: calls, and the ranges that the program marks. stack: the call's own number, which what it launched has too.
DROP TABLE IF EXISTS temp.rocpd_regions;
CREATE TEMP TABLE rocpd_regions AS
SELECT r.guid, coalesce(p.pid, r.pid) AS pid, coalesce(t.tid, r.tid) AS tid, r.start, r."end", nullif(e.stack_id, 0) AS stack,
       lower(c.string) AS category, coalesce(iif(json_valid(e.extdata), json_extract(e.extdata, '$.message'), NULL), s.string) AS name
FROM rocpd_region AS r
LEFT JOIN rocpd_event AS e ON e.id = r.event_id AND e.guid = r.guid
LEFT JOIN rocpd_string AS c ON c.id = e.category_id AND c.guid = e.guid
LEFT JOIN rocpd_string AS s ON s.id = r.name_id AND s.guid = r.guid
LEFT JOIN rocpd_info_process AS p ON p.id = r.pid AND p.guid = r.guid
LEFT JOIN rocpd_info_thread AS t ON t.id = r.tid AND t.guid = r.guid
UNION ALL
SELECT d.guid, d.pid, json_extract(r.value, '$.thread_id'), json_extract(r.value, '$.start_timestamp'),
       json_extract(r.value, '$.end_timestamp'),
       nullif(json_extract(r.value, '$.correlation_id.internal'), 0), lower(o.category),
       coalesce(m.message, o.name)
FROM rocpd_documents AS d, json_each(d.process, '$.buffer_records') AS b, json_each(b.value) AS r
LEFT JOIN rocpd_operations AS o
  ON o.guid = d.guid AND o.kind = json_extract(r.value, '$.kind') AND o.operation = json_extract(r.value, '$.operation')
LEFT JOIN rocpd_messages AS m ON b.key = 'marker_api' AND m.guid = d.guid AND m.stack = json_extract(r.value, '$.correlation_id.internal')
WHERE b.key IN ('hip_api', 'hsa_api', 'marker_api', 'rccl_api', 'rocshmem_api');

-- What the devices did. A copy is of the GPU that it goes to, or else of the one that it comes from; of two agents that
-- which the trace lacks is the GPU.
DROP TABLE IF EXISTS temp.rocpd_activity;
CREATE TEMP TABLE rocpd_activity AS
SELECT 'kernel' AS kind, k.guid, coalesce(p.pid, k.pid) AS pid, k.agent_id, k.queue_id, k.stream_id, k.start, k."end",
       nullif(e.stack_id, 0) AS stack,
       NULL AS bytes, coalesce(nullif(y.display_name, ''), nullif(y.kernel_name, ''), 'kernel') AS name, nullif(g.string, '') AS range
FROM rocpd_kernel_dispatch AS k
LEFT JOIN rocpd_event AS e ON e.id = k.event_id AND e.guid = k.guid
LEFT JOIN rocpd_info_kernel_symbol AS y ON y.id = k.kernel_id AND y.guid = k.guid
LEFT JOIN rocpd_string AS g ON g.id = k.region_name_id AND g.guid = k.guid
LEFT JOIN rocpd_info_process AS p ON p.id = k.pid AND p.guid = k.guid
UNION ALL
SELECT 'memcpy', c.guid, coalesce(p.pid, c.pid),
       CASE WHEN a.is_gpu THEN c.dst_agent_id WHEN b.is_gpu THEN c.src_agent_id WHEN a.id IS NULL AND b.id IS NOT NULL THEN c.dst_agent_id
            WHEN b.id IS NULL AND a.id IS NOT NULL THEN c.src_agent_id END, c.queue_id, c.stream_id, c.start, c."end",
       nullif(e.stack_id, 0), c.size, coalesce(s.string, 'Unknown'), NULL
FROM rocpd_memory_copy AS c
LEFT JOIN rocpd_event AS e ON e.id = c.event_id AND e.guid = c.guid
LEFT JOIN rocpd_string AS s ON s.id = c.name_id AND s.guid = c.guid
LEFT JOIN rocpd_agents AS a ON a.guid = c.guid AND a.id = c.dst_agent_id
LEFT JOIN rocpd_agents AS b ON b.guid = c.guid AND b.id = c.src_agent_id
LEFT JOIN rocpd_info_process AS p ON p.id = c.pid AND p.guid = c.guid
UNION ALL
SELECT 'kernel', d.guid, d.pid, json_extract(r.value, '$.dispatch_info.agent_id.handle'),
       json_extract(r.value, '$.dispatch_info.queue_id.handle'),
       json_extract(r.value, '$.stream_id.handle'), json_extract(r.value, '$.start_timestamp'), json_extract(r.value, '$.end_timestamp'),
       nullif(json_extract(r.value, '$.correlation_id.internal'), 0), NULL,
       coalesce(y.name, 'kernel'), NULL
FROM rocpd_documents AS d, json_each(d.process, '$.buffer_records.kernel_dispatch') AS r
LEFT JOIN (SELECT d.guid, json_extract(y.value, '$.kernel_id') AS id,
                  max(coalesce(nullif(json_extract(y.value, '$.formatted_kernel_name'), ''),
                               json_extract(y.value, '$.kernel_name'))) AS name
           FROM rocpd_documents AS d, json_each(d.process, '$.kernel_symbols') AS y GROUP BY 1, 2) AS y
  ON y.guid = d.guid AND y.id = json_extract(r.value, '$.dispatch_info.kernel_id')
UNION ALL
SELECT 'memcpy', d.guid, d.pid, iif(a.is_gpu, a.id, iif(b.is_gpu, b.id, NULL)), NULL, json_extract(r.value, '$.stream_id.handle'),
       json_extract(r.value, '$.start_timestamp'), json_extract(r.value, '$.end_timestamp'),
       nullif(json_extract(r.value, '$.correlation_id.internal'), 0),
       json_extract(r.value, '$.bytes'), coalesce(o.name, 'Unknown'), NULL
FROM rocpd_documents AS d, json_each(d.process, '$.buffer_records.memory_copy') AS r
LEFT JOIN rocpd_operations AS o ON o.guid = d.guid AND o.kind = json_extract(r.value, '$.kind')
  AND o.operation = json_extract(r.value, '$.operation')
LEFT JOIN rocpd_agents AS a ON a.guid = d.guid AND a.id = json_extract(r.value, '$.dst_agent_id.handle')
LEFT JOIN rocpd_agents AS b ON b.guid = d.guid AND b.id = json_extract(r.value, '$.src_agent_id.handle');
UPDATE rocpd_activity SET name = 'Memcpy ' || CASE
    WHEN name GLOB '*HOST_TO_DEVICE' THEN 'HtoD' WHEN name GLOB '*DEVICE_TO_HOST' THEN 'DtoH' WHEN name GLOB '*DEVICE_TO_DEVICE' THEN 'DtoD'
    WHEN name GLOB '*HOST_TO_HOST' THEN 'HtoH' ELSE name END
WHERE kind = 'memcpy';

-- Numbers of calls from 2^63 on are REAL in JSON, and one REAL may be several: what has one is of no call.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'missing_field', count(*),
       'activities whose call has a number from 2^63 on: they have no call, step or operator; the first is "' || min(a.name) || '"'
FROM rocpd_trace AS t CROSS JOIN rocpd_activity AS a WHERE t.json IS NOT NULL AND typeof(a.stack) = 'real' GROUP BY t.trace;
UPDATE rocpd_activity SET stack = NULL WHERE (SELECT json FROM rocpd_trace) IS NOT NULL AND typeof(stack) = 'real';
UPDATE rocpd_regions SET stack = NULL WHERE (SELECT json FROM rocpd_trace) IS NOT NULL AND typeof(stack) = 'real';

-- Processes and threads by numbers of their own: ids repeat in files that were merged.
DROP TABLE IF EXISTS temp.rocpd_threads;
CREATE TEMP TABLE rocpd_threads AS
SELECT guid, pid, tid, dense_rank() OVER (ORDER BY guid, pid) AS process, row_number() OVER (ORDER BY guid, pid, tid) AS thread
FROM (SELECT guid, pid, tid FROM rocpd_regions UNION SELECT guid, pid, NULL FROM rocpd_activity);
CREATE INDEX temp.rocpd_thread ON rocpd_threads(guid, pid, tid);
