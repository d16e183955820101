-- kineto.sql - from Chrome traces of PyTorch's profiler to device_activity and its companions (sql/device.sql).
--
--@ fills device
--@ input :trace sure (?s)\A\s*\{.*"(?:deviceProperties|schemaVersion|baseTimeNanoseconds|distributedInfo)"\s*:.*"traceEvents"\s*:
--@ input :trace sure (?s)\A\s*\{\s*"schemaVersion"\s*:.*"(?:deviceProperties|distributedInfo)"\s*:
--@ input :trace sure (?s)\A\s*(?:\[\s*\{|\{.*"traceEvents"\s*:\s*\[).*"cat"\s*:\s*"(?:kernel|Kernel|gpu_memcpy|cpu_op|cuda_runtime|Operator)"
--@ input :trace sure (?s)\A\s*(?:\[\s*\{|\{.*"traceEvents"\s*:\s*\[).*"name"\s*:\s*"(?:\d+ )?(?:Ascend Hardware|HCCL|CANN|GPU\d+|CPU HIP API)"
--@ input :trace likely \A\s*\[\s*\{[^{}]*"ph"\s*:\s*"[A-Za-z]"
--
--     .load ./mpg
--     .read sql/device.sql
--     .param set :trace fixtures/profile/rank*.json
--     .read sql/formats/kineto.sql
--     .read sql/device_views.sql
--     SELECT * FROM device_time;
--
-- :trace is a path, glob or folder; :chip may be set where the traces do not name the devices (a name or alias of
-- mpg_chips). NVIDIA, AMD, Intel and MTIA; old traces with capital categories too.
--
-- From a program, which cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE kineto_events AS
--     SELECT _file AS trace, lower(cat) AS cat, name, start_ns, end_ns, pid, tid, step, correlation, device,
--            stream, context, bytes, bandwidth_gb_s, collective, group_size, process_group, process_group_ranks,
--            input_dims, input_type, concrete_inputs
--     FROM chrome_trace('rank*.json')
--     WHERE ph = 'X';
--     CREATE TEMP TABLE kineto_files AS
--     SELECT _file AS trace, rank, world_size, base_time_ns, devices, properties FROM chrome_trace_info('rank*.json');
--
-- The inputs are dropped at the end. The rules are explained in docs/device-activity.md.

.read sql/formats/kineto/inputs.sql
.read sql/formats/device/step_names.sql
.read sql/formats/kineto/files.sql
.read sql/formats/kineto/merged.sql
.read sql/formats/kineto/events.sql
.read sql/formats/device/unseen.sql
DROP TABLE kineto_timeless;

CREATE TEMP TABLE device_names AS SELECT DISTINCT kind, name, NULL AS hlo_category, told FROM kineto_kinds;
.read sql/formats/device/step_repeats.sql
.read sql/formats/device/classes.sql
-- Which collective it is the kernel's name says where no argument does, as in earlier traces.
UPDATE kineto_kinds SET class = c.class, collective = c.collective
FROM device_classes AS c WHERE c.kind = kineto_kinds.kind AND c.name = kineto_kinds.name AND c.told IS kineto_kinds.told;
DROP TABLE device_classes;

-- ---- 4. Calls of the host ----

-- A correlation names one call, and later another where numbers begin anew; of calls within one, the outermost. Its operator is the
-- innermost on the same thread around it: external ids, which should say, are those of correlations in traces of 2022 and before.
-- outermost: that around an operator, beyond which no search has to go back. Of 256 operators the latest end is kept, to pass over those
-- that all ended before.
DROP TABLE IF EXISTS temp.kineto_sorted;
CREATE TEMP TABLE kineto_sorted AS
SELECT g.thread, p.start_ns, p.end_ns, p.id AS event
FROM kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part WHERE g.is_operator ORDER BY 1, 2, 3 DESC, 4;
CREATE INDEX temp.kineto_sorted_by ON kineto_sorted(thread); -- and within it by rowid: nothing is sorted again
DROP TABLE IF EXISTS temp.kineto_operators;
CREATE TEMP TABLE kineto_operators(id INTEGER PRIMARY KEY, thread, event, start_ns, end_ns, outermost);
INSERT INTO kineto_operators
WITH ordered AS (
  SELECT rowid AS id, thread, event, start_ns, end_ns,
         max(end_ns) OVER (PARTITION BY thread ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM kineto_sorted
)
SELECT id, thread, event, start_ns, end_ns,
       max(CASE WHEN covered IS NULL OR start_ns >= covered THEN id END) OVER (PARTITION BY thread ORDER BY id ROWS UNBOUNDED PRECEDING)
FROM ordered;
DROP TABLE kineto_sorted;
CREATE INDEX temp.kineto_operator_begins ON kineto_operators(thread, start_ns);

DROP TABLE IF EXISTS temp.kineto_operator_ends;
CREATE TEMP TABLE kineto_operator_ends(thread, block, end_ns, PRIMARY KEY (thread, block)) WITHOUT ROWID;
INSERT INTO kineto_operator_ends SELECT thread, id / 256, max(end_ns) FROM kineto_operators GROUP BY 1, 2;

DROP TABLE IF EXISTS temp.kineto_calls;
CREATE TEMP TABLE kineto_calls AS
-- + for an index to fit, which has no type
SELECT g.process, g.label, g.scope, g.thread, e.correlation, +p.start_ns AS launch_ns, +p.end_ns AS end_ns, p.id AS call,
       max(p.end_ns) OVER (PARTITION BY g.process, e.correlation
                           ORDER BY p.start_ns, p.end_ns DESC, p.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
FROM kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part AND g.is_call AND g.pid IS NOT NULL
CROSS JOIN kineto_events AS e ON e.rowid = p.id
WHERE e.correlation IN (SELECT correlation FROM kineto_activity);
DELETE FROM kineto_calls WHERE launch_ns < covered;

DROP TABLE IF EXISTS temp.kineto_launches;
CREATE TEMP TABLE kineto_launches AS
WITH latest AS (
  SELECT *, (SELECT o.id FROM kineto_operators AS o
             WHERE o.thread = c.thread AND o.start_ns <= c.launch_ns
             ORDER BY o.start_ns DESC, o.id DESC LIMIT 1) AS latest
  FROM kineto_calls AS c
)
SELECT c.label, c.scope, c.correlation, c.launch_ns, c.end_ns AS launch_end_ns, c.call, i.event AS op, i.start_ns AS op_ns
FROM latest AS c
LEFT JOIN kineto_operators AS l ON l.id = c.latest
LEFT JOIN kineto_operators AS i ON i.id = coalesce(
  (SELECT o.id FROM kineto_operators AS o
   WHERE o.id BETWEEN max(l.outermost, l.id - l.id % 256) AND l.id AND o.end_ns >= c.end_ns ORDER BY o.id DESC LIMIT 1),
  (SELECT o.id FROM kineto_operators AS o
   WHERE o.end_ns >= c.end_ns AND o.id BETWEEN l.outermost AND 255 + 256 * (
     SELECT e.block FROM kineto_operator_ends AS e
     WHERE e.thread = c.thread AND e.block BETWEEN l.outermost / 256 AND l.id / 256 - 1 AND e.end_ns >= c.end_ns
     ORDER BY e.block DESC LIMIT 1)
   ORDER BY o.id DESC LIMIT 1));
CREATE INDEX temp.kineto_launch ON kineto_launches(label, correlation, launch_ns);

-- ---- 5. What the devices did ----

-- The step is the one of the host in which it was launched: one lookup for each call. Where no activity of a trace has
-- a stream, as with Intel's, it is what the trace lists an activity under, in place of a thread. Some of MTIA's have
-- one and some have none, which HTA leaves out. outer_ns is that of steps that overlap.
DROP TABLE IF EXISTS temp.kineto_host_steps;
CREATE TEMP TABLE kineto_host_steps AS
WITH ordered AS (
  SELECT p.scope, s.step, s.start_ns - t.base_ns AS start_ns, s.end_ns - t.base_ns AS end_ns,
         max(s.end_ns) OVER (PARTITION BY s.trace, p.scope ORDER BY s.start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    - t.base_ns AS covered
  FROM device_steps AS s JOIN device_traces AS t USING (trace)
  JOIN (SELECT DISTINCT trace, CAST(pid AS TEXT) AS process, scope FROM kineto_groups) AS p ON p.trace = s.trace AND p.process = s.process
  WHERE s.side = 'host' AND s.trace IN (SELECT trace FROM kineto_files)
)
SELECT scope, step, start_ns, end_ns,
       max(CASE WHEN covered IS NULL OR start_ns >= covered THEN start_ns END) OVER (PARTITION BY scope ORDER BY start_ns) AS outer_ns
FROM ordered;
CREATE INDEX temp.kineto_host_step ON kineto_host_steps(scope, start_ns);

-- What no call of the trace launched is of the step that its stream marks, if it does.
DROP TABLE IF EXISTS temp.kineto_device_steps;
CREATE TEMP TABLE kineto_device_steps AS
SELECT g.thread, +p.start_ns AS start_ns, p.end_ns, e.step
FROM kineto_faults CROSS JOIN kineto_groups AS g CROSS JOIN kineto_parts AS p ON p.part = g.id
CROSS JOIN kineto_events AS e ON e.rowid = p.id
WHERE steps AND g.cat = 'gpu_user_annotation' AND e.step IS NOT NULL;
CREATE INDEX temp.kineto_device_step ON kineto_device_steps(thread, start_ns);

-- Of a group: its trace, whether nothing in it has a stream, and the process that called, if it is one.
DROP TABLE IF EXISTS temp.kineto_streams;
CREATE TEMP TABLE kineto_streams(file PRIMARY KEY, n);
INSERT INTO kineto_streams
SELECT g.file, total(n) FROM (SELECT part, count(stream) AS n FROM kineto_activity GROUP BY part)
CROSS JOIN kineto_groups AS g ON g.id = part GROUP BY g.file;
DROP TABLE IF EXISTS temp.kineto_callers;
CREATE TEMP TABLE kineto_callers(label PRIMARY KEY, process);
INSERT INTO kineto_callers SELECT label, iif(min(pid) = max(pid), min(pid), NULL) FROM kineto_groups WHERE is_call GROUP BY label;
DROP TABLE IF EXISTS temp.kineto_of;
CREATE TEMP TABLE kineto_of(id INTEGER PRIMARY KEY, rank, base_ns, streamless, chip, process);
INSERT INTO kineto_of
SELECT g.id, g.rank, t.base_ns, s.n = 0, coalesce(a.chip, :chip), c.process
FROM kineto_groups AS g JOIN device_traces AS t USING (trace) LEFT JOIN kineto_streams AS s ON s.file = g.file
LEFT JOIN kineto_alike AS a ON a.trace = g.trace LEFT JOIN kineto_callers AS c ON c.label = g.label;
DROP TABLE kineto_streams;
DROP TABLE kineto_callers;

INSERT INTO device_activity (trace, rank, process, device, chip, stream, class, kind, name, start_ns, end_ns, step,
                             correlation, launch_ns, launch_end_ns, launch_name, launch_thread, op, op_ns, bytes,
                             gb_per_s, collective, group_size, process_group)
SELECT g.trace, t.rank, CAST(coalesce(c.pid, t.process) AS TEXT),
       iif(g.label_name <> '' AND (g.trace, e.device) IN (SELECT trace, device FROM kineto_shared), g.label_name || ' ', '')
         || coalesce(e.device, e.pid),
       coalesce(d.chip, t.chip),
       CAST(coalesce(a.stream, iif(t.streamless, e.tid, NULL)) AS TEXT), k.class, k.kind,
       k.name, a.start_ns + t.base_ns, a.end_ns + t.base_ns,
       iif(l.call IS NULL,
           (SELECT iif(a.start_ns < s.end_ns, s.step, NULL)
            FROM kineto_device_steps AS s WHERE s.thread = g.thread AND s.start_ns <= +a.start_ns ORDER BY s.start_ns DESC LIMIT 1),
           (SELECT s.step FROM kineto_host_steps AS s
            WHERE s.scope = l.scope AND s.start_ns <= l.launch_ns AND l.launch_ns < s.end_ns
              AND s.start_ns >= (SELECT o.outer_ns FROM kineto_host_steps AS o
                                 WHERE o.scope = l.scope AND o.start_ns <= l.launch_ns ORDER BY o.start_ns DESC LIMIT 1)
            ORDER BY s.start_ns DESC LIMIT 1)),
       a.correlation, l.launch_ns + t.base_ns, l.launch_end_ns + t.base_ns, c.name, CAST(c.tid AS TEXT), o.name,
       l.op_ns + t.base_ns, e.bytes, e.bandwidth_gb_s, iif(k.class = 'communication', coalesce(e.collective, k.collective), e.collective),
       e.group_size,
       nullif(trim(coalesce(e.process_group, '') || ' ' || coalesce(e.process_group_ranks, '')), '')
FROM kineto_activity AS a
CROSS JOIN kineto_kinds AS k ON k.rowid = a.kind
CROSS JOIN kineto_groups AS g ON g.id = a.part
CROSS JOIN kineto_of AS t ON t.id = a.part
CROSS JOIN kineto_events AS e ON e.rowid = a.id
-- Of several calls of one correlation, in processes that no label says apart, the latest before the activity.
LEFT JOIN kineto_launches AS l ON l.rowid = coalesce(
  (SELECT c.rowid FROM kineto_launches AS c
   WHERE c.label = g.label AND c.correlation = a.correlation AND c.launch_ns <= a.start_ns
   ORDER BY c.launch_ns DESC LIMIT 1),
  (SELECT c.rowid FROM kineto_launches AS c
   WHERE c.label = g.label AND c.correlation = a.correlation ORDER BY c.launch_ns LIMIT 1))
LEFT JOIN kineto_events AS c ON c.rowid = l.call
LEFT JOIN kineto_events AS o ON o.rowid = l.op
LEFT JOIN kineto_devices AS d ON d.trace = g.trace AND d.device = CAST(coalesce(e.device, e.pid) AS TEXT)
WHERE k.kind <> 'sync' OR coalesce(a.stream, -1) <> -1;

-- ---- 6. Operators with known work ----

-- One call of work may be several operators, one inside the other. It counts at the outermost of those that do it;
-- wrappers, which choose one of several ways, only where nothing inside them has a price.
-- :table is the table function that asks: to most, operators are nothing. By hand it is NULL.
DROP TABLE IF EXISTS temp.kineto_priced;
CREATE TEMP TABLE kineto_priced(id INTEGER PRIMARY KEY, thread, event, start_ns, end_ns, wrapper, flops, bytes);
INSERT INTO kineto_priced
SELECT o.id, o.thread, o.event, o.start_ns, o.end_ns,
       name IN ('aten::linear', 'aten::matmul', 'aten::scaled_dot_product_attention', 'aten::conv1d', 'aten::conv2d',
                'aten::conv3d'),
       op_flops(name, input_dims, concrete_inputs, input_type), op_bytes(name, input_dims, input_type, concrete_inputs)
FROM (SELECT 1 WHERE coalesce(:table, '')
          IN ('', 'trace_device_operators', 'trace_device_op_work', 'trace_device_priced', 'trace_device_op_roofline',
              'trace_tracelens_work'))
CROSS JOIN kineto_operators AS o CROSS JOIN kineto_events AS e ON e.rowid = o.event
WHERE input_dims IS NOT NULL;
DELETE FROM kineto_priced WHERE flops IS NULL;
-- One that calls itself is done by the inner call: autocast's in another type, DTensor's on this rank's part of the whole; and a product by
-- those in it: float8's by _scaled_mm, one example's of vmap by bmm.
DELETE FROM kineto_priced WHERE id IN (
  SELECT p.id FROM (SELECT id, event, end_ns, lead(event) OVER next AS inner_event, lead(start_ns) OVER next AS inner_start,
                           lead(end_ns) OVER next AS inner_end
                    FROM kineto_priced WINDOW next AS (PARTITION BY thread ORDER BY id)) AS p
  CROSS JOIN kineto_events AS o ON o.rowid = p.event CROSS JOIN kineto_events AS i ON i.rowid = p.inner_event
  WHERE inner_start <= p.end_ns AND inner_end <= p.end_ns
    AND (i.name = o.name OR o.name GLOB 'aten::*mm*' AND (i.name GLOB 'aten::*mm' OR i.name GLOB 'aten::*mm_v2')));
CREATE INDEX temp.kineto_price ON kineto_priced(thread, start_ns); -- and within it by id: nothing is sorted again

DROP TABLE IF EXISTS temp.kineto_counted;
CREATE TEMP TABLE kineto_counted AS
WITH ordered AS (
  SELECT id, thread, event, start_ns, end_ns, wrapper, flops, bytes,
         max(end_ns) FILTER (WHERE NOT wrapper) OVER before AS covered, max(end_ns) FILTER (WHERE wrapper) OVER before AS wrapped
  FROM kineto_priced
  WINDOW before AS (PARTITION BY thread ORDER BY start_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT * FROM ordered AS o
WHERE coalesce(start_ns >= covered, 1)
  AND (NOT wrapper OR (coalesce(start_ns >= wrapped, 1) AND NOT EXISTS (
    SELECT 1 FROM kineto_priced AS p
    WHERE p.thread = o.thread AND p.start_ns BETWEEN o.start_ns AND o.end_ns AND p.end_ns <= o.end_ns AND NOT p.wrapper)));

INSERT INTO device_operators (trace, rank, process, chip, step, thread, op, shapes, dtypes, start_ns, end_ns, flops, bytes, device_ns,
                              activities, tf32)
SELECT e.trace, t.rank, CAST(e.pid AS TEXT), max(a.chip), max(a.step), CAST(e.tid AS TEXT), e.name, e.input_dims, e.input_type,
       o.start_ns + t.base_ns,
       o.end_ns + t.base_ns, o.flops, o.bytes, interval_union(a.start_ns, a.end_ns), count(a.trace),
       -- Of fp32 these multiply in TF32: sm80_xmma_gemm_f32f32_tf32f32_f32_*, cutlass_80_tensorop_s1688gemm_*, nvjet_sm100_sss_*; of AMD
       -- (XF32) Cijk_Ailk_Bljk_S_MX_B_*.
       max(coalesce(lower(a.name) GLOB '*tf32*' OR a.name GLOB 'nvjet*_sss_*' OR a.name GLOB '*s1688*' AND a.name NOT GLOB '*s1688*f16*'
                    OR a.name GLOB '*Cijk_*_S_MX_*', 0))
FROM kineto_counted AS o
CROSS JOIN kineto_events AS e ON e.rowid = o.event
CROSS JOIN kineto_parts AS p ON p.id = o.event
CROSS JOIN kineto_of AS t ON t.id = p.part
LEFT JOIN device_activity AS a
  ON a.trace = e.trace AND a.launch_thread = CAST(e.tid AS TEXT) AND a.process = CAST(e.pid AS TEXT) AND a.class <> 'sync'
 AND a.launch_ns BETWEEN o.start_ns + t.base_ns AND o.end_ns + t.base_ns
GROUP BY o.rowid;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT trace, severity, kind, NULL, count, detail FROM kineto_left_out;
CREATE TEMP TABLE device_told AS
SELECT trace FROM kineto_files WHERE trace NOT IN (SELECT trace FROM kineto_left_out WHERE detail GLOB 'activities *call*');
.read sql/formats/device/parts.sql
.read sql/formats/device/unpriced.sql
.read sql/formats/device/early.sql
-- ROCm may give all calls the correlation 0.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_field', count(*),
       'activities, none of which has the correlation of a call, though calls are there: they have no operator, and no step of the host'
FROM device_told CROSS JOIN device_activity AS a USING (trace)
WHERE kind <> 'sync' AND EXISTS (SELECT 1 FROM kineto_groups AS g WHERE g.trace = a.trace AND g.is_call)
GROUP BY trace HAVING count(launch_ns) = 0;
.read sql/formats/device/uncalled.sql

CREATE TEMP TABLE device_read AS
SELECT trace FROM kineto_files
WHERE (SELECT count(*) FROM device_traces) > 1 AND trace NOT IN (SELECT trace FROM kineto_left_out WHERE kind = 'parallel_logs');
.read sql/formats/device/again.sql

DROP TABLE temp.kineto_events;
DROP TABLE temp.kineto_left_out;
DROP TABLE temp.kineto_processes;
DROP TABLE temp.kineto_faults;
DROP TABLE temp.kineto_groups;
DROP TABLE temp.kineto_parts;
DROP TABLE temp.kineto_activity;
DROP TABLE temp.kineto_of;
DROP TABLE temp.kineto_shared;
DROP TABLE temp.kineto_priced;
DROP TABLE temp.kineto_counted;
DROP TABLE temp.kineto_files;
DROP TABLE temp.kineto_devices;
DROP TABLE temp.kineto_alike;
DROP TABLE temp.kineto_launches;
DROP TABLE temp.kineto_calls;
DROP TABLE temp.kineto_operators;
DROP TABLE temp.kineto_operator_ends;
DROP TABLE temp.kineto_kinds;
DROP TABLE temp.kineto_host_steps;
DROP TABLE temp.kineto_device_steps;
