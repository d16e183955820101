-- device.sql - what the devices did, in one shape for every profiler: the tables that the format mappings fill.
--
--     .load ./mpg
--     .read sql/device.sql              -- these tables
--     .param set :trace fixtures/profile/*.json
--     .read sql/formats/kineto.sql      -- fills them: also xplane.sql, nsys.sql, rocpd.sql, ascend.sql; any number of times
--     .read sql/device_views.sql        -- what to ask of them
--
-- TEMP tables: device_activity, a row for each thing that a device did; device_steps and device_ranges, what the
-- program marks; device_operators, operators with known FLOPs; device_traces, a row a trace; device_class_rules,
-- which say what is communication. docs/device-activity.md explains them. A mapping first deletes the rows of the traces that it is about
-- to insert, so that reading one again replaces it.
--
-- Times are integer nanoseconds on the clock of the trace (Unix time where it says its epoch), exactly as the
-- format has them. Intervals are half open, [start_ns, end_ns).

--@ extends device_class_rules
--@ argument path :path FILES profiles: a file, glob, folder or fleet file
--@ argument chip_name :chip TEXT what the devices are, if the profile does not tell: a name or alias of mpg_chips
--@ argument step_names :step TEXT a GLOB over the program's ranges that are steps, if theirs is not among the usual names
--@ table trace_device_activity device_activity a row for each thing that a device did
--@ column trace TEXT - the file that it came from
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column process TEXT - the process that drove the device, if a trace holds several
--@ column device TEXT - as the profiler numbers or names it: '0', '/device:TPU:0'
--@ column chip TEXT - the device's name as the profiler prints it: a name or alias of mpg_chips
--@ column stream TEXT - of the device: stream, queue or line
--@ column class TEXT - compute, communication, memory or sync
--@ column kind TEXT - kernel, memcpy, memset or sync
--@ column name TEXT - of the kernel or HLO instruction
--@ column start_ns BIGINT ns on the clock of the trace, Unix time if it tells its epoch
--@ column end_ns BIGINT ns
--@ column step TEXT - of trace_device_steps; NULL: launched outside any
--@ column correlation BIGINT - of the host's call that launched it
--@ column launch_ns BIGINT ns when that call began; NULL: it is not in the trace
--@ column launch_end_ns BIGINT ns when it ended
--@ column launch_name TEXT - its name: cudaLaunchKernel
--@ column launch_thread TEXT - the thread that called
--@ column op TEXT - the framework's operator, innermost around the launch: aten::mm, an HLO op_name
--@ column op_ns BIGINT ns when the host began that operator
--@ column bytes BIGINT bytes moved by a copy or set, or accessed as the compiler counts
--@ column flops REAL flops as the profile says
--@ column gb_per_s REAL GB/s of a copy or set, as the profile says
--@ column collective TEXT - if it is one: allreduce
--@ column group_size BIGINT - of the collective: how many ranks
--@ column process_group TEXT - of the collective: the name of its group, with its ranks
CREATE TEMP TABLE IF NOT EXISTS device_activity (
  trace         TEXT   NOT NULL,  -- the file that it came from
  rank          BIGINT,           -- of the process in its job; NULL: the trace does not tell
  process       TEXT,             -- the process that drove the device, where a trace holds several
  device        TEXT   NOT NULL,  -- as the profiler numbers or names it: '0', '/device:TPU:0'
  chip          TEXT,             -- the device's name as the profiler prints it: a name or alias of mpg_chips
  stream        TEXT,             -- of the device: stream, queue or line. Activities of one stream may overlap.
  -- sync: the stream waits for an event or for the host. It is listed, and is no work: every measure but HTA's
  -- leaves it out.
  class         TEXT   NOT NULL CHECK (class IN ('compute', 'communication', 'memory', 'sync')),
  kind          TEXT   NOT NULL CHECK (kind IN ('kernel', 'memcpy', 'memset', 'sync')),
  name          TEXT   NOT NULL,  -- of the kernel or HLO instruction; 'Memcpy HtoD (...)'
  start_ns      BIGINT NOT NULL,
  end_ns        BIGINT NOT NULL CHECK (end_ns >= start_ns),
  step          TEXT,             -- of device_steps; NULL: launched outside any
  -- Of the host's call that launched it, found by correlation within one trace and process; NULL: not in the trace.
  correlation   BIGINT,
  launch_ns     BIGINT,
  launch_end_ns BIGINT,
  launch_name   TEXT,             -- 'cudaLaunchKernel'
  launch_thread TEXT,
  op            TEXT,             -- of the framework, innermost around the launch: 'aten::mm', an HLO op_name
  op_ns         BIGINT,           -- when the host began that operator; NULL: the trace does not tell
  bytes         BIGINT,           -- moved by a copy or set, or accessed as the compiler counts
  flops         REAL,             -- as the profile says; NULL: it does not
  gb_per_s      REAL,             -- of a copy or set, as the profile says
  -- Where it is a collective:
  collective    TEXT,             -- 'allreduce'
  group_size    BIGINT,
  process_group TEXT              -- its name, with its ranks: '1 [0, 2]'
);
CREATE INDEX IF NOT EXISTS temp.device_activity_order ON device_activity(trace, device, start_ns);
CREATE INDEX IF NOT EXISTS temp.device_activity_launch ON device_activity(trace, launch_thread, launch_ns);

-- Steps as the program marks them (ProfilerStep#7, a JAX step number, an NVTX range). side: 'host' where the host
-- says when the step was issued, 'device' where the device does when it ran; a trace may have both.
--@ table trace_device_steps device_steps_told a row for each step that the program marks
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column process TEXT - the process, if a trace holds several
--@ column side TEXT - host, where it was issued, or device, where it ran
--@ column device TEXT - NULL on the host's side
--@ column step TEXT - its number or name
--@ column start_ns BIGINT ns when it began
--@ column end_ns BIGINT ns when it ended
CREATE TEMP TABLE IF NOT EXISTS device_steps (
  trace    TEXT   NOT NULL,
  rank     BIGINT,
  process  TEXT,
  side     TEXT   NOT NULL CHECK (side IN ('host', 'device')),
  device   TEXT,             -- NULL on the host's side
  step     TEXT   NOT NULL,  -- its number or name: '7'
  start_ns BIGINT NOT NULL,
  end_ns   BIGINT NOT NULL CHECK (end_ns >= start_ns)
);
CREATE INDEX IF NOT EXISTS temp.device_steps_order ON device_steps(trace, start_ns);
-- A step that several threads of a process mark at once is one, from the first start to the last end.
CREATE TEMP VIEW IF NOT EXISTS device_steps_told AS
WITH ordered AS (
  SELECT rowid AS id, *, max(end_ns) OVER (PARTITION BY trace, rank, process, side, device, step
                                           ORDER BY start_ns, end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
  FROM device_steps
),
numbered AS (
  SELECT *, sum(coalesce(start_ns >= reached, 1)) OVER (PARTITION BY trace, rank, process, side, device, step
      ORDER BY start_ns, end_ns ROWS UNBOUNDED PRECEDING) AS nth FROM ordered
)
SELECT trace, rank, process, side, device, step, min(start_ns) AS start_ns, max(end_ns) AS end_ns
FROM numbered GROUP BY trace, rank, process, side, device, step, nth ORDER BY min(id);

-- Ranges that the program marks, its steps too: annotations, NVTX. On the device's side, from the first to the last
-- activity that was launched in one.
--@ table trace_device_ranges device_ranges a row for each range that the program marks, its steps too: annotations, NVTX
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column side TEXT - host, where it was issued, or device, where it ran
--@ column thread TEXT - of the host, or stream
--@ column name TEXT - as the program calls it
--@ column start_ns BIGINT ns when it began
--@ column end_ns BIGINT ns when it ended
CREATE TEMP TABLE IF NOT EXISTS device_ranges (
  trace    TEXT   NOT NULL,
  rank     BIGINT,
  side     TEXT   NOT NULL CHECK (side IN ('host', 'device')),
  thread   TEXT,             -- of the host, or stream
  name     TEXT   NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns   BIGINT NOT NULL CHECK (end_ns >= start_ns)
);

-- Calls of the framework's operators whose work is known, each piece of work once.
--@ table trace_device_operators device_operators a row for each call of an operator whose FLOPs are known, each piece of work once
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column process TEXT - the process, if a trace holds several
--@ column chip TEXT - of the device that ran it
--@ column step TEXT - its number or name; NULL: outside any
--@ column thread TEXT - of the host
--@ column op TEXT - the framework's operator: aten::mm
--@ column shapes TEXT - of the operator's arguments, JSON
--@ column dtypes TEXT - of the operator's arguments, JSON
--@ column start_ns BIGINT ns when it began on the host
--@ column end_ns BIGINT ns when it ended there
--@ column flops REAL flops that were done
--@ column bytes REAL bytes the least that memory has to move
--@ column device_ns BIGINT ns that devices were busy with what it launched
--@ column activities BIGINT - that it launched
--@ column tf32 BIGINT - 1: a kernel that it launched multiplies in TF32, as its name says
CREATE TEMP TABLE IF NOT EXISTS device_operators (
  trace      TEXT   NOT NULL,
  rank       BIGINT,
  process    TEXT,
  chip       TEXT,             -- of the device that ran it
  step       TEXT,
  thread     TEXT,             -- of the host
  op         TEXT   NOT NULL,  -- 'aten::mm'
  shapes     TEXT,             -- its arguments' shapes, JSON
  dtypes     TEXT,             -- their types, JSON
  start_ns   BIGINT NOT NULL,  -- on the host
  end_ns     BIGINT NOT NULL CHECK (end_ns >= start_ns),
  flops      REAL   NOT NULL,
  bytes      REAL,             -- the least that memory has to move
  device_ns  BIGINT,           -- time that what it launched kept devices busy; NULL: it launched nothing
  activities BIGINT NOT NULL,
  tf32       BIGINT NOT NULL DEFAULT 0 -- 1: a kernel of it multiplies in TF32
);

-- What was read. base_ns is what a mapping added to the times of the file: 0, or the epoch that it says.
--@ table trace_device_traces device_traces a row for each profile that was read
--@ column trace TEXT - the file
--@ column format TEXT - ascend, kineto, nsys, perfetto, rocpd, xplane or xprof
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column world_size BIGINT ranks of the job
--@ column base_ns BIGINT ns that was added to the times of the file: 0, or the epoch that it tells
--@ column host TEXT - on which it was made
CREATE TEMP TABLE IF NOT EXISTS device_traces (
  trace      TEXT   NOT NULL PRIMARY KEY,
  format     TEXT   NOT NULL,  -- 'ascend', 'kineto', 'nsys', 'perfetto', 'rocpd', 'xplane', 'xprof'
  rank       BIGINT,
  world_size BIGINT,
  base_ns    BIGINT NOT NULL DEFAULT 0,
  host       TEXT
);

-- The class of an activity is that of the first rule, by priority, whose kind and name fit; both are GLOBs, the
-- name's over lower(name). Add rows for kernels of your own.
CREATE TEMP TABLE IF NOT EXISTS device_class_rules (
  priority INTEGER PRIMARY KEY,
  kind     TEXT NOT NULL,
  name     TEXT NOT NULL,
  class    TEXT NOT NULL CHECK (class IN ('compute', 'communication', 'memory', 'sync'))
);
INSERT OR IGNORE INTO device_class_rules (priority, kind, name, class) VALUES
  (10, 'sync',   '*', 'sync'),
  (20, 'memcpy', '*', 'memory'),
  -- So do Level Zero and OpenCL of Intel, in traces that call a copy by its call.
  (28, 'kernel', 'zecommandlistappendmemory*', 'memory'),
  (29, 'kernel', 'clenqueue*buffer*', 'memory'),
  (30, 'memset', '*', 'memory'),
  -- ROCm copies and sets with kernels where no engine is free.
  (31, 'kernel', '__amd_rocclr_copy*', 'memory'),
  (32, 'kernel', '__amd_rocclr_fill*', 'memory'),
  -- XLA's categories of transfers with the host, and the ends of a collective that others hide.
  (33, 'kernel', 'host send*', 'memory'),
  (34, 'kernel', 'host recv*', 'memory'),
  (38, 'kernel', 'async-collective*', 'communication'),
  -- What a compiler fused computes, though its name may tell of a collective beside it.
  (35, 'kernel', 'triton_???_fused*', 'compute'),
  (36, 'kernel', '*warpallreduce*', 'compute'),
  (37, 'kernel', '*blockallreduce*', 'compute'),
  (27, 'kernel', '*warp_all_reduce*', 'compute'),
  (39, 'kernel', '*block_all_reduce*', 'compute'),
  -- Libraries: NCCL and RCCL (ncclDevKernel_..., ncclKernel_..., rcclGenericKernel), MSCCL, HCCL, oneCCL, NVSHMEM.
  (40, 'kernel', '*nccl*', 'communication'),
  (41, 'kernel', '*rccl*', 'communication'),
  (42, 'kernel', '*msccl*', 'communication'),
  (43, 'kernel', '*hccl*', 'communication'),
  (44, 'kernel', '*oneccl*', 'communication'),
  (45, 'kernel', '*nvshmem*', 'communication'),
  (46, 'kernel', '*cross_device_reduce*', 'communication'),  -- vLLM's own all-reduce
  (47, 'kernel', 'hcom_*', 'communication'),                 -- HCCL's tasks
  (48, 'kernel', '*deep_ep[:0-9]*', 'communication'),        -- deep_ep::, mangled 7deep_ep9intranode
  (49, 'kernel', '*rocshmem*', 'communication'),
  -- Kernels of symmetric memory and of frameworks, by what they do.
  (50, 'kernel', '*all_reduce*', 'communication'),
  (51, 'kernel', '*allreduce*', 'communication'),
  (52, 'kernel', '*all_gather*', 'communication'),
  (53, 'kernel', '*allgather*', 'communication'),
  (54, 'kernel', '*reduce_scatter*', 'communication'),
  (55, 'kernel', '*reducescatter*', 'communication'),
  (56, 'kernel', '*all_to_all*', 'communication'),
  (57, 'kernel', '*alltoall*', 'communication'),
  (58, 'kernel', '*userbuffers_*', 'communication'),         -- Transformer Engine
  (59, 'kernel', '*mori::*', 'communication'),
  -- 60 to 98: HLO opcodes, of TPU and of XLA on GPU. Where the compiler's category is a fusion or
  -- a product, these rules go by it and not by the name.
  (60, 'kernel', 'all-reduce*', 'communication'),
  (61, 'kernel', 'all-gather*', 'communication'),
  (62, 'kernel', 'reduce-scatter*', 'communication'),
  (63, 'kernel', 'all-to-all*', 'communication'),
  (64, 'kernel', 'ragged-all-to-all*', 'communication'),
  (65, 'kernel', 'collective-permute*', 'communication'),
  (66, 'kernel', 'collective-broadcast*', 'communication'),
  (67, 'kernel', 'send', 'communication'),
  (68, 'kernel', 'recv', 'communication'),
  (69, 'kernel', 'collective-reduce*', 'communication'),
  (70, 'kernel', 'copy-start*', 'memory'),
  (71, 'kernel', 'copy-done*', 'memory'),
  (72, 'kernel', 'infeed*', 'memory'),
  (73, 'kernel', 'outfeed*', 'memory'),
  -- What TPUs fetch and put aside while they compute: copies of a part.
  (74, 'kernel', 'slice-start*', 'memory'),
  (75, 'kernel', 'slice-done*', 'memory'),
  (76, 'kernel', 'dynamic-slice-start*', 'memory'),
  (77, 'kernel', 'dynamic-slice-done*', 'memory'),
  (78, 'kernel', 'dynamic-update-slice-start*', 'memory'),
  (79, 'kernel', 'dynamic-update-slice-done*', 'memory'),
  -- send.3, recv-done.1: HLO numbers its instructions. A kernel may be called sender_of_tokens.
  (80, 'kernel', 'send[.-][0-9a-z]*', 'communication'),
  (81, 'kernel', 'recv[.-][0-9a-z]*', 'communication'),
  -- What waits for an operation that its name does not tell.
  (97, 'kernel', 'async-done*', 'sync'),
  (98, 'kernel', 'async-update*', 'sync'),
  (82, 'kernel', '*sendrecv*', 'communication'),
  (83, 'kernel', '*send_recv*', 'communication'),
  (84, 'kernel', '*c10d[:0-9]*', 'communication'),           -- PyTorch's symmetric memory: barriers and signals
  (85, 'kernel', '*hybrid_ep[:0-9]*', 'communication'),      -- DeepEP's hybrid kernels, TensorRT-LLM's and FlashInfer's, and UCCL's
  (86, 'kernel', '*moea2a*', 'communication'),
  (87, 'kernel', '*uccl[:0-9]*', 'communication'),
  (88, 'kernel', '*nixl_ep[:0-9]*', 'communication'),        -- dispatch and combine of NIXL and Mooncake
  (89, 'kernel', '*mooncake[:0-9]*', 'communication'),
  (90, 'kernel', '*a2a_dispatch*', 'communication'),         -- Perplexity's experts (pplx-garden)
  (91, 'kernel', '*a2a_combine*', 'communication'),
  (92, 'kernel', '*all2all*', 'communication'),
  (93, 'kernel', '*multigpubarrier*', 'communication'),      -- XLA's and TensorRT-LLM's, beside their collectives
  (94, 'kernel', '*moedistribute*', 'communication'),        -- dispatch and combine of CANN
  (95, 'kernel', '*epdispatch*', 'communication'),           -- MORI's, without their namespace
  (96, 'kernel', '*epcombine*', 'communication'),
  (99, '*', '*', 'compute');
