-- device/xla.sql - what XLA's profiler puts beside kernels on the streams of a GPU, and what a profile of it does not tell.
--
-- Reads device_xla(trace, line, name, kind), a view of activities of XLA, kind 'kernel' or what is told of them, which it drops. Makes
-- device_no_kernels(name, kind), of the names that are no kernels: kind NULL is no work.
-- A part of xplane.sql, xprof.sql and perfetto.sql, which say what the parameters are.

-- CUPTI's records: how long memory was held lasts for most of a trace, and a fault of a page is served by the host.
DROP TABLE IF EXISTS temp.device_no_kernels;
CREATE TEMP TABLE device_no_kernels AS
SELECT name, CASE WHEN name GLOB 'Memcpy*' OR name GLOB 'UM_BYTES_TRANSFER_*' THEN 'memcpy' WHEN name GLOB 'Memset*' THEN 'memset'
                  WHEN name GLOB '*StreamWaitEvent' THEN 'sync' END AS kind
FROM (SELECT DISTINCT name FROM device_xla WHERE line GLOB 'Stream #*' AND kind = 'kernel')
WHERE name GLOB 'Memcpy*' OR name GLOB 'Memset*' OR name GLOB 'UM_[A-Z]*' OR name IN ('cuStreamWaitEvent', 'hipStreamWaitEvent')
  OR name GLOB 'cu*Synchronize' OR name = 'unknown synchronization event'
  OR name IN ('MemoryAlloc', 'MemoryFree', 'MemoryResidency', 'HostRegister', 'HostUnregister', 'Overhead')
  OR name GLOB 'Memory *' AND substr(name, 8) IN ('array', 'device', 'device_static', 'managed', 'managed_static', 'pageable', 'pinned',
                                                  'unknown');
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT x.trace, 'info', 'no_work', count(*),
       'events of streams that are no work, such as how long memory was held: left out; the first is "' || min(x.name) || '"'
FROM device_no_kernels AS n CROSS JOIN device_xla AS x USING (name)
WHERE n.kind IS NULL AND x.line GLOB 'Stream #*' AND x.kind = 'kernel' GROUP BY x.trace;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_samples', count(*),
       'CUDA graphs whose kernels the profile does not list: each counts whole as computation, and so does communication in it'
FROM device_xla WHERE name GLOB 'CudaGraphExec:*' GROUP BY trace;
-- Of TPUs a line beside the operations tells how long those that run beside them took. Earlier profilers, and XProf's JSON, lack it.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_samples', count(*),
       'asynchronous operations of which the profile has begin and end alone: what computation hides of them counts nowhere'
FROM device_xla
WHERE line = 'XLA Ops' AND (name GLOB '*-start' OR name GLOB '*-start.*')
  AND trace NOT IN (SELECT trace FROM device_xla WHERE line = 'Async XLA Ops')
GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_samples', count(*),
       'asynchronous operations that are called by no work: as long as they run they count as computation; the first is "' || min(name) || '"'
FROM device_xla
WHERE line = 'Async XLA Ops' AND (name GLOB 'async-start*' OR name GLOB 'call-start*' OR name GLOB 'custom-call-start*'
                                  OR name GLOB 'fusion-start*')
GROUP BY trace;
DROP VIEW device_xla;
