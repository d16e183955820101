-- dcgm/codes.sql - errors of GPUs (XID): the code at each sample, and the one before.
--
-- Reads prometheus_samples and dcgm_names. Makes dcgm_codes.
-- A part of dcgm.sql, which says what the parameters are.

-- A code stays until the driver is loaded anew: one that is there from the first sample on is of an error before that, and is
-- listed. Where the exporter counts errors of each code, in a window of time or since its start, a count that is new or grows is an error;
-- those see also the same code again, and so go before. A GPU is the one with its UUID, whatever its host is called.
DROP TABLE IF EXISTS temp.dcgm_seen;
CREATE TEMP TABLE dcgm_seen AS
SELECT coalesce(Hostname, nullif(json_extract(labels, '$.hostname'), ''), instance) AS host, min(time) AS first
FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM dcgm_names WHERE xid > 1)) CROSS JOIN prometheus_samples GROUP BY 1;
DROP TABLE IF EXISTS temp.dcgm_codes;
CREATE TEMP TABLE dcgm_codes AS
WITH named AS (
  SELECT *, coalesce(Hostname, nullif(json_extract(labels, '$.hostname'), ''), instance) AS host,
         coalesce(UUID, nullif(json_extract(labels, '$.uuid'), '')) AS unit,
         coalesce(json_extract(labels, '$.GPU_I_PROFILE') || '/' || json_extract(labels, '$.GPU_I_ID'),
                  json_extract(labels, '$.gpu_i_profile') || '/' || json_extract(labels, '$.gpu_i_id')) AS slice,
         CAST(iif(xid = 1, value, json_extract(labels, '$.xid')) AS INTEGER) AS code,
         max(xid) OVER (PARTITION BY coalesce(UUID, nullif(json_extract(labels, '$.uuid'), ''),
                                              coalesce(Hostname, nullif(json_extract(labels, '$.hostname'), ''), instance) || '/' || gpu,
                                              gpu)) AS best
  FROM prometheus_samples JOIN (SELECT metric, xid FROM dcgm_names WHERE xid) USING (metric)
),
-- Of two servers at one moment the one that has seen more.
once AS (
  SELECT time, host, gpu, unit, slice, namespace, pod, hpc_job, code, xid, max(value) AS value FROM named WHERE xid = best
  GROUP BY coalesce(unit, host || '/' || gpu, gpu), slice, iif(xid = 1, NULL, code), time
)
SELECT time, host, gpu, unit AS uuid, slice, namespace, pod, hpc_job, code,
       iif(xid = 1, lag(code) OVER (PARTITION BY coalesce(unit, host || '/' || gpu, gpu), slice ORDER BY time),
           CASE WHEN value > lag(value) OVER counts THEN 0
                WHEN xid = 3 AND value > 0 AND value < lag(value) OVER counts THEN 0 -- the exporter began anew
                WHEN lag(value) OVER counts IS NOT NULL OR value <= 0 THEN code
                WHEN time > (SELECT first FROM dcgm_seen AS s WHERE s.host IS once.host) THEN 0 END) AS before
FROM once WINDOW counts AS (PARTITION BY coalesce(unit, host || '/' || gpu, gpu), slice, code ORDER BY time);
DROP TABLE dcgm_seen;
